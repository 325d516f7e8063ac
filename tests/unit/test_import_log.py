"""Logs of other programs: a run written with other names, units, frames and clocks comes back the
same, and a log or a map that cannot be right is refused with its line."""

from __future__ import annotations

import exported
import numpy as np
import pytest
from click.testing import CliRunner
from flown_log import flown, one_file

import softdock
from softdock.cli.main import cli
from softdock.recording.logs.guess_parts import read_name
from softdock.recording.logs.mapping import parse_map
from softdock.recording.logs.units import convert_to_quaternions
from softdock.recording.recording import Recording
from softdock.results.run import Run
from softdock.studies.identify import identify


@pytest.fixture(scope="module")
def rig(tmp_path_factory) -> tuple[Run, Recording]:
    """The run, and what a rig would know of it."""
    path = flown().save_mcap(tmp_path_factory.mktemp("flown") / "run.mcap")
    recording = softdock.open_recording(path, as_rig=True)
    assert isinstance(recording, Recording)
    return flown(), recording


def same(found: Recording, rig: Recording) -> None:
    """Energy, contacts and identified numbers of an imported log are the rig's own."""
    scale = np.abs(rig.observed).max()
    assert np.abs(found.observed - rig.observed).max() < 1e-7 * scale
    assert len(found.contacts) == len(rig.contacts) > 0
    for ours, theirs in zip(found.contacts, rig.contacts, strict=True):
        for key in ("start_s", "end_s", "peak_force_measured_N", "restitution_energetic"):
            assert ours[key] == pytest.approx(theirs[key], rel=1e-6, abs=1e-6)
    ours, theirs = identify(found).to_dict(), identify(rig).to_dict()
    for part, key in (("contact", "stiffness_N_per_m"), ("delay", "loop_delay_s")):
        for number in ("value", "standard_uncertainty"):
            assert ours[part][key][number] == pytest.approx(theirs[part][key][number], rel=1e-5)


@pytest.mark.parametrize("angles", ["abc", "xyzw"])
def test_a_csv_with_other_names_units_and_frames(rig, tmp_path, angles):
    """Flange poses in a robot's base in mm and degrees, forces in the sensor's axes with the
    opposite sign, stamps in ns since 1970: the same numbers come out."""
    run, known = rig
    log, mapped = one_file(tmp_path, angles)
    found = softdock.import_log(log, mapped)
    same(found, known)
    for name in ("chaser.position", "command.target.rate", "seen.chaser.attitude"):
        assert np.abs(found.series[name] - run.series[name]).max() < 1e-9


def test_a_force_file_with_a_clock_of_its_own(rig, tmp_path):
    """Samples in a second file, by a clock that is 3.25 s behind; 6 ms from sample to arrival."""
    series = flown().series
    log = exported.write_csv(tmp_path / "robots.csv", exported.robot_columns(series))
    exported.write_csv(tmp_path / "ft.csv", exported.sensor_file(series))
    text = exported.map_text(force_clock="ft", age="age_ms = 6.0") + (
        f'\n[clock.ft]\nfile = "ft.csv"\ncolumn = "t_sensor"\noffset_s = {exported.FORCE_CLOCK_S}\n'
    )
    text = text.replace('unit = "ns"', f'unit = "ns"\nzero = {exported.STAMP_0}')
    (tmp_path / "map.toml").write_text(text, encoding="utf-8")
    found = softdock.import_log(log, tmp_path / "map.toml")
    first = len(series["time"]) - len(found.series["time"])
    assert first <= 3  # cycles before the first sample arrived
    for name in ("force_age", "measured.chaser.force"):
        assert np.abs(found.series[name] - series[name][first:]).max() < 1e-8
    ours, theirs = identify(found), identify(rig[1])
    assert ours.stiffness.value == pytest.approx(
        theirs.stiffness.value, abs=0.5 * theirs.stiffness.uncertainty
    )  # the free flight that gives the zero is two cycles shorter
    assert ours.loop_delay.value == pytest.approx(theirs.loop_delay.value, abs=2e-6)


