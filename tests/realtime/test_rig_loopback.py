"""`softdock rig` over sockets: emulators as processes, the compiled loop, recordings, series.

A busy machine is late as it likes. So restitution is judged where the run itself reports that no
telegram was lost and no reply late, and a run that was stopped must say that time was the reason.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import socket
import threading

import numba
import pytest
from click.testing import CliRunner
from forked_emulators import forked
from rig_pieces import free_ports

import softdock
from softdock.cli.main import cli
from softdock.errors import BadInput
from softdock.rig.file import load_rig
from softdock.rig.peers import Commander

compiled_only = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="system calls by name are for compiled code only"
)
CYCLE_MS = 4.0
# reasons that a machine without time for us gives
TIME = {
    "lost",
    "lost_share",
    "late",
    "late_in_all",
    "silence",
    "slow",
    "clock",
    "force_stale",
    "force_implausible",
    "tracking",
    "speed",
    "acceleration",
    "gate",
    "robot_not_heard",
    "sensor_not_heard",
}


def machine_was_late(one):
    """Whether a run reports that the machine had no time for it: what it came to, and why it was
    stopped, is then no statement on softdock."""
    late = one["caught_up"] or one["samples_lost"] or one["force_age_most_ms"] > CYCLE_MS
    return bool(late or any(r["lost"] or r["late"] for r in one["robots"])) or one["reason"] in TIME


def on_free_ports():
    """Changes of `emulated_pair` that nobody else uses."""
    ports = free_ports(4)
    keys = ("robots.chaser.port", "robots.target.port", "sensors.chaser.port")
    changes = [f"{k}={p}" for k, p in zip((*keys, "sensors.chaser.http_port"), ports)]
    changes.append("run_up.listen_s=0.3")  # s; everything is heard all the same
    return [part for change in changes for part in ("--set", change)]


@contextlib.contextmanager
def forged(port):
    """Datagrams from another address of this computer to a port, all the while."""
    ends = threading.Event()

    def send():
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
            other.bind(("127.0.0.2", 0))
            while not ends.wait(0.01):
                other.sendto(b"<Rob><IPOC>4</IPOC></Rob>", ("127.0.0.1", port))

    thread = threading.Thread(target=send)
    thread.start()
    try:
        yield
    finally:
        ends.set()
        thread.join()


def command(*words):
    """The exit code and what it printed, while others send to the chaser's port."""
    ports = on_free_ports()
    with forked(), forged(int(ports[1].partition("=")[2])):
        done = CliRunner().invoke(cli, ["rig", *words, *ports])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.output
    return done.exit_code, json.loads(done.stdout[done.stdout.index("{") :])


@compiled_only
def test_two_bounces_over_loopback_are_as_their_ages_predict(tmp_path):
    """Two runs without a gap between them, each recorded: restitution within 5e-3 of what the
    measured ages predict, unless the run says that it was late; nothing steps too far."""
    out = tmp_path / "series"
    code, found = command("accept", "emulated_pair", "--repeat", "2", "--json", "--out", str(out))
    judged = found["acceptance"]
    known = ("restitution", "force_age_ms")
    bounced = [r for r in found["runs"] if r["completed"] and None not in map(r.get, known)]
    for one, row in zip(bounced, judged["rows"], strict=True):
        if row["on_time"] and not machine_was_late(one):
            assert abs(row["apart"]) <= 5e-3, row
    for number, one in enumerate(found["runs"]):
        assert one["completed"] or machine_was_late(one), one["why"]
        for robot in one["robots"]:
            assert robot["largest_step_mm"] <= 0.4 * (1.0 + 1e-9)
        seen = softdock.open_recording(out / f"run-{number + 1:03d}.mcap")
        assert seen.lost["cycle"] == 0
        assert seen.tables["provenance"]["sensor.serial"] == "FT00000"
        assert any(event["text"].startswith("state: arming") for event in seen.events)
        if not machine_was_late(one):
            assert len(seen.series.rows) >= 626
            assert seen.metrics["restitution_energetic"] == pytest.approx(
                one["restitution"], abs=2e-3
            )
    assert code == (0 if judged["passed"] else 3 if not found["completed"] else 4)
    assert not multiprocessing.active_children()


