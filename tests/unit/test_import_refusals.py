"""Logs and maps that cannot be right are refused with file and line; what can be guessed of a
log is a map with questions."""

from __future__ import annotations

import json
import re
from html import escape

import exported
import pytest
from click.testing import CliRunner
from flown_log import flown, one_file

import softdock
from softdock import BadInput
from softdock.cli.main import cli
from softdock.recording.logs.mapping import parse_map
from softdock.studies.identify import identify


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
        softdock.import_log(tmp_path / "log.csv", parse_map(whole[1]))
    part = str(error.value).split("without a gap: ")[1].replace(", to_s", "\nto_s")
    found = softdock.import_log(tmp_path / "log.csv", parse_map(part + "\n" + whole[1]))
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
        softdock.import_log(log, parse_map(text, folder=tmp_path))
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
    assert metrics["error_against_orbit"] is None
    assert metrics["energy_observed_J"] is not None
    headline = metrics["verdict"]["headline"]  # the same in the terminal and on the page
    assert headline.startswith(metrics["verdict"]["word"].upper())
    assert headline in done.output
    page = (out / "report.html").read_text(encoding="utf-8")
    assert escape(headline) in re.sub("</?strong>", "", page)
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
    parse_map(text)  # nothing to ask of this one
    bare = "\n".join(line.split(",", 1)[1] for line in whole[0].splitlines())
    log.write_text(bare, encoding="utf-8")
    asked = CliRunner().invoke(cli, ["import", str(log), "--guess", "--force"])
    assert "asked: which column has the stamps" in asked.output
    refused = CliRunner().invoke(cli, ["import", str(log), "--map", str(tmp_path / "log.map.toml")])
    assert refused.exit_code == 2
    assert "log.map.toml:" in refused.stderr
    assert "given '?'" in refused.stderr
