"""How much memory a run needs: set-points, samples and poses kept, from the parameter vector."""

from __future__ import annotations

import numpy as np

from softdock.compile.shared_numbers import block_at
from softdock.loop.arms.robot_layout import arm_floats
from softdock.loop.contact.bristle import POSE_FLOATS, TIP_FLOATS
from softdock.loop.contact.keys import MOST_PAIRS, PAIR
from softdock.loop.contact.latch import LATCH_FLOATS
from softdock.loop.contact.pairs import PAIR_FLOATS
from softdock.loop.robots.keys import ARM_MODEL
from softdock.loop.robots.limited import ROBOT_FLOATS
from softdock.loop.robots.memory import JOINT_FLOATS
from softdock.loop.robots.robot import ROBOT
from softdock.loop.schedules import ENTRY
from softdock.loop.sensor.force_torque import ON_BOTH, SENSOR
from softdock.loop.sensor.mock_up import MOCK_UP
from softdock.loop.sensor.pose import POSE
from softdock.loop.spatial.motion import MOTION_FLOATS
from softdock.loop.vector import (
    CHASER_HAND_AT,
    CHASER_MOCK_UP_AT,
    CHASER_ROBOT_AT,
    MEMORY,
    MEMORY_AT,
    PAIR_SIZE,
    PAIRS_AT,
    PAIRS_MEM,
    POSE_AT,
    REPORT_FLOATS,
    SENSOR_AT,
    TARGET_HAND_AT,
    TARGET_MOCK_UP_AT,
    TARGET_ROBOT_AT,
    TIME,
    TIME_AT,
    WRENCH_FLOATS,
)

# keys that the shortest way through a sensor knows; any other makes it a sensor with electronics
EVERY_SENSOR = ("on", "period", "delay", "handover", "noise_force", "noise_torque", "threshold")


def longest_delay(vectors: np.ndarray, base: int) -> np.ndarray:
    """Upper bound of a robot's delay over the run [s]; `vectors`: one parameter vector, or a row a
    run."""
    at, duration = ROBOT.at, vectors[..., TIME_AT + TIME.at.duration]
    ramp, wobble, jitter = (vectors[..., base + i] for i in (at.ramp, at.wobble, at.jitter))
    delay = (
        vectors[..., base + at.delay]
        + vectors[..., base + at.computation]
        + vectors[..., base + at.transport]
    )
    return np.asarray(delay + np.maximum(ramp, 0.0) * duration + wobble + jitter)


def memory_sizes(vectors: np.ndarray) -> dict[str, int]:
    """Entries kept of set-points, force samples and poses, and the floats of `mem` they all take
    (without the methods').

    For one parameter vector, or for the most demanding row of a batch.
    """
    T = vectors[..., TIME_AT + TIME.at.cycle]

    def entries(seconds: np.ndarray, step: np.ndarray, extra: int) -> np.ndarray:
        return np.exp2(
            np.ceil(np.log2(np.ceil(seconds / step - 1e-9) + extra))
        )  # rings are powers of two

    longest = np.maximum(
        longest_delay(vectors, CHASER_ROBOT_AT), longest_delay(vectors, TARGET_ROBOT_AT)
    )
    slots = entries(
        longest, T, 4
    )  # the delay, the interval read, the one before it, and the newest
    period = vectors[..., SENSOR_AT + SENSOR.at.period]
    period = np.where(period > 0.0, period, T)
    late = vectors[..., SENSOR_AT + SENSOR.at.delay]
    latest = vectors[..., SENSOR_AT + SENSOR.at.handover] == 0.0
    samples = np.where(latest & (late == 0.0), 1, entries(late + T, period, 2))
    pose = vectors[..., POSE_AT : POSE_AT + POSE.size]
    poses = np.where(
        pose.any(axis=-1) | elastic(vectors),
        entries(pose[..., POSE.at.delay] + pose[..., POSE.at.period], T, 3),
        0,
    )
    # a reading is as old as its way and its hold; then the delay, and the interval that ends there
    commands = np.where(tools(vectors), entries(longest + late + 2.0 * period + T, T, 4), 0)
    pairs = vectors[..., MEMORY_AT + MEMORY.at.pair_count]
    latches = vectors[..., MEMORY_AT + MEMORY.at.latch_count]
    kept = (
        ("slots", slots),
        ("sample_slots", samples),
        ("pose_slots", poses),
        ("command_slots", commands),
    )
    most = {name: int(np.max(n)) for name, n in kept}
    most["robot_floats"] = (ROBOT_FLOATS if any_accelerations(vectors) else 0) + (
        JOINT_FLOATS if elastic(vectors).any() else 0
    )
    if any_arms(vectors):
        most["robot_floats"] = arm_floats(most["slots"])
    most["report_floats"] = (
        REPORT_FLOATS
        if most["robot_floats"] or most["pose_slots"] or any_electronics(vectors)
        else 0
    )
    most["tip_floats"] = int(np.max(tip_floats(vectors)))
    size = (
        PAIRS_MEM
        + int(np.max(pairs)) * PAIR_FLOATS
        + int(np.max(latches)) * LATCH_FLOATS
        + most["tip_floats"]
        + 2 * most["robot_floats"]
        + most["report_floats"]
    )
    size += (
        most["sample_slots"]
        * WRENCH_FLOATS
        * (2 if np.any(vectors[..., SENSOR_AT + SENSOR.at.on] == ON_BOTH) else 1)
    )
    motions = most["slots"] + most["pose_slots"] + most["command_slots"]
    return {**most, "size": size + 2 * motions * MOTION_FLOATS}


