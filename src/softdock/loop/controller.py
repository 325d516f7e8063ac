"""The controller beside its methods: measured wrenches on both satellites (`measure`), wrenches
from outside (`sum_external_wrenches`), and set-points mapped into the laboratory (`map_set_points`,
stage 2).

In: the readings delivered at t_k with their ages [s], the satellites, schedules of thrusters.
Out: wrenches [N, Nm] in world axes about the centres of mass; set-points of both robots. One sensor
gives both satellites equal and opposite wrenches about one common point.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from softdock.compile.features import is_full
from softdock.compile.jit import by_type, compiled, noinline
from softdock.loop.command import share_out
from softdock.loop.memory import REPORTS
from softdock.loop.method.hooks import add_wrenches, sum_external
from softdock.loop.method.interface import Measured, Output, Wrenches
from softdock.loop.nominal import map_to_nominal, restore_motions, restore_wrenches
from softdock.loop.readings import read_mock_ups
from softdock.loop.schedules import schedule_at, scheduled
from softdock.loop.sensor.force_torque import ON_CHASER, ON_TARGET
from softdock.loop.spatial.motion import (
    Wrench,
    no_wrench,
    opposite,
)
from softdock.loop.spatial.vectors import add, dot, negate, norm, scale, subtract
from softdock.loop.tide import tide_wrenches
from softdock.loop.vector import (
    CHASER_EXTERNAL_AT,
    LABORATORY_AT,
    ORBIT_AT,
    TARGET_EXTERNAL_AT,
)

if TYPE_CHECKING:
    from softdock.loop.method.interface import Rig, Satellites
    from softdock.loop.params import Params


@compiled
def measure(params: Params, mem, facility, satellites: Satellites, t):
    """What was delivered at t_k, as wrenches on both satellites."""
    second = no_wrench()
    if params.sensor.on != ON_CHASER:
        second = REPORTS(mem, params.memory.reports).second
    return combine_measurements(
        params,
        mem,
        satellites,
        facility.reading,
        second,
        read_mock_ups(params, mem, facility),
        t - facility.reading_time,
        t - facility.seen_time,
    )


@compiled
def combine_measurements(
    params: Params,
    mem,
    satellites: Satellites,
    reading: Wrench,
    second: Wrench,
    seen: Output,
    force_age,
    pose_age,
):
    """Readings as wrenches on both satellites: equal and opposite about one common point, whichever
    sensor there is. `reading`: the chaser's, or the only sensor's; `second`: the target's."""
    if params.flags.nominal:
        reading, second = restore_wrenches(params.target, mem, Wrenches(reading, second), force_age)
        seen = restore_motions(params.target, mem, seen, pose_age)
    arm = subtract(satellites.chaser.p, satellites.target.p)
    chaser, mismatch = reading, 0.0
    if params.sensor.on != ON_CHASER:
        chaser, mismatch = combine_sensors(params.sensor.on, second, reading, arm)
    wrenches = Wrenches(chaser, opposite(chaser, arm))
    return Measured(
        wrenches=wrenches,
        mock_ups=seen,
        force_age=force_age,
        pose_age=pose_age,
        mismatch=mismatch,
    )


@noinline
def combine_sensors(on, second: Wrench, reading: Wrench, arm):
    """The chaser's wrench from the target's sensor, or from half the difference of both [and how
    far they are from opposite, N]."""
    if on == ON_TARGET:
        return opposite(reading, negate(arm)), 0.0
    seen_by_target = opposite(second, negate(arm))
    force = scale(0.5, add(reading.force, seen_by_target.force))
    torque = scale(0.5, add(reading.torque, seen_by_target.torque))
    return Wrench(force, torque), norm(subtract(reading.force, seen_by_target.force))


@compiled
def _nothing_scheduled(features, vector, t, satellites: Satellites):
    return Wrenches(no_wrench(), no_wrench())


@noinline
def _scheduled_wrenches(features, vector, t, satellites: Satellites):
    chaser = scheduled(vector, schedule_at(vector, CHASER_EXTERNAL_AT), t, satellites.chaser.q)
    return Wrenches(
        chaser, scheduled(vector, schedule_at(vector, TARGET_EXTERNAL_AT), t, satellites.target.q)
    )


@by_type(lambda cls: _scheduled_wrenches if is_full(cls) else _nothing_scheduled)
def add_scheduled_wrenches(features, vector, t, satellites):
    """What schedules push the satellites with at time t."""


@compiled
def _no_tide(features, vector, rig: Rig, satellites: Satellites):
    return Wrenches(no_wrench(), no_wrench())


@compiled
def _tide(features, vector, rig: Rig, satellites: Satellites):
    chaser, target = tide_wrenches(vector, ORBIT_AT, rig, satellites)
    return Wrenches(chaser, target)


@by_type(lambda cls: _tide if is_full(cls) else _no_tide)
def compute_tide(features, vector, rig, satellites):
    """What the orbit does to both satellites over a cycle."""


@compiled
def sum_external_wrenches(params: Params, vector, mem, rig: Rig, satellites: Satellites):
    """Thrusters, environment: schedules, the tide and plug-ins that act on the satellites directly,
    at the middle of the cycle."""
    given = Wrenches(no_wrench(), no_wrench())
    if params.flags.external:
        given = add_scheduled_wrenches(
            params.features, vector, (rig.cycle + 0.5) * rig.T, satellites
        )
    if params.flags.tide:
        given = add_wrenches(given, compute_tide(params.features, vector, rig, satellites))
    return sum_external(params.methods, mem, rig, satellites, given)


@compiled
def _squares(wrench: Wrench):
    return dot(wrench.force, wrench.force) + dot(wrench.torque, wrench.torque)


@compiled
def is_finite(wrenches: Wrenches):
    """False if any of it is NaN or infinite."""
    return _squares(wrenches.chaser) + _squares(wrenches.target) < math.inf


@compiled
def map_set_points(params: Params, vector, mem, output: Output):
    """Stage 2: each robot carries its satellite's motion, that relative to the nominal one, or its
    share of the relative motion."""
    if params.flags.nominal:
        return map_to_nominal(params.features, params, mem, output)
    if not params.flags.shared:
        return output
    chaser, target = share_out(params.features, vector, LABORATORY_AT, output.chaser, output.target)
    return Output(chaser, target)
