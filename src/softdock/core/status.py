"""How a run ends: its status, and the limits that decide it after every cycle."""

from __future__ import annotations

import math

from softdock.core.facility.simulated import out_of_reach
from softdock.core.machine.compiled import compiled
from softdock.core.machine.vector import NO_LIMIT
from softdock.core.spatial.vectors import dot

COMPLETED, DIVERGED, FORCE_LIMIT, TORQUE_LIMIT, REACH_LIMIT, DEEP_AT_START, METHOD_STOP = (
    0,
    1,
    2,
    3,
    4,
    5,
    6,
)  # status of a run
STATUSES = (
    "completed",
    "diverged",
    "force limit",
    "torque limit",
    "reach limit",
    "deep in contact at the start",
    "stopped by a method",
)
DEEPEST_START = (
    1e-6  # m; bodies deeper in contact than this at t = 0 would bring energy from nowhere
)
FASTEST = 1e4  # m/s; a satellite faster than this has diverged


@compiled
def is_sane(satellites, kinetic):
    """False for NaN, infinity and speeds no satellite has. The kinetic energy is NaN or infinite as
    soon as a velocity, a momentum or an attitude is; a position cannot be before its velocity
    is."""
    chaser, target = satellites.chaser.v, satellites.target.v
    return kinetic < math.inf and max(dot(chaser, chaser), dot(target, target)) <= FASTEST * FASTEST


@compiled
def check_limits(params, vector, satellites, facility, passage, kinetic):
    """Whether the run may go on."""
    if not is_sane(satellites, kinetic):
        return DIVERGED
    if (
        params.stop_force < NO_LIMIT
        and passage.peak_squared > params.stop_force * params.stop_force
    ):
        return FORCE_LIMIT
    if (
        params.stop_torque < NO_LIMIT
        and passage.peak_torque_squared > params.stop_torque * params.stop_torque
    ):
        return TORQUE_LIMIT
    if params.bounded and out_of_reach(
        params.features, vector, facility.chaser.p, facility.target.p
    ):
        return REACH_LIMIT
    return COMPLETED
