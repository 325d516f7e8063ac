"""The energy bounds, checked when the controller has moved the satellites to t_{k+1} and before any
reply carries that motion to a robot: what would break a bound never leaves.

    kinetic energy of the pair (barycentric), less what external wrenches have added since
        <= e_max^2 (that at the last free instant before a contact) + floor
                                        from that contact's beginning until the next one's
        <= (1 + share of a run) (that at the first contact, until then at the start) + floor
    observed energy of this contact (Zebenay eq. 114)
        <= share of a contact (kinetic energy before it) + floor + 3 sigma_F v T sqrt(n)
    sum over contacts of what was observed above zero
        <= share of a run (kinetic energy before the first) + floor

The pair's kinetic energy is bounded whatever the methods do: a virtual damper that takes out what
the rig has added makes room, and is not held against it. It is bounded in free flight too: a
force too small to be a contact, held or wrong for long, moves a satellite as well, and a method may
act late. What external wrenches (thrusters, tide) do to the common motion of two free satellites is
not theirs to give to the pair: added is their work less the gain of the common motion.
"""

from __future__ import annotations

import math

from softdock.compile.jit import compiled, noinline
from softdock.loop.spatial.vectors import dot, norm, subtract
from softdock.recording.event_text import NOBODY
from softdock.rig.supervisor import reasons
from softdock.rig.supervisor.arrays import enter_state, fail_check
from softdock.rig.supervisor.layout import APPROACH, CONTACT, COUNT, LIMIT, PLAN, VALUE

SPREADS = 3.0  # of the noise's work


@compiled
def compute_common_energy(params, satellites):
    """Kinetic energy [J] of the common motion; with a fixed body there is none."""
    common = 0.0
    if params.chaser.fixed or params.target.fixed:
        return common
    a, b = params.chaser.mass, params.target.mass
    u, w = satellites.chaser.v, satellites.target.v
    for i in range(3):
        momentum = a[i] * u[i] + b[i] * w[i]
        common += 0.5 * momentum * momentum / (a[i] + b[i])
    return common


@compiled
def _store_free_instant(program, energy, added, observed, speed):
    """A free instant: what the next contact is measured by."""
    values = program.values
    values[VALUE.kinetic_free] = energy
    values[VALUE.added_free] = added
    values[VALUE.observed_free] = observed
    values[VALUE.observed_contact], values[VALUE.contact_cycles] = 0.0, 0.0
    values[VALUE.speed_in] = speed


@compiled
def _store_first_energy(program, energy, added):
    """What the run is measured by."""
    program.values[VALUE.kinetic_first], program.values[VALUE.added_first] = energy, added


@compiled
def _begin_contact(program):
    """A contact begins: its bound, from the last free instant."""
    counts, values, limits = program.counts, program.values, program.limits
    if counts[COUNT.contacts] == 0:
        _store_first_energy(program, values[VALUE.kinetic_free], values[VALUE.added_free])
    counts[COUNT.contacts] += 1
    counts[COUNT.free_cycles] = 0
    grown = limits[LIMIT.restitution] * limits[LIMIT.restitution]
    values[VALUE.kinetic_bound] = grown * values[VALUE.kinetic_free] + limits[LIMIT.energy_floor]
    values[VALUE.added_bound] = values[VALUE.added_free]
    enter_state(program, CONTACT)


@compiled
def _update_contact_state(program, force):
    """Free or in contact, by the measured force."""
    counts, values, limits = program.counts, program.values, program.limits
    touch = limits[LIMIT.touch]
    if counts[COUNT.state] == APPROACH:
        if force > touch:
            _begin_contact(program)
        return
    if counts[COUNT.state] != CONTACT:  # another check of this cycle has failed: never back
        return
    counts[COUNT.free_cycles] = counts[COUNT.free_cycles] + 1 if force < 0.5 * touch else 0
    if counts[COUNT.free_cycles] * program.plan[PLAN.cycle] > limits[LIMIT.free_s]:
        values[VALUE.observed_run] += max(0.0, values[VALUE.observed_contact])
        enter_state(program, APPROACH)


