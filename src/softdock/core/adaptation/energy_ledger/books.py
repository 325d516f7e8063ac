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

from softdock.core.adaptation.measured.doubts import DOUBT_CELLS
from softdock.core.adaptation.measured.paired_poses import (
    load_poses,
    poses_between,
    poses_of,
    relative_displacement,
    store_poses,
    work_on,
)
from softdock.core.machine.compiled import compiled
from softdock.core.spatial.motion import Wrench, load_wrench, store_wrench
from softdock.core.spatial.vectors import add, add_scaled, dot, norm, scale, subtract

# cells, from the method's `memory` on
# 12, recorded: J put into the satellites by corrections so far, by body, force or torque, and world
# axis; below 0: taken
WORK = 0
FORCES, POSES, CYCLES = 12, 13, 14  # rows written so far into each ring
REAL, GIVEN, VARIANCE = (
    15,
    16,
    17,
)  # J, J, J^2: absorbed by the real contact; given from outside; of the noise's work
SLOPE_XY, SLOPE_XX = 18, 19  # N m, m^2: moments of force and depth changes, fading
OPEN, LAST_SEEN, SUMMIT = (
    20,
    21,
    22,
    # whether a contact is open; s, when its force was last seen; J, its largest energy along the
    # wrench
)
BASE_KINETIC, BASE_REAL, BASE_GIVEN, BASE_VARIANCE = (
    23,
    24,
    25,
    26,
)  # where the open contact's books begin
BOOKED = 27  # s, up to which instant work is booked
DEBT = 28  # J, what the contacts so far could not settle
DIRECTION = 29  # 6: the wrench along which energy is taken and given, of unit force
ACTING = 35  # 12: the wrenches that act on both satellites in this cycle
COMMAND = 47  # 14: poses last sent
SENT = 61  # whether there are any
REMOVED, RETURNED, LARGEST_STEP, FASTEST, CONTACTS = (
    62,
    63,
    64,
    65,
    66,
)  # for the notes: J, J, m/s, m/s, -
STALE, LONGEST_TRAIL, SHORTEST_TRAIL, FASTEST_WAY = 67, 68, 69, 70  # cycles, s, s, m in a cycle
LARGEST_TRANSIT = 71  # J
TAKEN, FORCE_TIME = 72, 73  # J, net, by the corrections of the open contact; s, of the newest force
TOUCH_FORCE, TOUCH_WAY, TOUCH_BOOKED = (
    74,
    75,
    76,
)  # N, m, J: of the cycle of the first touch, until its slope is known; 0: none
TURNOVER = 77  # J, of the open contact: what was absorbed and what was returned, both counted up
DOUBTS = 78  # the cells of sensor_doubts.py
CELLS = DOUBTS + DOUBT_CELLS

WRENCH_ROW, POSE_ROW, BOOK_ROW = 7, 15, 4
ROW_FLOATS = WRENCH_ROW + POSE_ROW + BOOK_ROW
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
    return base + CELLS


@compiled
def _pose_ring(base, rows):
    return base + CELLS + rows * WRENCH_ROW


@compiled
def _book_ring(base, rows):
    return base + CELLS + rows * (WRENCH_ROW + POSE_ROW)


@compiled
def note_readings(mem, base, rows, wrench, wrench_time, mock_ups, pose_time):
    """Put what is newer than the newest row into the rings."""
    count = int(mem[base + FORCES])
    at = _wrench_ring(base)
    if count == 0 or wrench_time > mem[at + ((count - 1) % rows) * WRENCH_ROW] + SAME_TIME:
        row = at + (count % rows) * WRENCH_ROW
        mem[row] = wrench_time
        store_wrench(mem, row + 1, wrench)
        mem[base + FORCES] = count + 1.0
    elif mem[base + OPEN] != 0.0:
        mem[base + STALE] += 1.0
    count = int(mem[base + POSES])
    at = _pose_ring(base, rows)
    if count == 0 or pose_time > mem[at + ((count - 1) % rows) * POSE_ROW] + SAME_TIME:
        row = at + (count % rows) * POSE_ROW
        mem[row] = pose_time
        store_poses(mem, row + 1, poses_of(mock_ups))
        mem[base + POSES] = count + 1.0


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
    a, b, share = _bracket(mem, _wrench_ring(base), WRENCH_ROW, rows, int(mem[base + FORCES]), t)
    first, last = load_wrench(mem, a + 1), load_wrench(mem, b + 1)
    force = add_scaled(first.force, share, subtract(last.force, first.force))
    return Wrench(force, add_scaled(first.torque, share, subtract(last.torque, first.torque)))


