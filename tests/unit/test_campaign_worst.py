"""Worst cases on a campaign's page: few are flown again, it is said, and a file that speaks of
trajectories is obeyed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from drifting_scenes import docking

from softdock.errors import BadInput, Problem
from softdock.output.pages.campaign import _replay
from softdock.studies.campaign import replay

WORST = [
    {"run": run, "variant": variant, "status": "completed"}
    for run, variant in ((7, "a"), (3, "a"), (9, "b"), (4, "a"), (5, "a"))
]


@pytest.fixture
def flown(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every scenario that is flown; none is really."""
    found: list[Any] = []

    def run_loop(scenario: Any) -> Any:
        found.append(scenario)
        if scenario == 4:
            raise BadInput(Problem("x", 4, "cannot be flown by itself"))
        return scenario

    monkeypatch.setattr(replay, "run_loop", run_loop)
    monkeypatch.setattr(replay, "build_scene", lambda made, **more: docking())
    return found


def plan(tables: dict[str, Any]) -> Any:
    return SimpleNamespace(spec=SimpleNamespace(tables=tables), scenario_of=lambda run: run)


def test_few_of_the_worst_are_flown_again_and_it_is_told(flown: list[Any]) -> None:
    """At most three, of the worst run's own variant, each told while it flies; one that cannot be
    flown by itself is left out and ends nothing."""
    said: list[str] = []
    scenes = replay.rerun_worst(plan({}), WORST, said.append)
    assert flown == [7, 3, 4]
    assert list(scenes) == [7, 3]
    assert said[0] == "simulating worst case 1 of 3 again, for the replay on the page"
    assert said[-1] == ""
    assert replay.rerun_worst(plan({}), []) == {}


def test_a_file_that_speaks_of_trajectories_is_obeyed() -> None:
    """Also one that asks for none: nothing is flown that was not asked for."""
    assert replay.is_silent(plan({"runs": 3}))
    assert not replay.is_silent(plan({"trajectories": {"worst": 0}}))


def test_the_page_says_that_they_were_flown_again() -> None:
    """Title and caption, with the runs' numbers; motions that were kept are not called so."""
    scenes = {7: docking(), 3: docking()}
    again = _replay({"worst": WORST, "flown_again": [7, 3]}, scenes)
    assert "simulated again for this page" in again
    assert "Runs 7, 3, each simulated once more; the numbers above are the campaign" in again
    kept = _replay({"worst": WORST}, scenes)
    before = kept.split("<script")[0]
    assert "flown" not in before
    assert "simulated" not in before
    assert "<code>worst = 4</code>" in _replay({"worst": WORST}, {})
