"""Rotations by plain formulas, independent of softdock; a docking turned and moved elsewhere."""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np


def quaternion(rotation_vector: Any) -> np.ndarray:
    """Rotation vector [rad] to a unit quaternion wxyz, independent of softdock."""
    phi = np.asarray(rotation_vector, dtype=float)
    angle = float(np.linalg.norm(phi))
    if angle == 0.0:
        return np.array([1.0, 0.0, 0.0, 0.0])
    return np.array([math.cos(0.5 * angle), *(math.sin(0.5 * angle) / angle * phi)])


def matrix(q: Any) -> np.ndarray:
    """Rotation matrix of a quaternion wxyz, independent of softdock."""
    w, x, y, z = np.asarray(q, dtype=float) / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def hamilton(a: Any, b: Any) -> np.ndarray:
    """Quaternion product, independent of softdock."""
    (a0, *av), (b0, *bv) = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    av, bv = np.array(av), np.array(bv)
    return np.array([a0 * b0 - av @ bv, *(a0 * bv + b0 * av + np.cross(av, bv))])


def moved(tables: dict[str, Any], q: Any, shift: Any) -> dict[str, Any]:
    """The same docking somewhere else: turned by the quaternion q about the origin, then shifted
    [m]."""
    there, R = copy.deepcopy(tables), matrix(q)
    for name in ("chaser", "target"):
        body = there[name]
        body["position_m"] = (
            R @ body.get("position_m", [0.0, 0.0, 0.0]) + np.asarray(shift)
        ).tolist()
        body["velocity_m_per_s"] = (R @ body.get("velocity_m_per_s", [0.0, 0.0, 0.0])).tolist()
        body["attitude_wxyz"] = hamilton(
            q, body.get("attitude_wxyz", [1.0, 0.0, 0.0, 0.0])
        ).tolist()
    return there
