"""An identified number with its uncertainty, and least squares that give one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Estimate:
    """A value and its standard uncertainty (one sigma), in the unit of the key it stands under.
    Vectors are tuples."""

    value: Any
    uncertainty: Any

    def to_dict(self) -> dict[str, Any]:
        return {
            "value": _convert_to_plain(self.value),
            "standard_uncertainty": _convert_to_plain(self.uncertainty),
        }


def _convert_to_plain(value: Any) -> Any:
    return [float(v) for v in value] if np.ndim(value) else float(value)


@dataclass(frozen=True)
class Fit:
    """Linear least squares: unknowns, their covariance, and what is left."""

    x: np.ndarray
    covariance: np.ndarray
    residual: np.ndarray
    condition: float


def solve_least_squares(A: np.ndarray, y: np.ndarray) -> Fit:
    """A x = y. The covariance is that of white noise of the residual's size, raised where
    neighbouring residuals are alike (a model that does not fit)."""
    scale = np.linalg.norm(A, axis=0)
    scale[scale == 0.0] = 1.0
    u, s, vt = np.linalg.svd(A / scale, full_matrices=False)
    condition = float(s[0] / s[-1]) if s[-1] > 0.0 else math.inf
    inverse = np.where(s > 1e-12 * s[0], 1.0 / np.maximum(s, 1e-300), 0.0)
    x = (vt.T @ (inverse * (u.T @ y))) / scale
    residual = y - A @ x
    freedom = max(len(y) - A.shape[1], 1)
    variance = float(residual @ residual) / freedom * compute_correlation_factor(residual)
    covariance = variance * ((vt.T * inverse**2) @ vt) / np.outer(scale, scale)
    return Fit(x, covariance, residual, condition)


def compute_correlation_factor(residual: np.ndarray) -> float:
    """By how much the variance of a mean grows because neighbours are alike: (1 + r) / (1 - r), r
    their correlation; 1 for white noise."""
    power = float(residual[1:] @ residual[1:])
    if power <= 0.0:
        return 1.0
    r = min(max(float(residual[1:] @ residual[:-1]) / power, 0.0), 0.99)
    return (1.0 + r) / (1.0 - r)


def compute_weighted_mean(estimates: list[Estimate]) -> Estimate:
    """The mean of several estimates by their uncertainties; its own is never less than their
    scatter says."""
    values = np.array([e.value for e in estimates])
    sigma = np.array([e.uncertainty for e in estimates])
    sigma = np.maximum(sigma, 1e-12 * np.max(np.abs(values), initial=1e-300))
    weights = 1.0 / sigma**2
    mean = float(weights @ values / weights.sum())
    own = 1.0 / math.sqrt(weights.sum())
    scatter = (
        math.sqrt(float(weights @ (values - mean) ** 2) / weights.sum() / (len(values) - 1))
        if len(values) > 1
        else 0.0
    )
    return Estimate(mean, max(own, scatter))
