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
    load4,
    norm,
    scale,
    store4,
    subtract,
    symmetric_times,
)
from softdock.methods.guidance.allocation import thruster_rows
from softdock.methods.guidance.guided import (
    LARGEST_TURN,
    Wanted,
    controller,
    torque_problems,
)
from softdock.methods.guidance.keys import APPROACHES, DRIFTS, HOLDS, THRUSTER

TWICE_ZETA = 1.6
NOTHING = (0.0, 0.0, 0.0)
STEPS = 2000  # of the forecast of an approach
FASTER = 1.1  # than asked: an arrival that is warned about


def _key(name, key, meaning, default, unit, low, high, **more):
    return Parameter(name, key, meaning, default, unit=unit, low=low, high=high, **more)


GLIDESLOPE = Group(
    "glideslope",
    "Closes at a speed that falls with the distance, holds the tip to the port's axis and the "
    "chaser to its docked attitude, and holds the latched pair's attitude.",
    _key(
        "slope",
        "slope_per_s",
        "closing speed per distance beyond thrusters.plume_off_m",
        0.01,
        "1/s",
        0.0,
        1.0,
    ),
    _key("v_end", "end_m_per_s", "closing speed at the port", 0.01, "m/s", 0.0, 1.0),
    _key("v_max", "most_m_per_s", "largest closing speed", 0.05, "m/s", 0.0, 10.0),
    _key("along", "along_per_s", "gain on the closing speed", 0.1, "1/s", 0.0, 10.0),
    _key("across", "across_rad_per_s", "of the tip across the axis", 0.05, "rad/s", 0.0, 10.0),
    _key("turn", "turn_rad_per_s", "of the attitude", 0.1, "rad/s", 0.0, 10.0),
    _key("drift", "drift_m", "nearer nothing is asked until docked", 0.0, "m", -1e3, 1e3),
    _key("docked", "docked_m", "tip nearer than this: docked, if slow", 0.0, "m", -1e3, 1e3),
    _key("slow", "docked_m_per_s", "slow means below this", 0.005, "m/s", 0.0, 1.0),
    _key("docked_for", "docked_for_s", "for so long", 5.0, "s", 0.0, 1e4),
    _key(
        "hold", "hold_rad_per_s", "of the pair's attitude; 0: it is not held", 0.03, "rad/s", 0, 1
    ),
)
AT = GLIDESLOPE.at
CELLS = Cells(
    "glideslope",
    Cell("since", 1, "s", "time since which it looks docked, and 1 s more; 0: it does not"),
    Cell("held", 4, "-", "attitude that is held, at its time; all zero: none"),
    Cell("held_at", 1, "s", "when it was taken"),
)
IN = CELLS.at


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
def prepare(marker, vector, base, memory, guided):
    return Glideslope(
        memory=memory,
        guided=guided,
        slope=vector[base + AT.slope],
        v_end=vector[base + AT.v_end],
        v_max=vector[base + AT.v_max],
        along=vector[base + AT.along],
        across=vector[base + AT.across],
        turn=vector[base + AT.turn],
        drift=vector[base + AT.drift],
        docked=vector[base + AT.docked],
        slow=vector[base + AT.slow],
        docked_for=vector[base + AT.docked_for],
        hold=vector[base + AT.hold],
    )


@noinline
def _approach(m, rig, seen):
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
def _pair_times(m, rig, alpha):
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
def _hold(m, mem, own, rig, seen):
    """Torque that holds the pair's attitude, chaser axes."""
    turned = exponential(scale(seen.time - mem[own + IN.held_at], m.guided.turning))
    reference = product(turned, load4(mem, own + IN.held))
    off = logarithm(product(inverse(reference), seen.attitude))
    rate = subtract(seen.own_rate, rotate_back(seen.attitude, m.guided.turning))
    alpha = add_scaled(scale(-m.hold * m.hold, off), -TWICE_ZETA * m.hold, rate)
    return _pair_times(m, rig, alpha)


@compiled
def _looks_docked(m, mem, own, seen):
    """Whether the tip has been behind `docked` and slow for long enough."""
    if seen.distance > m.docked or norm(seen.velocity) > m.slow:
        mem[own + IN.since] = 0.0
        return False
    if mem[own + IN.since] == 0.0:
        mem[own + IN.since] = seen.time + 1.0
    return seen.time + 1.0 - mem[own + IN.since] >= m.docked_for


@compiled
def steer(m, mem, own, rig, seen):
    held = mem[own + IN.held_at] > 0.0
    if not held and m.hold > 0.0 and _looks_docked(m, mem, own, seen):
        store4(mem, own + IN.held, seen.attitude)
        mem[own + IN.held_at] = seen.time
        held = True
    if held and seen.distance <= m.drift:
        return Wanted(NOTHING, _hold(m, mem, own, rig, seen), HOLDS)
    if held:  # it came off
        mem[own + IN.held_at] = 0.0
    if seen.distance <= m.drift:
        return Wanted(NOTHING, NOTHING, DRIFTS)
    force, torque = _approach(m, rig, seen)
    return Wanted(force, torque, APPROACHES)


def _moments(inertia: Any) -> np.ndarray:
    given = np.asarray(inertia, float)
    return np.abs(given) if given.ndim == 1 else np.abs(given).sum(axis=1)


def _start(values: dict[str, Any], tables: Any) -> tuple[float, float]:
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


def _brakes(values: dict[str, Any], which: str, mass: float) -> float:
    """The largest deceleration along the port's axis [m/s^2]. `which`: far or near."""
    docked = matrix(np.asarray(values["navigation.docked_wxyz"], float))
    axis = docked.T @ np.asarray(values["navigation.axis"], float)
    wish = np.concatenate([np.maximum(axis, 0.0), np.zeros(3), np.maximum(-axis, 0.0), np.zeros(3)])
    columns = thruster_rows(values)[:, THRUSTER.slice_of(which)]
    makes_none = not columns[:, np.argmax(wish)].any()
    most = values["thrusters.thrust_N"] / float(np.max(columns @ wish)) if not makes_none else 0.0
    return float(most * np.linalg.norm(axis) / mass)


def arrival_speed(values: dict[str, Any], tables: Any) -> float:
    """Closing speed at the port [m/s] by this law along the axis alone, with the brakes that these
    thrusters have; NaN: it does not get there."""
    key = {one.name: float(values[f"guidance.{one.key}"]) for one in GLIDESLOPE.parameters}
    off, mass = float(values["thrusters.plume_off_m"]), float(np.max(tables["chaser"]["mass_kg"]))
    far, near = (_brakes(values, which, mass) for which in ("far", "near"))
    distance, speed = _start(values, tables)
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
    moments = _moments(tables["chaser"]["inertia_kg_m2"])
    wanted = moments * values["guidance.turn_rad_per_s"] ** 2 * angle
    problems = torque_problems(values, wanted, f"{LARGEST_TURN:g} deg off")
    if values["guidance.docked_m"] > values["guidance.drift_m"]:
        allowed = "at most guidance.drift_m: docked is behind where it drifts"
        problems.append(("guidance.docked_m", values["guidance.docked_m"], allowed))
    warnings = []
    asked, speed = values["guidance.end_m_per_s"], math.nan
    if not problems and not tables["chaser"].get("fixed"):
        speed = arrival_speed(values, tables)
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
    cells=CELLS,
    check=check,
    while_latched="it holds the pair's attitude by torques alone: the pair swings as without it",
)
