"""The work of the real contact as a rig can know it: measured wrench over measured motion, paired
by age (for methods that follow it).

In: readings with their stamps. Out: E_r, the energy that the real contact has absorbed [J], and the
variance of what noise did to it [J^2]. Work is that of the wrench on the chaser over the relative
displacement (paired_poses.py), trapezoid by trapezoid between force samples; where a contact begins
or ends within a step, the slope of the force tells how much.

A method has a cell of this state (`REAL_WORK`, in these functions `s`) and, elsewhere in its slice,
room for two rings of `rows` rows: measured wrenches and measured poses. `Readings` says where.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled
from softdock.loop.instants import SAME_TIME
from softdock.loop.method.interface import Output
from softdock.loop.rings import Ring, bracket, row_of
from softdock.loop.spatial.motion import Displacement, Wrench
from softdock.loop.spatial.vectors import add, add_scaled, dot, norm, scale, subtract
from softdock.methods.measured.paired_poses import (
    Poses,
    compute_pair_work,
    compute_relative_displacement,
    interpolate_poses,
    take_poses,
)

REAL_WORK = Cells(
    "real_work",
    Cell("forces", int, "-", "wrenches written into their ring"),
    Cell("poses", int, "-", "poses written into their ring"),
    Cell("absorbed", float, "J", "absorbed by the real contact"),
    Cell("variance", float, "J^2", "of the noise's work"),
    Cell("absorbed_before", float, "J", "`absorbed` where the open contact's account begins"),
    Cell("variance_before", float, "J^2", "`variance` there"),
    Cell("slope_xy", float, "N m", "fading moment of force and depth changes"),
    Cell("slope_xx", float, "m^2", "fading moment of depth changes"),
    Cell("until", float, "s", "instant up to which work is counted"),
    Cell(
        "touch_force",
        float,
        "N",
        "of the step of the first touch until its slope is known; 0: none",
    ),
    Cell("touch_way", float, "m", "depth of that step"),
    Cell("touch_absorbed", float, "J", "what was counted of it"),
    Cell("turnover", float, "J", "absorbed and returned in the open contact, both counted up"),
)
WRENCH_ROW = Cells("wrench_row", Cell("time", float, "s"), Cell("wrench", Wrench, "N, Nm"))
POSE_ROW = Cells("pose_row", Cell("time", float, "s"), Cell("poses", Poses, "m, -"))
TIME = WRENCH_ROW.at.time  # in both
RING_FLOATS = WRENCH_ROW.size + POSE_ROW.size  # of both rings, per row
FADING = 0.9  # of the slope's moments in a cycle
# of a contact's turnover: what sampled work may be wrong by, kept back by the passive claim
SAMPLING_MARGIN = 1e-3
SLOPE_MARGIN, NOISE_MARGIN = (
    1.5,
    4.0,
)  # beyond these times slope and noise, a change of force is sudden


class Readings(NamedTuple):
    """The rings of measured wrenches and measured poses."""

    wrenches: Ring
    poses: Ring


class WorkSettings(NamedTuple):
    """How work is counted."""

    threshold: float  # N
    noise_force: float  # N
    noise_torque: float  # Nm
    worst: bool  # what one sample cannot tell of the first touch counts as absorbed


@compiled
def place_readings(at, rows):
    """Both rings, of so many rows each, from float `at` of `mem` on."""
    return Readings(
        Ring(at, rows, WRENCH_ROW.size),
        Ring(at + rows * WRENCH_ROW.size, rows, POSE_ROW.size),
    )


@compiled
def _is_new(mem, ring: Ring, count, time):
    return count == 0 or time > mem[row_of(ring, count - 1) + TIME] + SAME_TIME


@compiled
def store_readings(
    mem, s, readings: Readings, wrench: Wrench, wrench_time, mock_ups: Output, pose_time
):
    """Put what is newer than the newest row into the rings; False: the force was not."""
    is_new = _is_new(mem, readings.wrenches, s.forces, wrench_time)
    if is_new:
        row = WRENCH_ROW(mem, row_of(readings.wrenches, s.forces))
        row.time, row.wrench = wrench_time, wrench
        s.forces += 1
    if _is_new(mem, readings.poses, s.poses, pose_time):
        pose_row = POSE_ROW(mem, row_of(readings.poses, s.poses))
        pose_row.time, pose_row.poses = pose_time, take_poses(mock_ups)
        s.poses += 1
    return is_new


@compiled
def interpolate_wrench(mem, s, readings: Readings, t):
    """The measured wrench on the chaser at an instant."""
    a, b, share = bracket(mem, readings.wrenches, s.forces - 1, TIME, t)
    first, last = WRENCH_ROW(mem, a).wrench, WRENCH_ROW(mem, b).wrench
    force = add_scaled(first.force, share, subtract(last.force, first.force))
    return Wrench(force, add_scaled(first.torque, share, subtract(last.torque, first.torque)))


@compiled
def interpolate_mock_ups(mem, s, readings: Readings, t):
    """The measured poses at an instant."""
    a, b, share = bracket(mem, readings.poses, s.poses - 1, TIME, t)
    return interpolate_poses(POSE_ROW(mem, a).poses, POSE_ROW(mem, b).poses, share)


@compiled
def add_real_work(mem, s, readings: Readings, pose_time, settings: WorkSettings):
    """E_r, and the variance of its noise, from force sample to force sample, as far as the poses of
    the same instants are known."""
    ring = readings.wrenches
    count, since = s.forces, s.until
    i = count - 1
    while i > 0 and i > count - ring.rows and mem[row_of(ring, i - 1) + TIME] > since + SAME_TIME:
        i -= 1
    poses = interpolate_mock_ups(mem, s, readings, since)
    wrench = interpolate_wrench(mem, s, readings, since)
    while i < count and mem[row_of(ring, i) + TIME] <= pose_time + SAME_TIME:
        row = WRENCH_ROW(mem, row_of(ring, i))
        i += 1
        if row.time <= since + SAME_TIME:
            continue
        next_poses, next_wrench = interpolate_mock_ups(mem, s, readings, row.time), row.wrench
        moved = compute_relative_displacement(poses, next_poses)
        absorbed = _compute_absorbed(s, settings, wrench, next_wrench, moved)
        s.absorbed += absorbed
        s.turnover += abs(absorbed)
        if norm(wrench.force) + norm(next_wrench.force) > 0.0:  # else below the sensor's threshold
            _add_noise(s, settings, wrench, next_wrench, moved)
        poses, wrench = next_poses, next_wrench
        s.until = row.time


@compiled
def _add_noise(s, settings: WorkSettings, wrench: Wrench, next_wrench: Wrench, moved: Displacement):
    """The variance of the noise's work over one step."""
    spread = settings.noise_force * settings.noise_force * dot(moved.translation, moved.translation)
    s.variance += spread + settings.noise_torque * settings.noise_torque * dot(
        moved.rotation, moved.rotation
    )
    s.variance += compute_gate_variance(settings.noise_force, wrench, next_wrench, moved)


