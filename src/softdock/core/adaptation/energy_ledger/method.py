"""The energy ledger as a method: the satellites' kinetic energy follows the work that the real
contact did (ours).

From what a rig measures, and without stiffness or delay. While a contact lasts, the real contact
has absorbed

    E_r = - sum (W_k + W_k-1)/2 . (x_r,k - x_r,k-1)    measured wrench and motion, paired by age

and the set-points already sent, which the mock-ups have not yet reached, will make it absorb
E_transit = - W . (x_cmd - x_r) more. So the satellites may have the kinetic energy

    allowed = KE at the opening + W_external - W_virtual + W_designed - E_r - E_transit - noise bias
    - debt

and never more than at the opening with what came from outside, the loan and four standard
deviations of the noise: a real contact is passive, whatever a faulty sensor says of it
(sensor_doubts.py); nor does a wrench, along whatever line, lift them beyond (passive_ceiling.py).

`clamp`: what they have beyond is taken away. `equality`: what they lack is given as well. How:
`energy_ledger_projection.py`. Near the turning point, where next to nothing is allowed, a small
loan stays, so that the satellites cannot stick. No correction changes the speed along the wrench by
more than a given share of the approach speed in one cycle.

A contact opens when the measured force rises above `threshold_N` and closes when it has been below
for `window_ms`; its books begin half of that earlier, so that the work below the threshold counts.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.core.adaptation.energy_ledger.books import (
    ACTING,
    BASE_GIVEN,
    BASE_KINETIC,
    BASE_REAL,
    BASE_VARIANCE,
    BOOKED,
    CELLS,
    COMMAND,
    CONTACTS,
    CYCLES,
    DEBT,
    DIRECTION,
    DOUBTS,
    FASTEST,
    FORCE_TIME,
    GIVEN,
    LARGEST_STEP,
    LARGEST_TRANSIT,
    LAST_SEEN,
    OPEN,
    REAL,
    REMOVED,
    RETURNED,
    ROW_FLOATS,
    SENT,
    SUMMIT,
    TAKEN,
    TURNOVER,
    VARIANCE,
    WORK,
    Booking,
    book_real_work,
    force_slope,
    kept_back,
    note_books,
    note_readings,
    open_books,
    poses_at,
    wrench_at,
)
from softdock.core.adaptation.energy_ledger.notes import note_trail
from softdock.core.adaptation.interface import BOOK_DESIGNED, BOOK_VIRTUAL, Output
from softdock.core.adaptation.measured.by_axis import note_gains
from softdock.core.adaptation.measured.doubts import (
    CUT,
    LIFTED,
    NO_DOUBTS,
    READING,
    Doubts,
    believe,
    doubt_keys,
    is_felt,
    least_absorbed,
    lifted,
    prepare_doubts,
)
from softdock.core.adaptation.measured.noise_bias import (
    claim_warnings,
    deviations_for,
    handed_over_noise,
)
from softdock.core.adaptation.measured.paired_poses import (
    load_poses,
    poses_of,
    relative_displacement,
    store_poses,
    work_on,
)
from softdock.core.adaptation.measured.passive_ceiling import within_room
from softdock.core.adaptation.measured.projection import (
    carried_along,
    line_of,
    moved_along,
    pair_energy,
    scaled_relative,
    welded,
)
from softdock.core.machine.compiled import compiled
from softdock.core.machine.parameters import Group, Parameter
from softdock.core.spatial.motion import Motion, Wrench, load_wrench, port_energy, store_wrench
from softdock.core.spatial.rigid_body import motion_of
from softdock.core.spatial.rotations import inverse, product
from softdock.core.spatial.vectors import add, norm, scale, subtract

CLAMP, REFUND, EQUALITY = 0, 1, 2
HELD, SLOPE = 0, 1
FAITHFUL, PASSIVE = 0, 1
ALONG_WRENCH, RELATIVE_MOTION = 0, 1

ENERGY_LEDGER = Group(
    "energy_ledger",
    "The satellites' kinetic energy follows the measured work of the real contact.",
    Parameter(
        "form",
        "form",
        "clamp: take what is too much; refund: and give back at most what this contact's "
        "corrections took; equality: give whatever is missing",
        "refund",
        choices=("clamp", "refund", "equality"),
    ),
    Parameter(
        "transit",
        "transit",
        "force along the way still to go: as it is now, or with the slope seen so far",
        "slope",
        choices=("held", "slope"),
    ),
    Parameter(
        "along",
        "along",
        "what a correction changes: motion along the wrench, or all relative motion",
        "wrench",
        choices=("wrench", "relative_motion"),
    ),
    Parameter(
        "claim",
        "claim",
        "faithful: the likely work of a force that jumps within one sample, debts carried to "
        "the next contact; "
        "passive: the most it can have been, 0.1 % of the work's turnover kept back, debts "
        "taken from all relative motion",
        "faithful",
        choices=("faithful", "passive"),
    ),
    Parameter(
        "loan",
        "loan",
        "share of the approach energy that stays at the turning point",
        0.01,
        low=0.0,
        high=1.0,
    ),
    Parameter(
        "step",
        "step",
        "largest change of speed by one correction, as a share of the approach speed",
        0.25,
        low=0.0,
        high=10.0,
        open_low=True,
    ),
    Parameter("threshold", "threshold_N", "smaller forces are no contact", 0.0, "N", 0.0, 1e6),
    Parameter(
        "window",
        "window_ms",
        "a contact stays open so long after its last force; its books begin half of it before",
        200.0,
        "ms",
        0.0,
        1e4,
        scale=1e-3,
    ),
    Parameter(
        "mean",
        "force_mean_ms",
        "span of a mean stamped with its last sample; half of it adds to the age",
        0.0,
        "ms",
        0.0,
        1e4,
        scale=1e-3,
    ),
    Parameter(
        "align",
        "align",
        "pair force and motion by age; false: newest with newest",
        True,
        kind="flag",
    ),
    Parameter(
        "noise_force",
        "noise_N",
        "standard deviation of a handed-over force, for the bias",
        0.0,
        "N",
        0.0,
        1e6,
    ),
    Parameter(
        "noise_torque",
        "noise_Nm",
        "standard deviation of a handed-over torque, for the bias",
        0.0,
        "Nm",
        0.0,
        1e6,
    ),
    Parameter(
        "confidence",
        "confidence",
        "with which noise invents no energy; 0.5: no bias",
        0.5,
        low=0.5,
        high=0.999999,
    ),
    *doubt_keys(frozen_ms=200.0),
)
AT = ENERGY_LEDGER.at


class EnergyLedger(NamedTuple):
    memory: int
    rows: int  # of each ring
    form: int
    transit: int
    along: int
    take_unpaid: bool
    loan: float
    step: float
    booking: Booking
    window: float  # s
    late: float  # s, added to the force's age
    align: bool
    doubts: Doubts
    deviations: float  # of the noise's work that are kept back


MARKER = EnergyLedger(
    0, 0, 0, 0, 0, False, 0.0, 0.0, Booking(0.0, 0.0, 0.0, False), 0.0, 0.0, True, NO_DOUBTS, 0.0
)


def ring_rows(window: float, T: float) -> int:
    """Rows that reach back over half the window."""
    return int(math.ceil(0.5 * window / T)) + 3


def memory(values, T):
    return CELLS + ring_rows(1e-3 * values["window_ms"], T) * ROW_FLOATS


def suggest(scenario):
    """For a scenario that does not list it: what its sensor's data sheet says."""
    sensor = scenario.tables["sensor"]
    force, torque = handed_over_noise(scenario)
    keys = {
        "noise_N": force,
        "noise_Nm": torque,
        "threshold_N": max(4.0 * force, sensor["threshold_N"]),
    }
    return keys | {"window_ms": max(200.0, 4.0 * scenario.tables["pose"]["delay_ms"])}


