"""How a port-Hamiltonian network hangs between the satellites, or on one of them: coordinates of
its ports in, wrenches on the satellites out.

Between the satellites the ports measure the chaser's centre of mass in the target's axes, so that a
wall turns with the target; the chaser gets the force, the target the opposite one about the same
line. On one satellite they measure its displacement along world axes from its first free flight, in
which network and satellite are at rest to each other; the force acts at the centre of mass.

A network's slice of `mem`: what is recorded, then where the ports were and set out, then
its own (networks/linear_step.py, nonlinear_step.py).
"""

from __future__ import annotations

from typing import NamedTuple

from softdock.compile.cells import Cell, Cells, many
from softdock.compile.jit import compiled
from softdock.loop.method.interface import BOOK_VIRTUAL, Rig, Satellites, Wrenches
from softdock.loop.method.memory import recorded
from softdock.loop.spatial.motion import Wrench, no_wrench
from softdock.loop.spatial.rotations import rotate, rotate_back
from softdock.loop.spatial.vectors import add_scaled, cross, dot, negate, subtract
from softdock.methods.measured.line_of_action import plus_wrenches
from softdock.networks.law_cells import DAMPER_FLOATS, NODE_FLOATS, STORE_FLOATS
from softdock.networks.linear_step import FED, SHORT, TANK

MOST_PORTS = 3
BETWEEN_SATELLITES, ON_CHASER, ON_TARGET = 0, 1, 2
STATE = Cells(
    "network_contact",
    recorded(
        "force",
        "N",
        "force of the network on the chaser, or on the satellite it hangs on",
        frame="world",
        parts="xyz",
    ),
    recorded("position", "m", "of its last port; a wall is touched below 0"),
    recorded("absorbed", "J", "absorbed by the network at its ports, as the ledger books it"),
    recorded("stored", "J", "stored in its springs and masses"),
    recorded("dissipated", "J", "dissipated by its dampers"),
    recorded(
        "in_tank", "J", "left of the energy lent at the start, and saved since", channel="tank"
    ),
    recorded(
        "unpaid",
        "J",
        "taken beyond network and tank: nought within the acceleration it is meant for",
        channel="short",
    ),
    Cell("before", many(MOST_PORTS), "m", "coordinates of the ports in the cycle before"),
    Cell("bound", many(MOST_PORTS), "m", "second differences up to which it must stay passive"),
    Cell("speed", many(MOST_PORTS), "m/s", "of the free flight that the ports are measured from"),
    Cell("start", many(MOST_PORTS), "m", "where it set out"),
    Cell("stored_start", float, "J", "stored at the start"),
    Cell("tank_start", float, "J", "in the tank at the start"),
)
HEAD = STATE.size  # the network's own memory stands behind


class Port(NamedTuple):
    """Where and along what a network takes hold."""

    between: int
    m: int
    axes: tuple  # three directions; in the target's axes between the satellites, else in world axes
    distance: float  # m, of the centres along the last port's axis where a wall is touched


@compiled
def compute_coordinate(port: Port, s, rig: Rig, satellites: Satellites, cycle, i):
    """Coordinate of port i at t_cycle [m]. `s`: the method's state."""
    if port.between == BETWEEN_SATELLITES:
        apart = rotate_back(satellites.target.q, subtract(satellites.chaser.p, satellites.target.p))
        return dot(port.axes[i], apart) - s.start[i]
    body = satellites.chaser if port.between == ON_CHASER else satellites.target
    return dot(port.axes[i], body.p) - s.start[i] - s.speed[i] * cycle * rig.T


