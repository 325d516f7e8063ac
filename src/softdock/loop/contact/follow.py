"""The contact under way: opened, continued and closed as the loop runs.

In: the true touch of the mock-ups over the cycle, and what the controller made of it. Out: the
tracker of the contact, and a row of the contact log when it closes (log.py has both).
"""

from __future__ import annotations

from softdock.compile.jit import compiled
from softdock.loop.contact import gap_rate
from softdock.loop.contact.log import (
    add_cycle,
    close_contact,
    mark_separation,
    open_contact,
    replace_past,
)
from softdock.loop.method.corrected import corrected_at, impulse_of, largest_of, settle
from softdock.loop.method.interface import Output
from softdock.loop.sensor.force_torque import MEAN
from softdock.loop.spatial.rigid_body import motion_of
from softdock.loop.vector import (
    PAIRS_MEM,
    PEAK_FORCE_MEM,
    PEAK_SATELLITE_MEM,
    PEAK_TORQUE_MEM,
)


@compiled
def follow_contacts(rig, said, loop, mem, log, passage, done, reading_time, t):
    """Open, continue or close the contact under way. The gap's rate after it is taken once no
    reading of the contact can act any more, nor a wanted contact that a method has put in its
    place. `rig`: parameters without methods; `said`: books.py."""
    tracker, wrenches, before, after = loop.tracker, done.wrenches, loop.satellites, done.corrected
    if not tracker.open and not passage.touched:
        return tracker
    if rig.flags.torques and passage.peak_torque_squared > mem[PEAK_TORQUE_MEM]:
        mem[PEAK_TORQUE_MEM] = passage.peak_torque_squared
    was, now = loop.command, done.command
    if said.rows.command:  # else the set-points are the satellites' motions
        was = Output(motion_of(rig.chaser, before.chaser), motion_of(rig.target, before.target))
        now = Output(motion_of(rig.chaser, after.chaser), motion_of(rig.target, after.target))
    stale = (
        0.5 * rig.T if rig.sensor.handover == MEAN else 0.0
    )  # a mean's oldest sample: its stamp is that of its middle
    opens = not tracker.open
    parts = (
        not opens
        and not passage.touched
        and not tracker.apart
        and reading_time - stale > tracker.last_touch
    )
    if said.replaces:
        parts = parts and not said.replaced.acts
    rate = 0.0
    if opens or parts:
        rate = gap_rate(
            rig.pairs,
            mem,
            PAIRS_MEM,
            passage.pair if opens else tracker.pair,
            now.chaser,
            now.target,
        )
    if opens:
        tracker = open_contact(tracker.closed, passage.first_touch, rate)
    tracker = add_cycle(tracker, passage, rig.T, wrenches, was, now)
    if parts:
        tracker = mark_separation(tracker, rate)
    if tracker.apart and t - tracker.last_touch >= rig.merge_window:
        mem[PEAK_FORCE_MEM] = max(mem[PEAK_FORCE_MEM], tracker.peak_real_squared)
        mem[PEAK_SATELLITE_MEM] = max(mem[PEAK_SATELLITE_MEM], tracker.peak_satellite_squared)
        tracker = close_contact(tracker, log)
    return tracker


@compiled
def log_past(methods, mem, acts, tracker):
    """The contact of the log, its force on the chaser as the past has it by now. `acts`: the
    satellites are still in the contact that a method has put in place of the real one."""
    at, rewound = corrected_at(methods)
    settle(mem, at, acts, tracker.open)
    if not tracker.open:
        return tracker
    return replace_past(tracker, impulse_of(mem, at), largest_of(mem, at), mem[rewound] > 0.0)
