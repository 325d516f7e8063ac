"""Two haptic devices through a channel that delays, compiled. Two layers after Franken's reference
[4]: transparency decides what the forces should be, passivity what they may be.

Transparency: the slave follows the master's position by a spring and damper; the master feels the
slave's controller force ("reflected"), or a network that stands for the remote wall ("local
model"), whose surface is moved to where the slave found it. Passivity: each side has a tank. What
crosses a device's port goes in or out of it, each sends a share of its tank through the channel, a
force that the tank cannot pay for every motion within a bound is scaled down, and the master tops
its tank up by damping the hand.
"""

from __future__ import annotations

from typing import NamedTuple

from softdock.core.machine.cells import Cell, Cells
from softdock.core.machine.compiled import compiled, door
from softdock.core.ports.haptic_loop import hand_point
from softdock.core.ports.linear_step import places
from softdock.core.ports.wall_step import wall_sample

REFLECTED, LOCAL_MODEL = 0, 1
TANKS = Cells(
    "tanks",
    Cell("master", 1, "J", "what the master may give"),
    Cell("slave", 1, "J", "what the slave may give"),
)
CHANNEL = Cells(  # what is sent in one sample, both ways
    "channel_row",
    Cell("master", 1, "m", "position of the master"),
    Cell("slave_force", 1, "N", "of the slave's controller"),
    Cell("from_master", 1, "J", "sent out of the master's tank"),
    Cell("from_slave", 1, "J", "sent out of the slave's tank"),
    Cell("found", 1, "m", "where the slave has found the wall; -1: not yet"),
)
TELE_ROW = Cells(
    "telemanipulation_row",
    Cell("master", 1, "m", "position of the master"),
    Cell("slave", 1, "m", "position of the slave"),
    Cell("velocity", 1, "m/s", "of the master"),
    Cell("force", 1, "N", "on the master"),
    Cell("slave_force", 1, "N", "on the slave"),
    Cell("tanks", TANKS.size, "J", "of master and slave"),
    Cell("given", 1, "J", "by the controllers to both devices so far"),
)
TANK_M, TANK_S = TANKS.at
SENT, IN_ROW = CHANNEL.at, TELE_ROW.at


class Remote(NamedTuple):
    mass: float  # kg, of the slave
    damping: float  # Ns/m
    stiffness: float  # N/m, by which it follows
    follow_damping: float  # Ns/m
    wall: float  # m; the real wall lies below this
    wall_stiffness: float  # N/m
    wall_damping: float  # Ns/m
    delay: int  # samples each way
    transparency: int
    layered: bool  # with the passivity layer
    share: float  # of a tank that is sent each sample
    level: float  # J that the master's tank is kept at
    topping: float  # Ns/m per J below the level
    topping_most: float  # Ns/m
    bound: float  # m, how far a displacement may be from the last


@compiled
def allowed(remote, force, last, tank):
    """The force as far as the tank can pay for every displacement within the bound of the last."""
    if not remote.layered:
        return force
    demand = force * last + remote.bound * abs(force)
    return force * min(1.0, max(tank, 0.0) / demand) if demand > 0.0 else force


@compiled
def device_step(bench, remote, t, x, v, xs, vs, force, slave_force):
    """Both devices over one sample, forces held."""
    h = bench.T / bench.substeps
    for s in range(bench.substeps):
        point, speed = hand_point(bench, t + s * h)
        a = (
            force
            + bench.hand_stiffness * (point - x)
            + bench.hand_damping * (speed - v)
            - bench.damping * v
        ) / bench.mass
        depth = remote.wall - xs
        push = (
            max(remote.wall_stiffness * depth - remote.wall_damping * vs, 0.0)
            if depth > 0.0
            else 0.0
        )
        b = (slave_force + push - remote.damping * vs) / remote.mass
        v, vs = v + h * a, vs + h * b
        x, xs = x + h * v, xs + h * vs
    return x, v, xs, vs


@compiled
def pass_energy(remote, tanks, channel, k):
    """Shares of both tanks into the channel, and what arrives out of it."""
    slots = channel.shape[0]
    arrived = (k - remote.delay) % slots
    if k >= remote.delay:
        tanks[TANK_M] += channel[arrived, SENT.from_slave]
        tanks[TANK_S] += channel[arrived, SENT.from_master]
    now = k % slots
    sent_m, sent_s = remote.share * max(tanks[TANK_M], 0.0), remote.share * max(tanks[TANK_S], 0.0)
    channel[now, SENT.from_master], channel[now, SENT.from_slave] = sent_m, sent_s
    tanks[TANK_M] -= sent_m
    tanks[TANK_S] -= sent_s


@door
def run_telemanipulation(bench, remote, net, mem, channel, tanks, surface, rows):
    """A touch: `rows[k]` as `TELE_ROW`. `surface`: where the master believes the wall to be before
    the slave has found it [m]."""
    x, v, xs, vs = bench.start, 0.0, bench.start, 0.0
    last_m, last_s, force, slave_force, given = 0.0, 0.0, 0.0, 0.0, 0.0
    slots = channel.shape[0]
    at = places(net.n, 1)
    for k in range(rows.shape[0]):
        now, arrived = k % slots, (k - remote.delay) % slots
        pass_energy(remote, tanks, channel, k)
        there = k >= remote.delay
        sent = channel[arrived]
        goal, felt, found = (
            (sent[SENT.master], sent[SENT.slave_force], sent[SENT.found])
            if there
            else (bench.start, 0.0, -1.0)
        )
        goal_before = channel[(arrived - 1) % slots, SENT.master] if k > remote.delay else goal
        follow = remote.stiffness * (goal - xs) + remote.follow_damping * (
            (goal - goal_before) / bench.T - vs
        )
        slave_force = allowed(remote, follow, last_s, tanks[TANK_S])
        wanted = -felt
        if remote.transparency == LOCAL_MODEL:
            moved_to = found if found > -1.0 else surface
            mem[at.position] += surface - moved_to if k > 0 else x - moved_to
            surface = moved_to
            wall_sample(net, mem, x - surface)
            wanted = -mem[at.y]
        if remote.layered and tanks[TANK_M] < remote.level:
            wanted -= (
                min(remote.topping * (remote.level - tanks[TANK_M]), remote.topping_most)
                * last_m
                / bench.T
            )
        force = allowed(remote, wanted, last_m, tanks[TANK_M])
        channel[now, SENT.master], channel[now, SENT.slave_force] = x, slave_force
        found_before = channel[(now - 1) % slots, SENT.found] if k > 0 else -1.0
        channel[now, SENT.found] = remote.wall if xs < remote.wall else found_before
        row = rows[k]
        row[IN_ROW.master], row[IN_ROW.slave], row[IN_ROW.velocity] = x, xs, v
        row[IN_ROW.force], row[IN_ROW.slave_force], row[IN_ROW.given] = force, slave_force, given
        row[IN_ROW.tanks + TANK_M], row[IN_ROW.tanks + TANK_S] = tanks[TANK_M], tanks[TANK_S]
        before, before_s = x, xs
        x, v, xs, vs = device_step(
            bench, remote, k * bench.T, x, v, xs, vs, force=force, slave_force=slave_force
        )
        last_m, last_s = x - before, xs - before_s
        tanks[TANK_M] -= force * last_m
        tanks[TANK_S] -= slave_force * last_s
        given += force * last_m + slave_force * last_s
