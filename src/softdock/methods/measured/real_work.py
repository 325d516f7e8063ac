"""The work of the real contact as a rig can know it: measured wrench over measured motion, paired
by age (for methods that follow it).

In: readings with their stamps. Out: E_r, the energy that the real contact has absorbed [J], and the
variance of what noise did to it [J^2]. Work is that of the wrench on the chaser over the relative
displacement (paired_poses.py), trapezoid by trapezoid between force samples; where a contact begins
or ends within a step, the slope of the force tells how much.

A method gives it cells (`BOOKS`) and, elsewhere in its slice, room for two rings of `rows` rows:
measured wrenches and measured poses. `Books` says where both are.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled
from softdock.loop.instants import SAME_TIME
from softdock.loop.rings import Ring, bracket, row_of
from softdock.loop.spatial.motion import Wrench, load_wrench, store_wrench
from softdock.loop.spatial.vectors import add, add_scaled, dot, norm, scale, subtract
from softdock.methods.measured.paired_poses import (
    load_poses,
    poses_between,
    poses_of,
    relative_displacement,
    store_poses,
    work_on,
)

BOOKS = Cells(
    "real_work",
    Cell("forces", 1, "-", "wrenches written into their ring"),
    Cell("poses", 1, "-", "poses written into their ring"),
    Cell("real", 1, "J", "absorbed by the real contact"),
    Cell("variance", 1, "J^2", "of the noise's work"),
    Cell("base_real", 1, "J", "`real` where the books of the open contact begin"),
    Cell("base_variance", 1, "J^2", "`variance` there"),
    Cell("slope_xy", 1, "N m", "fading moment of force and depth changes"),
    Cell("slope_xx", 1, "m^2", "fading moment of depth changes"),
    Cell("booked", 1, "s", "instant up to which work is booked"),
    Cell("touch_force", 1, "N", "of the step of the first touch until its slope is known; 0: none"),
    Cell("touch_way", 1, "m", "depth of that step"),
    Cell("touch_booked", 1, "J", "what was booked of it"),
    Cell("turnover", 1, "J", "absorbed and returned in the open contact, both counted up"),
)
BOOK = BOOKS.at
WRENCH_ROW = Cells("wrench_row", Cell("time", 1, "s"), Cell("wrench", 6, "N, Nm"))
POSE_ROW = Cells("pose_row", Cell("time", 1, "s"), Cell("poses", 14, "m, -"))
WRENCH_FLOATS, POSE_FLOATS = WRENCH_ROW.size, POSE_ROW.size
WRENCH_AT, POSES_AT = WRENCH_ROW.at.wrench, POSE_ROW.at.poses
RING_FLOATS = WRENCH_FLOATS + POSE_FLOATS  # of both rings, per row
FADING = 0.9  # of the slope's moments in a cycle
# of a contact's turnover: what sampled work may be wrong by, kept back by the passive claim
SAMPLING_MARGIN = 1e-3
SLOPE_MARGIN, NOISE_MARGIN = (
    1.5,
    4.0,
)  # beyond these times slope and noise, a change of force is sudden


class Books(NamedTuple):
    """Where a method keeps them in `mem`."""

    at: int  # the cells
    rings: int
    rows: int  # of each ring


@compiled
def _wrenches(books):
    return Ring(books.rings, books.rows, WRENCH_FLOATS)


@compiled
def _poses(books):
    return Ring(books.rings + books.rows * WRENCH_FLOATS, books.rows, POSE_FLOATS)


@compiled
def _is_new(mem, ring, count, time):
    return count == 0 or time > mem[row_of(ring, count - 1)] + SAME_TIME


@compiled
def note_readings(mem, books, wrench, wrench_time, mock_ups, pose_time):
    """Put what is newer than the newest row into the rings; False: the force was not."""
    at, ring = books.at, _wrenches(books)
    count = int(mem[at + BOOK.forces])
    is_new = _is_new(mem, ring, count, wrench_time)
    if is_new:
        row = row_of(ring, count)
        mem[row] = wrench_time
        store_wrench(mem, row + WRENCH_AT, wrench)
        mem[at + BOOK.forces] = count + 1.0
    ring = _poses(books)
    count = int(mem[at + BOOK.poses])
    if _is_new(mem, ring, count, pose_time):
        row = row_of(ring, count)
        mem[row] = pose_time
        store_poses(mem, row + POSES_AT, poses_of(mock_ups))
        mem[at + BOOK.poses] = count + 1.0
    return is_new


@compiled
def wrench_at(mem, books, t):
    """The measured wrench on the chaser at an instant."""
    newest = int(mem[books.at + BOOK.forces]) - 1
    a, b, share = bracket(mem, _wrenches(books), newest, 0, t)
    first, last = load_wrench(mem, a + WRENCH_AT), load_wrench(mem, b + WRENCH_AT)
    force = add_scaled(first.force, share, subtract(last.force, first.force))
    return Wrench(force, add_scaled(first.torque, share, subtract(last.torque, first.torque)))


@compiled
def poses_at(mem, books, t):
    """The measured poses at an instant."""
    newest = int(mem[books.at + BOOK.poses]) - 1
    a, b, share = bracket(mem, _poses(books), newest, 0, t)
    return poses_between(load_poses(mem, a + POSES_AT), load_poses(mem, b + POSES_AT), share)


class Booking(NamedTuple):
    """How work is booked."""

    threshold: float  # N
    noise_force: float  # N
    noise_torque: float  # Nm
    worst: bool  # what one sample cannot tell of the first touch counts as absorbed


@compiled
def book_real_work(mem, books, pose_time, booking):
    """E_r, and the variance of its noise, from force sample to force sample, as far as the poses of
    the same instants are known."""
    base, rows, ring = books.at, books.rows, _wrenches(books)
    count, since = int(mem[base + BOOK.forces]), mem[base + BOOK.booked]
    i = count - 1
    while i > 0 and i > count - rows and mem[row_of(ring, i - 1)] > since + SAME_TIME:
        i -= 1
    poses, wrench = poses_at(mem, books, since), wrench_at(mem, books, since)
    while i < count and mem[row_of(ring, i)] <= pose_time + SAME_TIME:
        row = row_of(ring, i)
        i += 1
        if mem[row] <= since + SAME_TIME:
            continue
        next_poses, next_wrench = poses_at(mem, books, mem[row]), load_wrench(mem, row + WRENCH_AT)
        moved = relative_displacement(poses, next_poses)
        absorbed = _absorbed(mem, base, booking, wrench, next_wrench, moved)
        mem[base + BOOK.real] += absorbed
        mem[base + BOOK.turnover] += abs(absorbed)
        if norm(wrench.force) + norm(next_wrench.force) > 0.0:  # else below the sensor's threshold
            _add_noise(mem, base, booking, wrench, next_wrench, moved)
        poses, wrench = next_poses, next_wrench
        mem[base + BOOK.booked] = mem[row]


@compiled
def _add_noise(mem, base, booking, wrench, next_wrench, moved):
    """The variance of the noise's work over one step."""
    spread = booking.noise_force * booking.noise_force * dot(moved.translation, moved.translation)
    mem[base + BOOK.variance] += spread + booking.noise_torque * booking.noise_torque * dot(
        moved.rotation, moved.rotation
    )
    mem[base + BOOK.variance] += gate_variance(booking.noise_force, wrench, next_wrench, moved)


@compiled
def gate_variance(noise_force, wrench, next_wrench, moved):
    """Variance of one step's work [J^2] when only one of the two readings exceeds the sensor's dead
    band: near it chance decides, with half the mean square change from reading to reading."""
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
    """What is held back of the energy that the real contact seems to have given [J]: for noise, and
    with `worst` for what sampling may have missed."""
    kept = deviations * math.sqrt(mem[base + BOOK.variance] - mem[base + BOOK.base_variance])
    return kept + SAMPLING_MARGIN * mem[base + BOOK.turnover] if worst else kept
