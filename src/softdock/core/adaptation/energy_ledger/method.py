"""The energy ledger as a method: the satellites' kinetic energy follows the work that the real
contact did (ours).

From what a rig measures, and without stiffness or delay. While a contact lasts, the real contact
has absorbed, measured wrench and measured motion paired by age (measured/real_work.py),

    E_r = - sum (W_k + W_k-1)/2 . (x_r,k - x_r,k-1)

and the set-points already sent, which the mock-ups have not yet reached, will make it absorb
E_transit = - W . (x_cmd - x_r) more. So the satellites may have the kinetic energy

    allowed = KE at the opening + W_external - W_virtual + W_designed - E_r - E_transit - noise bias
    - debt

and never more than at the opening with what came from outside, the loan and four standard
deviations of the noise: a real contact is passive, whatever a faulty sensor says of it
(measured/doubts.py); nor does a wrench, along whatever line, lift them beyond (passive_ceiling.py).

`clamp`: what they have beyond is taken away. `equality`: what they lack is given as well. How:
settle.py. Near the turning point, where next to nothing is allowed, a small
loan stays, so that the satellites cannot stick. No correction changes the speed along the wrench by
more than a given share of the approach speed in one cycle.

A contact opens when the measured force rises above `threshold_N` and closes when it has been below
for `window_ms`; its books begin half of that earlier, so that the work below the threshold counts.
"""

from __future__ import annotations

from softdock.core.adaptation.declaration import ONCE
from softdock.core.adaptation.energy_ledger import keys, notes
from softdock.core.adaptation.energy_ledger.allowed_energy import (
    allowed_energy,
    ceiling,
    given_from_outside,
)
from softdock.core.adaptation.energy_ledger.cells import (
    CELL,
    CELLS,
    books_of,
    note_books,
    open_books,
)
from softdock.core.adaptation.energy_ledger.keys import EQUALITY
from softdock.core.adaptation.energy_ledger.settle import settle
from softdock.core.adaptation.interface import Output
from softdock.core.adaptation.measured.by_axis import note_gains
from softdock.core.adaptation.measured.doubts import (
    DOUBT,
    believe,
    is_felt,
)
from softdock.core.adaptation.measured.motions import store_wrenches
from softdock.core.adaptation.measured.paired_poses import (
    poses_of,
    store_poses,
)
from softdock.core.adaptation.measured.passive_ceiling import within_room
from softdock.core.adaptation.measured.projection import (
    carried_along,
    pair_energy,
)
from softdock.core.adaptation.measured.real_work import (
    BOOK,
    book_real_work,
    note_readings,
)
from softdock.core.adaptation.method import Method
from softdock.core.machine.compiled import compiled
from softdock.core.spatial.motion import Motion, Wrench, load_wrench, store_wrench
from softdock.core.spatial.rigid_body import motion_of
from softdock.core.spatial.rotations import inverse, product
from softdock.core.spatial.vectors import add, norm, scale, subtract


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
