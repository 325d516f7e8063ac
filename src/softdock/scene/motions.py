"""Tracks of the bodies, and orbit's beside them, in one world.

Out: tracks at the chosen rows. Orbit is laid where the target is: only the motion of the chaser
relative to the target says how far a run is from orbit, whichever robot carries it. The ghost's
differences, of position [m] and of attitude [rad], are multiplied by a factor that is stated.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from softdock.core.spatial.arrays import (
    continuous,
    exponential,
    inverse,
    product,
    rotate,
    rotation_vector,
)
from softdock.scene.model import Track

FACTORS = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)  # of exaggeration
Series = Mapping[str, np.ndarray]


class Relative(NamedTuple):
    """The chaser as the target sees it."""

    position: np.ndarray  # (n, 3) m, target axes
    attitude: np.ndarray  # (n, 4) target from chaser


def track_of(series: Series, name: str, rows: np.ndarray) -> Track:
    """A recorded body."""
    attitude = np.asarray(series[f"{name}.attitude"])[rows]
    return Track(np.asarray(series[f"{name}.position"])[rows], continuous(attitude))


def seen_from(chaser: Track, target: Track) -> Relative:
    back = inverse(target.attitude)
    away = rotate(back, chaser.position - target.position)
    return Relative(away, product(back, chaser.attitude))


def laid_at(seen: Relative, target: Track) -> Track:
    """The inverse of `seen_from`."""
    position = target.position + rotate(target.attitude, seen.position)
    return Track(position, continuous(product(target.attitude, seen.attitude)))


def blended(series: Series, name: str, time: np.ndarray) -> Track:
    """A recorded body at other instants; after its record has ended, where it was last."""
    own = np.asarray(series["time"])
    position, attitude = (np.asarray(series[f"{name}.{key}"]) for key in ("position", "attitude"))
    attitude = continuous(attitude)
    columns = [np.interp(time, own, column) for column in (*position.T, *attitude.T)]
    q = np.stack(columns[3:], axis=1)
    return Track(np.stack(columns[:3], axis=1), q / np.linalg.norm(q, axis=1, keepdims=True))


def factor_for(rig: Relative, orbit: Relative, scale: float) -> float:
    """The largest factor with which the differences stay within half the size of what touches."""
    largest = float(np.linalg.norm(orbit.position - rig.position, axis=1).max())
    fitting = [factor for factor in FACTORS if factor * largest <= 0.5 * scale]
    return max(fitting, default=1.0)


def exaggerated(rig: Relative, orbit: Relative, factor: float) -> Relative:
    """Where orbit has the chaser, with its differences from the rig multiplied."""
    position = rig.position + factor * (orbit.position - rig.position)
    turn = rotation_vector(product(inverse(rig.attitude), orbit.attitude))
    return Relative(position, product(rig.attitude, exponential(factor * turn)))
