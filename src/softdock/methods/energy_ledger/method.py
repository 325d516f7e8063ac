"""The energy ledger as a method: the satellites' kinetic energy follows the work that the real
contact did (ours).

From what a rig measures, and without stiffness or delay. While a contact lasts, the real contact
has absorbed, measured wrench and measured motion paired by age (methods/measured/real_work.py),

    E_r = - sum (W_k + W_k-1)/2 . (x_r,k - x_r,k-1)

and the set-points already sent, which the mock-ups have not yet reached, will make it absorb
E_transit = - W . (x_cmd - x_r) more. So the satellites may have the kinetic energy

    allowed = KE at the opening + W_external - W_virtual + W_designed - E_r - E_transit - noise bias
    - debt

and never more than at the opening with what came from outside, the loan and four standard
deviations of the noise: a real contact is passive, whatever a faulty sensor says of it
(methods/measured/doubts.py); nor does a wrench, along whatever line, lift them beyond (passive_ceiling.py).

`clamp`: what they have beyond is taken away. `equality`: what they lack is given as well. How:
settle.py. Near the turning point, where next to nothing is allowed, a small
loan stays, so that the satellites cannot stick. No correction changes the speed along the wrench by
more than a given share of the approach speed in one cycle.

A contact opens when the measured force rises above `threshold_N` and closes when it has been below
for `window_ms`; its books begin half of that earlier, so that the work below the threshold counts.
"""

from __future__ import annotations

import math

from softdock.compile.jit import compiled
from softdock.loop.method.declaration import ONCE
from softdock.loop.method.interface import BOOK_DESIGNED, BOOK_VIRTUAL, Output
from softdock.loop.method.method import Method
from softdock.loop.spatial.motion import (
    WRENCH_FLOATS,
    Motion,
    Wrench,
    load_wrench,
    port_energy,
    store_wrench,
)
from softdock.loop.spatial.rigid_body import motion_of
from softdock.loop.spatial.rotations import inverse, product
from softdock.loop.spatial.vectors import add, norm, scale, subtract
from softdock.methods.energy_ledger import keys, notes
from softdock.methods.energy_ledger.cells import (
    CELL,
    CELLS,
    books_of,
    note_books,
    open_books,
)
from softdock.methods.energy_ledger.keys import EQUALITY, HELD, REFUND, RELATIVE_MOTION, WANTED
from softdock.methods.energy_ledger.notes import note_trail
from softdock.methods.measured.by_axis import note_gains
from softdock.methods.measured.doubts import (
    DOUBT,
    believe,
    is_felt,
    least_absorbed,
    lifted,
)
from softdock.methods.measured.motions import store_wrenches
from softdock.methods.measured.paired_poses import (
    load_poses,
    poses_of,
    relative_displacement,
    store_poses,
    work_on,
)
from softdock.methods.measured.passive_ceiling import within_room
from softdock.methods.measured.projection import (
    carried_along,
    line_of,
    moved_along,
    pair_energy,
    scaled_relative,
    welded,
)
from softdock.methods.measured.real_work import (
    BOOK,
    book_real_work,
    force_slope,
    kept_back,
    note_readings,
    poses_at,
    wrench_at,
)

# The kinetic energy [J] that the energy ledger allows the satellites at t_{k+1}.
#
# It is what the contact left them, less what the contact will still absorb on the path of set-points
# that the mock-ups have not reached. method.py has the law. In: the work of the real contact as
# measured (methods/measured/real_work.py), and the satellites before and after the cycle.


@compiled
def least(method, mem):
    """The least energy [J] that the contact can have absorbed since its books began."""
    base = method.memory
    return least_absorbed(
        method.doubts,
        method.loan * mem[base + CELL.summit],
        mem[base + CELL.books + BOOK.variance] - mem[base + CELL.books + BOOK.base_variance],
    )


@compiled
def ceiling(method, mem):
    """Kinetic energy [J] that no passive contact can lift the satellites beyond."""
    base = method.memory
    return (
        mem[base + CELL.base_kinetic]
        + mem[base + CELL.given]
        - mem[base + CELL.base_given]
        - least(method, mem)
    )


@compiled
def given_from_outside(method, mem, rig, before, after, start, end):
    """Energy [J] of this cycle that neither the contact nor a virtual element accounts for:
    thrusters, hands, methods that mean to differ."""
    at = method.memory + CELL.acting
    through = (
        port_energy(load_wrench(mem, at), rig.T, start.chaser, end.chaser)
        if not rig.chaser.fixed
        else 0.0
    )
    through += (
        port_energy(load_wrench(mem, at + WRENCH_FLOATS), rig.T, start.target, end.target)
        if not rig.target.fixed
        else 0.0
    )
    meant = mem[BOOK_VIRTUAL] if method.virtual == WANTED else 0.0
    return pair_energy(rig, after) - pair_energy(rig, before) - through - meant + mem[BOOK_DESIGNED]


