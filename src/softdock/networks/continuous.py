"""The network in continuous time, the truth that sampled steps are measured against: classical
Runge-Kutta in fine steps.

At a wall the contact begins where q reaches the wall's surface and ends where the force would pull;
the surface then springs back under no force.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from softdock.compile.jit import compiled, entry_point
from softdock.errors import BadInput, Problem
from softdock.networks.law_cells import IN_DAMPER
from softdock.networks.laws import coefficient, energy_and_effort, flatten_laws, solve

if TYPE_CHECKING:
    from softdock.networks.network import Network

SWEEPS = 30  # of the dampers' loop, where their coefficients depend on speed


@dataclass
class Continuous:
    """Per sample: mean effort on the network over it, energy fed in since the start [J], energy
    stored [J]; and the last state."""

    mean_effort: np.ndarray  # (samples, ports)
    fed: np.ndarray
    stored: np.ndarray


class Told(NamedTuple):
    """What a simulation says of every sample, filled in (see `Continuous`)."""

    mean_effort: np.ndarray  # (samples, ports)
    fed: np.ndarray  # J
    stored: np.ndarray  # J


class Room(NamedTuple):
    """Scratch of one evaluation."""

    work: np.ndarray  # 2 n + m + 2 r + 1
    a: np.ndarray  # (r + 1, r + 1), the dampers' equations
    right: np.ndarray  # (r + 1, 1), their right-hand side


@compiled
def rates(laws, x, at, u, row, room):
    """x' into work[0:n] and y into work[n:n+m] of the room, for state x[at:]."""
    n, r, m = laws.n, laws.r, laws.m
    work, a, right = room
    # places in `work`: efforts of stores, dampers' outputs, dampers' inputs
    e, out, into = n + m, 2 * n + m, 2 * n + m + r
    for i in range(n):
        _, effort = energy_and_effort(laws, i, x[at + i])
        work[e + i] = effort
    dirac = laws.dirac
    for sweep in range(SWEEPS):
        for i in range(r):
            given = 0.0
            for j in range(n):
                given += dirac[n + i, j] * work[e + j]
            for j in range(m):
                given += dirac[n + i, n + r + j] * u[row, j]
            work[into + i] = given
        for i in range(r):
            of = int(laws.dampers[i, IN_DAMPER.of])
            speed = (
                work[into + i] if laws.dampers[i, IN_DAMPER.given_force] == 0.0 else work[out + i]
            )
            if sweep == 0 and laws.dampers[i, IN_DAMPER.given_force] != 0.0:
                speed = 0.0
            b = coefficient(laws, i, speed, work[e + of] if of >= 0 else 0.0)
            k = 1.0 / b if laws.dampers[i, IN_DAMPER.given_force] != 0.0 else b
            for j in range(r):
                a[i, j] = -k * dirac[n + i, n + j]
            a[i, i] += 1.0
            right[i, 0] = k * work[into + i]
        solve(a, r, right, 1)
        change = 0.0
        for i in range(r):
            change += abs(right[i, 0] - work[out + i])
            work[out + i] = right[i, 0]
        if change == 0.0:
            break
    for i in range(n + m):
        line = i if i < n else r + i
        total = 0.0
        for j in range(n):
            total += dirac[line, j] * work[e + j]
        for j in range(r):
            total += dirac[line, n + j] * work[out + j]
        for j in range(m):
            total += dirac[line, n + r + j] * u[row, j]
        work[i] = total if i < n else -total


@compiled
def runge_kutta(laws, x, u, row, h, slopes, room):
    """One step of states and, behind them, impulse of each port and work fed in; u[row], u[row+1],
    u[row+2]: at start, middle, end."""
    n, m, work = laws.n, laws.m, room.work
    size = n + m + 1
    for i in range(size):
        slopes[4, i] = x[0, i]
    for stage in range(4):
        where = row + (0 if stage == 0 else 2 if stage == 3 else 1)
        rates(laws, x[1 if stage > 0 else 0], 0, u, where, room)
        power = 0.0
        for j in range(m):
            power += work[n + j] * u[where, j]
        for i in range(n + m):
            slopes[stage, i] = work[i]
        slopes[stage, n + m] = power
        if stage < 3:
            reach = h if stage == 2 else 0.5 * h
            for i in range(n):
                x[1, i] = x[0, i] + reach * slopes[stage, i]
    for i in range(size):
        x[0, i] += h / 6.0 * (slopes[0, i] + 2.0 * slopes[1, i] + 2.0 * slopes[2, i] + slopes[3, i])


@compiled
def stored(laws, x, at):
    total = 0.0
    for i in range(laws.n):
        v, _ = energy_and_effort(laws, i, x[at + i])
        total += v
    return total


@entry_point
def run_continuous(laws, T, substeps, u, x, slopes, room, told):
    n, m = laws.n, laws.m
    means, fed, energies = told
    h = T / substeps
    for k in range(means.shape[0]):
        for j in range(m):
            means[k, j] = -x[0, n + j]
        for s in range(substeps):
            runge_kutta(laws, x, u, 2 * (k * substeps + s), h, slopes, room)
        for j in range(m):
            means[k, j] = (means[k, j] + x[0, n + j]) / T
        fed[k] = x[0, n + m]
        energies[k] = stored(laws, x[0], 0)


