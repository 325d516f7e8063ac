"""Phase lead of force and position: what is late is led by the first terms of its Taylor series
(Qi 2016a, after the abstract).

A force that is h late is F(t - h). Its prediction is exp(h s) = 1 + h s + ..., cut after the first
term; a simulator whose response is 1 / (1 + a s + c^2/2 s^2 + d s^3) is sent a set-point led by the
first two terms of the inverse:

    F_c = F + h dF/dt                      force lead, first order
    x_c = x + a dx/dt + c^2/2 d^2x/dt^2    position lead, second order

dF/dt is the slope between the two newest samples (measured/force_rate.py), through a first-order
low-pass if `filter_ms` is given. dx/dt is the set-point's own twist, d^2x/dt^2 its change over the
last cycle. Attitudes are led by the rotation vector a w + c^2/2 dw/dt, world axes.

What is left of the phase at w h = q: q^3/3 late of the force lead, q^3/6 early of the position lead
of a pure delay with a = c = h. So a force lead alone always adds energy to a contact without
losses, a little below w h = 0.3 and much above; nothing of this needs the contact.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled, noinline
from softdock.loop.method.declaration import Belief, LinearPart, Values
from softdock.loop.method.interface import Measured, Output, Rig, Satellites, Wrenches
from softdock.loop.method.memory import recorded
from softdock.loop.method.method import Method
from softdock.loop.parameters import Group, Parameter
from softdock.loop.robots.models import robot_model_named
from softdock.loop.spatial.motion import Motion, Wrench
from softdock.loop.spatial.rotations import exponential, product, rotate, rotate_back
from softdock.loop.spatial.vectors import Vector, add, add_scaled, dot, negate, scale, subtract
from softdock.methods.measured.force_rate import (
    FORCE_LEAD,
    FORCE_RATE,
    RATE_FILTER,
    find_force_rate,
    find_lead_warnings,
)
from softdock.methods.measured.line_of_action import plus_wrenches

ALLOW, NEVER = 0, 1
PULLS = ("allow", "never")

PHASE_LEAD = Group(
    "phase_lead",
    "First-order lead of the measured force, second-order lead of the set-points.",
    FORCE_LEAD,
    RATE_FILTER,
    Parameter(
        "pull",
        "pull",
        "whether the led force may point against the measured one, as it does when a contact ends",
        "allow",
        choices=PULLS,
    ),
    Parameter(
        "position_lead",
        "position_lead_ms",
        "lead of the set-points by their rate: how late the robots are",
        0.0,
        unit="ms",
        low=0.0,
        high=2000.0,
        scale=1e-3,
    ),
    Parameter(
        "acceleration_lead",
        "acceleration_lead_ms",
        "lead c of the set-points by their acceleration, c^2 / 2 times it; of a pure delay c is "
        "the delay",
        0.0,
        unit="ms",
        low=0.0,
        high=2000.0,
        scale=1e-3,
    ),
    Parameter(
        "begin",
        "begin_ms",
        "time over which the position lead grows from zero at the start, so that the robots are "
        "sent no step",
        200.0,
        unit="ms",
        low=0.0,
        high=1e5,
        scale=1e-3,
    ),
)
STATE = Cells(
    "phase_lead",
    recorded("force", "N", "added to the force on the chaser", frame="world", parts="xyz"),
    recorded("ahead", "m", "added to the chaser's set-point", frame="world", parts="xyz"),
    Cell("force_rate", FORCE_RATE, "", "of the readings: methods/measured/force_rate.py"),
    Cell("sent", bool, "-", "a set-point was seen before"),
    Cell("twist", (Vector,) * 4, "m/s, rad/s", "of the set-points of the cycle before, world axes"),
)


class PhaseLead(NamedTuple):
    memory: int
    force_lead: float  # s
    filter: float  # s
    pull: int
    position_lead: float  # s
    position_curve: float  # s^2
    begin: float  # s


@compiled
def prepare(marker, vector, base, memory):
    keys = PHASE_LEAD(vector, base)
    return PhaseLead(
        memory=memory,
        force_lead=keys.force_lead,
        filter=keys.filter,
        pull=int(keys.pull),
        position_lead=keys.position_lead,
        position_curve=0.5 * keys.acceleration_lead**2,
        begin=keys.begin,
    )


@compiled
def _scaled(factor, wrench):
    return Wrench(scale(factor, wrench.force), scale(factor, wrench.torque))


@noinline
def wrench(
    method: PhaseLead,
    mem,
    rig: Rig,
    measured: Measured,
    satellites: Satellites,
    wrenches: Wrenches,
):
    s = STATE(mem, method.memory)
    rate = find_force_rate(s.force_rate, rig.cycle * rig.T, measured, method.filter)
    felt, h = measured.wrenches, method.force_lead
    ahead = Wrenches(_scaled(h, rate.chaser), _scaled(h, rate.target))  # Qi 2016a, force
    led = add(felt.chaser.force, ahead.chaser.force)
    if method.pull == NEVER and dot(led, felt.chaser.force) <= 0.0:
        ahead = Wrenches(_scaled(-1.0, felt.chaser), _scaled(-1.0, felt.target))
    s.force = ahead.chaser.force
    return plus_wrenches(wrenches, 1.0, ahead)


@compiled
def _lead(method: PhaseLead, motion: Motion, before_v, before_w, T, share, growth):
    """A set-point led. `before_*`: its twist a cycle ago, world axes; `share` of the lead, growing
    at `growth` [1/s]."""
    w_W = rotate(motion.q, motion.w)
    a = scale(1.0 / T, subtract(motion.v, before_v))
    turn = scale(1.0 / T, subtract(w_W, before_w))
    first, second = method.position_lead, method.position_curve
    way = add_scaled(scale(first, motion.v), second, a)  # Qi 2016a, position
    angle = add_scaled(scale(first, w_W), second, turn)
    q = product(exponential(scale(share, angle)), motion.q)
    # the rate of the led pose, but for the acceleration's own
    v = add(motion.v, add_scaled(scale(share * first, a), growth, way))
    w = add(w_W, add_scaled(scale(share * first, turn), growth, angle))
    return Motion(add_scaled(motion.p, share, way), q, v, rotate_back(q, w))


@noinline
def set_point(method: PhaseLead, mem, rig: Rig, satellites: Satellites, output: Output):
    if method.position_lead == 0.0 and method.position_curve == 0.0:
        return output
    s, chaser, target = STATE(mem, method.memory), output.chaser, output.target
    twist = (
        chaser.v,
        rotate(chaser.q, chaser.w),
        target.v,
        rotate(target.q, target.w),
    )
    before = s.twist if s.sent else twist
    s.sent, s.twist = True, twist
    share, growth = 1.0, 0.0
    t = (rig.cycle + 1) * rig.T
    if t < method.begin:
        u = t / method.begin
        share, growth = u * u * (3.0 - 2.0 * u), 6.0 * u * (1.0 - u) / method.begin
    led = Output(
        _lead(method, chaser, before[0], before[1], rig.T, share, growth),
        _lead(method, target, before[2], before[3], rig.T, share, growth),
    )
    s.ahead = add(led.chaser.p, negate(chaser.p))
    return led


# What it says of itself.


def find_delays(tables: Mapping[str, Any]) -> tuple[float, float, float]:
    """How late force and robots are, as an engineer would know: of the force [ms], then the two
    terms of the slowest robot's inverse response [ms, ms^2]."""
    sensor, T = tables["sensor"], tables["time"]["cycle_ms"]
    period = sensor["period_ms"] or T
    late = sensor["delay_ms"] + 0.5 * T  # the force is held over a cycle
    if sensor["handover"] == "mean" and sensor["period_ms"] > 0.0:
        late += 0.5 * (T - period)
    if sensor["lowpass_Hz"] > 0.0:
        late += 1e3 / (2.0 * math.pi * sensor["lowpass_Hz"])
    first = second = 0.0
    for robot in tables["robots"].values():
        linear = robot_model_named(robot["model"]).linear(robot)
        h = robot["delay_ms"] + robot["computation_ms"] + robot["transport_ms"]
        lag = 2e3 * linear.damping_ratio / linear.lag if linear.lag > 0.0 else 0.0
        curve = 1e6 / linear.lag**2 if linear.lag > 0.0 else 0.0
        if h + lag > first:
            first, second = h + lag, 0.5 * h * h + h * lag + curve
    return late, first, second


