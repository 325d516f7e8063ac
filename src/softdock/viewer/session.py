"""One sitting: the scenario as opened, what was turned since, and the last answer. No viewer in it.

A scenario that is refused, or that diverges, never ends the sitting: the refusal is told, and the
last answer stays.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from softdock.archive.sources import folder_run, is_recording, recorded_run
from softdock.errors import BadInput, Problem
from softdock.recorder.recording import Recording
from softdock.runs.run import Run
from softdock.scenario.build import Scenario
from softdock.viewer.fixes import Fix, fixes_for, with_methods
from softdock.viewer.knobs import knobs_of, turned
from softdock.viewer.ready import present
from softdock.viewer.scenario_answer import Answer, answer


@dataclass
class Session:
    """What is shown, and what it was made from."""

    base: Scenario
    run: Run | Recording | None = None  # of a folder or a file: shown until something is turned
    values: dict[str, float] = field(default_factory=dict)
    method: str = ""
    fix: Fix | None = None
    last: Answer | None = None

    def __post_init__(self) -> None:
        self.knobs = knobs_of(self.base)
        self.method = self.method or present(self.base)
        self.own = self.method

    def scenario(self) -> Scenario:
        """The scenario with everything that was turned."""
        changed = turned(self.base, self.values)
        if self.fix is not None:
            return changed.with_keys({"methods": self.fix.methods})
        return changed if self.method == self.own else with_methods(changed, self.method)

    def compute(self) -> Answer:
        """Run what is set now."""
        untouched = self.run is not None and not self.values and self.fix is None
        given = self.run if untouched and self.method == self.own else None
        self.last = answer(self.base if given is not None else self.scenario(), given)
        return self.last

    def fixes(self, ready: list[str]) -> list[Fix]:
        """What would be better than the last answer."""
        if self.last is None or isinstance(self.last.run, Recording):
            return []
        now = self.last.metrics
        distance = now["distance_from_orbit"] if now["status"] == "completed" else None
        return fixes_for(turned(self.base, self.values), self.last.run.orbit, ready, distance)


def opened(source: str, changes: tuple[str, ...] = ()) -> Session:
    """A preset, a scenario file, a run folder, or a recording."""
    from softdock.scenario.files import load_scenario, parse_changes

    recorded = is_recording(source)
    if recorded or Path(source).is_dir():
        run = recorded_run(source) if recorded else folder_run(source)
        if run.scenario is None:
            allowed = "a recording with the scenario attached; `softdock picture` shows without it"
            raise BadInput(Problem("source", source, allowed))
        if changes:
            return Session(run.scenario.with_keys(dict(parse_changes(changes))))
        return Session(run.scenario, run)
    return Session(load_scenario(source, changes))


class Latest:
    """Does one piece of work at a time, and of those that came meanwhile only the newest."""

    def __init__(self, work: Callable[[], None]) -> None:
        self.work = work
        self.asked = threading.Event()
        self.ended = False
        self.thread = threading.Thread(target=self._loop, daemon=True)
        self.thread.start()

    def ask(self) -> None:
        self.asked.set()

    def stop(self) -> None:
        self.ended = True
        self.asked.set()

    def _loop(self) -> None:
        while True:
            self.asked.wait()
            self.asked.clear()
            if self.ended:
                return
            self.work()