def refuses(scenario):
    """A mass per axis has no angular momentum to keep."""
    for body in ("chaser", "target"):
        mass = scenario.tables[body]["mass_kg"]
        if isinstance(mass, list) and len(set(mass)) > 1:
            return (
                f"{body}.mass_kg differs per axis: the pair then has no angular momentum that a "
                "correction could keep"
            )
    return None


def check(values, tables):
    """Where its claim does not hold in full."""
    return [], [f"energy_ledger: {words}" for words in claim_warnings(values, tables)]


@compiled
def prepare(marker, vector, base, memory):
    v, b = vector, base
    passive = int(v[b + AT.claim]) == PASSIVE
    return EnergyLedger(
        memory,
        int(math.ceil(0.5 * v[b + AT.window] / vector[0]))
        + 3,  # as in ring_rows; the vector begins with the cycle
        int(v[b + AT.form]),
        int(v[b + AT.transit]),
        int(v[b + AT.along]),
        passive,
        v[b + AT.loan],
        v[b + AT.step],
        Booking(v[b + AT.threshold], v[b + AT.noise_force], v[b + AT.noise_torque], passive),
        v[b + AT.window],
        0.5 * v[b + AT.mean],
        v[b + AT.align] != 0.0,
        prepare_doubts(v, v[b + AT.frozen], v[b + AT.jump], v[b + AT.range], b + AT.sensor),
        deviations_for(v[b + AT.confidence]),
    )


