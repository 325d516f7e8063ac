"""The controller's end as one compiled loop with sockets inside."""

from __future__ import annotations

import time
from pathlib import Path

import numba
import numpy as np
import pytest
from forked_emulators import forked
from plain import run_plain
from rig_pieces import HOST, ROB, emulation, free_ports

from softdock.rig.drivers.compiled_loop import CompiledServer, ask_priority, make_hold_program
from softdock.rig.drivers.emulators import Emulators
from softdock.rig.drivers.links import RobotLink, SensorLink
from softdock.rig.drivers.sockets import Port

pytestmark = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="system calls by name are for compiled code only"
)

ANSWERS, RECORDS = 100, 500  # at least
PATIENCE_S = 120  # with a busy machine


def test_the_compiled_loop_answers_robots_and_hears_the_sensor():
    """Two robots and a sensor as processes: both robots move to the held correction and stay on,
    every answer is taken or late, a stranger's datagrams are not heard, silence ends the loop."""
    ports = free_ports(2)
    emulated = emulation(*ports, timeout_packets=100_000, sensor={"rate_Hz": 1000})
    links = [RobotLink(r.ethernet, 4.0) for r in emulated.robots]
    sensor = SensorLink(1e6, 1e6)
    links[0].reply([3.0, 0.0, 0.0, 0.0, 0.0, 2.0])  # sets what is held for both
    with forked(), Emulators(emulated) as running:
        address = (HOST, running.ports["sensor"]["port"])
        sockets = [
            Port(HOST, port, (HOST, running.ports[name]["port"]))
            for port, name in zip(ports, ("chaser", "target"))
        ]
        sensor_port, stranger = Port(HOST, 0, address), Port()
        server = CompiledServer(
            list(zip(sockets, links)),
            [(sensor_port, sensor)],
            make_hold_program(links[0]),
            rows=1000,
        )
        server.warm_up()
        sensor_port.send(SensorLink.request(), address)
        for _ in range(5):
            stranger.send(b"<Rob/>", sockets[0].address)
        running.show(1, 1.0, "DiL")  # somebody presses the target's stop
        running.go()
        for _ in range(PATIENCE_S):
            assert server.run(1.0) == "in time"
            answered = min(server.counts(which)["answered"] for which in range(len(links)))
            if answered >= ANSWERS and sensor.counts()["heard"] > RECORDS:
                break
    for which, link in enumerate(links):
        counts, heard = server.counts(which), link.counts()
        assert counts["answered"] >= ANSWERS
        assert counts["answered"] + counts["skipped"] == counts["received"] == heard["heard"]
        assert heard["step_ms"] == 4
        assert heard["malformed"] == 0
        moved = link.measured - np.array([1e3 * p for p in emulated.motions[which].p] + [0.0] * 3)
        assert moved == pytest.approx([3.0, 0.0, 0.0, 0.0, 0.0, 2.0], abs=1e-6)
    assert [link.value("DiL") for link in links] == [0.0, 1.0]
    assert server.counts(0)["foreign"] == 5
    assert sensor.counts()["heard"] > RECORDS
    assert sensor.counts()["malformed"] == 0
    assert (server.sockets.compute[0][:ANSWERS] > 0).all()
    assert server.run(5.0, silence_s=0.05) == "a robot is silent"
    for port in (*sockets, sensor_port, stranger):
        port.close()


def test_only_the_first_sender_of_a_robot_s_address_is_answered():
    """Two programs at one address: the port that spoke first is answered, the other's telegrams are
    counted with its port; after a second of silence the other one takes its place."""
    (port,) = free_ports(1)
    ours = Port(HOST, port, (HOST, 0))
    link = RobotLink(emulation(port, port + 1).robots[0].ethernet, 4.0)
    server = CompiledServer([(ours, link)], [], make_hold_program(link))
    server.warm_up()
    robot, other = Port(HOST, 0, ours.address), Port(HOST, 0, ours.address)

    def send(sender, ipoc):
        sender.send(ROB.replace(b"1000", b"%d" % ipoc), ours.address)

    def answered():
        server.run(0.05)
        return [len(one.drain()) for one in (robot, other)]

    for sender, ipoc in ((robot, 1000), (other, 1004), (robot, 1004), (other, 1008)):
        send(sender, ipoc)
    other.send(b"<Rob/>", ours.address)  # no telegram: nobody who could be taken for the robot
    assert answered() == [1, 0]
    counts = server.counts(0)
    assert (counts["other_senders"], counts["other_port"]) == (2, other.address[1])
    assert counts["sender_port"] == robot.address[1]
    time.sleep(1.05)
    send(other, 1012)
    assert answered() == [0, 1]
    assert server.counts(0)["sender_port"] == other.address[1]
    for one in (ours, robot, other):
        one.close()


def test_what_is_not_granted_is_said():
    """An impossible priority is refused in words, and nothing else happens."""
    granted, why = ask_priority(1000)
    assert granted == 0
    assert "SCHED_FIFO 1000" in why


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads Linux's own table")
def test_locked_memory_is_given_back():
    """Memory that stays locked after a run fills every buffer that the process asks for later: a
    page or a campaign made beside it took gigabytes. In a small process: a large one takes seconds
    to lock."""
    done = run_plain(LOCKED)
    assert done.returncode == 0, done.stderr


LOCKED = """
import re
from softdock.rig.drivers.compiled_loop import real_time

def locked_kB():
    found = re.search(r"^VmLck:\\s+(\\d+) kB", open("/proc/self/status").read(), re.M)
    return int(found[1])

with real_time(0, True) as granted:
    assert granted.locked == (locked_kB() > 0)
assert locked_kB() == 0
"""
