"""What a campaign costs beside its runs: drawing, checking, outcomes, writing. The same runs as a
bare batch, turn by turn. Target: below 10 %.

And what a million runs need of this machine whatever runs them: seconds, memory, bytes on disc;
with a stand-in for the device that returns at once.
"""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from softdock.output.folders.campaign_folder import write_results
from softdock.studies.campaign.batch import make_empty_batch, run_cpu
from softdock.studies.campaign.engines import CpuEngine
from softdock.studies.campaign.execute import run_shards
from softdock.studies.campaign.kernel_specialisation import CommonValues, tailor
from softdock.studies.campaign.plan import make_plan
from softdock.studies.campaign.shards import begin_folder
from softdock.studies.campaign.spec import read_spec
from softdock.studies.campaign.variants import Plan

RUNS, REPEATS = 1200, 5
MILLION = 1_000_000
GPU_SHARD = 132 * 256  # what fills an H200
TARGET, MOST_BYTES, MOST_MB = 0.10, 200.0, 400.0
VARY: list[dict[str, Any]] = [
    {"key": "chaser.mass_kg", "uniform": [55.0, 65.0]},
    {"key": "chaser.velocity_m_per_s.0", "normal": [-0.02, 0.001]},
    {"key": "contact.0.real.stiffness_N_per_m", "uniform": [900.0, 1100.0]},
    {"key": "robots.chaser.delay_ms", "also": ["robots.target.delay_ms"], "uniform": [12.0, 20.0]},
]


def plan(runs: int, vary: list[dict[str, Any]] = VARY, **keys: Any) -> Plan:
    """30 s at 4 ms with noise."""
    changes = {"time": {"duration_s": 30.0}, "sensor": {"noise_N": 0.05}}
    return make_plan(
        read_spec(
            {"name": "benchmark", "scenario": "epos_1d", "runs": runs, "set": changes, "vary": vary}
            | keys
        )
    )


def bare(made: Plan) -> float:
    """Seconds of the batch alone: vectors at hand, results dropped."""
    variant, vectors = made.variants[0], made.select_runs(0, 0, made.runs).expand()
    began = time.perf_counter()
    run_cpu(vectors, variant.scenario.markers, variant.mem_floats)
    return time.perf_counter() - began


def whole() -> tuple[float, float]:
    """Seconds of the same from file to tables: planned, checked, drawn, run, written. And of these,
    seconds spent outside the runs."""
    folder = Path(tempfile.mkdtemp())
    try:
        began = time.perf_counter()
        made = plan(RUNS)
        spent = run_shards(made, begin_folder(made, folder / "c", 400), CpuEngine())
        took = time.perf_counter() - began
        return took, took - spent.loop_s
    finally:
        shutil.rmtree(folder)


class Instant:
    """A device that is done at once: what remains is the campaign's own work, a GPU's preparations
    included."""

    name, words = "instant", "a stand-in"

    def __init__(self) -> None:
        self.common: CommonValues | None = None

    def shard_runs(self, made: Plan) -> int:
        return GPU_SHARD

    def compile(self, variant: Any) -> None:
        """Nothing to compile."""

    def prepare(self, variant: Any, runs: Any) -> Any:
        self.common = self.common or CommonValues(variant.scenario.markers, variant.mem_floats)
        return tailor(runs, variant.scenario.markers, variant.mem_floats, self.common)

    def launch(self, variant: Any, runs: Any, prepared: Any, contacts: int) -> Any:
        return runs, contacts

    def collect(self, launched: Any) -> Any:
        batch = make_empty_batch(*launched)
        np.random.default_rng(0).random(out=batch.outcomes)  # as incompressible as results are
        batch.outcomes[:, 0], batch.outcomes[:, 2] = 0.0, 1.0
        return batch, 0.0


def million() -> None:
    """In a process of its own, for its memory."""
    began = time.perf_counter()
    made, engine, folder = plan(MILLION), Instant(), Path(tempfile.mkdtemp())
    planned = time.perf_counter()
    try:
        spent = run_shards(made, begin_folder(made, folder / "c", GPU_SHARD), engine)
        written = time.perf_counter()
        size = sum(p.stat().st_size for p in (folder / "c" / "runs").iterdir())
        write_results(made, folder / "c", spent)
    finally:
        shutil.rmtree(folder)
    found = {
        "plan_s": planned - began,
        "shards_s": written - planned,
        "page_s": time.perf_counter() - written,
    }
    found |= {
        "memory_MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3,
        "bytes_per_run": size / MILLION,
    }
    print(json.dumps(found))


def run() -> dict[str, Any]:
    made = plan(RUNS)
    bare(made)
    pairs = [(bare(made), whole()) for _ in range(REPEATS)]  # turn by turn: other work hits both
    batch, (campaign, outside) = min(b for b, _ in pairs), min(w for _, w in pairs)
    child = subprocess.run(
        [sys.executable, "-c", "from benchmarks.campaign import million; million()"],
        capture_output=True,
        text=True,
        check=True,
    )
    large = json.loads(child.stdout)
    overhead = campaign / batch - 1.0
    return {
        "bare_batch_s": batch,
        "campaign_s": campaign,
        "overhead": overhead,
        "outside_the_runs": outside
        / (campaign - outside),  # scatters less than the overhead where other work disturbs
        "million runs, without running them": large,
        "target": f"overhead < {TARGET:g}, at most {MOST_BYTES:g} bytes a run, {MOST_MB:g} MB",
        "met": overhead < TARGET
        and large["bytes_per_run"] <= MOST_BYTES
        and large["memory_MB"] <= MOST_MB,
    }
