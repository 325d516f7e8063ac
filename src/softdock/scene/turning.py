"""Rotations of many rows at once: unit quaternions wxyz, as everywhere in softdock."""

from __future__ import annotations

import numpy as np


def rotate(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Vectors turned by quaternions; either may be a single one."""
    w, u = q[..., :1], q[..., 1:]
    twice = 2.0 * np.cross(u, v)
    return np.asarray(v + w * twice + np.cross(u, twice))


def inverse(q: np.ndarray) -> np.ndarray:
    return np.asarray(q * np.array([1.0, -1.0, -1.0, -1.0]))


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """First b, then a."""
    aw, av, bw, bv = a[..., :1], a[..., 1:], b[..., :1], b[..., 1:]
    scalar = aw * bw - np.sum(av * bv, axis=-1, keepdims=True)
    return np.concatenate([scalar, aw * bv + bw * av + np.cross(av, bv)], axis=-1)


def turned_by(vector: np.ndarray) -> np.ndarray:
    """The quaternion of a rotation vector [rad]."""
    angle = np.linalg.norm(vector, axis=-1, keepdims=True)
    return np.concatenate([np.cos(0.5 * angle), 0.5 * np.sinc(0.5 * angle / np.pi) * vector], -1)


def turn_of(q: np.ndarray) -> np.ndarray:
    """The rotation vector of a quaternion [rad], at most half a turn."""
    q = np.where(q[..., :1] < 0.0, -q, q)
    size = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(size, q[..., :1])
    return np.asarray(np.where(size > 1e-12, angle / np.maximum(size, 1e-300), 2.0) * q[..., 1:])


def without_flips(q: np.ndarray) -> np.ndarray:
    """The same attitudes with signs that change smoothly, so that neighbours can be blended."""
    jumps = np.sum(q[1:] * q[:-1], axis=1) < 0.0
    signs = np.concatenate([[1.0], np.where(np.cumsum(jumps) % 2 == 1, -1.0, 1.0)])
    return np.asarray(q * signs[:, None])


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
