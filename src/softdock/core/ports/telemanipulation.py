"""Telemanipulation: a hand pushes a remote device against a wall through a delayed channel. Is it
stable, who pays, and does the hand feel the wall?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from softdock.core.ports.haptic_loop import BETTER, Bench
from softdock.core.ports.linear_step import fresh_memory, linear_net
from softdock.core.ports.models import single_spring
from softdock.core.ports.network import Network
from softdock.core.ports.telemanipulation_loop import (
    LOCAL_MODEL,
    REFLECTED,
    Remote,
    run_telemanipulation,
)
from softdock.errors import BadInput, Problem

SCHEMES = ("reflected", "reflected_layered", "local_model_layered")
T, TANK_J, FAR = (
    1e-3,
    1e-3,
    1.0,
)  # s; J lent to each tank; m, how far down a wall stands that nobody has found yet


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
    delay_ms: float = 50.0,
    model: Network | None = None,
    *,
    wall_known: bool = False,
    duration_s: float = 4.0,
) -> Tele:
    """`model`: what stands at the master for the remote wall, a linear network of one position
    port; by default a spring as stiff as that wall. `wall_known`: the model stands where the wall
    is from the start (from an earlier touch); otherwise only once the slave has found it."""
    if scheme not in SCHEMES:
        raise BadInput(Problem("scheme", scheme, "one of " + ", ".join(SCHEMES)))
    if not (isinstance(delay_ms, (int, float)) and 0.0 <= delay_ms <= 1000.0):
        raise BadInput(Problem("delay_ms", delay_ms, "a finite number >= 0 and <= 1000 [ms]"))
    bench = Bench(
        mass=0.1,
        damping=0.5,
        friction=0.0,
        resolution=0.0,
        T=T,
        hand_stiffness=300.0,
        hand_damping=2.0,
        start=5e-3,
        end=-12e-3,
        approach=0.5,
        stiffness=1000.0,
        believed_damping=0.5,
        damping_max=0.0,
        rendering=BETTER,
        substeps=10,
    )
    local = scheme.startswith("local_model")
    transparency = LOCAL_MODEL if local else REFLECTED
    layered = scheme.endswith("layered")
    remote = Remote(
        mass=0.2,
        damping=1.0,
        stiffness=2000.0,
        follow_damping=20.0,
        wall=0.0,
        wall_stiffness=1000.0,
        wall_damping=2.0,
        delay=max(1, round(delay_ms)),
        transparency=transparency,
        layered=layered,
        share=0.02,
        level=2e-3,
        topping=5e3,
        topping_most=20.0,
        bound=2e-4,
    )
    net = linear_net(model or single_spring(remote.wall_stiffness), T, bound=remote.bound)
    rows = np.zeros((math.ceil(duration_s / T), 8))
    tanks = np.array([TANK_J, TANK_J])
    run_telemanipulation(
        bench,
        remote,
        net,
        fresh_memory(net, 1e-5),
        np.zeros((remote.delay + 2, 5)),
        tanks,
        remote.wall if wall_known else -FAR,
        rows,
    )
    time = np.arange(len(rows)) * T
    rest = rows[time >= duration_s - 1.0]
    series = (
        remote.wall_stiffness * remote.stiffness / (remote.wall_stiffness + remote.stiffness)
        if not local
        else remote.wall_stiffness
    )
    static = 12e-3 * series * bench.hand_stiffness / (series + bench.hand_stiffness)
    with np.errstate(over="ignore", invalid="ignore"):
        rms = float(np.sqrt(np.mean(rest[:, 2] ** 2)))
    numbers = {
        "stable": bool(rms < 0.01),
        "rms_speed_mm_per_s": 1e3 * rms,
        "mean_force_N": float(np.mean(rest[:, 3])),
        "static_force_N": static,
        "most_given_mJ": 1e3 * float(np.max(rows[:, 7])),
        "lent_mJ": 2e3 * TANK_J,
    }
    return Tele(scheme, time, rows[:, 0], rows[:, 1], rows[:, 3], rows[:, 5:7], rows[:, 7], numbers)
