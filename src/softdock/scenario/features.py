"""Which loop a scenario needs: a plain one, or one with every feature. A batch needs what any of
its rows needs.

Where `SOFTDOCK_EVERY_FEATURE=1` is set, any list of methods that do anything gets every feature.
The tests set it: both loops give the same bits (tests/parity/test_features.py), and one less is
compiled for each list.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable

import numpy as np

from softdock.compile.features import SWITCH, Arms, Every, Markers, Plain, is_sparing
from softdock.loop.command import LABORATORY
from softdock.loop.contact.pairs import MOST_PAIRS, PAIR
from softdock.loop.method.hooks import any_external, any_reported_work
from softdock.loop.robots.robot import ROBOT
from softdock.loop.schedules import ENTRY
from softdock.loop.sensor.pose import POSE
from softdock.loop.tide import ORBIT
from softdock.loop.vector import (
    CHASER_EXTERNAL_AT,
    CHASER_ROBOT_AT,
    LABORATORY_AT,
    MAP,
    MEMORY_AT,
    METHODS_AT,
    ORBIT_AT,
    PAIR_SIZE,
    PAIRS_AT,
    POSE_AT,
    TARGET_EXTERNAL_AT,
    TARGET_ROBOT_AT,
)
from softdock.scenario.memory import any_accelerations, any_arms, any_electronics

Features = Plain | Every | Arms
__all__ = ["SWITCH", "features_of", "features_with", "markers_of", "markers_with"]


def markers_of(vectors: np.ndarray, methods: tuple) -> Markers:
    """What a loop is compiled with, for one parameter vector or for rows of them."""
    return Markers(_unless_switched(features_of(vectors), methods), methods)


def markers_with(vector: np.ndarray, swept: Iterable[int], methods: tuple) -> Markers:
    """Of runs that differ from a vector in some columns, whatever values they take there."""
    return Markers(_unless_switched(features_with(vector, swept), methods), methods)


def _unless_switched(features: Features, methods: tuple) -> Features:
    acts = any_reported_work(methods) or any_external(methods)
    return Every(0) if acts and is_sparing() and isinstance(features, Plain) else features


def features_of(vectors: np.ndarray) -> Features:
    """Of one parameter vector, or of rows of them."""
    if any_arms(vectors):
        return Arms(0)
    at = ROBOT.at
    unsteady = [
        vectors[..., base + i]
        for base in (CHASER_ROBOT_AT, TARGET_ROBOT_AT)
        for i in (at.ramp, at.wobble, at.jitter, at.dropout, at.reach)
    ]
    pushed = [
        vectors[..., base + ENTRY.at.rows] for base in (CHASER_EXTERNAL_AT, TARGET_EXTERNAL_AT)
    ]
    tide = [vectors[..., ORBIT_AT + i] for i in (ORBIT.at.altitude, ORBIT.at.mean_motion)]
    springs = [vectors[..., PAIRS_AT + i * PAIR_SIZE + PAIR.at.device] for i in range(MOST_PAIRS)]
    tips = [vectors[..., PAIRS_AT + i * PAIR_SIZE + PAIR.at.tips] for i in range(MOST_PAIRS)]
    rubbing = [
        vectors[..., PAIRS_AT + i * PAIR_SIZE + at]
        for i in range(MOST_PAIRS)
        for at in (PAIR.at.real_bristle, PAIR.at.wanted_bristle)
    ]
    asked = [
        *unsteady,
        *pushed,
        *tide,
        vectors[..., MEMORY_AT + MAP.latch_count],
        *springs,
        *tips,
        *rubbing,
        vectors[..., POSE_AT : POSE_AT + POSE.size],
        vectors[..., LABORATORY_AT + LABORATORY.at.mapping],
    ]
    if (
        any(np.any(part) for part in asked)
        or any_accelerations(vectors)
        or any_electronics(vectors)
    ):
        return Every(0)
    return Plain(0)


@functools.cache
def _deciding() -> frozenset[int]:
    """Columns of the vector that decide: those of which a single one that is not zero asks for
    every feature."""
    return frozenset(i for i in range(METHODS_AT) if isinstance(features_of(_one_at(i)), Every))


def _one_at(column: int) -> np.ndarray:
    vector = np.zeros(METHODS_AT)
    vector[column] = 1.0
    return vector


def features_with(vector: np.ndarray, swept: Iterable[int]) -> Features:
    """Of runs that differ from a vector in some columns, whatever values they take there."""
    found = features_of(vector)
    decided = _deciding().intersection(int(column) for column in swept)
    return Every(0) if decided and isinstance(found, Plain) else found
