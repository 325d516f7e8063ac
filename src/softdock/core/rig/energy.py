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
the rig has invented makes room, and is not held against it. It is bounded in free flight too: a
force too small to be a contact, held or wrong for long, moves a satellite as well, and a method may
act late. What external wrenches (thrusters, tide) do to the common motion of two free satellites is
not theirs to give to the pair: added is their work less the gain of the common motion.
"""

from __future__ import annotations

import math

from softdock.core.machine.compiled import apart, compiled
from softdock.core.rig import reasons
from softdock.core.rig.arrays import LIMIT, S, V, enter, fail
from softdock.core.rig.layout import APPROACH, CONTACT, PLAN
from softdock.core.rig.reasons import NOBODY
from softdock.core.spatial.vectors import dot, norm, subtract

P = PLAN.at
SPREADS = 3.0  # of the noise's work


@compiled
def common_energy(params, satellites):
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
def _free(program, energy, added, observed, speed):
    """A free instant: what the next contact is measured by."""
    seen = program.seen
    seen[V.kinetic_free], seen[V.added_free], seen[V.observed_free] = energy, added, observed
    seen[V.observed_contact], seen[V.contact_cycles] = 0.0, 0.0
    seen[V.speed_in] = speed


@compiled
def _first(program, energy, added):
    """What the run is measured by."""
    program.seen[V.kinetic_first], program.seen[V.added_first] = energy, added


@compiled
def _touch(program):
    """A contact begins: its bound, from the last free instant."""
    stand, seen, limits = program.stand, program.seen, program.limits
    if stand[S.contacts] == 0:
        _first(program, seen[V.kinetic_free], seen[V.added_free])
    stand[S.contacts] += 1
    stand[S.free_cycles] = 0
    grown = limits[LIMIT.restitution] * limits[LIMIT.restitution]
    seen[V.kinetic_bound] = grown * seen[V.kinetic_free] + limits[LIMIT.energy_floor]
    seen[V.added_bound] = seen[V.added_free]
    enter(program, CONTACT)


@compiled
def _follow(program, force):
    """Free or in contact, by the measured force."""
    stand, seen, limits = program.stand, program.seen, program.limits
    touch = limits[LIMIT.touch]
    if stand[S.state] == APPROACH:
        if force > touch:
            _touch(program)
        return
    if stand[S.state] != CONTACT:  # another check of this cycle has failed: never back
        return
    stand[S.free_cycles] = stand[S.free_cycles] + 1 if force < 0.5 * touch else 0
    if stand[S.free_cycles] * program.plan[P.cycle] > limits[LIMIT.free_s]:
        seen[V.observed_run] += max(0.0, seen[V.observed_contact])
        enter(program, APPROACH)


@compiled
def _check_kinetic(program, energy, added):
    """Kinetic energy of the pair, in contact and in free flight: its gain by the last contact, and
    by the run."""
    stand, seen, limits = program.stand, program.seen, program.limits
    most = (1.0 + limits[LIMIT.energy_run]) * seen[V.kinetic_first] + limits[LIMIT.energy_floor]
    of_run = energy - (added - seen[V.added_first])
    seen[V.kinetic] = of_run
    if stand[S.contacts] > 0:
        seen[V.kinetic] = energy - (added - seen[V.added_bound])
        if seen[V.kinetic] > seen[V.kinetic_bound]:
            fail(program, reasons.RESTITUTION, NOBODY, seen[V.kinetic], seen[V.kinetic_bound])
            return
    if of_run > most:
        fail(program, reasons.ENERGY_RUN, NOBODY, of_run, most)


@compiled
def _check_observed(program, observed):
    """Observed energy of this contact and of all contacts."""
    seen, limits, T = program.seen, program.limits, program.plan[P.cycle]
    seen[V.contact_cycles] += 1.0
    seen[V.observed_contact] = observed - seen[V.observed_free]
    noise = SPREADS * limits[LIMIT.noise] * seen[V.speed_in] * T
    noise *= math.sqrt(seen[V.contact_cycles])
    floor = limits[LIMIT.energy_floor]
    seen[V.observed_bound] = limits[LIMIT.energy_contact] * seen[V.kinetic_free] + floor + noise
    if seen[V.observed_contact] > seen[V.observed_bound]:
        bound = seen[V.observed_bound]
        fail(program, reasons.ENERGY_CONTACT, NOBODY, seen[V.observed_contact], bound)
    summed = seen[V.observed_run] + max(0.0, seen[V.observed_contact])
    most = limits[LIMIT.energy_run] * seen[V.kinetic_first] + floor
    if summed > most:
        fail(program, reasons.ENERGY_RUN, NOBODY, summed, most)


@compiled
def _keep_most(program):
    """What may be sent: of the contact that has come nearest to its bound."""
    seen, none = program.seen, program.seen[V.kinetic_most_bound] == 0.0
    nearer = seen[V.kinetic] * seen[V.kinetic_most_bound]
    if none or nearer > seen[V.kinetic_most] * seen[V.kinetic_bound]:
        seen[V.kinetic_most], seen[V.kinetic_most_bound] = seen[V.kinetic], seen[V.kinetic_bound]


@apart
def check_energy(program, params, now):
    """All energy bounds for the satellites at t_{k+1}. `now`: kept.Kept after the controller."""
    stand, ledger, satellites = program.stand, now.ledger, now.satellites
    common = common_energy(params, satellites)
    energy, added = ledger.kinetic - common, ledger.external - common
    a, b = now.measured.chaser.force, now.measured.target.force
    if stand[S.k] <= 1:
        _first(program, energy, added)
    _follow(program, math.sqrt(max(dot(a, a), dot(b, b))))
    is_free = stand[S.state] == APPROACH
    _check_kinetic(program, energy, added)
    if not is_free:
        _check_observed(program, ledger.observed)
    elif stand[S.reason] == reasons.NONE:
        speed = norm(subtract(satellites.chaser.v, satellites.target.v))
        _free(program, energy, added, ledger.observed, speed)
    if stand[S.contacts] > 0 and stand[S.reason] == reasons.NONE:
        _keep_most(program)
