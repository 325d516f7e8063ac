"""A network as a satellite: force in, motion out. Its velocity is held over a cycle, the impulse of
the real contact is counted, and the network takes exactly the energy that crossed its port,
velocity times impulse.

The same step as linear_step.py with force and motion exchanged, projected every cycle and without a
tank: what cannot be taken in one cycle is carried to the next, so the energy of satellite and
contact together is kept to rounding. The price is momentum: the impulse taken differs a little from
the one counted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled, entry_point
from softdock.errors import BadInput, Problem
from softdock.networks.elements import FORCE
from softdock.networks.linear_step import (
    FED,
    PUT_IN,
    TANK,
    LinearNet,
    Places,
    cost,
    create_memory,
    extractable,
    lay_out_linear,
    linear_net,
    move,
    places,
)

if TYPE_CHECKING:
    from softdock.networks.network import Network

BOUNCE_ROW = Cells(
    "bounce_row",
    Cell("depth", 1, "m", "in the wall, at the end of the cycle"),
    Cell("speed", 1, "m/s", "towards the wall, held over it"),
    Cell("impulse", 1, "Ns", "of the wall, counted"),
    Cell("taken", 1, "Ns", "taken by the network"),
    Cell("stored", 1, "J", "in the wall"),
)
IN_ROW = BOUNCE_ROW.at
EULER, MIDPOINT, PROJECTED = 0, 1, 2
KEEPING = (
    "euler",
    "midpoint",
    "projected",
)  # how the network answers: plain held force, midpoint without books, projected every cycle


@compiled
def take_impulse(net, mem, impulse):
    """One cycle of a network of one force port: the D nearest to the impulse that costs just what
    crossed the port, and what was carried over."""
    at = places(net.n, 1)
    mem[FED] += mem[at.y] * impulse
    budget = mem[at.y] * impulse + mem[TANK]
    centre = -0.5 * net.Dinv[0, 0] * mem[at.c]
    radius_squared = max(budget + extractable(net, mem, at), 0.0)
    mem[at.D] = centre + math.copysign(math.sqrt(radius_squared * net.Dinv[0, 0]), impulse - centre)
    spent = cost(net, mem, at, at.D)
    mem[PUT_IN] += spent
    mem[TANK] = budget - spent  # carried over: may be below nought
    move(net, mem, at)
    hold_velocity(net, mem, at, impulse)


@compiled
def hold_velocity(net, mem, at, impulse):
    """The velocity for the next cycle, with the last impulse as the expected one."""
    mem[at.y] = mem[at.c] + net.Dbar[0, 0] * impulse


@compiled
def plain_cycle(net, mem, impulse, midpoint):
    """A cycle without energy balance: the impulse as it was counted."""
    at = places(net.n, 1)
    mem[FED] += mem[at.y] * impulse
    mem[at.D] = impulse
    mem[PUT_IN] += cost(net, mem, at, at.D)
    move(net, mem, at)
    hold_velocity(net, mem, at, impulse if midpoint else 0.0)


@compiled
def wall_impulse(depth, speed, T, stiffness):
    """Impulse of a spring wall over one cycle at constant speed [Ns]; depth > 0 in contact. Also
    the depth after."""
    after = depth + speed * T
    if depth <= 0.0 and after <= 0.0:
        return 0.0, after
    if depth >= 0.0 and after >= 0.0:
        return 0.5 * stiffness * (depth + after) * T, after
    inside = max(depth, after)
    return 0.5 * stiffness * inside * inside / abs(speed), after


@entry_point
def run_satellite(net, mem, depth, T, stiffness, keeping, rows):
    """A touch: `rows[k]` as `BOUNCE_ROW`; the velocity is towards the wall."""
    at = places(net.n, 1)
    for k in range(rows.shape[0]):
        speed = mem[at.y]
        impulse, after = wall_impulse(depth, speed, T, stiffness)
        if keeping == PROJECTED:
            take_impulse(net, mem, -impulse)
        else:
            plain_cycle(net, mem, -impulse, keeping == MIDPOINT)
        depth = after
        row = rows[k]
        row[IN_ROW.depth], row[IN_ROW.speed] = depth, speed
        row[IN_ROW.impulse], row[IN_ROW.taken] = impulse, -mem[at.D]
        row[IN_ROW.stored] = 0.5 * stiffness * max(depth, 0.0) ** 2


@dataclass
class Bounce:
    """A satellite network against a real spring on an ideal position-controlled robot, one axis."""

    restitution: float  # of the port's velocity
    energy_ratio: float  # of the whole network, after over before
    momentum_error_Ns: float  # impulses taken less impulses counted
    momentum_change_Ns: float
    carried_J: float  # left over at the end
    rows: np.ndarray


def bounce(
    network: Network,
    T: float,
    speed: float,
    stiffness: float,
    keeping: str = "projected",
    gap: float = 0.0,
    most_cycles: int = 100_000,
) -> Bounce:
    """All masses at `speed` towards a wall of `stiffness`, until the satellite is clear of it
    again."""
    if len(network.ports) != 1 or network.ports[0].causality != FORCE or not network.linear:
        raise BadInput(
            Problem(network.name, "not a satellite", "a linear network of one force port")
        )
    if keeping not in KEEPING:
        raise BadInput(Problem("keeping", keeping, "one of " + ", ".join(KEEPING)))
    net = linear_net(network, T)
    mem, at, total = _moving(network, net, speed)
    rows = np.zeros((most_cycles, BOUNCE_ROW.size))
    first = -gap
    period = 2.0 * math.pi * math.sqrt(total / stiffness)
    cycles = min(most_cycles, int((2.0 * gap / speed + period) / T) + 10)
    rows = rows[:cycles]
    before = _energy(network, mem[at.x : at.x + net.n])
    run_satellite(net, mem, first, T, stiffness, KEEPING.index(keeping), rows)
    clear = rows[-1, IN_ROW.depth] < 0.0
    if not clear:
        raise BadInput(
            Problem(
                "speed",
                speed,
                "a satellite that leaves the wall within one period of its mass on the spring",
            )
        )
    after = _energy(network, mem[at.x : at.x + net.n])
    error = float(np.sum(rows[:, IN_ROW.taken]) - np.sum(rows[:, IN_ROW.impulse]))
    return Bounce(
        restitution=float(-rows[-1, IN_ROW.speed] / speed),
        energy_ratio=after / before,
        momentum_error_Ns=error,
        momentum_change_Ns=float(np.sum(rows[:, IN_ROW.impulse])),
        carried_J=float(mem[TANK]),
        rows=rows,
    )


def rigid_motion(network: Network) -> tuple[np.ndarray, float]:
    """The state in which the whole network moves at 1 m/s, nothing stretched, and its mass [kg]."""
    eq = network.equations
    Q = np.diag(eq.stiffness)
    left = np.vstack([(eq.J - eq.R) @ Q, eq.C @ Q])
    right = np.zeros(len(left))
    right[-1] = 1.0
    state = np.linalg.lstsq(left, right, rcond=None)[0]
    if not np.allclose(left @ state, right, atol=1e-9) or np.any(eq.Y):
        raise BadInput(
            Problem(
                network.name,
                "held or without a mass at its port",
                "a satellite: free to move, with a mass at its force port",
            )
        )
    return state, float(state @ Q @ state)


def _moving(network: Network, net: LinearNet, speed: float) -> tuple[np.ndarray, Places, float]:
    """Memory with every mass at the speed, and the total mass [kg]."""
    mem, at = create_memory(net, 0.0), lay_out_linear(net.n, 1)
    state, total = rigid_motion(network)
    mem[at.x : at.x + net.n] = speed * state
    mem[at.c] = float(net.C[0] @ mem[at.x : at.x + net.n])
    mem[at.y] = mem[at.c]
    return mem, at, total


def _energy(network: Network, states: np.ndarray) -> float:
    return float(0.5 * np.sum(network.equations.stiffness * states * states))
