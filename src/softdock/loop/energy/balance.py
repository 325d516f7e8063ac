"""The energy balance of one cycle: what the works of all parts add to the ledger (ledger.py has its
rows).

In: what the controller did (wrenches, satellites before and after), and what the facility knows of
the true contact. Out: the ledger with this cycle's works added [J]. A hand that pushes a mock-up is
felt by the sensor; its work on the satellite counts as external.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from softdock.compile.features import is_full
from softdock.compile.jit import by_type, compiled, noinline
from softdock.loop.controller import combine_sensors, measure
from softdock.loop.energy.ledger import Rows, close_cycle, compute_body_works
from softdock.loop.energy.observed import observed_energy
from softdock.loop.flags import Flags
from softdock.loop.memory import HEAD
from softdock.loop.method.hooks import (
    any_correct,
    any_external,
    any_lead,
    any_replaced,
    any_reported_work,
    any_rewound,
    any_wrench,
    sum_replaced,
    sum_rewound,
)
from softdock.loop.method.interface import (
    Replaced,
    Wrenches,
)
from softdock.loop.nominal import restore_motions, restore_wrenches
from softdock.loop.schedules import schedule_at, scheduled
from softdock.loop.sensor.force_torque import ON_CHASER, ON_TARGET
from softdock.loop.spatial.motion import no_wrench, opposite
from softdock.loop.spatial.rigid_body import kinetic_energy
from softdock.loop.spatial.vectors import negate, subtract
from softdock.loop.vector import CHASER_HAND_AT, TARGET_HAND_AT

if TYPE_CHECKING:
    from softdock.loop.cycle import Controlled
    from softdock.loop.energy.ledger import Ledger
    from softdock.loop.facility.state import Stretch
    from softdock.loop.loop import Loop
    from softdock.loop.method.interface import Measured, Output, Satellites
    from softdock.loop.params import Params


class MethodEffects(NamedTuple):
    """What the methods did in a cycle, for its energy balance and its contact log: the same type
    whatever the methods are, so that both are compiled once for all lists of methods."""

    rows: Rows  # which works the loop can have at all
    replaces: bool  # a method may put a wanted contact in place of the real one
    replaced: Replaced  # what it did
    rewound: float  # J, by a changed past


@compiled
def collect_effects(methods, flags: Flags, mem) -> MethodEffects:
    """Of the methods after a cycle; `flags`: of the scenario."""
    rows = Rows(
        adaptation=any_wrench(methods),
        correction=any_correct(methods),
        rewound=any_rewound(methods),
        reported=any_reported_work(methods),
        command=flags.shared or flags.nominal or any_lead(methods),
        external=flags.external or flags.hands or any_external(methods),
    )
    rewound = sum_rewound(methods, mem) if rows.rewound else 0.0
    return MethodEffects(rows, any_replaced(methods), sum_replaced(methods, mem), rewound)


@compiled
def update_energy_balance(
    params: Params,
    effects: MethodEffects,
    vector,
    loop: Loop,
    mem,
    k,
    measured: Measured,
    controlled: Controlled,
    facility,
    plant: Stretch,
):
    """The ledger after one more cycle. `params`: without methods; `plant`: what the facility did in
    the cycle."""
    after, T = controlled.corrected, params.T
    hand = Wrenches(no_wrench(), no_wrench())
    if params.flags.hands:
        hand = hand_wrenches(
            params.features, params.sensor.on, vector, (k + 0.5) * T, facility, loop.satellites
        )
    now = measure(params, mem, facility, after, (k + 1) * T)
    designed = HEAD(mem).designed if effects.rows.reported else 0.0
    if effects.replaces:  # the method reported the real work as measured; here it is known
        designed = plant.absorbed - effects.replaced.taken
    sent, command = loop.command, controlled.command
    laboratory = Wrenches(plant.mean_chaser, plant.mean_target)
    true = laboratory
    if params.flags.nominal:
        sent = restore_motions(params.target, mem, sent, T)
        command = restore_motions(params.target, mem, command, 0.0)
        true = restore_wrenches(params.target, mem, laboratory, 0.5 * T)
    observed = observed_energy(T, controlled.wrenches, sent, command, measured, now)
    return add_works(
        params,
        effects,
        mem,
        loop.ledger,
        before=loop.satellites,
        command=loop.command,
        measured=measured,
        controlled=controlled,
        hand=hand,
        true=true,
        laboratory=laboratory,
        contact=Contact(plant.absorbed, plant.stored, plant.dissipated),
        observed=observed,
        designed=designed,
    )


class Contact(NamedTuple):
    """What the real contact did in a cycle, J. Zero where nobody knows."""

    absorbed: float
    stored: float  # in it at the end
    dissipated: float


@compiled
def add_works(
    params: Params,
    effects: MethodEffects,
    mem,
    ledger: Ledger,
    before: Satellites,
    command: Output,
    measured: Measured,
    controlled: Controlled,
    hand: Wrenches,
    true: Wrenches,
    laboratory: Wrenches,
    contact: Contact,
    observed,
    designed,
):
    """The ledger after one more cycle. `before`, `command`: satellites and set-points at t_k;
    `hand`, `true`: wrenches of hands and of the contact on both bodies, the contact's mean;
    `laboratory`: the same in the set-points' axes."""
    after, wrenches, rows = controlled.corrected, measured.wrenches, effects.rows
    chaser = compute_body_works(
        rows,
        wrench=controlled.wrenches.chaser,
        external=controlled.external.chaser,
        hand=hand.chaser,
        measured=wrenches.chaser,
        true=true.chaser,
        laboratory=laboratory.chaser,
        before=before.chaser,
        after=after.chaser,
        command_before=command.chaser,
        command_after=controlled.command.chaser,
    )
    target = compute_body_works(
        rows,
        wrench=controlled.wrenches.target,
        external=controlled.external.target,
        hand=hand.target,
        measured=wrenches.target,
        true=true.target,
        laboratory=laboratory.target,
        before=before.target,
        after=after.target,
        command_before=command.target,
        command_after=controlled.command.target,
    )
    integrated = controlled.integrated
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
        virtual=HEAD(mem).virtual if rows.reported else 0.0,
        designed=designed,
        rewound=effects.rewound,
    )


@compiled
def _no_hands(features, on, vector, t, facility, satellites: Satellites):
    return Wrenches(no_wrench(), no_wrench())


@noinline
def _hand_wrenches(features, on, vector, t, facility, satellites: Satellites):
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
        chaser = combine_sensors(on, target, chaser, arm)[0]
    return Wrenches(chaser, opposite(chaser, arm))


@by_type(lambda cls: _hand_wrenches if is_full(cls) else _no_hands)
def hand_wrenches(features, on, vector, t, facility, satellites):
    """What a hand on a mock-up does to the satellites."""
