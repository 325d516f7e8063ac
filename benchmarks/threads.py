"""Do threads cost anything? One batch on two threads of one process against two processes with half
of it each. Target: 0.95."""

from __future__ import annotations

import functools
import subprocess
import sys
import time
from typing import Any

import numpy as np

from benchmarks.scenarios import epos_1d
from softdock.scenario.build import build
from softdock.studies.campaign.batch import count_cores, run_cpu
from softdock.studies.campaign.columns import Columns, make_columns

RUNS, DURATION_S, REPEATS = 400, 5.0, 15
TARGET = 0.95


@functools.cache
def batch(runs: int) -> Columns:
    return make_columns(
        build(epos_1d(DURATION_S)), {"chaser.mass_kg": np.linspace(50.0, 90.0, runs)}
    )


def rate(runs: int, threads: int) -> float:
    """Cycles a second of one batch."""
    vectors = batch(runs)
    began = time.perf_counter()
    done = run_cpu(*vectors, threads=threads)
    return float(done.column("cycles").sum() / (time.perf_counter() - began))


def child() -> None:
    """One of two processes: says when it is ready, runs its half when told, prints the rate; over
    and over."""
    rate(RUNS // 2, 1)
    print("ready", flush=True)
    for _ in sys.stdin:
        print(rate(RUNS // 2, 1), flush=True)


def run() -> dict[str, Any]:
    rate(RUNS, 2)
    start = [sys.executable, "-c", "from benchmarks.threads import child; child()"]
    children = [
        subprocess.Popen(start, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    try:
        for c in children:
            c.stdout.readline()
        threads, processes = [], []
        for _ in range(REPEATS):  # turn by turn, so that whatever else the machine does hits both
            threads.append(rate(RUNS, 2))
            for c in children:
                c.stdin.write("go\n")
                c.stdin.flush()
            processes.append(sum(float(c.stdout.readline()) for c in children))
    finally:
        for c in children:
            c.stdin.close()
            c.wait()
    ratio = max(threads) / max(processes)
    return {
        "threads_cycles_per_s": max(threads),
        "processes_cycles_per_s": max(processes),
        "one_thread_cycles_per_s": max(rate(RUNS, 1) for _ in range(3)),
        "cores": count_cores(),
        "ratio": ratio,
        "target": f"ratio >= {TARGET:g}",
        "met": ratio >= TARGET,
    }
