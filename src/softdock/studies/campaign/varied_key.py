"""A key that varies, read and checked: where its values come from, and the values."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from softdock.studies.campaign.normal_distribution import inverse_normal

Refuse = Callable[..., None]


@dataclass(frozen=True)
class Vary:
    """What varies. `points`: (n, keys) values of a grid or list; else a distribution that makes one
    column of each uniform number."""

    keys: tuple[str, ...]
    also: tuple[str, ...]  # keys that get the same value as the first
    how: str
    points: np.ndarray  # empty for a distribution
    low: float = 0.0
    high: float = 0.0
    mean: tuple[float, ...] = ()
    factor: tuple[tuple[float, ...], ...] = ()  # of the covariance, lower triangle
    cut: tuple[float, float] = (0.0, 1.0)  # probabilities between which a normal is kept
    turn_about: tuple[float, ...] = ()  # world axis; the values are angles in degrees then
    keep_tip: bool = False
    name: str = ""

    @property
    def dimensions(self) -> int:
        """Uniform numbers it takes."""
        return 0 if self.how in ("grid", "list") else len(self.keys)

    @property
    def is_correlated(self) -> bool:
        return self.how == "normal" and len(self.keys) > 1

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of its columns in the tables."""
        return (self.name,) if self.name else self.keys

    @property
    def label(self) -> str:
        return self.labels[0]

    @property
    def written(self) -> tuple[str, ...]:
        """Every key of the scenario that it sets."""
        return (*self.keys, *self.also)

    def from_uniform(self, u: np.ndarray) -> np.ndarray:
        """Values from uniform numbers, (N, keys) both."""
        if self.how == "uniform":
            return self.low + (self.high - self.low) * u
        if self.how == "log_uniform":
            return np.exp(math.log(self.low) + (math.log(self.high) - math.log(self.low)) * u)
        low, high = self.cut
        drawn = inverse_normal(low + (high - low) * u)
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused by key
            return np.asarray(np.array(self.mean) + drawn @ np.array(self.factor).T)
