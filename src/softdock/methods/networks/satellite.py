"""A port-Hamiltonian network as a satellite, along one world axis: force in, motion out
(networks/satellite.py). A hub with an elastic appendage, for example.

The velocity that its port gives is held over a cycle, and the robots carry it out; the impulse that
acts on the satellite is counted, and the network takes exactly the energy that crossed its port,
velocity times impulse, every cycle. With `sensor.handover = "mean"` and no delay the impulse is
that of the very cycle in which the velocity was held. The satellite's other axes, and its attitude,
stay those of a rigid body of the network's whole mass.

Books: energy that crossed the port less the kinetic energy that the rigid body has in the ledger is
virtual. The price of the exact energy is momentum: the impulses taken less those counted are
recorded.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled, noinline
from softdock.loop.method.declaration import SATELLITE
from softdock.loop.method.interface import BOOK_VIRTUAL, Measured, Output, Rig, Satellites
from softdock.loop.method.memory import recorded
from softdock.loop.method.method import Method
from softdock.loop.parameters import Group, Parameter
from softdock.loop.spatial.rigid_body import Body, motion_of
from softdock.loop.spatial.vectors import add_scaled, dot, norm, scale, subtract
from softdock.loop.tables import IN_KEY
from softdock.methods.networks.contact import make_linear_network
from softdock.methods.networks.port import ON_CHASER, ON_TARGET, find_rows
from softdock.networks.linear_step import (
    FED,
    PUT_IN,
    TANK,
    LinearNet,
    lay_out_linear,
    places,
    refresh,
    stored,
)
from softdock.networks.satellite import take_impulse

NETWORK_SATELLITE = Group(
    "network_satellite",
    "A port-Hamiltonian network (docs/ports.md) in place of a satellite's mass along one axis.",
    Parameter(
        "network",
        "network",
        "the network: linear, free to move, one force port",
        size=2,
        kind="network",
        causality="force",
    ),
    Parameter("satellite", "satellite", "which one it is", "chaser", choices=("chaser", "target")),
    Parameter(
        "axis",
        "axis",
        "direction of its port in world axes",
        (1.0, 0.0, 0.0),
        size=3,
        kind="direction",
    ),
)
AT = NETWORK_SATELLITE.at
STATE = Cells(
    "network_satellite",
    recorded(
        "velocity", "m/s", "that its port gives, held over the cycle that begins", "along its axis"
    ),
    recorded("absorbed", "J", "energy that crossed its port"),
    recorded("stored", "J", "in its masses and springs"),
    recorded("dissipated", "J", "by its dampers"),
    recorded("carried", "J", "crossed its port and not yet taken"),
    recorded("momentum", "Ns", "impulses taken less impulses counted", channel="momentum_error"),
    Cell("stored_start", float, "J", "stored at the start"),
    Cell("bound", float, "m", "of the cap of a linear network; not used with a force port"),
)
HEAD = STATE.size  # the network's own memory stands behind


class NetworkSatellite(NamedTuple):
    memory: int
    numbers: Any  # the parameter vector
    at: int  # where the network's numbers begin
    which: int
    axis: tuple


@compiled
def prepare(marker: NetworkSatellite, vector, base, memory):
    keys = NETWORK_SATELLITE(vector, base)
    return NetworkSatellite(
        memory=memory,
        numbers=vector,
        at=int(keys.network[IN_KEY.at]),
        which=ON_CHASER if keys.satellite == 0.0 else ON_TARGET,
        axis=scale(1.0 / norm(keys.axis), keys.axis),
    )


def count_floats(values: dict[str, Any], T: float) -> int:
    """Floats of `mem`."""
    from softdock.networks.tables import network_from

    return HEAD + lay_out_linear(len(network_from(values["network"]).dirac.stores), 1).size


@compiled
def find_rigid_state(rows):
    """Where in the vector the state stands in which the whole network moves at 1 m/s: behind the
    matrices."""
    return rows.matrices + rows.n * rows.n + 2 * rows.n + 2 + rows.n


@noinline
def _begin(method: NetworkSatellite, net: LinearNet, mem, own, speed):
    s, at = STATE(mem, method.memory), places(net.n, 1)
    rigid = find_rigid_state(find_rows(method.numbers, method.at))
    for i in range(net.n):
        own[at.x + i] = speed * method.numbers[rigid + i]
    refresh(net, own, at)
    own[at.y] = speed
    s.velocity = speed
    s.stored_start = stored(net, own, at)
    s.stored = s.stored_start


@compiled
def _replace_along(axis, body: Body, rigid: Body, way, speed):
    """The body with its position and velocity along the axis replaced."""
    p = add_scaled(rigid.p, way - dot(axis, subtract(rigid.p, body.p)), axis)
    return Body(p, rigid.q, add_scaled(rigid.v, speed - dot(axis, rigid.v), axis), rigid.L)


@noinline
def follow(
    method: NetworkSatellite,
    mem,
    rig: Rig,
    measured: Measured,
    before: Satellites,
    after: Satellites,
    output: Output,
):
    """The satellite moves as its network does."""
    m, axis = method.memory, method.axis
    s, net = STATE(mem, m), make_linear_network(method, mem, m + STATE.at.bound)
    at = places(net.n, 1)
    own = mem[m + HEAD : m + HEAD + at.size]
    was, rigid, params = before.chaser, after.chaser, rig.chaser
    if method.which == ON_TARGET:
        was, rigid, params = before.target, after.target, rig.target
    speed = dot(axis, was.v)
    if rig.cycle == 0:
        _begin(method, net, mem, own, speed)
    impulse = params.mass[0] * (dot(axis, rigid.v) - speed)
    fed = own[FED]
    take_impulse(net, own, impulse)
    # made for another cycle: the run ends as diverged
    now = own[at.y] if find_rows(method.numbers, method.at).T == rig.T else math.nan
    mem[BOOK_VIRTUAL] += own[FED] - fed - 0.5 * params.mass[0] * (now * now - speed * speed)
    s.velocity, s.absorbed, s.stored, s.carried = now, own[FED], stored(net, own, at), own[TANK]
    s.dissipated = own[PUT_IN] - (s.stored - s.stored_start)
    s.momentum += own[at.D] - impulse
    body = _replace_along(axis, was, rigid, now * rig.T, now)
    if method.which == ON_TARGET:
        return Satellites(after.chaser, body), Output(output.chaser, motion_of(params, body))
    return Satellites(body, after.target), Output(motion_of(params, body), output.target)


def check(values: dict[str, Any], tables: Any) -> Any:
    """The rigid body that stands in the scenario must have the network's mass, and be free."""
    from softdock.networks.satellite import rigid_motion
    from softdock.networks.tables import network_from

    _, mass = rigid_motion(network_from(values["network"]))
    body = tables.get(values["satellite"], {})
    given = body.get("mass_kg")
    wanted = (
        f"a free body of {mass:.9g} kg, the mass of the network, along every axis "
        f"({values['satellite']}.mass_kg is {given})"
    )
    if body.get("fixed") or not isinstance(given, (int, float)) or abs(given - mass) > 1e-6 * mass:
        return [("satellite", values["satellite"], wanted)], []
    return [], []


METHOD = Method(
    name="network_satellite",
    summary="a port-Hamiltonian network as a satellite along one axis: force in, motion out, "
    "energy exact",
    knows="the network",
    group=NETWORK_SATELLITE,
    marker=NetworkSatellite(memory=0, numbers=0, at=0, which=0, axis=(0.0, 0.0, 0.0)),
    prepare=prepare,
    correct=follow,
    cells=STATE,
    memory=count_floats,
    check=check,
    part_of_scenario=True,
    while_latched="the latch's force goes into the network: the pair grows, a little slower than "
    "two rigid bodies (0.019 1/s against 0.024)",
    in_orbit=lambda values: SATELLITE,
)
