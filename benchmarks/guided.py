"""Guided V-bar dockings, from 5 m to hard dock and on to ten minutes: what one costs, and many.

    python -m benchmarks guided                   # processor time of one run; a small batch
    python -m benchmarks.guided campaign [1000]   # from plan to page on this machine's cores
    python -m benchmarks.guided gpu [10000]       # the same on a GPU

Aims: 1 s of one core for a recorded run; 10 minutes for 1,000 on two cores, one minute for 10,000
on a GPU (its kernel compiled before). Prints one JSON object.
"""

from __future__ import annotations

import json
import math
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from softdock import load_scenario, run_loop
from softdock.output.folders.campaign_folder import run_campaign
from softdock.results.latches import summarise_times
from softdock.studies.campaign.batch import run_cpu
from softdock.studies.campaign.columns import make_columns
from softdock.studies.campaign.plan import make_plan
from softdock.studies.campaign.spec import read_spec
from softdock.studies.campaign.variants import Plan

REPEATS, BATCH = 5, 8
ONE_S, MANY_S, GPU_S = 1.0, 600.0, 60.0
MANY, GPU_MANY, CORES = 1000, 10_000, 2
PRESET = "vbar_docking"
WRONG_M = 0.07  # across the axis, of navigation: beyond the nozzle's mouth


def plan(runs: int) -> Plan:
    """Navigation errors drawn at random; without orbit beside every run."""
    errors = [{"key": f"navigation.bias_m.{i}", "uniform": [-WRONG_M, WRONG_M]} for i in (1, 2)]
    tables = {"name": "guided", "scenario": PRESET, "runs": runs, "vary": errors}
    return make_plan(read_spec(tables | {"reference": False}))


def _seconds(call: Any) -> float:
    began = time.process_time()
    call()
    return time.process_time() - began


def measure() -> dict[str, Any]:
    """One recorded run, and a batch without a record, by processor time."""
    scenario = load_scenario(PRESET)
    docked = summarise_times(run_loop(scenario).latches)["latched_at_s"]
    one = min(_seconds(lambda: run_loop(scenario)) for _ in range(REPEATS))
    rng = np.random.default_rng(1)
    bias = rng.uniform(-WRONG_M, WRONG_M, (2, BATCH))
    batch = make_columns(scenario, {"navigation.bias_m.1": bias[0], "navigation.bias_m.2": bias[1]})
    run_cpu(*batch, threads=1)
    each = min(_seconds(lambda: run_cpu(*batch, threads=1)) for _ in range(2)) / BATCH
    return {
        "target": f"hard dock, at most {ONE_S:g} s of one core for ten minutes, recorded",
        "met": math.isfinite(docked) and one <= ONE_S,
        "one_run_cpu_s": one,
        "hard_dock_s": docked,
        "batch_cpu_s_per_run": each,
        f"{MANY}_on_{CORES}_cores_extrapolated_s": MANY * each / CORES,
    }


def campaign(runs: int, backend: str, aim_s: float) -> dict[str, Any]:
    """From plan to page; a small one before, so that nothing is compiled in it."""
    folder = Path(tempfile.mkdtemp())
    try:
        run_campaign(plan(64), folder / "before", backend)
        began = time.perf_counter()
        summary = run_campaign(plan(runs), folder / "campaign", backend)
        took = time.perf_counter() - began
    finally:
        shutil.rmtree(folder)
    variant = summary["variants"][0]
    return {
        "target": f"{runs} guided dockings in {aim_s:g} s",
        "met": took <= aim_s,
        "runs": runs,
        "backend": backend,
        "wall_s": took,
        "no_contact_rate": variant["no_contact_rate"],
        "stopped_rate": variant["stopped_rate"],
    }


def main(arguments: list[str]) -> int:
    what = arguments[0] if arguments else "one"
    if what == "campaign":
        found = campaign(int(arguments[1]) if len(arguments) > 1 else MANY, "cpu", MANY_S)
    elif what == "gpu":
        found = campaign(int(arguments[1]) if len(arguments) > 1 else GPU_MANY, "gpu", GPU_S)
    else:
        found = measure()
    print(json.dumps(found))
    return 0 if found["met"] else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