def tip_floats(vectors: np.ndarray) -> np.ndarray:
    """Floats of the tips' bristles, of all pairs where one has any."""
    pairs = vectors[..., PAIRS_AT : PAIRS_AT + MOST_PAIRS * PAIR_SIZE]
    pairs = pairs.reshape(*vectors.shape[:-1], MOST_PAIRS, PAIR_SIZE)
    number = vectors[..., MEMORY_AT + MEMORY.at.pair_count]
    is_there = np.arange(MOST_PAIRS) < number[..., None]
    tips = np.ones(is_there.shape)
    for address in np.unique(pairs[..., PAIR.at.tips]):
        if address != 0.0:
            tips[pairs[..., PAIR.at.tips] == address] = block_at(int(address))[0]
    floats = np.where(is_there, POSE_FLOATS + TIP_FLOATS * tips, 0.0).sum(axis=-1)
    bristles = (pairs[..., PAIR.at.real_bristle] > 0.0) | (pairs[..., PAIR.at.wanted_bristle] > 0.0)
    return np.asarray(np.where((bristles & is_there).any(axis=-1), floats, 0.0))


def any_accelerations(vectors: np.ndarray) -> bool:
    """Whether a robot plans, lags, yields or carries something heavy."""
    models = [vectors[..., base + ROBOT.at.model] for base in (CHASER_ROBOT_AT, TARGET_ROBOT_AT)]
    loads = [
        vectors[..., base : base + MOCK_UP.at.acceleration]
        for base in (CHASER_MOCK_UP_AT, TARGET_MOCK_UP_AT)
    ]
    return any(np.any(part) for part in (*models, *loads, elastic(vectors)))


def tools(vectors: np.ndarray) -> np.ndarray:
    """Whether a sensor carries a tool, or is believed to, of each row (mock_up.is_heavy)."""
    at = MOCK_UP.at
    loads = [
        vectors[..., base + i]
        for base in (CHASER_MOCK_UP_AT, TARGET_MOCK_UP_AT)
        for i in (at.mass, at.believed_mass, at.inertia, at.believed_inertia)
    ]
    return np.asarray(sum(loads) > 0.0)


def any_arms(vectors: np.ndarray) -> bool:
    """Whether a robot is an arm of six joints."""
    models = [vectors[..., base + ROBOT.at.model] for base in (CHASER_ROBOT_AT, TARGET_ROBOT_AT)]
    return any(bool(np.any(model == ARM_MODEL)) for model in models)


def elastic(vectors: np.ndarray) -> np.ndarray:
    """Whether a robot has an elastic joint, or an arm elastic joints, of each row."""
    at = (ROBOT.at.joint_stiffness, ROBOT.at.elastic_joints)
    keys = [base + i for base in (CHASER_ROBOT_AT, TARGET_ROBOT_AT) for i in at]
    return np.asarray((vectors[..., keys] > 0.0).any(axis=-1))


def any_electronics(vectors: np.ndarray) -> bool:
    """Whether a sensor is more than noise on the chaser's contact: another place, errors, filters,
    or a hand on a mock-up."""
    at = SENSOR.at
    columns = [
        SENSOR_AT + getattr(at, key.name) + i
        for key in SENSOR
        if key.name not in EVERY_SENSOR
        for i in range(key.size)
    ]
    electronics = vectors[..., columns]
    hands = [vectors[..., base + ENTRY.at.rows] for base in (CHASER_HAND_AT, TARGET_HAND_AT)]
    return any(np.any(part) for part in (vectors[..., SENSOR_AT + at.on], electronics, *hands))
