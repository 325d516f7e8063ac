"""Glideslope and attitude hold: the built-in controller.

In: a navigation sample. Out: force and torque on the chaser, chaser axes.

    closing speed    v_end + slope x (distance - plume_off), at least v_end, at most v_max (held by
                     `along`, with the slope's own deceleration fed forward): the brakes are off
                     nearer than plume_off, so the slope ends there
    across the axis  a = -w^2 p - 2 zeta w v      of the tip
    attitude         alpha = -w^2 turn - 2 zeta w rate      to the docked attitude

Nearer than `drift` nothing is asked: the probe is in the guide of the port. Once the tip has been
behind `docked` and slow for `docked_for`, the pair is taken for latched, and its attitude of that
instant is held in the orbit's turning axes (world axes without an orbit), with the inertia of both
bodies as one. Forces are not used then. Gains are the user's; zeta is 0.8.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled, noinline
from softdock.loop.method.declaration import Checked
from softdock.loop.method.interface import Rig
from softdock.loop.parameters import Group, Parameter
from softdock.loop.spatial.arrays import matrix
from softdock.loop.spatial.rotations import (
    exponential,
    inverse,
    logarithm,
    product,
    rotate,
    rotate_back,
)
from softdock.loop.spatial.vectors import (
    add,
    add_scaled,
    cross,
    dot,
    norm,
    scale,
    subtract,
    symmetric_times,
)
from softdock.methods.guidance.allocation import make_thruster_rows
from softdock.methods.guidance.guided import (
    LARGEST_TURN,
    Wanted,
    controller,
    find_torque_problems,
)
from softdock.methods.guidance.keys import APPROACHES, DRIFTS, HOLDS, THRUSTER
from softdock.methods.guidance.navigation import Guided, Seen

TWICE_ZETA = 1.6
NOTHING = (0.0, 0.0, 0.0)
STEPS = 2000  # of the forecast of an approach
FASTER = 1.1  # than asked: an arrival that is warned about


def _make_key(name, key, meaning, default, unit, low, high, **more):
    return Parameter(name, key, meaning, default, unit=unit, low=low, high=high, **more)


GLIDESLOPE = Group(
    "glideslope",
    "Closes at a speed that falls with the distance, holds the tip to the port's axis and the "
    "chaser to its docked attitude, and holds the latched pair's attitude.",
    _make_key(
        "slope",
        "slope_per_s",
        "closing speed per distance beyond thrusters.plume_off_m",
        0.01,
        "1/s",
        0.0,
        1.0,
    ),
    _make_key("v_end", "end_m_per_s", "closing speed at the port", 0.01, "m/s", 0.0, 1.0),
    _make_key("v_max", "most_m_per_s", "largest closing speed", 0.05, "m/s", 0.0, 10.0),
    _make_key("along", "along_per_s", "gain on the closing speed", 0.1, "1/s", 0.0, 10.0),
    _make_key("across", "across_rad_per_s", "of the tip across the axis", 0.05, "rad/s", 0.0, 10.0),
    _make_key("turn", "turn_rad_per_s", "of the attitude", 0.1, "rad/s", 0.0, 10.0),
    _make_key("drift", "drift_m", "nearer nothing is asked until docked", 0.0, "m", -1e3, 1e3),
    _make_key("docked", "docked_m", "tip nearer than this: docked, if slow", 0.0, "m", -1e3, 1e3),
    _make_key("slow", "docked_m_per_s", "slow means below this", 0.005, "m/s", 0.0, 1.0),
    _make_key("docked_for", "docked_for_s", "for so long", 5.0, "s", 0.0, 1e4),
    _make_key(
        "hold", "hold_rad_per_s", "of the pair's attitude; 0: it is not held", 0.03, "rad/s", 0, 1
    ),
)
STATE = Cells(
    "glideslope",
    Cell("since", float, "s", "time since which it looks docked, and 1 s more; 0: it does not"),
    Cell("held", 4, "-", "attitude that is held, at its time; all zero: none"),
    Cell("held_at", float, "s", "when it was taken"),
)


class Glideslope(NamedTuple):
    memory: int = 0
    guided: Any = 0
    slope: float = 0.0
    v_end: float = 0.0
    v_max: float = 0.0
    along: float = 0.0
    across: float = 0.0
    turn: float = 0.0
    drift: float = 0.0
    docked: float = 0.0
    slow: float = 0.0
    docked_for: float = 0.0
    hold: float = 0.0


@compiled
def prepare(marker: Glideslope, vector, base, memory, guided: Guided):
    keys = GLIDESLOPE(vector, base)
    return Glideslope(
        memory=memory,
        guided=guided,
        slope=keys.slope,
        v_end=keys.v_end,
        v_max=keys.v_max,
        along=keys.along,
        across=keys.across,
        turn=keys.turn,
        drift=keys.drift,
        docked=keys.docked,
        slow=keys.slow,
        docked_for=keys.docked_for,
        hold=keys.hold,
    )


@noinline
def _approach(m: Glideslope, rig: Rig, seen: Seen):
    """Force and torque towards the port, chaser axes."""
    axis = m.guided.axis
    left = max(seen.distance - m.guided.plume_off, 0.0)
    closing = -min(m.v_max, m.v_end + m.slope * left)
    speed = dot(seen.velocity, axis)
    braking = -m.slope * speed if left > 0.0 and closing > -m.v_max else 0.0
    a = scale(m.along * (closing - speed) + braking, axis)
    a = add_scaled(a, -m.across * m.across, add_scaled(seen.position, -seen.distance, axis))
    a = add_scaled(a, -TWICE_ZETA * m.across, add_scaled(seen.velocity, -speed, axis))
    alpha = add_scaled(scale(-m.turn * m.turn, seen.turn), -TWICE_ZETA * m.turn, seen.rate)
    force = scale(rig.chaser.mass[0], rotate_back(seen.to_target, a))
    return force, symmetric_times(rig.chaser.inertia, rotate_back(seen.to_target, alpha))


@noinline
def _multiply_by_inertia(m: Glideslope, rig: Rig, alpha):
    """Inertia of the docked pair about its centre of mass, times an angular acceleration, chaser
    axes."""
    g = m.guided
    # from the target's centre to the chaser's, chaser axes, docked
    d = subtract(rotate_back(g.docked, g.port), g.tip)
    a, b = rig.chaser.mass[0], rig.target.mass[0]
    whole = symmetric_times(rig.chaser.inertia, alpha)
    if rig.target.fixed:
        return whole
    target = rotate_back(g.docked, symmetric_times(rig.target.inertia, rotate(g.docked, alpha)))
    return add_scaled(add(whole, target), a * b / (a + b), cross(d, cross(alpha, d)))


@noinline
def _hold(m: Glideslope, s, rig: Rig, seen: Seen):
    """Torque that holds the pair's attitude, chaser axes. `s`: the controller's state."""
    turned = exponential(scale(seen.time - s.held_at, m.guided.turning))
    reference = product(turned, s.held)
    off = logarithm(product(inverse(reference), seen.attitude))
    rate = subtract(seen.own_rate, rotate_back(seen.attitude, m.guided.turning))
    alpha = add_scaled(scale(-m.hold * m.hold, off), -TWICE_ZETA * m.hold, rate)
    return _multiply_by_inertia(m, rig, alpha)


@compiled
def _looks_docked(m: Glideslope, s, seen: Seen):
    """Whether the tip has been behind `docked` and slow for long enough."""
    if seen.distance > m.docked or norm(seen.velocity) > m.slow:
        s.since = 0.0
        return False
    if s.since == 0.0:
        s.since = seen.time + 1.0
    return seen.time + 1.0 - s.since >= m.docked_for


@compiled
def steer(m: Glideslope, mem, own, rig: Rig, seen: Seen):
    s = STATE(mem, own)
    held = s.held_at > 0.0
    if not held and m.hold > 0.0 and _looks_docked(m, s, seen):
        s.held, s.held_at = seen.attitude, seen.time
        held = True
    if held and seen.distance <= m.drift:
        return Wanted(NOTHING, _hold(m, s, rig, seen), HOLDS)
    if held:  # it came off
        s.held_at = 0.0
    if seen.distance <= m.drift:
        return Wanted(NOTHING, NOTHING, DRIFTS)
    force, torque = _approach(m, rig, seen)
    return Wanted(force, torque, APPROACHES)


def _compute_moments(inertia: Any) -> np.ndarray:
    given = np.asarray(inertia, float)
    return np.abs(given) if given.ndim == 1 else np.abs(given).sum(axis=1)


def _compute_start(values: dict[str, Any], tables: Any) -> tuple[float, float]:
    """Distance of the tip from the port along its axis [m], and closing speed [m/s], at t = 0."""
    chaser, target = tables["chaser"], tables["target"]
    R, S = (matrix(np.asarray(body["attitude_wxyz"], float)) for body in (chaser, target))
    arm = R @ np.asarray(values["navigation.tip_m"], float)
    axis = np.asarray(values["navigation.axis"], float)
    axis = axis / np.linalg.norm(axis)
    away = np.asarray(chaser["position_m"]) - np.asarray(target["position_m"]) + arm
    v = np.asarray(chaser["velocity_m_per_s"]) - np.asarray(target["velocity_m_per_s"])
    v = v + np.cross(R @ np.asarray(chaser["rate_rad_per_s"]), arm)
    v = v - np.cross(S @ np.asarray(target["rate_rad_per_s"]), away)
    distance = float(axis @ (S.T @ away - np.asarray(values["navigation.port_m"], float)))
    return distance, -float(axis @ (S.T @ v))


def _compute_braking(values: dict[str, Any], which: str, mass: float) -> float:
    """The largest deceleration along the port's axis [m/s^2]. `which`: far or near."""
    docked = matrix(np.asarray(values["navigation.docked_wxyz"], float))
    axis = docked.T @ np.asarray(values["navigation.axis"], float)
    wish = np.concatenate([np.maximum(axis, 0.0), np.zeros(3), np.maximum(-axis, 0.0), np.zeros(3)])
    columns = make_thruster_rows(values)[:, THRUSTER.slice_of(which)]
    makes_none = not columns[:, np.argmax(wish)].any()
    most = values["thrusters.thrust_N"] / float(np.max(columns @ wish)) if not makes_none else 0.0
    return float(most * np.linalg.norm(axis) / mass)


