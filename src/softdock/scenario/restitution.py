"""Restitution to damping and back, for each law, with where it holds. Plain Python: for users,
presets and docs; the loop does not call it.

A coefficient of restitution e is not a property of a law alone: it needs the effective mass
(spring-damper) or the approach speed (Hunt-Crossley). Both hold for one central touch of two bodies
without friction, delay or sampling.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from softdock.errors import BadInput, Problem


def restitution_of_damping(
    stiffness: float, damping: float, mass: float, pull: bool = False
) -> float:
    """Spring-damper on an effective mass. `pull`: the linear law that may pull until the depth is
    zero; otherwise clamped at zero force.

    Independent of speed. Clamped and overdamped contacts come back too, slowly: the formula covers
    all damping ratios.
    """
    _positive("stiffness", stiffness, "N/m")
    _positive("mass", mass, "kg")
    _not_negative("damping", damping, "Ns/m")
    zeta = 0.5 * damping / math.sqrt(stiffness * mass)
    if pull:
        return math.exp(-math.pi * zeta / math.sqrt(1.0 - zeta * zeta)) if zeta < 1.0 else 0.0
    # the force k d + b d' is zero at the phase where it changes sign; the speed there is v0
    # exp(-zeta w t)
    if zeta < 1e-9:
        return 1.0 - 2.0 * zeta
    if abs(zeta - 1.0) < 1e-9:
        return math.exp(-2.0)
    if zeta < 1.0:
        root = math.sqrt(1.0 - zeta * zeta)
        phase = math.atan2(2.0 * zeta * root, 2.0 * zeta * zeta - 1.0)
        return math.exp(-zeta / root * phase)
    root = math.sqrt(zeta * zeta - 1.0)
    return math.exp(-zeta / root * math.log((zeta + root) / (zeta - root)))


def damping_of_restitution(
    stiffness: float, restitution: float, mass: float, pull: bool = False
) -> float:
    """The damping [Ns/m] that gives a wanted restitution, 0 < e <= 1."""
    _positive("stiffness", stiffness, "N/m")
    _positive("mass", mass, "kg")
    _fraction(restitution)
    scale = 2.0 * math.sqrt(stiffness * mass)
    if pull:
        log = -math.log(restitution)
        return scale * log / math.hypot(math.pi, log)
    return scale * _bisect(
        lambda zeta: restitution_of_damping(stiffness, scale * zeta, mass) - restitution, 0.0, 1e3
    )


def restitution_of_lambda(factor: float, speed: float) -> float:
    """Hunt-Crossley at an approach speed [m/s]: independent of mass, stiffness and exponent. Exact,
    from the first integral of the motion."""
    _not_negative("lambda", factor, "s/m")
    _positive("speed", speed, "m/s")
    x = factor * speed
    if x < 1e-6:
        return 1.0 - 2.0 * x / 3.0
    taken = x - math.log1p(x)
    return _bisect(
        lambda e: taken - (-x * e - math.log1p(-x * e)), 0.0, min(1.0, (1.0 - 1e-15) / x)
    )


def lambda_of_restitution(restitution: float, speed: float) -> float:
    """The Hunt-Crossley factor [s/m] that gives a wanted restitution, 0 < e <= 1, at an approach
    speed."""
    _fraction(restitution)
    _positive("speed", speed, "m/s")
    if restitution == 1.0:
        return 0.0
    return (
        _bisect(lambda x: restitution_of_lambda(x / speed, speed) - restitution, 0.0, 1e6) / speed
    )


def _bisect(falling: Callable[[float], float], low: float, high: float) -> float:
    for _ in range(200):
        middle = 0.5 * (low + high)
        if falling(middle) > 0.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


def _positive(name: str, value: float, unit: str) -> None:
    if not (value > 0.0 and math.isfinite(value)):
        raise BadInput(Problem(name, value, f"a number > 0 [{unit}]"))


def _not_negative(name: str, value: float, unit: str) -> None:
    if not (value >= 0.0 and math.isfinite(value)):
        raise BadInput(Problem(name, value, f"a number >= 0 [{unit}]"))


def _fraction(value: float) -> None:
    if not 0.0 < value <= 1.0:
        raise BadInput(
            Problem(
                "restitution",
                value,
                "a number > 0 and <= 1: a passive contact gives back no more than it got",
            )
        )
