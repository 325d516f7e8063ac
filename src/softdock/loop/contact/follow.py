"""The contact under way: opened, continued and closed as the loop runs.

In: the true touch of the mock-ups over the cycle, and what the controller made of it. Out: the
tracker of the contact, and a row of the contact log when it closes (log.py has both).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from softdock.compile.jit import compiled
from softdock.loop.contact import gap_rate
from softdock.loop.contact.log import (
    add_cycle,
    close_contact,
    mark_separation,
    open_contact,
    replace_past,
)
from softdock.loop.memory import HEAD
from softdock.loop.method.corrected import corrected_at, impulse_of, largest_of, settle
from softdock.loop.method.interface import Output
from softdock.loop.sensor.force_torque import MEAN
from softdock.loop.spatial.rigid_body import motion_of
from softdock.loop.vector import PAIRS_MEM

if TYPE_CHECKING:
    from softdock.loop.contact.log import Tracker
    from softdock.loop.cycle import Controlled
    from softdock.loop.energy.balance import MethodEffects
    from softdock.loop.facility.state import Stretch
    from softdock.loop.loop import Loop
    from softdock.loop.params import Params


@compiled
def follow_contacts(
    params: Params,
    effects: MethodEffects,
    loop: Loop,
    mem,
    log,
    plant: Stretch,
    controlled: Controlled,
    reading_time,
    t,
):
    """Open, continue or close the contact under way. The gap's rate after it is taken once no
    reading of the contact can act any more, nor a wanted contact that a method has put in its
    place. `params`: without methods; `effects`: of the methods
    (energy/balance.py); `plant`: what the facility did in the cycle."""
    tracker, wrenches, head = loop.tracker, controlled.wrenches, HEAD(mem)
    before, after = loop.satellites, controlled.corrected
    if not tracker.open and not plant.touched:
        return tracker
    if params.flags.torques and plant.peak_torque_squared > head.peak_torque:
        head.peak_torque = plant.peak_torque_squared
    was, now = loop.command, controlled.command
    if effects.rows.command:  # else the set-points are the satellites' motions
        was = Output(
            motion_of(params.chaser, before.chaser), motion_of(params.target, before.target)
        )
        now = Output(motion_of(params.chaser, after.chaser), motion_of(params.target, after.target))
    stale = (
        0.5 * params.T if params.sensor.handover == MEAN else 0.0
    )  # a mean's oldest sample: its stamp is that of its middle
    opens = not tracker.open
    parts = (
        not opens
        and not plant.touched
        and not tracker.apart
        and reading_time - stale > tracker.last_touch
    )
    if effects.replaces:
        parts = parts and not effects.replaced.acts
    rate = 0.0
    if opens or parts:
        rate = gap_rate(
            params.pairs,
            mem,
            PAIRS_MEM,
            plant.pair if opens else tracker.pair,
            now.chaser,
            now.target,
        )
    if opens:
        tracker = open_contact(tracker.closed, plant.first_touch, rate)
    tracker = add_cycle(tracker, plant, params.T, wrenches, was, now)
    if parts:
        tracker = mark_separation(tracker, rate)
    if tracker.apart and t - tracker.last_touch >= params.merge_window:
        head.peak_force = max(head.peak_force, tracker.peak_real_squared)
        head.peak_satellite = max(head.peak_satellite, tracker.peak_satellite_squared)
        tracker = close_contact(tracker, log)
    return tracker


@compiled
def log_recomputed_past(methods, mem, acts, tracker: Tracker):
    """The contact of the log, its force on the chaser as the past has it by now. `acts`: the
    satellites are still in the contact that a method has put in place of the real one."""
    at, rewound = corrected_at(methods)
    settle(mem, at, acts, tracker.open)
    if not tracker.open:
        return tracker
    return replace_past(tracker, impulse_of(mem, at), largest_of(mem, at), mem[rewound] > 0.0)
