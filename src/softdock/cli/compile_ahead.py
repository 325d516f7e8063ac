"""Compile several loops before they are needed, in several processes, into the shared cache.

Input: scenarios. Each distinct list of methods is a task, as are the reference and the start of a
run. Worker processes (`python -m softdock.cli.compile_ahead`) take one task a line, as JSON, and
answer with the seconds. Output: machine code on disk (compile/function_cache.py). Without a cache
folder nothing is compiled.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

# Before Numba compiles for the first time it looks for scipy's BLAS, which imports half of scipy
# where that is installed (0.2 s). softdock multiplies no arrays in compiled code.
BLAS = "scipy.linalg.cython_blas"


def start_numba() -> None:
    """Import Numba. In this process it will not look for scipy's BLAS when something is first
    compiled; softdock's cached machine code needs none of what it loads then."""
    from softdock.compile.compile_events import listeners
    from softdock.compile.numba_internals import PATCHED

    if not PATCHED:
        _prepare_compiling()
    elif _prepare_compiling not in listeners:
        listeners.append(_prepare_compiling)


def _prepare_compiling(event: object = None) -> None:
    """Import the part of Numba that looks for scipy's BLAS while that module is hidden. Afterwards
    scipy can be imported as usual."""
    if BLAS in sys.modules:
        return
    sys.modules[BLAS] = None  # type: ignore[assignment]  # importing it fails at once
    try:
        with suppress(ImportError):
            import numba.np.arraymath  # noqa: F401
    finally:
        del sys.modules[BLAS]


if TYPE_CHECKING:
    from softdock.scenario.build import Scenario

ORBIT, START, LOOP, BATCH = "orbit", "start", "loop", "batch"
RIG = "rig."  # before the name of a part of a rig (rig/machine.py)
WORKER = "softdock.cli.compile_ahead"


class Task(NamedTuple):
    what: str  # ORBIT, START, LOOP, BATCH, or a part of a rig
    name: str  # in words
    tables: dict[str, Any]  # of the scenario; of a rig's part: {"rig": its file, "scenario": these}


Report = Callable[[str, float], None]  # what was compiled, seconds


def list_tasks(scenarios: Iterable[Scenario], batches: bool = False) -> list[Task]:
    """Compile tasks that these scenarios need, each once. Order: the shortest loop, whose functions
    all others link; the start of a run and the reference, which together take as long; then the
    other loops, longest first, so that no process is left with a long one at the end."""
    starts: dict[Any, Task] = {}
    orbits: dict[Any, Task] = {}
    loops: dict[Any, Task] = {}
    for scenario in scenarios:
        markers = scenario.markers
        features, methods = type(markers.features), tuple(type(m) for m in markers.methods)
        if any(cls.__module__.partition(".")[0] != "softdock" for cls in methods):
            continue  # a user's own: the worker does not have the file
        names = " and ".join(entry["name"] for entry in scenario.tables["methods"])
        starts.setdefault(features, Task(START, "the start of a run", scenario.tables))
        parts = _find_orbit_parts(scenario) if markers.methods else (False, False)
        orbits.setdefault(parts, Task(ORBIT, "orbit", scenario.tables))
        for what in (LOOP, BATCH) if batches else (LOOP,):
            label = "the loop" if what == LOOP else "the loop for batches"
            task = Task(what, f"{label} with {names}", scenario.tables)
            loops.setdefault((what, features, methods), task)
    lightest, *others = sorted(loops, key=_source_bytes) or [None]
    first = [loops[lightest]] if lightest is not None else []
    longest_first = [loops[key] for key in reversed(others)]
    return [*first, *starts.values(), *orbits.values(), *longest_first]


def _source_bytes(loop: tuple[str, type, tuple[type, ...]]) -> int:
    """Source size of a loop's methods [bytes], which its compile time is about proportional to."""
    from softdock import methods as adaptation

    common, total = Path(adaptation.__file__).parent, 0
    _, _, methods = loop
    for cls in methods:
        file = Path(sys.modules[cls.__module__].__file__ or "")
        homes = [file] if file.parent == common else file.parent.glob("*.py")
        total += sum(one.stat().st_size for one in homes)
    return total


def list_rig_tasks(source: str, scenarios: Iterable[Scenario]) -> list[Task]:
    """Compile tasks of a rig: its parts with each scenario's list of methods; the loop first, as it
    takes longest."""
    from softdock.rig.machine import PARTS

    found: dict[Any, Task] = {}
    for scenario in scenarios:
        markers = scenario.markers
        kinds = (type(markers.features), tuple(type(m) for m in markers.methods))
        tables = {"rig": source, "scenario": scenario.tables}
        for part, (words, _) in PARTS.items():
            found.setdefault((part, kinds), Task(RIG + part, words, tables))
    return list(found.values())


