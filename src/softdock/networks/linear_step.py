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
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled, entry_point
from softdock.errors import BadInput, Problem

if TYPE_CHECKING:
    from softdock.networks.network import Network

# A linear network for the better step: its matrices, and where its memory stands.

HEAD = Cells(  # scalars at the head of `mem`
    "linear_head",
    Cell("tank", 1, "J", "what the network may give beyond what it was fed"),
    Cell("fed", 1, "J", "energy through the port"),
    Cell("put_in", 1, "J", "energy put into the network"),
    Cell("short", 1, "J", "what the tank could not pay"),
    Cell("touching", 1, "-", "1: the port touches"),
    Cell("cuts", 1, "-", "samples in which the cap cut the effort"),
    Cell("most_cut", 1, "N or m", "largest part of an effort that it cut"),
    Cell("most_wanted", 1, "N or m", "largest effort before the cap"),
)
TANK, FED, PUT_IN, SHORT, TOUCHING, CUTS, MOST_CUT, MOST_WANTED = HEAD.at
SCALARS = HEAD.size


class LinearNet(NamedTuple):
    """What a sample needs: sizes and precomputed matrices."""

    n: int  # states
    m: int  # ports
    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    Dbar: np.ndarray
    Dinv: np.ndarray  # pseudo-inverse of Dbar's symmetric part
    bound: np.ndarray  # per port, how far dq may be from its prediction [m or Ns]; inf: no cap
    stiffness: np.ndarray  # of the stores, N/m or 1/kg
    extrapolate: float  # prediction = last dq + extrapolate * (last dq - the one before)


class Places(NamedTuple):
    """Where in `mem` each vector begins."""

    x: int
    scratch: int
    y: int
    last: int
    c: int
    D: int
    predicted: int
    position: int  # of walls: where the ports were, and where the network's own surface stands
    surface: int
    now: int  # and where the ports are
    size: int


def lay_out_linear(n: int, m: int) -> Places:
    x, y = SCALARS, SCALARS + 2 * n
    return Places(
        x=x,
        scratch=x + n,
        y=y,
        last=y + m,
        c=y + 2 * m,
        D=y + 3 * m,
        predicted=y + 4 * m,
        position=y + 5 * m,
        surface=y + 6 * m,
        now=y + 7 * m,
        size=y + 8 * m,
    )


def midpoint_matrices(
    network: Network, T: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """A, B, C, Dbar of a linear network sampled at T."""
    if not network.linear:
        raise BadInput(
            Problem(
                f"{network.name}",
                "nonlinear",
                "a network of linear springs and dampers; the nonlinear step takes the others",
            )
        )
    eq = network.equations
    S, Q = eq.J - eq.R, np.diag(eq.stiffness)
    n = len(eq.stiffness)
    left = np.eye(n) - 0.5 * T * S @ Q
    A = np.linalg.solve(left, np.eye(n) + 0.5 * T * S @ Q)
    B = np.linalg.solve(left, eq.G)
    C = 0.5 * eq.C @ Q @ (np.eye(n) + A)
    Dbar = 0.5 * eq.C @ Q @ B + eq.Y / T
    return A, B, C, Dbar


def linear_net(
    network: Network, T: float, bound: float | np.ndarray = math.inf, extrapolate: float = 0.0
) -> LinearNet:
    """Precompute. `bound`: largest |dq - predicted| per port; for the last dq as prediction it is
    the largest acceleration times T^2."""
    A, B, C, Dbar = midpoint_matrices(network, T)
    n, m = B.shape
    Dinv = np.linalg.pinv(0.5 * (Dbar + Dbar.T), rcond=1e-12, hermitian=True)
    bounds = np.broadcast_to(np.asarray(bound, float), (m,))
    A, B, C, Dbar, Dinv, bounds = (np.ascontiguousarray(a) for a in (A, B, C, Dbar, Dinv, bounds))
    return LinearNet(
        n=n,
        m=m,
        A=A,
        B=B,
        C=C,
        Dbar=Dbar,
        Dinv=Dinv,
        bound=bounds,
        stiffness=network.equations.stiffness,
        extrapolate=float(extrapolate),
    )


def create_memory(net: LinearNet, tank: float) -> np.ndarray:
    """`mem` of a network at rest, with a preloaded tank [J]."""
    mem = np.zeros(lay_out_linear(net.n, net.m).size)
    mem[TANK] = tank
    return mem


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
    "create_memory",
    "lay_out_linear",
    "linear_net",
]

places = compiled(lay_out_linear)


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


@entry_point
def run_linear(net, mem, dq, efforts, tanks):
    """All samples of a motion. `efforts[k]`: held during sample k, so that `efforts[k] . dq[k]` is
    what was fed in then."""
    at = places(net.n, net.m)
    for k in range(dq.shape[0]):
        for i in range(net.m):
            efforts[k, i] = mem[at.y + i]
        linear_sample(net, mem, dq, k)
        tanks[k] = mem[TANK]
