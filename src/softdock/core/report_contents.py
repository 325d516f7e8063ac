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
from softdock.core.seam import (
    CHASER_POSE,
    CHASER_REDUCED,
    CHASER_TWIST,
    CHASER_WRENCH,
    TARGET_POSE,
    TARGET_REDUCED,
    TARGET_TWIST,
    TARGET_WRENCH,
    R,
)
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


class Readings(NamedTuple):
    """Both sensors' readings, without weight and inertia of what they carry."""

    chaser: Wrench
    target: Wrench
    chaser_number: float
    target_number: float
    chaser_age: float  # s
    target_age: float  # s


@compiled
def _motion(report, at, has_pose, has_twist, stamp, was, was_stamp, T):
    """A mock-up as reported, and the stamp of it [ns]. `was`: as reported before."""
    if not has_pose:
        return coasting(was, T), was_stamp
    new = load_motion(report, at)
    if has_twist:
        return new, stamp
    dt = NS * (stamp - was_stamp)
    if dt <= 0.0:
        return Motion(new.p, new.q, was.v, was.w), stamp
    turn = logarithm(product(inverse(was.q), new.q))
    return Motion(
        new.p, new.q, scale(1.0 / dt, subtract(new.p, was.p)), scale(1.0 / dt, turn)
    ), stamp


@compiled
def _age(is_there, reported, number, before, k, T):
    """Age of a force sample at t_k [s]: one that never came is as old as the run."""
    if is_there:
        return reported
    return before + T if number >= 0.0 else k * T


@compiled
def poses_of(report, there, kept, T):
    """Of both mock-ups: the older one is carried on to the instant of the newer one."""
    chaser, chaser_stamp = _motion(
        report,
        at=R.chaser,
        has_pose=there & CHASER_POSE != 0,
        has_twist=there & CHASER_TWIST != 0,
        stamp=report[R.chaser_stamp],
        was=kept.seen.chaser,
        was_stamp=kept.chaser_stamp,
        T=T,
    )
    target, target_stamp = _motion(
        report,
        at=R.target,
        has_pose=there & TARGET_POSE != 0,
        has_twist=there & TARGET_TWIST != 0,
        stamp=report[R.target_stamp],
        was=kept.seen.target,
        was_stamp=kept.target_stamp,
        T=T,
    )
    seen = Output(chaser, target)
    chaser_age = report[R.chaser_age] if there & CHASER_POSE != 0 else 0.0
    target_age = report[R.target_age] if there & TARGET_POSE != 0 else 0.0
    age = min(chaser_age, target_age)
    if chaser_age > age:
        chaser = coasting(chaser, chaser_age - age)
    if target_age > age:
        target = coasting(target, target_age - age)
    return Poses(
        seen=seen,
        chaser_stamp=chaser_stamp,
        target_stamp=target_stamp,
        age=age,
        both=Output(chaser, target),
    )


@compiled
def readings_of(params, vector, mem, k, kept, report, poses):
    """A sensor's reading is taken where its number is a new one, and reduced to the contact's
    wrench where the facility has not done it."""
    there, T = int(report[R.present]), params.T
    has_first, has_second = there & CHASER_WRENCH != 0, there & TARGET_WRENCH != 0
    first_age = _age(
        has_first, report[R.chaser_force_age], kept.chaser_number, kept.chaser_force_age, k, T
    )
    second_age = _age(
        has_second, report[R.target_force_age], kept.target_number, kept.target_force_age, k, T
    )
    reading, second = kept.reading, kept.second
    first_number, second_number = kept.chaser_number, kept.target_number
    if has_first and report[R.chaser_force_number] != first_number:
        first_number, reading = report[R.chaser_force_number], load_wrench(report, R.chaser_wrench)
        if there & CHASER_REDUCED == 0:
            raw = RawReading(
                which=0,
                wrench=reading,
                motion=poses.both.chaser,
                force_age=first_age,
                pose_age=poses.age,
            )
            reading = compensated(params.features, params, vector, mem, k, raw)
    if has_second and report[R.target_force_number] != second_number:
        second_number, second = report[R.target_force_number], load_wrench(report, R.target_wrench)
        if there & TARGET_REDUCED == 0:
            raw = RawReading(
                which=1,
                wrench=second,
                motion=poses.both.target,
                force_age=second_age,
                pose_age=poses.age,
            )
            second = compensated(params.features, params, vector, mem, k, raw)
    return Readings(
        chaser=reading,
        target=second,
        chaser_number=first_number,
        target_number=second_number,
        chaser_age=first_age,
        target_age=second_age,
    )
