"""Units and forms of attitude that a log may be written in, and what is a plausible value of each
quantity.

A value beyond the bound is no measurement of a docking rig but a wrong unit or column: a force of
1e6 N is a millinewton's number, or a stamp.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from softdock.loop.spatial.arrays import continuous, exponential, product

DEGREE = math.pi / 180.0
INCH, POUND_FORCE = 0.0254, 4.4482216152605  # m, N
FACTORS: dict[str, dict[str, float]] = {  # to SI, by quantity
    "time": {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60.0},
    "length": {"m": 1.0, "mm": 1e-3, "cm": 1e-2, "um": 1e-6, "in": INCH},
    "angle": {"rad": 1.0, "deg": DEGREE, "mrad": 1e-3, "-": 1.0},
    "speed": {"m/s": 1.0, "mm/s": 1e-3, "cm/s": 1e-2, "in/s": INCH},
    "rate": {"rad/s": 1.0, "deg/s": DEGREE, "mrad/s": 1e-3},
    "force": {"N": 1.0, "kN": 1e3, "mN": 1e-3, "lbf": POUND_FORCE},
    "torque": {"Nm": 1.0, "Nmm": 1e-3, "mNm": 1e-3, "kNm": 1e3, "lbf in": POUND_FORCE * INCH},
}


WRITTEN = {  # units as others write them, in small letters
    "sec": "s",
    "secs": "s",
    "second": "s",
    "seconds": "s",
    "msec": "ms",
    "usec": "us",
    "nsec": "ns",
    "millimeter": "mm",
    "meter": "m",
    "metre": "m",
    "newton": "N",
    "newtonmeter": "Nm",
    "degree": "deg",
    "degrees": "deg",
    "grad": "deg",
    "radian": "rad",
    "radians": "rad",
    "rads": "rad/s",
    "degs": "deg/s",
    "mps": "m/s",
    "lb": "lbf",
    "lbs": "lbf",
    "lbf-in": "lbf in",
    "inlb": "lbf in",
    "in-lb": "lbf in",
    "inch": "in",
    "n-m": "Nm",
    "n-mm": "Nmm",
    "1/s": "",
}


class Plausible(NamedTuple):
    """The largest value that is believed, in SI, and the unit it is told in."""

    most: float
    unit: str


PLAUSIBLE = {
    "length": Plausible(1e3, "m"),
    "speed": Plausible(10.0, "m/s"),
    "rate": Plausible(20.0, "rad/s"),
    "force": Plausible(1e5, "N"),
    "torque": Plausible(1e5, "Nm"),
    "age": Plausible(1.0, "s"),
}
QUANTITY = {  # of a part of a motion or a wrench
    "position": "length",
    "attitude": "angle",
    "velocity": "speed",
    "rate": "rate",
    "force": "force",
    "torque": "torque",
}


def find_smaller_unit(quantity: str, unit: str, ratio: float) -> str:
    """A unit of the quantity in which a value `ratio` times too large would be plausible."""
    factors = FACTORS[quantity]
    fitting = [name for name, f in factors.items() if f * ratio <= factors[unit] and name != unit]
    return fitting[0] if fitting else ""


def parse_unit(text: str) -> tuple[str, str]:
    """Quantity and unit of a text like `N`, `[mm/s]`, `(deg)`; "" and "" where it is none."""
    bare = text.strip().strip("[]()<>{} ").replace(" ", "").replace("\u00b7", "").replace("*", "")
    bare = bare.replace("\u00b5", "u").replace("\u03bc", "u").replace("^-1", "/s").replace(".", "")
    bare = {"\u00b0": "deg", "\u00b0/s": "deg/s"}.get(bare, bare)
    small = WRITTEN.get(bare.lower(), bare)
    for quantity, units in FACTORS.items():
        for unit in units:
            if unit != "-" and (small == unit or bare.lower() == unit.lower().replace(" ", "")):
                return quantity, unit
    return "", ""


def is_unit(text: str) -> bool:
    """Whether a cell of a head is a unit, or says that there is none."""
    bare = text.strip().strip("[]()<>{} ")
    return bare in ("", "-", "1", "/") or bool(parse_unit(text)[1])


# Forms in which logs hold attitudes, to quaternions (w, x, y, z) that turn body into frame axes.
#
# wxyz, xyzw          quaternions, ROS 2's last
# kuka_abc            A about z, B about the new y, C about the new x; R = Rz(A) Ry(B) Rx(C)
# rpy                 roll, pitch, yaw: the same rotation, its angles in the other order
# xyz                 about x, the new y, the new z; R = Rx Ry Rz
# zyz                 about z, the new y, the newest z; R = Rz Ry Rz
# rotation_vector     axis times angle

FORMS = {"wxyz": 4, "xyzw": 4, "kuka_abc": 3, "rpy": 3, "xyz": 3, "zyz": 3, "rotation_vector": 3}
AXES_OF = {"kuka_abc": (2, 1, 0), "rpy": (2, 1, 0), "xyz": (0, 1, 2), "zyz": (2, 1, 2)}
UNIT_WITHIN = 0.01  # of 1: how far from a unit quaternion a log's own rounding may be


def convert_to_quaternions(values: np.ndarray, form: str) -> np.ndarray:
    """Rows of a form (angles in rad) as unit quaternions, neighbours of one sign."""
    if form == "wxyz":
        q = values / np.linalg.norm(values, axis=1, keepdims=True)
    elif form == "xyzw":
        q = values[:, [3, 0, 1, 2]] / np.linalg.norm(values, axis=1, keepdims=True)
    elif form == "rotation_vector":
        q = exponential(values)
    else:
        angles, axes = (values[:, ::-1] if form == "rpy" else values).T, AXES_OF[form]
        first, second, third = (
            _make_rotation(a, axis) for a, axis in zip(angles, axes, strict=True)
        )
        q = product(product(first, second), third)
    return continuous(q)


def _make_rotation(angle: np.ndarray, axis: int) -> np.ndarray:
    q = np.zeros((len(angle), 4))
    q[:, 0], q[:, 1 + axis] = np.cos(0.5 * angle), np.sin(0.5 * angle)
    return q


def interpolate_attitudes(times: np.ndarray, stamps: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Attitudes at some times: the chord between neighbours, which turn little in a step."""
    if len(stamps) == 1:
        return np.repeat(q, len(times), axis=0)
    attitudes = np.stack([np.interp(times, stamps, column) for column in q.T], axis=1)
    return attitudes / np.linalg.norm(attitudes, axis=1, keepdims=True)
