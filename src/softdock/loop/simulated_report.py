"""The report of the simulated facility (loop/seam.py), and its truth.

A report holds what a rig would give as well: raw wrenches, poses, their stamps and ages. The truth
is what only a simulation has; it goes to records and pages, never to a controller. In: the
facility's state at t_k. Out: rows of seam.REPORT and of TRUTH.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled
from softdock.loop.facility.arms import find_arm_trouble
from softdock.loop.memory import REPORTS
from softdock.loop.readings import read_mock_ups
from softdock.loop.seam import OF_CHASER, OF_TARGET, REPORT, ROBOT_FAULT
from softdock.loop.sensor.force_torque import ON_CHASER, ON_TARGET
from softdock.loop.spatial.motion import (
    MOTION,
    WRENCH,
    Motion,
    Wrench,
)

if TYPE_CHECKING:
    from softdock.loop.facility.state import Facility, Stretch
    from softdock.loop.params import Params
    from softdock.loop.seam import Side

TRUTH = Cells(
    "truth",
    Cell("chaser", Motion, "", "the chaser's mock-up"),
    Cell("target", Motion, "", "the target's mock-up"),
    Cell("true_chaser", Wrench, "N, Nm", "of the contact on the chaser's mock-up"),
    Cell("mean_chaser", Wrench, "N, Nm", "its mean over the cycle that ended"),
    Cell("mean_target", Wrench, "N, Nm", "likewise on the target's mock-up"),
    Cell("absorbed", float, "J", "by the contact over the cycle that ended"),
    Cell("stored", float, "J", "in the contact now"),
    Cell("dissipated", float, "J", "in the contact over the cycle that ended"),
    Cell("depth", float, "m", "of the contact; negative: the gap"),
    Cell("peak_squared", float, "N^2", "largest force of a pair over the cycle, squared"),
    Cell("peak_torque_squared", float, "(Nm)^2", "largest torque over the cycle, squared"),
)


@compiled
def _stamp(time):
    return float(int(1e9 * time + (0.5 if time >= 0.0 else -0.5)))


@compiled
def _pose(report, side: Side, t, taken, motion):
    """One mock-up's motion as seen at time `taken` [s]: its bits of `present`."""
    report[side.stamp] = _stamp(taken)
    report[side.age] = t - taken
    MOTION(report, side.motion).whole = motion
    return side.has_pose | side.has_twist


@compiled
def _wrench(report, side: Side, t, facility: Facility, reading: Wrench, heavy):
    """One sensor's newest reading: its bits of `present`."""
    report[side.force_stamp] = _stamp(facility.reading_time)
    report[side.force_age] = t - facility.reading_time
    report[side.force_number] = float(facility.handed)
    WRENCH(report, side.wrench).whole = reading
    return side.has_wrench if heavy else side.has_wrench | side.is_reduced


@compiled
def fill_report(params: Params, mem, facility: Facility, k, report):
    """The report of t_k. With a tool the wrench is raw; a sensor without one has nothing to be
    taken out, and says that its wrench is of the contact alone."""
    t, on, f = k * params.T, params.sensor.on, facility
    seen = read_mock_ups(params, mem, f)
    r = REPORT(report)
    r.cycle = k
    r.now = _stamp(t)
    r.late = 0.0
    r.lost = 0
    r.status = ROBOT_FAULT if find_arm_trouble(params.features, params, mem) else 0
    present = _pose(report, OF_CHASER, t, f.seen_time, seen.chaser)
    present |= _pose(report, OF_TARGET, t, f.seen_time, seen.target)
    if f.handed >= 0 and on != ON_TARGET:
        present |= _wrench(report, OF_CHASER, t, f, f.reading, params.flags.chaser_heavy)
    if f.handed >= 0 and on != ON_CHASER:
        second = REPORTS(mem, params.memory.reports).second
        present |= _wrench(report, OF_TARGET, t, f, second, params.flags.target_heavy)
    r.present = present


@compiled
def store_truth(row, facility: Facility, plant: Stretch):
    """What only the simulation knows of the cycle that ended."""
    s = TRUTH(row)
    s.chaser = facility.chaser
    s.target = facility.target
    s.true_chaser = facility.true_chaser
    s.mean_chaser = plant.mean_chaser
    s.mean_target = plant.mean_target
    s.absorbed = plant.absorbed
    s.stored = plant.stored
    s.dissipated = plant.dissipated
    s.depth = plant.depth
    s.peak_squared = plant.peak_squared
    s.peak_torque_squared = plant.peak_torque_squared
