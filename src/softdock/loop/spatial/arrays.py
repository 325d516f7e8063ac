"""Rotations of numpy arrays: what `rotations.py` does for one quaternion in the loop, for many rows
after it. Quaternions are (w, x, y, z), world from body; vectors in the last axis.

In and out in float64. Where two orders of the same sum are in use, each keeps its own to the bit:
recorded energies and distances of earlier versions rest on it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

BACK = np.array([1.0, -1.0, -1.0, -1.0])  # times a unit quaternion: its inverse


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Quaternions row by row, or one with all: first b, then a."""
    w, x, y, z = np.moveaxis(a, -1, 0)
    s, i, j, k = np.moveaxis(b, -1, 0)
    return np.stack(
        [
            w * s - x * i - y * j - z * k,
            w * i + x * s + y * k - z * j,
            w * j - x * k + y * s + z * i,
            w * k + x * j - y * i + z * s,
        ],
        axis=-1,
    )


def composed(a: Any, b: Any) -> np.ndarray:
    """As `product` of two quaternions, to length one, summed by dot and cross products: the order
    in which frames of a facility have always been put together."""
    w = a[0] * b[0] - float(np.dot(a[1:], b[1:]))
    v = a[0] * np.array(b[1:]) + b[0] * np.array(a[1:]) + np.cross(a[1:], b[1:])
    q = np.array([w, *v])
    return np.asarray(q / np.linalg.norm(q))


def inverse(q: np.ndarray) -> np.ndarray:
    """Inverse of unit quaternions."""
    return np.asarray(q * BACK)


def exponential(phi: np.ndarray) -> np.ndarray:
    """Unit quaternions of rotation vectors [rad]."""
    angle = np.linalg.norm(phi, axis=-1, keepdims=True)
    half = 0.5 * np.sinc(0.5 * angle / np.pi)  # sin(a / 2) / a
    return np.concatenate([np.cos(0.5 * angle), half * phi], axis=-1)


def rotation_vector(q: np.ndarray) -> np.ndarray:
    """Rotation vectors of unit quaternions [rad], at most half a turn."""
    q = np.where(q[..., :1] < 0.0, -q, q)
    size = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(size, q[..., :1])
    return np.asarray(np.where(size > 1e-12, angle / np.maximum(size, 1e-300), 2.0) * q[..., 1:])


def continuous(q: np.ndarray) -> np.ndarray:
    """The same attitudes, neighbouring rows of one sign, so that they can be blended."""
    flips = np.cumprod(np.where(np.sum(q[1:] * q[:-1], axis=1) < 0.0, -1.0, 1.0))
    return np.concatenate([q[:1], q[1:] * flips[:, None]])


