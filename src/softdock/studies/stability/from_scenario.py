"""A scenario as the loops of its contact pairs: effective mass along the normals it can reach,
linear contact, robots, sensor, hold, virtual contact."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from softdock._arguments import check_arguments, finite_number, instance_of, one_of, optional
from softdock.errors import BadInput, Problem
from softdock.loop.contact.drawing import Flight, Place
from softdock.loop.contact.laws import LAW_MODELS, law_named
from softdock.loop.contact.models import shape_named
from softdock.loop.robots.models import robot_model_named
from softdock.loop.spatial.arrays import matrix
from softdock.methods.registry import METHODS
from softdock.reference import run_reference
from softdock.results.faults import describe_faults
from softdock.scenario.build import Scenario
from softdock.scenario.device import reachable_stiffness
from softdock.studies.stability.effective_mass import (
    FreeBody,
    rotation_mobility,
    translation_mobility,
)
from softdock.studies.stability.loop import Loop, Robot, check_loop

# Where a contact pair can touch, and with which normal: from a scenario's tables, at the bodies'
# attitudes at the start.
#
# Which places those are the shape says itself (core/shapes): a wall has one normal, a sphere those
# of the half that faces the tip, a cone those of its inner wall and of its bottom plate. Positions
# from the target's centre of mass, all in world axes.


def compute_tip_motion(
    tables: dict[str, Any], pair: dict[str, Any]
) -> tuple[np.ndarray, np.ndarray]:
    """The tip's centre from the target's centre of mass at t = 0, and its velocity seen from the
    target, world axes [m, m/s]."""
    c, t = tables["chaser"], tables["target"]
    R_c, R_t = matrix(c["attitude_wxyz"]), matrix(t["attitude_wxyz"])
    arm = R_c @ np.asarray(pair["tip_m"], float)
    at = np.asarray(c["position_m"], float) - np.asarray(t["position_m"], float) + arm
    v = np.asarray(c["velocity_m_per_s"], float) + np.cross(
        R_c @ np.asarray(c["rate_rad_per_s"], float), arm
    )
    v = (
        v
        - np.asarray(t["velocity_m_per_s"], float)
        - np.cross(R_t @ np.asarray(t["rate_rad_per_s"], float), at)
    )
    return at, v


def list_reachable_places(tables: dict[str, Any], pair: dict[str, Any]) -> list[Place]:
    """Every place where the pair may touch; for surfaces with many normals, sampled."""
    R = matrix(tables["target"]["attitude_wxyz"])
    axis = np.asarray(pair["axis"], float)
    start, velocity = compute_tip_motion(tables, pair)
    flight = Flight(
        origin=np.asarray(pair["origin_m"], float),
        axis=axis / np.linalg.norm(axis),
        start=R.T @ start,
        velocity=R.T @ velocity,
        radius=float(pair["tip_radius_m"]),
    )
    places = shape_named(pair["geometry"]).drawing.places(pair, flight)
    return [Place(R @ place.normal, R @ place.tip) for place in places]


# A contact law as a spring and a damper at a depth: itself for the linear laws, the tangent at a
# stated depth for the others.

SLOWEST = 0.01  # m/s; the approach that is assumed where a scenario has none


class Linear(NamedTuple):
    stiffness: float  # N/m
    damping: float  # Ns/m
    law: str  # of a one-sided impact
    note: str  # what was linearised, and where; empty: nothing


def linearise(
    law: dict[str, Any], key: str, mass: float, speed: float, depth: float | None
) -> Linear:
    """Spring and damper of a law. Non-linear ones at `depth` [m], or at the depth where the
    approach at `speed` [m/s] would stop without losses."""
    chosen = law_named(law["law"])
    if chosen.tangent is None:
        able = ", ".join(one.name for one in LAW_MODELS if one.tangent is not None)
        raise BadInput(Problem(f"{key}.law", law["law"], f"a law that can be linearised: {able}"))
    stiffness, damping, reached = chosen.tangent(law, mass, speed, depth)
    if math.isnan(reached):  # a spring and a damper at every depth
        one_sided = chosen.name if chosen.pulls else "spring_damper"
        found = Linear(stiffness, damping, one_sided, "")
    else:
        note = (
            f"{chosen.name}, {chosen.linearised} {1e3 * reached:.4g} "
            f"mm{_explain_linearisation(depth, speed)}"
        )
        found = Linear(stiffness, damping, "spring_damper", note)
    if not found.stiffness > 0.0:
        raise BadInput(
            Problem(
                f"{key}.stiffness_N_per_m",
                found.stiffness,
                "a number > 0 [N/m]; without stiffness there is no contact to be stable",
            )
        )
    return found


def _explain_linearisation(depth: float | None, speed: float) -> str:
    return "" if depth is not None else f", where an approach at {1e3 * speed:.4g} mm/s would stop"


def compute_approach_speed(velocity: np.ndarray, normal: np.ndarray) -> float:
    """Speed along the normal [m/s], or all of it, or the slowest assumed."""
    along = abs(float(velocity @ normal))
    for speed in (along, float(np.linalg.norm(velocity))):
        if speed > 1e-9 and math.isfinite(speed):
            return speed
    return SLOWEST


NAMES = ("chaser", "target")


@dataclass(frozen=True)
class OperatingPoint:
    """One contact pair of a scenario. The loop has the smallest effective mass: the one that is the
    least stable."""

    name: str  # contact.0
    loop: Loop
    normal: tuple[float, float, float]  # of the smallest effective mass, world axes
    mass_range_kg: tuple[float, float]  # over the normals that can be reached
    notes: tuple[str, ...]  # what was assumed or left out


TILT_DEG = 10.0  # from its attitude at the start, within which a chaser meets its compliance device
AT_START, AT_TOUCH = PLACES = ("start", "touch")


def turns(scenario: Any) -> bool:
    """Whether a body turns at the start."""
    bodies = (scenario.tables[name] for name in NAMES)
    return any(np.any(body["rate_rad_per_s"]) for body in bodies if not body["fixed"])


def move_to_first_touch(scenario: Any) -> tuple[Any, str]:
    """The scenario with the bodies as the reference has them in the last cycle before its first
    touch, and what is to be said of that; as it is where nothing touches."""
    found = run_reference(scenario)
    if not found.contacts:
        return scenario, "the reference never touches: analysed at the attitudes of the start"
    start, T = found.contacts[0]["start_s"], 1e-3 * scenario.tables["time"]["cycle_ms"]
    k = max(math.ceil(start / T - 1e-9) - 1, 0)
    changes: dict[str, Any] = {}
    said = []
    for name in NAMES:
        attitude = found.series[f"{name}.attitude"]
        for key, channel in (
            ("position_m", "position"),
            ("attitude_wxyz", "attitude"),
            ("velocity_m_per_s", "velocity"),
            ("rate_rad_per_s", "rate"),
        ):
            changes[f"{name}.{key}"] = [float(x) for x in found.series[f"{name}.{channel}"][k]]
        turn = 2.0 * math.acos(min(1.0, abs(float(attitude[0] @ attitude[k]))))
        said.append(f"the {name} by {math.degrees(turn):.4g} deg")
    note = (
        f"analysed at the attitudes of the first touch, {start:.4g} s after the start; until then "
        f"{' and '.join(said)} from where it was"
    )
    return scenario.replace(changes), note


@check_arguments(
    scenario=instance_of("a Scenario", Scenario),
    depth=optional(finite_number(0.0, above=True)),
    tilt_deg=finite_number(0.0),
    at=one_of(*PLACES),
)
def loops_of(
    scenario: Any, depth: float | None = None, tilt_deg: float = TILT_DEG, at: str = AT_START
) -> list[OperatingPoint]:
    """One operating point a pair, and one for all pairs at once if there are several. `depth` [m]:
    where non-linear laws are linearised. `tilt_deg`: how far a chaser may be turned from its
    attitude where a compliance device meets its normals. `at`: `start`, the bodies as they begin;
    `touch`, as the reference has them at its first touch, for bodies that turn."""
    if at == AT_TOUCH:
        moved, note = move_to_first_touch(scenario)
        points = loops_of(moved, depth, tilt_deg)
        swing = math.degrees(_relative_turn(moved.tables)) * math.pi
        return [
            replace(
                point,
                notes=(
                    note,
                    *point.notes,
                    "the normal is held: in half a swing of the contact the bodies turn by "
                    f"{swing / _swing_rate(point.loop):.2g} deg against each other",
                ),
            )
            for point in points
        ]
    tables = scenario.tables
    pairs = tables["contact"]
    if not pairs:
        raise BadInput(
            Problem(
                "contact",
                None,
                "at least one contact pair: without a touch there is no loop to be stable",
            )
        )
    points = [_make_point(scenario, i, depth, tilt_deg) for i in range(len(pairs))]
    return points if len(points) == 1 else [*points, _combine_points(tables, points)]


def _relative_turn(tables: dict[str, Any]) -> float:
    """Size of the relative angular velocity [rad/s]."""
    chaser, target = (
        matrix(tables[name]["attitude_wxyz"]) @ np.asarray(tables[name]["rate_rad_per_s"], float)
        for name in NAMES
    )
    return float(np.linalg.norm(chaser - target))


def _swing_rate(loop: Loop) -> float:
    """Of the contact without delay [rad/s]."""
    return math.sqrt(loop.stiffness / loop.mass)


def _list_free_bodies(
    tables: dict[str, Any], pair: dict[str, Any], place: Place
) -> dict[str, FreeBody]:
    """The free bodies, at a touch."""
    bodies = {}
    for name in NAMES:
        body = tables[name]
        if body["fixed"]:
            continue
        R = matrix(body["attitude_wxyz"])
        inertia = np.asarray(body["inertia_kg_m2"], float)
        inertia = np.diag(inertia) if inertia.shape == (3,) else inertia.reshape(3, 3)
        arm = R @ np.asarray(pair["tip_m"], float) if name == "chaser" else place.tip
        bodies[name] = FreeBody(body["mass_kg"], R @ inertia @ R.T, arm)
    return bodies


def _compute_mobilities(
    tables: dict[str, Any], pair: dict[str, Any], place: Place
) -> tuple[dict[str, float], dict[str, float]]:
    """By translation and by rotation, of each free body along the normal [1/kg]."""
    n = place.normal
    bodies = _list_free_bodies(tables, pair, place)
    return (
        {k: float(n @ translation_mobility(b) @ n) for k, b in bodies.items()},
        {k: float(n @ rotation_mobility(b) @ n) for k, b in bodies.items()},
    )


def _add_device(scenario: Any, i: int, linear: Linear, tilt_deg: float) -> tuple[Linear, list[str]]:
    """Spring and damper of a surface that a compliant tip meets: in series with the device's
    stiffest direction among the normals that can be met, the tip kept from sliding (eq. 120). The
    damper moves with the surface's part of the depth."""
    if scenario.tables["contact"][i].get("device", {}).get("model", "rigid") == "rigid":
        return linear, []
    k = reachable_stiffness(scenario.vector, i, tilt_deg).held.high
    part = k / linear.stiffness
    note = (
        f"the compliance device is counted: {linear.stiffness:.4g} N/m of the surface become "
        f"{k:.4g} N/m with it in series, the stiffest of the normals within {tilt_deg:g} deg of "
        "tilt"
    )
    return linear._replace(stiffness=k, damping=linear.damping * part * part), [note]


