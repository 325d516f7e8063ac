"""What a hostile user tried once: each of these hung, crashed or was believed, and is mended."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import signal
import time
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import softdock
from softdock.cli.main import cli
from softdock.cli.progress import output
from softdock.errors import BadInput, BadRunFolder, Problem, RunInterrupted
from softdock.files.values import Refused
from softdock.results import stepper
from softdock.scenario.csv_rows import read_rows
from softdock.scenario.files import preset_text

SOURCES = Path(softdock.__file__).parent
TUMBLING = {
    "satellites.integrator": "symplectic_euler",
    "chaser.rate_rad_per_s": [-0.023, 0.018, -0.032],
    "chaser.inertia_kg_m2": [416, 211, 440],
    "mock_up.chaser.believed.inertia_kg_m2": [2604, 4005, 6167],
}


def test_a_diverging_rotation_ends():
    """It looped for ever on infinity. Its attitudes are cut where they stop being rotations."""
    run = softdock.simulate(softdock.load_scenario("epos_3d", TUMBLING))
    assert run.status == "diverged"
    q = run.series["chaser.attitude"]
    known = np.isfinite(q).all(axis=1)
    assert known[0]
    assert np.abs(np.sum(q[known] ** 2, axis=1) - 1.0).max() < 1e-6


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_a_diverged_run_is_quiet():
    """NumPy's warnings of numbers beyond all bounds do not reach the user."""
    run = softdock.simulate(softdock.load_scenario("epos_3d", TUMBLING))
    assert run.metrics["status"] == "diverged"


def test_ctrl_c_keeps_what_there_was():
    """The run ends at once, with everything up to there; a script that does not catch it ends."""
    pressed = []

    def press(done: int, total: int) -> None:
        if not pressed:
            pressed.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

    scenario = softdock.load_scenario("epos_1d", {"time.duration_s": 100.0})
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
    try:
        with pytest.raises(RunInterrupted) as caught:
            softdock.simulate(scenario, press)
    finally:
        signal.signal(signal.SIGINT, before)
    run = caught.value.run
    assert isinstance(caught.value, KeyboardInterrupt)
    assert 0 < run.cycles < 25_000
    assert run.status == "interrupted"
    assert len(run.series["time"]) == run.cycles + 1
    assert any("interrupted" in warning for warning in run.warnings)


@pytest.mark.parametrize("key", ["sensor.period_ms", "pose.period_ms"])
@pytest.mark.parametrize("period", [1e-7, 1e-300])
def test_work_in_a_cycle_is_bounded(key, period):
    """A sensor that samples ten million times a cycle is refused, not waited for."""
    changes = {key: period} | ({"sensor.handover": "mean"} if key.startswith("sensor") else {})
    with pytest.raises(BadInput, match=re.escape(key)):
        softdock.load_scenario("epos_1d", changes)


def test_a_record_that_does_not_fit_is_refused(monkeypatch):
    """Said before the run, with the duration that would fit."""
    monkeypatch.setattr(stepper, "get_free_memory_bytes", lambda: 1_000_000)
    with pytest.raises(BadInput, match=r"time\.duration_s"):
        softdock.simulate(softdock.load_scenario("epos_1d"))


def test_a_rig_with_a_reach_that_cannot_start_says_why():
    """Bodies deep in contact at the start and a reach to check: one refusal, no traceback."""
    changes = {"chaser.position_m": [-0.5, 0, 0], "robots.chaser.reach_m": 10}
    with pytest.raises(BadInput, match="deep in contact"):
        softdock.simulate(softdock.load_scenario("epos_1d", changes))


@pytest.mark.parametrize("command", ["run", "check", "campaign", "stability", "network"])
def test_devices_and_pipes_are_no_files(command, tmp_path):
    """/dev/zero has no end, and nobody may ever write to a pipe."""
    os.mkfifo(tmp_path / "pipe.toml")
    for source in ("/dev/zero", str(tmp_path / "pipe.toml")):
        began = time.process_time()
        result = CliRunner().invoke(cli, [command, source])
        assert result.exit_code == 2, result.output
        assert "regular file" in result.output
        assert time.process_time() - began < 20.0


def test_large_and_deep_files_are_read_in_bounded_time(tmp_path):
    """Lines were counted from the top for every key: 871 kB took 70 s. Dotted keys of thousands of
    parts took as long in Python's own parser."""
    base = preset_text("epos_1d")
    rows = ",\n".join(f"[{i}, 1.0, 0, 0, 0, 0, 0]" for i in range(20_000))
    long = base + f"\n[external.chaser]\nrows = [\n{rows}\n]\n"
    deep = base + "\n" + ".".join("a" * 20_000) + " = 1\n"
    wide = base + "".join(f"\n[table_{i}]\na = 1\n" for i in range(20_000))
    for text in (long, deep, wide):
        file = tmp_path / "scenario.toml"
        file.write_text(text)
        began = time.process_time()
        told = ""
        try:
            softdock.load_scenario(file)
        except BadInput as error:
            told = str(error)
        assert len(told) < 60_000
        assert time.process_time() - began < 5.0


