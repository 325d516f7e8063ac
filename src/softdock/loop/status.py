"""How a run ends: its status, and the limits that are checked after every cycle.

In: satellites, set-points, facility and energy balance at t_{k+1}. Out: `COMPLETED` as long as the
run may go on, or the code of what ends it: a limit of force, torque or reach, an arm that cannot
follow, numbers that have diverged, a method that asks to stop.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from softdock.compile.jit import compiled
from softdock.loop.contact.models import is_lost
from softdock.loop.contact.pair import PAIR_FLOATS, pair_here
from softdock.loop.contact.touch import NO_TOUCH
from softdock.loop.facility.arms import find_arm_trouble
from softdock.loop.facility.simulated import out_of_reach
from softdock.loop.method.hooks import any_external, any_reported_work
from softdock.loop.method.interface import PUSHED_BY_NAN
from softdock.loop.spatial.rigid_body import body_rate
from softdock.loop.spatial.vectors import dot
from softdock.loop.vector import NO_LIMIT, PAIRS_MEM

if TYPE_CHECKING:
    from softdock.loop.energy.ledger import Ledger
    from softdock.loop.facility.state import Facility, Stretch
    from softdock.loop.method.interface import Output, Satellites
    from softdock.loop.params import Params

OF_A_RUN = (
    "completed",
    "diverged",
    "force limit",
    "torque limit",
    "reach limit",
    "deep in contact at the start",
    "stopped by a method",
    "a method pushed with something that is not a number",
    "a tip is too deep in a wall",
)
# of an arm: as loop/arms/follow.py counts them, from one on, behind those of a run
ARM_STATUSES = ("arm out of reach", "joint limit of an arm", "arm at a singularity")
STATUSES = (*OF_A_RUN, *ARM_STATUSES)
(
    COMPLETED,
    DIVERGED,
    FORCE_LIMIT,
    TORQUE_LIMIT,
    REACH_LIMIT,
    DEEP_AT_START,
    METHOD_STOP,
    NO_NUMBER,
    TIP_LOST,
) = range(len(OF_A_RUN))
BEFORE_ARMS = TIP_LOST
DEEPEST_START = (
    1e-6  # m; bodies deeper in contact than this at t = 0 would bring energy from nowhere
)
FASTEST = 1e4  # m/s; a satellite faster than this has diverged
FASTEST_TURN = 1e3  # rad/s; likewise


@compiled
def is_sane(params: Params, satellites: Satellites, kinetic):
    """False for NaN, infinity, and speeds and rates no satellite has; `params`: both bodies'. The
    kinetic energy is NaN or infinite as soon as a velocity, a momentum or an attitude is; a
    position cannot be before its velocity is."""
    c, t = satellites.chaser, satellites.target
    turn_c, turn_t = body_rate(params.chaser, c.q, c.L), body_rate(params.target, t.q, t.L)
    return (
        kinetic < math.inf
        and max(dot(c.v, c.v), dot(t.v, t.v)) <= FASTEST * FASTEST
        and max(dot(turn_c, turn_c), dot(turn_t, turn_t)) <= FASTEST_TURN * FASTEST_TURN
    )


@compiled
def is_known(motions: Output, ledger: Ledger):
    """False if a place of two set-points or the energy balance is NaN or infinite, which the
    satellites need not feel."""
    c, t = motions.chaser, motions.target
    places = c.p[0] + c.p[1] + c.p[2] + t.p[0] + t.p[1] + t.p[2] + c.q[0] + t.q[0]
    return abs(places + ledger.turnover) < math.inf


@compiled
def stop_by_methods(methods, request):
    """COMPLETED, or why a method ends the run; `request`: what stands in its cell of `mem`."""
    if (any_reported_work(methods) or any_external(methods)) and request != 0.0:
        return NO_NUMBER if request == PUSHED_BY_NAN else METHOD_STOP
    return COMPLETED


@compiled
def check_limits(
    params: Params,
    vector,
    mem,
    satellites: Satellites,
    facility: Facility,
    plant: Stretch,
    ledger: Ledger,
):
    """Whether the run may go on."""
    if not is_sane(params, satellites, ledger.kinetic):
        return DIVERGED
    if params.pairs.number > 0 and not plant.depth > NO_TOUCH:  # a mock-up that is nowhere
        return DIVERGED
    if plant.depth > 0.0 and params.pairs.number > 0:
        at = PAIRS_MEM + plant.pair * PAIR_FLOATS
        if is_lost(pair_here(params.pairs, mem, at, plant.pair), plant.depth):
            return TIP_LOST
    if params.stop_force < NO_LIMIT and plant.peak_squared > params.stop_force * params.stop_force:
        return FORCE_LIMIT
    if (
        params.stop_torque < NO_LIMIT
        and plant.peak_torque_squared > params.stop_torque * params.stop_torque
    ):
        return TORQUE_LIMIT
    if params.flags.bounded and out_of_reach(
        params.features, vector, facility.chaser.p, facility.target.p
    ):
        return REACH_LIMIT
    return COMPLETED


@compiled
def stop_by_arms(params: Params, mem, status):
    """The same status, or that of an arm that cannot follow its set-points."""
    trouble = find_arm_trouble(params.features, params, mem)
    return BEFORE_ARMS + trouble if status == COMPLETED and trouble > 0 else status