def _add_joints(tables: dict[str, Any], linear: Linear) -> tuple[Linear, list[str]]:
    """A contact in series with the robots' elastic joints, which give way too."""
    joints = [robot["joint_stiffness_N_per_m"] for robot in tables["robots"].values()]
    softer = sum(linear.stiffness / k for k in joints if k > 0.0)
    if not softer:
        return linear, []
    part = 1.0 / (1.0 + softer)
    k = linear.stiffness * part
    note = (
        f"the robots' elastic joints are counted as springs: {linear.stiffness:.4g} N/m become "
        f"{k:.4g} N/m with them in series; the moving masses behind them are left out"
    )
    return linear._replace(stiffness=k, damping=linear.damping * part * part), [note]


def _make_point(scenario: Any, i: int, depth: float | None, tilt_deg: float) -> OperatingPoint:
    tables = scenario.tables
    pair = tables["contact"][i]
    places = list_reachable_places(tables, pair)
    masses = []
    for place in places:
        moved, turned = _compute_mobilities(tables, pair, place)
        masses.append(1.0 / (sum(moved.values()) + sum(turned.values())))
    worst = places[int(np.argmin(masses))]
    mass = min(masses)
    speed = compute_approach_speed(compute_tip_motion(tables, pair)[1], worst.normal)
    linear = linearise(pair["real"], f"contact.{i}.real", mass, speed, depth)
    linear, notes = _add_device(scenario, i, linear, tilt_deg)
    linear, about_joints = _add_joints(tables, linear)
    notes += about_joints
    notes += [linear.note] if linear.note else []
    if max(masses) > mass * (1.0 + 1e-9):
        notes.append(
            f"effective mass from {mass:.4g} to {max(masses):.4g} kg over the normals that "
            "can be reached; analysed at the smallest"
        )
    if pair["real"]["friction"] > 0.0:
        notes.append("friction is left out: it acts across the normal")
    robots, about_robots = _make_robots(tables, *_compute_mobilities(tables, pair, worst))
    virtual, about_methods = _sum_virtual(tables, worst.normal)
    loop = _make_loop(tables, mass, linear, robots, virtual)
    check_loop(loop)
    normal = (float(worst.normal[0]), float(worst.normal[1]), float(worst.normal[2]))
    return OperatingPoint(
        name=f"contact.{i}",
        loop=loop,
        normal=normal,
        mass_range_kg=(mass, max(masses)),
        notes=(*notes, *about_robots, *_note_sensor(tables), *about_methods),
    )