@compiled
def _check_kinetic(program, energy, added):
    """Kinetic energy of the pair, in contact and in free flight: its gain by the last contact, and
    by the run."""
    counts, values, limits = program.counts, program.values, program.limits
    most = (1.0 + limits[LIMIT.energy_run]) * values[VALUE.kinetic_first] + limits[
        LIMIT.energy_floor
    ]
    of_run = energy - (added - values[VALUE.added_first])
    values[VALUE.kinetic] = of_run
    if counts[COUNT.contacts] > 0:
        values[VALUE.kinetic] = energy - (added - values[VALUE.added_bound])
        if values[VALUE.kinetic] > values[VALUE.kinetic_bound]:
            fail_check(
                program,
                reasons.RESTITUTION,
                NOBODY,
                values[VALUE.kinetic],
                values[VALUE.kinetic_bound],
            )
            return
    if of_run > most:
        fail_check(program, reasons.ENERGY_RUN, NOBODY, of_run, most)


@compiled
def _check_observed(program, observed):
    """Observed energy of this contact and of all contacts."""
    values, limits, T = program.values, program.limits, program.plan[PLAN.cycle]
    values[VALUE.contact_cycles] += 1.0
    values[VALUE.observed_contact] = observed - values[VALUE.observed_free]
    noise = SPREADS * limits[LIMIT.noise] * values[VALUE.speed_in] * T
    noise *= math.sqrt(values[VALUE.contact_cycles])
    floor = limits[LIMIT.energy_floor]
    values[VALUE.observed_bound] = (
        limits[LIMIT.energy_contact] * values[VALUE.kinetic_free] + floor + noise
    )
    if values[VALUE.observed_contact] > values[VALUE.observed_bound]:
        bound = values[VALUE.observed_bound]
        fail_check(program, reasons.ENERGY_CONTACT, NOBODY, values[VALUE.observed_contact], bound)
    summed = values[VALUE.observed_run] + max(0.0, values[VALUE.observed_contact])
    most = limits[LIMIT.energy_run] * values[VALUE.kinetic_first] + floor
    if summed > most:
        fail_check(program, reasons.ENERGY_RUN, NOBODY, summed, most)


@compiled
def _store_closest_to_bound(program):
    """What may be sent: of the contact that has come nearest to its bound."""
    values, none = program.values, program.values[VALUE.kinetic_most_bound] == 0.0
    nearer = values[VALUE.kinetic] * values[VALUE.kinetic_most_bound]
    if none or nearer > values[VALUE.kinetic_most] * values[VALUE.kinetic_bound]:
        values[VALUE.kinetic_most] = values[VALUE.kinetic]
        values[VALUE.kinetic_most_bound] = values[VALUE.kinetic_bound]


@noinline
def check_energy(program, params, now):
    """All energy bounds for the satellites at t_{k+1}. `now`: kept.Kept after the controller."""
    counts, ledger, satellites = program.counts, now.ledger, now.satellites
    common = compute_common_energy(params, satellites)
    energy, added = ledger.kinetic - common, ledger.external - common
    a, b = now.measured.chaser.force, now.measured.target.force
    if counts[COUNT.cycles] <= 1:
        _store_first_energy(program, energy, added)
    _update_contact_state(program, math.sqrt(max(dot(a, a), dot(b, b))))
    is_free = counts[COUNT.state] == APPROACH
    _check_kinetic(program, energy, added)
    if not is_free:
        _check_observed(program, ledger.observed)
    elif counts[COUNT.reason] == reasons.NONE:
        speed = norm(subtract(satellites.chaser.v, satellites.target.v))
        _store_free_instant(program, energy, added, ledger.observed, speed)
    if counts[COUNT.contacts] > 0 and counts[COUNT.reason] == reasons.NONE:
        _store_closest_to_bound(program)
