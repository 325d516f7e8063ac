"""The better step for linear networks: implicit midpoint, precomputed, and made passive at the
sampled port whatever the motion.

Per sample, with D the port's displacement (of a force port: the impulse) and y the effort (a force
port: the motion) held over the sample:

    x+ = A x + B D,   mean effort c + Dbar D,  c = C x        midpoint: what is put in is stored or
    dissipated, to rounding
    1. the true port energy of the sample that ended: w = y . dq
    2. D = dq, if D . (c + Dbar D) <= w + tank; otherwise the nearest D that costs just that much:
       in the metric of Dbar a sphere round -Dbar^-1 c / 2
    3. hold y = c + Dbar dq_predicted
    4. cap y, so that no motion within `bound` of the prediction can take more than tank and network
       can pay

Books [J]: fed in + tank at the start = stored + dissipated + tank now. No allocation: state and
scratch are `mem`, see `Places`.
"""

from __future__ import annotations

import math

from softdock.core.machine.compiled import compiled, door
from softdock.core.ports.linear_net import (
    CUTS,
    FED,
    MOST_CUT,
    MOST_WANTED,
    PUT_IN,
    SCALARS,
    SHORT,
    TANK,
    TOUCHING,
    LinearNet,
    Places,
    fresh_memory,
    linear_net,
    places_of,
)

__all__ = [
    "CUTS",
    "FED",
    "MOST_CUT",
    "MOST_WANTED",
    "PUT_IN",
    "SCALARS",
    "SHORT",
    "TANK",
    "TOUCHING",
    "LinearNet",
    "Places",
    "fresh_memory",
    "linear_net",
    "places_of",
]

places = compiled(places_of)


@compiled
def cost(net, mem, at, D):
    """Energy that a displacement would put into the network [J]: D . (c + Dbar D)."""
    total = 0.0
    for i in range(net.m):
        effort = mem[at.c + i]
        for j in range(net.m):
            effort += net.Dbar[i, j] * mem[D + j]
        total += mem[D + i] * effort
    return total


@compiled
def extractable(net, mem, at):
    """The most that one sample can take out of the network [J]: c . Dbar^-1 c / 4."""
    total = 0.0
    for i in range(net.m):
        for j in range(net.m):
            total += mem[at.c + i] * net.Dinv[i, j] * mem[at.c + j]
    return 0.25 * total


@compiled
def project(net, mem, at, budget):
    """The D nearest to the one wanted that costs just the budget: on a sphere round -Dbar^-1 c / 2
    in the metric of Dbar."""
    radius_squared = budget + extractable(net, mem, at)
    if radius_squared < 0.0:  # cannot happen within the cap's bound; booked where it does
        mem[SHORT] -= radius_squared
        radius_squared = 0.0
    distance_squared = 0.0
    for i in range(net.m):
        for j in range(net.m):
            a, b = (
                mem[at.D + i] - _centre(net, mem, at, i),
                mem[at.D + j] - _centre(net, mem, at, j),
            )
            distance_squared += a * net.Dbar[i, j] * b
    factor = math.sqrt(radius_squared / distance_squared) if distance_squared > 0.0 else 0.0
    for i in range(net.m):
        centre = _centre(net, mem, at, i)
        mem[at.predicted + i] = centre + factor * (mem[at.D + i] - centre)
    for i in range(net.m):
        mem[at.D + i] = mem[at.predicted + i]


@compiled
def _centre(net, mem, at, i):
    total = 0.0
    for j in range(net.m):
        total += net.Dinv[i, j] * mem[at.c + j]
    return -0.5 * total


@compiled
def move(net, mem, at):
    """x+ = A x + B D, and c of the new state."""
    for i in range(net.n):
        total = 0.0
        for j in range(net.n):
            total += net.A[i, j] * mem[at.x + j]
        for j in range(net.m):
            total += net.B[i, j] * mem[at.D + j]
        mem[at.scratch + i] = total
    for i in range(net.n):
        mem[at.x + i] = mem[at.scratch + i]
    refresh(net, mem, at)


