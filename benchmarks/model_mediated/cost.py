"""What `model_mediated` costs, in CPU time of its thread, the least of alternated turns:

- a cycle as a mean over a run against `direct`, aim 5 times; and of the cycles of free flight and
  of contact by themselves
- the dearest cycle that computes the past anew, run again and again from one state, beside the
  re-mapping's that computes twenty cycles anew (rewind_cycle.py): aim its 99.99th percentile
- the dearest cycle of any kind: of the joint fit, or of the search for a pre-load
"""

from __future__ import annotations

import itertools
import time

import numpy as np

from benchmarks.model_mediated.cases import Tables, axis, balls, changed, preset
from benchmarks.rewind_cycle import cycle_that_rewinds, late_impact, microseconds
from softdock import build
from softdock.methods.model_mediated.state import STATE
from softdock.results.stepper import Stepper, count_cycles
from softdock.scenario.build import Scenario
from softdock.studies.compare.outcomes import measure_costs_per_cycle

AIM = 5.0  # times `direct`
METHODS = ("direct", "model_mediated")
TURNS = 20
UNSURE = ("noise_025", "bias_1N", "bump_stop", "wrong_tool", "capture_by_thrust")  # no law explains
RIGS: dict[str, Tables] = {
    "EPOS on one axis": preset("epos_1d"),
    "EPOS 3-D": preset("epos_3d"),
    "two balls, friction 0.3": balls(0.3),
    "three petals, friction": preset("three_petals"),
    "Lange's cone": preset("lange_cone"),
} | {name: preset(name, "benchmark_cases") for name in UNSURE}
DEAR: dict[str, Tables] = {
    "40 kN/m, 32 ms": axis(k=40000.0, v=0.05, delay=32.0),
    "friction 0.3": balls(0.3),
    "three petals, friction": preset("three_petals"),
    "pre-loaded": changed(
        axis(),
        contact__0__real={"law": "table", "table_m_N": [[0.0, 0.0], [1e-4, 1.0], [1e-2, 11.0]]},
    ),
}


def _both(tables: Tables) -> list[Scenario]:
    return [build(tables | {"methods": [{"name": method}]}) for method in METHODS]


def costs(enough_s: float = 1.0) -> dict[str, dict[str, float]]:
    """ns per cycle of both, and their ratio."""
    found = {}
    for name, tables in RIGS.items():
        raw, mine = measure_costs_per_cycle(_both(tables), enough_s)
        if raw is None or mine is None:
            raise RuntimeError(f"{name}: a run ended at once")
        found[name] = {"direct_ns": raw, "model_mediated_ns": mine, "ratio": mine / raw}
    return found


def stretches(scenario: Scenario) -> list[tuple[int, int, bool]]:
    """First cycle and the one after the last of each stretch of a run of `model_mediated`, and
    whether it is in contact."""
    cycles = count_cycles(scenario)
    loop = Stepper(scenario, rows=cycles + 1)
    loop.step(cycles)
    touches = loop.series["model_mediated.phase"][1:] > 0.0
    edges = [0, *(np.nonzero(np.diff(touches))[0] + 1).tolist(), len(touches)]
    return [(a, b, bool(touches[a])) for a, b in itertools.pairwise(edges)]


def in_flight_and_contact(tables: Tables) -> dict[str, tuple[float, float]]:
    """ns per cycle of each method in those stretches of a run in which `model_mediated` is in free
    flight, and in those in which it is in contact; NaN where there are none."""
    both = _both(tables)
    parts = stretches(both[1])
    least = np.full((2, len(parts)), np.inf)
    for _ in range(TURNS):
        for i, scenario in enumerate(both):
            loop = Stepper(scenario)
            for j, (first, end, _) in enumerate(parts):
                began = time.thread_time_ns()
                loop.step(end - first)
                least[i, j] = min(least[i, j], time.thread_time_ns() - began)
    lengths = np.array([end - first for first, end, _ in parts])
    touches = np.array([touch for _, _, touch in parts])
    found = {}
    for name, row in zip(METHODS, least, strict=True):
        flight, contact = (
            float(row[here].sum() / lengths[here].sum()) if here.any() else np.nan
            for here in (~touches, touches)
        )
        found[name] = (flight, contact)
    return found


def least_times(scenario: Scenario, turns: int = TURNS) -> tuple[np.ndarray, np.ndarray]:
    """Of every cycle of a run the least time of some turns [us], and whether it computed some of
    the past anew."""
    cycles = count_cycles(scenario)
    least, rewinds = np.full(cycles, np.inf), np.zeros(cycles, bool)
    for _ in range(turns):
        loop = Stepper(scenario, rows=cycles + 1)
        mine = STATE(loop.method_memory(0))
        for k in range(cycles):
            before = mine.shadow_stamp
            began = time.thread_time_ns()
            loop.step(1)
            least[k] = min(least[k], time.thread_time_ns() - began)
            rewinds[k] = before >= 0 or mine.shadow_stamp >= 0 or mine.rewound > 0
    return 1e-3 * least, rewinds


def tail(scenario: Scenario, cycle: int, repeats: int) -> dict[str, float]:
    """Median and tail of one cycle, many times from one state [us]."""
    found = microseconds(scenario, cycle, repeats, clock=time.thread_time_ns)
    names = ("median_us", "p99_us", "p99.99_us")
    return dict(zip(names, map(float, np.quantile(found, (0.5, 0.99, 0.9999))), strict=True))


def rewinding(repeats: int) -> dict[str, dict[str, float]]:
    """The dearest cycle that computes the past anew: the re-mapping's, `model_mediated`'s on the
    same impact and on others."""
    scenario = late_impact()
    name = "re-mapping, Lange's impact 76 ms late"
    found = {name: tail(scenario, cycle_that_rewinds(scenario), repeats)}
    rigs = {"model_mediated, Lange's impact 76 ms late": late_impact("model_mediated")}
    for rig, tables in DEAR.items():
        rigs[f"model_mediated, {rig}"] = build(tables | {"methods": [{"name": "model_mediated"}]})
    for rig, scenario in rigs.items():
        least, rewinds = least_times(scenario)
        cycle = int(np.argmax(np.where(rewinds, least, 0.0)))
        found[rig] = tail(scenario, cycle, repeats) | {"dearest_us": float(least.max())}
    return found


def main(repeats: int) -> None:
    print("| rig | direct [ns] | model_mediated [ns] | ratio |\n|---|---:|---:|---:|")
    for name, row in costs().items():
        numbers = f"{row['direct_ns']:.0f} | {row['model_mediated_ns']:.0f} | {row['ratio']:.1f}"
        print(f"| {name} | {numbers} |", flush=True)
    print("\n| rig | flight: direct, model_mediated [ns] | contact: direct, model_mediated [ns] |")
    print("|---|---:|---:|")
    for name, tables in RIGS.items():
        by = in_flight_and_contact(tables)
        flight, contact = (", ".join(f"{by[m][i]:.0f}" for m in METHODS) for i in (0, 1))
        print(f"| {name} | {flight} | {contact} |", flush=True)
    heads = ("rewinding cycle", "median [us]", "99 %", "99.99 %", "dearest cycle of any kind")
    print(f"\n| {' | '.join(heads)} |\n|---|---:|---:|---:|---:|")
    for name, tails in rewinding(repeats).items():
        most = f"{tails['dearest_us']:.1f}" if "dearest_us" in tails else "-"
        numbers = " | ".join(f"{tails[key]:.1f}" for key in ("median_us", "p99_us", "p99.99_us"))
        print(f"| {name} | {numbers} | {most} |", flush=True)