@compiled
def allowed_energy(method, mem, T, start, end, felt):
    """Kinetic energy [J] that the satellites may have at t_{k+1}."""
    base = method.memory
    kept = kept_back(mem, base + CELL.books, method.deviations, method.booking.worst)
    transit = _transit(method, mem, T, start, end)
    mem[base + CELL.largest_transit] = max(mem[base + CELL.largest_transit], abs(transit))
    absorbed = (
        mem[base + CELL.books + BOOK.real] - mem[base + CELL.books + BOOK.base_real] + transit
    )
    absorbed += lifted(
        mem, base + CELL.doubts, least(method, mem), absorbed, felt, mem[base + CELL.base_kinetic]
    )
    return (
        mem[base + CELL.base_kinetic]
        + mem[base + CELL.given]
        - mem[base + CELL.base_given]
        - absorbed
        - kept
        - mem[base + CELL.debt]
    )


@compiled
def _transit(method, mem, T, start, end):
    """Energy [J] that the contact will absorb on the way from the mock-ups' last booked poses to
    the set-points stamped t_{k+1}."""
    base = method.memory
    here, wrench = (
        poses_at(mem, books_of(method), mem[base + CELL.books + BOOK.booked]),
        wrench_at(mem, books_of(method), mem[base + CELL.books + BOOK.booked]),
    )
    force = norm(wrench.force)
    if force <= method.booking.threshold:
        return 0.0
    sent = load_poses(mem, base + CELL.command) if mem[base + CELL.sent] != 0.0 else poses_of(start)
    behind, ahead = (
        relative_displacement(here, sent),
        relative_displacement(poses_of(start), poses_of(end)),
    )
    note_trail(mem, base, T, behind.translation, ahead.translation)
    work = work_on(wrench, behind) + work_on(wrench, ahead)
    if method.transit == HELD:
        return -work
    deeper, slope = -work / force, force_slope(mem, base + CELL.books)
    if force + slope * deeper < 0.0:
        return -0.5 * force * force / slope  # parted on the way
    return (force + 0.5 * slope * deeper) * deeper


# How the energy ledger brings the satellites to the kinetic energy they may have: an internal
# impulse along the measured wrench, or a scaling of all relative motion (methods/measured/projection.py).
#
# Momenta of the pair stay. A loan near the turning point and a largest step per cycle limit what one
# correction does.


@compiled
def settle(method, mem, rig, satellites, allowed, parted):
    """The satellites with the energy they may have, or as near as loan and step let them."""
    base = method.memory
    line = line_of(rig, satellites, load_wrench(mem, base + CELL.direction))
    if line.mobility <= 0.0:
        return satellites
    along = 0.5 * line.speed * line.speed / line.mobility
    if line.speed < 0.0:
        mem[base + CELL.summit] = max(mem[base + CELL.summit], along)
    loan = method.loan * mem[base + CELL.summit]
    if method.along == RELATIVE_MOTION:
        return _settle_relative(method, mem, rig, satellites, allowed, loan)
    settled = _settle_along(method, mem, rig, satellites, line, along, allowed, loan=loan)
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
    """Bring the satellites to their energy by an internal impulse along the measured wrench."""
    base = method.memory
    kinetic = pair_energy(rig, satellites)
    wanted = _wanted(method, mem, along, allowed - (kinetic - along), loan)
    if wanted == along:
        return satellites
    speed = math.copysign(math.sqrt(2.0 * line.mobility * wanted), line.speed)
    pushed = (
        rig.T * line.mobility * norm(load_wrench(mem, base + CELL.acting).force)
    )  # what the force itself did in this cycle
    fastest = math.sqrt(2.0 * line.mobility * mem[base + CELL.summit])
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
    return max(mem[method.memory + CELL.taken], 0.0) if method.form == REFUND else 0.0


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
    mem[base + CELL.taken] -= gain
    mem[base + CELL.removed] -= min(gain, 0.0)
    mem[base + CELL.returned] += max(gain, 0.0)
    mem[base + CELL.largest_step] = max(mem[base + CELL.largest_step], step)
    mem[base + CELL.fastest] = max(mem[base + CELL.fastest], fastest)


