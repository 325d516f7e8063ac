"""A plan in, results out: cells on all cores, kept as they come."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from softdock.scenario.method_sources import files_of
from softdock.studies.benchmark.cell import FAILED, make_refusal
from softdock.studies.benchmark.folder import Folder, begin_folder, resume_folder
from softdock.studies.benchmark.plan import CellPlace, Plan
from softdock.studies.benchmark.results import Results, collect_results

# Cells on all cores: as many processes as asked for, each with one cell at a time.
#
# A process that dies takes its cell with it once: another process tries it again, and if that dies
# too the cell has failed, in words. Ctrl-C kills the processes that were begun here, and what was
# measured is kept by whoever got it.

WORKER = "softdock.studies.benchmark.worker"
LOOK_S = 0.2  # between two looks at whether Ctrl-C was pressed
TRIES = 2  # processes that a cell may take with it
Cell = dict[str, Any]


def measure_cells(
    plan: Plan, missing: Iterable[CellPlace], jobs: int
) -> Iterator[tuple[CellPlace, Cell]]:
    """Cells as they come."""
    waiting = list(missing)[::-1]
    count, lock = len(waiting), threading.Lock()
    done: queue.SimpleQueue[tuple[CellPlace, Cell]] = queue.SimpleQueue()
    processes: list[subprocess.Popen[str]] = []
    left = threading.Event()
    tries: dict[int, int] = {}

    def take() -> CellPlace | None:
        with lock:
            return waiting.pop() if waiting and not left.is_set() else None

    def work() -> None:
        worker: subprocess.Popen[str] | None = None
        while (at := take()) is not None:
            if worker is None or worker.poll() is not None:
                worker = _start_worker(plan)
                with lock:
                    processes.append(worker)
            cell = _ask_worker(plan, worker, at)
            if cell is not None:
                done.put((at, cell))
                continue
            worker.kill()
            worker.wait()
            tries[at.number] = tries.get(at.number, 0) + 1
            if left.is_set():
                break
            if tries[at.number] < TRIES:
                with lock:
                    waiting.append(at)
            else:
                done.put((at, _make_died_cell(plan, worker.returncode)))
        if worker is not None and worker.stdin is not None:
            worker.stdin.close()
            worker.wait()

    threads = [threading.Thread(target=work, daemon=True) for _ in range(min(jobs, count))]
    for thread in threads:
        thread.start()
    got = 0
    try:
        while got < count:
            yield _wait_for_next(done)
            got += 1
    finally:
        left.set()
        with lock:
            begun = list(processes) if got < count else []
        for process in begun:
            process.kill()
        for thread in threads:
            thread.join()


def _wait_for_next(done: queue.SimpleQueue[tuple[CellPlace, Cell]]) -> tuple[CellPlace, Cell]:
    """A wait without end would not let Ctrl-C through on every system."""
    while True:
        try:
            return done.get(timeout=LOOK_S)
        except queue.Empty:
            continue


def _start_worker(plan: Plan) -> subprocess.Popen[str]:
    """A process that knows what all cells share."""
    worker = subprocess.Popen(
        [sys.executable, "-m", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    files = files_of(name for entry in plan.entries for name in entry.methods)
    shared = {
        "entries": [
            {"label": e.label, "methods": list(e.methods), "settings": e.settings}
            for e in plan.entries
        ],
        "knowledge": list(plan.levels),
        "phases": plan.phases,
        "method_files": [list(file.sources.items()) for file in files],
    }
    _send(worker, shared)
    return worker


def _send(worker: subprocess.Popen[str], data: Any) -> bool:
    assert worker.stdin is not None
    try:
        worker.stdin.write(json.dumps(data) + "\n")
        worker.stdin.flush()
    except OSError:
        return False
    return True


def _ask_worker(plan: Plan, worker: subprocess.Popen[str], at: CellPlace) -> Cell | None:
    """The cell; None: the process died."""
    assert worker.stdout is not None
    task = {"number": at.number, "entry": plan.entries.index(at.entry), "case": at.case.text}
    if not _send(worker, task):
        return None
    try:
        cell: Cell = json.loads(worker.stdout.readline())
    except (OSError, ValueError):
        return None
    return cell


def _make_died_cell(plan: Plan, code: int | None) -> Cell:
    why = f"the process that measured it died twice (exit code {code})"
    return {
        "knowledge": {level: make_refusal(FAILED, why) for level in plan.levels},
        "cost": {"ns_per_cycle": None, "ratio_to_direct": None},
        "cpu_s": 0.0,
    }


Progress = Callable[[int, int, str], None]  # cells done, cells in all, the last one in words


def open_folder(plan: Plan, path: Path, go_on: bool) -> Folder:
    """The folder, new or with what it has."""
    return resume_folder(plan, path) if go_on else begin_folder(plan, path)


def run_cells(folder: Folder, jobs: int, progress: Progress | None = None) -> Results:
    """Every cell that is missing, then the results of all. Ctrl-C: what was measured is kept."""
    began, plan = time.perf_counter(), folder.plan
    if progress is not None:
        progress(len(folder.cells), plan.size, "")
    for at, cell in measure_cells(plan, folder.list_missing(), jobs):
        folder.add(at, cell)
        if progress is not None:
            progress(len(folder.cells), plan.size, f"{at.entry.label} on {at.case.name}")
    return collect_results(folder, jobs, time.perf_counter() - began)
