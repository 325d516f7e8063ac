"""One network that is part of a satellite in orbit: where its numbers stand in the vector and its
states in `mem`, and its rates of change (networks.py)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled
from softdock.loop.keys import MEMORY
from softdock.loop.method.declaration import SATELLITE
from softdock.loop.spatial.rigid_body import BODY
from softdock.loop.spatial.vectors import VECTOR, norm, scale
from softdock.loop.vector import CHASER_AT, MEMORY_AT, TARGET_AT
from softdock.methods.networks import contact as network_contact
from softdock.methods.networks import satellite as network_satellite
from softdock.methods.networks.port import FIRST, ON_TARGET, find_rows
from softdock.networks.continuous import Room, rates
from softdock.networks.law_cells import DAMPER_FLOATS, NODE_FLOATS, STORE_FLOATS
from softdock.networks.laws import Laws
from softdock.reference.servicer import NoServicer, SomeServicer

CONTACT, NETWORK = network_contact.AT, network_satellite.AT

LISTED = Cells(  # a network that orbit has, in the list at the end of the vector
    "orbit_network",
    Cell("kind", int, "-", "how orbit has it (loop/method/declaration.py)"),
    Cell("keys", int, "-", "where its method's keys begin in the vector"),
)
LISTED_FLOATS = LISTED.size


class NoNetworks(NamedTuple):
    nothing: int


class Networks(NamedTuple):
    """How many, where their list stands in the vector, and where their memory begins."""

    number: int
    listed: int
    memory: int


class NoLatches(NamedTuple):
    none: int


class Latches(NamedTuple):
    """How many, and where their states begin in `mem` (latches.py)."""

    number: int
    memory: int


class InOrbit(NamedTuple):
    """What orbit is compiled with, by type: networks that are part of satellites, a servicer with
    an arm, latches, and methods that push from outside, with the places in the vector where their
    memory is named."""

    networks: NoNetworks | Networks
    servicer: NoServicer | SomeServicer
    latches: NoLatches | Latches
    methods: tuple
    slots: tuple


class Attached(NamedTuple):
    """One network."""

    is_satellite: bool
    on_target: bool
    laws: Laws
    axes: tuple
    mass: float  # kg, of the satellite it is
    rigid: int  # where in the vector its state at 1 m/s stands
    kept: int
    trial: int
    stage: int
    slope: int
    total: int
    work: int
    a: int
    right: int
    u: int
    free: int  # speeds of the ports in the free flight at the start
    end: int


@compiled
def _unit(vector, at):
    axis = VECTOR(vector, at).value
    return scale(1.0 / norm(axis), axis)


@compiled
def attached(networks, vector, i, memory):
    """Network i, whose memory begins at `memory`."""
    entry = LISTED(vector, networks.listed + LISTED_FLOATS * i)
    kind, base = entry.kind, entry.keys
    is_satellite = kind == SATELLITE
    at = int(vector[base + (NETWORK.network if is_satellite else CONTACT.network)])
    rows = find_rows(vector, at)
    n, r, m = rows.n, rows.r, rows.m
    size = n + r + m
    laws = Laws(
        n=n,
        r=r,
        m=m,
        dirac=vector[rows.dirac : rows.stores].reshape((size, size)),
        stores=vector[rows.stores : rows.dampers].reshape((n, STORE_FLOATS)),
        dampers=vector[rows.dampers : rows.tables].reshape((r, DAMPER_FLOATS)),
        tables=vector[rows.tables : rows.matrices].reshape((rows.nodes, NODE_FLOATS)),
    )
    first = _unit(vector, base + (NETWORK.axis if is_satellite else CONTACT.axis))
    second = first if is_satellite else _unit(vector, base + CONTACT.second_axis)
    third = first if is_satellite else _unit(vector, base + CONTACT.third_axis)
    on_target = (
        vector[base + NETWORK.satellite] == 1.0
        if is_satellite
        else vector[base + CONTACT.between] == ON_TARGET
    )
    body = TARGET_AT if on_target else CHASER_AT
    work = memory + 5 * n
    a = work + 2 * n + m + 2 * r + 1
    right = a + (r + 1) * (r + 1)
    u = right + r + 1
    return Attached(
        is_satellite=is_satellite,
        on_target=on_target,
        laws=laws,
        axes=(first, second, third),
        mass=BODY(vector, body).mass[0],
        rigid=network_satellite.find_rigid_state(rows),
        kept=memory,
        trial=memory + n,
        stage=memory + 2 * n,
        slope=memory + 3 * n,
        total=memory + 4 * n,
        work=work,
        a=a,
        right=right,
        u=u,
        free=u + m,
        end=u + 2 * m,
    )


@compiled
def network_rates(net, mem):
    """x' to `slope`, and the ports' outputs to `work` + n, for the state at the present stage and
    inputs at `u`."""
    n, r, m = net.laws.n, net.laws.r, net.laws.m
    work, u = mem[net.work : net.a], mem[net.u : net.u + m].reshape((1, m))
    a = mem[net.a : net.right].reshape((r + 1, r + 1))
    room = Room(work, a, mem[net.right : net.u].reshape((r + 1, 1)))
    rates(net.laws, mem, net.stage, u, 0, room)
    for i in range(n):
        mem[net.slope + i] = work[i]


def network_floats(vector: np.ndarray) -> int:
    """Floats of `mem` that orbit's networks need."""
    listed, floats = int(MEMORY(vector, MEMORY_AT).orbit_networks), 0
    for i in range(int(MEMORY(vector, MEMORY_AT).orbit_network_count)):
        entry = LISTED(vector, listed + LISTED_FLOATS * i)
        kind, base = entry.kind, entry.keys
        at = int(vector[base + (NETWORK.network if kind == SATELLITE else CONTACT.network)])
        n, r, m = (int(vector[at + size]) for size in (FIRST.n, FIRST.r, FIRST.m))
        floats += 5 * n + (2 * n + m + 2 * r + 1) + (r + 1) ** 2 + (r + 1) + 2 * m
    return floats
