"""What Dask costs: 40 shards on a cluster of this machine's cores, against the work in them.
Target: overhead below 20 %."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.campaign import plan
from softdock.studies.campaign.cluster import connect, run_on_cluster
from softdock.studies.campaign.shards import begin_folder

SHARDS, RUNS, REPEATS = 40, 1600, 2
TARGET = 0.20


def run() -> dict[str, Any]:
    made, folder = plan(RUNS), Path(tempfile.mkdtemp())
    try:
        with connect(None, None) as client:
            run_on_cluster(made, begin_folder(made, folder / "warm", RUNS // SHARDS), client)
            rounds = [
                run_on_cluster(made, begin_folder(made, folder / str(i), RUNS // SHARDS), client)
                for i in range(REPEATS)
            ]
    finally:
        shutil.rmtree(folder)
    best = min(rounds, key=lambda spent: spent.wall_s / spent.loop_s)
    overhead = best.wall_s / best.loop_s - 1.0
    return {
        "shards": SHARDS,
        "wall_s": best.wall_s,
        "work_s": best.loop_s,
        "overhead": overhead,
        "target": f"overhead < {TARGET:g}",
        "met": overhead < TARGET,
    }
