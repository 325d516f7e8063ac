"""`softdock run` as a person or a script uses it: tables or JSON, run folder, exit codes, pipes,
completion."""

from __future__ import annotations

import functools
import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest
from click.shell_completion import BashComplete
from click.testing import CliRunner

import softdock
from softdock.cli.main import LAZY, cli

MAIN = [sys.executable, "-c", "from softdock.cli.main import main; main()"]


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def call(*arguments, **environment):
    return CliRunner().invoke(cli, list(arguments), env=environment or None)


def test_the_verdict_comes_first_and_the_page_last(tmp_path):
    """Without --out the run goes to a numbered folder of its own."""
    for number in (1, 2):
        result = call("run", "epos_1d")
        assert result.exit_code == 0, result.output
        lines = result.stdout.splitlines()
        assert lines[0] == (
            "UNSAFE. Rebound 112 % of the approach speed (on orbit 100 %). Main cause: 16 ms delay "
            "of the chaser's robot."
        )
        assert re.fullmatch(
            r"Next: no setting of this rig is enough \(\d+ tried\); try another method: "
            r"`softdock compare epos_1d`\.",
            lines[1],
        )
        assert lines[2].startswith(
            "Worst of 8 sampling phases: the loop adds 25.2 % of the approach energy (limit 5 %);"
        )
        assert lines[-1] == f"The page: softdock-runs/epos_1d-{number}/report.html"
        assert (tmp_path / "softdock-runs" / f"epos_1d-{number}" / "report.html").is_file()
    m = softdock.open_run(f"softdock-runs/epos_1d-{number}").metrics
    for text in (
        "start",
        f"{m['restitution']:.2f}",
        f"{1e3 * m['energy_added_J']:.2f} mJ",
        "where the added energy comes from",
    ):
        assert text in result.stdout
    for row, energy in m["ledger"]["rows"].items():
        assert f"\n{row} " in result.stdout
        assert f"{1e3 * energy:.3g} mJ" in result.stdout or abs(energy) <= 5e-7
    assert "\x1b" not in result.stdout


def test_json_is_alone_on_standard_output(tmp_path):
    """It is what the run's metrics are; warnings go to standard error; nothing is written unless
    asked."""
    result = call("run", "epos_2d", "--json", "--set", "robots.chaser.delay_ms=8")
    m = softdock.simulate(softdock.load_scenario("epos_2d", ["robots.chaser.delay_ms=8"])).metrics
    found = json.loads(result.stdout)
    assert found["verdict"]["word"] == m["verdict"]["word"]
    assert found["verdict"]["runs"] == 8  # the command judges at several phases, and says why
    assert found.pop("why")["rows"][0]["cause"].endswith("robot: delay")
    assert found | {"verdict": m["verdict"]} == m
    assert all(warning in result.stderr for warning in m["warnings"])
    assert os.listdir(tmp_path) == []


def test_phases_on_the_command_line():
    """Protects --phases: its JSON, its table and its folder hold the same mean and spread."""
    result = call("run", "epos_1d", "--phases", "3", "--json")
    phases = json.loads(result.stdout)["phases"]
    assert phases["count"] == len(phases["runs"]) == 3
    shown = call("run", "epos_1d", "--phases", "3", "--out", "three")
    assert "mean of 3 phases" in shown.stdout
    assert f"{phases['spread']['restitution']['mean']:.2f}" in shown.stdout
    assert softdock.open_run("three").metrics["phases"] == phases


