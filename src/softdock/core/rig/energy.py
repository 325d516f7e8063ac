"""The energy bounds, checked when the controller has moved the satellites to t_{k+1} and before any
reply carries that motion to a robot: what would break a bound never leaves.

    kinetic energy of the pair (barycentric), less the work of external wrenches
        <= e_max^2 (that at the last free instant) + floor              in a contact
        <= (1 + share of a run) (that at the first contact) + floor     always
    observed energy of this contact (Zebenay eq. 114)
        <= share of a contact (kinetic energy before it) + floor + 3 sigma_F v T sqrt(n)
    sum over contacts of what was observed above zero
        <= share of a run (kinetic energy before the first) + floor

The pair's kinetic energy is bounded whatever the methods do: a virtual damper that takes out what
the rig has invented makes room, and is not held against it.
"""

from __future__ import annotations

import math

from softdock.core.machine.compiled import apart, compiled
from softdock.core.rig import reasons
from softdock.core.rig.arrays import LIMIT, S, V, enter, fail
from softdock.core.rig.layout import APPROACH, CONTACT, PLAN
from softdock.core.spatial.vectors import dot, norm, subtract

P = PLAN.at
SPREADS = 3.0  # of the noise's work


@compiled
def pair_energy(params, satellites, kinetic):
    """Kinetic energy [J] without that of the common motion; with a fixed body, all of it."""
    if params.chaser.fixed or params.target.fixed:
        return kinetic
    a, b, common = params.chaser.mass, params.target.mass, 0.0
    u, w = satellites.chaser.v, satellites.target.v
    for i in range(3):
        momentum = a[i] * u[i] + b[i] * w[i]
        common += 0.5 * momentum * momentum / (a[i] + b[i])
    return kinetic - common


@compiled
def _free(program, energy, observed, speed):
    """A free instant: what the next contact is measured by."""
    stand, seen = program.stand, program.seen
    seen[V.kinetic_free], seen[V.observed_free] = energy, observed
    seen[V.observed_contact], seen[V.contact_cycles] = 0.0, 0.0
    seen[V.speed_in] = speed
    if stand[S.contacts] == 0:
        seen[V.kinetic_first] = energy


@compiled
def _follow(program, force):
    """Free or in contact, by the measured force."""
    stand, seen, limits = program.stand, program.seen, program.limits
    touch = limits[LIMIT.touch]
    if stand[S.state] == APPROACH:
        if force > touch:
            stand[S.contacts] += 1
            stand[S.free_cycles] = 0
            enter(program, CONTACT)
        return
    stand[S.free_cycles] = stand[S.free_cycles] + 1 if force < 0.5 * touch else 0
    if stand[S.free_cycles] * program.plan[P.cycle] > limits[LIMIT.free_s]:
        seen[V.observed_run] += max(0.0, seen[V.observed_contact])
        enter(program, APPROACH)


@apart
def check_energy(program, params, now):
    """All energy bounds for the satellites at t_{k+1}. `now`: kept.Kept after the controller."""
    stand, seen, limits = program.stand, program.seen, program.limits
    ledger, satellites = now.ledger, now.satellites
    energy = pair_energy(params, satellites, ledger.kinetic) - ledger.external
    a, b = now.measured.chaser.force, now.measured.target.force
    force = math.sqrt(max(dot(a, a), dot(b, b)))
    floor, T = limits[LIMIT.energy_floor], program.plan[P.cycle]
    seen[V.kinetic] = energy
    _follow(program, force)
    run_bound = (1.0 + limits[LIMIT.energy_run]) * seen[V.kinetic_first] + floor
    if stand[S.state] == APPROACH:
        if stand[S.contacts] > 0 and energy > run_bound:
            fail(program, reasons.ENERGY_RUN, energy, run_bound)
            return
        speed = norm(subtract(satellites.chaser.v, satellites.target.v))
        _free(program, energy, ledger.observed, speed)
        return
    seen[V.contact_cycles] += 1.0
    seen[V.observed_contact] = ledger.observed - seen[V.observed_free]
    before, gained = seen[V.kinetic_free], limits[LIMIT.restitution]
    seen[V.kinetic_bound] = gained * gained * before + floor
    noise = SPREADS * limits[LIMIT.noise] * seen[V.speed_in] * T
    noise *= math.sqrt(seen[V.contact_cycles])
    seen[V.observed_bound] = limits[LIMIT.energy_contact] * before + floor + noise
    if energy > seen[V.kinetic_bound]:
        fail(program, reasons.RESTITUTION, energy, seen[V.kinetic_bound])
    elif energy > run_bound:
        fail(program, reasons.ENERGY_RUN, energy, run_bound)
    if seen[V.observed_contact] > seen[V.observed_bound]:
        bound = seen[V.observed_bound]
        fail(program, reasons.ENERGY_CONTACT, seen[V.observed_contact], bound)
    summed = seen[V.observed_run] + max(0.0, seen[V.observed_contact])
    most = limits[LIMIT.energy_run] * seen[V.kinetic_first] + floor
    if summed > most:
        fail(program, reasons.ENERGY_RUN, summed, most)
    if stand[S.reason] == reasons.NONE:
        seen[V.kinetic_most] = max(seen[V.kinetic_most], energy)
