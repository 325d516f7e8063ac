"""Compile several loops before they are needed, in several processes, into the shared cache.

In: scenarios. Each distinct list of methods is a task, as are orbit and the start of a run; tasks
go to `python -m softdock.cli.compile_worker`, one line of JSON each way. Out: machine code on disk
(core/machine/cache.py), which whoever asks next loads. Without a folder to keep it in there is
nothing to share, and nothing is done.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from softdock.scenario.build import Scenario

ORBIT, START, LOOP, BATCH = "orbit", "start", "loop", "batch"
RIG = "rig."  # before the name of a part of a rig (drivers/rig_warm.py)
WORKER = "softdock.cli.compile_worker"


class Task(NamedTuple):
    what: str  # ORBIT, START, LOOP, BATCH, or a part of a rig
    name: str  # in words
    tables: dict[str, Any]  # of the scenario; of a rig's part: {"rig": its file, "scenario": these}


Said = Callable[[str, float], None]  # what was compiled, seconds


def tasks_of(scenarios: Iterable[Scenario], batches: bool = False) -> list[Task]:
    """What these scenarios need, each thing once. First the lightest loop, which leaves the
    facility's parts for all others to link, and beside it the start of a run and orbit, which take
    as long together; then the longest, so that no process is left with it at the end."""
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
        has_networks = len(markers.methods) > 0 and bool(_networks(scenario))
        orbits.setdefault(has_networks, Task(ORBIT, "orbit", scenario.tables))
        for what in (LOOP, BATCH) if batches else (LOOP,):
            label = "the loop" if what == LOOP else "the loop for batches"
            task = Task(what, f"{label} with {names}", scenario.tables)
            loops.setdefault((what, features, methods), task)
    lightest, *others = sorted(loops, key=_weight) or [None]
    first = [loops[lightest]] if lightest is not None else []
    longest_first = [loops[key] for key in reversed(others)]
    return [*first, *starts.values(), *orbits.values(), *longest_first]


def _weight(loop: tuple[str, type, tuple[type, ...]]) -> int:
    """Bytes of source in the homes of a loop's methods, a file or a folder each: what a loop takes
    to compile goes by that."""
    from softdock.core import adaptation

    common, total = Path(adaptation.__file__).parent, 0
    _, _, methods = loop
    for cls in methods:
        file = Path(sys.modules[cls.__module__].__file__ or "")
        homes = [file] if file.parent == common else file.parent.glob("*.py")
        total += sum(one.stat().st_size for one in homes)
    return total


def tasks_of_rig(source: str, scenarios: Iterable[Scenario]) -> list[Task]:
    """The parts of a rig with each scenario's list of methods; the loop first, it takes longest."""
    from softdock.drivers.rig_warm import PARTS

    found: dict[Any, Task] = {}
    for scenario in scenarios:
        markers = scenario.markers
        kinds = (type(markers.features), tuple(type(m) for m in markers.methods))
        tables = {"rig": source, "scenario": scenario.tables}
        for part, (words, _) in PARTS.items():
            found.setdefault((part, kinds), Task(RIG + part, words, tables))
    return list(found.values())


def _compile_rig(task: Task) -> None:
    from softdock.drivers.rig_file import load_rig
    from softdock.drivers.rig_scenario import on_rig
    from softdock.drivers.rig_warm import warm_part
    from softdock.scenario.build import build

    on = on_rig(load_rig(task.tables["rig"]), build(task.tables["scenario"]))
    warm_part(on, task.what.removeprefix(RIG))


def _networks(scenario: Scenario) -> float:
    from softdock.core.machine.vector import MAP, MEMORY_AT

    return float(scenario.vector[MEMORY_AT + MAP.orbit_network_count])


def is_kept(task: Task) -> bool:
    """Whether a loop's machine code is on disk already; of other tasks, and without our own cache,
    nobody knows."""
    from softdock.core.machine import doors
    from softdock.scenario.build import build

    path_of = getattr(getattr(doors.run_cycles, "_cache", None), "path", None)
    if task.what != LOOP or path_of is None:
        return False
    path = path_of(_loop_types(build(task.tables)), doors.run_cycles.targetctx)
    return path is not None and path.exists()


def _loop_types(scenario: Scenario) -> tuple[Any, ...]:
    """Of what a loop is called with: vector, markers, memory, state, record, log, two counts."""
    import numba
    import numpy as np

    flat, table, whole = (numba.typeof(x) for x in (np.zeros(1), np.zeros((1, 1)), 0))
    return (flat, numba.typeof(scenario.markers), flat, flat, table, table, whole, whole)


def compile_task(task: Task) -> None:
    """In this process: call the door with nothing to do. A loop is compiled without being called:
    its run would wait for the start of a run, which another process may be compiling."""
    import numpy as np

    from softdock.scenario.build import build

    if task.what.startswith(RIG):
        _compile_rig(task)
        return
    scenario = build(task.tables)
    if task.what == ORBIT:
        from softdock.core.machine.vector import TIME_AT, TIMES
        from softdock.core.orbit import orbit

        duration, cycle = TIME_AT + TIMES.duration, TIME_AT + TIMES.cycle
        scenario.vector[duration] = scenario.vector[cycle]
        orbit(scenario)
    elif task.what == BATCH:
        from softdock.campaign.columns import columns
        from softdock.campaign.cpu import run_cpu

        vectors, markers, mem_floats = columns(scenario, {}, runs=1)
        run_cpu(np.asarray(vectors)[:0], markers, mem_floats, threads=1)
    elif task.what == LOOP:
        from softdock.core.machine import doors

        doors.run_cycles.compile(_loop_types(scenario))
    else:
        from softdock.runs.stepper import Stepper

        Stepper(scenario, rows=1)


def compile_ahead(tasks: Sequence[Task], jobs: int, said: Said) -> None:
    """All tasks in `jobs` processes; `said` is called as each ends, if it took a second."""
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
                if not answer:  # it died: whoever needs the code compiles it
                    break
                said(task.name, float(answer))
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
    """Every loop of some scenarios that is not on disk yet; a single one is left to its run."""
    import numba

    from softdock.cli.progress import tell_compiled
    from softdock.core.machine.cache_folder import usable_folder

    if jobs < 2 or numba.config.DISABLE_JIT or usable_folder() is None:
        return
    tasks = [task for task in tasks_of(scenarios) if not is_kept(task)]
    if sum(task.what == LOOP for task in tasks) < 2:
        return
    say(f"compiling {len(tasks)} loops for the first time, in {jobs} processes")
    compile_ahead(tasks, jobs, tell_compiled)