@compiled
def poses_at(mem, base, rows, t):
    a, b, share = _bracket(mem, _pose_ring(base, rows), POSE_ROW, rows, int(mem[base + POSES]), t)
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
    count, at, since = int(mem[base + FORCES]), _wrench_ring(base), mem[base + BOOKED]
    i = count - 1
    while (
        i > 0 and i > count - rows and mem[at + ((i - 1) % rows) * WRENCH_ROW] > since + SAME_TIME
    ):
        i -= 1
    poses, wrench = poses_at(mem, base, rows, since), wrench_at(mem, base, rows, since)
    while i < count and mem[at + (i % rows) * WRENCH_ROW] <= pose_time + SAME_TIME:
        row = at + (i % rows) * WRENCH_ROW
        i += 1
        if mem[row] <= since + SAME_TIME:
            continue
        next_poses, next_wrench = poses_at(mem, base, rows, mem[row]), load_wrench(mem, row + 1)
        moved = relative_displacement(poses, next_poses)
        absorbed = _absorbed(mem, base, booking, wrench, next_wrench, moved)
        mem[base + REAL] += absorbed
        mem[base + TURNOVER] += abs(absorbed)
        if (
            norm(wrench.force) + norm(next_wrench.force) > 0.0
        ):  # below the sensor's threshold there is no noise
            spread = (
                booking.noise_force
                * booking.noise_force
                * dot(moved.translation, moved.translation)
            )
            mem[base + VARIANCE] += spread + booking.noise_torque * booking.noise_torque * dot(
                moved.rotation, moved.rotation
            )
            mem[base + VARIANCE] += gate_variance(booking.noise_force, wrench, next_wrench, moved)
        poses, wrench = next_poses, next_wrench
        mem[base + BOOKED] = mem[row]


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
            mem[base + TOUCH_FORCE], mem[base + TOUCH_WAY], mem[base + TOUCH_BOOKED] = (
                now,
                deeper,
                absorbed,
            )
        return absorbed
    unknown = 0.0
    if booking.worst and mem[base + SLOPE_XX] > 0.0:
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
    if mem[base + TOUCH_FORCE] > 0.0:
        absorbed += _first_touch(mem, base, booking, (now - was) / deeper if deeper > 0.0 else 0.0)
    absorbed += unknown
    mem[base + SLOPE_XY] = FADING * mem[base + SLOPE_XY] + (now - was) * deeper
    mem[base + SLOPE_XX] = FADING * mem[base + SLOPE_XX] + deeper * deeper
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
    force, way, booked = mem[base + TOUCH_FORCE], mem[base + TOUCH_WAY], mem[base + TOUCH_BOOKED]
    mem[base + TOUCH_FORCE] = 0.0
    if slope <= 0.0 or booking.noise_force > 0.0:
        return 0.0
    if force <= slope * way:
        return 0.5 * force * force / slope - booked
    return (force - 0.5 * slope * way) * way - booked if booking.worst else 0.0


@compiled
def force_slope(mem, base):
    """How the force grows with depth [N/m], from the last few cycles; never negative."""
    return (
        max(mem[base + SLOPE_XY] / mem[base + SLOPE_XX], 0.0) if mem[base + SLOPE_XX] > 0.0 else 0.0
    )


@compiled
def kept_back(mem, base, deviations, worst):
    """Of what the real contact seems to have given since the books began [J]: for noise, and with
    `worst` for what sampling may have missed."""
    kept = deviations * math.sqrt(mem[base + VARIANCE] - mem[base + BASE_VARIANCE])
    return kept + SAMPLING_MARGIN * mem[base + TURNOVER] if worst else kept


@compiled
def note_books(mem, base, rows, kinetic):
    """A row of the books at the end of a cycle, for contacts that open later."""
    count = int(mem[base + CYCLES])
    row = _book_ring(base, rows) + (count % rows) * BOOK_ROW
    mem[row] = kinetic
    mem[row + 1], mem[row + 2], mem[row + 3] = (
        mem[base + REAL],
        mem[base + GIVEN],
        mem[base + VARIANCE],
    )
    mem[base + CYCLES] = count + 1.0


@compiled
def open_books(mem, base, rows, back):
    """Begin the books of a contact `back` cycles ago, or where the ring begins."""
    count = int(mem[base + CYCLES])
    i = max(count - 1 - min(back, rows - 1), 0)
    row = _book_ring(base, rows) + (i % rows) * BOOK_ROW
    for j in range(4):
        mem[base + BASE_KINETIC + j] = mem[row + j]
