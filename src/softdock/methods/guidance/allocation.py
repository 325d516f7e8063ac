"""Which thrusters make which push: computed before a run, on the host.

In: positions [m] and directions of the thrusters, chaser axes. Out: for each of the twelve commands
(one newton along +x, +y, +z, one newton metre about +x, +y, +z, and the same negative) thrusts that
make it and nothing else, none negative and small in all: non-negative least squares (Lawson and
Hanson 1974) with a little weight on their sum, then exact on the thrusters found. An axis for which
there are none has zeros.
"""

from __future__ import annotations

import functools
import json
from typing import Any

import numpy as np

from softdock.methods.guidance.keys import THRUSTER

COMMANDS = tuple(
    f"{sign}{what}" for sign in ("+", "-") for what in ("x", "y", "z", "roll", "pitch", "yaw")
)
WEIGHT = 1e-3  # of the sum of all thrusts, against an error of one newton
EXACT = 1e-9  # of a newton: what a command may be missed by


def place_sixteen(arm: float) -> np.ndarray:
    """The default: two along each of +-x beside the centre, two along +-y fore and aft (yaw), two
    along +-z fore and aft (pitch), two along +-z at the sides (roll). Rows: position, direction."""
    x, y, z = np.eye(3)
    pairs = ((x, y), (y, x), (z, x), (z, y))  # direction, where
    return np.array(
        [
            [*(side * arm * where), *(sign * along)]
            for along, where in pairs
            for side in (1.0, -1.0)
            for sign in (1.0, -1.0)
        ]
    )


def solve_non_negative(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The x >= 0 with the least |A x - b| (Lawson and Hanson 1974, chapter 23)."""
    n = A.shape[1]
    x, used = np.zeros(n), np.zeros(n, bool)
    for _ in range(10 * n):
        slope = A.T @ (b - A @ x)
        slope[used] = -np.inf
        if used.all() or slope.max() <= 1e-12:
            break
        used[int(np.argmax(slope))] = True
        while True:
            s = np.zeros(n)
            s[used] = np.linalg.lstsq(A[:, used], b, rcond=None)[0]
            if not (s[used] <= 0.0).any():
                break
            falling = used & (s <= 0.0)
            step = float(np.min(x[falling] / np.maximum(x[falling] - s[falling], 1e-300)))
            x = x + step * (s - x)
            used &= x > 1e-14
            x[~used] = 0.0
        x = s
    return x


def allocate(places: np.ndarray, directions: np.ndarray, able: np.ndarray) -> np.ndarray:
    """(thrusters, 12): thrust of each for a unit of each command; zeros where it cannot be made."""
    B = np.vstack([directions.T, np.cross(places, directions).T])
    units = np.hstack([np.eye(len(B)), -np.eye(len(B))])
    found = np.zeros((len(places), len(COMMANDS)))
    for k, unit in enumerate(units.T):
        found[able, k] = _allocate_one(B[:, able], unit)
    return found


def _allocate_one(B: np.ndarray, unit: np.ndarray) -> np.ndarray:
    if B.shape[1] == 0:
        return np.zeros(0)
    light = np.vstack([B, WEIGHT * np.ones((1, B.shape[1]))])
    for weighted in (light, B):
        x = solve_non_negative(weighted, np.append(unit, 0.0)[: len(weighted)])
        used = x > 0.0
        if used.any():
            x[used] = np.linalg.lstsq(B[:, used], unit, rcond=None)[0]
        if x.min() > -EXACT and np.abs(B @ x - unit).max() < EXACT:
            return np.maximum(x, 0.0)
    return np.zeros(B.shape[1])


USED = (
    "thrusters.rows",
    "thrusters.arm_m",
    "thrusters.plume_cone_deg",
    "navigation.axis",
    "navigation.docked_wxyz",
)  # keys that decide the rows: no campaign varies them


def make_thruster_rows(values: dict[str, Any]) -> np.ndarray:
    """The rows behind the vector (keys.THRUSTER), from a scenario's keys."""
    return _make_thruster_rows(json.dumps({key: values[key] for key in USED})).copy()


@functools.lru_cache(maxsize=16)  # checks and scenarios made of one another ask again and again
def _make_thruster_rows(used: str) -> np.ndarray:
    values = json.loads(used)
    given = values["thrusters.rows"]
    table = np.array(given, float) if len(given) else place_sixteen(values["thrusters.arm_m"])
    places, directions = table[:, :3], table[:, 3:]
    directions = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    off = _blows_at_target(directions, values)
    rows = np.zeros((len(table), THRUSTER.size))
    rows[:, THRUSTER.slice_of("place")] = places
    rows[:, THRUSTER.slice_of("direction")] = directions
    rows[:, THRUSTER.slice_of("far")] = allocate(places, directions, np.ones(len(table), bool))
    rows[:, THRUSTER.slice_of("near")] = allocate(places, directions, ~off)
    rows[:, THRUSTER.at.off] = off
    return rows


def _blows_at_target(directions: np.ndarray, values: dict[str, Any]) -> np.ndarray:
    """Which plumes (against the force) are within the cone about the docking direction."""
    from softdock.loop.spatial.arrays import matrix

    axis = np.asarray(values["navigation.axis"], float)
    towards = -matrix(np.asarray(values["navigation.docked_wxyz"], float)).T @ axis
    cosine = -directions @ (towards / np.linalg.norm(towards))
    return np.asarray(cosine > np.cos(np.radians(values["thrusters.plume_cone_deg"])))