def _make_loop(
    tables: dict[str, Any],
    mass: float,
    linear: Linear,
    robots: tuple[Robot, ...],
    virtual: dict[str, Any],
) -> Loop:
    sensor = tables["sensor"]
    return Loop(
        mass=mass,
        stiffness=linear.stiffness,
        damping=linear.damping,
        robots=robots,
        cycle=1e-3 * tables["time"]["cycle_ms"],
        integrator=tables["satellites"]["integrator"],
        law=linear.law,
        sensor_period=1e-3 * sensor["period_ms"],
        sensor_delay=1e-3 * sensor["delay_ms"],
        handover=sensor["handover"],
        lowpass=float(sensor["lowpass_Hz"]),
        plant_steps=int(tables["time"]["plant_steps"]),
        pose_delay=1e-3 * tables["pose"]["delay_ms"],
        **virtual,
    )


def _make_robots(
    tables: dict[str, Any], moved: dict[str, float], turned: dict[str, float]
) -> tuple[tuple[Robot, ...], list[str]]:
    """Each robot with its share of the relative acceleration; robots that are alike become one."""
    whole = sum(moved.values()) + sum(turned.values())
    carried = {name: (moved.get(name, 0.0) + turned.get(name, 0.0)) / whole for name in NAMES}
    laboratory = tables["laboratory"]
    if (
        laboratory["mapping"] == "shared"
    ):  # translation by shares, rotation by each robot's own body
        share = {
            "chaser": float(laboratory["chaser_share"]),
            "target": 1.0 - float(laboratory["chaser_share"]),
        }
        carried = {
            name: (share[name] * sum(moved.values()) + turned.get(name, 0.0)) / whole
            for name in NAMES
        }
    notes: list[str] = []
    shares: dict[Robot, float] = {}
    for name in NAMES:
        if carried[name] == 0.0:
            continue
        robot = _make_robot(tables, name, notes)
        shares[robot] = shares.get(robot, 0.0) + carried[name]
    return tuple(replace(robot, share=share) for robot, share in shares.items()), notes


