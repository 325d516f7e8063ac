"""What arms cost: one cycle of the docking with two arms and a 1 kHz sensor, against the same
docking with a Cartesian lag, turn by turn in the same process. CPU time, the least of some runs.

Aim: two stiff arms at most 8 us a cycle. Planned and elastic joints take more, which is measured
and said, as is what arms take of what the Cartesian lag takes in the same run.
"""

from __future__ import annotations

import time
from typing import Any

from benchmarks.gpu_dockings import ARMS, ROBOTS, with_arms
from softdock.results.stepper import Stepper, count_cycles
from softdock.scenario.build import Scenario
from softdock.scenario.files import load_scenario

REPEATS, CYCLES = 7, 3000
AIM = 8.0  # us a cycle, two stiff arms


def cases() -> dict[str, Scenario]:
    """The same docking, carried in several ways."""
    lag = {"model": "lag", "lag_Hz": 40.0, "delay_ms": 8.0}
    keys = {f"robots.{robot}.{key}": value for robot in ROBOTS for key, value in lag.items()}
    arms = {f"arms, {name}": with_arms(**own) for name, own in ARMS.items()}
    return {"delay": load_scenario("epos_3d"), "lag": load_scenario("epos_3d", keys), **arms}


def _cycle_us(scenario: Scenario) -> float:
    loop, cycles = Stepper(scenario), min(CYCLES, count_cycles(scenario) - 1)
    loop.step(1)
    began = time.process_time()
    status = loop.step(cycles)
    took = time.process_time() - began
    if status != "completed":
        raise RuntimeError(f"{scenario.name} stopped early: {status}")
    return 1e6 * took / cycles


def run() -> dict[str, Any]:
    """us a cycle of every case, and what arms take of what a Cartesian lag takes."""
    made = cases()
    for scenario in made.values():
        Stepper(scenario).step(2)  # compiled before anything is timed
    best = dict.fromkeys(made, float("inf"))
    for _ in range(REPEATS):
        for name, scenario in made.items():
            best[name] = min(best[name], _cycle_us(scenario))
    return {
        "us_a_cycle": best,
        "of_a_cartesian_lag": {name: us / best["lag"] for name, us in best.items()},
        "target": f"two stiff arms at most {AIM:g} us a cycle",
        "met": best["arms, stiff"] <= AIM,
    }


if __name__ == "__main__":
    print(run())
