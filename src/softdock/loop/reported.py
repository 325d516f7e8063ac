"""What a controller knows from reports alone: measured motions and wrenches, observed energy,
contacts and limits. `read_report` is its half of a cycle before it acts (`cycle.control`).

In: a report at t_k (seam.REPORT), and what was kept of the cycles before. Out: `Measured` for the
methods, and the books of the cycle that ended at t_k, as far as reports tell them: observed energy
(Zebenay eq. 114), contacts by the measured force, limits by measured force, torque and place. A
simulated facility is driven by the same functions, and no cell of its truth is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from softdock.compile.generated import make_replacer
from softdock.compile.jit import compiled
from softdock.loop.contact import gap_rate, touch_noinline
from softdock.loop.contact.log import (
    Tracker,
    add_cycle,
    close_contact,
    mark_separation,
    open_contact,
)
from softdock.loop.controller import combine_measurements
from softdock.loop.controller_state import ControllerState
from softdock.loop.energy.ledger import Ledger
from softdock.loop.energy.observed import observed_energy
from softdock.loop.instants import NS
from softdock.loop.method.interface import Output, Wrenches
from softdock.loop.nominal import restore_motions
from softdock.loop.readings import RawReading, apply_threshold, compensate_reading, note_twists
from softdock.loop.seam import OF_CHASER, OF_TARGET, REPORT
from softdock.loop.sensor.force_torque import ON_BOTH, ON_TARGET
from softdock.loop.spatial.motion import MOTION, WRENCH, Motion, Wrench, coasting
from softdock.loop.spatial.rigid_body import motion_of
from softdock.loop.spatial.rotations import inverse, logarithm, product
from softdock.loop.spatial.vectors import dot, scale, subtract
from softdock.loop.vector import PAIRS_MEM

if TYPE_CHECKING:
    from softdock.loop.method.interface import Measured
    from softdock.loop.params import Params
    from softdock.loop.seam import Side

# What a report says of motions and wrenches, in common to both mock-ups' instants and reduced to
# the contact.
#
# In: a report at t_k (seam.REPORT) and what was kept of the cycles before. Out: `Poses` (m, s,
# world axes) and `Readings` (N, Nm, as compensated gives them), with their ages [s]. Where robots
# have samples of their own instants, the older pose is coasted to the newer. A robot that reports
# no twist gets one from the difference of its poses; one without a pose is coasted.


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
def _motion(report, side: Side, was, was_stamp, T):
    """A mock-up as reported, and the stamp of it [ns]. `was`: as reported before."""
    there, stamp = REPORT(report).present, report[side.stamp]
    if there & side.has_pose == 0:
        return coasting(was, T), was_stamp
    new = MOTION(report, side.motion).whole
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
def _pose_age(report, side: Side):
    return report[side.age] if REPORT(report).present & side.has_pose != 0 else 0.0


@compiled
def _younger(motion, its_age, age):
    """A motion carried on from its own age [s] to a smaller one."""
    return coasting(motion, its_age - age) if its_age > age else motion


@compiled
def read_poses(report, kept, T):
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
def _force_age(report, side: Side, was, k, T):
    """Age of a force sample at t_k [s]: one that never came is as old as the run."""
    if REPORT(report).present & side.has_wrench != 0:
        return report[side.force_age]
    return was.age + T if was.number >= 0.0 else k * T


@compiled
def _reading(params: Params, vector, mem, k, report, side: Side, was, motion, pose_age):
    """One sensor's reading. `was`: the one before; `motion`: of its mock-up."""
    there, age = REPORT(report).present, _force_age(report, side, was, k, params.T)
    number = report[side.force_number]
    if there & side.has_wrench == 0 or number == was.number:
        return Reading(was.wrench, was.number, age)
    wrench = WRENCH(report, side.wrench).whole
    if there & side.is_reduced == 0:
        raw = RawReading(
            which=side.which, wrench=wrench, motion=motion, force_age=age, pose_age=pose_age
        )
        wrench = compensate_reading(params.features, params, vector, mem, k, raw)
    return Reading(wrench, number, age)


@compiled
def read_sensors(params: Params, vector, mem, k, kept, report, poses):
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


_with_report = make_replacer(
    ControllerState,
    "measured",
    "reading",
    "second",
    "chaser_number",
    "target_number",
    "chaser_force_age",
    "target_force_age",
    "seen",
    "chaser_stamp",
    "target_stamp",
    "mock_ups",
    "given",
    "force_age",
    "pose_age",
)
_booked = make_replacer(
    ControllerState, "ledger", "tracker", "peak_force_squared", "peak_torque_squared"
)
_more_observed = make_replacer(Ledger, "observed")


