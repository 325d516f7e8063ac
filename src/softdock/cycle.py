"""One control cycle, k -> k+1: the whole of softdock in the order in which it happens. Start reading here.

       1 satellites --pose, twist--> 2 command --set-point--> 3 robots
            ^                                                    |  carry the mock-ups
            | wrench on the satellites                           v
       6 adaptation <--wrench------- 5 sensor <--force------ 4 contact

The controller (`control`) knows only what was measured at t_k. The facility (`facility.advance`) is stages 3 to 5. `cycle` joins them and keeps
the books. The single run, the batch on CPU threads, the CUDA kernel and the loop stepped by hand all call these functions.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.adaptation.interface import Measured, Output, Rig, Satellites, Wrenches
from softdock.adaptation.registry import apply_correct, apply_set_point, apply_wrench
from softdock.command.pass_through import pass_through
from softdock.compiled import compiled
from softdock.contact import gap_rate
from softdock.contact_log import Tracker, close_contact, gather, no_contact_yet, opened, parted
from softdock.energy.ledger import Ledger, book, close_cycle, open_ledger
from softdock.energy.observed import observed_energy
from softdock.facility import Facility, advance, start_facility
from softdock.layout import BOOKS, CHASER_AT, PAIRS_MEM, TARGET_AT, store_pairs
from softdock.robots.history import push
from softdock.satellites import LIE_RK4, integrate
from softdock.spatial.motion import Wrench, no_wrench
from softdock.spatial.rigid_body import initial_body, kinetic_energy, motion_of
from softdock.spatial.vectors import add, cross, dot, negate, subtract

COMPLETED, DIVERGED = 0, 1  # status of a run
STATUSES = ("completed", "diverged")
FASTEST = 1e4  # m/s; a satellite faster than this has diverged


class Loop(NamedTuple):
    """Everything that changes from cycle to cycle, at t_k."""

    satellites: Satellites
    command: Output  # set-points stamped t_k
    facility: Facility
    ledger: Ledger
    tracker: Tracker
    depth: float  # m, of the real contact; negative: the gap
    wrenches: Wrenches  # on the satellites over the cycle that ended at t_k
    status: int


@compiled
def measure(facility, satellites, t):
    """Stage 1 of definitions: the newest reading at t_k. The target gets the equal and opposite wrench about the common point."""
    reading = facility.reading
    arm = subtract(satellites.chaser.p, satellites.target.p)
    torque = add(reading.torque, cross(arm, reading.force))
    wrenches = Wrenches(reading, Wrench(negate(reading.force), negate(torque)))
    return Measured(wrenches, Output(facility.chaser, facility.target), t - facility.reading_time, 0.0)


@compiled
def control(params, mem, k, satellites, measured):
    """The controller's part of a cycle: what was measured at t_k in; wrench, new satellites and set-points stamped t_{k+1} out."""
    rig = Rig(k, params.T, params.chaser, params.target)
    wrenches = apply_wrench(params.methods, mem, rig, measured, satellites, measured.wrenches)
    integrated = Satellites(
        integrate(params.integrator, params.chaser, params.T, satellites.chaser, wrenches.chaser),
        integrate(params.integrator, params.target, params.T, satellites.target, wrenches.target),
    )
    output = Output(motion_of(params.chaser, integrated.chaser), motion_of(params.target, integrated.target))
    corrected, output = apply_correct(params.methods, mem, rig, measured, satellites, integrated, output)
    command = apply_set_point(params.methods, mem, rig, corrected, pass_through(output))
    return wrenches, integrated, corrected, command


@compiled
def cycle(params, loop, mem, log, k):
    """One cycle of the whole loop, with its books."""
    mem[BOOKS] = 0.0
    mem[BOOKS + 1] = 0.0
    before = loop.satellites
    measured = measure(loop.facility, before, k * params.T)
    wrenches, integrated, after, command = control(params, mem, k, before, measured)  # stages 6, 1, 2
    facility, passage = advance(params, loop.facility, mem, k, command.chaser, command.target)  # stages 3, 4, 5

    ledger = keep_books(params, loop, mem, k, measured, wrenches, integrated, after, command, facility, passage)
    tracker = follow_contacts(params, loop.tracker, mem, log, passage, wrenches, before, after, (k + 1) * params.T)
    status = COMPLETED if is_sane(after.chaser) and is_sane(after.target) else DIVERGED
    return Loop(after, command, facility, ledger, tracker, passage.depth, wrenches, status)