@compiled
def refresh(net, mem, at):
    """c of the present state."""
    for i in range(net.m):
        total = 0.0
        for j in range(net.n):
            total += net.C[i, j] * mem[at.x + j]
        mem[at.c + i] = total


@compiled
def settle(net, mem, at, fed):
    """Steps 1 and 2, for the D wanted in `mem[at.D]` and the energy fed in during the sample that
    ended."""
    mem[FED] += fed
    budget = fed + mem[TANK]
    spent = cost(net, mem, at, at.D)
    if spent > budget:
        project(net, mem, at, budget)
        spent = cost(net, mem, at, at.D)
    mem[PUT_IN] += spent
    mem[TANK] = max(budget - spent, 0.0)
    move(net, mem, at)


@compiled
def cap(net, mem, at):
    """Step 4: scale y so that y . dq >= -(tank + extractable) for every dq within the bound of the
    prediction."""
    expected, worst = 0.0, 0.0
    for i in range(net.m):
        expected += mem[at.y + i] * mem[at.predicted + i]
        if mem[at.y + i] != 0.0:
            worst += abs(mem[at.y + i]) * net.bound[i]
    demand, largest = worst - expected, 0.0
    for i in range(net.m):
        largest = max(largest, abs(mem[at.y + i]))
    mem[MOST_WANTED] = max(mem[MOST_WANTED], largest)
    if demand > 0.0 and worst < math.inf:
        factor = min(1.0, (mem[TANK] + extractable(net, mem, at)) / demand)
        if factor < 1.0:
            mem[CUTS] += 1.0
            mem[MOST_CUT] = max(mem[MOST_CUT], (1.0 - factor) * largest)
        for i in range(net.m):
            mem[at.y + i] *= factor


@compiled
def hold_effort(net, mem, at):
    """Steps 3 and 4 for the displacement predicted; of the nonlinear step too."""
    for i in range(net.m):
        effort = mem[at.c + i]
        for j in range(net.m):
            effort += net.Dbar[i, j] * mem[at.predicted + j]
        mem[at.y + i] = effort
    cap(net, mem, at)


@compiled
def stored(net, mem, at):
    """Energy in the stores [J]."""
    total = 0.0
    for i in range(net.n):
        total += 0.5 * net.stiffness[i] * mem[at.x + i] * mem[at.x + i]
    return total


@compiled
def take_displacement(net, mem, at, dq, k):
    """What the ports did in the sample that ended is the D wanted. Returns what it fed in [J]."""
    fed = 0.0
    for i in range(net.m):
        mem[at.D + i] = dq[k, i]
        fed += mem[at.y + i] * dq[k, i]
    return fed


@compiled
def predict(net, mem, at, dq, k):
    """What the ports will do in the next sample."""
    for i in range(net.m):
        mem[at.predicted + i] = dq[k, i] + net.extrapolate * (dq[k, i] - mem[at.last + i])
        mem[at.last + i] = dq[k, i]


@compiled
def linear_sample(net, mem, dq, k):
    """One sample of a network held at its ports: displacements dq[k] of the sample that ended in;
    `mem[at.y]` is the effort to hold, on the network."""
    at = places(net.n, net.m)
    settle(net, mem, at, take_displacement(net, mem, at, dq, k))
    predict(net, mem, at, dq, k)
    hold_effort(net, mem, at)


@door
def run_linear(net, mem, dq, efforts, tanks):
    """All samples of a motion. `efforts[k]`: held during sample k, so that `efforts[k] . dq[k]` is
    what was fed in then."""
    at = places(net.n, net.m)
    for k in range(dq.shape[0]):
        for i in range(net.m):
            efforts[k, i] = mem[at.y + i]
        linear_sample(net, mem, dq, k)
        tanks[k] = mem[TANK]
