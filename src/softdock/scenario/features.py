"""Which loop a scenario needs: a plain one, or one with every feature. A batch needs what any of
its rows needs."""

from __future__ import annotations

import functools
from collections.abc import Iterable

import numpy as np

from softdock.core.command.laboratory import LABORATORY
from softdock.core.contact.pairs import MOST_PAIRS, PAIR
from softdock.core.machine.features import Every, Plain
from softdock.core.machine.vector import (
    CHASER_EXTERNAL_AT,
    CHASER_ROBOT_AT,
    LABORATORY_AT,
    METHODS_AT,
    PAIR_SIZE,
    PAIRS_AT,
    POSE_AT,
    TARGET_EXTERNAL_AT,
    TARGET_ROBOT_AT,
)
from softdock.core.robots.robot import ROBOT
from softdock.core.sensor.pose import POSE
from softdock.scenario.memory import any_accelerations, any_electronics


def features_of(vectors: np.ndarray) -> Plain | Every:
    """Of one parameter vector, or of rows of them."""
    at = ROBOT.at
    unsteady = [
        vectors[..., base + i]
        for base in (CHASER_ROBOT_AT, TARGET_ROBOT_AT)
        for i in (at.ramp, at.wobble, at.jitter, at.dropout, at.reach)
    ]
    pushed = [vectors[..., base + 1] for base in (CHASER_EXTERNAL_AT, TARGET_EXTERNAL_AT)]
    springs = [vectors[..., PAIRS_AT + i * PAIR_SIZE + PAIR.at.device] for i in range(MOST_PAIRS)]
    asked = [
        *unsteady,
        *pushed,
        *springs,
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


def features_with(vector: np.ndarray, swept: Iterable[int]) -> Plain | Every:
    """Of runs that differ from a vector in some columns, whatever values they take there."""
    return (
        Every(0)
        if _deciding().intersection(int(column) for column in swept)
        else features_of(vector)
    )
