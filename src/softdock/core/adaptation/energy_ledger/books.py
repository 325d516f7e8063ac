"""Books of the energy ledger method: rings of stamped readings, and the work of the real contact,
force and motion paired by age.

Everything is in the method's slice of `mem`, from `base` on: first the cells named below, then
three rings of `rows` rows: measured wrenches, measured poses, and what the books said at the end of
each cycle. Work is that of the wrench on the chaser over the relative displacement
(paired_poses.py).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.core.adaptation.measured.by_axis import WORK_NAMES
from softdock.core.adaptation.measured.doubts import DOUBTS
from softdock.core.adaptation.measured.paired_poses import (
    load_poses,
    poses_between,
    poses_of,
    relative_displacement,
    store_poses,
    work_on,
)
from softdock.core.adaptation.memory import recorded
from softdock.core.machine.cells import Cell, Cells
from softdock.core.machine.compiled import compiled
from softdock.core.spatial.motion import Wrench, load_wrench, store_wrench
from softdock.core.spatial.vectors import add, add_scaled, dot, norm, scale, subtract

BOOKS = Cells(
    "energy_ledger",
    recorded(
        "work",
        "J",
        "energy put into the satellites so far; falling: taken",
        frame="world",
        parts=WORK_NAMES,
    ),
    Cell("forces", 1, "-", "wrenches written into their ring"),
    Cell("poses", 1, "-", "poses written into their ring"),
    Cell("cycles", 1, "-", "cycles written into the ring of books"),
    Cell("real", 1, "J", "absorbed by the real contact"),
    Cell("given", 1, "J", "given from outside"),
    Cell("variance", 1, "J^2", "of the noise's work"),
    Cell("slope_xy", 1, "N m", "fading moment of force and depth changes"),
    Cell("slope_xx", 1, "m^2", "fading moment of depth changes"),
    Cell("open", 1, "-", "1: a contact is open"),
    Cell("last_seen", 1, "s", "when its force was last seen"),
    Cell("summit", 1, "J", "its largest energy along the wrench"),
    Cell("base_kinetic", 1, "J", "where the open contact's books begin: kinetic energy"),
    Cell("base_real", 1, "J", "and `real`"),
    Cell("base_given", 1, "J", "and `given`"),
    Cell("base_variance", 1, "J^2", "and `variance`"),
    Cell("booked", 1, "s", "instant up to which work is booked"),
    Cell("debt", 1, "J", "what the contacts so far could not settle"),
    Cell("direction", 6, "-, m", "wrench along which energy is taken and given, of unit force"),
    Cell("acting", 12, "N, Nm", "wrenches that act on both satellites in this cycle"),
    Cell("command", 14, "m, -", "poses last sent"),
    Cell("sent", 1, "-", "1: there are any"),
    Cell("removed", 1, "J", "by corrections, for the notes"),
    Cell("returned", 1, "J", "by corrections"),
    Cell("largest_step", 1, "m/s", "largest change of speed beyond the force's own"),
    Cell("fastest", 1, "m/s", "fastest approach along the wrench"),
    Cell("contacts", 1, "-", "contacts so far"),
    Cell("stale", 1, "cycles", "of contact without a new force"),
    Cell("longest_trail", 1, "s", "by which the mock-ups trailed the set-points"),
    Cell("shortest_trail", 1, "s", "by which the mock-ups trailed the set-points"),
    Cell("fastest_way", 1, "m", "longest way of one cycle"),
    Cell("largest_transit", 1, "J", "largest work still on its way"),
    Cell("taken", 1, "J", "net, by the corrections of the open contact"),
    Cell("force_time", 1, "s", "stamp of the newest force"),
    Cell("touch_force", 1, "N", "of the step of the first touch until its slope is known; 0: none"),
    Cell("touch_way", 1, "m", "depth of that step"),
    Cell("touch_booked", 1, "J", "what was booked of it"),
    Cell("turnover", 1, "J", "absorbed and returned in the open contact, both counted up"),
    Cell("doubts", DOUBTS.size, "", "doubts.py"),
)
BOOK, BOOK_FLOATS = BOOKS.at, BOOKS.size

# rows of the three rings behind the cells
WRENCH_ROW = Cells("wrench_row", Cell("time", 1, "s"), Cell("wrench", 6, "N, Nm"))
POSE_ROW = Cells("pose_row", Cell("time", 1, "s"), Cell("poses", 14, "m, -"))
BOOK_ROW = Cells(
    "book_row", Cell("kinetic", 1, "J"), Cell("real"), Cell("given"), Cell("variance", 1, "J^2")
)
WRENCH_FLOATS, POSE_FLOATS, ROW_OF_BOOKS = WRENCH_ROW.size, POSE_ROW.size, BOOK_ROW.size
ROW_FLOATS = WRENCH_FLOATS + POSE_FLOATS + ROW_OF_BOOKS
FADING = 0.9  # of the slope's moments in a cycle
SAME_TIME = 1e-9  # s
# of a contact's turnover: what sampled work may be wrong by, kept back by the passive claim
SAMPLING_MARGIN = 1e-3
SLOPE_MARGIN, NOISE_MARGIN = (
    1.5,
    4.0,
)  # beyond these times slope and noise, a change of force is sudden


@compiled
def _wrench_ring(base):
    return base + BOOK_FLOATS


@compiled
def _pose_ring(base, rows):
    return base + BOOK_FLOATS + rows * WRENCH_FLOATS


@compiled
def _book_ring(base, rows):
    return base + BOOK_FLOATS + rows * (WRENCH_FLOATS + POSE_FLOATS)


@compiled
def note_readings(mem, base, rows, wrench, wrench_time, mock_ups, pose_time):
    """Put what is newer than the newest row into the rings."""
    count = int(mem[base + BOOK.forces])
    at = _wrench_ring(base)
    if count == 0 or wrench_time > mem[at + ((count - 1) % rows) * WRENCH_FLOATS] + SAME_TIME:
        row = at + (count % rows) * WRENCH_FLOATS
        mem[row] = wrench_time
        store_wrench(mem, row + 1, wrench)
        mem[base + BOOK.forces] = count + 1.0
    elif mem[base + BOOK.open] != 0.0:
        mem[base + BOOK.stale] += 1.0
    count = int(mem[base + BOOK.poses])
    at = _pose_ring(base, rows)
    if count == 0 or pose_time > mem[at + ((count - 1) % rows) * POSE_FLOATS] + SAME_TIME:
        row = at + (count % rows) * POSE_FLOATS
        mem[row] = pose_time
        store_poses(mem, row + 1, poses_of(mock_ups))
        mem[base + BOOK.poses] = count + 1.0


@compiled
def _bracket(mem, at, floats, rows, count, t):
    """Offsets of the rows before and after t, and the weight of the later one. Beyond the ring: its
    nearest row."""
    later = at + ((count - 1) % rows) * floats
    if t >= mem[later]:
        return later, later, 0.0
    oldest = max(count - rows, 0)
    i = count - 2
    while i >= oldest:
        row = at + (i % rows) * floats
        if mem[row] <= t:
            return row, later, (t - mem[row]) / (mem[later] - mem[row])
        later = row
        i -= 1
    return later, later, 0.0


@compiled
def wrench_at(mem, base, rows, t):
    a, b, share = _bracket(
        mem, _wrench_ring(base), WRENCH_FLOATS, rows, int(mem[base + BOOK.forces]), t
    )
    first, last = load_wrench(mem, a + 1), load_wrench(mem, b + 1)
    force = add_scaled(first.force, share, subtract(last.force, first.force))
    return Wrench(force, add_scaled(first.torque, share, subtract(last.torque, first.torque)))


@compiled
def poses_at(mem, base, rows, t):
    a, b, share = _bracket(
        mem, _pose_ring(base, rows), POSE_FLOATS, rows, int(mem[base + BOOK.poses]), t
    )
    return poses_between(load_poses(mem, a + 1), load_poses(mem, b + 1), share)


class Booking(NamedTuple):
    """How work is booked."""

    threshold: float  # N
    noise_force: float  # N
    noise_torque: float  # Nm
    worst: bool  # what one sample cannot tell of the first touch counts as absorbed


@compiled
def book_real_work(mem, base, rows, pose_time, booking):
    """E_r, and the variance of its noise, from force sample to force sample, as far as the poses of
    the same instants are known."""
    count, at, since = int(mem[base + BOOK.forces]), _wrench_ring(base), mem[base + BOOK.booked]
    i = count - 1
    while (
        i > 0
        and i > count - rows
        and mem[at + ((i - 1) % rows) * WRENCH_FLOATS] > since + SAME_TIME
    ):
        i -= 1
    poses, wrench = poses_at(mem, base, rows, since), wrench_at(mem, base, rows, since)
    while i < count and mem[at + (i % rows) * WRENCH_FLOATS] <= pose_time + SAME_TIME:
        row = at + (i % rows) * WRENCH_FLOATS
        i += 1
        if mem[row] <= since + SAME_TIME:
            continue
        next_poses, next_wrench = poses_at(mem, base, rows, mem[row]), load_wrench(mem, row + 1)
        moved = relative_displacement(poses, next_poses)
        absorbed = _absorbed(mem, base, booking, wrench, next_wrench, moved)
        mem[base + BOOK.real] += absorbed
        mem[base + BOOK.turnover] += abs(absorbed)
        if (
            norm(wrench.force) + norm(next_wrench.force) > 0.0
        ):  # below the sensor's threshold there is no noise
            spread = (
                booking.noise_force
                * booking.noise_force
                * dot(moved.translation, moved.translation)
            )
            mem[base + BOOK.variance] += spread + booking.noise_torque * booking.noise_torque * dot(
                moved.rotation, moved.rotation
            )
            mem[base + BOOK.variance] += gate_variance(
                booking.noise_force, wrench, next_wrench, moved
            )
        poses, wrench = next_poses, next_wrench
        mem[base + BOOK.booked] = mem[row]


@compiled
def gate_variance(noise_force, wrench, next_wrench, moved):
    """Of the work of one step [J^2] where a sensor's threshold lets one of two noisy readings
    through and hides the other: near it chance decides, with a variance of half the mean square
    change from reading to reading."""
    hidden = norm(wrench.force) == 0.0
    if noise_force == 0.0 or hidden == (norm(next_wrench.force) == 0.0):
        return 0.0
    jump = work_on(next_wrench if hidden else wrench, moved)
    return 0.5 * jump * jump


@compiled
def _absorbed(mem, base, booking, wrench, next_wrench, moved):
    """Energy [J] that the real contact took over one step: the trapezoid; where the contact begins
    or ends within the step, what its slope tells."""
    mean = Wrench(
        scale(0.5, add(wrench.force, next_wrench.force)),
        scale(0.5, add(wrench.torque, next_wrench.torque)),
    )
    absorbed, size = -work_on(mean, moved), norm(mean.force)
    if size == 0.0:
        return 0.0
    deeper, was, now = absorbed / size, norm(wrench.force), norm(next_wrench.force)
    if was <= booking.threshold:
        if (
            now > booking.threshold and deeper > 0.0
        ):  # the first touch: it happened somewhere within this step
            if booking.worst:
                absorbed += 0.5 * (now - was) * deeper
            (
                mem[base + BOOK.touch_force],
                mem[base + BOOK.touch_way],
                mem[base + BOOK.touch_booked],
            ) = (
                now,
                deeper,
                absorbed,
            )
        return absorbed
    unknown = 0.0
    if booking.worst and mem[base + BOOK.slope_xx] > 0.0:
        change = Wrench(
            subtract(next_wrench.force, wrench.force), subtract(next_wrench.torque, wrench.torque)
        )
        unknown = 0.5 * _sudden(
            booking,
            force_slope(mem, base) * deeper * deeper,
            abs(work_on(change, moved)),
            norm(moved.translation),
        )
    if (
        now <= booking.threshold
    ):  # parted within this step: a spring of this slope returns no more than it holds
        slope = force_slope(mem, base)
        return unknown + (max(absorbed, -0.5 * was * was / slope) if slope > 0.0 else absorbed)
    if mem[base + BOOK.touch_force] > 0.0:
        absorbed += _first_touch(mem, base, booking, (now - was) / deeper if deeper > 0.0 else 0.0)
    absorbed += unknown
    mem[base + BOOK.slope_xy] = FADING * mem[base + BOOK.slope_xy] + (now - was) * deeper
    mem[base + BOOK.slope_xx] = FADING * mem[base + BOOK.slope_xx] + deeper * deeper
    return absorbed


@compiled
def _sudden(booking, expected, change, way):
    """How much of the work of a change of wrench over one step's motion [J] neither the slope nor
    the noise explains: a second touch, one part that left, a tip that snapped from one wall to
    another."""
    return max(change - SLOPE_MARGIN * expected - NOISE_MARGIN * booking.noise_force * way, 0.0)


@compiled
def _first_touch(mem, base, booking, slope):
    """What the step of the first touch took beyond what was booked [J], now that the slope behind
    it is known. A force that is all spring began force / slope ago; one that is more than the
    spring can have made jumped, and nobody knows when."""
    force, way, booked = (
        mem[base + BOOK.touch_force],
        mem[base + BOOK.touch_way],
        mem[base + BOOK.touch_booked],
    )
    mem[base + BOOK.touch_force] = 0.0
    if slope <= 0.0 or booking.noise_force > 0.0:
        return 0.0
    if force <= slope * way:
        return 0.5 * force * force / slope - booked
    return (force - 0.5 * slope * way) * way - booked if booking.worst else 0.0


@compiled
def force_slope(mem, base):
    """How the force grows with depth [N/m], from the last few cycles; never negative."""
    return (
        max(mem[base + BOOK.slope_xy] / mem[base + BOOK.slope_xx], 0.0)
        if mem[base + BOOK.slope_xx] > 0.0
        else 0.0
    )


@compiled
def kept_back(mem, base, deviations, worst):
    """Of what the real contact seems to have given since the books began [J]: for noise, and with
    `worst` for what sampling may have missed."""
    kept = deviations * math.sqrt(mem[base + BOOK.variance] - mem[base + BOOK.base_variance])
    return kept + SAMPLING_MARGIN * mem[base + BOOK.turnover] if worst else kept


@compiled
def note_books(mem, base, rows, kinetic):
    """A row of the books at the end of a cycle, for contacts that open later."""
    count = int(mem[base + BOOK.cycles])
    row = _book_ring(base, rows) + (count % rows) * ROW_OF_BOOKS
    mem[row] = kinetic
    mem[row + 1], mem[row + 2], mem[row + 3] = (
        mem[base + BOOK.real],
        mem[base + BOOK.given],
        mem[base + BOOK.variance],
    )
    mem[base + BOOK.cycles] = count + 1.0


@compiled
def open_books(mem, base, rows, back):
    """Begin the books of a contact `back` cycles ago, or where the ring begins."""
    count = int(mem[base + BOOK.cycles])
    i = max(count - 1 - min(back, rows - 1), 0)
    row = _book_ring(base, rows) + (i % rows) * ROW_OF_BOOKS
    for j in range(4):
        mem[base + BOOK.base_kinetic + j] = mem[row + j]