@compiled
def remember(method, mem, rig, measured, satellites, wrenches):
    """The wrenches that act in this cycle, which `follow` needs to know what came from outside; a
    reading that is not believed does not act."""
    base = method.memory
    _, wrenches = believe(
        mem,
        base + DOUBTS,
        rig,
        method.doubts,
        method.booking.threshold,
        measured,
        satellites,
        wrenches,
    )
    if mem[base + OPEN] != 0.0 and not method.doubts.hands:
        wrenches = within_room(
            mem,
            base + DOUBTS + CUT,
            rig,
            satellites,
            wrenches,
            _ceiling(method, mem) - pair_energy(rig, satellites),
        )
    store_wrench(mem, base + ACTING, wrenches.chaser)
    store_wrench(mem, base + ACTING + 6, wrenches.target)
    return wrenches


@compiled
def _least(method, mem):
    """The least energy [J] that the contact can have absorbed since its books began."""
    base = method.memory
    return least_absorbed(
        method.doubts,
        method.loan * mem[base + SUMMIT],
        mem[base + VARIANCE] - mem[base + BASE_VARIANCE],
    )


@compiled
def _ceiling(method, mem):
    """Kinetic energy [J] that no passive contact can lift the satellites beyond."""
    base = method.memory
    return (
        mem[base + BASE_KINETIC] + mem[base + GIVEN] - mem[base + BASE_GIVEN] - _least(method, mem)
    )


@compiled
def send(method, mem, rig, satellites, output):
    """Remember what was sent."""
    store_poses(mem, method.memory + COMMAND, poses_of(output))
    mem[method.memory + SENT] = 1.0
    return output


@compiled
def follow(method, mem, rig, measured, before, after, output):
    """Bring the satellites at t_{k+1} to the energy that the real contact left them."""
    base, t = method.memory, rig.cycle * rig.T
    start, end = _both(rig, before), _both(rig, after)
    if mem[base + CYCLES] == 0.0:
        mem[base + BOOKED] = t - 2.0 * rig.T
        note_books(mem, base, method.rows, pair_energy(rig, before))
    _take_readings(method, mem, rig, measured, t)
    mem[base + GIVEN] += _given_from_outside(method, mem, rig, before, after, start, end)
    wrench = load_wrench(mem, base + DOUBTS + READING)
    seen, felt = (
        norm(wrench.force) > method.booking.threshold,
        is_felt(mem, base + DOUBTS, method.booking.threshold),
    )
    if felt and mem[base + OPEN] != 0.0:
        mem[base + LAST_SEEN] = mem[base + FORCE_TIME]
    if seen:
        if mem[base + OPEN] == 0.0:
            open_books(mem, base, method.rows, int(0.5 * method.window / rig.T))
            mem[base + OPEN], mem[base + SUMMIT], mem[base + TAKEN], mem[base + TURNOVER] = (
                1.0,
                0.0,
                0.0,
                0.0,
            )
            mem[base + DOUBTS + LIFTED] = 0.0
            mem[base + CONTACTS] += 1.0
        mem[base + LAST_SEEN] = mem[base + FORCE_TIME]
        size = 1.0 / norm(wrench.force)
        store_wrench(
            mem, base + DIRECTION, Wrench(scale(size, wrench.force), scale(size, wrench.torque))
        )
    settled = after
    if mem[base + OPEN] != 0.0 and (
        felt or mem[base + BOOKED] >= mem[base + LAST_SEEN]
    ):  # parted: wait for the poses of the last touch
        allowed = _allowed(method, mem, rig.T, start, end, felt)
        settled = carried_along(rig, after, _settle(method, mem, rig, after, allowed, not felt))
        note_gains(mem, base + WORK, rig, after, settled)
        if t - mem[base + LAST_SEEN] > method.window:
            mem[base + OPEN] = 0.0
            missing = pair_energy(rig, settled) - allowed
            mem[base + DEBT] = missing if method.form == EQUALITY else max(missing, 0.0)
    note_books(mem, base, method.rows, pair_energy(rig, settled))
    chaser = _sent_with(
        motion_of(rig.chaser, after.chaser), motion_of(rig.chaser, settled.chaser), output.chaser
    )
    return settled, Output(
        chaser,
        _sent_with(
            motion_of(rig.target, after.target),
            motion_of(rig.target, settled.target),
            output.target,
        ),
    )


