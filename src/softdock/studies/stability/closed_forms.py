"""Closed forms of the continuous loop `mass d'' + damping d'(t - delay) + stiffness d(t - delay) =
0`.

d is the depth [m]; all arguments are SI, numbers or arrays of one shape. The boundary of stability,
with x = w delay and 0 < x < pi/2, is

    stiffness = mass w^2 cos x,   damping = mass w sin x

so that each parameter that is critical, the others given, is one equation in x. No damping helps
beyond the nose, x tan x = 2.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Floats = Any  # a number or an array of numbers

NOSE_X = 1.0768739863118037  # x tan x = 2, x = w delay at the nose
NOSE_REACH = NOSE_X * np.sqrt(
    np.cos(NOSE_X)
)  # delay sqrt(stiffness / mass) at the nose: 0.7414674812
NOSE_DAMPING = (
    NOSE_X * np.sin(NOSE_X) / NOSE_REACH
)  # damping over sqrt(stiffness mass) at the nose: 1.2787696858
MOST_STEPS = 80  # of Newton's method: next to the nose it halves the error only
CONVERGED = 4e-16  # relative


def _to_number(value: Any) -> Floats:
    """A float where the arguments were numbers, an array otherwise."""
    return float(value) if np.ndim(value) == 0 else value


def crossing_frequency(mass: Floats, damping: Floats, stiffness: Floats) -> Floats:
    """Frequency [rad/s] at which poles cross the imaginary axis, whatever the delay."""
    half = 0.5 * (np.asarray(damping, float) / mass) ** 2
    return _to_number(
        np.sqrt(half + np.sqrt(half * half + (np.asarray(stiffness, float) / mass) ** 2))
    )  # Zebenay eq. 108


def critical_delay(mass: Floats, damping: Floats, stiffness: Floats) -> Floats:
    """The longest delay [s] at which the loop is stable."""
    w = crossing_frequency(mass, damping, stiffness)
    return _to_number(np.arctan2(w * np.asarray(damping, float), stiffness) / w)  # Zebenay eq. 110


def short_delay_rule(damping: Floats, stiffness: Floats) -> Floats:
    """The critical delay [s] of a lightly damped loop, whatever the mass."""
    return _to_number(np.asarray(damping, float) / stiffness)  # Zebenay eq. 112


def critical_delays(mass: float, damping: float, stiffness: float, count: int) -> np.ndarray:
    """The first delays [s] at which a pair of poles leaves the left half-plane; at each, two more
    become unstable."""
    w = crossing_frequency(mass, damping, stiffness)
    return (
        critical_delay(mass, damping, stiffness) + 2.0 * np.pi * np.arange(count) / w
    )  # Zebenay eq. 109, +2 pi n only


def unstable_poles(mass: Floats, damping: Floats, stiffness: Floats, delay: Floats) -> Any:
    """How many poles are in the right half-plane at a delay [s]: poles only ever leave (Zebenay eq.
    111 is positive)."""
    w = crossing_frequency(mass, damping, stiffness)
    beyond = (
        (np.asarray(delay, float) - critical_delay(mass, damping, stiffness)) * w / (2.0 * np.pi)
    )
    found = 2 * np.where(beyond > 0.0, np.ceil(beyond), 0.0).astype(int)
    return int(found) if found.ndim == 0 else found


def crossing_speed(mass: Floats, damping: Floats, stiffness: Floats) -> Floats:
    """How decidedly poles cross: d/dw (|D|^2 - |N|^2) at the crossing [kg^2 rad^3/s^3], never
    negative."""
    mass = np.asarray(mass, float)
    w = crossing_frequency(mass, damping, stiffness)
    half = 0.5 * (np.asarray(damping, float) / mass) ** 2
    return _to_number(
        4.0 * mass**2 * w * np.sqrt(half * half + (np.asarray(stiffness, float) / mass) ** 2)
    )  # Zebenay eq. 111, with its factor


def _iterate_newton(x: np.ndarray, step: Any) -> np.ndarray:
    """Newton's method on arrays from a side from which it cannot overshoot. `step`: x to the change
    of x."""
    for _ in range(MOST_STEPS):
        change = step(x)
        x = x + change
        if not np.any(np.abs(change) > CONVERGED * np.abs(x)):
            break
    return x


def _solve_reach(reach: np.ndarray, upper: bool) -> np.ndarray:
    """x with x^2 cos x = reach^2, below or above the nose; the nose itself where there is none."""
    reach = np.minimum(reach, NOSE_REACH)
    if upper:  # x^2 cos x is concave there: from pi/2 Newton stays above the root

        def fall(x: np.ndarray) -> np.ndarray:
            slope = np.minimum(x * (2.0 * np.cos(x) - x * np.sin(x)), -1e-300)
            return np.asarray((reach * reach - x * x * np.cos(x)) / slope)

        return _iterate_newton(np.full_like(reach, 0.5 * np.pi), fall)

    # x sqrt(cos x) is concave and below x: from x = reach Newton stays below the root
    def step(x: np.ndarray) -> np.ndarray:
        root = np.sqrt(np.cos(x))
        slope = root - 0.5 * x * np.sin(x) / root
        return np.where(
            slope > 0.0, np.maximum(reach - x * root, 0.0) / np.maximum(slope, 1e-300), 0.0
        )

    return np.minimum(_iterate_newton(reach.copy(), step), NOSE_X)


def critical_dampings(mass: Floats, stiffness: Floats, delay: Floats) -> tuple[Floats, Floats]:
    """Smallest and largest damping [Ns/m] between which the loop is stable. Beyond the nose both
    are nan: no damping helps."""
    mass, stiffness, delay = np.broadcast_arrays(
        np.asarray(mass, float), np.asarray(stiffness, float), np.asarray(delay, float)
    )
    reach = np.atleast_1d(delay * np.sqrt(stiffness / mass))
    with np.errstate(divide="ignore", invalid="ignore"):
        lower, upper = (_solve_reach(reach, upper) for upper in (False, True))
        shape = np.shape(delay)
        scale = np.where(delay > 0.0, mass / delay, 0.0)
        beyond = reach.reshape(shape) > NOSE_REACH * (1.0 + 1e-15)
        low = np.where(beyond, np.nan, scale * (lower * np.sin(lower)).reshape(shape))
        high = np.where(
            beyond,
            np.nan,
            np.where(delay > 0.0, scale * (upper * np.sin(upper)).reshape(shape), np.inf),
        )
    return _to_number(low), _to_number(high)


def nose(mass: Floats, stiffness: Floats) -> tuple[Floats, Floats]:
    """The longest delay [s] that any damping can make stable, and that damping [Ns/m]."""
    mass, stiffness = np.asarray(mass, float), np.asarray(stiffness, float)
    return _to_number(NOSE_REACH * np.sqrt(mass / stiffness)), _to_number(
        NOSE_DAMPING * np.sqrt(mass * stiffness)
    )


def critical_stiffness(mass: Floats, damping: Floats, delay: Floats) -> Floats:
    """The largest stiffness [N/m] at which the loop is stable; 0 where damping and delay alone are
    too much; inf without delay."""
    mass, damping, delay = np.broadcast_arrays(
        np.asarray(mass, float), np.asarray(damping, float), np.asarray(delay, float)
    )
    wanted = damping * delay / mass  # x sin x
    x = np.sqrt(wanted)  # below the root
    x = _iterate_newton(
        np.minimum(x, 0.5 * np.pi),
        lambda x: (wanted - x * np.sin(x)) / np.maximum(np.sin(x) + x * np.cos(x), 1e-300),
    )
    x = np.minimum(x, 0.5 * np.pi)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(delay > 0.0, mass * (x / delay) ** 2 * np.maximum(np.cos(x), 0.0), np.inf)
    return _to_number(np.where(wanted >= 0.5 * np.pi, 0.0, found))


def critical_mass(stiffness: Floats, damping: Floats, delay: Floats) -> Floats:
    """The smallest mass [kg] with which the loop is stable; inf where no mass is enough (damping <=
    stiffness delay)."""
    stiffness, damping, delay = np.broadcast_arrays(
        np.asarray(stiffness, float), np.asarray(damping, float), np.asarray(delay, float)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = damping / (stiffness * delay)  # tan x / x
        low, high = np.zeros_like(ratio), np.full_like(ratio, 0.5 * np.pi)
        for _ in range(60):  # tan x - ratio x changes sign once in (0, pi/2)
            middle = 0.5 * (low + high)
            above = np.tan(middle) > ratio * middle
            low, high = np.where(above, low, middle), np.where(above, middle, high)
        x = 0.5 * (low + high)
        found = stiffness * (delay / x) ** 2 / np.cos(x)
    return _to_number(
        np.where(
            damping <= 0.0,
            np.inf,
            np.where(delay == 0.0, 0.0, np.where(ratio > 1.0, found, np.inf)),
        )
    )
