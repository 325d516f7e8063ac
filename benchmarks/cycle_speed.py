"""One cycle on one core, against one step of MuJoCo. Target: at least six times as fast.

softdock: single rate, ledger on, two free bodies with full inertia, probe in cone, 16 ms delay, in contact the whole time. MuJoCo:
`mj_step` of two free spheres pressed together, one frictionless contact. Both in C-speed loops, without Python between the steps.
"""

from __future__ import annotations

import time
from typing import Any

from benchmarks.peers import two_bodies_pressed
from benchmarks.scenarios import pressed
from softdock.flat import REST, TRACKER
from softdock.scenario.build import build
from softdock.simulation import Stepper

CYCLES, REPEATS = 9000, 40
WARM_UP = 500  # cycles; the contact begins in the fifth
TARGET = 6.0


def summary(seconds: list[float], steps: int) -> dict[str, float]:
    """Nanoseconds a step over the repeats."""
    each = [1e9 * s / steps for s in seconds]
    return {"best_ns": min(each), "mean_ns": sum(each) / len(each), "worst_ns": max(each)}


def time_softdock(noisy: bool) -> dict[str, float]:
    scenario = build(pressed(40.0, noisy))
    seconds = []
    for _ in range(REPEATS):
        loop = Stepper(scenario)
        loop.step(WARM_UP)
        depth_before = loop.state[REST]
        began = time.perf_counter()
        loop.step(CYCLES)
        seconds.append(time.perf_counter() - began)
        still_first_contact = loop.state[TRACKER] == 1.0 and loop.state[TRACKER + 1] == 0.0
        if not (depth_before > 0.0 and loop.state[REST] > 0.0 and still_first_contact and loop.status == "completed"):
            raise RuntimeError("the bodies parted while being timed: the number would flatter")
    return summary(seconds, CYCLES)


def time_mujoco() -> dict[str, float]:
    import mujoco

    model, data = two_bodies_pressed()
    mujoco.mj_step(model, data, nstep=WARM_UP)
    seconds = []
    for _ in range(REPEATS // 4):
        before = data.ncon
        began = time.perf_counter()
        mujoco.mj_step(model, data, nstep=CYCLES)
        seconds.append(time.perf_counter() - began)
        if not (before == data.ncon == 1):
            raise RuntimeError("MuJoCo's spheres parted while being timed")
    return summary(seconds, CYCLES)


def run() -> dict[str, Any]:
    found: dict[str, Any] = {"quiet": time_softdock(False), "noisy": time_softdock(True)}
    try:
        found["mujoco"] = time_mujoco()
    except ImportError as error:
        return found | {"left_out": f"MuJoCo: {error}"}
    found["ratio"] = found["mujoco"]["best_ns"] / found["quiet"]["best_ns"]
    found["ratio_noisy"] = found["mujoco"]["best_ns"] / found["noisy"]["best_ns"]
    return found | {"target": f"ratio >= {TARGET:g}", "met": found["ratio"] >= TARGET}