def test_parquet_and_mcap_hold_the_same(rig, tmp_path):
    """A run folder's own table and the flat topic of a recording, read as anybody's."""
    run, known = rig
    run.save(tmp_path / "run")
    for log, topic in ((tmp_path / "run/series.parquet", ""), (tmp_path / "run.mcap", "cycle")):
        if topic:
            run.save_mcap(log)
        guessed = CliRunner().invoke(
            cli, ["import", str(log), "--guess", "--map", str(tmp_path / f"{topic}.toml")]
        )
        assert guessed.exit_code == 0, guessed.output
        text = (tmp_path / f"{topic}.toml").read_text(encoding="utf-8")
        assert "[chaser.command]" in text
    text = (tmp_path / ".toml").read_text(encoding="utf-8")
    text = text.replace('# same_as = "wrench"', "")
    found = softdock.import_log(tmp_path / "run/series.parquet", parse_map(text))
    same(found, known)


def test_ros_topics_of_an_mcap_file(rig, tmp_path):
    """Poses and wrenches as ROS 2 messages: the delay of the robot by set-points and poses, each
    with its header's age."""
    run, known = rig
    log = run.save_mcap(tmp_path / "run.mcap")
    text = ['schema = 1\nrows = "chaser_command"']
    for body in ("chaser", "target"):
        for role in ("command", "measured", "satellite"):
            text.append(
                f'[clock.{body}_{role}]\ntopic = "/{body}/{role}/pose"\ncolumn = "log_time"\n'
                f'unit = "ns"\n[{body}.{role}]\nclock = "{body}_{role}"\nstamped = "received"\n'
                'position = ["pose.position.x", "pose.position.y", "pose.position.z"]\n'
                'attitude_form = "xyzw"\nattitude = ["pose.orientation.x", "pose.orientation.y", '
                '"pose.orientation.z", "pose.orientation.w"]'
                + ('\nage = "header.age"' if role == "measured" else "")
            )
    text.append(
        '[clock.ft]\ntopic = "/chaser/wrench"\ncolumn = "log_time"\nunit = "ns"\n[chaser.wrench]\n'
        'clock = "ft"\nstamped = "received"\nage = "header.age"\n'
        'force = ["wrench.force.x", "wrench.force.y", "wrench.force.z"]\n'
        'torque = ["wrench.torque.x", "wrench.torque.y", "wrench.torque.z"]'
    )
    found = softdock.import_log(log, parse_map("\n\n".join(text)))
    ours, theirs = identify(found), identify(known)
    assert np.abs(found.series["force_age"] - known.series["force_age"]).max() < 2e-9
    assert ours.robot_delay["chaser"].value == pytest.approx(
        theirs.robot_delay["chaser"].value, abs=1e-4
    )
    assert ours.stiffness.value == pytest.approx(theirs.stiffness.value, rel=0.01)
    assert found.observed is None  # no wrench on the satellites was mapped


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("cmd_chaser_x_mm", ("chaser", "command", "position", "x", "mm")),
        ("FT.Fx", ("", "wrench", "force", "x", "")),
        ("targetPosActualZ", ("target", "measured", "position", "z", "")),
        ("/servicer/wrench.torque.y", ("chaser", "wrench", "torque", "y", "")),
        ("command.target.attitude.w", ("target", "command", "attitude", "w", "")),
    ],
)
def test_names_say_what_they_are(name, expected):
    """Words, camel case and joined letters."""
    said = read_name(name)
    assert (said.body, said.role, said.quantity, said.axis, said.unit) == expected


def test_attitude_forms_agree():
    """The same rotation in every form, against scipy."""
    turned = exported.Rotation.random(20, random_state=1)
    x, y, z, w = turned.as_quat().T
    abc = turned.as_euler("ZYX")
    forms = {
        "wxyz": np.stack([w, x, y, z], axis=1),
        "xyzw": turned.as_quat(),
        "kuka_abc": abc,
        "rpy": abc[:, ::-1],
        "rotation_vector": turned.as_rotvec(),
    }
    for form, values in forms.items():
        found = exported.rotation(convert_to_quaternions(values, form))
        assert (found * turned.inv()).magnitude().max() < 1e-12, form
