"""Networks that are part of a satellite, in orbit: an appendage pulls at it, a network that is the satellite moves it. In continuous time, by the same
Runge-Kutta stages as the bodies (step.py). A virtual contact is part of the rig and not of orbit.

An orbit without networks is compiled without any of this: `setup.networks` is a `NoNetworks` then, and each function below does nothing.

Per network in `mem`: states at the start of the step under way (`KEPT`), as far as its sub-steps have come (`TRIAL`), at the present stage, their slope and the
step's weighted slope; then room for `rates`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from softdock.adaptation import network_contact, network_satellite
from softdock.adaptation.network_port import ON_TARGET, rows_at
from softdock.adaptation.orbit_networks import SATELLITE
from softdock.compiled import apart, by_type, compiled
from softdock.layout import CHASER_AT, MAP, MEMORY_AT, TARGET_AT, TIME_AT, TIMES
from softdock.ports.continuous import rates
from softdock.ports.laws import STORE_FLOATS, Laws
from softdock.reference.outside import Outside
from softdock.spatial.motion import Motion
from softdock.spatial.rigid_body import BODY, Body
from softdock.spatial.vectors import add_scaled, dot, load3, norm, scale

CONTACT, NETWORK = network_contact.AT, network_satellite.AT
STEPS_A_CYCLE = 40  # of orbit, with networks, at least


class NoNetworks(NamedTuple):
    nothing: int


class Networks(NamedTuple):
    """How many, where their list stands in the vector, and where their memory begins."""

    number: int
    listed: int
    memory: int


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
    end: int


class Pulled(NamedTuple):
    """Forces of networks on both satellites [N], and the power that they take up [W]."""

    chaser: tuple
    target: tuple
    power: float


@compiled
def _unit(vector, at):
    axis = load3(vector, at)
    return scale(1.0 / norm(axis), axis)


@compiled
def _attached(networks, vector, i, memory):
    """Network i, whose memory begins at `memory`."""
    kind, base = int(vector[networks.listed + 2 * i]), int(vector[networks.listed + 2 * i + 1])
    is_satellite = kind == SATELLITE
    at = int(vector[base + (NETWORK.network if is_satellite else CONTACT.network)])
    rows = rows_at(vector, at)
    n, r, m = rows.n, rows.r, rows.m
    size = n + r + m
    laws = Laws(
        n,
        r,
        m,
        vector[rows.dirac : rows.stores].reshape((size, size)),
        vector[rows.stores : rows.dampers].reshape((n, STORE_FLOATS)),
        vector[rows.dampers : rows.tables].reshape((r, 5)),
        vector[rows.tables : rows.matrices].reshape((rows.nodes, 2)),
    )
    first = _unit(vector, base + (NETWORK.axis if is_satellite else CONTACT.axis))
    second = first if is_satellite else _unit(vector, base + CONTACT.second_axis)
    third = first if is_satellite else _unit(vector, base + CONTACT.third_axis)
    on_target = vector[base + NETWORK.satellite] == 1.0 if is_satellite else vector[base + CONTACT.between] == ON_TARGET
    body = TARGET_AT if on_target else CHASER_AT
    work = memory + 5 * n
    a = work + 2 * n + m + 2 * r + 1
    right = a + (r + 1) * (r + 1)
    u = right + r + 1
    return Attached(
        is_satellite,
        on_target,
        laws,
        (first, second, third),
        vector[body + BODY.at.mass],
        network_satellite.rigid_at(rows),
        memory,
        memory + n,
        memory + 2 * n,
        memory + 3 * n,
        memory + 4 * n,
        work,
        a,
        right,
        u,
        u + 2 * m,
    )


@compiled
def _rates(net, mem):
    """x' to `slope`, and the ports' outputs to `work` + n, for the state at the present stage and inputs at `u`."""
    n, r, m = net.laws.n, net.laws.r, net.laws.m
    work = mem[net.work : net.a]
    rates(
        net.laws,
        mem,
        net.stage,
        mem[net.u : net.u + m].reshape((1, m)),
        0,
        work,
        mem[net.a : net.right].reshape((r + 1, r + 1)),
        mem[net.right : net.u].reshape((r + 1, 1)),
    )
    for i in range(n):
        mem[net.slope + i] = work[i]


def network_floats(vector: np.ndarray) -> int:
    """Floats of `mem` that orbit's networks need."""
    listed, floats = int(vector[MEMORY_AT + MAP.orbit_networks]), 0
    for i in range(int(vector[MEMORY_AT + MAP.orbit_network_count])):
        kind, base = int(vector[listed + 2 * i]), int(vector[listed + 2 * i + 1])
        at = int(vector[base + (NETWORK.network if kind == SATELLITE else CONTACT.network)])
        n, r, m = (int(size) for size in vector[at : at + 3])
        floats += 5 * n + (2 * n + m + 2 * r + 1) + (r + 1) ** 2 + (r + 1) + 2 * m
    return floats


