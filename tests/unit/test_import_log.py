"""Logs of other programs: a run written with other names, units, frames and clocks comes back the
same, and a log or a map that cannot be right is refused with its line."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import exported
import numpy as np
import pytest
from click.testing import CliRunner
from scenarios import cone_docking

import softdock
from softdock import BadInput
from softdock.cli.main import cli
from softdock.identification import identify
from softdock.logs.attitudes import quaternions
from softdock.logs.mapping import map_of
from softdock.logs.names import said_by
from softdock.recorder.recording import Recording
from softdock.runs.run import Run

NOISE = {"period_ms": 1.0, "delay_ms": 6.0, "noise_N": 0.25, "noise_Nm": 0.02}


@functools.cache
def flown() -> Run:
    """A probe in a cone, both bodies turning; noisy force of 1 kHz, poses 8 ms old."""
    tables = cone_docking(delay_ms=16.0, duration_s=3.0)
    tables["sensor"] = dict(NOISE)
    tables["pose"] = {"delay_ms": 8.0}
    return softdock.simulate(tables)


@pytest.fixture(scope="module")
def rig(tmp_path_factory) -> tuple[Run, Recording]:
    """The run, and what a rig would know of it."""
    path = flown().save_mcap(tmp_path_factory.mktemp("flown") / "run.mcap")
    recording = softdock.open_recording(path, as_rig=True)
    assert isinstance(recording, Recording)
    return flown(), recording


def one_file(folder: Path, angles: str = "abc", **columns: np.ndarray) -> tuple[Path, Path]:
    """Everything in one CSV file, a row a cycle, and its map."""
    series = flown().series
    rows = exported.robot_columns(series, angles) | exported.force_columns(series)
    rows |= {"force_age_ms": 1e3 * series["force_age"]}
    log = exported.write_csv(folder / "log.csv", rows | columns)
    (folder / "map.toml").write_text(exported.map_text(angles), encoding="utf-8")
    return log, folder / "map.toml"


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
    found = softdock.import_log(tmp_path / "run/series.parquet", map_of(text))
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
    found = softdock.import_log(log, map_of("\n\n".join(text)))
    ours, theirs = identify(found), identify(known)
    assert np.abs(found.series["force_age"] - known.series["force_age"]).max() < 2e-9
    assert ours.robot_delay["chaser"].value == pytest.approx(
        theirs.robot_delay["chaser"].value, abs=1e-4
    )
    assert ours.stiffness.value == pytest.approx(theirs.stiffness.value, rel=0.01)
    assert found.observed is None  # no wrench on the satellites was mapped


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> tuple[str, str]:
    """Text of a good log and of its map."""
    log, mapped = one_file(tmp_path_factory.mktemp("whole"))
    return log.read_text(encoding="utf-8"), mapped.read_text(encoding="utf-8")


def edited(lines: list[str], row: int, column: str, value: str) -> list[str]:
    """One cell changed."""
    at = lines[0].split(",").index(column)
    cells = lines[row].split(",")
    cells[at] = value
    return [*lines[:row], ",".join(cells), *lines[row + 1 :]]


BAD_MAPS = [
    ("FT_Fx", "FT_Fq", "did you mean 'FT_F", "map.toml:"),
    ("position_unit = 'mm'", "position_unit = 'furlong'", "one of m, mm", "map.toml:"),
    ("position_unit = 'mm'", "position_unit = 'm'", "did you mean 'mm'", "map.toml:"),
    ('attitude_form = "kuka_abc"', 'attitude_form = "rpy"', "", ""),
    ("attitude_unit = 'deg'", "attitude_unit = 'rad'", "did you mean 'deg'", "map.toml:"),
    ('unit = "ns"', 'unit = "us"', "which unit are the stamps in", "map.toml:"),
    ("[chaser.wrench]", "[chaser.wrensh]", "did you mean 'wrench'", "map.toml:"),
    ("acts = 'on_sensor'", "acts = '?'", "on_body", "map.toml:"),
    ("torque_unit = 'Nmm'", "torque_unit = 'kNm'", "at most", "log.csv:"),
    ('column = "utc_ns"', 'column = "?"', "an answer", "map.toml:"),
    ('column = "utc_ns"', 'column = "FT_Fx"', "stamps that grow", "log.csv:"),
    ("schema = 1", "schema = 9", "1", "map.toml:1"),
    ("age_unit = 'ms'", "age_unit = 's'", "at most 1 s", "log.csv:"),
]


@pytest.mark.parametrize(("old", "new", "said", "where"), BAD_MAPS)
def test_maps_that_cannot_be_right_are_refused(whole, tmp_path, old, new, said, where):
    """With the line of the map (and of the log where a value shows it), and a suggestion; nothing
    is written. Angles in another order are no error that a log could show."""
    (tmp_path / "log.csv").write_text(whole[0], encoding="utf-8")
    assert old in whole[1]
    (tmp_path / "map.toml").write_text(whole[1].replace(old, new), encoding="utf-8")
    command = ["import", str(tmp_path / "log.csv"), "--map", str(tmp_path / "map.toml")]
    done = CliRunner().invoke(cli, [*command, "--out", str(tmp_path / "out")])
    if not said:
        return
    assert done.exit_code == 2, done.output
    assert said in done.stderr
    assert where in done.stderr
    assert not (tmp_path / "out").exists()


def test_logs_that_cannot_be_right_are_refused(whole, tmp_path):
    """A gap, a hole, a word, a force of 1e6 N, a short line, a stamp that runs backwards: the line
    of the log is named, and of a gap the part that has none."""
    lines = whole[0].splitlines()
    (tmp_path / "map.toml").write_text(whole[1], encoding="utf-8")
    stamp = str(exported.STAMP_0)
    bad = {
        "log.csv:302": ([*lines[:301], *lines[330:]], "from_s = "),
        "log.csv:101": (edited(lines, 100, "FT_Fy", ""), "no number"),
        "log.csv:51": (edited(lines, 50, "FT_Fy", "off"), "a number"),
        "log.csv:41": (edited(lines, 40, "FT_Fy", "1e6"), "at most 100000 N"),
        "log.csv:31": ([*lines[:30], "1,2,3", *lines[31:]], "cells in every line"),
        "log.csv:21": (edited(lines, 20, "utc_ns", stamp), "stamps that grow"),
        "log.csv:61": (edited(lines, 60, "pose_age_ms", "-4.0"), "ages of at least 0"),
    }
    for where, (text, said) in bad.items():
        (tmp_path / "log.csv").write_text("\n".join(text) + "\n", encoding="utf-8")
        with pytest.raises(BadInput) as error:
            softdock.import_log(tmp_path / "log.csv", tmp_path / "map.toml")
        assert said in str(error.value)
        assert where in str(error.value), str(error.value)


def test_a_part_without_gaps_can_be_taken(whole, tmp_path):
    """The refusal of a gap names from_s and to_s; with them the part is imported."""
    lines = whole[0].splitlines()
    (tmp_path / "log.csv").write_text(
        "\n".join([*lines[:100], *lines[120:]]) + "\n", encoding="utf-8"
    )
    with pytest.raises(BadInput) as error:
        softdock.import_log(tmp_path / "log.csv", map_of(whole[1]))
    part = str(error.value).split("without a gap: ")[1].replace(", to_s", "\nto_s")
    found = softdock.import_log(tmp_path / "log.csv", map_of(part + "\n" + whole[1]))
    assert len(found.series["time"]) == len(lines) - 120
    assert identify(found).stiffness.value == pytest.approx(4000.0, rel=0.05)


def test_clocks_that_do_not_overlap_are_refused(tmp_path):
    """With both spans, and the offset that would let them begin together."""
    series = flown().series
    log = exported.write_csv(tmp_path / "robots.csv", exported.robot_columns(series))
    exported.write_csv(tmp_path / "ft.csv", exported.sensor_file(series))
    text = exported.map_text(force_clock="ft", age="age_ms = 6.0") + (
        '\n[clock.ft]\nfile = "ft.csv"\ncolumn = "t_sensor"\n'
    )
    with pytest.raises(BadInput) as error:
        softdock.import_log(log, map_of(text, folder=tmp_path))
    assert "overlaps 'log'" in str(error.value)
    assert "offset_s = 1700000003." in str(error.value)


def test_the_command_writes_a_folder_that_other_commands_take(whole, tmp_path):
    """Recording, page, metrics and map; identify and picture read the folder."""
    (tmp_path / "log.csv").write_text(whole[0], encoding="utf-8")
    (tmp_path / "map.toml").write_text(whole[1], encoding="utf-8")
    out = tmp_path / "out"
    command = ["import", str(tmp_path / "log.csv"), "--map", str(tmp_path / "map.toml")]
    done = CliRunner().invoke(cli, [*command, "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert {p.name for p in out.iterdir()} == {
        "recording.mcap",
        "report.html",
        "metrics.json",
        "map.toml",
    }
    metrics = json.loads((out / "metrics.json").read_text(encoding="utf-8"))
    assert metrics["distance_from_orbit"] is None
    assert metrics["energy_observed_J"] is not None
    again = CliRunner().invoke(cli, ["identify", str(out), "--json"])
    assert again.exit_code == 0, again.output
    found = json.loads(again.stdout)["contact"]["stiffness_N_per_m"]["value"]
    assert found == pytest.approx(4000.0, rel=0.05)
    drawn = CliRunner().invoke(cli, ["picture", str(out), str(tmp_path / "a.svg")])
    assert drawn.exit_code == 0, drawn.output
    full = CliRunner().invoke(cli, [*command, "--out", str(out)])
    assert full.exit_code == 2


def test_a_guess_is_a_map_with_questions(whole, tmp_path):
    """What names say is filled in with units; what they do not say is asked, and an import refuses
    the question with its line."""
    log = tmp_path / "log.csv"
    log.write_text(whole[0], encoding="utf-8")
    done = CliRunner().invoke(cli, ["import", str(log), "--guess"])
    assert done.exit_code == 0, done.output
    text = (tmp_path / "log.map.toml").read_text(encoding="utf-8")
    for line in (
        'column = "utc_ns"',
        'unit = "ns"',
        'position = ["cmd_chaser_x_mm", "cmd_chaser_y_mm", "cmd_chaser_z_mm"]',
        'attitude_form = "kuka_abc"',
        'force = ["FT_Fx", "FT_Fy", "FT_Fz"]',
        'age = "force_age_ms"',
    ):
        assert line in text, text
    map_of(text)  # nothing to ask of this one
    bare = "\n".join(line.split(",", 1)[1] for line in whole[0].splitlines())
    log.write_text(bare, encoding="utf-8")
    asked = CliRunner().invoke(cli, ["import", str(log), "--guess", "--force"])
    assert "asked: which column has the stamps" in asked.output
    refused = CliRunner().invoke(cli, ["import", str(log), "--map", str(tmp_path / "log.map.toml")])
    assert refused.exit_code == 2
    assert "log.map.toml:" in refused.stderr
    assert "given '?'" in refused.stderr


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
    said = said_by(name)
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
        found = exported.rotation(quaternions(values, form))
        assert (found * turned.inv()).magnitude().max() < 1e-12, form