def _compile_rig(task: Task) -> None:
    from softdock.rig.file import load_rig
    from softdock.rig.machine import warm_part
    from softdock.rig.scenario import put_on_rig
    from softdock.scenario.build import build

    on = put_on_rig(load_rig(task.tables["rig"]), build(task.tables["scenario"]))
    warm_part(on, task.what.removeprefix(RIG))


def _find_orbit_parts(scenario: Scenario) -> tuple[bool, bool]:
    """Whether orbit has networks, and a servicer with an arm: it is compiled with them."""
    from softdock.loop.vector import MAP, MEMORY_AT

    parts = (MAP.orbit_network_count, MAP.orbit_servicer)
    networks, servicer = (bool(scenario.vector[MEMORY_AT + at]) for at in parts)
    return networks, servicer


def is_compiled(task: Task) -> bool:
    """Whether a loop's machine code is on disk. False for other tasks, and without softdock's
    cache."""
    from softdock.loop import entry_points
    from softdock.scenario.build import build

    path_of = getattr(getattr(entry_points.run_cycles, "_cache", None), "path", None)
    if task.what != LOOP or path_of is None:
        return False
    path = path_of(_loop_argument_types(build(task.tables)), entry_points.run_cycles.targetctx)
    return path is not None and path.exists()


def _loop_argument_types(scenario: Scenario) -> tuple[Any, ...]:
    """Numba types of a loop's arguments: vector, markers, memory, state, record, log, two
    counts."""
    import numba
    import numpy as np

    flat, table, whole = (numba.typeof(x) for x in (np.zeros(1), np.zeros((1, 1)), 0))
    return (flat, numba.typeof(scenario.markers), flat, flat, table, table, whole, whole)


def compile_task(task: Task) -> None:
    """Compile one task in this process. Entry points are called with nothing to do; a loop is
    compiled without a call, which would wait for the start of a run that another process may be
    compiling."""
    import numpy as np

    from softdock.scenario.build import build

    if task.what.startswith(RIG):
        _compile_rig(task)
        return
    scenario = build(task.tables)
    if task.what == ORBIT:
        from softdock.loop.vector import TIME_AT, TIMES
        from softdock.reference import run_reference

        duration, cycle = TIME_AT + TIMES.duration, TIME_AT + TIMES.cycle
        scenario.vector[duration] = scenario.vector[cycle]
        run_reference(scenario)
    elif task.what == BATCH:
        from softdock.studies.campaign.batch import run_cpu
        from softdock.studies.campaign.columns import make_columns

        vectors, markers, mem_floats = make_columns(scenario, {}, runs=1)
        run_cpu(np.asarray(vectors)[:0], markers, mem_floats, threads=1)
    elif task.what == LOOP:
        from softdock.loop import entry_points

        entry_points.run_cycles.compile(_loop_argument_types(scenario))
    else:
        from softdock.results.stepper import Stepper

        Stepper(scenario, rows=1)


def compile_ahead(tasks: Sequence[Task], jobs: int, report: Report) -> None:
    """Compile all tasks in `jobs` processes; call `report(name, seconds)` as each ends."""
    waiting, lock = list(tasks), threading.Lock()

    def work() -> None:
        worker = subprocess.Popen(
            [sys.executable, "-m", WORKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert worker.stdin is not None
        assert worker.stdout is not None
        try:
            while worker.poll() is None:
                with lock:
                    if not waiting:
                        break
                    task = waiting.pop(0)
                worker.stdin.write(json.dumps(task) + "\n")
                worker.stdin.flush()
                answer = worker.stdout.readline()
                if not answer:  # the worker died: the command that needs the code compiles it
                    break
                report(task.name, float(answer))
        except OSError:
            pass
        finally:
            worker.stdin.close()
            worker.wait()

    threads = [threading.Thread(target=work) for _ in range(min(jobs, len(tasks)))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def compile_missing(scenarios: Iterable[Scenario], jobs: int, say: Callable[[str], None]) -> None:
    """Compile the loops of some scenarios that are not on disk yet, if there are two or more; a
    single one is compiled by its run."""
    import numba

    from softdock.cli.progress import report_compiled
    from softdock.compile.disk_cache import find_usable_folder

    if jobs < 2 or numba.config.DISABLE_JIT or find_usable_folder() is None:
        return
    tasks = [task for task in list_tasks(scenarios) if not is_compiled(task)]
    if sum(task.what == LOOP for task in tasks) < 2:
        return
    say(f"compiling {len(tasks)} loops for the first time, in {jobs} processes")
    compile_ahead(tasks, jobs, report_compiled)


def main() -> None:
    """Worker process: compile one task for each line of JSON on standard input and answer with the
    seconds that it took."""
    start_numba()
    for line in sys.stdin:
        began = time.perf_counter()
        try:
            compile_task(Task(*json.loads(line)))
        except Exception as error:  # the command that needs the code reports this error again
            print(f"softdock: {type(error).__name__} while compiling ahead", file=sys.stderr)
        print(f"{time.perf_counter() - began:.3f}", flush=True)


if __name__ == "__main__":
    main()