def suggest(scenario: Any) -> dict[str, Any]:
    """The delays that are true of a scenario: the force's by the force, the robots' by the
    set-points."""
    late, first, second = find_delays(scenario.tables)
    return {
        "force_lead_ms": round(late, 6),
        "position_lead_ms": round(first, 6),
        "acceleration_lead_ms": round(math.sqrt(2.0 * second), 6),
    }


def refuses(scenario: Any) -> str | None:
    """Where a lead has nothing to act on."""
    if not scenario.tables["contact"]:
        return "there is no contact whose force it could lead"
    return None


def check(values: dict[str, Any], tables: Any) -> Any:
    return [], find_lead_warnings(
        "phase_lead", values["force_lead_ms"], values["filter_ms"], tables
    )


def linear_part(values: Values, normals: Mapping[str, Any]) -> LinearPart:
    """Both leads, in the loop along the contact's normal."""
    found = {
        "force_lead": 1e-3 * values["force_lead_ms"],
        "force_lead_filter": 1e-3 * values["filter_ms"],
        "position_lead": 1e-3 * values["position_lead_ms"],
        "position_curve": 0.5 * (1e-3 * values["acceleration_lead_ms"]) ** 2,
    }
    cut = "phase_lead: pull = never is left out: it is not linear"
    return found, [cut] if values["pull"] == "never" else []


METHOD = Method(
    name="phase_lead",
    summary="the force led by its rate, the set-points by their rate and acceleration",
    knows="the delay of the force and the delay of the robots",
    while_latched="with the delays that are true the pair is held: it decays at 3e-6 1/s where the "
    "raw pair grows at 0.024; with part of them it grows by the rest",
    holds_latch=True,
    group=PHASE_LEAD,
    marker=PhaseLead(
        memory=0,
        force_lead=0.0,
        filter=0.0,
        pull=0,
        position_lead=0.0,
        position_curve=0.0,
        begin=0.0,
    ),
    prepare=prepare,
    wrench=wrench,
    set_point=set_point,
    cells=STATE,
    check=check,
    needs=(
        Belief("delay", "force_lead_ms"),
        Belief("delay", "position_lead_ms"),
        Belief("delay", "acceleration_lead_ms"),
    ),
    suggest=suggest,
    refuses=refuses,
    linear_part=linear_part,
)
