"""What a report says of motions and wrenches, in common to both mock-ups' instants and reduced to
the contact.

In: a report at t_k (seam.REPORT) and what was kept of the cycles before. Out: `Poses` (m, s, world
axes) and `Readings` (N, Nm, as compensated gives them), with their ages [s]. Where robots have
samples of their own instants, the older pose is coasted to the newer. A robot that reports no twist
gets one from the difference of its poses; one without a pose is coasted.
"""

from __future__ import annotations

from typing import NamedTuple

from softdock.core.adaptation.interface import Output
from softdock.core.instants import NS
from softdock.core.machine.compiled import compiled
from softdock.core.readings import RawReading, compensated
from softdock.core.seam import OF_CHASER, OF_TARGET, R
from softdock.core.spatial.motion import Motion, Wrench, coasting, load_motion, load_wrench
from softdock.core.spatial.rotations import inverse, logarithm, product
from softdock.core.spatial.vectors import scale, subtract


class Poses(NamedTuple):
    """What a report tells of the mock-ups' motion."""

    seen: Output  # as measured, each at its own instant
    chaser_stamp: float  # s
    target_stamp: float  # s
    age: float  # s, of the newer of the two
    both: Output  # both at the instant of the newer one


class Reading(NamedTuple):
    """One sensor's newest reading, without weight and inertia of what it carries."""

    wrench: Wrench
    number: float  # of the sample; negative: none yet
    age: float  # s


class Readings(NamedTuple):
    chaser: Reading
    target: Reading


@compiled
def _motion(report, side, was, was_stamp, T):
    """A mock-up as reported, and the stamp of it [ns]. `was`: as reported before."""
    there, stamp = int(report[R.present]), report[side.stamp]
    if there & side.has_pose == 0:
        return coasting(was, T), was_stamp
    new = load_motion(report, side.motion)
    if there & side.has_twist != 0:
        return new, stamp
    dt = NS * (stamp - was_stamp)
    if dt <= 0.0:
        return Motion(new.p, new.q, was.v, was.w), stamp
    turn = logarithm(product(inverse(was.q), new.q))
    return Motion(
        new.p, new.q, scale(1.0 / dt, subtract(new.p, was.p)), scale(1.0 / dt, turn)
    ), stamp


@compiled
def _pose_age(report, side):
    return report[side.age] if int(report[R.present]) & side.has_pose != 0 else 0.0


@compiled
def _younger(motion, its_age, age):
    """A motion carried on from its own age [s] to a smaller one."""
    return coasting(motion, its_age - age) if its_age > age else motion


@compiled
def poses_of(report, kept, T):
    """Of both mock-ups: the older one is carried on to the instant of the newer one."""
    chaser, chaser_stamp = _motion(report, OF_CHASER, kept.seen.chaser, kept.chaser_stamp, T)
    target, target_stamp = _motion(report, OF_TARGET, kept.seen.target, kept.target_stamp, T)
    chaser_age, target_age = _pose_age(report, OF_CHASER), _pose_age(report, OF_TARGET)
    age = min(chaser_age, target_age)
    return Poses(
        seen=Output(chaser, target),
        chaser_stamp=chaser_stamp,
        target_stamp=target_stamp,
        age=age,
        both=Output(_younger(chaser, chaser_age, age), _younger(target, target_age, age)),
    )


@compiled
def _force_age(report, side, was, k, T):
    """Age of a force sample at t_k [s]: one that never came is as old as the run."""
    if int(report[R.present]) & side.has_wrench != 0:
        return report[side.force_age]
    return was.age + T if was.number >= 0.0 else k * T


@compiled
def _reading(params, vector, mem, k, report, side, was, motion, pose_age):
    """One sensor's reading. `was`: the one before; `motion`: of its mock-up."""
    there, age = int(report[R.present]), _force_age(report, side, was, k, params.T)
    number = report[side.force_number]
    if there & side.has_wrench == 0 or number == was.number:
        return Reading(was.wrench, was.number, age)
    wrench = load_wrench(report, side.wrench)
    if there & side.is_reduced == 0:
        raw = RawReading(
            which=side.which, wrench=wrench, motion=motion, force_age=age, pose_age=pose_age
        )
        wrench = compensated(params.features, params, vector, mem, k, raw)
    return Reading(wrench, number, age)


@compiled
def readings_of(params, vector, mem, k, kept, report, poses):
    """A sensor's reading is taken where its number is a new one, and reduced to the contact's
    wrench where the facility has not done it."""
    chaser = Reading(kept.reading, kept.chaser_number, kept.chaser_force_age)
    target = Reading(kept.second, kept.target_number, kept.target_force_age)
    both, age = poses.both, poses.age
    return Readings(
        _reading(
            params, vector, mem, k, report, OF_CHASER, chaser, motion=both.chaser, pose_age=age
        ),
        _reading(
            params, vector, mem, k, report, OF_TARGET, target, motion=both.target, pose_age=age
        ),
    )
