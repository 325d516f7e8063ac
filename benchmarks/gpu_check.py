"""Is the GPU right, and how fast is it? `python -m benchmarks.gpu_check [--quick] [--only PART...]
[--out FILE]`, on a machine with a GPU.

Writes what it measured with the hash of the core's sources, so that stale results show. Needs
numpy, numba and numba-cuda; jax and mujoco.mjx only for the peer. Exits 0 if CPU and GPU agree, 1
if not or if there is no GPU.
"""

from __future__ import annotations

import argparse
import datetime
import importlib
import json
import os
import platform
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

RESULTS = Path(__file__).parent / "results" / "gpu.json"
LIMIT_S = 560.0  # of the whole check: parts that would not fit are left out


def is_stale(path: Path = RESULTS) -> bool | None:
    """True if the stored results are of other sources than these, False if they are of these; None
    if there are none. The hash holds Numba's version too: that of the machine that measured, which
    the results name."""
    if not path.exists():
        return None
    import numba

    stored = json.loads(path.read_text())
    return bool(stored.get("source_hash") != hash_with(stored.get("numba", numba.__version__)))


def hash_with(numba_version: str) -> str:
    """`source_hash` (compile/sources.py) of these sources with another version of Numba."""
    from softdock.compile.sources import source_hash

    return source_hash(numba_version)


class Clock:
    """How much of the time limit is left."""

    def __init__(self, limit_s: float):
        self.began, self.limit_s = time.perf_counter(), limit_s

    def passed(self) -> float:
        return time.perf_counter() - self.began

    def left(self) -> float:
        return self.limit_s - self.passed()

    def has(self, seconds: float) -> bool:
        return seconds < self.left()


def say(line: str) -> None:
    print(line, flush=True)


def save(path: Path, results: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(results, indent=2) + "\n")


def about(device: Any, quick: bool) -> dict[str, Any]:
    """What was measured, where and when."""
    import numba
    import numba_cuda

    from softdock.compile.sources import source_hash

    return {
        "source_hash": source_hash(),
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "device": device._asdict(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "numba_cuda": numba_cuda.__version__,
        "quick": quick,
    }


COMPARED = {  # part: who makes its batches, how many runs a batch, how many with --quick
    "parity": ("gpu_parity.random_batches", 40, 8),
    "networks": ("gpu_networks.batches", 256, 64),
    "remapping": ("gpu_remapping.batches", 256, 64),
    "latches": ("gpu_dockings.latch_batches", 64, 16),
    "arms": ("gpu_dockings.arm_batches", 64, 16),
    "guided": ("gpu_dockings.guided_batches", 64, 16),
    "model_mediated": ("gpu_dockings.model_mediated_batches", 64, 16),
    "compensators": ("gpu_dockings.compensator_batches", 64, 16),
    "mechanisms": ("gpu_dockings.mechanism_batches", 64, 16),
}
PARTS = (*COMPARED, "speed", "model_mediated_speed", "mjx", "end_to_end", "bound")


def maker(place: str) -> Any:
    module, function = place.split(".")
    return getattr(importlib.import_module(f"benchmarks.{module}"), function)


def compare(
    results: dict[str, Any], clock: Clock, quick: bool, out: Path, only: tuple[str, ...]
) -> None:
    """CPU against GPU: every batch in a process of its own, all of them at once. Saved after every
    part; one batch's trouble does not lose the others."""
    from benchmarks import gpu_compare, gpu_networks

    with gpu_compare.pool() as workers:
        started = {
            name: gpu_compare.start(workers, maker(place), small if quick else runs)
            for name, (place, runs, small) in COMPARED.items()
            if name in only
        }
        if "networks" in started:
            steps = workers.apply_async(gpu_networks.check_steps)
        for name, batches in started.items():
            kinds = [gpu_compare.ended(*one, clock.left()) for one in batches]
            say(f"{name} (at {clock.passed():.0f} s)")
            results[name] = gpu_compare.judged(kinds, say)
            if name == "networks":
                found = gpu_compare.ended("steps", steps, clock.left())
                agree = "failed" not in found and max(found.values()) <= gpu_compare.TOLERANCE
                say(f"  steps of networks, worst of the largest effort: {found}")
                results[name] |= {"steps": found, "passed": results[name]["passed"] and agree}
            save(out, results)


def measure(
    results: dict[str, Any], clock: Clock, quick: bool, out: Path, only: tuple[str, ...] = PARTS
) -> None:
    """How fast, in order of importance. Saved after every part; one part's trouble does not lose
    the others."""
    from benchmarks import gpu_speed

    runs, repeats = (33_792, 2) if quick else (1_081_344, 4)
    parts = {  # name: (seconds it needs, what it does)
        "speed": (60.0, lambda: gpu_speed.measure_speed(runs, 8.0, repeats, say)),
        "model_mediated_speed": (100.0, lambda: gpu_speed.measure_model_mediated(say)),
        "mjx": (150.0, lambda: gpu_speed.measure_mjx(say)),
        "end_to_end": (20.0, lambda: gpu_speed.end_to_end(runs // 2, 8.0, say)),
        "bound": (15.0, lambda: gpu_speed.fma_bound(say)),
    }
    for name in (name for name in parts if name in only):
        seconds, part = parts[name]
        say(f"{name} (at {clock.passed():.0f} s)")
        try:
            results[name] = part() if clock.has(seconds) else {"left_out": "no time left"}
        except Exception as error:
            results[name] = {"failed": f"{type(error).__name__}: {str(error)[:2000]}"}
            say(f"  failed: {results[name]['failed']}")
        save(out, results)
    if "best" in results.get("speed", {}).get("no noise", {}) and "steps_per_s" in results.get(
        "mjx", {}
    ):
        results["times_mjx"] = results["speed"]["no noise"]["best"] / results["mjx"]["steps_per_s"]
        say(f"softdock / MJX: {results['times_mjx']:.0f}")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.gpu_check", description="Is the GPU right, and how fast is it?"
    )
    parser.add_argument("--quick", action="store_true", help="fewer runs, about two minutes")
    parser.add_argument(
        "--out", type=Path, default=RESULTS, help="where the results go (default: %(default)s)"
    )
    parser.add_argument(
        "--only",
        nargs="+",
        choices=PARTS,
        default=PARTS,
        help="these parts alone; the others as --out has them, if it is of these sources",
    )
    options = parser.parse_args(arguments)
    os.environ.setdefault(
        "XLA_PYTHON_CLIENT_PREALLOCATE", "false"
    )  # jax would take most of the card's memory at its first use

    from softdock.errors import NoDevice
    from softdock.studies.campaign.cuda import find_device

    clock = Clock(LIMIT_S)
    try:
        device = find_device()
    except NoDevice as why:
        print(f"gpu-check: {why}", file=sys.stderr)
        return 1
    results = about(device, options.quick)
    if len(options.only) < len(PARTS) and options.out.exists():
        stored = json.loads(options.out.read_text())
        results = (
            {**stored, **results} if stored["source_hash"] == results["source_hash"] else results
        )
    say(f"gpu-check on {device.name}, sources {results['source_hash']}")
    only = tuple(options.only)
    compare(results, clock, options.quick, options.out, only)
    measure(results, clock, options.quick, options.out, only)
    results["wall_s"] = clock.passed()
    save(options.out, results)
    say(f"wrote {options.out} after {results['wall_s']:.0f} s")
    return 0 if all(results[name]["passed"] for name in COMPARED if name in results) else 1


if __name__ == "__main__":
    sys.exit(main())