@apart
def _find(marker, vector, memory):
    return Networks(int(vector[MEMORY_AT + MAP.orbit_network_count]), int(vector[MEMORY_AT + MAP.orbit_networks]), memory)


@compiled
def _find_none(marker, vector, memory):
    return marker


@by_type(lambda cls: _find if cls is Networks else _find_none)
def find_networks(marker, vector, memory):
    """The networks of a scenario, their memory behind `memory`."""


@apart
def _start(networks, vector, mem, both):
    end = networks.memory
    for i in range(networks.number):
        net = _attached(networks, vector, i, end)
        end = net.end
        body = both.target if net.on_target else both.chaser
        for j in range(net.laws.m):
            mem[net.u + net.laws.m + j] = dot(net.axes[j], body.v)  # its free flight at the start
        if net.is_satellite:
            for j in range(net.laws.n):
                mem[net.kept + j] = mem[net.u + 1] * vector[net.rigid + j]
    return 0.0


@compiled
def _start_none(networks, vector, mem, both):
    return 0.0


@by_type(lambda cls: _start if cls is Networks else _start_none)
def start_networks(networks, vector, mem, both):
    """An appendage at rest to its satellite; a satellite with all its masses at the initial speed."""


@apart
def _copy(networks, vector, mem, back):
    end = networks.memory
    for i in range(networks.number):
        net = _attached(networks, vector, i, end)
        end = net.end
        to, source = (net.trial, net.kept) if back else (net.kept, net.trial)
        for j in range(net.laws.n):
            mem[to + j] = mem[source + j]
    return 0.0


@compiled
def _copy_none(networks, vector, mem, back):
    return 0.0


@by_type(lambda cls: _copy if cls is Networks else _copy_none)
def copy_networks(networks, vector, mem, back):
    """`back`: to the start of the step under way, to try it again; else keep what was tried."""


@compiled
def _with_speed(motion, axis, speed):
    return Motion(motion.p, motion.q, add_scaled(motion.v, speed - dot(axis, motion.v), axis), motion.w)


@apart
def _move(networks, vector, mem, ahead, chaser, target):
    end = networks.memory
    for i in range(networks.number):
        net = _attached(networks, vector, i, end)
        end = net.end
        for j in range(net.laws.n):
            mem[net.stage + j] = mem[net.trial + j] + ahead * mem[net.slope + j]
        if net.is_satellite:
            mem[net.u] = 0.0
            _rates(net, mem)
            speed = mem[net.work + net.laws.n]
            if net.on_target:
                target = _with_speed(target, net.axes[0], speed)
            else:
                chaser = _with_speed(chaser, net.axes[0], speed)
    return chaser, target


@compiled
def _move_none(networks, vector, mem, ahead, chaser, target):
    return chaser, target


@by_type(lambda cls: _move if cls is Networks else _move_none)
def move_by_networks(networks, vector, mem, ahead, chaser, target):
    """Motions of both satellites at a stage, `ahead` [s] along the last slopes; a network that is a satellite decides its velocity."""


@apart
def _pull(networks, vector, mem, weight, chaser, target, force_c, force_t):
    end, power = networks.memory, 0.0
    for i in range(networks.number):
        net = _attached(networks, vector, i, end)
        end, n, m = net.end, net.laws.n, net.laws.m
        v, force = (target.v, force_t) if net.on_target else (chaser.v, force_c)
        for j in range(m):
            mem[net.u + j] = dot(net.axes[j], force) if net.is_satellite else dot(net.axes[j], v) - mem[net.u + m + j]
        _rates(net, mem)
        for j in range(n):
            mem[net.total + j] += weight * mem[net.slope + j]
        for j in range(m):
            y = mem[net.work + n + j]
            if net.is_satellite:
                power += y * mem[net.u + j]
            else:
                power += y * dot(net.axes[j], v)
                force = add_scaled(force, -y, net.axes[j])
        if net.on_target:
            force_t = force
        else:
            force_c = force
    return Pulled(force_c, force_t, power)


