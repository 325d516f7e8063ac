"""The better step for any network, without iteration: discrete gradients by psi = sqrt(2 V),
dampers as they are over the sample, two small linear solves.

With g = (psi(x+) - psi(x)) / (x+ - x) from a first guess of x+, each store's mean effort is g psi +
g^2 (x+ - x) / 2: linear in the unknown x+, and what flows in is exactly the gain of psi^2 / 2.
Dampers' coefficients are those of the guess: they dissipate whatever they are. So the sample has
the form of the linear one, mean effort c + Dbar D, and is made passive in the same way
(linear_step.py). Where the guess was off, psi and psi(x) part by a little; the tank pays or takes
the difference, and when it cannot pay, psi stays what the energy allows.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from softdock.compile.jit import compiled, entry_point
from softdock.networks.law_cells import IN_ANSWER, IN_DAMPER
from softdock.networks.laws import (
    Laws,
    coefficient,
    compute_psi,
    energy_and_effort,
    flatten_laws,
    psi_slope,
    solve,
)
from softdock.networks.linear_step import (
    FED,
    PUT_IN,
    SCALARS,
    SHORT,
    TANK,
    cost,
    hold_effort,
    predict,
    project,
    take_displacement,
)
from softdock.networks.network import Network

# The small linear solves behind the nonlinear step: tangents, secants of a guessed step, and c,
# Dbar of the sample that follow from them.
#
# `net`, `at`: NonlinearNet and its places in `mem` (nonlinear_step.py).


@compiled
def take_tangents(net, mem, at):
    """g and dampers' coefficients at the present state; speeds of the last solution."""
    laws = net.laws
    for i in range(net.n):
        mem[at.g + i] = psi_slope(laws, i, mem[at.x + i])
    for i in range(laws.r):
        mem[at.k + i] = _conductance(net, mem, at, i, 0.0)


@compiled
def take_secants(net, mem, at, D):
    """The guess of x+ - x for a displacement at mem[D:] from the tangent solution, and with it g
    and the dampers' coefficients."""
    laws, t = net.laws, net.tangent
    for i in range(net.n):
        step = t[i, IN_ANSWER.offset]
        for j in range(net.m):
            step += t[i, IN_ANSWER.gain + j] * mem[D + j]
        mem[at.guess + i] = step
        x = mem[at.x + i]
        if abs(step) > 1e-12 * (1.0 + abs(x)):
            mem[at.g + i] = (compute_psi(laws, i, x + step) - mem[at.psi + i]) / step
        else:
            mem[at.g + i] = psi_slope(laws, i, x)
    for i in range(laws.r):
        out = t[net.n + i, IN_ANSWER.offset]
        for j in range(net.m):
            out += t[net.n + i, IN_ANSWER.gain + j] * mem[D + j]
        out /= net.T
        k = mem[at.k + i]
        speed = (
            out
            if laws.dampers[i, IN_DAMPER.given_force] != 0.0
            else (out / k if k > 0.0 else _input(net, mem, at, i, D))
        )
        mem[at.k + i] = _conductance(net, mem, at, i, speed)


@compiled
def _input(net, mem, at, i, D):
    """The speed that a damper with no coefficient at present is given: what the structure makes of
    the guess."""
    laws, n, r = net.laws, net.n, net.laws.r
    total = 0.0
    for j in range(n):
        _, effort = energy_and_effort(laws, j, mem[at.x + j] + 0.5 * mem[at.guess + j])
        total += laws.dirac[n + i, j] * effort
    for j in range(net.m):
        total += laws.dirac[n + i, n + r + j] * mem[D + j] / net.T
    return total


@compiled
def _conductance(net, mem, at, i, speed):
    """Output over input of damper i, its spring's force taken as the mean over the guessed step."""
    laws = net.laws
    of, force = int(laws.dampers[i, IN_DAMPER.of]), 0.0
    if of >= 0:
        step = mem[at.guess + of]
        before, effort = energy_and_effort(laws, of, mem[at.x + of])
        after, _ = energy_and_effort(laws, of, mem[at.x + of] + step)
        force = (
            (after - before) / step if abs(step) > 1e-9 * abs(mem[at.x + of]) + 1e-15 else effort
        )
    b = coefficient(laws, i, speed, force)
    return 1.0 / b if laws.dampers[i, IN_DAMPER.given_force] != 0.0 else b


