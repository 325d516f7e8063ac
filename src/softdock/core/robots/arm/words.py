"""What the analyses are told of an arm: its linear part, and what they leave out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from softdock.core.robots.model import Linear

FOLLOWS = "joints of its arm"
RIGID = "the arm is analysed as an ideal robot along the contact: no joint, no direction"
ALIKE = "every joint lags alike, so the arm is analysed as one lag in every direction"
SLOWEST = "its joints lag differently; the slowest is taken for every direction"
LIMITED = "the joints' limits are left out: within them the arm is a pure delay, beyond it is worse"
ELASTIC = "its elastic joints are left out: the arm is analysed as rigid"


def frequencies(robot: Mapping[str, Any]) -> list[float]:
    """The lag of each joint [Hz]."""
    given = robot["joint_lag_Hz"]
    return [float(v) for v in given] if isinstance(given, list | tuple) else [float(given)] * 6


def linear_arm(robot: Mapping[str, Any]) -> Linear:
    """A lag in the joints is the same lag of the tip where all joints have it; else the slowest."""
    elastic = f"; {ELASTIC}" if robot["elastic_joints"] else ""
    if robot["joints"] == "lag":
        lags = frequencies(robot)
        said = ALIKE if max(lags) == min(lags) else SLOWEST
        zeta = float(robot["joint_lag_damping_ratio"])
        return Linear(2.0 * math.pi * min(lags), zeta, said + elastic)
    said = LIMITED if robot["joints"] == "limited" else RIGID
    return Linear(left_out=said + elastic)


def arm_words(robot: Mapping[str, Any]) -> str:
    """What the joints do, in words."""
    words = {"stiff": "stiff", "limited": "within the arm's limits"}
    how = words.get(robot["joints"], "")
    if robot["joints"] == "lag":
        lags = frequencies(robot)
        ends = dict.fromkeys(f"{v:g}" for v in (min(lags), max(lags)))
        how = f"lag of {' to '.join(ends)} Hz"
    return f"{how}, elastic" if robot["elastic_joints"] else how