def compute_arrival_speed(values: dict[str, Any], tables: Any) -> float:
    """Closing speed at the port [m/s] by this law along the axis alone, with the brakes that these
    thrusters have; NaN: it does not get there."""
    key = {one.name: float(values[f"guidance.{one.key}"]) for one in GLIDESLOPE.parameters}
    off, mass = float(values["thrusters.plume_off_m"]), float(np.max(tables["chaser"]["mass_kg"]))
    far, near = (_compute_braking(values, which, mass) for which in ("far", "near"))
    distance, speed = _compute_start(values, tables)
    dt = max(distance, 0.0) / max(key["v_end"], 1e-3) / STEPS
    answers = -math.expm1(-key["along"] * dt) / dt if dt > 0.0 else 0.0  # 1/s
    for _ in range(4 * STEPS):
        if distance <= max(key["drift"], 0.0):
            return speed
        asked = min(key["v_max"], key["v_end"] + key["slope"] * max(distance - off, 0.0))
        on_slope = distance > off and asked < key["v_max"]
        slower = answers * (speed - asked) + (key["slope"] * speed if on_slope else 0.0)
        speed -= dt * min(slower, far if distance >= off else near)
        distance -= dt * speed
    return math.nan


def check(values: dict[str, Any], tables: Any) -> Checked:
    """Thrusters that cannot answer ten degrees off, on the way or as a pair; an arrival that is
    faster than asked."""
    angle = math.radians(LARGEST_TURN)
    moments = _compute_moments(tables["chaser"]["inertia_kg_m2"])
    wanted = moments * values["guidance.turn_rad_per_s"] ** 2 * angle
    problems = find_torque_problems(values, wanted, f"{LARGEST_TURN:g} deg off")
    if values["guidance.docked_m"] > values["guidance.drift_m"]:
        allowed = "at most guidance.drift_m: docked is behind where it drifts"
        problems.append(("guidance.docked_m", values["guidance.docked_m"], allowed))
    warnings = []
    asked, speed = values["guidance.end_m_per_s"], math.nan
    if not problems and not tables["chaser"].get("fixed"):
        speed = compute_arrival_speed(values, tables)
    if speed > FASTER * asked:
        warnings.append(
            f"guidance.end_m_per_s: asks for {1e3 * asked:.3g} mm/s at the port, but the tip "
            f"arrives at about {1e3 * speed:.3g} mm/s: it is faster when thrusters.plume_off_m = "
            f"{values['thrusters.plume_off_m']:g} m takes the brakes away, or they are too weak"
        )
    return problems, warnings


METHOD = controller(
    name="glideslope",
    summary="a guided approach: glideslope to the port, then the pair's attitude is held",
    group=GLIDESLOPE,
    marker=Glideslope(),
    prepare=prepare,
    steer=steer,
    cells=STATE,
    check=check,
    while_latched="it holds the pair's attitude by torques alone: the pair swings as without it",
)
