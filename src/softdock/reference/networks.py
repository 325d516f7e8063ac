"""Networks that are part of a satellite, in orbit: an appendage pulls at it, a network that is the
satellite moves it. In continuous time, by the same Runge-Kutta stages as the bodies (step.py). A
virtual contact is part of the rig and not of orbit.

An orbit without networks is compiled without any of this: `setup.networks` is a `NoNetworks` then,
and each function below does nothing.

Per network in `mem`: states at the start of the step under way (`KEPT`), as far as its sub-steps
have come (`TRIAL`), at the present stage, their slope and the step's weighted slope; then room for
`rates`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.compile.jit import by_type, compiled, noinline
from softdock.loop.keys import MEMORY, TIME
from softdock.loop.spatial.motion import Motion
from softdock.loop.spatial.rigid_body import Body
from softdock.loop.spatial.vectors import add_scaled, dot
from softdock.loop.vector import MEMORY_AT, TIME_AT
from softdock.reference.attached import Networks, attached, network_rates
from softdock.reference.external_wrenches import Outside

STEPS_A_CYCLE = 40  # of orbit, with networks, at least


class Pulled(NamedTuple):
    """Forces of networks on both satellites [N], and the power that they take up [W]."""

    chaser: tuple
    target: tuple
    power: float


@noinline
def _find(marker, vector, memory):
    return Networks(
        int(MEMORY(vector, MEMORY_AT).orbit_network_count),
        int(MEMORY(vector, MEMORY_AT).orbit_networks),
        memory,
    )


@compiled
def _find_none(marker, vector, memory):
    return marker


@by_type(lambda cls: _find if cls is Networks else _find_none)
def find_networks(marker, vector, memory):
    """The networks of a scenario, their memory behind `memory`."""


@noinline
def _start(networks, vector, mem, both):
    end = networks.memory
    for i in range(networks.number):
        net = attached(networks, vector, i, end)
        end = net.end
        body = both.target if net.on_target else both.chaser
        for j in range(net.laws.m):
            mem[net.free + j] = dot(net.axes[j], body.v)  # its free flight at the start
        if net.is_satellite:
            for j in range(net.laws.n):
                mem[net.kept + j] = mem[net.free] * vector[net.rigid + j]
    return 0.0


@compiled
def _start_none(networks, vector, mem, both):
    return 0.0


@by_type(lambda cls: _start if cls is Networks else _start_none)
def start_networks(networks, vector, mem, both):
    """An appendage at rest to its satellite; a satellite with all its masses at the initial
    speed."""


@noinline
def _copy(networks, vector, mem, back):
    end = networks.memory
    for i in range(networks.number):
        net = attached(networks, vector, i, end)
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
    return Motion(
        motion.p, motion.q, add_scaled(motion.v, speed - dot(axis, motion.v), axis), motion.w
    )


@noinline
def _move(networks, vector, mem, ahead, chaser, target):
    end = networks.memory
    for i in range(networks.number):
        net = attached(networks, vector, i, end)
        end = net.end
        for j in range(net.laws.n):
            mem[net.stage + j] = mem[net.trial + j] + ahead * mem[net.slope + j]
        if net.is_satellite:
            mem[net.u] = 0.0
            network_rates(net, mem)
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
    """Motions of both satellites at a stage, `ahead` [s] along the last slopes; a network that is a
    satellite decides its velocity."""


@noinline
def _pull(networks, vector, mem, weight, chaser, target, force_c, force_t):
    end, power = networks.memory, 0.0
    for i in range(networks.number):
        net = attached(networks, vector, i, end)
        end, n, m = net.end, net.laws.n, net.laws.m
        v, force = (target.v, force_t) if net.on_target else (chaser.v, force_c)
        for j in range(m):
            mem[net.u + j] = (
                dot(net.axes[j], force)
                if net.is_satellite
                else dot(net.axes[j], v) - mem[net.free + j]
            )
        network_rates(net, mem)
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
    """Forces on both satellites with those of appendages added; what crosses the networks' ports.
    `weight`: of the stage, times the step [s]."""


@noinline
def _end_step(networks, vector, mem, chaser, target, before):
    """`before`: both bodies at the start of the step."""
    end, kinetic = networks.memory, 0.0
    for i in range(networks.number):
        net = attached(networks, vector, i, end)
        end = net.end
        for j in range(net.laws.n):
            mem[net.trial + j] += mem[net.total + j]
            mem[net.total + j] = 0.0
            mem[net.stage + j] = mem[net.trial + j]
        if net.is_satellite:
            mem[net.u] = 0.0
            network_rates(net, mem)
            speed, axis = mem[net.work + net.laws.n], net.axes[0]
            body = target if net.on_target else chaser
            was = dot(axis, before.target.v if net.on_target else before.chaser.v)
            kinetic += 0.5 * net.mass * (speed * speed - was * was)
            moved = Body(
                body.p, body.q, add_scaled(body.v, speed - dot(axis, body.v), axis), body.L
            )
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
    """The bodies at the end of a step, and the kinetic energy [J] that those have gained of which
    the network decides the velocity."""


@noinline
def _bounds(networks, vector, mem, outside, both):
    """Within a step of 1/STEPS_A_CYCLE of a cycle a network that the cycle resolves pulls at most
    twice as much as now, or as the speed builds up."""
    end, chaser, target = networks.memory, outside.chaser_force, outside.target_force
    for i in range(networks.number):
        net = attached(networks, vector, i, end)
        end, n, m = net.end, net.laws.n, net.laws.m
        for j in range(n):
            mem[net.stage + j] = mem[net.trial + j]
        for j in range(m):
            mem[net.u + j] = (
                0.0
                if net.is_satellite
                else dot(net.axes[j], both.target.v if net.on_target else both.chaser.v)
                - mem[net.free + j]
            )
        network_rates(net, mem)
        pull = 0.0
        if net.is_satellite:
            now = mem[net.work + n]
            for j in range(n):
                mem[net.stage + j] = mem[net.trial + j] + 1e-6 * mem[net.slope + j]
            network_rates(net, mem)
            pull = net.mass * abs(mem[net.work + n] - now) / 1e-6
        else:
            for j in range(m):
                pull += abs(mem[net.work + n + j])
        if net.on_target:
            target += 2.0 * pull
        else:
            chaser += 2.0 * pull
    return Outside(
        until=outside.until,
        acts=outside.acts,
        chaser_force=chaser,
        chaser_torque=outside.chaser_torque,
        target_force=target,
        target_torque=outside.target_torque,
        held=outside.held,
    )


@compiled
def _bounds_none(networks, vector, mem, outside, both):
    return outside


@by_type(lambda cls: _bounds if cls is Networks else _bounds_none)
def bounds_with_networks(networks, vector, mem, outside, both):
    """What acts from outside, with the pull of networks."""


@compiled
def _longest(networks, vector):
    return TIME(vector, TIME_AT).cycle / STEPS_A_CYCLE


@compiled
def _longest_none(networks, vector):
    return math.inf


@by_type(lambda cls: _longest if cls is Networks else _longest_none)
def longest_step(networks, vector):
    """Longest step of orbit for its networks [s]."""
