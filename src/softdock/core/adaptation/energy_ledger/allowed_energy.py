"""The kinetic energy [J] that the energy ledger allows the satellites at t_{k+1}.

It is what the contact left them, less what the contact will still absorb on the path of set-points
that the mock-ups have not reached. method.py has the law. In: the work of the real contact as
measured (measured/real_work.py), and the satellites before and after the cycle.
"""

from __future__ import annotations

from softdock.core.adaptation.energy_ledger.cells import (
    CELL,
    books_of,
)
from softdock.core.adaptation.energy_ledger.keys import HELD, WANTED
from softdock.core.adaptation.energy_ledger.notes import note_trail
from softdock.core.adaptation.interface import BOOK_DESIGNED, BOOK_VIRTUAL
from softdock.core.adaptation.measured.doubts import (
    least_absorbed,
    lifted,
)
from softdock.core.adaptation.measured.paired_poses import (
    load_poses,
    poses_of,
    relative_displacement,
    work_on,
)
from softdock.core.adaptation.measured.projection import (
    pair_energy,
)
from softdock.core.adaptation.measured.real_work import (
    BOOK,
    force_slope,
    kept_back,
    poses_at,
    wrench_at,
)
from softdock.core.machine.compiled import compiled
from softdock.core.spatial.motion import WRENCH_FLOATS, load_wrench, port_energy
from softdock.core.spatial.vectors import norm


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
