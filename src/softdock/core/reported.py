"""What a controller knows from reports alone: measured motions and wrenches, observed energy,
contacts and limits. `arrive` is its half of a cycle before it acts (`cycle.control`).

In: a report at t_k (seam.REPORT), and what was kept of the cycles before. Out: `Measured` for the
methods, and the books of the cycle that ended at t_k, as far as reports tell them: observed energy
(Zebenay eq. 114), contacts by the measured force, limits by measured force, torque and place. A
simulated facility is driven by the same functions, and no cell of its truth is read.
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
from softdock.core.readings import above_threshold, note_twists
from softdock.core.report_contents import poses_of, readings_of
from softdock.core.sensor.force_torque import ON_BOTH, ON_TARGET
from softdock.core.spatial.rigid_body import motion_of
from softdock.core.spatial.vectors import dot

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
def arrive(params, vector, mem, k, kept, report):
    """What the report of t_k tells: what is kept from here on, and `Measured` for the methods.
    `params`: of the rig, without methods."""
    on = params.sensor.on
    poses = poses_of(report, kept, params.T)
    note_twists(params, mem, k, poses.age, poses.both)
    read = readings_of(params, vector, mem, k, kept, report, poses)
    a, b = above_threshold(params.sensor, read.chaser.wrench, read.target.wrench)
    force_age = read.target.age if on == ON_TARGET else read.chaser.age
    if on == ON_BOTH:
        force_age = max(read.chaser.age, read.target.age)
    measured = measured_of(
        params, kept.satellites, b if on == ON_TARGET else a, b, poses.both, force_age, poses.age
    )
    after = _arrived(
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
        force_age=force_age,
        pose_age=poses.age,
    )
    return after, measured


@compiled
def follow_by_force(params, vector, mem, log, kept, measured, acts, t):
    """Open, continue or close the contact under way, by the measured force. The gap's rates are the
    satellites', as in contacts.py: before the first reading has acted, and after the last, once
    no contact that a method has put in place of the real one acts (`acts`) either."""
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
    parts = not touched and not tracker.apart and not acts
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
def settle_books(params, vector, mem, log, kept, was, measured, acts, t):
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
    return Pair(kept.measured, kept.mock_ups)
