"""Units that a log may be written in, and what is a plausible value of each quantity.

A value beyond the bound is no measurement of a docking rig but a wrong unit or column: a force of
1e6 N is a millinewton's number, or a stamp.
"""

from __future__ import annotations

import math
from typing import NamedTuple

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


def smaller_unit(quantity: str, unit: str, ratio: float) -> str:
    """A unit of the quantity in which a value `ratio` times too large would be plausible."""
    factors = FACTORS[quantity]
    fitting = [name for name, f in factors.items() if f * ratio <= factors[unit] and name != unit]
    return fitting[0] if fitting else ""
