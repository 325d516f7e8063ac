"""The scheme offline, as printed: all samples of the force are given, so that v_pc(k) may use F(k).
The damper is that of the method in the loop."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softdock.compile.jit import entry_point
from softdock.methods.passive_integrator.method import (
    BOUNDED,
    FORMS,
    PREVIOUS_FORCE,
    damper,
    integration_energy,
)

ROUNDING = 1e-12  # of the largest energy observed


def drop_rounding(energy: float, motion: Motion) -> float:
    """`energy` [J] of a motion; 0 where it is the rounding error of its sums."""
    return 0.0 if abs(energy) <= ROUNDING * float(np.abs(motion.observed).max()) else float(energy)


MASS = 30.0  # kg, section II
T1, T2, T3 = 0.1, 0.01, 0.001  # s
DURATION = 50.0  # s
PUSHES = (
    (2.0, 7.0, 6.0),
    (34.0, 39.0, 12.0),
    # s, s, N: not printed; the one profile of two pushes that gives 0.05 and 0.15 m at T1 and 15
    # and
    # 135 J
)
BARE = "none"
VELOCITY, POSITION, EXTRA, OBSERVED, LEFT, CORRECTION = range(6)


class Motion(NamedTuple):
    """Motion of one axis, sample by sample from k = 0."""

    time: np.ndarray  # s
    force: np.ndarray  # N
    velocity: np.ndarray  # m/s, the state's
    position: np.ndarray  # m, of the output
    extra: np.ndarray  # J, dH of each step
    observed: np.ndarray  # J, E_obs of (16), before the damper's part of the same step is booked
    left: np.ndarray  # J, after
    correction: np.ndarray  # m/s, v_pc
    damping: np.ndarray  # beta [m/Ns]


@entry_point
def _integrate(form, state_too, forces, mass, T, smallest_force, tank, rows):
    inverse, left, early = 1.0 / mass, tank, 0.0
    v, x = rows[0, VELOCITY], rows[0, POSITION]
    rows[0, OBSERVED] = tank
    rows[0, LEFT] = tank
    for k in range(1, forces.shape[0]):
        early = forces[k - 1]
        v += T * early * inverse  # De Stefano eq. 6
        v_pc, observed = 0.0, left - integration_energy(T, inverse, early)
        if form >= 0:
            v_pc, observed, left = damper(
                form,
                T,
                inverse_mass=inverse,
                tank=tank,
                smallest_force=smallest_force,
                observed=left,
                earlier=early,
                newest=forces[k],
            )
        else:
            left = observed
        x += T * (v - v_pc)
        if state_too:
            v -= v_pc
        rows[k, VELOCITY] = v
        rows[k, POSITION] = x
        rows[k, EXTRA] = integration_energy(T, inverse, early)
        rows[k, OBSERVED] = observed
        rows[k, LEFT] = left
        rows[k, CORRECTION] = v_pc


def integrate_axis(
    form: str,
    forces: np.ndarray,
    mass: float,
    T: float,
    state_too: bool = False,
    smallest_force: float = 1e-9,
) -> Motion:
    """Integrate one axis from rest. `form`: none (eq. 5 alone) or one of the method's; `state_too`:
    apply the corrected velocity to the state as well."""
    forces = np.ascontiguousarray(forces, dtype=float)
    rows = np.zeros((len(forces), 6))
    code = FORMS.index(form) if form != BARE else -1
    tank = 0.5 * T**2 * float(np.max(np.abs(forces))) ** 2 / mass if code == BOUNDED else 0.0
    _integrate(code, state_too, forces, mass, T, smallest_force, tank, rows=rows)
    acting = np.concatenate([[0.0], forces[:-1]]) if code == PREVIOUS_FORCE else forces
    damping = np.divide(rows[:, CORRECTION], acting, out=np.zeros_like(acting), where=acting != 0.0)
    velocity, position, extra, observed, left, correction = rows.T
    return Motion(
        time=np.arange(len(forces)) * T,
        force=forces,
        velocity=velocity,
        position=position,
        extra=extra,
        observed=observed,
        left=left,
        correction=correction,
        damping=damping,
    )


def pushes(T: float) -> np.ndarray:
    """The force at every sample of the profile [N]."""
    t = np.arange(round(DURATION / T) + 1) * T
    force = np.zeros_like(t)
    for start, end, height in PUSHES:
        force[(t > start - 0.5 * T) & (t < end - 0.5 * T)] = height
    return force


def exact_position(forces: np.ndarray, mass: float, T: float) -> np.ndarray:
    """Position of a mass, initially at rest, under forces held from sample to sample [m]."""
    v = np.concatenate([[0.0], np.cumsum(T * forces[:-1] / mass)])
    return np.concatenate([[0.0], np.cumsum(0.5 * T * (v[1:] + v[:-1]))])


def measure_drifts(
    position: np.ndarray, forces: np.ndarray, mass: float, T: float
) -> tuple[float, float]:
    """Distance of a position ahead of the exact one after the first push (at 30 s) and at the end
    [m]."""
    off = position - exact_position(forces, mass, T)
    return float(off[round(30.0 / T)]), float(off[-1])
