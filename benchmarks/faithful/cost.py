"""What `faithful` costs, in CPU time of its thread: a cycle as a mean over a run against `direct`,
turns alternated and the least taken; and every cycle of a run by itself, the dearest of them, those
that compute the past anew and those of the joint fit."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from benchmarks.faithful.cases import Tables, axis, balls, changed, preset
from softdock import build
from softdock.comparison.outcomes import costs_per_cycle
from softdock.runs.stepper import Stepper, cycle_count

AIM = 5.0  # times `direct`
RIGS: dict[str, Tables] = {
    "EPOS on one axis": preset("epos_1d"),
    "EPOS 3-D": preset("epos_3d"),
    "two balls, friction 0.3": balls(0.3),
    "three petals, friction": preset("three_petals"),
    "Lange's cone": preset("lange_cone"),
}
DEAR: dict[str, Tables] = {
    "40 kN/m, 32 ms": axis(k=40000.0, v=0.05, delay=32.0),
    "friction 0.3": balls(0.3),
    "three petals, friction": preset("three_petals"),
    "pre-loaded": changed(
        axis(),
        contact__0__real={"law": "table", "table_m_N": [[0.0, 0.0], [1e-4, 1.0], [1e-2, 11.0]]},
    ),
}


def costs(enough_s: float = 1.0) -> dict[str, dict[str, float]]:
    """ns per cycle of both, and their ratio."""
    found = {}
    for name, tables in RIGS.items():
        both = [build(tables | {"methods": [{"name": m}]}) for m in ("direct", "faithful")]
        raw, mine = costs_per_cycle(both, enough_s)
        if raw is None or mine is None:
            raise RuntimeError(f"{name}: a run ended at once")
        found[name] = {"direct_ns": raw, "faithful_ns": mine, "ratio": mine / raw}
    return found


def dearest(repeats: int = 20) -> dict[str, dict[str, Any]]:
    """Of every cycle of a run the least time of some repeats [us]: median, largest, and of the
    cycles in which a past was taken over."""
    found = {}
    for name, tables in DEAR.items():
        scenario = build(tables | {"methods": [{"name": "faithful"}]})
        cycles = cycle_count(scenario)
        least, rewinds = np.full(cycles, np.inf), np.zeros(cycles, bool)
        for _ in range(repeats):
            loop = Stepper(scenario, rows=cycles + 1)
            for k in range(cycles):
                began = time.thread_time_ns()
                loop.step(1)
                least[k] = min(least[k], time.thread_time_ns() - began)
            rewinds = loop.series["faithful.rewound"][1:] > 0.0
        found[name] = {
            "median_us": 1e-3 * float(np.median(least)),
            "rewinding_us": 1e-3 * float(least[rewinds].max()) if rewinds.any() else None,
            "largest_us": 1e-3 * float(least.max()),
        }
    return found


def main() -> None:
    print("| rig | direct [ns] | faithful [ns] | ratio |\n|---|---:|---:|---:|")
    for name, row in costs().items():
        print(
            f"| {name} | {row['direct_ns']:.0f} | {row['faithful_ns']:.0f} | {row['ratio']:.1f} |",
            flush=True,
        )
    print("\n| rig | median cycle [us] | dearest that rewinds | dearest |\n|---|---:|---:|---:|")
    for name, dear in dearest().items():
        rewinding = dear["rewinding_us"]
        said = "-" if rewinding is None else f"{rewinding:.1f}"
        print(
            f"| {name} | {dear['median_us']:.1f} | {said} | {dear['largest_us']:.1f} |", flush=True
        )
