"""What a controller knows from reports alone: measured motions and wrenches, observed energy,
contacts and limits. `arrive` is its half of a cycle before it acts (`cycle.control`).

In: a report at t_k (seam.REPORT), and what was kept of the cycles before. Out: `Measured` for the
methods, and the books of the cycle that ended at t_k, as far as reports tell them: observed energy
(Zebenay eq. 114), contacts by the measured force, limits by measured force, torque and place. A
simulated facility is driven by the same functions, and no cell of its truth is read.

Where robots have samples of their own instants, the older pose is coasted to the newer. A robot
that reports no twist gets one from the difference of its poses; one without a pose is coasted.
"""

from __future__ import annotations

from typing import NamedTuple

from softdock.core.adaptation.interface import Output, Wrenches
from softdock.core.contact import gap_rate, touch_apart
from softdock.core.contact_log import Tracker, close_contact, gather, opened, parted
from softdock.core.controller import measured_of
from softdock.core.controller_state import Kept
from softdock.core.energy.ledger import Ledger
from softdock.core.energy.observed import observed_energy
from softdock.core.machine.compiled import compiled
from softdock.core.machine.generated import replacing
from softdock.core.machine.vector import PAIRS_MEM
from softdock.core.readings import above_threshold, compensated, note_twists
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
from softdock.core.sensor.force_torque import ON_BOTH, ON_TARGET
from softdock.core.spatial.motion import (
    Motion,
    coasting,
    load_motion,
    load_wrench,
)
from softdock.core.spatial.rigid_body import motion_of
from softdock.core.spatial.rotations import inverse, logarithm, product
from softdock.core.spatial.vectors import dot, scale, subtract

NS = 1e-9  # s


_arrived = replacing(
    Kept,
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
    "force_age",
    "pose_age",
)
_booked = replacing(Kept, "ledger", "tracker", "peak_force_squared", "peak_torque_squared")
_more_observed = replacing(Ledger, "observed")


class Passage(NamedTuple):
    """What the log of contacts asks of a cycle (contact_log.gather), by the measured force."""

    touched: bool
    pair: int
    last_touch: float  # s
    peak_squared: float  # N^2


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
def arrive(params, vector, mem, k, kept, report):
    """What the report of t_k tells: what is kept from here on, and `Measured` for the methods.
    `params`: of the rig, without methods."""
    there, T, on = int(report[R.present]), params.T, params.sensor.on
    chaser, chaser_stamp = _motion(
        report,
        R.chaser,
        there & CHASER_POSE != 0,
        there & CHASER_TWIST != 0,
        report[R.chaser_stamp],
        kept.seen.chaser,
        kept.chaser_stamp,
        T,
    )
    target, target_stamp = _motion(
        report,
        R.target,
        there & TARGET_POSE != 0,
        there & TARGET_TWIST != 0,
        report[R.target_stamp],
        kept.seen.target,
        kept.target_stamp,
        T,
    )
    seen = Output(chaser, target)
    chaser_age = report[R.chaser_age] if there & CHASER_POSE != 0 else 0.0
    target_age = report[R.target_age] if there & TARGET_POSE != 0 else 0.0
    pose_age = min(chaser_age, target_age)
    if chaser_age > pose_age:
        chaser = coasting(chaser, chaser_age - pose_age)
    if target_age > pose_age:
        target = coasting(target, target_age - pose_age)
    both = Output(chaser, target)
    note_twists(params, mem, k, pose_age, both)

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
            reading = compensated(
                params.features, params, vector, mem, 0, k, first_age, pose_age, chaser, reading
            )
    if has_second and report[R.target_force_number] != second_number:
        second_number, second = report[R.target_force_number], load_wrench(report, R.target_wrench)
        if there & TARGET_REDUCED == 0:
            second = compensated(
                params.features, params, vector, mem, 1, k, second_age, pose_age, target, second
            )
    a, b = above_threshold(params.sensor, reading, second)
    force_age = second_age if on == ON_TARGET else first_age
    if on == ON_BOTH:
        force_age = max(first_age, second_age)
    measured = measured_of(
        params, kept.satellites, b if on == ON_TARGET else a, b, both, force_age, pose_age
    )
    after = _arrived(
        kept,
        measured=measured.wrenches,
        reading=reading,
        second=second,
        chaser_number=first_number,
        target_number=second_number,
        chaser_force_age=first_age,
        target_force_age=second_age,
        seen=seen,
        chaser_stamp=chaser_stamp,
        target_stamp=target_stamp,
        mock_ups=both,
        force_age=force_age,
        pose_age=pose_age,
    )
    return after, measured


@compiled
def follow_by_force(params, vector, mem, log, kept, measured, t):
    """Open, continue or close the contact under way, by the measured force. The gap's rates are the
    satellites', as in contacts.py: before the first reading has acted, and after the last."""
    tracker = kept.tracker
    force = measured.wrenches.chaser.force
    squared = dot(force, force)
    touched = squared > kept.touch_force * kept.touch_force
    if params.pairs.number == 0 or not (touched or tracker.open):
        return tracker
    seen, satellites = measured.mock_ups, kept.satellites
    touch = touch_apart(vector, mem, PAIRS_MEM, params.pairs, seen.chaser, seen.target)
    pair = touch.pair if touched else tracker.pair
    now = Output(
        motion_of(params.chaser, satellites.chaser), motion_of(params.target, satellites.target)
    )
    rate = gap_rate(params.pairs, mem, PAIRS_MEM, pair, now.chaser, now.target)
    when = t - measured.force_age
    if not tracker.open:
        return opened_by(tracker, when, rate, squared, pair)
    passage = Passage(touched, pair, when, squared)
    parts = not touched and not tracker.apart
    tracker = gather(tracker, passage, params.T, kept.wrenches, kept.before, now)
    if parts:
        tracker = parted(tracker, rate)
    if tracker.apart and t - tracker.last_touch >= params.merge_window:
        tracker = close_contact(tracker, log)
    return tracker


_first_touch = replacing(Tracker, "pair", "peak_real_squared")


@compiled
def opened_by(tracker, when, rate, squared, pair):
    """A contact's first reading. It has not acted yet: nothing to gather."""
    return _first_touch(opened(tracker.closed, when, rate), pair, squared)


@compiled
def settle_books(params, vector, mem, log, kept, was, measured, t):
    """Close the cycle that ended at t_k: observed energy, the contact, the largest wrench.
    `was`: what was kept before the report came."""
    ledger = _more_observed(
        kept.ledger,
        kept.ledger.observed
        + observed_energy(
            params.T,
            kept.wrenches,
            kept.sent,
            kept.command,
            _as_measured(was),
            _as_measured(kept),
        ),
    )
    tracker = follow_by_force(params, vector, mem, log, kept, measured, t)
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
    return Pair(kept.measured, kept.mock_ups)