@compiled
def _both(rig, satellites):
    return Output(
        motion_of(rig.chaser, satellites.chaser), motion_of(rig.target, satellites.target)
    )


@compiled
def _sent_with(was, settled, sent):
    """What an earlier method sends instead of the satellite's motion `was`, carried along with
    it."""
    q = settled.q if sent.q == was.q else product(settled.q, product(inverse(was.q), sent.q))
    v, w = add(settled.v, subtract(sent.v, was.v)), add(settled.w, subtract(sent.w, was.w))
    return Motion(add(settled.p, subtract(sent.p, was.p)), q, v, w)


@compiled
def _take_readings(method, mem, rig, measured, t):
    """New readings into the rings, and the work up to the instant of which both are known."""
    base = method.memory
    force_time, pose_time = t - measured.force_age - method.late, t - measured.pose_age
    if not method.align:
        force_time, pose_time = t, t
    note_readings(
        mem,
        base,
        method.rows,
        load_wrench(mem, base + DOUBTS + READING),
        force_time,
        measured.mock_ups,
        pose_time,
    )
    mem[base + FORCE_TIME] = force_time
    book_real_work(mem, base, method.rows, pose_time, method.booking)


@compiled
def _given_from_outside(method, mem, rig, before, after, start, end):
    """Energy [J] of this cycle that neither the contact nor a virtual element accounts for:
    thrusters, hands, methods that mean to differ."""
    at = method.memory + ACTING
    through = (
        port_energy(load_wrench(mem, at), rig.T, start.chaser, end.chaser)
        if not rig.chaser.fixed
        else 0.0
    )
    through += (
        port_energy(load_wrench(mem, at + 6), rig.T, start.target, end.target)
        if not rig.target.fixed
        else 0.0
    )
    return (
        pair_energy(rig, after)
        - pair_energy(rig, before)
        - through
        - mem[BOOK_VIRTUAL]
        + mem[BOOK_DESIGNED]
    )


@compiled
def _allowed(method, mem, T, start, end, felt):
    """Kinetic energy [J] that the satellites may have at t_{k+1}."""
    base = method.memory
    kept = kept_back(mem, base, method.deviations, method.booking.worst)
    transit = _transit(method, mem, T, start, end)
    mem[base + LARGEST_TRANSIT] = max(mem[base + LARGEST_TRANSIT], abs(transit))
    absorbed = mem[base + REAL] - mem[base + BASE_REAL] + transit
    absorbed += lifted(
        mem, base + DOUBTS, _least(method, mem), absorbed, felt, mem[base + BASE_KINETIC]
    )
    return (
        mem[base + BASE_KINETIC]
        + mem[base + GIVEN]
        - mem[base + BASE_GIVEN]
        - absorbed
        - kept
        - mem[base + DEBT]
    )


