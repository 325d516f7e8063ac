"""A whole run of orbit: from piece to piece of the motion, the ends of each found by bisection;
log, record and outcome."""

from __future__ import annotations

import math
from typing import Any

from softdock.core.contact_log import Tracker, close_contact, no_contact_yet, opened, parted
from softdock.core.cycle import COMPLETED, DEEP_AT_START, DEEPEST_START, DIVERGED, STATUSES, is_sane
from softdock.core.machine.compiled import compiled, door
from softdock.core.machine.vector import TIME_AT, TIMES
from softdock.core.orbit.look import look
from softdock.core.orbit.modes import is_same, no_mode
from softdock.core.orbit.networks import (
    bounds_with_networks,
    copy_networks,
    longest_step,
    start_networks,
)
from softdock.core.orbit.outside import ROUNDING, outside_from
from softdock.core.orbit.push import push
from softdock.core.orbit.setup import kinetic, prepare_orbit, start_orbit
from softdock.core.orbit.step import flow
from softdock.core.spatial.motion import MOTION_FLOATS, store_motion
from softdock.core.spatial.rigid_body import motion_of
from softdock.core.spatial.vectors import add, store3

TOO_MANY_STEPS = len(STATUSES)
ORBIT_STATUSES = (*STATUSES, "too many steps")
INSTANT = 1e-13  # s; to which the begin and the end of a piece are located
MOST_STEPS = 20_000_000

