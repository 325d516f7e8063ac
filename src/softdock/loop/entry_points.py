"""The entry points into compiled code: the few functions that Python calls. Flat arrays in, flat
arrays out.

`begin` and `run_cycles` drive the fused loop, one cycle or many; `run_batch` does many runs. The
same loop cut at the seam, the way a rig with real robots is driven, is in seam_entry_points.py.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled, entry_point
from softdock.loop.contact.latch import sum_up_latches
from softdock.loop.contact.log import close_contact
from softdock.loop.contact.models import touch_pair
from softdock.loop.contact.pair import PAIR_FLOATS, pair_here
from softdock.loop.contact.seat import CAPTURE, is_seated, seat_of_place
from softdock.loop.contact.tip import tip_in_target
from softdock.loop.contact.tips import count_tips, tip_number
from softdock.loop.contact.touch import INSIDE
from softdock.loop.corrected_record import rewrite_past
from softdock.loop.cycle import cycle
from softdock.loop.energy.ledger import energy_added
from softdock.loop.keys import TIME
from softdock.loop.memory import HEAD
from softdock.loop.method.hooks import any_past
from softdock.loop.method.interface import OUTPUT
from softdock.loop.record import CHANNEL_COUNT, record_row
from softdock.loop.settled_motion import begin_watch, keep_watched, watch
from softdock.loop.spatial.motion import Motion
from softdock.loop.spatial.rigid_body import motion_of
from softdock.loop.spatial.vectors import add, add_scaled, norm, scale
from softdock.loop.specialise import kind_of, store_numbers
from softdock.loop.start import start
from softdock.loop.state import STATE
from softdock.loop.status import COMPLETED, DEEP_AT_START, DEEPEST_START, DIVERGED
from softdock.loop.vector import (
    CAPTURE_AT,
    PAIRS_MEM,
    TIME_AT,
    prepare,
    prepare_pairs,
    prepare_rig,
    store_pairs,
)

if TYPE_CHECKING:
    from softdock.loop.params import Params

_AXES = ("px", "py", "pz", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz")
OUTCOME = Cells(
    "outcome",
    Cell("status", int, "-", "how the run ended, an index of `STATUSES`"),
    Cell("cycles", int, "-", "control cycles that ran"),
    Cell("contacts", int, "-", "real contacts"),
    Cell("energy_added_J", float, "J", "energy that the loop added"),
    Cell("observed_J", float, "J", "observed energy, > 0: the rig is active"),
    Cell("kinetic_start_J", float, "J", "kinetic energy of both satellites at the start"),
    Cell("kinetic_end_J", float, "J", "and at the end"),
    Cell("real_work_J", float, "J", "absorbed by the real contact"),
    Cell("peak_force_real_N", float, "N", "largest true force of a contact pair"),
    Cell(
        "peak_force_satellite_N", float, "N", "largest force of a contact on the chaser satellite"
    ),
    Cell("chaser", Motion, "", "the chaser satellite at the end"),
    Cell("target", Motion, "", "the target satellite at the end"),
    Cell("peak_torque_real_Nm", float, "Nm", "largest true torque; NaN: nobody asked"),
    Cell("captured_at_s", float, "s", "NaN: not captured, or nobody asked"),
    Cell("latched_at_s", float, "s", "when the last latch went hard; NaN: one did not, or none"),
    Cell("latch_peak_force_N", float, "N", "largest force through a latch; NaN: there is none"),
    Cell("latch_peak_torque_Nm", float, "Nm", "largest torque at a latch; NaN: there is none"),
)
OUTCOME_COLUMNS = tuple(
    name
    for cell in OUTCOME
    for name in ([cell.name] if cell.size == 1 else [f"{cell.name}.{axis}" for axis in _AXES])
)
OUTCOMES = OUTCOME.size
MOTIONS = OUTCOME.at.chaser  # first column of the two motions


@entry_point
def begin(vector, features, mem, flat, record):
    """The loop at t = 0 into `flat`; the first row into `record`, if it has rows: methods have done
    nothing yet. Returns depth [m] and pair of the satellites' deepest touch."""
    params = prepare_rig(vector, features)
    loop, depth, pair = start(vector, params, mem)
    if record.shape[0] > 0:
        record_row(record[0], params, mem, loop, 0.0)
    STATE(flat).whole = loop
    return depth, pair


