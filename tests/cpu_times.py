"""Processor seconds of every test, its children and its compiling included: a pytest plugin.

    make test                         # writes .cache/test_times.json.gw0, .gw1, ...
    make test-times                   # prints where the time went, and keeps it
    python -m pytest -p tests.cpu_times --cpu-times times.json tests/unit
    python -m tests.cpu_times times.json [--keep]

The heaviest files and tests are printed. What is kept is tests/file_times.json, by which `make
test` begins with the heaviest files (conftest.py), so that its workers end together; files that
were not run keep their time, and those that are gone lose it. Keep times of an idle machine with an
empty cache (`rm -rf .cache` first): with a full one nothing is compiled. Wall time says little on a
machine that others use too; it is printed beside, for tests that wait.
"""

from __future__ import annotations

import collections
import json
import os
import resource
import sys
import time
from pathlib import Path
from typing import Any

import pytest

KEPT = Path(__file__).with_name("file_times.json")
CHECKOUT = Path(__file__).parents[1]


def processor_s() -> float:
    """Of this process, of its children that have ended, and of what others forked: plain.py and
    forked_emulators.py."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    plain = getattr(sys.modules.get("plain"), "spent_s", 0.0)
    forked = getattr(sys.modules.get("forked_emulators"), "spent_s", float)()
    return plain + forked + sum(one.ru_utime + one.ru_stime for one in used)


def pytest_addoption(parser: Any) -> None:
    parser.addoption("--cpu-times", metavar="FILE", help="write processor seconds of every test")


def pytest_configure(config: Any) -> None:
    if config.getoption("--cpu-times"):
        config.pluginmanager.register(Times(config.getoption("--cpu-times")))


class Times:
    """Rows (test, seconds, seconds of compiling, seconds of children, wall seconds, entry points
    compiled), written at the end; a file for each worker. What children compile counts as
    theirs."""

    def __init__(self, path: str) -> None:
        worker = os.environ.get("PYTEST_XDIST_WORKER")
        self.path = Path(f"{path}.{worker}" if worker else path).resolve()
        if not worker:  # rows of workers of an earlier run are none of this
            for old in rows_files(path):
                old.unlink()
        self.rows: list[tuple[str, float, float, float, float, list[str]]] = []
        self.compiling_s, self.began = 0.0, 0.0
        self.entry_points: list[str] = []
        from softdock.compile.compile_events import listeners

        listeners.append(self.hear)

    def hear(self, news: Any) -> None:
        from softdock.compile.compile_events import BEGINS, ENDS

        if news.what == BEGINS:
            self.began = time.process_time()
        elif news.what == ENDS:
            seconds = time.process_time() - self.began
            self.compiling_s += seconds
            kinds = " ".join(sorted(cls.__name__ for cls in news.classes))
            self.entry_points.append(f"{seconds:.1f} s {news.entry_point} ({kinds})")

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Any:
        self.compiling_s, self.entry_points = 0.0, []
        before, childless, began = processor_s(), time.process_time(), time.perf_counter()
        yield
        used = processor_s() - before
        children = used - (time.process_time() - childless)
        wall = time.perf_counter() - began
        self.rows.append((item.nodeid, used, self.compiling_s, children, wall, self.entry_points))

    def pytest_sessionfinish(self) -> None:
        if self.rows:  # a run's controller has none
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_text(json.dumps(self.rows))


def rows_files(path: str | Path) -> list[Path]:
    """The files of all workers."""
    return sorted(Path(path).parent.glob(Path(path).name + "*"))


def keep(files: dict[str, float]) -> None:
    """Measured files take the place of what was kept of them; those that are gone, go."""
    known = json.loads(KEPT.read_text(encoding="utf-8")) | files
    there = {file: round(s, 1) for file, s in known.items() if (CHECKOUT / file).is_file()}
    heaviest_first = dict(sorted(there.items(), key=lambda one: (-one[1], one[0])))
    KEPT.write_text(json.dumps(heaviest_first, indent=1) + "\n", encoding="utf-8")


def main(arguments: list[str]) -> None:
    found = rows_files(arguments[0])
    if not found:
        sys.exit(f"{arguments[0]}: no times there; `make test` writes them")
    rows = [row for path in found for row in json.loads(path.read_text(encoding="utf-8"))]
    sums: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for name, seconds, compiled, childrens, wall, entry_points in rows:
        file = name.partition("::")[0]
        for what, value in (("all", seconds), ("compiling", compiled), ("children", childrens)):
            sums[what][file] += value
        sums["wall"][file] += wall
        sums["tests"][name.partition("[")[0]] += seconds
        for entry_point in entry_points:
            print(f"{entry_point}  {name}")
    files = sums["all"]
    compiling = sum(sums["compiling"].values())
    print(f"{len(rows)} tests, {sum(files.values()):.0f} s, compiling {compiling:.0f} s")
    for file, seconds in files.most_common(40):
        parts = (f"{what} {sums[what][file]:6.1f} s" for what in ("compiling", "children", "wall"))
        print(f"{seconds:8.1f} s, {', '.join(parts)}  {file}")
    for test, seconds in sums["tests"].most_common(60):
        print(f"{seconds:8.1f} s  {test}")
    if "--keep" in arguments:
        keep(files)


if __name__ == "__main__":
    main(sys.argv[1:])
