"""One cycle of a servicer with an arm (servicer.py) under a held wrench.

The modified midpoint rule with 2, 4, ... 10 steps, extrapolated to steps of no length (Gragg,
Bulirsch and Stoer; Hairer, Norsett, Wanner 1993, II.9): order 10, explicit. A cycle is cut into
parts in which the fastest motion turns by at most `RESOLVED`, and there the error is below
rounding: energy, momenta and the work at the port close to rounding, with nothing corrected.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.compile.jit import noinline
from softdock.loop.satellites.servicer import (
    Servicer,
    accelerate,
    count_work,
    fastest_rate,
    joint_at,
    row_of,
    servicer_work,
)
from softdock.loop.spatial.motion import Motion, Wrench
from softdock.loop.spatial.rotations import (
    exponential,
    product,
    renormalise,
    right_jacobian_inverse,
    rotate,
    rotate_back,
)
from softdock.loop.spatial.vectors import ZERO, add, load3, scale, store3

COLUMNS = 5  # of the extrapolation; more lose more by rounding than they gain
RESOLVED = 0.15  # rad of the fastest motion in a part of a cycle
MOST_PARTS = 4096  # of a cycle; what would need more has diverged
P, PHI, V, W, JOINTS = 0, 3, 6, 9, 12  # in a state; behind: angles, rates, energy that is lost


class Turned(NamedTuple):
    """A servicer after a cycle; its joints' angles and rates are in `mem`."""

    motion: Motion
    lost: float  # J, in the joints' dampers


def servicer_floats(n: int) -> int:
    """Floats of `mem` that a cycle needs."""
    return count_work(n) + (6 + COLUMNS) * (JOINTS + 2 * n + 1)


@noinline
def _slope(s: Servicer, mem, state, slope, work, q, wrench: Wrench):
    """Rate of change of the state at mem[state]; attitudes as rotation vectors from q."""
    n = s.n
    phi, w = load3(mem, state + PHI), load3(mem, state + W)
    now = product(q, exponential(phi))
    angles, rates = state + JOINTS, state + JOINTS + n
    force, torque = rotate_back(now, wrench.force), rotate_back(now, wrench.torque)
    a, alpha = accelerate(s, mem, angles, rates, work, w, force, torque)
    store3(mem, slope + P, load3(mem, state + V))
    store3(mem, slope + PHI, right_jacobian_inverse(phi, w))
    store3(mem, slope + V, rotate(now, a))
    store3(mem, slope + W, alpha)
    lost, joints = 0.0, joint_at(s, work)
    for i in range(n):
        rate = mem[rates + i]
        mem[slope + JOINTS + i] = rate
        mem[slope + JOINTS + n + i] = mem[joints + i]
        lost += row_of(s, i).damping * rate * rate
    mem[slope + JOINTS + 2 * n] = lost


@noinline
def _extrapolate(s: Servicer, mem, at, work, q, wrench: Wrench, h):
    """The state at mem[at] after h [s], in its place."""
    size = JOINTS + 2 * s.n + 1
    first, slope, old = at + size, at + 2 * size, at + 3 * size
    new, now, table = at + 4 * size, at + 5 * size, at + 6 * size
    _slope(s, mem, at, first, work, q, wrench)
    for k in range(COLUMNS):
        steps = 2 * (k + 1)
        dt = h / steps
        for i in range(size):
            mem[old + i], mem[new + i] = 0.0, dt * mem[first + i]
        for _ in range(steps - 1):
            for i in range(size):
                mem[now + i] = mem[at + i] + mem[new + i]
            _slope(s, mem, now, slope, work, q, wrench)
            for i in range(size):
                before = mem[new + i]
                mem[new + i] = mem[old + i] + 2.0 * dt * mem[slope + i]
                mem[old + i] = before
        for i in range(size):
            better = mem[new + i]
            for j in range(k):  # Aitken and Neville; the table keeps one row
                coarse, ratio = table + size * j + i, (k + 1.0) / (k - j)
                change = (better - mem[coarse]) / (ratio * ratio - 1.0)
                mem[coarse] = better
                better += change
            mem[table + size * k + i] = better
    for i in range(size):
        mem[at + i] += mem[table + size * (COLUMNS - 1) + i]


@noinline
def turn_servicer(s: Servicer, mem, angles, memory, T, motion: Motion, wrench: Wrench):
    """One cycle T [s]; angles and rates stand at mem[angles], `servicer_floats` of room at
    mem[memory]."""
    n, work = s.n, memory
    at = work + servicer_work(n)
    q = motion.q
    accelerate(s, mem, angles, angles + n, work, motion.w, ZERO, ZERO)
    turned = T * fastest_rate(s, mem, angles + n, work, motion.w)
    p, v, w, lost = motion.p, motion.v, motion.w, 0.0
    if not turned < MOST_PARTS * RESOLVED:
        return Turned(Motion(p, q, scale(math.nan, v), w), lost)
    parts = max(int(math.ceil(turned / RESOLVED)), 1)
    for i in range(2 * n):
        mem[at + JOINTS + i] = mem[angles + i]
    for _ in range(parts):
        store3(mem, at + P, ZERO)
        store3(mem, at + PHI, ZERO)
        store3(mem, at + V, v)
        store3(mem, at + W, w)
        mem[at + JOINTS + 2 * n] = 0.0
        _extrapolate(s, mem, at, work, q, wrench, T / parts)
        p = add(p, load3(mem, at + P))
        q = renormalise(product(q, exponential(load3(mem, at + PHI))))
        v, w = load3(mem, at + V), load3(mem, at + W)
        lost += mem[at + JOINTS + 2 * n]
    for i in range(2 * n):
        mem[angles + i] = mem[at + JOINTS + i]
    return Turned(Motion(p, q, v, w), lost)
