"""Passive materials that are none of softdock's laws, along one axis, integrated in steps far finer
than a control cycle by code that shares nothing with softdock.

In: depth and rate of a contact, in steps dt. Out: its force, never pulling. D is the lossless depth
at the reference speed, k D its force, T the time of the lossless contact; the strength of the loss
is a share of each law's largest. The elements of `model_mediated` were drawn up with the first
KNOWN materials in mind, the others were written after them.
"""

from __future__ import annotations

import math

import numba
import numpy as np

NAMES = (
    "rubber: cubic spring and Maxwell branch",
    "Bouc-Wen hysteresis",
    "crushable: steeper unloading",
    "friction buffer",
    "hydraulic damper",
    "standard linear solid",
    "three stages, lossless",
    "four sliders (Iwan)",
    "foam: plateau, power 1.5, two Maxwell branches, root damper",
    "damper with a check valve: brakes on the way in",
    "bristles with Stribeck friction beside a spring",
    "elastic-plastic, hardening",
    "springpot: relaxation over four decades",
    "gas spring that loses heat",
    "densifying foam, viscosity grows with depth",
)
KNOWN = 9  # of them, when the elements were drawn up
NUMBERS, STATES = 16, 8
FINE = 256  # steps in a control cycle


def draw_material(rng: np.random.Generator, kind: int, k: float, D: float, T: float) -> np.ndarray:
    """Numbers of a material: kind, k, D, reference speed, loss strength, and its own."""
    p = np.zeros(NUMBERS)
    p[:5] = kind, k, D, math.pi * D / T, rng.uniform(0.1, 1.0)
    p[5:] = rng.uniform(0.0, 1.0, NUMBERS - 5)
    p[5] = T * math.exp(rng.uniform(math.log(0.05), 0.0))  # a relaxation time
    return p