@compiled
def remember(method, mem, rig, measured, satellites, wrenches):
    """The wrenches that act in this cycle, which `follow` needs to know what came from outside; a
    reading that is not believed does not act."""
    base = method.memory
    _, wrenches = believe(
        mem,
        at=base + CELL.doubts,
        rig=rig,
        doubts=method.doubts,
        threshold=method.booking.threshold,
        measured=measured,
        satellites=satellites,
        wrenches=wrenches,
    )
    if mem[base + CELL.open] != 0.0 and not method.doubts.hands:
        wrenches = within_room(
            mem,
            base + CELL.doubts + DOUBT.cut,
            rig,
            satellites,
            wrenches,
            ceiling(method, mem) - pair_energy(rig, satellites),
        )
    store_wrenches(mem, base + CELL.acting, wrenches)
    return wrenches


@compiled
def send(method, mem, rig, satellites, output):
    """Remember what was sent."""
    store_poses(mem, method.memory + CELL.command, poses_of(output))
    mem[method.memory + CELL.sent] = 1.0
    return output


@compiled
def follow(method, mem, rig, measured, before, after, output):
    """Bring the satellites at t_{k+1} to the energy that the real contact left them."""
    base, t = method.memory, rig.cycle * rig.T
    start, end = _both(rig, before), _both(rig, after)
    if mem[base + CELL.cycles] == 0.0:
        mem[base + CELL.books + BOOK.booked] = t - 2.0 * rig.T
        note_books(method, mem, pair_energy(rig, before))
    _take_readings(method, mem, rig, measured, t)
    mem[base + CELL.given] += given_from_outside(method, mem, rig, before, after, start, end)
    wrench = load_wrench(mem, base + CELL.doubts + DOUBT.reading)
    seen, felt = (
        norm(wrench.force) > method.booking.threshold,
        is_felt(mem, base + CELL.doubts, method.booking.threshold),
    )
    if felt and mem[base + CELL.open] != 0.0:
        mem[base + CELL.last_seen] = mem[base + CELL.force_time]
    if seen:
        if mem[base + CELL.open] == 0.0:
            open_books(method, mem, int(0.5 * method.window / rig.T))
            (
                mem[base + CELL.open],
                mem[base + CELL.summit],
                mem[base + CELL.taken],
                mem[base + CELL.books + BOOK.turnover],
            ) = (
                1.0,
                0.0,
                0.0,
                0.0,
            )
            mem[base + CELL.doubts + DOUBT.lifted] = 0.0
            mem[base + CELL.contacts] += 1.0
        mem[base + CELL.last_seen] = mem[base + CELL.force_time]
        size = 1.0 / norm(wrench.force)
        store_wrench(
            mem,
            base + CELL.direction,
            Wrench(scale(size, wrench.force), scale(size, wrench.torque)),
        )
    settled = after
    if mem[base + CELL.open] != 0.0 and (
        felt or mem[base + CELL.books + BOOK.booked] >= mem[base + CELL.last_seen]
    ):  # parted: wait for the poses of the last touch
        allowed = allowed_energy(method, mem, rig.T, start, end, felt)
        settled = carried_along(rig, after, settle(method, mem, rig, after, allowed, not felt))
        note_gains(mem, base + CELL.work, rig, after, settled)
        if t - mem[base + CELL.last_seen] > method.window:
            mem[base + CELL.open] = 0.0
            missing = pair_energy(rig, settled) - allowed
            mem[base + CELL.debt] = missing if method.form == EQUALITY else max(missing, 0.0)
    note_books(method, mem, pair_energy(rig, settled))
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
    books, wrench = books_of(method), load_wrench(mem, base + CELL.doubts + DOUBT.reading)
    is_new = note_readings(mem, books, wrench, force_time, measured.mock_ups, pose_time)
    if not is_new and mem[base + CELL.open] != 0.0:
        mem[base + CELL.stale] += 1.0
    mem[base + CELL.force_time] = force_time
    book_real_work(mem, books, pose_time, method.booking)


METHOD = Method(
    name="energy_ledger",
    summary="the satellites' kinetic energy follows the measured work of the real contact",
    knows="nothing; with noise, its size",
    while_latched="it holds the pair: its energy stays within 0.1 %",
    holds_latch=True,
    group=keys.ENERGY_LEDGER,
    marker=keys.MARKER,
    prepare=keys.prepare,
    wrench=remember,
    correct=follow,
    set_point=send,
    cells=CELLS,
    memory=keys.memory,
    check=keys.check,
    suggest=keys.suggest,
    refuses=keys.refuses,
    books=notes.books,
    events=notes.events,
    once=ONCE,
    settles_energy=True,
    changes_wrench=False,  # it only leaves out readings that are not believed
    threshold_key="threshold_N",
    claims_passivity={"claim": "passive"},
)
