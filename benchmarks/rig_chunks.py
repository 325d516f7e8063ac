"""Hostile packets and random rigs in chunks, each a function of its seed alone, so that several
processes share them and a proof that is interrupted keeps what it had.

    python -m benchmarks.rig_chunks energy 1000 --seed 7        one worker, a line of JSON a chunk

`shared` starts the workers (benchmarks/prove.py: rig_packets, rig_packets_checked, rig_energy),
adds their lines up and hands every sum on. What the chunks do is tests/rig_fuzz.py.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
CHUNKS = {"packets": 10_000, "energy": 250}  # packets, or runs, of a chunk
SEEDS = 1_000_000  # of one proof; the next proof's begin behind them
LEAST_ENDS = 20  # runs that a bound has stopped, and that came through: else nothing was tried


def _packets(number: int, seed: int) -> dict[str, Any]:
    from rig_fuzz import forge

    arrived, ends = forge(number, seed)
    if "none" in ends:
        raise AssertionError(f"a session that ended without a reason: {ends}")
    return {"done": arrived, "ends": ends}


def _energy(number: int, seed: int) -> dict[str, Any]:
    from rig_fuzz import energy_runs

    from softdock import load_scenario

    scenario = load_scenario("epos_1d", {"time.duration_s": 1.6})
    worst, ends = energy_runs(number, seed, scenario)
    return {"done": number, "worst": worst, "ends": ends}


KINDS: dict[str, Callable[[int, int], dict[str, Any]]] = {"packets": _packets, "energy": _energy}


def work(kind: str, number: int, seed: int, worker: int, workers: int) -> None:
    """Every `workers`-th chunk, a line each; a chunk that failed says what failed."""
    sys.path.insert(0, str(ROOT / "tests"))
    size = CHUNKS[kind]
    for chunk in range(worker, -(-number // size), workers):
        first = seed % SEEDS * SEEDS + chunk * size
        here = min(size, number - chunk * size)
        try:
            found = KINDS[kind](here, first)
        except Exception as error:
            found = {"failed": f"chunk of seed {first}: {type(error).__name__}: {error}"[:2000]}
        print(json.dumps(found), flush=True)


def _read(process: subprocess.Popen[str], lines: queue.Queue[str | None]) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        lines.put(line)
    process.wait()
    if process.returncode:
        lines.put(json.dumps({"failed": f"a worker ended with code {process.returncode}"}))
    lines.put(None)


def add(total: dict[str, Any], found: dict[str, Any]) -> None:
    """One chunk's line into the sum."""
    if "failed" in found:
        total["failures"].append(found["failed"])
        return
    total["done"] += found["done"]
    if "worst" in found:
        total["worst"] = max(total.get("worst", 0.0), found["worst"])
    for name, count in found["ends"].items():
        total["ends"][name] = total["ends"].get(name, 0) + count


def shared(
    kind: str,
    number: int,
    seed: int,
    tell: Callable[[dict[str, Any]], None],
    workers: int = 1,
    **more: str,
) -> dict[str, Any]:
    """The sum of all chunks. `tell` gets the sum after each; `more`: of the workers' environment.
    Interrupted, the workers end, and what was told last is what there is."""
    total: dict[str, Any] = {"asked": number, "done": 0, "ends": {}, "failures": []}
    lines: queue.Queue[str | None] = queue.Queue()
    command = [sys.executable, "-m", "benchmarks.rig_chunks", kind, str(number)]
    processes = [
        subprocess.Popen(
            [*command, "--seed", str(seed), "--worker", str(i), "--workers", str(workers)],
            cwd=ROOT,
            env={**os.environ, **more},
            stdout=subprocess.PIPE,
            text=True,
        )
        for i in range(workers)
    ]
    try:
        for process in processes:
            threading.Thread(target=_read, args=(process, lines), daemon=True).start()
        at_work = workers
        while at_work:
            line = lines.get()
            if line is None:
                at_work -= 1
                continue
            add(total, json.loads(line))
            tell(total)
    finally:
        for process in processes:
            process.kill()
            process.wait()
    return total


def held(total: dict[str, Any]) -> bool:
    """Whether everything was done, nothing failed, and the bound was come near to."""
    whole = total["done"] >= total["asked"] and not total["failures"]
    if "worst" not in total:
        return whole
    ends = total["ends"]
    tried = min(ends.get("restitution", 0), ends.get("completed", 0)) > LEAST_ENDS
    return whole and tried and 0.9 < total["worst"] <= 1.0 + 1e-6


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("number", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--worker", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1)
    o = parser.parse_args()
    work(o.kind, o.number, o.seed, o.worker, o.workers)