@numba.njit(cache=True)
def push(p, z, d, rate, dt):
    """Force at a depth d that has grown by rate dt since the call before; z: inner states, all zero
    while nothing touches."""
    if d <= 0.0:
        z[:] = 0.0
        return 0.0
    kind, k, D, v, s = int(p[0]), p[1], p[2], p[3], p[4]
    tau, x, u = p[5], d / D, rate / v
    f = 0.0
    if kind == 0:
        z[0] += dt * (rate - z[0] / tau)
        f = k * d * (0.4 + 0.6 * x * x) + s * k * z[0]
    elif kind == 1:
        most, power = 0.5 * s * k * D, 1.0 + p[6]
        with_it = 0.5 + 0.5 * (1.0 if rate * z[0] > 0.0 else -1.0)
        z[0] += dt * 3.0 * k * rate * (1.0 - with_it * abs(z[0] / most) ** power)
        f = k * d + z[0]
    elif kind == 2:
        z[0] = max(z[0], d)
        a = 0.7 * s
        f = min(k * d, k / (1.0 - a) * max(d - a * z[0], 0.0))
    elif kind == 3:
        f = k * d * (1.0 + 0.5 * s * math.tanh(u / 0.02))
    elif kind == 4:
        open_ = p[6]
        f = k * d + 0.8 * s * k * D * u * abs(u) * (open_ + (1.0 - open_) * min(2.0 * x, 1.0))
    elif kind == 5:
        z[0] += dt * (rate - z[0] / tau)
        f = k * d + 1.5 * s * k * z[0]
    elif kind == 6:
        g_1, g_2 = D * (0.1 + 0.3 * p[6]), D * (0.4 + 0.3 * p[7])
        f = k * d + 2.0 * p[8] * k * max(d - g_1, 0.0) + 2.0 * p[9] * k * max(d - g_2, 0.0)
    elif kind == 7:
        f = 0.5 * k * d
        for i in range(4):
            reach = D * math.exp(math.log(0.03) * p[6 + i])
            z[i] = min(max(z[i] + dt * rate, -reach), reach)
            f += s * (0.3 + p[10 + i]) * k * z[i]
    elif kind == 8:
        z[0] += dt * (rate - z[0] / tau)
        z[1] += dt * (rate - z[1] / (0.2 * tau))
        f = 0.3 * k * min(d, 0.3 * D) / 0.3 + 0.6 * k * D * x**1.5
        f += s * k * (0.4 * z[0] + 0.3 * z[1]) + 0.1 * s * k * D * math.sqrt(x) * u
    elif kind == 9:
        back = 0.3 * p[6]
        f = k * d + s * k * D * (u if u > 0.0 else back * u) * min(3.0 * x, 1.0)
    elif kind == 10:
        most = 0.25 * s * k * D * (1.0 + p[6] * math.exp(-((u / 0.2) ** 2)))
        stiff = k * (2.0 + 8.0 * p[7])
        bent = rate * (1.0 - stiff * z[0] / most * (1.0 if rate > 0.0 else -1.0))
        z[0] += dt * bent
        f = k * d + stiff * z[0] + 0.05 * s * k * D * bent / v
    elif kind == 11:
        hard = 0.1 + 0.5 * p[6]  # slope of the yield force, of k
        yields = k * D * (0.3 + 0.4 * (1.0 - s)) + hard * k * z[0]
        over = k * (d - z[0]) - yields
        if over > 0.0:
            z[0] += over / (k * (1.0 + hard))
        f = k * (d - z[0])
    elif kind == 12:
        f = 0.5 * k * d
        power = 0.2 + 0.5 * p[6]
        for i in range(8):
            last = 8.0 * tau * math.exp(-1.3 * i)
            keep = math.exp(-dt / last)
            z[i] = z[i] * keep + rate * last * (1.0 - keep)
            f += 0.5 * s * k * z[i] * (tau / last) ** power
    elif kind == 13:
        room = D * (1.5 + 2.0 * p[6])  # depth at which nothing is left of the gas
        left = max(1.0 - d / room, 0.05)
        rise = room * k * (left**-1.3 - 1.0) / 1.3
        gain = k * left**-2.3
        z[0] += dt * (rate * gain - z[0] / tau)
        f = 0.6 * rise + 0.8 * s * z[0]
    else:
        dense = math.exp(2.0 * (x - 1.0)) * x
        f = 0.5 * k * min(d, 0.2 * D) / 0.2 + 0.5 * k * D * dense
        f += s * k * D * (0.1 + 0.6 * dense) * u / (1.0 + 0.5 * abs(u))
    return max(f, 0.0)


@numba.njit(cache=True)
def hit(p, mass, speed, dt):
    """A body that meets the material: speed after parting, time of contact, largest force and
    depth."""
    z = np.zeros(STATES)
    d, v, most, deepest, t = 0.0, speed, 0.0, 0.0, 0.0
    f = 0.0
    for _ in range(100_000_000):
        v_half = v - 0.5 * dt * f / mass
        d += dt * v_half
        f = push(p, z, d, v_half, dt)
        v = v_half - 0.5 * dt * f / mass
        t += dt
        most, deepest = max(most, f), max(deepest, d)
        if d <= 0.0 or (f == 0.0 and v < 0.0):
            break
    return -v, t, most, deepest


@numba.njit(cache=True)
def press(p, z, d_0, rate_0, d_1, rate_1, T, steps):
    """A depth that is led along a cubic for T, deeper than nothing or not: force at its end, and
    the largest on the way."""
    f, most, dt = 0.0, 0.0, T / steps
    last = d_0
    for i in range(1, steps + 1):
        s = i / steps
        a, b = 1.0 - s, s
        d = a * a * (1.0 + 2.0 * b) * d_0 + b * b * (1.0 + 2.0 * a) * d_1
        d += T * a * b * (a * rate_0 - b * rate_1)
        way = d - max(last, 0.0)
        if d > 0.0 and last <= 0.0:
            f = push(p, z, d, (d - last) / dt, way * dt / (d - last))
        else:
            f = push(p, z, d, (d - last) / dt, dt)
        last, most = d, max(most, f)
    return f, most