@compiled
def solve_sample(net, mem, at):
    """x+ - x and dampers' outputs times T as offset and gain of D, into net.right."""
    laws, T, n, r, m = net.laws, net.T, net.n, net.laws.r, net.m
    dirac, a, right = laws.dirac, net.a, net.right
    for i in range(n + r):
        k = 1.0 if i < n else mem[at.k + i - n]
        offset = 0.0
        for j in range(n):
            g = mem[at.g + j]
            a[i, j] = -0.5 * T * k * dirac[i, j] * g * g
            offset += dirac[i, j] * g * mem[at.psi + j]
        for j in range(n, n + r):
            a[i, j] = -k * dirac[i, j]
        a[i, i] += 1.0
        right[i, IN_ANSWER.offset] = T * k * offset
        for j in range(m):
            right[i, IN_ANSWER.gain + j] = k * dirac[i, n + r + j]
    solve(a, n + r, right, IN_ANSWER.gain + m)


@compiled
def close_sample(net, mem, at):
    """Close the sample with the solution: c into mem, Dbar and its inverse into net."""
    T, n, r, m = net.T, net.n, net.laws.r, net.m
    dirac, right = net.laws.dirac, net.right
    for i in range(m):
        line = n + r + i
        for column in range(IN_ANSWER.gain + m):
            is_offset = column == IN_ANSWER.offset
            port = column - IN_ANSWER.gain
            total = 0.0 if is_offset else dirac[line, n + r + port] / T
            for j in range(n):
                g = mem[at.g + j]
                effort = 0.5 * g * g * right[j, column] + (
                    g * mem[at.psi + j] if is_offset else 0.0
                )
                total += dirac[line, j] * effort
            for j in range(r):
                total += dirac[line, n + j] * right[n + j, column] / T
            if is_offset:
                mem[at.c + i] = -total
            else:
                net.Dbar[i, port] = -total
    invert(net)


@compiled
def invert(net):
    """The inverse of Dbar's symmetric part; a tiny share of its trace keeps it regular where a port
    feels nothing."""
    m, trace = net.m, 0.0
    for i in range(m):
        trace += net.Dbar[i, i]
    for i in range(m):
        for j in range(m):
            net.small[i, j] = 0.5 * (net.Dbar[i, j] + net.Dbar[j, i])
            net.Dinv[i, j] = 1.0 if i == j else 0.0
        net.small[i, i] += 1e-12 * trace + 1e-300
    solve(net.small, m, net.Dinv, m)


@compiled
def keep_tangent(net):
    for i in range(net.n + net.laws.r):
        for j in range(IN_ANSWER.gain + net.m):
            net.tangent[i, j] = net.right[i, j]


class NonlinearNet(NamedTuple):
    """Laws, period, and room for the matrices of a sample."""

    laws: Laws
    n: int
    m: int
    T: float
    bound: np.ndarray
    extrapolate: float
    Dbar: np.ndarray  # of the present guess
    Dinv: np.ndarray
    a: np.ndarray  # scratch of the solves
    right: np.ndarray
    tangent: np.ndarray  # solution with the tangents at the start of the sample
    small: np.ndarray  # scratch of Dbar's inverse


class Places(NamedTuple):
    x: int
    psi: int
    g: int
    k: int  # dampers' outputs over inputs
    guess: int  # x+ - x
    y: int
    last: int
    c: int
    D: int
    predicted: int


def lay_out_nonlinear(n: int, r: int, m: int) -> Places:
    g = SCALARS + 2 * n
    guess = g + n + r
    y = guess + n
    return Places(
        x=SCALARS,
        psi=SCALARS + n,
        g=g,
        k=g + n,
        guess=guess,
        y=y,
        last=y + m,
        c=y + 2 * m,
        D=y + 3 * m,
        predicted=y + 4 * m,
    )


places = compiled(lay_out_nonlinear)


def nonlinear_floats(n: int, r: int, m: int) -> int:
    """Own memory, and behind it room for the matrices of a sample."""
    return (
        lay_out_nonlinear(n, r, m).predicted
        + m
        + 3 * m * m
        + (n + r) ** 2
        + 2 * (n + r) * (IN_ANSWER.gain + m)
    )


def nonlinear_net(
    network: Network, T: float, bound: float | np.ndarray = math.inf, extrapolate: float = 1.0
) -> NonlinearNet:
    laws = flatten_laws(network)
    n, r, m = laws.n, laws.r, laws.m
    size = n + r
    return NonlinearNet(
        laws=laws,
        n=n,
        m=m,
        T=T,
        bound=np.ascontiguousarray(np.broadcast_to(np.asarray(bound, float), (m,))),
        extrapolate=float(extrapolate),
        Dbar=np.zeros((m, m)),
        Dinv=np.zeros((m, m)),
        a=np.zeros((size, size)),
        right=np.zeros((size, IN_ANSWER.gain + m)),
        tangent=np.zeros((size, IN_ANSWER.gain + m)),
        small=np.zeros((m, m)),
    )


