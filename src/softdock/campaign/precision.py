"""How far single precision is from double: some of a campaign's runs made again in double on the
CPU, and compared outcome by outcome.

Runs whose number of contacts, status or capture differ are counted and listed; the others are
compared number by number. A difference is taken relative to the run's own scale: forces and torques
to their peak in double, energies to that at the start, times and distances as they are.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from softdock.campaign.arrow_arrays import to_numbers
from softdock.campaign.digest import tables
from softdock.campaign.engines import CPU_SHARD_CYCLES, Cpu, cycles_per_run
from softdock.campaign.execute import own_outcomes, start, table_of
from softdock.campaign.outcomes import OUTCOMES, on_page
from softdock.campaign.shards import Shard
from softdock.campaign.variants import Plan

BLOCK, MOST_BLOCKS = 16, 64  # runs next to each other that are made again, and how often
LISTED = 20  # runs named one by one
SMALLEST = 1e-12  # N, Nm, J: a scale below this says nothing


def sample(plan: Plan, threads: int) -> list[Shard]:
    """Blocks of runs, spread evenly over every variant: some seconds of work for the CPU."""
    affordable = threads * CPU_SHARD_CYCLES / cycles_per_run(plan) / BLOCK
    blocks = max(1, int(min(affordable, MOST_BLOCKS)) // len(plan.variants))
    runs = plan.design.runs
    numbers = np.unique(np.linspace(0, (runs - 1) // BLOCK, blocks).astype(int)).tolist()
    return [
        Shard(0, variant, n * BLOCK, min((n + 1) * BLOCK, runs))
        for variant in range(len(plan.variants))
        for n in numbers
    ]


def compare_with_double(plan: Plan, folder: Path) -> dict[str, Any]:
    """The sample's outcomes in single (from the tables) and in double (made here, on the CPU)."""
    engine = Cpu()
    blocks, own = sample(plan, engine.threads), own_outcomes(plan)
    made = [table_of(plan, start(plan, block, engine, own), engine, own)[0] for block in blocks]
    names = [
        name
        for name in made[0].column_names
        if name in {*_decided(), *_scales(), *_scales().values(), "run"}
    ]
    double = {name: np.concatenate([to_numbers(table[name]) for table in made]) for name in names}
    wanted = double["run"].astype(np.int64)
    found: dict[str, list[np.ndarray]] = {name: [] for name in names}
    for table in tables(folder):
        mine = np.isin(to_numbers(table["run"]).astype(np.int64), wanted)
        for name in names:
            found[name].append(to_numbers(table[name])[mine])
    order = np.argsort(np.concatenate(found["run"]), kind="stable")
    return differences(
        {name: np.concatenate(parts)[order] for name, parts in found.items()}, double
    )


def differences(single: dict[str, np.ndarray], double: dict[str, np.ndarray]) -> dict[str, Any]:
    """What differs, of runs in the same order."""
    other = {name: _unequal(single[name], double[name]) for name in _decided() if name in double}
    decided = np.any(
        [other[name] for name in ("status", "contacts", "captured") if name in other], axis=0
    )
    rows = []
    for name, by in _scales().items():
        if name not in double:
            continue
        scale = np.abs(double[by]) if by else np.ones(len(decided))
        with np.errstate(invalid="ignore"):
            apart = (np.abs(single[name] - double[name]) / np.maximum(scale, SMALLEST))[
                ~decided & (scale > SMALLEST)
            ]
        fine = apart[np.isfinite(apart)]
        if len(fine):
            median, most = np.quantile(fine, [0.5, 0.95]).tolist()
            rows.append(
                {
                    "outcome": name,
                    "relative_to": by,
                    "runs": len(fine),
                    "median": median,
                    "quantile_95": most,
                    "most": float(fine.max()),
                }
            )
    return {
        "kind": "single",
        "compared": len(decided),
        "different": {name: int(differs.sum()) for name, differs in other.items()},
        "decided_by_rounding": int(decided.sum()),
        "decided_runs": double["run"][decided].astype(int).tolist()[:LISTED],
        "rows": rows,
    }


def _decided() -> list[str]:
    """Outcomes that are equal or not."""
    return [outcome.name for outcome in OUTCOMES.values() if outcome.decides]


def _scales() -> dict[str, str]:
    """Number: what its difference is relative to (nothing: it is taken as it is)."""
    compared = on_page(lambda one: one.relative_to is not None)
    return {outcome.name: outcome.relative_to or "" for outcome in compared}


def _unequal(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.asarray((a != b) & ~(np.isnan(a.astype(float)) & np.isnan(b.astype(float))))


def said(found: dict[str, Any]) -> str:
    """In a sentence, for the command and the page."""
    n, different = found["compared"], found["decided_by_rounding"]
    text = (
        f"Single precision: of {n} runs made again in double, {different} differ in status, "
        f"contacts or capture ({100.0 * different / n:.3g} %)"
    )
    force = next((row for row in found["rows"] if row["outcome"] == "peak_force_real_N"), None)
    energy = next((row for row in found["rows"] if row["outcome"] == "energy_invented_J"), None)
    if force:
        text += f"; in the others peak forces differ by at most {force['most']:.2g} of themselves"
    if energy:
        text += f", energies invented by at most {energy['most']:.2g} of the energy at the start"
    return text + "."
