"""Triads and turns onto directions, for what is drawn; rotations: core/spatial/arrays.py."""

from __future__ import annotations

import numpy as np


def from_z_to(direction: np.ndarray) -> np.ndarray:
    """Turns the z axis into directions; the shortest way."""
    d = direction / np.maximum(np.linalg.norm(direction, axis=-1, keepdims=True), 1e-300)
    w = 1.0 + d[..., 2:3]
    v = np.stack([-d[..., 1], d[..., 0], np.zeros_like(d[..., 0])], axis=-1)
    q = np.concatenate([w, v], axis=-1)
    q = np.where(w > 1e-9, q, np.array([0.0, 1.0, 0.0, 0.0]))
    return np.asarray(q / np.linalg.norm(q, axis=-1, keepdims=True))


def frame_along(axis: np.ndarray) -> np.ndarray:
    """A right-handed triad whose third row is the unit axis."""
    third = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    first = np.cross(np.eye(3)[int(np.argmin(np.abs(third)))], third)
    first = first / np.linalg.norm(first)
    return np.stack([first, np.cross(third, first), third])