def _make_robot(tables: dict[str, Any], name: str, notes: list[str]) -> Robot:
    given = tables["robots"][name]
    ramp = max(given["delay_ramp_ms_per_s"], 0.0) * tables["time"]["duration_s"]
    sent = given["computation_ms"] + given["transport_ms"]
    longest = sent + given["delay_ms"] + ramp + given["delay_wobble_ms"] + given["delay_jitter_ms"]
    if longest > sent + given["delay_ms"]:
        notes.append(
            f"robots.{name}: the delay varies; analysed at its longest, {longest:.4g} ms, as "
            "if it stayed there"
        )
    if given["dropout_probability"] > 0.0:
        notes.append(f"robots.{name}: lost set-points are left out")
    linear = robot_model_named(given["model"]).linear(given)
    if linear.left_out:
        notes.append(f"robots.{name}: {linear.left_out}")
    return Robot(
        share=1.0,
        delay=1e-3 * longest,
        interpolation=given["interpolation"],
        lag=linear.lag,
        lag_damping=linear.damping_ratio,
        computation=1e-3 * given["computation_ms"],
        transport=1e-3 * given["transport_ms"],
    )


def _note_sensor(tables: dict[str, Any]) -> list[str]:
    sensor, notes = tables["sensor"], []
    for key in ("threshold_N", "range_N", "resolution_N"):
        if sensor[key] > 0.0:
            notes.append(f"sensor.{key} is left out: it is not linear")
    happens = describe_faults(sensor, tables["time"]["duration_s"])
    if happens:
        notes.append(f"sensor: its faults ({happens}) are left out")
    if any(tables["mock_up"][name]["mass_kg"] > 0.0 for name in NAMES):
        notes.append("the mock-ups' weight and inertia are taken as compensated")
    return notes


