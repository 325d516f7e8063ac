"""When a late friction is unstable: the tangential loop of a rig that feeds back what it measures.

A touch that nearly sticks has a friction of mu N v / v_0 (v_0 the speed over which it is
regularised), a damper b = mu N / v_0 between the bodies. On a rig it acts late:

    m v'(t) = - b v(t - h)                     m the effective mass across the normal

is stable if and only if b h / m < pi / 2 (the crossing is at w = pi / 2h). Sampled with the cycle T
and a held force, n cycles late, z^(n+1) - z^n + g = 0 with g = b T / m: the root on the unit circle
is at z = exp(i pi / (2 n + 1)), and

    g < 2 sin(pi / (4 n + 2))                  n = 0: 2, n = 1: 1, large n: pi / (2 n + 1)

so that the hold counts as half a cycle of delay. Beyond it sliding grows until friction is used up:
the force then jumps between +- mu N, and the sliding speed swings by mu N (h + T / 2) / m, however
small v_0 is. In: SI units. Where it holds: one touch, constant normal force, no stiffness across.
"""

from __future__ import annotations

import math

import numpy as np

from softdock.errors import BadInput, Problem


def critical_damper(mass: float, delay: float, cycle: float = 0.0) -> float:
    """Largest damper b = mu N / v_0 [Ns/m] across the normal that is stable; `cycle`: 0 for the
    continuous loop. A delay that is no whole number of cycles: by the roots of the sampled loop."""
    _check(mass, delay, cycle)
    if cycle == 0.0:
        return math.inf if delay == 0.0 else 0.5 * math.pi * mass / delay
    late = delay / cycle
    if abs(late - round(late)) < 1e-9:
        return mass / cycle * 2.0 * math.sin(math.pi / (4.0 * round(late) + 2.0))
    low, high = 0.0, 2.0 * mass / cycle
    for _ in range(60):
        middle = 0.5 * (low + high)
        if growth(mass, middle, delay, cycle) < 1.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


def critical_normal_force(
    mass: float, friction: float, slip_speed: float, delay: float, cycle: float = 0.0
) -> float:
    """Largest normal force [N] that a nearly sticking touch may have."""
    for name, value in (("friction", friction), ("slip_speed", slip_speed)):
        if not value > 0.0:
            raise BadInput(Problem(name, value, "a number > 0"))
    return critical_damper(mass, delay, cycle) * slip_speed / friction


def growth(mass: float, damper: float, delay: float, cycle: float) -> float:
    """Largest |z| of the sampled loop; velocities between stamps are linear."""
    _check(mass, delay, cycle)
    late = delay / cycle
    whole = math.floor(late + 1e-12)
    part, gain = max(late - whole, 0.0), damper * cycle / mass
    # z^(n+2) - z^(n+1) + g ((1 - f) z + f), f the fraction of a cycle beyond n
    polynomial = np.zeros(whole + 3)
    polynomial[0], polynomial[1] = 1.0, -1.0
    polynomial[-2] += gain * (1.0 - part)
    polynomial[-1] += gain * part
    return float(np.abs(np.roots(polynomial)).max())


def swing(
    mass: float, friction: float, normal_force: float, delay: float, cycle: float = 0.0
) -> float:
    """Sliding speed [m/s] by which a touch beyond the bound swings: one delay of full friction."""
    _check(mass, delay, cycle)
    return friction * normal_force * (delay + 0.5 * cycle) / mass


def _check(mass: float, delay: float, cycle: float) -> None:
    if not mass > 0.0:
        raise BadInput(Problem("mass", mass, "a number > 0 [kg]"))
    if not delay >= 0.0:
        raise BadInput(Problem("delay", delay, "a number >= 0 [s]"))
    if not cycle >= 0.0:
        raise BadInput(Problem("cycle", cycle, "a number >= 0 [s]"))
