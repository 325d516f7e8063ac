"""One cycle on one core, against one step of MuJoCo. Target: at least six times as fast.

softdock: single rate, ledger on, two free bodies with full inertia, probe in cone, 16 ms delay, in
contact the whole time. MuJoCo: `mj_step` of two free spheres pressed together, one frictionless
contact. Both without Python between the steps.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable
from typing import Any

from benchmarks.peers import two_bodies_pressed
from benchmarks.scenarios import pressed
from softdock.loop.state import STATE, place
from softdock.results.stepper import Stepper
from softdock.scenario.build import Scenario, build

CYCLES, REPEATS = 9000, 40
WARM_UP = 500  # cycles; the contact begins in the fifth
TARGET = 6.0
OPEN_AND_CLOSED = slice(place("tracker.open").start, place("tracker.closed").stop)


def summary(seconds: list[float], steps: int) -> dict[str, float]:
    """Nanoseconds a step over the repeats."""
    each = [1e9 * s / steps for s in seconds]
    return {"best_ns": min(each), "mean_ns": sum(each) / len(each), "worst_ns": max(each)}


def time_softdock(scenario: Scenario) -> float:
    """Seconds of `CYCLES` cycles, all in one contact."""
    loop = Stepper(scenario)
    loop.step(WARM_UP)
    depth_before = loop.state[STATE.at.depth]
    began = time.perf_counter()
    loop.step(CYCLES)
    took = time.perf_counter() - began
    still_first_contact = list(loop.state[OPEN_AND_CLOSED]) == [1.0, 0.0]
    if not (
        depth_before > 0.0
        and loop.state[STATE.at.depth] > 0.0
        and still_first_contact
        and loop.status == "completed"
    ):
        raise RuntimeError("the bodies parted while being timed: the number would flatter")
    return took


def time_mujoco() -> float:
    """Seconds of `CYCLES` steps of MuJoCo, all in contact."""
    import mujoco

    model, data = two_bodies_pressed()
    mujoco.mj_step(model, data, nstep=WARM_UP)
    before = data.ncon
    began = time.perf_counter()
    mujoco.mj_step(model, data, nstep=CYCLES)
    took = time.perf_counter() - began
    if not (before == data.ncon == 1):
        raise RuntimeError("MuJoCo's spheres parted while being timed")
    return took


def run() -> dict[str, Any]:
    quiet, noisy = build(pressed(40.0)), build(pressed(40.0, noisy=True))
    timers: dict[str, Callable[[], float]] = {
        "quiet": lambda: time_softdock(quiet),
        "noisy": lambda: time_softdock(noisy),
    }
    found: dict[str, Any] = {}
    if importlib.util.find_spec("mujoco"):
        timers["mujoco"] = time_mujoco
    seconds = [
        {name: timer() for name, timer in timers.items()} for _ in range(REPEATS)
    ]  # turn by turn: the same disturbances for all
    for name in timers:
        found[name] = summary([turn[name] for turn in seconds], CYCLES)
    if "mujoco" not in found:
        return found | {"left_out": "MuJoCo is not installed"}
    found["ratio"] = found["mujoco"]["best_ns"] / found["quiet"]["best_ns"]
    found["ratio_noisy"] = found["mujoco"]["best_ns"] / found["noisy"]["best_ns"]
    return found | {"target": f"ratio >= {TARGET:g}", "met": found["ratio"] >= TARGET}