def test_a_byte_order_mark_costs_no_row(tmp_path):
    """Editors write one without saying so; the first row was taken for a heading."""
    text = "0,1,0,0,0,0,0\n1,1,0,0,0,0,0\n2,0,0,0,0,0,0\n"
    (tmp_path / "push.csv").write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert len(read_rows(tmp_path, "push.csv")) == 3
    with pytest.raises(Refused):
        read_rows(tmp_path, "/dev/zero")


def test_no_escape_reaches_the_terminal(tmp_path, capsys):
    """Names and keys could colour the terminal, move its cursor or make links."""
    output().print("name \x1b[31m \x1b]8;;http://example.com\x1b\\ \x9b2J")
    assert "\x1b" not in (shown := capsys.readouterr().out)
    assert "\x9b" not in shown
    assert "\x1b" not in str(Problem("key\x1b[2J", "value\x1b", "allowed", "file\x1b:1"))
    file = tmp_path / "x.toml"
    file.write_text(preset_text("epos_1d") + '\n"\\u001b[31mred" = 1\n')
    result = CliRunner().invoke(cli, ["check", str(file)])
    assert result.exit_code == 2
    assert "\x1b" not in result.output


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run") / "run"
    softdock.simulate(softdock.load_scenario("epos_1d")).save(folder)
    return folder


def damage_json(key, value):
    def damage(folder):
        for name in ("metrics.json", "run.json"):
            tables = json.loads((folder / name).read_text())
            if key in tables:
                tables[key] = value
                (folder / name).write_text(json.dumps(tables))

    return damage


DAMAGES = {
    "no manifest": lambda f: (f / "run.json").unlink(),
    "a manifest that is a list": lambda f: (f / "run.json").write_text("[1]"),
    "nested without end": lambda f: (f / "run.json").write_text("[" * 100_000),
    "files is a list": damage_json("files", [1]),
    "files of null": damage_json("files", {"series.parquet": None}),
    "a newer version": damage_json("schema", 99),
    "a cut table": lambda f: (f / "series.parquet").write_bytes(b"PAR1"),
    "a folder for a file": lambda f: ((f / "metrics.json").unlink(), (f / "metrics.json").mkdir()),
    "a pipe": lambda f: ((f / "series.parquet").unlink(), os.mkfifo(f / "series.parquet")),
    "a device": lambda f: (
        (f / "run.json").unlink(),
        (f / "run.json").symlink_to("/dev/zero"),
    ),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damaged_run_folders_are_refused(name, saved, tmp_path):
    """Each in bounded time and with a reason; one hung and one aborted Python."""
    copy = tmp_path / "copy"
    shutil.copytree(saved, copy)
    DAMAGES[name](copy)
    with pytest.raises(BadRunFolder):
        softdock.open_run(copy)


def test_a_manifest_that_was_made_to_fit_is_no_way_in(saved, tmp_path):
    """Metrics without their keys, with hashes that fit: a refusal, not a traceback."""
    for number, text in enumerate(("{}", "[]", '{"contacts": 3}', '{"contacts": [{}]}')):
        copy = tmp_path / str(number)
        shutil.copytree(saved, copy)
        (copy / "metrics.json").write_text(text)
        manifest = json.loads((copy / "run.json").read_text())
        listed = {"bytes": len(text), "sha256": hashlib.sha256(text.encode()).hexdigest()}
        manifest["files"]["metrics.json"] = listed
        (copy / "run.json").write_text(json.dumps(manifest))
        with pytest.raises(BadRunFolder):
            softdock.open_run(copy)


# Where code is made from text or bytes are taken for objects, and why that is no data of a user's.
ALLOWED = {
    "studies/campaign/user_outcomes.py": "a user's own outcome file, named by the user",
}


def test_no_data_is_executed():
    """pickle, eval and exec stand only in files of a named list, and in the core's machine, which
    makes code from its own declarations."""
    pattern = re.compile(r"\b(pickle|marshal|shelve|dill)\b|(?<![\w.])(eval|exec)\(")
    found = {
        str(path.relative_to(SOURCES))
        for path in SOURCES.rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if pattern.search(line.partition("#")[0]) and '"""' not in line
    }
    outside = {name for name in found if not name.startswith("compile/")}
    assert outside <= set(ALLOWED), outside - set(ALLOWED)