class Passage(NamedTuple):
    """What the log of contacts asks of a cycle (contact/log.py: add_cycle), by the measured
    force."""

    touched: bool
    pair: int
    last_touch: float  # s
    peak_squared: float  # N^2


@compiled
def read_report(params: Params, vector, mem, k, kept, report):
    """What the report of t_k tells: what is kept from here on, and `Measured` for the methods.
    `params`: of the rig, without methods."""
    on = params.sensor.on
    poses = read_poses(report, kept, params.T)
    note_twists(params, mem, k, poses.age, poses.both)
    read = read_sensors(params, vector, mem, k, kept, report, poses)
    a, b = apply_threshold(params.sensor, read.chaser.wrench, read.target.wrench)
    force_age = read.target.age if on == ON_TARGET else read.chaser.age
    if on == ON_BOTH:
        force_age = max(read.chaser.age, read.target.age)
    measured = combine_measurements(
        params,
        mem,
        kept.satellites,
        b if on == ON_TARGET else a,
        b,
        poses.both,
        force_age,
        poses.age,
    )
    after = _with_report(
        kept,
        measured=measured.wrenches,
        reading=read.chaser.wrench,
        second=read.target.wrench,
        chaser_number=read.chaser.number,
        target_number=read.target.number,
        chaser_force_age=read.chaser.age,
        target_force_age=read.target.age,
        seen=poses.seen,
        chaser_stamp=poses.chaser_stamp,
        target_stamp=poses.target_stamp,
        mock_ups=poses.both,
        given=measured.mock_ups,
        force_age=force_age,
        pose_age=poses.age,
    )
    return after, measured


@compiled
def follow_by_force(params: Params, vector, mem, log, kept, measured: Measured, acts, t):
    """Open, continue or close the contact under way, by the measured force. The gap's rates are the
    satellites', as in contact/follow.py: before the first reading has acted, and after the last,
    once no contact that a method has put in place of the real one acts (`acts`) either."""
    tracker = kept.tracker
    force = measured.wrenches.chaser.force
    squared = dot(force, force)
    touched = squared > kept.touch_force * kept.touch_force
    if params.pairs.number == 0 or not (touched or tracker.open):
        return tracker
    seen, satellites = measured.mock_ups, kept.satellites
    touch = touch_noinline(vector, mem, PAIRS_MEM, params.pairs, seen.chaser, seen.target)
    pair = touch.pair if touched else tracker.pair
    now = Output(
        motion_of(params.chaser, satellites.chaser), motion_of(params.target, satellites.target)
    )
    rate = gap_rate(params.pairs, mem, PAIRS_MEM, pair, now.chaser, now.target)
    when = t - measured.force_age
    if not tracker.open:
        return open_by_force(tracker, when, rate, squared, pair)
    passage = Passage(touched, pair, when, squared)
    parts = not touched and not tracker.apart and not acts
    tracker = add_cycle(tracker, passage, params.T, kept.wrenches, kept.before, now)
    if parts:
        tracker = mark_separation(tracker, rate)
    if tracker.apart and t - tracker.last_touch >= params.merge_window:
        tracker = close_contact(tracker, log)
    return tracker


_first_touch = make_replacer(Tracker, "pair", "peak_real_squared")


@compiled
def open_by_force(tracker: Tracker, when, rate, squared, pair):
    """A contact's first reading. It has not acted yet: nothing to gather."""
    return _first_touch(open_contact(tracker.closed, when, rate), pair, squared)


@compiled
def settle_cycle(params: Params, vector, mem, log, kept, was, measured: Measured, acts, t):
    """Close the cycle that ended at t_k: observed energy, the contact, the largest wrench.
    `was`: what was kept before the report came."""
    sent, command = kept.sent, kept.command
    if params.flags.nominal:
        sent = restore_motions(params.target, mem, sent, params.T)
        command = restore_motions(params.target, mem, command, 0.0)
    observed = observed_energy(
        params.T, kept.wrenches, sent, command, _as_measured(was), _as_measured(kept)
    )
    ledger = _more_observed(kept.ledger, kept.ledger.observed + observed)
    tracker = follow_by_force(
        params, vector, mem, log, kept=kept, measured=measured, acts=acts, t=t
    )
    c, other = measured.wrenches.chaser, measured.wrenches.target
    torque = max(dot(c.torque, c.torque), dot(other.torque, other.torque))
    return _booked(
        kept,
        ledger,
        tracker,
        max(kept.peak_force_squared, dot(c.force, c.force)),
        max(kept.peak_torque_squared, torque),
    )


class Pair(NamedTuple):
    """What observed energy asks of an instant."""

    wrenches: Wrenches
    mock_ups: Output


@compiled
def _as_measured(kept):
    return Pair(kept.measured, kept.given)
