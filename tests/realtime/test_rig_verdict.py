"""`softdock run`, a rig's run in virtual time and `softdock replay` of its recording: one word."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest
from click.testing import CliRunner
from recorded_rig import record
from rig_runs import quick

import softdock
from softdock.cli.main import cli
from softdock.cli.rig_console import judge_recordings
from softdock.results.phases import judge_in_phases
from softdock.rig.runs import RigRun
from softdock.scenario.files import load_scenario

LATE = {"robots.chaser.delay_ms": 16.0}  # of the emulated robots
RIGS = {  # scenario's keys, the rig's, the word
    "epos": ({}, {}, "unsafe"),
    "damped": ({"contact.0.real.damping_Ns_per_m": 25.0}, {}, "distorted"),
    "soft": (
        {"chaser.mass_kg": 250.0, "contact.0.real.damping_Ns_per_m": 60.0, "time.duration_s": 4.0},
        {},
        "faithful",
    ),
    "stopped": ({}, {"limits.restitution": 1.02}, "unsafe"),
}


@pytest.mark.parametrize("name", RIGS)
def test_one_word(name, tmp_path):
    """The word of the sampling phases, of the recording and of its replay; and where nothing
    stopped it the same criteria fail, by the same numbers."""
    keys, limits, word = RIGS[name]
    scenario = load_scenario("epos_1d").replace(LATE | keys)
    file = tmp_path / "run.mcap"
    outcome = record(quick(limits, scenario), file)
    assert outcome.completed == (name != "stopped")
    flown = judge_in_phases(softdock.simulate(scenario), count=2).metrics["verdict"]
    found = softdock.open_recording(file).judge()
    assert found["word"] == flown["word"] == word
    if outcome.completed:
        assert found["failed"] == flown["failed"]
        for number in ("energy", "distance", "peak_force"):
            mine, theirs = (one["criteria"][number]["number"] for one in (found, flown))
            assert mine == pytest.approx(theirs, abs=0.01)
    else:
        assert "supervisor stopped the run (restitution)" in found["headline"]
        return
    line = ["replay", str(file), "--method", "direct", "--json"]
    said = CliRunner().invoke(cli, line)
    assert said.exit_code == 0, said.output
    told = json.loads(said.stdout)
    assert told["verdict"]["word"] == word
    assert [one["verdict"] for one in told["forecast"]] == [word, word]


def test_the_page_lies_beside_the_recording(tmp_path):
    """What `rig run` does with each recording: verdict, page, and what could not be read."""
    file = tmp_path / "run.mcap"
    outcome = record(quick(), file)

    files = (file, None, tmp_path / "gone.mcap")
    runs = [RigRun(outcome, None, recording, []) for recording in files]
    found = judge_recordings(SimpleNamespace(runs=runs))
    assert [one and one["word"] for one in found] == ["unsafe", None, None]
    page = (tmp_path / "run.html").read_text(encoding="utf-8")
    assert found[0]["clause"] in page
    assert "Doubt: Only one sampling phase was judged." in page
    assert runs[2].not_judged
    assert not runs[2].problems  # the recording itself is whole, as far as its recorder knows
