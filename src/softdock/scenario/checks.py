"""Checks that need more than one key: the delay's range, the cone's radii, bodies apart at the
start, contacts the cycle can resolve."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from softdock.core.contact.compliance import in_series
from softdock.core.contact.laws import HUNT_CROSSLEY, TABLE
from softdock.core.contact.pairs import CONE, PAIR, PAIR_FLOATS, SAME_AS_REAL
from softdock.core.machine.vector import (
    CHASER_AT,
    CHASER_HAND_AT,
    CHASER_MOCK_UP_AT,
    CHASER_ROBOT_AT,
    MEMORY,
    MEMORY_AT,
    PAIRS_AT,
    PAIRS_MEM,
    POSE_AT,
    REPORT_FLOATS,
    SENSOR_AT,
    TARGET_AT,
    TARGET_HAND_AT,
    TARGET_MOCK_UP_AT,
    TARGET_ROBOT_AT,
    TIME,
    TIME_AT,
    WRENCH_FLOATS,
)
from softdock.core.robots.joint import JOINT_FLOATS
from softdock.core.robots.limited import ROBOT_FLOATS
from softdock.core.robots.robot import ROBOT
from softdock.core.sensor.force_torque import ON_BOTH, SENSOR
from softdock.core.sensor.mock_up import MOCK_UP
from softdock.core.sensor.pose import POSE
from softdock.core.spatial.motion import MOTION_FLOATS
from softdock.core.spatial.rigid_body import BODY
from softdock.errors import Problem
from softdock.scenario.device import device_stiffness

MOST_SAMPLES = 1000  # of a sensor in one cycle
MOST_KEPT = 1_000_000  # samples of a sensor that have not arrived yet
MOST_SLOTS = 1024  # set-points kept per robot: the largest history
# rad a plant step, of the moving mass on the contact: beyond, the steps would not follow it (at 2
# they diverge)
COARSEST_YIELD = 0.5
# of the stiffest direction: a device softer than this in some direction does not hold its tip
SOFTEST = 1e-9
RESOLVED_CYCLES, UNRESOLVED_CYCLES = (
    8.0,
    1.6,
)  # cycles in a contact: below the first a warning, below the second refused


class Scenario(Protocol):
    """What is checked: the resolved tables and the vector."""

    tables: dict[str, Any]
    vector: np.ndarray


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
    pairs = vectors[..., MEMORY_AT + MEMORY.at.pair_count]
    kept = (("slots", slots), ("sample_slots", samples), ("pose_slots", poses))
    most = {name: int(np.max(n)) for name, n in kept}
    most["robot_floats"] = (ROBOT_FLOATS if any_accelerations(vectors) else 0) + (
        JOINT_FLOATS if elastic(vectors).any() else 0
    )
    most["report_floats"] = (
        REPORT_FLOATS
        if most["robot_floats"] or most["pose_slots"] or any_electronics(vectors)
        else 0
    )
    size = (
        PAIRS_MEM
        + int(np.max(pairs)) * PAIR_FLOATS
        + 2 * most["robot_floats"]
        + most["report_floats"]
    )
    size += (
        most["sample_slots"]
        * WRENCH_FLOATS
        * (2 if np.any(vectors[..., SENSOR_AT + SENSOR.at.on] == ON_BOTH) else 1)
    )
    return {**most, "size": size + 2 * (most["slots"] + most["pose_slots"]) * MOTION_FLOATS}


def any_accelerations(vectors: np.ndarray) -> bool:
    """Whether a robot plans, lags, yields or carries something heavy."""
    models = [vectors[..., base + ROBOT.at.model] for base in (CHASER_ROBOT_AT, TARGET_ROBOT_AT)]
    loads = [
        vectors[..., base : base + MOCK_UP.at.acceleration]
        for base in (CHASER_MOCK_UP_AT, TARGET_MOCK_UP_AT)
    ]
    return any(np.any(part) for part in (*models, *loads, elastic(vectors)))


def elastic(vectors: np.ndarray) -> np.ndarray:
    """Whether a robot has an elastic joint, of each row."""
    at = ROBOT.at.joint_stiffness
    return np.asarray(
        (vectors[..., CHASER_ROBOT_AT + at] > 0.0) | (vectors[..., TARGET_ROBOT_AT + at] > 0.0)
    )


def any_electronics(vectors: np.ndarray) -> bool:
    """Whether a sensor is more than noise on the chaser's contact: another place, errors, filters,
    or a hand on a mock-up."""
    at = SENSOR.at
    electronics = vectors[..., SENSOR_AT + at.bias_force : SENSOR_AT + at.threshold]
    hands = [vectors[..., base + 1] for base in (CHASER_HAND_AT, TARGET_HAND_AT)]
    return any(np.any(part) for part in (vectors[..., SENSOR_AT + at.on], electronics, *hands))


def check_scenario(
    scenario: Scenario, locate: Callable[[str], str]
) -> tuple[list[Problem], list[str]]:
    """All problems and warnings of a scenario whose single values are in range."""
    vector = scenario.vector
    problems: list[Problem] = []

    def refuse(key: str, value: object, allowed: str) -> None:
        problems.append(Problem(key, value, allowed, locate(key)))

    for name, base in (("robots.chaser", CHASER_ROBOT_AT), ("robots.target", TARGET_ROBOT_AT)):
        _check_delay(vector, base, name, refuse)
        _check_joint(vector, base, name, refuse)
    check_rates(vector, refuse)
    if vector[TIME_AT + TIME.at.duration] < vector[TIME_AT + TIME.at.cycle]:
        refuse("time.duration_s", float(vector[TIME_AT + TIME.at.duration]), "at least one cycle")
    if vector[CHASER_AT + BODY.at.fixed] and vector[TARGET_AT + BODY.at.fixed]:
        refuse("target.fixed", True, "false, when the chaser is fixed: one body must move")
    pairs = int(vector[MEMORY_AT + MEMORY.at.pair_count])
    for i in range(pairs):
        _check_cone(vector, i, refuse)
        _check_device(vector, i, refuse)
    warnings = _check_compensation(scenario, refuse)
    if problems:
        return problems, []
    return problems, warnings + _check_resolved(scenario, pairs, refuse)


def check_rates(vector: np.ndarray, refuse: Callable[..., None]) -> None:
    """Work per cycle is bounded: a sensor that samples a million times a cycle would never end."""
    T = vector[TIME_AT + TIME.at.cycle]
    for name, base, at in (("sensor", SENSOR_AT, SENSOR.at), ("pose", POSE_AT, POSE.at)):
        period, delay = vector[base + at.period], vector[base + at.delay]
        if period == 0.0:
            period = T
        given = _as_given(1e3 * period)
        if T > MOST_SAMPLES * period:
            shortest = f"at least {1e3 * T / MOST_SAMPLES:g}: {MOST_SAMPLES} samples a cycle"
            refuse(f"{name}.period_ms", given, f"{shortest}, or 0 for one")
        elif delay + T > MOST_KEPT * period:
            kept = f"at most {MOST_KEPT} samples that are under way at once"
            refuse(f"{name}.delay_ms", _as_given(1e3 * delay), kept)


def _check_compensation(scenario: Scenario, refuse: Callable[..., None]) -> list[str]:
    """A mock-up's inertia, compensated with the acceleration that was commanded, on a robot that
    does not do what is commanded."""
    warnings: list[str] = []
    tables = scenario.tables
    remapping = [entry for entry in tables["methods"] if entry["name"] == "remapping"]
    for body in ("chaser", "target"):
        mock_up, robot, key = (
            tables["mock_up"][body],
            tables["robots"][body],
            f"mock_up.{body}.believed.acceleration",
        )
        mass = float(mock_up["mass_kg"])
        if (
            mass == 0.0
            or robot["model"] == "delay"
            or mock_up["believed"]["acceleration"] != "commanded"
        ):
            continue
        wrong = f"the {body}'s robot ({robot['model']}) does not do what is commanded"
        most = mass * robot["max_acceleration_m_per_s2"] if robot["model"] == "limited" else np.inf
        if any(
            max(entry["threshold_N"], tables["sensor"]["threshold_N"]) < most for entry in remapping
        ):
            size = (
                f", so up to {most:.3g} N would be taken for a contact"
                if most < np.inf
                else ", and what is wrong would be taken for a contact"
            )
            refuse(key, "commanded", f"measured, with the method remapping: {wrong}{size}")
        else:
            warnings.append(
                f"{key}: {wrong}, so the mock-up's inertia is compensated wrongly; measured "
                "would know"
            )
    return warnings


def _as_given(value: float) -> float:
    """A number back in the user's unit, without the dust of the conversion."""
    return float(f"{value:.12g}")


