"""The small linear solves behind the nonlinear step: tangents, secants of a guessed step, and c,
Dbar of the sample that follow from them.

`net`, `at`: NonlinearNet and its places in `mem` (nonlinear_step.py).
"""

from __future__ import annotations

from softdock.core.machine.compiled import compiled
from softdock.core.ports.law_cells import IN_ANSWER, IN_DAMPER
from softdock.core.ports.laws import (
    coefficient,
    energy_and_effort,
    psi_of,
    psi_slope,
    solve,
)


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
            mem[at.g + i] = (psi_of(laws, i, x + step) - mem[at.psi + i]) / step
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