@entry_point
def run_continuous_wall(laws, T, substeps, pull, q, u, x, slopes, room, told):
    """One port, linear: touching where q is below the surface and the force does not pull; else the
    surface moves freely. `pull`: the force may pull until q is back where the wall began, and each
    contact finds the wall at rest."""
    n, work = laws.n, room.work
    fed_in = n + laws.m  # its place in x: behind the states and the impulse of the port
    means, fed, energies = told
    h = T / substeps
    surface, touching = 0.0, False
    for k in range(means.shape[0]):
        impulse = x[0, n]
        for s in range(substeps):
            at = 2 * (k * substeps + s)  # half steps
            middle, end = at + 1, at + 2
            if not touching and q[end] < surface:
                touching = True  # the depth of the first step at once, half its last force as mean
                into = q[end] - surface
                for i in range(n):
                    x[0, i] += laws.dirac[i, n + laws.r] * into
                surface = q[end]
                rates(laws, x[0], 0, u, end, room)
                x[0, n] += 0.5 * work[n] * into / u[middle, 0]
                x[0, fed_in] += 0.5 * work[n] * into
                continue
            if pull:
                if touching and q[end] >= 0.0:
                    rates(laws, x[0], 0, u, at, room)
                    x[0, n] -= work[n] * surface / u[middle, 0]
                    x[0, fed_in] -= work[n] * surface
                    touching, surface = False, 0.0
                    for i in range(n):
                        x[0, i] = 0.0
                elif touching:
                    runge_kutta(laws, x, u, at, h, slopes, room)
                    surface = q[end]
                continue
            if touching:
                keep, keep_impulse, keep_work = surface, x[0, n], x[0, fed_in]
                rates(laws, x[0], 0, u, at, room)
                before = work[n]
                for i in range(n):
                    slopes[5, i] = x[0, i]
                runge_kutta(laws, x, u, at, h, slopes, room)
                surface = q[end]
                rates(laws, x[0], 0, u, end, room)
                if work[n] > 0.0:
                    touching = False
                    part = before / (before - work[n])  # of the step until the force is nought
                    x[0, n], x[0, fed_in] = (
                        keep_impulse + 0.5 * part * before * h,
                        keep_work + 0.5 * part * before * (surface - keep),
                    )
                    surface = keep
                    for i in range(n):
                        x[0, i] = slopes[5, i]
            if not touching:
                surface += _free(laws, x, h, u, room)
        means[k, 0] = (x[0, n] - impulse) / T
        fed[k] = x[0, fed_in]
        energies[k] = stored(laws, x[0], 0)


@compiled
def _free(laws, x, h, u, room):
    """One step with no force at the port: the surface moves so that the effort stays nought. Last
    row of u is scratch. Returns how far."""
    n, last, work = laws.n, u.shape[0] - 1, room.work
    first, second = 0.0, 0.0
    # the effort after the step is linear in the displacement: two trials tell where it is nought
    for trial in range(2):
        u[last, 0] = trial * 1e-6 / h
        rates(laws, x[0], 0, u, last, room)
        for i in range(n):
            x[1, i] = x[0, i] + h * work[i]
        rates(laws, x[1], 0, u, last, room)
        if trial == 0:
            first = work[n]
        else:
            second = work[n]
    if second == first:
        return 0.0
    moved = -first * 1e-6 / (second - first)
    u[last, 0] = moved / h
    rates(laws, x[0], 0, u, last, room)
    for i in range(n):
        x[0, i] += h * work[i]
    return moved


def _scratch(n: int, r: int, m: int) -> tuple[np.ndarray, np.ndarray, Room]:
    """The state with what is summed up behind it, the slopes of a step, and room."""
    room = Room(np.zeros(2 * n + m + 2 * r + 1), np.zeros((r + 1, r + 1)), np.zeros((r + 1, 1)))
    return np.zeros((2, n + m + 1)), np.zeros((6, n + m + 1)), room


def simulate_continuous(
    network: Network,
    T: float,
    samples: int,
    velocity: Callable[[np.ndarray], np.ndarray],
    substeps: int = 40,
    states: Sequence[float] | None = None,
) -> Continuous:
    """A network driven at its ports all the time. `velocity`: times [s] to (times, ports); of a
    force port the force [N]. `states`: at the start."""
    laws = flatten_laws(network)
    times = np.arange(2 * substeps * samples + 1) * (T / (2 * substeps))
    u = np.ascontiguousarray(np.reshape(velocity(times), (len(times), laws.m)), dtype=float)
    told = Told(np.zeros((samples, laws.m)), np.zeros(samples), np.zeros(samples))
    x, slopes, room = _scratch(laws.n, laws.r, laws.m)
    if states is not None:
        x[0, : laws.n] = states
    run_continuous(laws, T, substeps, u, x, slopes, room, told=told)
    return Continuous(*told)


def simulate_continuous_wall(
    network: Network,
    T: float,
    samples: int,
    depth: Callable[[np.ndarray], np.ndarray],
    velocity: Callable[[np.ndarray], np.ndarray],
    substeps: int = 40,
    pull: bool = False,
) -> Continuous:
    """A linear network of one port as a wall whose surface rests at 0: q below it is contact.
    `pull`: the force may pull until q is back at 0."""
    laws = flatten_laws(network)
    if not network.linear or laws.m != 1:
        raise BadInput(
            Problem(
                network.name,
                "nonlinear or several ports",
                "a linear network of one port; nonlinear walls are one-sided by their potential",
            )
        )
    times = np.arange(2 * substeps * samples + 2) * (T / (2 * substeps))
    u = np.ascontiguousarray(velocity(times).reshape(-1, 1), dtype=float)
    q = np.ascontiguousarray(depth(times), dtype=float)
    told = Told(np.zeros((samples, 1)), np.zeros(samples), np.zeros(samples))
    x, slopes, room = _scratch(laws.n, laws.r, laws.m)
    run_continuous_wall(laws, T, substeps, pull, q, u, x, slopes=slopes, room=room, told=told)
    return Continuous(*told)
