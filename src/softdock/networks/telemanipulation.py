"""Telemanipulation: a hand pushes a remote device against a wall through a delayed channel. Is it
stable, who pays, and does the hand feel the wall?"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled, entry_point
from softdock.errors import BadInput, Problem
from softdock.networks.haptic_loop import BETTER, Bench, hand_point
from softdock.networks.linear_step import create_memory, linear_net, places
from softdock.networks.models import single_spring
from softdock.networks.network import Network
from softdock.networks.touch_decay import settling
from softdock.networks.wall_step import wall_sample

# Two haptic devices through a channel that delays, compiled. Two layers after Franken's reference
# [4]: transparency decides what the forces should be, passivity what they may be.
#
# Transparency: the slave follows the master's position by a spring and damper; the master feels the
# slave's controller force ("reflected"), or a network that stands for the remote wall ("local
# model"), whose surface is moved to where the slave found it; until then the hand feels the slave's
# controller. Passivity: each side has a tank. What crosses a device's port goes in or out of it,
# each sends a share of its tank through the channel, a force that the tank cannot pay for every
# motion within a bound is scaled down, and the master tops its tank up by damping the hand. With a
# local model that has found the wall the master does not send what it needs to hold its force.

REFLECTED, LOCAL_MODEL = 0, 1
FAR = 1.0  # m, how far down a wall stands that nobody has found yet
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
def pass_energy(remote, tanks, channel, k, keep_master):
    """Shares of both tanks into the channel, the master's beyond what it keeps [J], and what
    arrives out of it."""
    slots = channel.shape[0]
    arrived = (k - remote.delay) % slots
    if k >= remote.delay:
        tanks[TANK_M] += channel[arrived, SENT.from_slave]
        tanks[TANK_S] += channel[arrived, SENT.from_master]
    now = k % slots
    sent_m = remote.share * max(tanks[TANK_M] - keep_master, 0.0)
    sent_s = remote.share * max(tanks[TANK_S], 0.0)
    channel[now, SENT.from_master], channel[now, SENT.from_slave] = sent_m, sent_s
    tanks[TANK_M] -= sent_m
    tanks[TANK_S] -= sent_s


@entry_point
def run_telemanipulation(bench, remote, net, mem, channel, tanks, surface, rows):
    """A touch: `rows[k]` as `TELE_ROW`. `surface`: where the master believes the wall to be before
    the slave has found it [m]."""
    x, v, xs, vs = bench.start, 0.0, bench.start, 0.0
    last_m, last_s, force, slave_force, given = 0.0, 0.0, 0.0, 0.0, 0.0
    keep_master = 0.0
    slots = channel.shape[0]
    at = places(net.n, 1)
    for k in range(rows.shape[0]):
        now, arrived = k % slots, (k - remote.delay) % slots
        pass_energy(remote, tanks, channel, k, keep_master)
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
            # before the slave has found the wall the hand feels the slave's controller
            wanted = -mem[at.y] if surface > -FAR else -felt
        if remote.layered and tanks[TANK_M] < remote.level:
            wanted -= (
                min(remote.topping * (remote.level - tanks[TANK_M]), remote.topping_most)
                * last_m
                / bench.T
            )
        force = allowed(remote, wanted, last_m, tanks[TANK_M])
        if remote.transparency == LOCAL_MODEL and surface > -FAR:
            # what it takes to hold the force is not sent
            keep_master = remote.bound * abs(wanted)
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


SCHEMES = ("reflected", "reflected_layered", "local_model_layered")


@dataclass(frozen=True)
class TeleSetting:
    """Hand, both devices, the remote wall, the channel and the passivity layer. Defaults: those of
    docs/ports.md."""

    sample_period_s: float = 1e-3
    master_mass_kg: float = 0.1
    master_damping_Ns_per_m: float = 0.5
    hand_stiffness_N_per_m: float = 300.0
    hand_damping_Ns_per_m: float = 2.0
    hand_start_m: float = 5e-3
    hand_end_m: float = -12e-3
    hand_approach_s: float = 0.5
    slave_mass_kg: float = 0.2
    slave_damping_Ns_per_m: float = 1.0
    follow_stiffness_N_per_m: float = 2000.0
    follow_damping_Ns_per_m: float = 20.0
    wall_stiffness_N_per_m: float = 1000.0
    wall_damping_Ns_per_m: float = 2.0
    delay_ms: float = 50.0  # each way; 0 is one sample
    wall_known: bool = False  # the model stands where the wall is from the start
    tank_J: float = 1e-3  # lent to each tank
    share: float = 0.02  # of a tank that is sent each sample
    level_J: float = 2e-3  # that the master's tank is kept at
    topping_Ns_per_m_J: float = 5e3  # damping of the hand per J below the level
    topping_most_Ns_per_m: float = 20.0
    bound_m: float = 2e-4  # how far a displacement may be from the last
    model_tank_J: float = 1.0  # of the local model's own step: ample, the layer's tanks pay
    duration_s: float = 4.0
    rest_s: float = 1.0  # the end, over which rest and force are judged


TELE_RANGES = {
    "sample_period_s": (1e-4, 0.01, "s"),
    "master_mass_kg": (1e-3, 100.0, "kg"),
    "master_damping_Ns_per_m": (0.0, 1e3, "Ns/m"),
    "hand_stiffness_N_per_m": (1.0, 1e5, "N/m"),
    "hand_damping_Ns_per_m": (0.0, 1e3, "Ns/m"),
    "hand_start_m": (0.0, 1.0, "m"),
    "hand_end_m": (-1.0, 0.0, "m"),
    "hand_approach_s": (1e-3, 60.0, "s"),
    "slave_mass_kg": (1e-3, 100.0, "kg"),
    "slave_damping_Ns_per_m": (0.0, 1e3, "Ns/m"),
    "follow_stiffness_N_per_m": (1.0, 1e6, "N/m"),
    "follow_damping_Ns_per_m": (0.0, 1e4, "Ns/m"),
    "wall_stiffness_N_per_m": (1.0, 1e6, "N/m"),
    "wall_damping_Ns_per_m": (0.0, 1e4, "Ns/m"),
    "delay_ms": (0.0, 1000.0, "ms"),
    "tank_J": (0.0, 1.0, "J"),
    "share": (0.0, 1.0, "-"),
    "level_J": (0.0, 1.0, "J"),
    "topping_Ns_per_m_J": (0.0, 1e7, "Ns/m/J"),
    "topping_most_Ns_per_m": (0.0, 1e4, "Ns/m"),
    "bound_m": (0.0, 0.1, "m"),
    "model_tank_J": (0.0, 1.0, "J"),
    "duration_s": (0.1, 60.0, "s"),
    "rest_s": (0.05, 30.0, "s"),
}


def check_telemanipulation(scheme: str, setting: TeleSetting) -> None:
    """Raises `BadInput` with every key that is out of its range."""
    found = []
    if scheme not in SCHEMES:
        found.append(Problem("scheme", scheme, "one of " + ", ".join(SCHEMES)))
    for key, (low, high, unit) in TELE_RANGES.items():
        value = getattr(setting, key)
        if not (isinstance(value, (int, float)) and math.isfinite(value) and low <= value <= high):
            found.append(
                Problem(key, value, f"a finite number >= {low:g} and <= {high:g} [{unit}]")
            )
    if not found and setting.rest_s > setting.duration_s:
        found.append(
            Problem("rest_s", setting.rest_s, f"at most duration_s, {setting.duration_s:g}")
        )
    if found:
        raise BadInput(found)


@dataclass
class Tele:
    """One run: positions [m], force on the hand's device [N], tanks and energy given to the devices
    [J]."""

    scheme: str
    time_s: np.ndarray
    master_m: np.ndarray
    slave_m: np.ndarray
    force_N: np.ndarray
    tanks_J: np.ndarray
    given_J: np.ndarray
    numbers: dict[str, Any]


def telemanipulate(
    scheme: str,
    delay_ms: float | None = None,
    model: Network | None = None,
    *,
    wall_known: bool | None = None,
    duration_s: float | None = None,
    setting: TeleSetting | None = None,
) -> Tele:
    """`setting`: all parameters by name; `delay_ms`, `wall_known` and `duration_s` given here go
    before it. `model`: what stands at the master for the remote wall, a linear network of one
    position port; by default a spring as stiff as that wall. Where the wall is not known, the model
    stands at it only once the slave has found it."""
    given: dict[str, Any] = {
        "delay_ms": delay_ms,
        "wall_known": wall_known,
        "duration_s": duration_s,
    }
    s = replace(setting or TeleSetting(), **{key: v for key, v in given.items() if v is not None})
    check_telemanipulation(scheme, s)
    bench, remote = _bench(s), _remote(s, scheme)
    T = s.sample_period_s
    net = linear_net(model or single_spring(remote.wall_stiffness), T, bound=remote.bound)
    rows = np.zeros((math.ceil(s.duration_s / T - 1e-9), TELE_ROW.size))
    run_telemanipulation(
        bench,
        remote,
        net,
        mem=create_memory(net, s.model_tank_J),
        channel=np.zeros((remote.delay + 2, CHANNEL.size)),
        tanks=np.array([s.tank_J, s.tank_J]),
        surface=remote.wall if s.wall_known else -FAR,
        rows=rows,
    )
    time = np.arange(len(rows)) * T
    numbers = _numbers(s, time, rows, remote.transparency == LOCAL_MODEL)
    return Tele(
        scheme=scheme,
        time_s=time,
        master_m=rows[:, IN_ROW.master],
        slave_m=rows[:, IN_ROW.slave],
        force_N=rows[:, IN_ROW.force],
        tanks_J=rows[:, TELE_ROW.slice_of("tanks")],
        given_J=rows[:, IN_ROW.given],
        numbers=numbers,
    )


def _bench(s: TeleSetting) -> Bench:
    return Bench(
        mass=s.master_mass_kg,
        damping=s.master_damping_Ns_per_m,
        friction=0.0,
        resolution=0.0,
        T=s.sample_period_s,
        hand_stiffness=s.hand_stiffness_N_per_m,
        hand_damping=s.hand_damping_Ns_per_m,
        start=s.hand_start_m,
        end=s.hand_end_m,
        approach=s.hand_approach_s,
        stiffness=s.wall_stiffness_N_per_m,
        believed_damping=s.master_damping_Ns_per_m,
        damping_max=0.0,
        rendering=BETTER,
        substeps=10,
    )


def _remote(s: TeleSetting, scheme: str) -> Remote:
    return Remote(
        mass=s.slave_mass_kg,
        damping=s.slave_damping_Ns_per_m,
        stiffness=s.follow_stiffness_N_per_m,
        follow_damping=s.follow_damping_Ns_per_m,
        wall=0.0,
        wall_stiffness=s.wall_stiffness_N_per_m,
        wall_damping=s.wall_damping_Ns_per_m,
        delay=max(1, round(1e-3 * s.delay_ms / s.sample_period_s)),
        transparency=LOCAL_MODEL if scheme.startswith("local_model") else REFLECTED,
        layered=scheme.endswith("layered"),
        share=s.share,
        level=s.level_J,
        topping=s.topping_Ns_per_m_J,
        topping_most=s.topping_most_Ns_per_m,
        bound=s.bound_m,
    )


def _numbers(s: TeleSetting, time: np.ndarray, rows: np.ndarray, local: bool) -> dict[str, Any]:
    at_rest = time >= s.duration_s - s.rest_s - 1e-9
    wall, follow = s.wall_stiffness_N_per_m, s.follow_stiffness_N_per_m
    series = wall if local else wall * follow / (wall + follow)
    hand = s.hand_stiffness_N_per_m
    static = -s.hand_end_m * series * hand / (series + hand)
    found = settling(time[at_rest], rows[at_rest, IN_ROW.velocity])
    mean = float(np.mean(rows[at_rest, IN_ROW.force]))
    return {
        "stable": found.dies_down,
        "growth_per_s": found.growth_per_s if math.isfinite(found.growth_per_s) else None,
        "rms_speed_mm_per_s": 1e3 * found.rms_speed,
        "mean_force_N": mean,
        "static_force_N": static,
        "force_over_static": mean / static,
        "most_given_mJ": 1e3 * float(np.max(rows[:, IN_ROW.given])),
        "lent_mJ": 2e3 * s.tank_J,
    }