@compiled
def compute_gate_variance(noise_force, wrench: Wrench, next_wrench: Wrench, moved: Displacement):
    """Variance of one step's work [J^2] when only one of the two readings exceeds the sensor's dead
    band: near it chance decides, with half the mean square change from reading to reading."""
    hidden = norm(wrench.force) == 0.0
    if noise_force == 0.0 or hidden == (norm(next_wrench.force) == 0.0):
        return 0.0
    jump = compute_pair_work(next_wrench if hidden else wrench, moved)
    return 0.5 * jump * jump


@compiled
def _compute_absorbed(
    s, settings: WorkSettings, wrench: Wrench, next_wrench: Wrench, moved: Displacement
):
    """Energy [J] that the real contact took over one step: the trapezoid; where the contact begins
    or ends within the step, what its slope tells."""
    mean = Wrench(
        scale(0.5, add(wrench.force, next_wrench.force)),
        scale(0.5, add(wrench.torque, next_wrench.torque)),
    )
    absorbed, size = -compute_pair_work(mean, moved), norm(mean.force)
    if size == 0.0:
        return 0.0
    deeper, was, now = absorbed / size, norm(wrench.force), norm(next_wrench.force)
    if was <= settings.threshold:
        if now > settings.threshold and deeper > 0.0:
            # the first touch: it happened somewhere within this step
            if settings.worst:
                absorbed += 0.5 * (now - was) * deeper
            s.touch_force, s.touch_way, s.touch_absorbed = now, deeper, absorbed
        return absorbed
    unknown = 0.0
    if settings.worst and s.slope_xx > 0.0:
        change = Wrench(
            subtract(next_wrench.force, wrench.force), subtract(next_wrench.torque, wrench.torque)
        )
        unknown = 0.5 * _compute_sudden_work(
            settings,
            compute_force_slope(s) * deeper * deeper,
            abs(compute_pair_work(change, moved)),
            norm(moved.translation),
        )
    if now <= settings.threshold:
        # parted within this step: a spring of this slope returns no more than it holds
        slope = compute_force_slope(s)
        return unknown + (max(absorbed, -0.5 * was * was / slope) if slope > 0.0 else absorbed)
    if s.touch_force > 0.0:
        absorbed += _correct_first_touch(s, settings, (now - was) / deeper if deeper > 0.0 else 0.0)
    absorbed += unknown
    s.slope_xy = FADING * s.slope_xy + (now - was) * deeper
    s.slope_xx = FADING * s.slope_xx + deeper * deeper
    return absorbed


@compiled
def _compute_sudden_work(settings: WorkSettings, expected, change, way):
    """How much of the work of a change of wrench over one step's motion [J] neither the slope nor
    the noise explains: a second touch, one part that left, a tip that snapped from one wall to
    another."""
    return max(change - SLOPE_MARGIN * expected - NOISE_MARGIN * settings.noise_force * way, 0.0)


@compiled
def _correct_first_touch(s, settings: WorkSettings, slope):
    """What the step of the first touch took beyond what was counted [J], now that the slope behind
    it is known. A force that is all spring began force / slope ago; one that is more than the
    spring can have made jumped, and nobody knows when."""
    force, way, counted = s.touch_force, s.touch_way, s.touch_absorbed
    s.touch_force = 0.0
    if slope <= 0.0 or settings.noise_force > 0.0:
        return 0.0
    if force <= slope * way:
        return 0.5 * force * force / slope - counted
    return (force - 0.5 * slope * way) * way - counted if settings.worst else 0.0


@compiled
def compute_force_slope(s):
    """How the force grows with depth [N/m], from the last few cycles; never negative."""
    return max(s.slope_xy / s.slope_xx, 0.0) if s.slope_xx > 0.0 else 0.0


@compiled
def compute_reserve(s, deviations, worst):
    """What is held back of the energy that the real contact seems to have given [J]: for noise, and
    with `worst` for what sampling may have missed."""
    reserve = deviations * math.sqrt(s.variance - s.variance_before)
    return reserve + SAMPLING_MARGIN * s.turnover if worst else reserve