def rotate(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Vectors in body axes to world axes, by unit quaternions: row by row, or one for all."""
    u = q[..., 1:]
    twice = 2.0 * np.cross(u, v)
    return np.asarray(v + q[..., :1] * twice + np.cross(u, twice))


def rotate_back(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Vectors in world axes to body axes, by unit quaternions."""
    return rotate(q * BACK, v)


def rotate_at_once(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """As `rotate`, the vector's whole change summed before it is added: the order in which the
    recorded observed energy has always been computed."""
    u = q[..., 1:]
    half = np.cross(u, v)
    return np.asarray(v + 2.0 * (q[..., :1] * half + np.cross(u, half)))


def matrix(q: Any) -> np.ndarray:
    """Rotation matrix (3, 3), world from body, of a quaternion of any length but zero."""
    return np.array(_rows(*(np.asarray(q, dtype=float) / np.linalg.norm(q))))


def unit_matrix(q: Any) -> np.ndarray:
    """The same of a unit quaternion, whose length is not looked at."""
    return np.array(_rows(*q))


def quaternion_of(R: np.ndarray) -> np.ndarray:
    """Unit quaternion of a rotation matrix, w >= 0 (Shepperd: from its largest component)."""
    squares = np.array(
        [
            1.0 + R[0, 0] + R[1, 1] + R[2, 2],
            1.0 + R[0, 0] - R[1, 1] - R[2, 2],
            1.0 - R[0, 0] + R[1, 1] - R[2, 2],
            1.0 - R[0, 0] - R[1, 1] + R[2, 2],
        ]
    )
    off = np.array(
        [
            [squares[0], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
            [R[2, 1] - R[1, 2], squares[1], R[1, 0] + R[0, 1], R[0, 2] + R[2, 0]],
            [R[0, 2] - R[2, 0], R[1, 0] + R[0, 1], squares[2], R[2, 1] + R[1, 2]],
            [R[1, 0] - R[0, 1], R[0, 2] + R[2, 0], R[2, 1] + R[1, 2], squares[3]],
        ]
    )
    q = off[int(squares.argmax())]
    return np.copysign(1.0, q[0]) * q / np.linalg.norm(q)


def nearest_quaternion(R: np.ndarray) -> np.ndarray:
    """Unit quaternion, w >= 0, of the rotation nearest to a matrix that is one but for rounding
    (the eigenvector of its largest eigenvalue)."""
    K = np.array(
        [
            [R[0, 0] + R[1, 1] + R[2, 2], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
            [0.0, R[0, 0] - R[1, 1] - R[2, 2], R[1, 0] + R[0, 1], R[2, 0] + R[0, 2]],
            [0.0, 0.0, R[1, 1] - R[0, 0] - R[2, 2], R[2, 1] + R[1, 2]],
            [0.0, 0.0, 0.0, R[2, 2] - R[0, 0] - R[1, 1]],
        ]
    )
    q = np.linalg.eigh(K, UPLO="U")[1][:, -1]
    return np.asarray(q if q[0] >= 0.0 else -q)


def abc_angles(q: np.ndarray) -> np.ndarray:
    """A, B, C [rad] as KUKA has them, about z, the new y, the new x, of a quaternion of any length
    but zero."""
    w, x, y, z = q / np.linalg.norm(q)
    a = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    b = np.arcsin(np.clip(2.0 * (w * y - z * x), -1.0, 1.0))
    c = np.arctan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
    return np.array([a, b, c])


def matrix_about(axis: np.ndarray, angle: float) -> np.ndarray:
    """Rotation matrix about an axis of length one [rad]."""
    K = cross_matrix(axis)
    return np.asarray(np.eye(3) + math.sin(angle) * K + (1.0 - math.cos(angle)) * K @ K)


def cross_matrix(v: Any) -> np.ndarray:
    """The matrix of x -> v x x."""
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def matrices(q: np.ndarray) -> np.ndarray:
    """Rotation matrices (..., 3, 3), world from body, of unit quaternions (..., 4)."""
    rows = _rows(*np.moveaxis(q, -1, 0))
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def matrices_by_entry(q: np.ndarray) -> np.ndarray:
    """As `matrices` of unit quaternions (n, 4), each of the nine entries stored together: einsum
    and matmul sum such an array in another order, and results published so keep their bits."""
    return np.array(_rows(*q.T)).transpose(2, 0, 1)


def _rows(w: Any, x: Any, y: Any, z: Any) -> list[list[Any]]:
    return [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]


def turns(attitude: np.ndarray) -> np.ndarray:
    """Rotation vector from each row to the next, world axes [rad]."""
    a, b = attitude[:-1], attitude[1:]
    scalar = np.sum(a * b, axis=1)
    # of b times the inverse of a
    vector = a[:, :1] * b[:, 1:] - b[:, :1] * a[:, 1:] - np.cross(b[:, 1:], a[:, 1:])
    size = np.linalg.norm(vector, axis=1)
    angle = 2.0 * np.arctan2(size, np.abs(scalar)) * np.where(scalar < 0.0, -1.0, 1.0)
    return vector * np.divide(angle, size, out=np.full_like(size, 2.0), where=size > 0.0)[:, None]