@entry_point
def run_cycles(vector, markers, mem, flat, record, log, first, last):
    """Cycles first .. last - 1. Returns how many cycles have run since the start; stops early at a
    status other than completed."""
    params = prepare(vector, markers)
    loop = STATE(flat).whole
    k = first
    while k < last and loop.status == COMPLETED:
        loop = cycle(params, vector, loop, mem, log, k)
        k += 1
        if record.shape[0] > k:
            record_row(record[k], params, mem, loop, k * params.T)
            if any_past(params.methods):
                rewrite_past(record, CHANNEL_COUNT, params, mem, k)
    STATE(flat).whole = loop
    return k


@entry_point
def finish(flat, log):
    """Close a contact that is still open at the end of a run."""
    tracker = STATE(flat).tracker
    if tracker.open:
        return close_contact(tracker, log).closed
    return tracker.closed


@entry_point
def capture_time(vector, features, mem, motions):
    """When a recorded run was captured, as `run_one` has it [s]; NaN: it was not. `motions`: chaser
    and target, one row per cycle; `mem`: with the run's pairs."""
    pairs, T, seated = prepare_pairs(vector, features), TIME(vector, TIME_AT).cycle, 0
    for k in range(1, motions.shape[0]):
        chaser, target = OUTPUT(motions, k).whole
        seated = (
            seated + 1
            if is_seated(vector, CAPTURE_AT, pairs, mem, PAIRS_MEM, chaser, target)
            else 0
        )
        if seated * T >= CAPTURE(vector, CAPTURE_AT).hold - 1e-9:
            return k * T
    return math.nan


@entry_point
def place_at_seat(vector, features, mem, index, place):
    """From a tip at a place (target axes, from the target's centre of mass) to the seat of its
    pair [m]; infinite outside. `mem`: zeros, with room for all pairs."""
    pairs = prepare_pairs(vector, features)
    store_pairs(vector, mem, pairs.number, False, 0)
    return seat_of_place(vector, CAPTURE_AT, pairs, mem, PAIRS_MEM, index, place)


@entry_point
def list_touches(vector, features, mem, poses, out):
    """Every touch of every tip over rows of poses (chaser's p, q, target's p, q): into `out` the
    row, the place on the surface and the normal there [m, target axes, from the target's centre of
    mass] and the radius of the flat that the overlap cuts off [m]. Returns how many there are;
    those beyond `out` are only counted. `mem`: zeros, with room for all pairs."""
    pairs = prepare_pairs(vector, features)
    store_pairs(vector, mem, pairs.number, False, 0)
    zero, found = (0.0, 0.0, 0.0), 0
    for k in range(poses.shape[0]):
        r = poses[k]
        chaser = Motion((r[0], r[1], r[2]), (r[3], r[4], r[5], r[6]), zero, zero)
        target = Motion((r[7], r[8], r[9]), (r[10], r[11], r[12], r[13]), zero, zero)
        for i in range(pairs.number):
            pair = pair_here(pairs, mem, PAIRS_MEM + i * PAIR_FLOATS, i)
            for j in range(count_tips(pair)):
                one = tip_number(pair, j)
                _, _, tip = tip_in_target(one, chaser, target)
                touches = touch_pair(one, INSIDE, False, tip)
                for touch in (touches.first, touches.second):
                    depth, radius = touch.depth, one.tip_radius
                    if not depth > 0.0:
                        continue
                    if found < out.shape[0]:
                        n = scale(1.0 / norm(touch.normal), touch.normal)
                        place = add_scaled(add(tip, pair.origin), depth - radius, n)
                        flat = math.sqrt(max(depth * (2.0 * radius - depth), 0.0))
                        out[found, 0] = k
                        out[found, 1], out[found, 2], out[found, 3] = place
                        out[found, 4], out[found, 5], out[found, 6] = n
                        out[found, 7] = flat
                    found += 1
    return found


