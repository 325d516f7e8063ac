"""Another method on a recording: what it would have commanded, and what is forecast of it."""

from __future__ import annotations

import copy
import json

import pytest
from click.testing import CliRunner

import softdock
from softdock.cli.main import cli
from softdock.errors import BadInput
from softdock.output.folders.replay import split_ages
from softdock.results.driving import RecordedFacility

OTHER = "energy_ledger"  # whose loop and controller other tests need too (test_seam.py)


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    """epos_1d as a rig would have recorded it."""
    file = tmp_path_factory.mktemp("replay") / "run.mcap"
    softdock.simulate(softdock.load_scenario("epos_1d")).save_mcap(file)
    return file


@pytest.fixture(scope="module")
def replayed(recording):
    return softdock.replay(softdock.open_recording(recording, as_rig=True), OTHER)


def test_the_recorded_method_in_open_loop_gives_what_was_recorded(replayed):
    """Same reports, same controller: the set-points of the recording, and its restitution. So what
    another method gives is that method's."""
    own, other = replayed.open_loop
    assert own.apart_mm < 1e-6
    assert own.restitution == pytest.approx(replayed.recorded_restitution, abs=1e-6)
    assert other.method == OTHER
    assert other.apart_mm > 0.01


def test_the_forecast_stands_beside_what_was_recorded(replayed):
    """Stiffness and delay are found from the recording; simulated anew with them the recorded
    method gives the recorded restitution, and the other one that is nearer to orbit's."""
    assert replayed.identified["contact.0.real.stiffness_N_per_m"] == pytest.approx(1000, rel=5e-3)
    assert replayed.identified["robots.chaser.delay_ms"] == pytest.approx(16.0, abs=0.1)
    own, other = replayed.forecast
    assert own.restitution == pytest.approx(replayed.recorded_restitution, abs=5e-3)
    assert abs(other.restitution - 1.0) < abs(own.restitution - 1.0)
    told = replayed.to_dict()
    assert set(told["what_it_is"]) == {"open_loop", "forecast"}


def test_ages_below_a_cycle_are_delay_of_the_robots():
    """A sensor that samples once a cycle would make 0.03 ms of age a whole cycle of it."""
    scenario = softdock.load_scenario("epos_1d")
    found = {"robots.chaser.delay_ms": 16.0, "sensor.delay_ms": 0.03, "pose.delay_ms": 2.3}
    made = split_ages(found, scenario)
    assert made["robots.chaser.delay_ms"] == pytest.approx(16.03)
    assert made["robots.target.delay_ms"] == pytest.approx(16.03)
    assert made["sensor.delay_ms"] == 0.0
    assert "pose.delay_ms" not in made
    older = split_ages({"sensor.delay_ms": 4.5, "pose.delay_ms": 4.5}, scenario)
    assert older["sensor.delay_ms"] == 4.0
    assert older["robots.chaser.delay_ms"] == pytest.approx(16.5)
    assert older["pose.delay_ms"] == 4.5


def test_replay_as_it_is_typed(recording, tmp_path):
    """JSON alone on standard output; the forecast's run folder beside it; what cannot be is
    refused."""
    folder = tmp_path / "out"
    arguments = ["replay", str(recording), "--method", OTHER, "--json", "--out", str(folder)]
    told = CliRunner().invoke(cli, arguments)
    assert told.exit_code == 0, told.output
    assert json.loads(told.stdout)["forecast"][1]["method"] == OTHER
    assert (folder / "report.html").is_file()
    assert json.loads((folder / "replay.json").read_text())["recorded"]["rows"] > 600
    wrong = CliRunner().invoke(cli, ["replay", str(recording), "--method", "energy_leger"])
    assert wrong.exit_code == 2
    assert "energy_ledger" in wrong.output


def test_what_cannot_be_replayed_is_refused(recording):
    """No scenario: no masses. A lost row: nobody knows what happened in it."""
    opened = softdock.open_recording(recording, as_rig=True)
    bare = copy.copy(opened)
    bare.scenario = None
    with pytest.raises(BadInput, match="its scenario attached"):
        softdock.replay(bare, OTHER)
    series = {name: opened.series[name] for name in opened.series}
    series["time"] = series["time"].copy()
    series["time"][100:] += 0.004
    with pytest.raises(BadInput, match=r"a gap after 0\.396 s"):
        RecordedFacility(series, 0.004, 600)
