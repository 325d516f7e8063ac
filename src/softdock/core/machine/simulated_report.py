"""The report of the simulated facility (core/seam.py), and its truth.

A report holds what a rig would give as well: raw wrenches, poses, their stamps and ages. The truth
is what only a simulation has; it goes to records and pages, never to a controller. In: the
facility's state at t_k. Out: rows of seam.REPORT and of TRUTH.
"""

from __future__ import annotations

from softdock.core.facility.arms import trouble_of_arms
from softdock.core.machine.cells import Cell, Cells
from softdock.core.machine.compiled import compiled
from softdock.core.readings import seen_by_report
from softdock.core.seam import (
    CHASER_POSE,
    CHASER_REDUCED,
    CHASER_TWIST,
    CHASER_WRENCH,
    ROBOT_FAULT,
    TARGET_POSE,
    TARGET_REDUCED,
    TARGET_TWIST,
    TARGET_WRENCH,
    R,
)
from softdock.core.sensor.force_torque import ON_CHASER, ON_TARGET
from softdock.core.spatial.motion import (
    MOTION_FLOATS,
    WRENCH_FLOATS,
    load_wrench,
    store_motion,
    store_wrench,
)

TRUTH = Cells(
    "truth",
    Cell("chaser", MOTION_FLOATS, "", "the chaser's mock-up: a `motion`"),
    Cell("target", MOTION_FLOATS, "", "the target's mock-up: a `motion`"),
    Cell("true_chaser", WRENCH_FLOATS, "N, Nm", "of the contact on the chaser's mock-up"),
    Cell("mean_chaser", WRENCH_FLOATS, "N, Nm", "its mean over the cycle that ended"),
    Cell("mean_target", WRENCH_FLOATS, "N, Nm", "likewise on the target's mock-up"),
    Cell("absorbed", 1, "J", "by the contact over the cycle that ended"),
    Cell("stored", 1, "J", "in the contact now"),
    Cell("dissipated", 1, "J", "in the contact over the cycle that ended"),
    Cell("depth", 1, "m", "of the contact; negative: the gap"),
    Cell("peak_squared", 1, "N^2", "largest force of a pair over the cycle, squared"),
    Cell("peak_torque_squared", 1, "(Nm)^2", "largest torque over the cycle, squared"),
)
AT = TRUTH.at


@compiled
def _stamp(time):
    return float(int(1e9 * time + (0.5 if time >= 0.0 else -0.5)))


@compiled
def fill_report(params, mem, facility, k, report):
    """The report of t_k. With a tool the wrench is raw; a sensor without one has nothing to be
    taken out, and says that its wrench is of the contact alone."""
    t, on, f = k * params.T, params.sensor.on, facility
    seen = seen_by_report(params, mem, f)
    present = CHASER_POSE | CHASER_TWIST | TARGET_POSE | TARGET_TWIST
    report[R.cycle] = float(k)
    report[R.now] = _stamp(t)
    report[R.late] = 0.0
    report[R.lost] = 0.0
    report[R.status] = float(ROBOT_FAULT if trouble_of_arms(params.features, params, mem) else 0)
    report[R.chaser_stamp] = _stamp(f.seen_time)
    report[R.target_stamp] = _stamp(f.seen_time)
    report[R.chaser_age] = t - f.seen_time
    report[R.target_age] = t - f.seen_time
    store_motion(report, R.chaser, seen.chaser)
    store_motion(report, R.target, seen.target)
    if f.handed >= 0 and on != ON_TARGET:
        present |= CHASER_WRENCH
        if not params.flags.chaser_heavy:
            present |= CHASER_REDUCED
        report[R.chaser_force_stamp] = _stamp(f.reading_time)
        report[R.chaser_force_age] = t - f.reading_time
        report[R.chaser_force_number] = float(f.handed)
        store_wrench(report, R.chaser_wrench, f.reading)
    if f.handed >= 0 and on != ON_CHASER:
        present |= TARGET_WRENCH
        if not params.flags.target_heavy:
            present |= TARGET_REDUCED
        report[R.target_force_stamp] = _stamp(f.reading_time)
        report[R.target_force_age] = t - f.reading_time
        report[R.target_force_number] = float(f.handed)
        store_wrench(report, R.target_wrench, load_wrench(mem, params.memory.second))
    report[R.present] = float(present)


@compiled
def store_truth(row, facility, passage):
    """What only the simulation knows of the cycle that ended."""
    store_motion(row, AT.chaser, facility.chaser)
    store_motion(row, AT.target, facility.target)
    store_wrench(row, AT.true_chaser, facility.true_chaser)
    store_wrench(row, AT.mean_chaser, passage.mean_chaser)
    store_wrench(row, AT.mean_target, passage.mean_target)
    row[AT.absorbed] = passage.absorbed
    row[AT.stored] = passage.stored
    row[AT.dissipated] = passage.dissipated
    row[AT.depth] = passage.depth
    row[AT.peak_squared] = passage.peak_squared
    row[AT.peak_torque_squared] = passage.peak_torque_squared
