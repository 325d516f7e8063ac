"""The approach energy E_0 [J] and the approach speed [m/s]: the scale of a verdict's numbers.

E_0 is the kinetic energy that the reference's first contact can reach (core/contact/reach.py);
where nothing approaches, the external work that was done.
"""

from __future__ import annotations

import math

import numpy as np

from softdock.analysis.momenta import MassProperties, common_energies, kinetic_energies
from softdock.analysis.when_apart import Contacts
from softdock.runs.run import Run

NOTHING = 1e-30  # J; less is no energy
LITTLE = 1e-3  # of the external work: a kinetic energy below it is no scale


def reference_scale(
    run: Run, bodies: MassProperties, reference: np.ndarray, others: Contacts
) -> tuple[float, float]:
    """E_0 [J] and the approach speed [m/s], by the reference; nothing approaches: the external work
    done up to the end of its first contact, of the whole run without contact."""
    reach, speed = run.orbit.reach, run.orbit.reach_speed
    external, last = run.orbit.series["energy.external"], len(reference) - 1
    if others.each and others.each[0].over is not None:
        last = min(others.each[0].over, last)
    given = work_done(external, bodies, reference, 0, last)
    if others.each and reach > LITTLE * given:
        return reach, speed
    if not others.each:  # pushes to and fro: all that was done
        done = external - common_energies(bodies, reference)
        given = float(np.sum(np.abs(np.diff(done))))
    stored = float(run.orbit.series["energy.stored"][0])
    scale = max(given, stored)
    return (scale, _speed_of(bodies, scale)) if scale > NOTHING else (0.0, 0.0)


def own_scale(bodies: MassProperties, loop: np.ndarray, contacts: Contacts) -> tuple[float, float]:
    """Of the loop's own first touch, where the reference never touches: the kinetic energy of the
    pair, spin included (nothing says here what the contact can reach)."""
    row = contacts.each[0].touch
    energy = float(kinetic_energies(bodies, loop[row : row + 1])[0])
    return energy, _speed_of(bodies, energy)


def _speed_of(bodies: MassProperties, energy: float) -> float:
    """Relative speed that has an energy [m/s]."""
    inverse = float(np.sum(1.0 / np.min(bodies.mass, axis=1) * ~bodies.fixed))
    return math.sqrt(2.0 * energy * inverse)


def work_done(
    external: np.ndarray, bodies: MassProperties, rows: np.ndarray, first: int, last: int
) -> float:
    """Of external wrenches on the motion relative to the common centre of mass [J]."""
    work = float(external[last] - external[first])
    if work == 0.0:
        return 0.0
    common = common_energies(bodies, rows[[first, last]])
    return work - float(common[1] - common[0])
