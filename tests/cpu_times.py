"""Processor seconds of every test, its children and its compiling included: a pytest plugin.

    python -m pytest -p tests.cpu_times --cpu-times times.json [-n 2] tests
    python -m tests.cpu_times times.json [--keep]

The second command prints the heaviest files and tests; `--keep` writes tests/file_times.json, by
which `make test` begins with the heaviest files (conftest.py), so that both workers end together.
Wall time says little on a machine that others use too.
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


def processor_s() -> float:
    """Of this process, of its children that have ended and of what ran in plain Python."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    plain = getattr(sys.modules.get("plain"), "spent_s", 0.0)
    return plain + sum(one.ru_utime + one.ru_stime for one in used)


def pytest_addoption(parser: Any) -> None:
    parser.addoption("--cpu-times", metavar="FILE", help="write processor seconds of every test")


def pytest_configure(config: Any) -> None:
    if config.getoption("--cpu-times"):
        config.pluginmanager.register(Times(config.getoption("--cpu-times")))


class Times:
    """Rows (test, seconds, seconds of compiling, seconds of children, doors compiled), written at
    the end; a file for each worker. What children compile counts as theirs."""

    def __init__(self, path: str) -> None:
        worker = os.environ.get("PYTEST_XDIST_WORKER")
        self.path = Path(f"{path}.{worker}" if worker else path).resolve()
        self.rows: list[tuple[str, float, float, float, list[str]]] = []
        self.compiling_s, self.began = 0.0, 0.0
        self.doors: list[str] = []
        from softdock.core.machine.compile_news import listeners

        listeners.append(self.hear)

    def hear(self, news: Any) -> None:
        from softdock.core.machine.compile_news import BEGINS, ENDS

        if news.what == BEGINS:
            self.began = time.process_time()
        elif news.what == ENDS:
            seconds = time.process_time() - self.began
            self.compiling_s += seconds
            kinds = " ".join(sorted(cls.__name__ for cls in news.classes))
            self.doors.append(f"{seconds:.1f} s {news.door} ({kinds})")

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Any:
        self.compiling_s, self.doors = 0.0, []
        before, childless = processor_s(), time.process_time()
        yield
        used = processor_s() - before
        children = used - (time.process_time() - childless)
        self.rows.append((item.nodeid, used, self.compiling_s, children, self.doors))

    def pytest_sessionfinish(self) -> None:
        self.path.write_text(json.dumps(self.rows))


def main(arguments: list[str]) -> None:
    rows = []
    for path in sorted(Path(arguments[0]).parent.glob(Path(arguments[0]).name + "*")):
        rows += json.loads(path.read_text())
    files: collections.Counter[str] = collections.Counter()
    compiling: collections.Counter[str] = collections.Counter()
    children: collections.Counter[str] = collections.Counter()
    tests: collections.Counter[str] = collections.Counter()
    for name, seconds, compiled, childrens, doors in rows:
        file = name.partition("::")[0]
        files[file] += seconds
        compiling[file] += compiled
        children[file] += childrens
        for door in doors:
            print(f"{door}  {name}")
        tests[name.partition("[")[0]] += seconds
    print(
        f"{len(rows)} tests, {sum(files.values()):.0f} s, compiling {sum(compiling.values()):.0f} s"
    )
    for file, seconds in files.most_common(40):
        print(
            f"{seconds:8.1f} s, compiling {compiling[file]:6.1f} s,"
            f" children {children[file]:6.1f} s  {file}"
        )
    for test, seconds in tests.most_common(60):
        print(f"{seconds:8.1f} s  {test}")
    if "--keep" in arguments:
        kept = {file: round(s, 1) for file, s in files.most_common()}
        KEPT.write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
