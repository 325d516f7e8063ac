"""Logs of thirty laboratories open: names, units, forms and rates are found, and what was one
docking comes back as one docking."""

from __future__ import annotations

import pytest
from click.testing import CliRunner
from laboratories import LABORATORIES
from logged_docking import docking

import softdock
from softdock import BadInput
from softdock.cli.main import cli
from softdock.recording.logs.guess import guess_log
from softdock.recording.logs.guess_text import write_map
from softdock.recording.logs.mapping import parse_map


@pytest.mark.parametrize("name", LABORATORIES)
def test_a_laboratory_opens(name, tmp_path):
    """Without a question: peak force and restitution of the contact are those of the run. With
    one: it is asked, and an import refuses the map until it is answered."""
    write, opens = LABORATORIES[name]
    file, data = write(docking())
    log = tmp_path / file
    log.write_bytes(data)
    guess = guess_log(log)
    text = write_map(log, guess)
    assert (not guess.questions) == opens, (guess.questions, text)
    if not opens:
        with pytest.raises(BadInput):
            softdock.import_log(log, parse_map(text, folder=tmp_path))
        return
    recording = softdock.import_log(log, parse_map(text, folder=tmp_path))
    truth = docking().contact
    assert len(recording.contacts) == 1, text
    found = recording.contacts[0]
    peak = truth["peak_force_measured_N"]
    assert found["peak_force_measured_N"] == pytest.approx(peak, rel=0.01), text
    restitution = truth["restitution_of_centres"]
    assert found["restitution_of_centres"] == pytest.approx(restitution, rel=0.05), text


def test_most_laboratories_ask_nothing():
    """At least 20 of at least 30."""
    assert len(LABORATORIES) >= 30
    assert sum(opens for _, opens in LABORATORIES.values()) >= 20


def test_the_command_shows_what_it_guessed(tmp_path):
    """Columns, units and first values; a delimiter and a decimal sign that are stated are taken,
    written into the map, and refused where the file is not written so."""
    file, data = LABORATORIES["german_excel"][0](docking())
    log = tmp_path / file
    log.write_bytes(data)
    command = ["import", str(log), "--guess", "--delimiter", ";", "--decimal", ","]
    done = CliRunner().invoke(cli, command, env={"COLUMNS": "200"})
    assert done.exit_code == 0, done.output
    for word in ("chaser.wrench force", "Fx [N]", "mm", "assumed: ", "next: softdock import"):
        assert word in done.stdout
    mapped = str(tmp_path / "a.map.toml")
    assert 'decimal = ","' in (tmp_path / "a.map.toml").read_text(encoding="utf-8")
    out = str(tmp_path / "out")
    done = CliRunner().invoke(cli, ["import", str(log), "--map", mapped, "--out", out])
    assert done.exit_code == 0, done.output
    for stated in (["--delimiter", "x"], ["--delimiter", "|"], ["--decimal", "."]):
        refused = CliRunner().invoke(cli, ["import", str(log), "--map", mapped, *stated])
        assert refused.exit_code == 2, refused.output