@compiled
def start(vector, params, mem):
    """The loop at t = 0: both bodies at their initial state, the robots having followed them in free flight."""
    store_pairs(vector, mem, params.pairs, False)
    satellites = Satellites(initial_body(params.chaser, vector, CHASER_AT), initial_body(params.target, vector, TARGET_AT))
    fill_history(params, mem, params.chaser, params.chaser_history, satellites.chaser)
    fill_history(params, mem, params.target, params.target_history, satellites.target)
    facility, stored = start_facility(params, mem)
    command = Output(motion_of(params.chaser, satellites.chaser), motion_of(params.target, satellites.target))
    kinetic = kinetic_energy(params.chaser, satellites.chaser) + kinetic_energy(params.target, satellites.target)
    still = Wrenches(no_wrench(), no_wrench())
    return Loop(satellites, command, facility, open_ledger(kinetic), no_contact_yet(), 0.0, still, COMPLETED)


@compiled
def fill_history(params, mem, body_params, at, body):
    """Set-points before t = 0: the free flight that leads to the initial state."""
    for j in range(params.slots - 1):
        push(mem, at, params.slots, -j, motion_of(body_params, body))
        body = integrate(LIE_RK4, body_params, -params.T, body, no_wrench())


@compiled
def keep_books(params, loop, mem, k, measured, wrenches, integrated, after, command, facility, passage):
    """The ledger's entry of one cycle."""
    nothing = no_wrench()
    before, meant = loop.satellites, measured.wrenches
    chaser = book(
        wrenches.chaser, nothing, meant.chaser, passage.mean_chaser, before.chaser, after.chaser, loop.command.chaser, command.chaser
    )
    target = book(
        wrenches.target, nothing, meant.target, passage.mean_target, before.target, after.target, loop.command.target, command.target
    )
    kinetic_integrated = kinetic_energy(params.chaser, integrated.chaser) + kinetic_energy(params.target, integrated.target)
    kinetic = kinetic_energy(params.chaser, after.chaser) + kinetic_energy(params.target, after.target)
    now = measure(facility, after, (k + 1) * params.T)
    observed = observed_energy(wrenches, loop.command, command, measured, now)
    return close_cycle(
        loop.ledger,
        chaser,
        target,
        kinetic_integrated,
        kinetic,
        passage.absorbed,
        passage.stored,
        passage.dissipated,
        observed,
        mem[BOOKS],
        mem[BOOKS + 1],
    )


@compiled
def follow_contacts(params, tracker, mem, log, passage, wrenches, before, after, t):
    """Open, continue or close the contact under way."""
    if not tracker.open and not passage.touched:
        return tracker
    if not tracker.open:
        rate = gap_rate(mem, PAIRS_MEM, passage.pair, motion_of(params.chaser, after.chaser), motion_of(params.target, after.target))
        tracker = opened(tracker.count, passage.first_touch, rate)
    tracker = gather(tracker, passage, params.T, wrenches, before, after)
    if not passage.touched and not tracker.apart:
        rate = gap_rate(mem, PAIRS_MEM, tracker.pair, motion_of(params.chaser, after.chaser), motion_of(params.target, after.target))
        tracker = parted(tracker, rate)
    if tracker.apart and t - tracker.last_touch >= params.merge_window:
        tracker = close_contact(tracker, log)
    return tracker


@compiled
def is_sane(body):
    """False for NaN, infinity and speeds no satellite has."""
    size = dot(body.v, body.v) + 0.0 * (dot(body.p, body.p) + dot(body.L, body.L) + body.q[0])
    return size <= FASTEST * FASTEST and not math.isnan(size)
