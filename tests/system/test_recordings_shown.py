"""A simulated run as a recording: written, opened, identified, drawn, viewed; recovery by hand."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner
from recorded import CELLS, about, recorded

import softdock
from softdock.cli.main import cli
from softdock.errors import BadInput, BadRecording
from softdock.output.folders.sources import load_scene
from softdock.output.viewer.session import open_session
from softdock.recording.recording import Recording
from softdock.recording.ring_file import make_ring
from softdock.recording.streams import make_rig_streams
from softdock.results.verdict import Word, read_verdict
from softdock.studies.identify import identify


def softdock_command(*arguments: str):
    return CliRunner().invoke(cli, list(arguments))


@pytest.fixture(scope="module")
def flown(tmp_path_factory):
    """EPOS on one axis, and its recording."""
    run = softdock.simulate(softdock.load_scenario("epos_1d"))
    path = run.save_mcap(tmp_path_factory.mktemp("flown") / "run.mcap", note="a test")
    return run, path


def test_a_run_comes_back_from_its_recording_to_the_bit(flown):
    """Series, metrics and contacts are those that were written."""
    run, path = flown
    again = softdock.open_recording(path)
    assert isinstance(again, softdock.Run)
    assert again.series.rows.tobytes() == np.ascontiguousarray(run.series.rows).tobytes()
    assert [c.name for c in again.series.channels] == [c.name for c in run.series.channels]
    assert again.metrics == json.loads(json.dumps(run.metrics))
    assert again.contacts == run.contacts


def test_a_recording_is_the_same_file_each_time(flown, tmp_path):
    """Nothing of the clock or of chance is in a simulated run's file; and none is overwritten."""
    run, path = flown
    assert run.save_mcap(tmp_path / "b.mcap", note="a test").read_bytes() == path.read_bytes()
    with pytest.raises(BadInput, match="exists"):
        run.save_mcap(tmp_path / "b.mcap")


def test_what_a_rig_knows_of_a_run_agrees_with_its_truth(flown):
    """Contacts by measured force, observed energy and stiffness: as the simulated run has them."""
    run, path = flown
    seen = softdock.open_recording(path, as_rig=True)
    assert isinstance(seen, Recording)
    assert not [name for name in seen.series if name.startswith(("true.", "mock_up.", "contact."))]
    assert "measured.target.force.x" not in seen.series  # the sensor is on the chaser
    (contact,) = seen.contacts
    truth, cycle = run.contacts[0], 0.004
    assert contact["start_s"] == pytest.approx(truth["start_s"], abs=1.01 * cycle)
    assert contact["restitution_of_centres"] == pytest.approx(truth["restitution"], abs=1e-9)
    assert contact["restitution_energetic"] == pytest.approx(
        truth["restitution_energetic"], abs=1e-9
    )
    assert contact["peak_force_satellite_N"] == truth["peak_force_satellite_N"]
    assert contact["impulse_Ns"] == pytest.approx(truth["impulse_Ns"], rel=1e-9)
    assert seen.observed[-1] == pytest.approx(run.series["energy.observed"][-1], abs=1e-12)
    assert identify(seen).stiffness.value == identify(run).stiffness.value
    page = seen.page()
    assert "data-replay" in page
    assert "Recorded on a rig" not in page  # it was simulated, and says so
    assert "restitution of the centres" in page


def test_the_viewer_and_the_picture_take_recordings(flown):
    """A recording is shown as it was; what is turned then is simulated."""
    run, path = flown
    session = open_session(str(path))
    assert session.compute().metrics == json.loads(json.dumps(run.metrics))
    recording = softdock.open_recording(path, as_rig=True)
    session.run = recording
    answer = session.compute()
    assert answer.run.sentence == recording.sentence
    assert answer.verdict == read_verdict(recording.judge())
    assert answer.verdict.word is Word.UNSAFE  # this rig is active, and was seen to be
    assert answer.scene.time[-1] == pytest.approx(run.series["time"][-1])
    assert load_scene(str(path)).contacts == load_scene("epos_1d").contacts


def test_commands_read_and_write_recordings(flown, tmp_path):
    """`run --mcap`, `identify`, `picture` on one file; refusals before the run."""
    _, path = flown
    made = softdock_command("run", "epos_1d", "--json", "--mcap", str(tmp_path / "a.mcap"))
    assert made.exit_code == 0, made.output
    assert len(softdock.open_recording(tmp_path / "a.mcap").contacts) == 1
    again = softdock_command("run", "epos_1d", "--json", "--mcap", str(tmp_path / "a.mcap"))
    assert again.exit_code == 2
    assert "exists" in again.output
    found = softdock_command("identify", str(path), "--json")
    stiffness = json.loads(found.stdout)["contact"]["stiffness_N_per_m"]["value"]
    assert stiffness == pytest.approx(1000.0, rel=1e-6)
    drawn = softdock_command("picture", str(path), str(tmp_path / "a.png"))
    assert drawn.exit_code == 0, drawn.output
    assert (tmp_path / "a.png").stat().st_size > 1000
    other = softdock_command("picture", "some.bag", str(tmp_path / "b.png"))
    assert other.exit_code == 2
    assert "a recording of softdock's" in other.output


def test_recover_makes_a_cut_file_whole_and_says_what_it_found(tmp_path):
    """`softdock rig recover`: exit codes, sentences and JSON from a file cut by a crash."""
    rings = make_ring(
        make_rig_streams(CELLS), about(), tmp_path / "run.mcap", tmp_path, seconds=2.0
    )
    recorded(rings, tmp_path / "run.mcap", 65)
    with pytest.raises(BadRecording, match="softdock rig recover"):
        softdock.open_recording(tmp_path / "run.mcap")
    alone = softdock_command("rig", "recover", str(tmp_path / "run.mcap"), "--json")
    assert alone.exit_code == 0, alone.output
    assert json.loads(alone.stdout)["rows_from_rings"] == {}
    assert softdock.open_recording(tmp_path / "run.recovered.mcap").cycles == 59
    twice = softdock_command("rig", "recover", str(tmp_path / "run.mcap"))
    assert twice.exit_code == 2
    arguments = ("--ring", str(rings.path), "--out", str(tmp_path / "b.mcap"))
    both = softdock_command("rig", "recover", str(tmp_path / "run.mcap"), *arguments)
    assert "5 rows of 'cycle' added from the ring" in both.output
    assert softdock.open_recording(tmp_path / "b.mcap").cycles == 64
    none = softdock_command("rig", "recover", str(tmp_path / "no.mcap"))
    assert none.exit_code == 2
    assert "no such file" in none.output
