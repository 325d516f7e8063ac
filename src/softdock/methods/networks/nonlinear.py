"""The hooks of `network_contact` for nonlinear networks (springs with potentials of their own,
dampers that depend on speed or state). Held on both sides: what is one-sided about them is in their
potentials, so their springs begin stretched by the gap."""

from __future__ import annotations

from typing import Any, NamedTuple

from softdock.compile.jit import compiled, noinline
from softdock.loop.method.interface import Measured, Output, Rig, Satellites, Wrenches
from softdock.loop.tables import IN_KEY
from softdock.methods.networks.contact import NETWORK_CONTACT, elongate, prepare_port
from softdock.methods.networks.port import (
    BETWEEN_SATELLITES,
    HEAD,
    STATE,
    Port,
    add_force,
    advance_ports,
    count_cycle,
    find_rows,
    start_ports,
)
from softdock.networks.law_cells import DAMPER_FLOATS, IN_ANSWER, NODE_FLOATS, STORE_FLOATS
from softdock.networks.laws import Laws
from softdock.networks.linear_step import TANK
from softdock.networks.nonlinear_step import (
    NonlinearNet,
    hold,
    nonlinear_sample,
    nonlinear_stored,
    places,
    take_psi,
)


class NonlinearContact(NamedTuple):
    memory: int
    numbers: Any  # the parameter vector, in which the network's numbers stand
    at: int
    port: Port
    tank: float  # J
    acceleration: float  # m/s^2


@compiled
def prepare(marker: NonlinearContact, vector, base, memory):
    keys = NETWORK_CONTACT(vector, base)
    return NonlinearContact(
        memory=memory,
        numbers=vector,
        at=int(keys.network[IN_KEY.at]),
        port=prepare_port(vector, base),
        tank=keys.tank,
        acceleration=keys.acceleration,
    )


@compiled
def make_network(method: NonlinearContact, mem, T):
    """Laws from the vector; room for matrices behind the network's own memory."""
    v, rows = method.numbers, find_rows(method.numbers, method.at)
    n, r, m = rows.n, rows.r, rows.m
    size = n + r
    laws = Laws(
        n=n,
        r=r,
        m=m,
        dirac=v[rows.dirac : rows.stores].reshape((size + m, size + m)),
        stores=v[rows.stores : rows.dampers].reshape((n, STORE_FLOATS)),
        dampers=v[rows.dampers : rows.tables].reshape((r, DAMPER_FLOATS)),
        tables=v[rows.tables : rows.matrices].reshape((rows.nodes, NODE_FLOATS)),
    )
    Dbar = method.memory + HEAD + places(n, r, m).predicted + m
    Dinv, small, a = Dbar + m * m, Dbar + 2 * m * m, Dbar + 3 * m * m
    right = a + size * size
    columns = IN_ANSWER.gain + m
    tangent = right + size * columns
    return NonlinearNet(
        laws=laws,
        n=n,
        m=m,
        T=T,
        bound=mem[method.memory + STATE.at.bound : method.memory + STATE.at.bound + m],
        extrapolate=1.0,
        Dbar=mem[Dbar:Dinv].reshape((m, m)),
        Dinv=mem[Dinv:small].reshape((m, m)),
        a=mem[a:right].reshape((size, size)),
        right=mem[right:tangent].reshape((size, columns)),
        tangent=mem[tangent : tangent + size * columns].reshape((size, columns)),
        small=mem[small:a].reshape((m, m)),
    )


@noinline
def _begin(method: NonlinearContact, net: NonlinearNet, mem, own, rig: Rig, satellites: Satellites):
    s, at = STATE(mem, method.memory), places(net.n, net.laws.r, net.m)
    start_ports(method.port, s, rig, satellites)
    own[TANK], s.tank_start = method.tank, method.tank
    for i in range(net.m):
        # the prediction extrapolates
        s.bound[i] = 2.0 * method.acceleration * rig.T * rig.T
    if method.port.between == BETWEEN_SATELLITES:
        elongate(method, s, own, at.x)
    take_psi(net, own, at)
    hold(net, own, at)
    s.stored_start = nonlinear_stored(net, own, at)
    s.stored = s.stored_start


@noinline
def wrench(
    method: NonlinearContact,
    mem,
    rig: Rig,
    measured: Measured,
    satellites: Satellites,
    wrenches: Wrenches,
):
    """The network's forces, held over the cycle."""
    net, m = make_network(method, mem, rig.T), method.memory
    at = places(net.n, net.laws.r, net.m)
    own = mem[m + HEAD : m + HEAD + at.predicted + net.m]
    if rig.cycle == 0:
        _begin(method, net, mem, own, rig, satellites)
    return add_force(
        method.port,
        STATE(mem, m),
        satellites=satellites,
        wrenches=wrenches,
        own=own,
        y=at.y,
        factor=1.0,
    )


@noinline
def step(method: NonlinearContact, mem, rig: Rig, satellites: Satellites, output: Output):
    """The step of a nonlinear network; as contact.step for linear ones."""
    net, m = make_network(method, mem, rig.T), method.memory
    s, at = STATE(mem, m), places(net.n, net.laws.r, net.m)
    own = mem[m + HEAD : m + HEAD + at.predicted + net.m]
    crossed = advance_ports(
        method.port,
        s,
        rig=rig,
        satellites=satellites,
        own=own,
        y=at.y,
        now=at.D,
        moved=True,
    )
    nonlinear_sample(net, own, own[at.D : at.D + net.m].reshape((1, net.m)), 0)
    count_cycle(mem, s, own, crossed, nonlinear_stored(net, own, at))
    return output
