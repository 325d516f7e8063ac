"""The loop at t = 0: both satellites at their initial state, after a free flight that the robots
have followed.

In: the parameter vector. Out: the loop's state (loop.py) with contact pairs, past set-points and
first readings in `mem`, and how deep the satellites overlap [m]. A start deeper than
`DEEPEST_START` is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from softdock.compile.jit import compiled, noinline
from softdock.loop.contact import touch_noinline
from softdock.loop.contact.log import no_contact
from softdock.loop.controller import map_set_points
from softdock.loop.energy.ledger import open_ledger
from softdock.loop.facility.simulated import start_facility
from softdock.loop.loop import Loop
from softdock.loop.method.interface import Output, Satellites, Wrenches
from softdock.loop.nominal import begin_nominal, note_nominal
from softdock.loop.readings import compensate_readings, remember_command
from softdock.loop.robots.history import push
from softdock.loop.satellites import LIE_RK4, integrate
from softdock.loop.spatial.motion import no_wrench
from softdock.loop.spatial.rigid_body import initial_body, kinetic_energy, motion_of
from softdock.loop.status import COMPLETED, stop_by_arms
from softdock.loop.vector import (
    CHASER_AT,
    PAIRS_MEM,
    TARGET_AT,
    forget_bristles,
    locate_bristles,
    store_pairs,
    without_methods,
)

if TYPE_CHECKING:
    from softdock.loop.params import Params


@compiled
def start(vector, params: Params, mem):
    """The loop at t = 0: both bodies at their initial state, the robots having followed them in
    free flight.

    Also how deep the satellites are in contact [m], and which pair: more than `DEEPEST_START` is no
    start.
    """
    params = without_methods(params)
    satellites, facility, depth, pair = settle(vector, params, mem)
    facility = compensate_readings(params.features, params, vector, mem, facility, -1, 0)
    command = map_set_points(
        params,
        vector,
        mem,
        Output(
            motion_of(params.chaser, satellites.chaser), motion_of(params.target, satellites.target)
        ),
    )
    kinetic = kinetic_energy(params.chaser, satellites.chaser) + kinetic_energy(
        params.target, satellites.target
    )
    still = Wrenches(no_wrench(), no_wrench())
    return (
        Loop(
            satellites=satellites,
            command=command,
            facility=facility,
            ledger=open_ledger(kinetic),
            tracker=no_contact(),
            depth=0.0,
            wrenches=still,
            status=stop_by_arms(params, mem, COMPLETED),
        ),
        depth,
        pair,
    )


@noinline
def settle(vector, params: Params, mem):
    """Pairs and history into `mem`; satellites and facility at t = 0 with readings as they are
    reported, and the satellites' deepest touch."""
    bristles = locate_bristles(vector, params.pairs.number)
    store_pairs(vector, mem, params.pairs.number, False, bristles)
    forget_bristles(vector, mem, bristles)
    satellites = Satellites(
        initial_body(params.chaser, vector, CHASER_AT),
        initial_body(params.target, vector, TARGET_AT),
    )
    begin_nominal(params, mem, satellites.target)
    fill_history(params, vector, mem, satellites)
    note_nominal(mem, satellites.target)
    both = Output(
        motion_of(params.chaser, satellites.chaser), motion_of(params.target, satellites.target)
    )
    touch = touch_noinline(vector, mem, PAIRS_MEM, params.pairs, both.chaser, both.target)
    return satellites, start_facility(params, vector, mem), touch.depth, touch.pair


@compiled
def _command_before(params: Params, vector, mem, chaser, target):
    """Set-points of an instant before t = 0, where nothing has touched the target."""
    note_nominal(mem, target)
    motions = Output(motion_of(params.chaser, chaser), motion_of(params.target, target))
    return map_set_points(params, vector, mem, motions)


@noinline
def fill_history(params: Params, vector, mem, satellites: Satellites):
    """Set-points before t = 0: the free flight that leads to the initial state."""
    m, nothing = params.memory, no_wrench()
    chaser, target = satellites.chaser, satellites.target
    for j in range(max(m.slots, m.command_slots)):
        command = _command_before(params, vector, mem, chaser, target)
        if j < m.slots:
            push(mem, m.chaser_history, m.slots, -j, command.chaser)
            push(mem, m.target_history, m.slots, -j, command.target)
        if j < m.command_slots:
            remember_command(params.features, params, mem, -j, command)
        chaser = integrate(LIE_RK4, params.chaser, -params.T, chaser, nothing)
        target = integrate(LIE_RK4, params.target, -params.T, target, nothing)
