"""Delay equations x'(t) = rates(x(t), x(t - h)) by the method of steps: Runge-Kutta of fourth
order, cubic Hermite through the past.

For the paper's models (models.py), which are small; the loop itself is simulated by softdock.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Rates = Callable[[np.ndarray, np.ndarray], np.ndarray]  # state, delayed state -> rate of the state


def solve_delay_equation(
    rates: Rates, past: Callable[[float], np.ndarray], delay: float, duration: float, steps: int
) -> tuple[np.ndarray, np.ndarray]:
    """Times [s] and states, one row per step. `past(t)`: the state for t <= 0. A step must not be
    longer than the delay, unless that is zero."""
    dt = duration / steps
    if 0.0 < delay < dt:
        raise ValueError(f"steps of {dt:g} s are longer than the delay, {delay:g} s")
    states: list[np.ndarray] = [np.asarray(past(0.0), dtype=float)]
    slopes: list[np.ndarray] = []

    def delayed(t: float, now: np.ndarray) -> np.ndarray:
        if delay == 0.0:
            return now
        at = (t - delay) / dt
        if at <= 0.0:
            return np.asarray(past(t - delay))
        i = min(int(at), len(states) - 2)
        s = at - i
        a, b = states[i], states[i + 1]
        return (
            a
            + s * s * (3.0 - 2.0 * s) * (b - a)
            + dt * (s * (1.0 - s) ** 2 * slopes[i] + s * s * (s - 1.0) * slopes[i + 1])
        )

    for k in range(steps):
        t, x = k * dt, states[-1]
        k1 = rates(x, delayed(t, x))
        slopes.append(k1)
        k2 = rates(x + 0.5 * dt * k1, delayed(t + 0.5 * dt, x + 0.5 * dt * k1))
        k3 = rates(x + 0.5 * dt * k2, delayed(t + 0.5 * dt, x + 0.5 * dt * k2))
        k4 = rates(x + dt * k3, delayed(t + dt, x + dt * k3))
        states.append(x + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4))
    return dt * np.arange(steps + 1), np.array(states)