@compiled_only
def test_a_bound_on_restitution_stops_a_run(tmp_path):
    """epos_1d comes back with 1.119 times its speed: with a bound of 1.05 the supervisor stops it,
    says why, and the exit code is 3. What another address sent is counted, and said."""
    code, found = command(
        "run",
        "emulated_pair",
        "epos_1d",
        "--json",
        "--no-record",
        "--set",
        "limits.restitution=1.05",
    )
    (one,) = found["runs"]
    assert code == 3
    assert not one["completed"]
    assert one["reason"] == "restitution" or machine_was_late(one), one["why"]
    if one["reason"] == "restitution":
        assert "kinetic energy" in one["why"]
        assert one["kinetic_most_J"] <= one["kinetic_bound_J"]
    assert found["not_taken"]["chaser"]["other_address"] > 0
    assert "no safety function" in found["no_safety_function"]


@pytest.mark.prove
@compiled_only
def test_two_sensors_and_the_target_s_clock_over_loopback(tmp_path):
    """Four processes beside ours, the target's telegrams as the clock: the docking is that of the
    preset, and every sample of both sensors is in the recording, each in a stream of its own. The
    same rig in virtual time, with the loop that `make test` compiles: test_rig_shapes.py."""
    port, page = free_ports(2)
    changes = ('clock.master="target"', f"sensors.target.port={port}")
    changes = (*changes, f"sensors.target.http_port={page}", "sensors.target.rate_Hz=1000")
    words = [word for change in changes for word in ("--set", change)]
    code, found = command(
        "run", "emulated_pair", "epos_1d", "--json", "--out", str(tmp_path / "two"), *words
    )
    (one,) = found["runs"]
    assert one["completed"] or machine_was_late(one), one["why"]
    assert code == (0 if one["completed"] else 3)
    seen = softdock.open_recording(tmp_path / "two" / "run.mcap")
    assert seen.tables["run"]["sensor_on"] == "both"
    assert seen.tables["run"]["master"] == "target"
    assert seen.lost["samples"] == seen.lost["samples_target"] == 0
    if not machine_was_late(one):
        assert abs(one["restitution"] - 1.1190838714) <= 2e-2
        assert "measured.target.force.x" in set(seen.series)
        force = seen.series["measured.chaser.force.x"] + seen.series["measured.target.force.x"]
        assert abs(force).max() <= 0.2 * abs(seen.series["measured.chaser.force.x"]).max()
    assert not multiprocessing.active_children()


def test_one_commander_at_a_time(tmp_path):
    """A second program is refused with who holds the rig; afterwards the rig is free."""
    rig = load_rig("emulated_pair")
    refused = pytest.raises(BadInput, match="one commander at a time; process")
    with Commander(rig, tmp_path), refused:
        Commander(rig, tmp_path).__enter__()
    with Commander(rig, tmp_path):
        pass


def test_what_cannot_be_run_is_refused_before_anything_is_opened():
    """A run-up outside of the box, a scenario faster than the limit: with key and what to do, and
    no process was started."""
    runner = CliRunner()
    for change, said in (
        ("robots.chaser.box_max_m=[0.015,0.3,0.3]", "run-up"),
        ("limits.speed_m_per_s=0.01", "at least 0.02"),
    ):
        done = runner.invoke(cli, ["rig", "run", "emulated_pair", "epos_1d", "--set", change])
        assert done.exit_code == 2, done.output
        assert said in done.output
    assert not multiprocessing.active_children()


def test_a_real_address_needs_a_typed_confirmation(tmp_path):
    """Beyond loopback nothing is opened before a person has typed speed, box and energy bound."""
    changes = []
    for key, value in (
        ("robots.chaser.address", "192.0.2.1"),
        ("robots.chaser.bind", "192.0.2.9"),
        ("robots.target.address", "192.0.2.2"),
        ("robots.target.bind", "192.0.2.9"),
    ):
        changes += ["--set", f'{key}="{value}"']
    text = load_rig("emulated_pair").toml().split("[emulate]")[0]
    file = tmp_path / "real.toml"
    file.write_text(text)
    done = CliRunner().invoke(cli, ["rig", "run", str(file), "epos_1d", *changes])
    assert done.exit_code == 2, done.output
    for word in ("confirmation", "100 mm/s", "600 mm", "J"):
        assert word in done.output
