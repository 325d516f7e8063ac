"""A plan in, results out: cells on all cores, kept as they come."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from softdock.benchmark.folder import Folder, begin, resume
from softdock.benchmark.plan import Plan
from softdock.benchmark.pool import measured
from softdock.benchmark.results import Results, results_of

Progress = Callable[[int, int, str], None]  # cells done, cells in all, the last one in words


def opened(plan: Plan, path: Path, go_on: bool) -> Folder:
    """The folder, new or with what it has."""
    return resume(plan, path) if go_on else begin(plan, path)


def run_cells(folder: Folder, jobs: int, progress: Progress | None = None) -> Results:
    """Every cell that is missing, then the results of all. Ctrl-C: what was measured is kept."""
    began, plan = time.perf_counter(), folder.plan
    if progress is not None:
        progress(len(folder.cells), plan.size, "")
    for at, cell in measured(plan, folder.missing(), jobs):
        folder.add(at, cell)
        if progress is not None:
            progress(len(folder.cells), plan.size, f"{at.entry.label} on {at.case.name}")
    return results_of(folder, jobs, time.perf_counter() - began)
