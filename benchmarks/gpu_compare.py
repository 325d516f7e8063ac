"""CPU against GPU on batches, each in a process of its own: compiling a loop and its kernel keeps
one core busy for a minute or two, and no batch needs anything of another.

A part of the check is a function that makes its batches of n runs. All batches of all parts are
handed to one pool, and each part is judged when its own are done.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from multiprocessing.pool import AsyncResult, Pool
from typing import Any

from benchmarks.gpu_parity import APART_ALLOWED, TOLERANCE, TOUCHED_NEEDED, compare
from softdock.studies.campaign.batch import run_cpu
from softdock.studies.campaign.columns import Columns
from softdock.studies.campaign.cuda import run_cuda

Make = Callable[[int], list[tuple[str, Columns]]]
COUNTS = ("runs", "touched", "split", "amplifying")


def pool() -> Pool:
    """A process for every core; fresh ones, since a CUDA context does not survive a fork."""
    return multiprocessing.get_context("spawn").Pool(os.cpu_count())


def one(make: Make, n: int, index: int) -> dict[str, Any]:
    """One batch on both."""
    name, part = make(n)[index]
    return {"kind": name} | compare(part, run_cpu(*part), run_cuda(*part))


def start(workers: Pool, make: Make, n: int) -> list[tuple[str, AsyncResult[dict[str, Any]]]]:
    """All batches of a part, each by its name."""
    names = [name for name, _ in make(n)]
    return [(name, workers.apply_async(one, (make, n, i))) for i, name in enumerate(names)]


def ended(name: str, result: AsyncResult[dict[str, Any]], seconds_left: float) -> dict[str, Any]:
    """What a batch gave, or why it gave nothing (a kernel that cannot even be compiled, no time):
    said, and no other batch is lost."""
    try:
        return result.get(timeout=max(seconds_left, 0.0))
    except multiprocessing.TimeoutError:
        return {"kind": name, "failed": "no time left"}
    except Exception as error:
        return {"kind": name, "failed": f"{type(error).__name__}: {str(error)[:500]}"}


def judged(kinds: list[dict[str, Any]], say: Callable[[str], None] = print) -> dict[str, Any]:
    """What was found of each batch, the worst of those that ran, and whether all ran and agree."""
    for kind in kinds:
        say(f"  {kind['kind']:58s} {_said(kind)}")
    done = [kind for kind in kinds if "failed" not in kind]
    total = {key: sum(kind[key] for kind in done) for key in COUNTS}
    named = done[0]["worst"] if done else {}
    worst = {key: max(kind["worst"][key] for kind in done) for key in named}
    passed = (
        0 < len(done) == len(kinds)
        and max(worst.values()) <= TOLERANCE
        and total["split"] + total["amplifying"] <= APART_ALLOWED * total["runs"]
        and total["touched"] >= TOUCHED_NEEDED * total["runs"]
    )
    verdict = "agree" if passed else "DISAGREE, or not all could be run"
    say(f"  {total['runs']} runs, worst {worst} (allowed {TOLERANCE:g}): {verdict}")
    return total | {"worst": worst, "tolerance": TOLERANCE, "passed": passed, "kinds": kinds}


def _said(kind: dict[str, Any]) -> str:
    if "failed" in kind:
        return f"failed: {kind['failed']}"
    apart = f"{kind['split']} split, {kind['amplifying']} amplifying"
    worst = max(kind["worst"].values())
    return f"{kind['touched']} of {kind['runs']} touched, {apart}, worst {worst:.1e}"
