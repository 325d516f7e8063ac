"""Which loop a scenario needs: a plain one, or one with every feature. A batch needs what any of its rows needs."""

from __future__ import annotations

import numpy as np

from softdock.command.laboratory import LABORATORY
from softdock.contact.pairs import MOST_PAIRS, PAIR
from softdock.features import Every, Plain
from softdock.layout import (
    CHASER_EXTERNAL_AT,
    CHASER_ROBOT_AT,
    LABORATORY_AT,
    PAIR_SIZE,
    PAIRS_AT,
    POSE_AT,
    TARGET_EXTERNAL_AT,
    TARGET_ROBOT_AT,
)
from softdock.robots.robot import ROBOT
from softdock.scenario.checks import any_accelerations, any_electronics
from softdock.sensor.pose import POSE


def features_of(vectors: np.ndarray) -> Plain | Every:
    """Of one parameter vector, or of rows of them."""
    at = ROBOT.at
    unsteady = [vectors[..., base + i] for base in (CHASER_ROBOT_AT, TARGET_ROBOT_AT) for i in (at.ramp, at.wobble, at.jitter, at.dropout, at.reach)]
    pushed = [vectors[..., base + 1] for base in (CHASER_EXTERNAL_AT, TARGET_EXTERNAL_AT)]
    springs = [vectors[..., PAIRS_AT + i * PAIR_SIZE + PAIR.at.device] for i in range(MOST_PAIRS)]
    asked = [*unsteady, *pushed, *springs, vectors[..., POSE_AT : POSE_AT + POSE.size], vectors[..., LABORATORY_AT + LABORATORY.at.mapping]]
    if any(np.any(part) for part in asked) or any_accelerations(vectors) or any_electronics(vectors):
        return Every(0)
    return Plain(0)
