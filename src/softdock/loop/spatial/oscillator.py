"""A damped oscillator left to itself: x'' + 2 zeta w x' + w^2 x = 0, exact over a step."""

from __future__ import annotations

import math

from softdock.compile.jit import compiled


@compiled
def free_response(w, zeta, dt):
    """Response over dt: error and its rate from error and rate, as (ee, er, re, rr). `w`: natural
    frequency [rad/s], `zeta`: damping ratio."""
    decay = zeta * w
    squared = w * w * (1.0 - zeta * zeta)
    if squared < -1e-12 * w * w:  # two exponentials: cosh and sinh would overflow
        apart = math.sqrt(-squared)
        slow, fast = w * w / (decay + apart), decay + apart
        first = math.exp(-slow * dt)
        er = -first * math.expm1(-2.0 * apart * dt) / (2.0 * apart)
        return first + slow * er, er, -w * w * er, math.exp(-fast * dt) - slow * er
    if squared > 1e-12 * w * w:
        wd = math.sqrt(squared)
        c, s = math.cos(wd * dt), math.sin(wd * dt) / wd
    else:
        c, s = 1.0, dt
    e = math.exp(-decay * dt)
    return e * (c + decay * s), e * s, -e * w * w * s, e * (c - decay * s)
