"""The library ur_rtde against the emulated controller, and a docking through both in real time."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import time
from pathlib import Path

import pytest
from click.testing import CliRunner
from oracle import need
from rig_pieces import free_ports
from ur_rigs import BEARS, choose_host, emulated_ur, write_rig

from softdock.cli.main import cli
from softdock.rig.drivers.ur_rtde import RTDE_PORT, send_at_once

pytestmark = pytest.mark.oracle


def find_options(host):
    """TCP_NODELAY of this process's connections to RTDE."""
    found = set()
    for one in Path("/proc/self/fd").iterdir():
        if not one.is_socket():
            continue
        with socket.socket(fileno=os.dup(int(one.name))) as wire, contextlib.suppress(OSError):
            if wire.getpeername() == (host, RTDE_PORT):
                found.add(wire.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
    return found


def test_ur_rtde_takes_the_emulator_for_a_controller():
    """It connects, loads its program, moves the tool, reads it back, and ends the program."""
    need("rtde_control", "rtde_receive")
    import rtde_control as control
    import rtde_receive as receive

    host = choose_host()
    with emulated_ur(host, "--late", "3"):
        commanding = control.RTDEControlInterface(host)
        names = ["actual_TCP_pose", "ft_raw_wrench", "safety_status_bits", "timestamp"]
        reading = receive.RTDEReceiveInterface(host, 500.0, names)
        pose, end = [0.598, 0.01, 0.41, 0.0, 0.0, 0.2], time.monotonic() + 30.0
        assert commanding.isProgramRunning()
        assert find_options(host) == {0}  # ur_rtde leaves Nagle's algorithm on
        send_at_once(host)
        assert find_options(host) == {1}
        assert commanding.servoL(pose, 0.0, 0.0, 0.002, 0.03, 1000.0)
        while reading.getActualTCPPose() != pose and time.monotonic() < end:
            time.sleep(0.01)
        assert reading.getActualTCPPose() == pose
        force = reading.getFtRawWrench()[:3]
        assert sum(one * one for one in force) ** 0.5 == pytest.approx(2.0, abs=1e-9)
        assert commanding.servoStop(1.0)
        commanding.stopScript()
        assert not commanding.isProgramRunning()
        commanding.disconnect()
        reading.disconnect()


def test_a_docking_through_ur_rtde_in_real_time(tmp_path):
    """A bounce at a cycle of 20 ms: restitution within 5e-3 of what the measured ages predict,
    unless the run says that it was late. (Beside other tests; on a quiet machine it is 5e-4.)"""
    need("rtde_control")
    host = choose_host()
    file = write_rig(tmp_path, host)
    changes = {**BEARS, "clock.cycle_ms": 20, "limits.stale_ms": 100.0, "run_up.listen_s": 0.3}
    changes |= zip(("robots.chaser.port", "sensors.chaser.port"), free_ports(2))
    words = [word for key, value in changes.items() for word in ("--set", f"{key}={value}")]
    words += ["--repeat", "1", "--json", "--out", str(tmp_path / "out")]
    with emulated_ur(host):
        done = CliRunner().invoke(cli, ["rig", "accept", str(file), *words])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.output
    assert "{" in done.stdout, done.output
    found = json.loads(done.stdout[done.stdout.index("{") :])
    assert found["drivers_in_python"]["robots.chaser"]["cycles"] > 50
    for row in found["acceptance"]["rows"]:
        if row["on_time"]:
            assert abs(row["apart"]) <= 5e-3, row