def _check_delay(vector: np.ndarray, base: int, name: str, refuse: Callable[..., None]) -> None:
    at, duration = ROBOT.at, vector[TIME_AT + TIME.at.duration]
    ramp, wobble = vector[base + at.ramp], vector[base + at.wobble]
    delay = vector[base + at.delay] + vector[base + at.computation] + vector[base + at.transport]
    shortest = delay + min(ramp, 0.0) * duration - wobble
    if shortest < 0.0:
        refuse(
            f"{name}.delay_ms",
            _as_given(1e3 * delay),
            "a delay that never falls below 0; with ramp and wobble this one reaches "
            f"{1e3 * shortest:.4g} ms",
        )
    if vector[base + at.jitter] >= vector[TIME_AT + TIME.at.cycle]:
        refuse(
            f"{name}.delay_jitter_ms",
            _as_given(1e3 * vector[base + at.jitter]),
            "less than one cycle: beyond, set-points would overtake each other",
        )
    if abs(ramp) + wobble * 2.0 * math.pi * vector[base + at.wobble_frequency] >= 1.0:
        refuse(
            f"{name}.delay_wobble_ms",
            _as_given(1e3 * wobble),
            "a delay that changes by less than 1 s per s: faster, the robot would run "
            "backwards in time",
        )
    slots = (
        math.ceil(float(longest_delay(vector, base)) / vector[TIME_AT + TIME.at.cycle] - 1e-9) + 4
    )
    if slots > MOST_SLOTS:
        refuse(
            f"{name}.delay_ms",
            _as_given(1e3 * delay),
            f"a delay of at most {MOST_SLOTS - 4} cycles, the largest history; this one "
            f"reaches {slots - 4} cycles",
        )


