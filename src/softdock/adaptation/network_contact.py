"""A port-Hamiltonian network in the loop, along one world direction: a virtual contact between the satellites, or an appendage of the chaser.

between = "satellites": a wall between the two; they touch where their centres are `distance` apart along the axis, and only push. The chaser gets the
force, the target the opposite one about the same line. between = "chaser": the network hangs on the chaser, pulls and pushes (an elastic appendage, at
rest relative to it at the start).

Each cycle the network takes exactly the energy that crossed its port: the held force times the satellite's own displacement (ports/linear_step.py). It is
booked as external work. Like every plug-in it belongs to the loop and not to orbit.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from softdock.adaptation.interface import Wrenches
from softdock.compiled import compiled
from softdock.parameters import Group, Parameter
from softdock.ports.linear_step import POSITION, TANK, LinearNet, cap, places, places_of, settle, wall_sample
from softdock.spatial.motion import Wrench, no_wrench
from softdock.spatial.vectors import cross, dot, load3, negate, norm, scale, subtract

BETWEEN_SATELLITES, ON_CHASER = 0, 1
NETWORK_CONTACT = Group(
    "network_contact",
    "A port-Hamiltonian network (docs/ports.md) as a virtual contact or as an appendage, passive when sampled.",
    Parameter("network", "network", "the network: linear, one position port", size=2, kind="network"),
    Parameter("between", "between", "what its port is moved by", "satellites", choices=("satellites", "chaser")),
    Parameter("axis", "axis", "direction in world axes, from the target towards the chaser", (1.0, 0.0, 0.0), size=3, kind="direction"),
    Parameter("distance", "distance_m", "of the centres along the axis, where the surfaces touch", 0.0, "m", -1e4, 1e4, when=("between", ("satellites",))),
    Parameter("tank", "tank_J", "energy lent at the start", 1e-5, "J", 0.0, 1e6),
    Parameter("acceleration", "most_acceleration_m_per_s2", "largest relative acceleration for which it must stay passive", 10.0, "m/s^2", 0.0, 1e6),
)
AT = NETWORK_CONTACT.at
HEAD = 4  # floats before the network's own memory: where the port was, its free motion (2), the bound of the cap


class NetworkContact(NamedTuple):
    memory: int
    numbers: Any  # the parameter vector, in which the network's matrices stand
    at: int  # where they begin
    n: int
    between: int
    axis: tuple[float, float, float]
    distance: float
    tank: float
    acceleration: float  # m/s^2


@compiled
def prepare(marker, vector, base, memory):
    axis = load3(vector, base + AT.axis)
    at = int(vector[base + AT.network])
    return NetworkContact(
        memory,
        vector,
        at,
        int(vector[at]),
        int(vector[base + AT.between]),
        scale(1.0 / norm(axis), axis),
        vector[base + AT.distance],
        vector[base + AT.tank],
        vector[base + AT.acceleration],
    )


def memory(values: dict[str, Any], T: float) -> int:
    from softdock.ports.tables import network_from

    return HEAD + places_of(len(network_from(values["network"]).dirac.stores), 1).size


@compiled
def the_network(method, mem):
    """Matrices as the scenario laid them out behind the vector (scenario/network_file.py: network_rows)."""
    v, n = method.numbers, method.n
    A = method.at + 2
    B, C = A + n * n, A + n * n + n
    rest = C + n
    return LinearNet(
        n,
        1,
        v[A:B].reshape((n, n)),
        v[B:C].reshape((n, 1)),
        v[C:rest].reshape((1, n)),
        v[rest : rest + 1].reshape((1, 1)),
        v[rest + 1 : rest + 2].reshape((1, 1)),
        mem[method.memory + 3 : method.memory + 4],
        v[rest + 2 : rest + 2 + n],
        0.0,
    )


@compiled
def external(method, mem, rig, satellites):
    """The wrenches of the network over the next cycle."""
    mem[method.memory + 3] = method.acceleration * rig.T * rig.T
    net, at = the_network(method, mem), places(method.n, 1)
    own = mem[method.memory + HEAD : method.memory + HEAD + at.size]
    if method.between == ON_CHASER:
        force = _appendage(method, net, own, mem, rig, satellites.chaser)
        return Wrenches(Wrench(force, no_wrench().torque), no_wrench())
    apart = subtract(satellites.chaser.p, satellites.target.p)
    q = dot(method.axis, apart) - method.distance
    if rig.cycle == 0:
        own[TANK], own[POSITION] = method.tank, q
    wall_sample(net, own, q)
    force = scale(_held(method, rig, own[at.y]), method.axis)
    return Wrenches(Wrench(force, no_wrench().torque), Wrench(negate(force), negate(cross(apart, force))))


@compiled
def _held(method, rig, effort):
    """The force of an effort [N]. A network that was sampled for another cycle (a batch that sweeps it) has none: the run ends as diverged."""
    return -effort if method.numbers[method.at + 1] == rig.T else math.nan


@compiled
def _appendage(method, net, own, mem, rig, chaser):
    """Held on both sides; q is the chaser's displacement from its first free flight, in which network and chaser are at rest to each other."""
    at, m = places(method.n, 1), method.memory
    along = dot(method.axis, chaser.p)
    if rig.cycle == 0:
        own[TANK] = method.tank
        mem[m], mem[m + 1], mem[m + 2] = along, dot(method.axis, chaser.v), 0.0
    q = along - mem[m] - mem[m + 1] * rig.cycle * rig.T
    dq = q - mem[m + 2]
    mem[m + 2] = q
    own[at.D] = dq
    settle(net, own, at, own[at.y] * dq)
    own[at.predicted] = dq
    own[at.y] = own[at.c] + net.Dbar[0, 0] * dq
    cap(net, own, at)
    return scale(_held(method, rig, own[at.y]), method.axis)
