"""A whole run of orbit, the reference flight: from one piece of smooth motion to the next, the end
of each found by bisection.

In: the prepared run (setup.py). Out: the log of contacts, the record (rows at t_k) and the outcome,
in the same layouts as the loop's.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from softdock.compile.cells import Cell, Cells
from softdock.compile.generated import make_replacer
from softdock.compile.jit import compiled, entry_point, noinline
from softdock.loop.contact.log import (
    Tracker,
    close_contact,
    mark_separation,
    no_contact,
    open_contact,
)
from softdock.loop.contact.models import is_lost
from softdock.loop.contact.pair import kind_in, load_pair
from softdock.loop.contact.reach import reach_of
from softdock.loop.contact.tips import deepest_tip
from softdock.loop.controller import is_finite
from softdock.loop.keys import TIME
from softdock.loop.spatial.motion import MOTION, Motion
from softdock.loop.spatial.rigid_body import motion_of
from softdock.loop.spatial.vectors import add
from softdock.loop.status import (
    COMPLETED,
    DEEP_AT_START,
    DEEPEST_START,
    DIVERGED,
    NO_NUMBER,
    STATUSES,
    TIP_LOST,
    is_sane,
)
from softdock.loop.vector import TIME_AT
from softdock.reference.external_wrenches import ROUNDING, bound_external_wrenches, is_sampled
from softdock.reference.latches import add_latches, is_latched, latch_events, switched
from softdock.reference.modes import is_active, is_same, no_mode, side_of
from softdock.reference.networks import (
    bounds_with_networks,
    copy_networks,
    longest_step,
    start_networks,
)
from softdock.reference.sampled import nothing_held
from softdock.reference.servicer import (
    bounds_with_servicer,
    copy_servicer,
    longest_servicer_step,
    start_servicer,
)
from softdock.reference.setup import kinetic, pair_at, prepare_reference, start_orbit
from softdock.reference.step import flow
from softdock.reference.step_length import look
from softdock.reference.touch_forces import hold_bristles, push

TOO_MANY_STEPS = len(STATUSES)
ORBIT_STATUSES = (*STATUSES, "too many steps")
INSTANT = 1e-13  # s; to which the begin and the end of a piece are located
MOST_STEPS, MOST_STEPS_A_CYCLE = 5_000_000, 50

_MOTION_NAMES = ("px", "py", "pz", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz")
OUTCOME = Cells(
    "orbit_outcome",
    Cell("status", int, "-", "how the run ended, an index of `ORBIT_STATUSES`"),
    Cell("steps", int, "-", "pieces of the motion that were tried"),
    Cell("contacts", int, "-", "contacts"),
    Cell("time_s", float, "s", "the instant reached"),
    Cell("kinetic_start_J", float, "J", "kinetic energy of both satellites at the start"),
    Cell("kinetic_J", float, "J", "and at the end"),
    Cell("stored_J", float, "J", "in the contact at the end"),
    Cell("dissipated_J", float, "J", "by the contact"),
    Cell("external_J", float, "J", "work of external wrenches"),
    Cell("peak_force_N", float, "N", "largest force of a contact pair"),
    Cell("virtual_J", float, "J", "absorbed by networks"),
    Cell("driven_J", float, "J", "work of latches' drives"),
    Cell("reach_J", float, "J", "kinetic energy that the first contact can reach; NaN: no contact"),
    Cell("reach_m_per_s", float, "m/s", "speed of the point of contact at the first touch"),
    Cell("chaser", Motion, "", "the chaser at the end"),
    Cell("target", Motion, "", "the target at the end"),
)
OUTCOME_COLUMNS = tuple(
    name
    for cell in OUTCOME
    for name in (
        [cell.name] if cell.size == 1 else [f"{cell.name}.{axis}" for axis in _MOTION_NAMES]
    )
)
ROW = Cells(
    "orbit_record",
    Cell("time", float, "s", "`time`"),
    Cell("chaser", Motion, "", "the chaser satellite"),
    Cell("target", Motion, "", "the target satellite"),
    Cell("force", 3, "N", "`true.chaser.force`, world axes"),
    Cell("depth", float, "m", "`contact.depth`"),
    Cell("kinetic", float, "J", "`energy.kinetic`"),
    Cell("stored", float, "J", "`energy.stored`"),
    Cell("dissipated", float, "J", "`energy.dissipated`"),
    Cell("external", float, "J", "`energy.external`"),
    Cell("virtual", float, "J", "`energy.virtual`"),
)
CHASER_END, TARGET_END = OUTCOME.at.chaser, OUTCOME.at.target
RECORD_FLOATS = ROW.size
# columns of the record by name, as in a run's series
RECORD: dict[str, Any] = {
    "time": ROW.at.time,
    **{
        f"{body}.{name}": MOTION.slice_of(cell, getattr(ROW.at, body))
        for body in ("chaser", "target")
        for name, cell in (("position", "p"), ("attitude", "q"), ("velocity", "v"), ("rate", "w"))
    },
    "true.chaser.force": ROW.slice_of("force"),
    "contact.depth": ROW.at.depth,
    **{
        f"energy.{row}": getattr(ROW.at, row)
        for row in ("kinetic", "stored", "dissipated", "external", "virtual")
    },
}
_followed = make_replacer(
    Tracker,
    "open",
    "apart",
    "pair",
    "last_touch",
    "after",
    "peak_real_squared",
    "peak_satellite_squared",
    "impulse",
    "compressed",
    "released",
)


@compiled
def is_on(mode):
    """Whether anything touches or is latched."""
    return mode.touching != 0 or is_latched(mode)


@compiled
def _follow(tracker, log, mode, seen, passed, t):
    """The contact under way after one more step; contacts of several touches that overlap are
    one."""
    if is_on(mode):
        tracker = _followed(
            tracker,
            open=True,
            apart=False,
            pair=seen.pair,
            last_touch=t,
            after=seen.gap_rate,
            peak_real_squared=max(tracker.peak_real_squared, passed.peak * passed.peak),
            peak_satellite_squared=max(tracker.peak_satellite_squared, passed.peak * passed.peak),
            impulse=add(tracker.impulse, passed.impulse),
            compressed=tracker.compressed + passed.compressed,
            released=tracker.released + passed.released,
        )
        if not is_on(seen.mode):
            tracker = close_contact(mark_separation(tracker, seen.gap_rate), log)
    elif is_on(seen.mode):
        tracker = open_contact(tracker.closed, t, seen.gap_rate)
    return tracker


@compiled
def _is_lost(mem, seen):
    at = pair_at(seen.pair)
    return is_lost(load_pair(mem, at, kind_in(mem, at)), seen.depth)


@noinline
def _note_reach(outcome, setup, mem, seen, both):
    """What the first contact can reach, at its touch."""
    at = pair_at(seen.pair)
    there = motion_of(setup.chaser, both.chaser), motion_of(setup.target, both.target)
    reach = reach_of(
        deepest_tip(load_pair(mem, at, kind_in(mem, at)), there[0], there[1]),
        side_of(seen.mode, seen.pair),
        is_active(seen.mode, seen.pair),
        setup.chaser,
        setup.target,
        chaser=there[0],
        target=there[1],
    )
    o = OUTCOME(outcome)
    o.reach_J, o.reach_m_per_s = reach.energy, reach.speed


@compiled
def _close_open(tracker, log):
    if not tracker.open:
        return tracker
    return close_contact(mark_separation(tracker, math.nan), log)


class Sums(NamedTuple):
    """Sums over the pieces so far."""

    dissipated: float  # J
    external: float  # J
    virtual: float  # J
    driven: float  # J
    peak: float  # N


@compiled
def _nothing_yet():
    return Sums(dissipated=0.0, external=0.0, virtual=0.0, driven=0.0, peak=0.0)


@compiled
def _with_piece(sums, passed, released):
    """`released`: by bristles [J]."""
    return Sums(
        dissipated=sums.dissipated + passed.dissipated + released,
        external=sums.external + passed.external,
        virtual=sums.virtual + passed.virtual,
        driven=sums.driven + passed.driven,
        peak=max(sums.peak, passed.peak),
    )


@compiled
def _record(row, vector, setup, mem, both, seen, sums, t):
    chaser, target = motion_of(setup.chaser, both.chaser), motion_of(setup.target, both.target)
    now = push(vector, setup, mem, seen.mode, chaser, target)
    r = ROW(row)
    r.time = t
    r.chaser = chaser
    r.target = target
    r.force = add_latches(setup.latches, now, vector, mem, t, chaser, target).force
    r.depth = seen.depth
    r.kinetic = kinetic(setup, both)
    r.stored = seen.stored
    r.dissipated = sums.dissipated
    r.external = sums.external
    r.virtual = sums.virtual


@compiled
def _store_end(outcome, setup, mem, both, sums):
    """Energies, the largest force and both satellites at the end."""
    o = OUTCOME(outcome)
    o.kinetic_J = kinetic(setup, both)
    by_switching, lost = switched(setup.latches, mem)
    o.dissipated_J = sums.dissipated + lost
    o.driven_J = sums.driven + by_switching
    o.external_J = sums.external
    o.peak_force_N = sums.peak
    o.virtual_J = sums.virtual
    o.chaser = motion_of(setup.chaser, both.chaser)
    o.target = motion_of(setup.target, both.target)


@compiled
def orbit_run(marker, vector, mem, own, log, record, outcome, coarser):
    """A whole run of orbit, for a CPU or a CUDA thread. A contact still open at the end is logged
    with a restitution of NaN.

    `marker`: an InOrbit; `mem`: zeros, at least `count_reference_floats(vector)`; `own`: zeros, as
    long as the loop's `mem`, for methods that push (none: no floats); `record`: one row per cycle
    and one more, or no rows; `coarser`: factor on all steps (1.0: as in setup.py).
    """
    setup = prepare_reference(marker, vector, mem, coarser)
    both = start_orbit(vector, setup)
    start_networks(setup.networks, vector, mem, both)
    start_servicer(setup.servicer, setup, mem, both)
    T = TIME(vector, TIME_AT).cycle
    cycles = max(1, int(math.ceil(TIME(vector, TIME_AT).duration / T - 1e-9)))
    every = 1 if record.shape[0] > cycles else cycles  # cycles from stop to stop
    o = OUTCOME(outcome)
    o.kinetic_start_J = kinetic(setup, both)
    o.reach_J, o.reach_m_per_s = math.nan, math.nan

    # A step of `dt` leads from `both` at t to `after`. If modes change in it, a shorter one is
    # tried: `same` < dt < `changed`.
    t, k, steps, status, mode = 0.0, 0, 0, COMPLETED, no_mode()
    outside = bound_external_wrenches(vector, setup, own, nothing_held(), both, 0.0)
    if is_sampled(setup) and not is_finite(outside.held.on):
        status = NO_NUMBER
    dt, same, changed = 0.0, 0.0, math.inf
    due = math.inf  # s, when a latch changes by the clock
    tracker, sums, stored, bristled = no_contact(), _nothing_yet(), 0.0, 0.0
    while k <= cycles and status == COMPLETED:
        steps += 1
        if steps > MOST_STEPS + cycles * MOST_STEPS_A_CYCLE:
            status = TOO_MANY_STEPS
        after, passed = flow(vector, setup, mem, mode, outside, both, t, dt=dt)
        bounds = bounds_with_networks(setup.networks, vector, mem, outside, after)
        bounds = bounds_with_servicer(setup.servicer, setup, mem, bounds, after)
        seen = look(vector, setup, mem, mode, bounds, after, t + dt)
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
        copy_servicer(setup.servicer, mem, False)
        hold_bristles(vector, setup, mem, seen.mode, both, True)
        stop = min(min(k * T, outside.until), due)
        at_stop = dt >= stop - t
        t = stop if at_stop else t + dt
        if steps == 1 and seen.depth > DEEPEST_START:
            status = DEEP_AT_START
        was_open = tracker.open
        tracker = _follow(tracker, log, mode, seen, passed, t)
        if tracker.open and not was_open and tracker.closed == 0:
            _note_reach(outcome, setup, mem, seen, both)
        sums = _with_piece(sums, passed, bristled - seen.bristled)
        bristled = seen.bristled
        stored, mode = seen.stored, seen.mode
        if not is_sane(setup, both, kinetic(setup, both)):
            status = DIVERGED
        if seen.depth > 0.0 and _is_lost(mem, seen):
            status = TIP_LOST
        if at_stop and stop == k * T:
            if every == 1 and record.shape[0] > 0:
                _record(record[k], vector, setup, mem, both, seen, sums, t=t)
            k += every
        dt, same, changed = seen.next, 0.0, math.inf
        due, has_latched = latch_events(setup.latches, vector, setup, mem, mode, both, t)
        if has_latched:
            dt = 0.0  # look again, with what it does from now on
        if t == outside.until:
            outside = bound_external_wrenches(vector, setup, own, outside.held, both, t)
            dt = 0.0  # look again, with what acts from now on
            if is_sampled(setup) and not is_finite(outside.held.on):
                status = NO_NUMBER
        until = min(min(k * T, outside.until), due)
        longest = min(
            longest_step(setup.networks, vector),
            longest_servicer_step(setup.servicer, setup, mem, both),
        )
        dt = min(min(dt, longest), until - t)

    o.status = status
    o.steps = steps
    o.contacts = _close_open(tracker, log).closed
    o.time_s = t
    o.stored_J = stored
    _store_end(outcome, setup, mem, both, sums)


run_orbit = entry_point(orbit_run)
