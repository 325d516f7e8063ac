"""Which methods can be chosen at once: each is compiled by another process into the shared cache.

A method that was never compiled takes some 30 s of CPU; in this process that would stop the scene.
The other process runs a few cycles at low priority and ends; this one then loads the machine code
from disk in less than a second.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from softdock.errors import BadInput, Problem
from softdock.methods.registry import RAW
from softdock.reference import Reference
from softdock.results.quantities import format_percent
from softdock.scenario.build import Scenario
from softdock.scenario.candidates import candidates
from softdock.scenario.files import to_toml
from softdock.studies.compare.outcomes import run_against

THRESHOLD_N = 1.0  # the virtual damper acts above this force
MOST = 3  # fixes offered


@dataclass(frozen=True)
class Fix:
    """A change that was tried, with its distance from the reference."""

    label: str
    methods: list[dict[str, Any]]  # the scenario's list of methods with it
    distance: float  # from the reference; 1 is as far as the approach itself


def find_fixes(
    scenario: Scenario, orbit: Reference, ready: Sequence[str], now: float | None
) -> list[Fix]:
    """The fixes that are better than the present setting, best first. `now`: its distance from the
    reference."""
    tried = _try_methods(scenario, orbit, ready)
    limit = math.inf if now is None or not math.isfinite(now) else now
    better = [fix for fix in tried if math.isfinite(fix.distance) and fix.distance < limit]
    return sorted(better, key=lambda fix: fix.distance)[:MOST]


def use_methods(scenario: Scenario, method: str) -> Scenario:
    """The scenario with another method (or a chain, a+b); `BadInput` if it cannot run."""
    integrator = scenario.tables["satellites"]["integrator"]
    able, unable = candidates(scenario, [method], [integrator])
    if not able:
        raise BadInput(
            Problem("method", method, unable[0].reason if unable else "one that can run")
        )
    return able[0].scenario


def _try_fix(label: str, scenario: Scenario, orbit: Reference) -> list[Fix]:
    try:
        metrics = run_against(scenario, orbit).metrics
    except BadInput:
        return []
    distance = metrics["error_against_orbit"]
    if metrics["status"] != "completed" or distance is None:
        return []
    words = f"{label}: error {format_percent(distance)}, {metrics['verdict']['word']}"
    return [Fix(words, scenario.tables["methods"], float(distance))]


def _try_methods(scenario: Scenario, orbit: Reference, ready: Sequence[str]) -> list[Fix]:
    found: list[Fix] = []
    for method in ready:
        try:
            changed = use_methods(scenario, method)
        except BadInput:
            continue
        found += _try_fix(method, changed, orbit)
    return found


PROGRAM = (
    "import sys; from softdock.output.viewer.methods import compile_text; "
    "compile_text(sys.stdin.read())"
)


def list_possible(scenario: Scenario) -> list[str]:
    """Methods that can run on a scenario with its own integrator, its present one first."""
    integrator = scenario.tables["satellites"]["integrator"]
    able, _ = candidates(scenario, "all", [integrator])
    names = [candidate.method for candidate in able]
    own = name_methods(scenario)
    return [own, *(name for name in names if name != own)]


def name_methods(scenario: Scenario) -> str:
    """The scenario's methods as one name, joined by +."""
    names = [str(entry["name"]) for entry in scenario.tables["methods"]]
    return "+".join(names) or RAW


def compile_text(toml: str) -> None:
    """Entry point of the compiling process: run a few cycles of a scenario, and the reference."""
    import tomllib

    from softdock.reference import run_reference
    from softdock.results.simulation import simulate
    from softdock.scenario.build import build

    with suppress(OSError, AttributeError):
        os.nice(10)
    tables = tomllib.loads(toml)
    tables["time"]["duration_s"] = 4e-3 * float(tables["time"]["cycle_ms"])
    scenario = build(tables)
    simulate(scenario)
    run_reference(scenario)


class BackgroundCompiler:
    """Compiles one method after the other in another process; calls `done` with each name."""

    def __init__(
        self, scenario: Scenario, names: Sequence[str], done: Callable[[str], None]
    ) -> None:
        self.scenario, self.names, self.done = scenario, list(names), done
        self.ended = threading.Event()
        self.child: subprocess.Popen[str] | None = None
        self.thread = threading.Thread(target=self._work, daemon=True)

    def start(self) -> None:
        self.thread.start()

    def stop(self) -> None:
        """End the compiling process, if one runs."""
        self.ended.set()
        child = self.child
        if child is not None and child.poll() is None:
            child.terminate()

    def _work(self) -> None:
        from softdock.errors import BadInput

        for name in self.names:
            if self.ended.is_set():
                return
            try:
                text = to_toml(use_methods(self.scenario, name).tables)
            except BadInput:
                continue
            self.child = subprocess.Popen(
                [sys.executable, "-c", PROGRAM],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            self.child.communicate(text)
            if self.child.returncode == 0 and not self.ended.is_set():
                self.done(name)
