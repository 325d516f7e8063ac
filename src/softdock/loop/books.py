"""The energy balance of one cycle: one entry of the ledger (loop/energy/ledger.py has its rows).

In: what the controller did (wrenches, satellites before and after), and what the facility knows of
the true contact. Out: the ledger with this cycle's works added [J]. A hand that pushes a mock-up is
felt by the sensor; its work on the satellite counts as external.
"""

from __future__ import annotations

from typing import NamedTuple

from softdock.compile.features import is_full
from softdock.compile.jit import by_type, compiled, noinline
from softdock.loop.controller import measure, of_target_or_both
from softdock.loop.energy.ledger import Rows, book, close_cycle
from softdock.loop.energy.observed import observed_energy
from softdock.loop.method.hooks import (
    any_books,
    any_correct,
    any_external,
    any_lead,
    any_replaced,
    any_rewound,
    any_wrench,
    sum_replaced,
    sum_rewound,
)
from softdock.loop.method.interface import (
    BOOK_DESIGNED,
    BOOK_VIRTUAL,
    Replaced,
    Wrenches,
)
from softdock.loop.schedules import schedule_at, scheduled
from softdock.loop.sensor.force_torque import ON_CHASER, ON_TARGET
from softdock.loop.spatial.motion import no_wrench, opposite
from softdock.loop.spatial.rigid_body import kinetic_energy
from softdock.loop.spatial.vectors import negate, subtract
from softdock.loop.vector import CHASER_HAND_AT, TARGET_HAND_AT


class Said(NamedTuple):
    """What the methods say of a cycle, for its books and its log: the same type whatever they are,
    so that both are compiled once for all lists of methods."""

    rows: Rows  # which works the loop can have at all
    replaces: bool  # a method may put a wanted contact in place of the real one
    replaced: Replaced  # what it did
    rewound: float  # J, by a changed past


@compiled
def said_by(methods, flags, mem):
    """By the methods after a cycle; `flags`: of the scenario."""
    rows = Rows(
        adaptation=any_wrench(methods),
        correction=any_correct(methods),
        rewound=any_rewound(methods),
        books=any_books(methods),
        command=flags.shared or any_lead(methods),
        external=flags.external or flags.hands or any_external(methods),
    )
    rewound = sum_rewound(methods, mem) if rows.rewound else 0.0
    return Said(rows, any_replaced(methods), sum_replaced(methods, mem), rewound)


@compiled
def keep_books(rig, said, vector, loop, mem, k, measured, done, facility, passage):
    """The ledger's entry of one cycle. A hand that pushes a mock-up is felt by the sensor, and its
    work on the satellite counts as external. `rig`: parameters without methods."""
    after, T = done.corrected, rig.T
    hand = Wrenches(no_wrench(), no_wrench())
    if rig.flags.hands:
        hand = hand_wrenches(
            rig.features, rig.sensor.on, vector, (k + 0.5) * T, facility, loop.satellites
        )
    now = measure(rig, mem, facility, after, (k + 1) * T)
    designed = mem[BOOK_DESIGNED] if said.rows.books else 0.0
    if said.replaces:  # the method booked the real work as measured; here it is known
        designed = passage.absorbed - said.replaced.taken
    observed = observed_energy(T, done.wrenches, loop.command, done.command, measured, now)
    return enter(
        rig,
        said,
        mem,
        loop.ledger,
        before=loop.satellites,
        command=loop.command,
        measured=measured,
        done=done,
        hand=hand,
        true=Wrenches(passage.mean_chaser, passage.mean_target),
        contact=Contact(passage.absorbed, passage.stored, passage.dissipated),
        observed=observed,
        designed=designed,
    )


class Contact(NamedTuple):
    """What the real contact did in a cycle, J. Zero where nobody knows."""

    absorbed: float
    stored: float  # in it at the end
    dissipated: float


@compiled
def enter(
    rig,
    said,
    mem,
    ledger,
    before,
    command,
    measured,
    done,
    hand,
    true,
    contact,
    observed,
    designed,
):
    """The ledger after one more cycle. `before`, `command`: satellites and set-points at t_k;
    `hand`, `true`: wrenches of hands and of the contact on both bodies, the contact's mean."""
    after, meant = done.corrected, measured.wrenches
    rows = said.rows
    chaser = book(
        rows,
        wrench=done.wrenches.chaser,
        external=done.external.chaser,
        hand=hand.chaser,
        measured=meant.chaser,
        true=true.chaser,
        before=before.chaser,
        after=after.chaser,
        command_before=command.chaser,
        command_after=done.command.chaser,
    )
    target = book(
        rows,
        wrench=done.wrenches.target,
        external=done.external.target,
        hand=hand.target,
        measured=meant.target,
        true=true.target,
        before=before.target,
        after=after.target,
        command_before=command.target,
        command_after=done.command.target,
    )
    integrated = done.integrated
    kinetic_integrated = kinetic_energy(rig.chaser, integrated.chaser) + kinetic_energy(
        rig.target, integrated.target
    )
    kinetic = kinetic_energy(rig.chaser, after.chaser) + kinetic_energy(rig.target, after.target)
    return close_cycle(
        rows,
        ledger,
        chaser,
        target,
        kinetic_integrated,
        kinetic,
        contact.absorbed,
        stored=contact.stored,
        dissipated=contact.dissipated,
        observed=observed,
        virtual=mem[BOOK_VIRTUAL] if rows.books else 0.0,
        designed=designed,
        rewound=said.rewound,
    )


@compiled
def _no_hands(features, on, vector, t, facility, satellites):
    return Wrenches(no_wrench(), no_wrench())


@noinline
def _hand_wrenches(features, on, vector, t, facility, satellites):
    """What the sensor there sees of it, and on the other body the opposite."""
    arm, none = subtract(satellites.chaser.p, satellites.target.p), no_wrench()
    chaser = (
        scheduled(vector, schedule_at(vector, CHASER_HAND_AT), t, facility.chaser.q)
        if on != ON_TARGET
        else none
    )
    target = (
        scheduled(vector, schedule_at(vector, TARGET_HAND_AT), t, facility.target.q)
        if on != ON_CHASER
        else none
    )
    if on == ON_TARGET:
        chaser = opposite(target, negate(arm))
    elif on != ON_CHASER:
        chaser = of_target_or_both(on, target, chaser, arm)[0]
    return Wrenches(chaser, opposite(chaser, arm))


@by_type(lambda cls: _hand_wrenches if is_full(cls) else _no_hands)
def hand_wrenches(features, on, vector, t, facility, satellites):
    """What a hand on a mock-up does to the satellites."""
