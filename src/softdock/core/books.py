"""The books of one cycle: the ledger's entry, from what the controller did and what the facility
knows of the true contact (energy/ledger.py has the rows)."""

from __future__ import annotations

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
from softdock.core.machine.features import Every
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
    before, after, meant = loop.satellites, done.corrected, measured.wrenches
    methods, pushed = params.methods, params.external or params.hands
    lead = params.shared or any_lead(methods)
    rows = Rows(
        adaptation=any_wrench(methods),
        correction=any_correct(methods),
        rewound=any_rewound(methods),
        books=any_books(methods),
        command=lead,
        external=pushed or any_external(methods),
    )
    hand = Wrenches(no_wrench(), no_wrench())
    if params.hands:
        hand = hand_wrenches(
            params.features, params.sensor.on, vector, (k + 0.5) * params.T, facility, before
        )
    chaser = book(
        rows,
        done.wrenches.chaser,
        done.external.chaser,
        hand.chaser,
        meant.chaser,
        passage.mean_chaser,
        before.chaser,
        after.chaser,
        loop.command.chaser,
        done.command.chaser,
    )
    target = book(
        rows,
        done.wrenches.target,
        done.external.target,
        hand.target,
        meant.target,
        passage.mean_target,
        before.target,
        after.target,
        loop.command.target,
        done.command.target,
    )
    integrated = done.integrated
    kinetic_integrated = kinetic_energy(params.chaser, integrated.chaser) + kinetic_energy(
        params.target, integrated.target
    )
    kinetic = kinetic_energy(params.chaser, after.chaser) + kinetic_energy(
        params.target, after.target
    )
    now = measure(without_methods(params), mem, facility, after, (k + 1) * params.T)
    designed = mem[BOOK_DESIGNED] if rows.books else 0.0
    if any_replaced(methods):  # the method booked the real work as measured; here it is known
        designed = passage.absorbed - sum_replaced(methods, mem).taken
    observed = observed_energy(params.T, done.wrenches, loop.command, done.command, measured, now)
    return close_cycle(
        rows,
        loop.ledger,
        chaser,
        target,
        kinetic_integrated,
        kinetic,
        passage.absorbed,
        passage.stored,
        passage.dissipated,
        observed,
        mem[BOOK_VIRTUAL] if rows.books else 0.0,
        designed,
        sum_rewound(methods, mem) if rows.rewound else 0.0,
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


@by_type(lambda cls: _hand_wrenches if cls is Every else _no_hands)
def hand_wrenches(features, on, vector, t, facility, satellites):
    """What a hand on a mock-up does to the satellites."""