@compiled
def run_one(vector, params: Params, mem, log, outcome):
    """A whole run without records: start, all cycles, outcomes. The same for a CPU thread and a
    CUDA thread."""
    loop, depth, _ = start(vector, params, mem)
    cycles = int(math.ceil(params.duration / params.T - 1e-9))
    k, seated, captured_at = 0, 0, math.nan  # cycles so far, cycles at the seat on end, s
    watched = begin_watch(loop.ledger)
    while k < cycles and loop.status == COMPLETED and depth <= DEEPEST_START:
        loop = cycle(params, vector, loop, mem, log, k)
        k += 1
        if params.flags.captures:
            chaser, target = (
                motion_of(params.chaser, loop.satellites.chaser),
                motion_of(params.target, loop.satellites.target),
            )
            seated = (
                seated + 1
                if is_seated(vector, CAPTURE_AT, params.pairs, mem, PAIRS_MEM, chaser, target)
                else 0
            )
            if (
                captured_at != captured_at
                and seated * params.T >= CAPTURE(vector, CAPTURE_AT).hold - 1e-9
            ):  # NaN: not yet
                captured_at = k * params.T
        if params.flags.compares:
            watched = watch(watched, params, vector, mem, loop, log, k * params.T)
    contacts = loop.tracker.closed
    if loop.tracker.open:
        contacts = close_contact(loop.tracker, log).closed
    status = loop.status if depth <= DEEPEST_START else DEEP_AT_START
    if status == COMPLETED and not abs(energy_added(loop.ledger)) < math.inf:
        status = DIVERGED  # a work that was no number, which the satellites need not have felt
    head, o = HEAD(mem), OUTCOME(outcome)
    o.status = status
    o.cycles = k
    o.contacts = contacts
    o.energy_added_J = energy_added(loop.ledger)
    o.observed_J = loop.ledger.observed
    o.kinetic_start_J = loop.ledger.kinetic_start
    o.kinetic_end_J = loop.ledger.kinetic
    o.real_work_J = loop.ledger.real
    o.peak_force_real_N = math.sqrt(
        max(head.peak_force, loop.tracker.peak_real_squared if loop.tracker.open else 0.0)
    )
    o.peak_force_satellite_N = math.sqrt(
        max(
            head.peak_satellite,
            loop.tracker.peak_satellite_squared if loop.tracker.open else 0.0,
        )
    )
    if params.flags.compares:
        keep_watched(log, watched, loop.ledger)
    o.chaser = motion_of(params.chaser, loop.satellites.chaser)
    o.target = motion_of(params.target, loop.satellites.target)
    o.peak_torque_real_Nm = math.sqrt(head.peak_torque) if params.flags.torques else math.nan
    o.captured_at_s = captured_at
    latched_at, force, torque = sum_up_latches(mem, params.memory.latches, params.latches)
    o.latched_at_s = latched_at
    o.latch_peak_force_N = force
    o.latch_peak_torque_Nm = torque


@entry_point
def find_kinds(vectors, markers, kinds, numbers):
    """The kind of every run, and its prepared numbers: see specialise.Kind and
    specialise.Numbers."""
    for i in range(vectors.shape[0]):
        params = prepare(vectors[i], markers)
        for j, value in enumerate(kind_of(params)):
            kinds[i, j] = value
        store_numbers(numbers[i], vectors[i], params)


@entry_point
def run_batch(vectors, markers, mem, logs, outcomes, first, last):
    """Runs first .. last - 1 of a batch on this thread, one after the other in the same `mem`."""
    for i in range(first, last):
        for j in range(mem.shape[0]):
            mem[j] = 0.0
        run_one(vectors[i], prepare(vectors[i], markers), mem, logs[i], outcomes[i])
