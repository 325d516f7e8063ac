"""How much memory does a recorded run hold? 60 s at 4 ms. Target: at most 40 MB."""

from __future__ import annotations

from typing import Any

from benchmarks.scenarios import epos_1d
from softdock.results.simulation import run_loop

TARGET_MB = 40.0


def run() -> dict[str, Any]:
    result = run_loop(epos_1d(duration_s=60.0))
    rows = result.series.rows
    held = rows if rows.base is None else rows.base  # a view keeps its whole array alive
    megabytes = (held.nbytes + result.state.nbytes) / 1e6
    return {
        "rows": rows.shape[0],
        "channels": rows.shape[1],
        "megabytes": megabytes,
        "target": f"<= {TARGET_MB:g} MB",
        "met": megabytes <= TARGET_MB,
    }