def _check_joint(vector: np.ndarray, base: int, name: str, refuse: Callable[..., None]) -> None:
    """A mass behind the joint, no lighter than the mock-up; and a plant step that resolves how a
    contact moves it."""
    at, mass = ROBOT.at, vector[base + ROBOT.at.moving_mass]
    if vector[base + at.joint_stiffness] == 0.0:
        return
    carried = vector[
        (CHASER_MOCK_UP_AT if base == CHASER_ROBOT_AT else TARGET_MOCK_UP_AT) + MOCK_UP.at.mass
    ]
    if mass == 0.0 or mass < carried:
        refuse(
            f"{name}.moving_mass_kg",
            float(mass),
            f"> 0 and at least the mock-up's {carried:g} kg, with an elastic joint",
        )
        return
    step = vector[TIME_AT + TIME.at.cycle] / vector[TIME_AT + TIME.at.plant_steps]
    for i in range(int(vector[MEMORY_AT + MEMORY.at.pair_count])):
        pair = PAIRS_AT + i * PAIR.size
        table = int(vector[pair + PAIR.at.real_law]) == TABLE
        k = (
            _steepest(vector, pair + PAIR.at.real_table)
            if table
            else vector[pair + PAIR.at.real_stiffness]
        )
        turn = max(step * math.sqrt(k / mass), step * vector[pair + PAIR.at.real_damping] / mass)
        if turn > COARSEST_YIELD:
            steps = math.ceil(vector[TIME_AT + TIME.at.plant_steps] * turn / COARSEST_YIELD)
            refuse(
                "time.plant_steps",
                int(vector[TIME_AT + TIME.at.plant_steps]),
                f"at least {steps}: contact.{i} moves the {mass:g} kg behind the joint",
            )


def _check_cone(vector: np.ndarray, i: int, refuse: Callable[..., None]) -> None:
    base, at = PAIRS_AT + i * PAIR.size, PAIR.at
    if (
        int(vector[base + at.geometry]) == CONE
        and vector[base + at.bottom_radius] >= vector[base + at.mouth_radius]
    ):
        refuse(
            f"contact.{i}.bottom_radius_m",
            float(vector[base + at.bottom_radius]),
            f"less than mouth_radius_m = {vector[base + at.mouth_radius]:g}",
        )