_MOTION_NAMES = ("px", "py", "pz", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz")
_NUMBERS = (
    "status",
    "steps",
    "contacts",
    "time_s",
    "kinetic_start_J",
    "kinetic_J",
    "stored_J",
    "dissipated_J",
    "external_J",
    "peak_force_N",
    "virtual_J",
)
OUTCOME_COLUMNS = (
    *_NUMBERS,
    *(f"{body}.{name}" for body in ("chaser", "target") for name in _MOTION_NAMES),
)
CHASER_END = len(_NUMBERS)
TARGET_END = CHASER_END + MOTION_FLOATS
# columns of the record by name, as in a run's series
RECORD: dict[str, Any] = {
    "time": 0,
    **{
        f"{body}.{name}": slice(first + at, first + at + size)
        for body, first in (("chaser", 1), ("target", 1 + MOTION_FLOATS))
        for name, at, size in (
            ("position", 0, 3),
            ("attitude", 3, 4),
            ("velocity", 7, 3),
            ("rate", 10, 3),
        )
    },
    "true.chaser.force": slice(27, 30),
    "contact.depth": 30,
    "energy.kinetic": 31,
    "energy.stored": 32,
    "energy.dissipated": 33,
    "energy.external": 34,
    "energy.virtual": 35,
}
RECORD_FLOATS = 36


@compiled
def _follow(tracker, log, mode, seen, passed, t):
    """The contact under way after one more step; contacts of several touches that overlap are
    one."""
    if mode.touching != 0:
        tracker = Tracker(
            True,
            tracker.closed,
            False,
            seen.pair,
            tracker.start,
            t,
            tracker.before,
            seen.gap_rate,
            max(tracker.peak_real_squared, passed.peak * passed.peak),
            max(tracker.peak_satellite_squared, passed.peak * passed.peak),
            add(tracker.impulse, passed.impulse),
            tracker.compressed + passed.compressed,
            tracker.released + passed.released,
        )
        if seen.mode.touching == 0:
            tracker = close_contact(parted(tracker, seen.gap_rate), log)
    elif seen.mode.touching != 0:
        tracker = opened(tracker.closed, t, seen.gap_rate)
    return tracker


@compiled
def _close_open(tracker, log):
    if not tracker.open:
        return tracker
    return close_contact(parted(tracker, math.nan), log)


@compiled
def _record(row, vector, setup, mem, both, seen, dissipated, external, virtual, t):
    chaser, target = motion_of(setup.chaser, both.chaser), motion_of(setup.target, both.target)
    row[0] = t
    store_motion(row, 1, chaser)
    store_motion(row, 1 + MOTION_FLOATS, target)
    store3(row, 27, push(vector, setup, mem, seen.mode, chaser, target).force)
    row[30] = seen.depth
    row[31] = kinetic(setup, both)
    row[32] = seen.stored
    row[33] = dissipated
    row[34] = external
    row[35] = virtual


@compiled
def orbit_run(marker, vector, mem, log, record, outcome, coarser):
    """A whole run of orbit, for a CPU or a CUDA thread. A contact still open at the end is logged
    with a restitution of NaN.

    `marker`: a NoNetworks, or a Networks if the vector lists any (networks.py);
    `mem`: zeros, at least `orbit_mem_floats(vector)`; `record`: a row a cycle and one more, or no
    rows; `coarser`: factor on all steps (1.0: as in setup.py).
    """
    setup = prepare_orbit(marker, vector, mem, coarser)
    both = start_orbit(vector, setup)
    start_networks(setup.networks, vector, mem, both)
    T = vector[TIME_AT + TIMES.cycle]
    cycles = max(1, int(math.ceil(vector[TIME_AT + TIMES.duration] / T - 1e-9)))
    every = 1 if record.shape[0] > cycles else cycles  # cycles from stop to stop
    outcome[4] = kinetic(setup, both)

    # A step of `dt` leads from `both` at t to `after`. If modes change in it, a shorter one is
    # tried: `same` < dt < `changed`.
    t, k, steps, status, mode, outside = (
        0.0,
        0,
        0,
        COMPLETED,
        no_mode(),
        outside_from(vector, setup, 0.0),
    )
    dt, same, changed = 0.0, 0.0, math.inf
    tracker, dissipated, external, virtual, peak, stored = no_contact_yet(), 0.0, 0.0, 0.0, 0.0, 0.0
    while k <= cycles and status == COMPLETED:
        steps += 1
        if steps > MOST_STEPS:
            status = TOO_MANY_STEPS
        after, passed = flow(vector, setup, mem, mode, outside, both, t, dt)
        seen = look(
            vector,
            setup,
            mem,
            mode,
            bounds_with_networks(setup.networks, vector, mem, outside, after),
            after,
        )
        instant = INSTANT + ROUNDING * t
        is_kept = is_same(seen.mode, mode)
        if not is_kept and dt - same > instant:
            changed = dt
            dt = 0.5 * (same + changed)
            continue
        if is_kept and dt < changed < math.inf:
            same = dt
            dt = changed if changed - same <= instant else 0.5 * (same + changed)
            continue

        both = after
        copy_networks(setup.networks, vector, mem, False)
        stop = min(k * T, outside.until)
        at_stop = dt >= stop - t
        t = stop if at_stop else t + dt
        if steps == 1 and seen.depth > DEEPEST_START:
            status = DEEP_AT_START
        tracker = _follow(tracker, log, mode, seen, passed, t)
        peak = max(peak, passed.peak)
        dissipated += passed.dissipated
        external += passed.external
        virtual += passed.virtual
        stored, mode = seen.stored, seen.mode
        if not is_sane(setup, both, kinetic(setup, both)):
            status = DIVERGED
        if at_stop and stop == k * T:
            if every == 1 and record.shape[0] > 0:
                _record(record[k], vector, setup, mem, both, seen, dissipated, external, virtual, t)
            k += every
        dt, same, changed = seen.next, 0.0, math.inf
        if t == outside.until:
            outside = outside_from(vector, setup, t)
            dt = 0.0  # look again, with what acts from now on
        dt = min(min(dt, longest_step(setup.networks, vector)), min(k * T, outside.until) - t)

    outcome[0] = float(status)
    outcome[1] = float(steps)
    outcome[2] = float(_close_open(tracker, log).closed)
    outcome[3] = t
    outcome[5] = kinetic(setup, both)
    outcome[6] = stored
    outcome[7] = dissipated
    outcome[8] = external
    outcome[9] = peak
    outcome[10] = virtual
    store_motion(outcome, CHASER_END, motion_of(setup.chaser, both.chaser))
    store_motion(outcome, TARGET_END, motion_of(setup.target, both.target))


run_orbit = door(orbit_run)
