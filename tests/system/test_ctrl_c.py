"""Ctrl-C at awkward moments: what was flown is kept, no thread is waited for, and the exit
code is 130."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading

import pytest
from click.testing import CliRunner

import softdock
from softdock.cli.main import cli
from softdock.compile.interrupts import run_each_abandonable
from softdock.errors import RunInterrupted
from softdock.results import phases, simulation


@pytest.fixture
def ctrl_c():
    """Ctrl-C works, also where a shell has it ignored for what runs in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_waits_for_no_thread():
    """A thread pool waited for all that was under way: the longest runs of a campaign."""
    over, pressed = threading.Event(), threading.Lock()

    def work(i: int) -> None:
        if pressed.acquire(blocking=False):  # once
            os.kill(os.getpid(), signal.SIGINT)
        over.wait(600.0)

    with pytest.raises(KeyboardInterrupt):
        for _ in run_each_abandonable(work, range(8), threads=2):
            pass
    assert not over.is_set()  # the threads still wait: nobody has told them that it is over
    over.set()
    assert sorted(run_each_abandonable(lambda i: i * i, range(5), threads=2)) == [0, 1, 4, 9, 16]
    with pytest.raises(ZeroDivisionError):
        list(run_each_abandonable(lambda i: 1 / i, [0], threads=2))


def test_ctrl_c_while_orbit_flies_keeps_the_run(monkeypatch):
    """The rig's run was over, and was lost with orbit's flight."""

    def press(run):
        raise KeyboardInterrupt

    monkeypatch.setattr(simulation, "judge", press)
    with pytest.raises(RunInterrupted) as caught:
        simulation.simulate(softdock.load_scenario("epos_1d"))
    assert caught.value.run.status == "completed"


def test_ctrl_c_while_a_run_is_judged_keeps_it(monkeypatch, tmp_path):
    """The other sampling phases were under way, and the run itself was lost with them."""

    def press(scenarios):
        raise KeyboardInterrupt

    monkeypatch.setattr(phases, "simulate_metrics", press)
    result = CliRunner().invoke(cli, ["run", "epos_1d", "--out", str(tmp_path / "run")])
    assert result.exit_code == 130, result.output
    assert softdock.open_run(tmp_path / "run").status == "completed"


def test_ctrl_c_between_phases_keeps_those_that_there_were(monkeypatch):
    """The scenario's own run and the phases so far, with a word about it."""
    pressed = []

    def fly(call, items, threads):
        for i in list(items)[:2]:
            yield call(i)
        pressed.append(True)
        raise KeyboardInterrupt

    monkeypatch.setattr(phases, "run_each_abandonable", fly)
    with pytest.raises(RunInterrupted) as caught:
        phases.simulate_phases(softdock.load_scenario("epos_1d"), 8)
    metrics = caught.value.run.metrics
    assert pressed
    assert len(metrics["phases"]["runs"]) == 3
    assert any("interrupted after 3 of 8 phases" in warning for warning in metrics["warnings"])


# Presses Ctrl-C once the run tells how far it is: however slow the machine, it is under way.
PRESSED = """
import os, signal
from softdock.results import simulation
from softdock.cli.main import main
simulate = simulation.simulate

def pressing(scenario, progress):
    signals = iter([signal.SIGINT])

    def told(done, total):
        progress(done, total)
        for number in signals:
            os.kill(os.getpid(), number)

    return simulate(scenario, told)

simulation.simulate = pressing
main()
"""


def test_a_command_that_is_interrupted_ends_with_130():
    """`softdock run` of an hour of rig time, in the middle of it: with what there was."""
    arguments = ["run", "epos_1d", "--json", "--set", "time.duration_s=3600"]
    process = subprocess.Popen(
        [sys.executable, "-c", PRESSED, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    out, said = process.communicate(timeout=600)
    assert process.returncode == 130, said
    assert 0.0 < json.loads(out)["ended_at_s"] < 3600.0
    assert "Traceback" not in said


# Presses Ctrl-C when the command is over and Python comes to its own end.
LATE = """
import atexit, os, signal
from softdock.cli.main import main
atexit.register(lambda: os.kill(os.getpid(), signal.SIGINT))
main()
"""


def test_ctrl_c_behind_the_last_line_of_a_command_changes_nothing():
    """All is printed and stored by then: Python was killed while it cleared up, and the exit code
    said that the command had failed."""
    done = subprocess.run(
        [sys.executable, "-c", LATE, "cache"],
        capture_output=True,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert not done.stderr