def _check_device(vector: np.ndarray, i: int, refuse: Callable[..., None]) -> None:
    base, at = PAIRS_AT + i * PAIR.size, PAIR.at
    K = device_stiffness(vector, i)
    if K is None:
        return
    stiffnesses = np.linalg.eigvalsh(K)
    if stiffnesses[0] < SOFTEST * stiffnesses[2]:
        directions = vector[base + at.spring_1 : base + at.spring_1 + 12].reshape(4, 3).tolist()
        refuse(
            f"contact.{i}.device.direction_1",
            directions,
            "four springs that hold the tip in all three directions",
        )
    if vector[base + at.real_friction] > 0.0:
        refuse(
            f"contact.{i}.real.friction",
            float(vector[base + at.real_friction]),
            "0, on a tip held by springs: it slides without friction",
        )
    if vector[base + at.real_stiffness] == 0.0:
        refuse(
            f"contact.{i}.real.stiffness_N_per_m",
            0.0,
            "> 0: the surface that the springs press against",
        )


def contact_duration(vector: np.ndarray, i: int) -> float:
    """Half a period of a pair's spring on the bodies' effective mass at the tip, at its smallest
    over directions [s]; inf if not a spring."""
    base, at = PAIRS_AT + i * PAIR.size, PAIR.at
    law, k = int(vector[base + at.real_law]), vector[base + at.real_stiffness]
    if law == TABLE:
        k = _steepest(vector, base + at.real_table)
    if law == HUNT_CROSSLEY or k == 0.0:
        return math.inf
    K = device_stiffness(vector, i)
    if K is not None:
        k = float(in_series(k, np.linalg.eigvalsh(K)[2]))
    wanted = int(vector[base + at.wanted_law])
    if wanted == TABLE + 1:
        k = max(k, _steepest(vector, base + at.wanted_table))
    elif wanted not in (SAME_AS_REAL, HUNT_CROSSLEY + 1):  # its stiffness is no N/m
        k = max(k, vector[base + at.wanted_stiffness])
    mobility = 0.0
    for body, arm in (
        (CHASER_AT, vector[base + at.tip : base + at.tip + 3]),
        (TARGET_AT, vector[base + at.origin : base + at.origin + 3]),
    ):
        if not vector[body + BODY.at.fixed]:
            mobility += 1.0 / vector[body + BODY.at.mass : body + BODY.at.mass + 3].min()
            xx, yy, zz, xy, xz, yz = vector[body + BODY.at.inertia : body + BODY.at.inertia + 6]
            smallest = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])[0]
            mobility += float(arm @ arm) / smallest
    return math.pi / math.sqrt(k * mobility)


def _steepest(vector: np.ndarray, at: int) -> float:
    """Largest slope of a tabulated law [N/m]."""
    first, rows = int(vector[at]), int(vector[at + 1])
    table = vector[first : first + 3 * rows].reshape(rows, 3)
    return float((np.diff(table[:, 1]) / np.diff(table[:, 0])).max())


def _check_resolved(scenario: Scenario, pairs: int, refuse: Callable[..., None]) -> list[str]:
    warnings = []
    T = scenario.vector[TIME_AT + TIME.at.cycle]
    for i in range(pairs):
        cycles = contact_duration(scenario.vector, i) / T
        key = f"contact.{i}.real.stiffness_N_per_m"
        if cycles < UNRESOLVED_CYCLES and not scenario.tables["allow_unresolved"]:
            k = scenario.vector[PAIRS_AT + i * PAIR.size + PAIR.at.real_stiffness]
            refuse(
                key,
                float(k),
                f"a contact of at least {UNRESOLVED_CYCLES} cycles (this one may last "
                f"{cycles:.2g}), or allow_unresolved = true",
            )
        elif cycles < RESOLVED_CYCLES:
            warnings.append(
                f"{key}: a contact may last only {cycles:.2g} cycles; below "
                f"{RESOLVED_CYCLES:g} the sampling shows in the result"
            )
    return warnings
