"""Do CPU and GPU agree on the re-mapping? Whole runs with lead and rewind: Lange's impact on robots with limits, and his cone with its four contacts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.gpu_parity import APART_ALLOWED, TOLERANCE, TOUCHED_NEEDED, compare
from softdock.campaign.columns import Columns, columns
from softdock.campaign.cpu import run_cpu
from softdock.campaign.cuda import run_cuda
from softdock.scenario.files import load_scenario

LEAD_AND_REWIND = [{"name": "remapping", "lead_ms": 16.0, "rewind_ms": 60.0}]  # of 20 ms: the rest is rewound


def batches(n: int, seed: int = 610) -> list[tuple[str, Columns]]:
    rng = np.random.default_rng(seed)
    late = {f"robots.{body}.delay_ms": 20.0 for body in ("chaser", "target")}
    starts = {"chaser.position_m.0": -rng.uniform(0.05, 0.0504, n), "chaser.velocity_m_per_s.0": rng.uniform(0.05, 0.1, n)}
    offsets = {"chaser.position_m.1": rng.uniform(0.09, 0.11, n), "chaser.rate_rad_per_s": rng.uniform(-1e-3, 1e-3, (n, 3))}
    impact = load_scenario("lange_impact_jerk", {**late, "methods": LEAD_AND_REWIND})
    return [
        ("impact, robots with limits", columns(impact, starts)),
        ("cone, late robots", columns(load_scenario("lange_cone", {**late, "methods": LEAD_AND_REWIND}), offsets)),
    ]


def check_remapping(n: int, say: Callable[[str], None] = print) -> dict[str, Any]:
    """The whole comparison. A batch that fails does not lose the other."""
    runs: list[dict[str, Any]] = []
    for name, part in batches(n):
        try:
            result = {"kind": name} | compare(part, run_cpu(*part), run_cuda(*part))
        except Exception as error:
            runs.append({"kind": name, "failed": f"{type(error).__name__}: {str(error)[:500]}"})
            say(f"  {name:28s} failed: {error}")
            continue
        runs.append(result)
        apart = f"{result['split']} split, {result['amplifying']} amplifying"
        say(f"  {name:28s} {result['touched']} of {result['runs']} touched, {apart}, worst {max(result['worst'].values()):.1e}")
    done = [run for run in runs if "failed" not in run]
    worst = max((max(run["worst"].values()) for run in done), default=0.0)
    apart_runs, touched, total = (sum(run[key] for run in done) for key in ("amplifying", "touched", "runs"))
    apart_runs += sum(run["split"] for run in done)
    passed = len(done) == len(runs) and worst <= TOLERANCE and apart_runs <= APART_ALLOWED * total and touched >= TOUCHED_NEEDED * total
    say(f"  remapping: worst {worst:.1e} (allowed {TOLERANCE:g}): {'agree' if passed else 'DISAGREE, or not all could be run'}")
    return {"runs": runs, "worst": worst, "tolerance": TOLERANCE, "passed": bool(passed)}