def _sum_virtual(tables: dict[str, Any], normal: np.ndarray) -> tuple[dict[str, Any], list[str]]:
    """What the listed methods say of their linear part along the normal; those that have none are
    left out, and said."""
    normals = {
        "world": normal,
        "normal": np.array([1.0, 0.0, 0.0]),
        **{name: matrix(tables[name]["attitude_wxyz"]).T @ normal for name in NAMES},
    }
    found: dict[str, Any] = {}
    notes = []
    for entry in tables["methods"]:
        part = METHODS[entry["name"]].linear_part
        if part is None:
            notes.append(
                f"method {entry['name']} is left out: the analysis is of the loop without it"
            )
            continue
        fields, said = part(entry, normals)
        found |= fields
        notes += said
        if fields and tables["pose"]["period_ms"] > 0.0:
            notes.append("pose.period_ms is left out: poses are taken as measured every cycle")
    return found, notes


def _combine_points(tables: dict[str, Any], points: list[OperatingPoint]) -> OperatingPoint:
    """All pairs in touch at once, each with its worst normal: the stiffest mode, as a mass on the
    first pair's stiffness.

    Exact where damping and stiffness of all pairs are in one proportion; otherwise the least damped
    pair's proportion is taken for all.
    """
    levers: dict[str, list[np.ndarray]] = {name: [] for name in NAMES}
    for i, point in enumerate(points):
        pair, n = tables["contact"][i], np.asarray(point.normal)
        places = list_reachable_places(tables, pair)
        place = places[int(np.argmin([np.linalg.norm(p.normal - n) for p in places]))]
        for name, body in _list_free_bodies(tables, pair, place).items():
            turning = np.linalg.cholesky(np.linalg.inv(np.asarray(body.inertia)))
            half_translation = n / np.sqrt(np.broadcast_to(np.asarray(body.mass, float), 3))
            levers[name].append(
                np.sqrt(point.loop.stiffness)
                * np.concatenate([half_translation, turning.T @ np.cross(body.arm, n)])
            )
    stiffest = float(
        np.linalg.eigvalsh(
            sum(np.array(rows) @ np.array(rows).T for rows in levers.values() if rows)
        )[-1]
    )  # k / mass of the mode
    first = points[0].loop
    proportion = min(p.loop.damping / p.loop.stiffness for p in points)
    mass = first.stiffness / stiffest
    loop = first.changed(mass=mass, damping=proportion * first.stiffness)
    note = (
        f"all {len(points)} pairs in touch at once: their stiffest mode, as a mass on "
        f"{points[0].name}'s stiffness"
    )
    return OperatingPoint(
        name="all pairs",
        loop=loop,
        normal=points[0].normal,
        mass_range_kg=(mass, mass),
        notes=(note, *points[0].notes),
    )