@compiled
def _transit(method, mem, T, start, end):
    """Energy [J] that the contact will absorb on the way from the mock-ups' last booked poses to
    the set-points stamped t_{k+1}."""
    base = method.memory
    here, wrench = (
        poses_at(mem, base, method.rows, mem[base + BOOKED]),
        wrench_at(mem, base, method.rows, mem[base + BOOKED]),
    )
    force = norm(wrench.force)
    if force <= method.booking.threshold:
        return 0.0
    sent = load_poses(mem, base + COMMAND) if mem[base + SENT] != 0.0 else poses_of(start)
    behind, ahead = (
        relative_displacement(here, sent),
        relative_displacement(poses_of(start), poses_of(end)),
    )
    note_trail(mem, base, T, behind.translation, ahead.translation)
    work = work_on(wrench, behind) + work_on(wrench, ahead)
    if method.transit == HELD:
        return -work
    deeper, slope = -work / force, force_slope(mem, base)
    if force + slope * deeper < 0.0:
        return -0.5 * force * force / slope  # parted on the way
    return (force + 0.5 * slope * deeper) * deeper


@compiled
def _settle(method, mem, rig, satellites, allowed, parted):
    """The satellites with the energy they may have, or as near as loan and step let them."""
    base = method.memory
    line = line_of(rig, satellites, load_wrench(mem, base + DIRECTION))
    if line.mobility <= 0.0:
        return satellites
    along = 0.5 * line.speed * line.speed / line.mobility
    if line.speed < 0.0:
        mem[base + SUMMIT] = max(mem[base + SUMMIT], along)
    loan = method.loan * mem[base + SUMMIT]
    if method.along == RELATIVE_MOTION:
        return _settle_relative(method, mem, rig, satellites, allowed, loan)
    settled = _settle_along(method, mem, rig, satellites, line, along, allowed, loan)
    if parted and method.take_unpaid and pair_energy(rig, settled) > allowed:
        return _settle_relative(method, mem, rig, settled, allowed, loan)
    return settled


@compiled
def _wanted(method, mem, has, may, loan):
    """What the motion that can be changed should have of energy [J]: it has `has`, and may have
    `may`."""
    if may < loan:
        return min(has, loan)
    return min(may, has + _may_give(method, mem))


@compiled
def _settle_along(method, mem, rig, satellites, line, along, allowed, loan):
    """By an internal impulse along the measured wrench."""
    base = method.memory
    kinetic = pair_energy(rig, satellites)
    wanted = _wanted(method, mem, along, allowed - (kinetic - along), loan)
    if wanted == along:
        return satellites
    speed = math.copysign(math.sqrt(2.0 * line.mobility * wanted), line.speed)
    pushed = (
        rig.T * line.mobility * norm(load_wrench(mem, base + ACTING).force)
    )  # what the force itself did in this cycle
    fastest = math.sqrt(2.0 * line.mobility * mem[base + SUMMIT])
    largest = pushed + method.step * fastest
    change = min(max(speed - line.speed, -largest), largest)
    moved = moved_along(rig, satellites, line, change / line.mobility)
    _note_correction(
        mem, base, pair_energy(rig, moved) - kinetic, max(abs(change) - pushed, 0.0), fastest
    )
    return moved


@compiled
def _may_give(method, mem):
    """Energy [J] that a correction may give."""
    if method.form == EQUALITY:
        return math.inf
    return max(mem[method.memory + TAKEN], 0.0) if method.form == REFUND else 0.0


@compiled
def _settle_relative(method, mem, rig, satellites, allowed, loan):
    """The same by scaling the motion relative to the welded pair's."""
    base = method.memory
    weld = welded(rig, satellites)
    kinetic, least = pair_energy(rig, satellites), pair_energy(rig, weld)
    relative = kinetic - least
    if relative <= 0.0:
        return satellites
    wanted = _wanted(method, mem, relative, allowed - least, loan)
    factor = min(max(math.sqrt(wanted / relative), 1.0 - method.step), 1.0 + method.step)
    moved = scaled_relative(rig, satellites, weld, factor)
    _note_correction(mem, base, pair_energy(rig, moved) - kinetic, 0.0, 0.0)
    return moved


@compiled
def _note_correction(mem, base, gain, step, fastest):
    mem[base + TAKEN] -= gain
    mem[base + REMOVED] -= min(gain, 0.0)
    mem[base + RETURNED] += max(gain, 0.0)
    mem[base + LARGEST_STEP] = max(mem[base + LARGEST_STEP], step)
    mem[base + FASTEST] = max(mem[base + FASTEST], fastest)