@compiled
def _pull_none(networks, vector, mem, weight, chaser, target, force_c, force_t):
    return Pulled(force_c, force_t, 0.0)


@by_type(lambda cls: _pull if cls is Networks else _pull_none)
def pull_of_networks(networks, vector, mem, weight, chaser, target, force_c, force_t):
    """Forces on both satellites with those of appendages added; what crosses the networks' ports. `weight`: of the stage, times the step [s]."""


@apart
def _end_step(networks, vector, mem, chaser, target, before):
    """`before`: both bodies at the start of the step."""
    end, kinetic = networks.memory, 0.0
    for i in range(networks.number):
        net = _attached(networks, vector, i, end)
        end = net.end
        for j in range(net.laws.n):
            mem[net.trial + j] += mem[net.total + j]
            mem[net.total + j] = 0.0
            mem[net.stage + j] = mem[net.trial + j]
        if net.is_satellite:
            mem[net.u] = 0.0
            _rates(net, mem)
            speed, axis = mem[net.work + net.laws.n], net.axes[0]
            body = target if net.on_target else chaser
            was = dot(axis, before.target.v if net.on_target else before.chaser.v)
            kinetic += 0.5 * net.mass * (speed * speed - was * was)
            moved = Body(body.p, body.q, add_scaled(body.v, speed - dot(axis, body.v), axis), body.L)
            if net.on_target:
                target = moved
            else:
                chaser = moved
    return chaser, target, kinetic


@compiled
def _end_step_none(networks, vector, mem, chaser, target, before):
    return chaser, target, 0.0


@by_type(lambda cls: _end_step if cls is Networks else _end_step_none)
def end_network_step(networks, vector, mem, chaser, target, before):
    """The bodies at the end of a step, and the kinetic energy [J] that those have gained of which the network decides the velocity."""


@apart
def _bounds(networks, vector, mem, outside, both):
    """Within a step of 1/STEPS_A_CYCLE of a cycle a network that the cycle resolves pulls at most twice as much as now, or as the speed builds up."""
    end, chaser, target = networks.memory, outside.chaser_force, outside.target_force
    for i in range(networks.number):
        net = _attached(networks, vector, i, end)
        end, n, m = net.end, net.laws.n, net.laws.m
        for j in range(n):
            mem[net.stage + j] = mem[net.trial + j]
        for j in range(m):
            mem[net.u + j] = 0.0 if net.is_satellite else dot(net.axes[j], both.target.v if net.on_target else both.chaser.v) - mem[net.u + m + j]
        _rates(net, mem)
        pull = 0.0
        if net.is_satellite:
            now = mem[net.work + n]
            for j in range(n):
                mem[net.stage + j] = mem[net.trial + j] + 1e-6 * mem[net.slope + j]
            _rates(net, mem)
            pull = net.mass * abs(mem[net.work + n] - now) / 1e-6
        else:
            for j in range(m):
                pull += abs(mem[net.work + n + j])
        if net.on_target:
            target += 2.0 * pull
        else:
            chaser += 2.0 * pull
    return Outside(outside.until, outside.acts, chaser, outside.chaser_torque, target, outside.target_torque)


@compiled
def _bounds_none(networks, vector, mem, outside, both):
    return outside


@by_type(lambda cls: _bounds if cls is Networks else _bounds_none)
def bounds_with_networks(networks, vector, mem, outside, both):
    """What acts from outside, with the pull of networks."""


@compiled
def _longest(networks, vector):
    return vector[TIME_AT + TIMES.cycle] / STEPS_A_CYCLE


@compiled
def _longest_none(networks, vector):
    return math.inf


@by_type(lambda cls: _longest if cls is Networks else _longest_none)
def longest_step(networks, vector):
    """Of orbit, for its networks [s]."""