def test_a_run_that_stops_early_exits_3_and_is_kept():
    """A force limit ends the run with code 3, says when, and keeps what there was."""
    result = call("run", "epos_1d", "--set", "stop.force_N=2", "--out", "stopped")
    assert result.exit_code == 3
    assert "The run stopped at" in result.stdout
    assert softdock.open_run("stopped").status == "force limit"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "epos_1"], "did you mean 'epos_1d'?"),
        (["run", "epos_1d", "--set", "robots.chaser.delay=3"], "did you mean 'delay_ms'?"),
        (["run", "epos_1d", "--set", "nonsense"], "key=value"),
        (["run", "nowhere.toml"], "nowhere.toml"),
        (["run", "epos_1d", "--phases", "0"], "--phases"),
        (["run", "epos_1d", "--out", "full"], "holds something"),
        (["run", "epos_1d", "--out", "full/file"], "this is a file"),
        (["run", "epos_1d", "--out", "full/file/deeper"], "can be written"),
        (["run", "epos_1d", "--force"], "--out"),
        (
            ["run", "epos_1d", "--out", "new/deep", "--set", "chaser.position_m=[-0.01, 0, 0]"],
            "bodies apart at the start",
        ),
        (["rum", "epos_1d"], "Did you mean 'run'?"),
        (["zzz"], "There are: "),
        (["run"], "Missing argument"),
    ],
)
def test_bad_input_exits_2_with_one_message(tmp_path, arguments, said):
    """Refused before the run starts; no traceback, nothing on standard output, nothing left
    behind."""
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("mine")
    result = call(*arguments)
    assert result.exit_code == 2
    assert said in result.stderr
    assert "Traceback" not in result.output
    assert result.stdout == ""
    assert os.listdir(tmp_path) == ["full"]
    assert os.listdir(tmp_path / "full") == ["file"]


def test_force_writes_over_a_run():
    """A run is written over with --force only, and is then the new one."""
    assert call("run", "epos_1d", "--out", "here").exit_code == 0
    assert (
        call("run", "epos_1d", "--out", "here", "--set", "robots.chaser.delay_ms=8").exit_code == 2
    )
    assert (
        call(
            "run", "epos_1d", "--out", "here", "--set", "robots.chaser.delay_ms=8", "--force"
        ).exit_code
        == 0
    )
    assert softdock.open_run("here").scenario.tables["robots"]["chaser"]["delay_ms"] == 8


def test_a_folder_of_a_presets_name_does_not_hide_the_preset():
    """A run's folder that is called as the preset is not taken for a scenario file."""
    assert call("run", "epos_1d", "--out", "epos_1d").exit_code == 0
    assert call("run", "epos_1d", "--json").exit_code == 0