def create_nonlinear_memory(net: NonlinearNet, tank: float) -> np.ndarray:
    """`mem` of a network whose stores are at rest, with a preloaded tank [J], ready for the first
    sample."""
    mem = np.zeros(lay_out_nonlinear(net.n, net.laws.r, net.m).predicted + net.m)
    mem[TANK] = tank
    begin_nonlinear(net, mem)
    return mem


@compiled
def advance_stores(net, mem, at):
    """x+ and psi+, then psi and psi(x) brought together as far as the tank can pay."""
    need = 0.0
    for i in range(net.n):
        step = net.right[i, IN_ANSWER.offset]
        for j in range(net.m):
            step += net.right[i, IN_ANSWER.gain + j] * mem[at.D + j]
        mem[at.x + i] += step
        mem[at.psi + i] += mem[at.g + i] * step
        true = compute_psi(net.laws, i, mem[at.x + i])
        need += 0.5 * (true * true - mem[at.psi + i] * mem[at.psi + i])
    if need <= mem[TANK]:
        mem[TANK] -= need
        for i in range(net.n):
            mem[at.psi + i] = compute_psi(net.laws, i, mem[at.x + i])


@compiled
def pay_from_stores(net, mem, at, short):
    """What the sample could not pay is taken from all stores alike; what they do not have is booked
    as short."""
    held = 0.0
    for i in range(net.n):
        held += 0.5 * mem[at.psi + i] * mem[at.psi + i]
    paid = min(short, held)
    if paid > 0.0:
        factor = math.sqrt(max(1.0 - paid / held, 0.0))
        for i in range(net.n):
            mem[at.psi + i] *= factor
    mem[SHORT] -= paid


@compiled
def settle(net, mem, at, fed):
    """Steps 1 and 2 with the secants of the displacement that really happened."""
    take_secants(net, mem, at, at.D)
    solve_sample(net, mem, at)
    close_sample(net, mem, at)
    mem[FED] += fed
    budget = fed + mem[TANK]
    spent = cost(net, mem, at, at.D)
    short = mem[SHORT]
    if spent > budget:
        project(net, mem, at, budget)
        spent = cost(net, mem, at, at.D)
    mem[PUT_IN] += spent
    mem[TANK] = max(budget - spent, 0.0)
    advance_stores(net, mem, at)
    if mem[SHORT] > short:
        pay_from_stores(net, mem, at, mem[SHORT] - short)


@compiled
def hold(net, mem, at):
    """Steps 3 and 4: tangents, then secants of the predicted displacement, then the effort,
    capped."""
    for i in range(net.n):
        mem[at.guess + i] = 0.0
    take_tangents(net, mem, at)
    solve_sample(net, mem, at)
    keep_tangent(net)
    take_secants(net, mem, at, at.predicted)
    solve_sample(net, mem, at)
    close_sample(net, mem, at)
    hold_effort(net, mem, at)


@compiled
def nonlinear_sample(net, mem, dq, k):
    """One sample; as linear_step.linear_sample."""
    at = places(net.n, net.laws.r, net.m)
    settle(net, mem, at, take_displacement(net, mem, at, dq, k))
    predict(net, mem, at, dq, k)
    hold(net, mem, at)


@compiled
def take_psi(net, mem, at):
    """psi of the states in `mem`."""
    for i in range(net.n):
        mem[at.psi + i] = compute_psi(net.laws, i, mem[at.x + i])


@compiled
def nonlinear_stored(net, mem, at):
    """Energy in the stores [J]."""
    total = 0.0
    for i in range(net.n):
        total += 0.5 * mem[at.psi + i] * mem[at.psi + i]
    return total


@entry_point
def begin_nonlinear(net, mem):
    """psi of the states in `mem`, and the effort to hold before anything has moved."""
    at = places(net.n, net.laws.r, net.m)
    take_psi(net, mem, at)
    hold(net, mem, at)


@entry_point
def run_nonlinear(net, mem, dq, efforts, tanks):
    """All samples of a motion; as linear_step.run_linear."""
    at = places(net.n, net.laws.r, net.m)
    for k in range(dq.shape[0]):
        for i in range(net.m):
            efforts[k, i] = mem[at.y + i]
        nonlinear_sample(net, mem, dq, k)
        tanks[k] = mem[TANK]
