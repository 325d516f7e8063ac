"""The energy balance of one cycle: one entry of the ledger (energy/ledger.py has its rows).

In: what the controller did (wrenches, satellites before and after), and what the facility knows of
the true contact. Out: the ledger with this cycle's works added [J]. A hand that pushes a mock-up is
felt by the sensor; its work on the satellite counts as external.
"""

from __future__ import annotations

from typing import NamedTuple

from softdock.core.adaptation.hooks import sum_replaced, sum_rewound
from softdock.core.adaptation.interface import BOOK_DESIGNED, BOOK_VIRTUAL, Wrenches
from softdock.core.adaptation.used_hooks import (
    any_books,
    any_correct,
    any_external,
    any_lead,
    any_replaced,
    any_rewound,
    any_wrench,
)
from softdock.core.controller import measure, of_target_or_both
from softdock.core.energy.ledger import Rows, book, close_cycle
from softdock.core.energy.observed import observed_energy
from softdock.core.machine.compiled import apart, by_type, compiled
from softdock.core.machine.features import is_full
from softdock.core.machine.vector import CHASER_HAND_AT, TARGET_HAND_AT, without_methods
from softdock.core.schedules import schedule_at, scheduled
from softdock.core.sensor.force_torque import ON_CHASER, ON_TARGET
from softdock.core.spatial.motion import no_wrench, opposite
from softdock.core.spatial.rigid_body import kinetic_energy
from softdock.core.spatial.vectors import negate, subtract


@compiled
def keep_books(params, vector, loop, mem, k, measured, done, facility, passage):
    """The ledger's entry of one cycle. A hand that pushes a mock-up is felt by the sensor, and its
    work on the satellite counts as external."""
    methods, after, T = params.methods, done.corrected, params.T
    hand = Wrenches(no_wrench(), no_wrench())
    if params.flags.hands:
        hand = hand_wrenches(
            params.features, params.sensor.on, vector, (k + 0.5) * T, facility, loop.satellites
        )
    now = measure(without_methods(params), mem, facility, after, (k + 1) * T)
    designed = mem[BOOK_DESIGNED] if any_books(methods) else 0.0
    if any_replaced(methods):  # the method booked the real work as measured; here it is known
        designed = passage.absorbed - sum_replaced(methods, mem).taken
    observed = observed_energy(T, done.wrenches, loop.command, done.command, measured, now)
    return enter(
        params,
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
    params,
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
    methods, pushed = params.methods, params.flags.external or params.flags.hands
    lead = params.flags.shared or any_lead(methods)
    rows = Rows(
        adaptation=any_wrench(methods),
        correction=any_correct(methods),
        rewound=any_rewound(methods),
        books=any_books(methods),
        command=lead,
        external=pushed or any_external(methods),
    )
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
    kinetic_integrated = kinetic_energy(params.chaser, integrated.chaser) + kinetic_energy(
        params.target, integrated.target
    )
    kinetic = kinetic_energy(params.chaser, after.chaser) + kinetic_energy(
        params.target, after.target
    )
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
        rewound=sum_rewound(methods, mem) if rows.rewound else 0.0,
    )


@compiled
def _no_hands(features, on, vector, t, facility, satellites):
    return Wrenches(no_wrench(), no_wrench())


@apart
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