def test_a_disk_that_fails_costs_the_folder_and_not_the_numbers(monkeypatch):
    """A disk that fails after the run costs the folder: the numbers are still printed."""
    from softdock.output.folders import run_folder as folder

    def full(path, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(folder, "write_whole", full)
    result = call("run", "epos_1d", "--out", "full")
    assert result.exit_code == 2
    assert result.stdout.startswith("UNSAFE. ")
    assert "Rebound 112 % of the approach speed" in result.stdout
    assert "No space left on device" in result.stderr


def test_a_reader_that_goes_away_is_no_error():
    """`| head`: the run is saved, the exit code is the run's, nothing is said on standard error but
    progress."""
    reader = subprocess.Popen(
        [*MAIN, "run", "epos_1d", "--set", "stop.force_N=2", "--out", "piped"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    reader.stdout.close()
    said = reader.stderr.read()
    assert reader.wait() == 3
    assert "Traceback" not in said
    assert "BrokenPipe" not in said
    assert softdock.open_run("piped").status == "force limit"


def test_a_preset_shown_into_a_closed_pipe():
    """`softdock show | head` ends quietly, with neither traceback nor error code."""
    reader = subprocess.Popen(
        [*MAIN, "show", "epos_3d"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    reader.stdout.close()
    assert (reader.stderr.read(), reader.wait()) == ("", 0)


def test_the_shell_completes_commands_presets_and_keys(tmp_path):
    """Protects tab completion: commands, presets, a file's own keys and options."""
    (tmp_path / "my.toml").write_text(softdock.scenario.files.preset_text("lange_cone"))
    complete = BashComplete(cli, {}, "softdock", "_SOFTDOCK_COMPLETE").get_completions

    def words(arguments, incomplete):
        return [item.value for item in complete(arguments, incomplete)]

    assert "run" in words([], "r")
    assert {"epos_1d", "epos_2d", "epos_3d"} <= set(words(["run"], "epos"))
    assert "robots.chaser.delay_ms=" in words(["run", "epos_1d", "--set"], "robots.chaser.del")
    assert "contact.0.half_angle_deg=" in words(["run", "my.toml", "--set"], "contact.0.half")
    assert "--phases" in words(["run", "epos_1d"], "--")


def test_every_command_says_what_it_does():
    """A line in the table is a command that can be imported, with a first sentence for the list."""
    listed = call("--help").stdout
    for name in LAZY:
        assert call(name, "--help").exit_code == 0
        assert f"\n  {name} " in listed


def test_a_run_imports_nothing_heavy():
    """What takes longer to import than the run takes: scipy (which Numba would fetch), pandas,
    matplotlib, plotly. The run must still be right."""
    program = (
        "import sys\nfrom softdock.cli.main import main\ntry: main()\nexcept SystemExit: "
        "print(sorted(HEAVY & set(sys.modules)))\n"
    )
    heavy = "HEAVY = {'scipy.linalg', 'pandas', 'matplotlib', 'plotly', 'xarray'}\n"
    done = subprocess.run(
        [sys.executable, "-c", heavy + program, "run", "epos_1d", "--out", "light"],
        capture_output=True,
        text=True,
    )
    assert "Rebound 112 % of the approach speed" in done.stdout, done.stderr
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_change_that_brings_in_an_unknown_table_is_named_as_a_change():
    """A misspelt --set is named as such, not as a fault of the scenario's file."""
    for change, named in (
        ("limits.force_N=3", "limits"),
        ("robots.chasr.delay_ms=3", "robots.chasr"),
    ):
        said = call("run", "epos_1d", "--set", change).stderr.splitlines()[
            -1
        ]  # above it, on a slow machine, what is being done
        assert said.startswith(f"--set: {named}: ")


def test_a_run_that_is_killed_leaves_no_run_and_its_folder_can_be_used_again():
    """`kill -9` in the middle: an empty folder stays, which the next run takes."""
    running = subprocess.Popen(
        [*MAIN, "run", "epos_1d", "--phases", "9999", "--out", "killed"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 180.0
    while not os.path.isdir("killed") and time.monotonic() < deadline:
        time.sleep(0.05)
    running.kill()
    assert running.wait() == -signal.SIGKILL
    with pytest.raises(softdock.SoftdockError, match=r"no run\.json"):
        softdock.open_run("killed")
    assert call("run", "epos_1d", "--out", "killed").exit_code == 0
    assert softdock.open_run("killed").status == "completed"


def test_an_interrupted_run_says_so_and_leaves_nothing(tmp_path):
    """Ctrl-C in the middle of many phases ends with code 130 and no half-written folder."""
    command = [*MAIN, "run", "epos_1d", "--phases", "9999", "--out", "cut"]
    listening = functools.partial(
        signal.signal, signal.SIGINT, signal.SIG_DFL
    )  # a test run in the background would hand on its deaf ear
    running = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=listening
    )
    deadline = time.monotonic() + 180.0
    while not os.path.isdir("cut") and time.monotonic() < deadline:
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    out, said = running.communicate()
    assert (running.returncode, out) == (130, "")
    assert said.rstrip().endswith("interrupted")
    assert os.listdir(tmp_path) == []


def test_the_next_step_is_of_the_same_rig():
    """What `--set` changed stands in the command that is advised, by `run` and by `stability`."""
    change = "robots.chaser.delay_ms=20"
    for command in (["run", "epos_1d", "--json"], ["stability", "epos_1d", "--json"]):
        result = CliRunner().invoke(cli, [*command, "--set", change])
        assert result.exit_code == 0, result.output
        found = json.loads(result.stdout)["verdict"]["next_step"]
        assert f"`softdock compare epos_1d --set {change}`" in found
