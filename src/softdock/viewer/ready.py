"""Which methods can be chosen at once: each is compiled by another process into the shared cache.

A method that was never compiled takes some 30 s of CPU; in this process that would stop the scene.
The other process runs a few cycles at low priority and ends; this one then loads the machine code
from disk in less than a second.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress

from softdock.core.adaptation.registry import RAW
from softdock.scenario.build import Scenario
from softdock.scenario.candidates import candidates
from softdock.scenario.files import to_toml

PROGRAM = (
    "import sys; from softdock.viewer.ready import compile_text; compile_text(sys.stdin.read())"
)


def possible(scenario: Scenario) -> list[str]:
    """Methods that can run on a scenario with its own integrator, its present one first."""
    integrator = scenario.tables["satellites"]["integrator"]
    able, _ = candidates(scenario, "all", [integrator])
    names = [candidate.method for candidate in able]
    own = present(scenario)
    return [own, *(name for name in names if name != own)]


def present(scenario: Scenario) -> str:
    """The scenario's own methods as one name."""
    names = [str(entry["name"]) for entry in scenario.tables["methods"]]
    return "+".join(names) or RAW


def compile_text(toml: str) -> None:
    """In the other process: run a few cycles of a scenario, and orbit."""
    import tomllib

    from softdock.analysis.simulation import simulate
    from softdock.core.orbit import orbit
    from softdock.scenario.build import build

    with suppress(OSError, AttributeError):
        os.nice(10)
    tables = tomllib.loads(toml)
    tables["time"]["duration_s"] = 4e-3 * float(tables["time"]["cycle_ms"])
    scenario = build(tables)
    simulate(scenario)
    orbit(scenario)


class Background:
    """Compiles one method after the other; tells each that is done."""

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
        """End the other process, if one is under way."""
        self.ended.set()
        child = self.child
        if child is not None and child.poll() is None:
            child.terminate()

    def _work(self) -> None:
        from softdock.errors import BadInput
        from softdock.viewer.fixes import with_methods

        for name in self.names:
            if self.ended.is_set():
                return
            try:
                text = to_toml(with_methods(self.scenario, name).tables)
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
