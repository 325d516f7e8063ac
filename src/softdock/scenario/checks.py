"""Checks that need more than one key: the delay's range, the cone's radii, bodies apart at the
start, contacts the cycle can resolve."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from softdock.errors import Problem
from softdock.loop.contact.keys import LAW_KEYS, PAIR, SHAPE_KEYS
from softdock.loop.contact.laws import LAWS, law_named
from softdock.loop.contact.models import GEOMETRIES, SHAPE_MODELS, shape_named
from softdock.loop.robots.models import robot_model_named
from softdock.loop.robots.robot import ROBOT
from softdock.loop.sensor.force_torque import SENSOR
from softdock.loop.sensor.mock_up import MOCK_UP
from softdock.loop.sensor.pose import POSE
from softdock.loop.spatial.rigid_body import BODY
from softdock.loop.vector import (
    CHASER_AT,
    CHASER_MOCK_UP_AT,
    CHASER_ROBOT_AT,
    MEMORY,
    MEMORY_AT,
    PAIRS_AT,
    POSE_AT,
    SENSOR_AT,
    TARGET_AT,
    TARGET_MOCK_UP_AT,
    TARGET_ROBOT_AT,
    TIME,
    TIME_AT,
)
from softdock.methods.registry import METHODS
from softdock.scenario.contact_times import contact_duration, lasting
from softdock.scenario.device import device_stiffness
from softdock.scenario.latch_checks import check_latches
from softdock.scenario.memory import longest_delay
from softdock.scenario.orbit_frame import check_orbit, far_start

MOST_SAMPLES = 1000  # of a sensor in one cycle
MOST_KEPT = 1_000_000  # samples of a sensor that have not arrived yet
MOST_SLOTS = 1024  # set-points kept per robot: the largest history
# rad a plant step, of the moving mass on the contact: beyond, the steps would not follow it (at 2
# they diverge)
COARSEST_YIELD = 0.5
# of the stiffest direction: a device softer than this in some direction does not hold its tip
SOFTEST = 1e-9
SQUARE = 0.02  # rad; `across` is no nearer to the axis
RESOLVED_CYCLES, UNRESOLVED_CYCLES = (
    8.0,
    1.6,
)  # cycles in a contact: below the first a warning, below the second refused


class Scenario(Protocol):
    """What is checked: the resolved tables and the vector."""

    tables: dict[str, Any]
    vector: np.ndarray


@np.errstate(all="ignore")
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
    check_orbit(scenario.tables, refuse)
    if scenario.tables["laboratory"]["mapping"] == "nominal":
        for body, hand in scenario.tables["hand"].items():
            if len(hand["rows"]) > 0:
                refuse(f"hand.{body}", "rows", "none, with laboratory.mapping = nominal")
    pairs = int(vector[MEMORY_AT + MEMORY.at.pair_count])
    for i in range(pairs):
        _check_shape(vector, i, refuse)
        _check_device(vector, i, refuse)
        _check_tips(scenario.tables, i, refuse)
    capture = scenario.tables["capture"]
    if capture["for_s"] > 0.0 and capture["pair"] >= pairs:
        refuse("capture.pair", capture["pair"], f"a contact pair that is there, below {pairs}")
    _check_seat(scenario.tables, refuse)
    latch_warnings = check_latches(scenario, pairs, refuse)
    warnings = _check_compensation(scenario, refuse) + far_start(scenario.tables)
    if problems:
        return problems, []
    return problems, warnings + latch_warnings + _check_resolved(scenario, pairs, refuse)


def _check_seat(tables: dict[str, Any], refuse: Callable[..., None]) -> None:
    """A set of tips is at no distance from a shape that would make it docked."""
    capture = tables["capture"]
    asked = [capture["pair"]] if capture["for_s"] > 0.0 else []
    asked += [latch["pair"] for latch in capture.get("latch", [])]
    sets = [i for i in asked if i < len(tables["contact"]) and tables["contact"][i].get("tips")]
    if sets and capture["seat"] == "shape":
        allowed = f'"place", with place_m: contact.{sets[0]} has a set of tips'
        refuse("capture.seat", capture["seat"], allowed)


def check_rates(vector: np.ndarray, refuse: Callable[..., None]) -> None:
    """Work per cycle is bounded: a sensor that samples a million times a cycle would never end."""
    T = vector[TIME_AT + TIME.at.cycle]
    for name, base, at in (("sensor", SENSOR_AT, SENSOR.at), ("pose", POSE_AT, POSE.at)):
        period, delay = vector[base + at.period], vector[base + at.delay]
        if period == 0.0:
            period = T
        given = _as_given(1e3 * period)
        if MOST_SAMPLES * period < T:
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
    finders = [
        (entry["name"], entry[key])
        for entry in tables["methods"]
        if (key := METHODS[entry["name"]].contact_key)
    ]
    for body in ("chaser", "target"):
        mock_up, robot, key = (
            tables["mock_up"][body],
            tables["robots"][body],
            f"mock_up.{body}.believed.acceleration",
        )
        mass = float(mock_up["mass_kg"])
        if (
            mass == 0.0
            or not robot_model_named(robot["model"]).words  # late, and nothing else
            or mock_up["believed"]["acceleration"] != "commanded"
        ):
            continue
        wrong = f"the {body}'s robot ({robot['model']}) does not do what is commanded"
        most = mass * robot_model_named(robot["model"]).strongest(robot)
        finder = next(
            (name for name, N in finders if max(N, tables["sensor"]["threshold_N"]) < most), ""
        )
        if finder:
            size = (
                f", so up to {most:.3g} N would be taken for a contact"
                if most < np.inf
                else ", and what is wrong would be taken for a contact"
            )
            refuse(key, "commanded", f"measured, with the method {finder}: {wrong}{size}")
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
        first = pair + PAIR.at.real_law
        k = lasting(vector, int(vector[first]), first) or vector[first + LAW_KEYS.stiffness]
        turn = max(step * math.sqrt(k / mass), step * vector[pair + PAIR.at.real_damping] / mass)
        if turn > COARSEST_YIELD:
            steps = math.ceil(vector[TIME_AT + TIME.at.plant_steps] * turn / COARSEST_YIELD)
            refuse(
                "time.plant_steps",
                int(vector[TIME_AT + TIME.at.plant_steps]),
                f"at least {steps}: contact.{i} moves the {mass:g} kg behind the joint",
            )


def _check_shape(vector: np.ndarray, i: int, refuse: Callable[..., None]) -> None:
    base = PAIRS_AT + i * PAIR.size
    geometry = int(vector[base + PAIR.at.geometry])
    keys = PAIR(vector, base)
    if GEOMETRIES[geometry] == "box" or keys.petals > 0.0:
        axis, across = (np.asarray(a) / np.linalg.norm(a) for a in (keys.axis, keys.across))
        if np.linalg.norm(np.cross(axis, across)) < SQUARE:
            refuse(f"contact.{i}.across", across.tolist(), "another direction than the axis")
    problems = SHAPE_MODELS[geometry].problems
    if problems is not None:
        for key, value, allowed in problems(vector, base + SHAPE_KEYS[geometry]):
            refuse(f"contact.{i}.{key}", value, allowed)


def _check_device(vector: np.ndarray, i: int, refuse: Callable[..., None]) -> None:
    base, at = PAIRS_AT + i * PAIR.size, PAIR.at
    K = device_stiffness(vector, i)
    if K is None:
        return
    holds = bool(np.isfinite(K).all())
    if holds:
        softest, _, stiffest = np.linalg.eigvalsh(K)
        holds = softest >= SOFTEST * stiffest
    if not holds:
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


def _check_tips(tables: dict[str, Any], i: int, refuse: Callable[..., None]) -> None:
    """What a set of tips can touch, and who can use it."""
    pair, key = tables["contact"][i], f"contact.{i}.tips"
    if not pair.get("tips"):
        return
    given = f"{len(pair['tips'])} tips"
    if shape_named(pair["geometry"]).is_sided:
        refuse(key, given, f"one tip against a {pair['geometry']}, or its mesh in its place")
    for side in ("real", "wanted"):
        law = pair[side]["law"]
        if law in LAWS and not (law_named(law).is_linear or law_named(law).graded):
            refuse(key, given, f"one tip with the law {law}, or a law of one stiffness")
    if pair.get("device", {}).get("model", "rigid") != "rigid":
        refuse(key, given, 'one tip on springs, or device.model = "rigid"')
    for entry in tables["methods"]:
        if any(one.kind == "contacts" for one in METHODS[entry["name"]].group):
            refuse(key, given, f"one tip a pair, for the method {entry['name']}")


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