@compiled
def start_ports(port: Port, s, rig: Rig, satellites: Satellites):
    """Where the ports are at t = 0, and the free flight of the satellite they hang on."""
    for i in range(port.m):
        s.start[i], s.speed[i] = 0.0, 0.0
        if port.between == BETWEEN_SATELLITES:
            s.start[i] = (
                port.distance
                if i == port.m - 1
                else compute_coordinate(port, s, rig, satellites, 0, i)
            )
        else:
            body = satellites.chaser if port.between == ON_CHASER else satellites.target
            s.start[i], s.speed[i] = dot(port.axes[i], body.p), dot(port.axes[i], body.v)
        s.before[i] = compute_coordinate(port, s, rig, satellites, 0, i)
    s.position = s.before[port.m - 1]


@compiled
def advance_ports(port: Port, s, rig: Rig, satellites: Satellites, own, y, now, moved):
    """Where the ports are at t_{k+1} to own[now:], or with `moved` how far they went. Returns what
    crossed them in this cycle in world axes [J]: the held efforts own[y:] times the way."""
    crossed = 0.0
    for i in range(port.m):
        q = compute_coordinate(port, s, rig, satellites, rig.cycle + 1, i)
        dq = q - s.before[i]
        crossed += own[y + i] * (dq + s.speed[i] * rig.T)
        own[now + i] = dq if moved else q
        s.before[i] = q
    s.position = s.before[port.m - 1]
    return crossed


@compiled
def count_cycle(mem, s, own, absorbed, stored):
    """What the network did in this cycle, into the energy balance and into what is recorded."""
    mem[BOOK_VIRTUAL] += absorbed
    s.absorbed += absorbed
    s.stored, s.in_tank, s.unpaid = stored, own[TANK], own[SHORT]
    s.dissipated = own[FED] + s.tank_start - own[TANK] - (stored - s.stored_start) + own[SHORT]


@compiled
def add_force(port: Port, s, satellites: Satellites, wrenches: Wrenches, own, y, factor):
    """The network's wrenches added: minus its efforts own[y:] along the ports' axes."""
    force = (0.0, 0.0, 0.0)
    for i in range(port.m):
        axis = (
            rotate(satellites.target.q, port.axes[i])
            if port.between == BETWEEN_SATELLITES
            else port.axes[i]
        )
        force = add_scaled(force, -factor * own[y + i], axis)
    s.force = force
    push, nothing = Wrench(force, (0.0, 0.0, 0.0)), no_wrench()
    if port.between == ON_CHASER:
        return plus_wrenches(wrenches, 1.0, Wrenches(push, nothing))
    if port.between == ON_TARGET:
        return plus_wrenches(wrenches, 1.0, Wrenches(nothing, push))
    apart = subtract(satellites.chaser.p, satellites.target.p)
    return plus_wrenches(
        wrenches, 1.0, Wrenches(push, Wrench(negate(force), negate(cross(apart, force))))
    )


NUMBERS = Cells(
    "network_numbers",
    Cell("n", int, "-", "stores"),
    Cell("r", int, "-", "dampers"),
    Cell("m", int, "-", "ports"),
    Cell("T", float, "s", "cycle for which the matrices were made"),
    Cell("nodes", int, "-", "nodes of all tables"),
)
FIRST = NUMBERS.at  # behind: Dirac structure, stores, dampers, tables


class Rows(NamedTuple):
    """Where in the vector a network's numbers stand (scenario/network_file.py: network_rows)."""

    n: int
    r: int
    m: int
    T: float  # s, for which the matrices were made
    dirac: int
    stores: int
    dampers: int
    tables: int
    nodes: int
    matrices: int


@compiled
def find_rows(vector, at):
    numbers = NUMBERS(vector, at)
    n, r, m = numbers.n, numbers.r, numbers.m
    dirac = at + NUMBERS.size
    stores = dirac + (n + r + m) ** 2
    dampers = stores + STORE_FLOATS * n
    tables = dampers + DAMPER_FLOATS * r
    return Rows(
        n=n,
        r=r,
        m=m,
        T=numbers.T,
        dirac=dirac,
        stores=stores,
        dampers=dampers,
        tables=tables,
        nodes=numbers.nodes,
        matrices=tables + NODE_FLOATS * numbers.nodes,
    )
