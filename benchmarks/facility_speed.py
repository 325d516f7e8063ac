"""One cycle of EPOS 3-D with its 1 kHz noisy sensor on one core, against one step of MuJoCo.
Target: at least as fast.

softdock: the preset as shipped (four plant instants and four noisy samples a cycle, mean hand-over,
ledger on), the whole run of 14 s. MuJoCo: as in cycle_speed. Both without Python between the steps.
"""

from __future__ import annotations

import importlib.util
import time
from typing import Any

from benchmarks.cycle_speed import CYCLES, summary, time_mujoco
from softdock.results.stepper import Stepper, count_cycles
from softdock.scenario.files import load_scenario

REPEATS = 20
TARGET = 1.0


def run() -> dict[str, Any]:
    scenario = load_scenario("epos_3d")
    cycles = count_cycles(scenario)
    Stepper(scenario).step(10)
    seconds, peers = [], []
    for _ in range(REPEATS):  # turn by turn: the same disturbances for both
        loop = Stepper(scenario)
        began = time.perf_counter()
        status = loop.step(cycles)
        seconds.append(time.perf_counter() - began)
        if status != "completed" or loop.cycles != cycles:
            raise RuntimeError(f"the run stopped early: {status}")
        if importlib.util.find_spec("mujoco"):
            peers.append(time_mujoco())
    found: dict[str, Any] = {"epos_3d": summary(seconds, cycles)}
    if not peers:
        return found | {"left_out": "MuJoCo is not installed"}
    found["mujoco"] = summary(peers, CYCLES)
    found["ratio"] = found["mujoco"]["best_ns"] / found["epos_3d"]["best_ns"]
    return found | {"target": f"ratio >= {TARGET:g}", "met": found["ratio"] >= TARGET}
