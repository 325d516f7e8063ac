"""A port-Hamiltonian network in the loop: a virtual contact between the satellites, or an elastic
appendage of one of them. Here its parameters, and the hooks of linear networks; nonlinear ones:
nonlinear.py.

Each cycle the network takes exactly the energy that crossed its ports: the held forces times the
satellites' own displacements. It is booked as virtual, and what became of it is recorded: stored,
dissipated, left in the tank. An appendage is part of the satellite, and orbit has it too; a virtual
contact is not.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from softdock.compile.jit import compiled, noinline
from softdock.loop.method.interface import Measured, Output, Rig, Satellites, Wrenches
from softdock.loop.parameters import Group, Parameter
from softdock.loop.spatial.vectors import norm, scale
from softdock.loop.tables import IN_KEY
from softdock.methods.networks.port import (
    BETWEEN_SATELLITES,
    HEAD,
    MOST_PORTS,
    NUMBERS,
    STATE,
    Port,
    add_force,
    advance_ports,
    count_cycle,
    find_rows,
    start_ports,
)
from softdock.networks.linear_step import (
    TANK,
    LinearNet,
    hold_effort,
    lay_out_linear,
    linear_sample,
    places,
    refresh,
    stored,
)
from softdock.networks.wall_step import wall_step

ONE_SIDED, BOTH_SIDED = 0, 1
_AXES = (
    "in the target's axes between the satellites, from the target towards the chaser; else in "
    "world axes"
)
NETWORK_CONTACT = Group(
    "network_contact",
    "A port-Hamiltonian network (docs/ports.md) as a virtual contact or as an appendage, "
    "passive when sampled.",
    Parameter(
        "network",
        "network",
        "the network: one to three position ports",
        size=2,
        kind="network",
        causality="position",
    ),
    Parameter(
        "between",
        "between",
        "what its ports are moved by",
        "satellites",
        choices=("satellites", "chaser", "target"),
    ),
    Parameter(
        "sided",
        "sided",
        "one: a wall that pushes along the last port's axis and sticks along the others; "
        "both: held always. Nonlinear networks: as their potentials are",
        "one",
        choices=("one", "both"),
        when=("between", ("satellites",)),
    ),
    Parameter(
        "axis",
        "axis",
        f"direction of the first port, {_AXES}",
        (1.0, 0.0, 0.0),
        size=3,
        kind="direction",
    ),
    Parameter(
        "second_axis",
        "second_axis",
        "direction of the second port, if there is one",
        (0.0, 1.0, 0.0),
        size=3,
        kind="direction",
    ),
    Parameter(
        "third_axis",
        "third_axis",
        "direction of the third port, if there is one",
        (0.0, 0.0, 1.0),
        size=3,
        kind="direction",
    ),
    Parameter(
        "distance",
        "distance_m",
        "of the centres along that axis, where the surfaces touch",
        0.0,
        unit="m",
        low=-1e4,
        high=1e4,
        when=("between", ("satellites",)),
    ),
    Parameter("tank", "tank_J", "energy lent at the start", 1e-5, unit="J", low=0.0, high=1e6),
    Parameter(
        "acceleration",
        "most_acceleration_m_per_s2",
        "largest relative acceleration for which it must stay passive",
        10.0,
        unit="m/s^2",
        low=0.0,
        high=1e6,
    ),
)
AT = NETWORK_CONTACT.at


class NetworkContact(NamedTuple):
    """A linear network."""

    memory: int
    numbers: Any  # the parameter vector, in which the network's numbers stand
    at: int  # where they begin
    port: Port
    sided: int
    tank: float  # J
    acceleration: float  # m/s^2


@compiled
def prepare_port(vector, base):
    keys = NETWORK_CONTACT(vector, base)
    axes = (keys.axis, keys.second_axis, keys.third_axis)
    units = (
        scale(1.0 / norm(axes[0]), axes[0]),
        scale(1.0 / norm(axes[1]), axes[1]),
        scale(1.0 / norm(axes[2]), axes[2]),
    )
    return Port(
        int(keys.between), NUMBERS(vector, int(keys.network[IN_KEY.at])).m, units, keys.distance
    )


@compiled
def prepare(marker: NetworkContact, vector, base, memory):
    keys, port = NETWORK_CONTACT(vector, base), prepare_port(vector, base)
    return NetworkContact(
        memory=memory,
        numbers=vector,
        at=int(keys.network[IN_KEY.at]),
        port=port,
        sided=int(keys.sided) if port.between == BETWEEN_SATELLITES else BOTH_SIDED,
        tank=keys.tank,
        acceleration=keys.acceleration,
    )


def count_floats(values: dict[str, Any], T: float) -> int:
    """Floats of `mem`."""
    from softdock.networks.nonlinear_step import nonlinear_floats
    from softdock.networks.tables import network_from

    network = network_from(values["network"])
    n, r, m = len(network.dirac.stores), len(network.dirac.dampers), len(network.ports)
    return HEAD + (lay_out_linear(n, m).size if network.linear else nonlinear_floats(n, r, m))


@compiled
def make_linear_network(method, mem, bound):
    """The matrices as the scenario laid them out behind the vector (scenario/network_file.py:
    network_rows); `bound`: where in `mem` the cap's bounds stand."""
    v, rows = method.numbers, find_rows(method.numbers, method.at)
    n, m = rows.n, rows.m
    B = rows.matrices + n * n
    C, Dbar, Dinv, k = B + n * m, B + 2 * n * m, B + 2 * n * m + m * m, B + 2 * n * m + 2 * m * m
    return LinearNet(
        n=n,
        m=m,
        A=v[rows.matrices : B].reshape((n, n)),
        B=v[B:C].reshape((n, m)),
        C=v[C:Dbar].reshape((m, n)),
        Dbar=v[Dbar:Dinv].reshape((m, m)),
        Dinv=v[Dinv:k].reshape((m, m)),
        bound=mem[bound : bound + m],
        stiffness=v[k : k + n],
        extrapolate=0.0,
    )


