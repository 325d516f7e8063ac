"""The hooks of `network_contact` for nonlinear networks (springs with potentials of their own,
dampers that depend on speed or state). Held on both sides: what is one-sided about them is in their
potentials, so their springs begin stretched by the gap."""

from __future__ import annotations

from typing import Any, NamedTuple

from softdock.compile.jit import compiled, noinline
from softdock.methods.networks.contact import AT, elongate, prepare_port
from softdock.methods.networks.port import (
    BETWEEN_SATELLITES,
    CELL,
    HEAD,
    Port,
    add_force,
    book,
    go_on,
    rows_at,
    set_out,
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
def prepare(marker, vector, base, memory):
    at = int(vector[base + AT.network])
    return NonlinearContact(
        memory=memory,
        numbers=vector,
        at=at,
        port=prepare_port(vector, base),
        tank=vector[base + AT.tank],
        acceleration=vector[base + AT.acceleration],
    )


@compiled
def the_network(method, mem, T):
    """Laws from the vector; room for matrices behind the network's own memory."""
    v, rows = method.numbers, rows_at(method.numbers, method.at)
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
        bound=mem[method.memory + CELL.bound : method.memory + CELL.bound + m],
        extrapolate=1.0,
        Dbar=mem[Dbar:Dinv].reshape((m, m)),
        Dinv=mem[Dinv:small].reshape((m, m)),
        a=mem[a:right].reshape((size, size)),
        right=mem[right:tangent].reshape((size, columns)),
        tangent=mem[tangent : tangent + size * columns].reshape((size, columns)),
        small=mem[small:a].reshape((m, m)),
    )


@noinline
def _begin(method, net, mem, own, rig, satellites):
    m, at = method.memory, places(net.n, net.laws.r, net.m)
    set_out(method.port, mem, m, rig, satellites)
    own[TANK], mem[m + CELL.tank_start] = method.tank, method.tank
    for i in range(net.m):
        mem[m + CELL.bound + i] = (
            2.0 * method.acceleration * rig.T * rig.T
        )  # the prediction extrapolates
    if method.port.between == BETWEEN_SATELLITES:
        elongate(method, mem, own, at.x)
    take_psi(net, own, at)
    hold(net, own, at)
    mem[m + CELL.stored_start] = nonlinear_stored(net, own, at)
    mem[m + CELL.stored] = mem[m + CELL.stored_start]


@noinline
def wrench(method, mem, rig, measured, satellites, wrenches):
    """The network's forces, held over the cycle."""
    net, m = the_network(method, mem, rig.T), method.memory
    at = places(net.n, net.laws.r, net.m)
    own = mem[m + HEAD : m + HEAD + at.predicted + net.m]
    if rig.cycle == 0:
        _begin(method, net, mem, own, rig, satellites)
    return add_force(
        method.port,
        mem,
        at=m,
        satellites=satellites,
        wrenches=wrenches,
        own=own,
        y=at.y,
        factor=1.0,
    )


@noinline
def step(method, mem, rig, satellites, output):
    """The step of a nonlinear network; as contact.step for linear ones."""
    net, m = the_network(method, mem, rig.T), method.memory
    at = places(net.n, net.laws.r, net.m)
    own = mem[m + HEAD : m + HEAD + at.predicted + net.m]
    crossed = go_on(
        method.port,
        mem,
        at=m,
        rig=rig,
        satellites=satellites,
        own=own,
        y=at.y,
        now=at.D,
        moved=True,
    )
    nonlinear_sample(net, own, own[at.D : at.D + net.m].reshape((1, net.m)), 0)
    book(mem, m, own, crossed, nonlinear_stored(net, own, at))
    return output
