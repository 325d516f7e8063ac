"""Forms in which logs hold attitudes, to quaternions (w, x, y, z) that turn body into frame axes.

wxyz, xyzw          quaternions, ROS 2's last
kuka_abc            A about z, B about the new y, C about the new x; R = Rz(A) Ry(B) Rx(C)
rpy                 roll, pitch, yaw: the same rotation, its angles in the other order
xyz                 about x, the new y, the new z; R = Rx Ry Rz
zyz                 about z, the new y, the newest z; R = Rz Ry Rz
rotation_vector     axis times angle
"""

from __future__ import annotations

import numpy as np

from softdock.core.spatial.arrays import continuous, exponential, product

FORMS = {"wxyz": 4, "xyzw": 4, "kuka_abc": 3, "rpy": 3, "xyz": 3, "zyz": 3, "rotation_vector": 3}
AXES_OF = {"kuka_abc": (2, 1, 0), "rpy": (2, 1, 0), "xyz": (0, 1, 2), "zyz": (2, 1, 2)}
UNIT_WITHIN = 0.01  # of 1: how far from a unit quaternion a log's own rounding may be


def quaternions(values: np.ndarray, form: str) -> np.ndarray:
    """Rows of a form (angles in rad) as unit quaternions, neighbours of one sign."""
    if form == "wxyz":
        q = values / np.linalg.norm(values, axis=1, keepdims=True)
    elif form == "xyzw":
        q = values[:, [3, 0, 1, 2]] / np.linalg.norm(values, axis=1, keepdims=True)
    elif form == "rotation_vector":
        q = exponential(values)
    else:
        angles, axes = (values[:, ::-1] if form == "rpy" else values).T, AXES_OF[form]
        first, second, third = (_about(a, axis) for a, axis in zip(angles, axes, strict=True))
        q = product(product(first, second), third)
    return continuous(q)


def _about(angle: np.ndarray, axis: int) -> np.ndarray:
    q = np.zeros((len(angle), 4))
    q[:, 0], q[:, 1 + axis] = np.cos(0.5 * angle), np.sin(0.5 * angle)
    return q


def between(times: np.ndarray, stamps: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Attitudes at some times: the chord between neighbours, which turn little in a step."""
    if len(stamps) == 1:
        return np.repeat(q, len(times), axis=0)
    found = np.stack([np.interp(times, stamps, column) for column in q.T], axis=1)
    return found / np.linalg.norm(found, axis=1, keepdims=True)