@compiled
def elongate(method, s, own, x):
    """Springs that the last port moves, stretched by as far as it is from where it would be at
    rest."""
    rows = find_rows(method.numbers, method.at)
    size = rows.n + rows.r + rows.m
    for i in range(rows.n):
        own[x + i] = method.numbers[rows.dirac + (i + 1) * size - 1] * s.before[rows.m - 1]


@noinline
def _begin(method: NetworkContact, net: LinearNet, mem, own, rig: Rig, satellites: Satellites):
    s, at = STATE(mem, method.memory), places(net.n, net.m)
    start_ports(method.port, s, rig, satellites)
    own[TANK], s.tank_start = method.tank, method.tank
    for i in range(net.m):
        s.bound[i] = method.acceleration * rig.T * rig.T
        own[at.position + i] = s.before[i]
        own[at.surface + i] = s.before[i] if i < net.m - 1 else 0.0
    if method.sided == BOTH_SIDED and method.port.between == BETWEEN_SATELLITES:
        elongate(method, s, own, at.x)
        refresh(net, own, at)
        hold_effort(net, own, at)
    s.stored_start = stored(net, own, at)
    s.stored = s.stored_start


@noinline
def wrench(
    method: NetworkContact,
    mem,
    rig: Rig,
    measured: Measured,
    satellites: Satellites,
    wrenches: Wrenches,
):
    """The network's forces, held over the cycle. A network that was sampled for another cycle (a
    batch that sweeps it) has none: the run ends as diverged."""
    net, at = make_linear_network(method, mem, method.memory + STATE.at.bound), method.memory + HEAD
    own = mem[at : at + places(net.n, net.m).size]
    if rig.cycle == 0:
        _begin(method, net, mem, own, rig, satellites)
    made_for = find_rows(method.numbers, method.at).T
    return add_force(
        method.port,
        STATE(mem, method.memory),
        satellites=satellites,
        wrenches=wrenches,
        own=own,
        y=places(net.n, net.m).y,
        factor=1.0 if made_for == rig.T else math.nan,
    )


@noinline
def step(method: NetworkContact, mem, rig: Rig, satellites: Satellites, output: Output):
    """The step at the end of a cycle, from where the satellites are then: what crossed the ports,
    and the forces to hold next. What is sent stays as it is."""
    net, m = make_linear_network(method, mem, method.memory + STATE.at.bound), method.memory
    s, at = STATE(mem, m), places(net.n, net.m)
    own = mem[m + HEAD : m + HEAD + at.size]
    crossed = advance_ports(
        method.port,
        s,
        rig=rig,
        satellites=satellites,
        own=own,
        y=at.y,
        now=at.now,
        moved=method.sided == BOTH_SIDED,
    )
    if method.sided == BOTH_SIDED:
        linear_sample(net, own, own[at.now : at.now + net.m].reshape((1, net.m)), 0)
    else:
        wall_step(net, own, at)
    count_cycle(mem, s, own, crossed, stored(net, own, at))
    return output


def check(values: dict[str, Any], tables: Any) -> Any:
    """The axes of the ports there are must differ in direction."""
    import numpy as np

    from softdock.networks.tables import network_from

    m = len(network_from(values["network"]).ports)
    axes = np.array([values[key] for key in ("axis", "second_axis", "third_axis")], float)[
        : min(m, MOST_PORTS)
    ]
    axes = axes / np.linalg.norm(axes, axis=1, keepdims=True)
    if m > 1 and np.linalg.norm(axes @ axes.T - np.eye(len(axes))) > 1e-6:
        return [
            (
                "second_axis",
                values["second_axis"],
                "directions of the ports at right angles to each other",
            )
        ], []
    return [], []
