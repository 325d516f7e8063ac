"""Emulators as processes and the controller over Python sockets, all on loopback.

A busy machine is late as it likes, so nothing here depends on a time; virtual time checks numbers.
"""

from __future__ import annotations

import socket
from dataclasses import replace

import numba
import pytest
from forked_emulators import forked
from rig_pieces import emulation, free_ports, warm_up
from rig_runs import quick

from softdock.errors import BadInput
from softdock.rig.drivers.emulators import Emulators
from softdock.rig.drivers.links import SensorLink
from softdock.rig.drivers.net_ft_page import fetch_calibration
from softdock.rig.drivers.sockets import Port, Server
from softdock.rig.emulated_rig import make_emulation
from softdock.rig.machine import BEARS_ALL
from softdock.rig.program import RigProgram
from softdock.rig.supervisor.layout import ROBOT_COUNT

PATIENCE_S = 120.0  # with a busy machine


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="the processes' loops are compiled")
def test_a_docking_over_loopback():
    """Three processes and the rig's program, a datagram at a time: every telegram is heard or lost,
    the sensor's scale comes from its page, the chaser comes back from the wall, and every process
    reports what it counted."""
    ports = free_ports(4)
    names = ("robots.chaser.port", "robots.target.port")
    names += ("sensors.chaser.port", "sensors.chaser.http_port")
    changes = {
        **BEARS_ALL,
        "robots.chaser.timeout_packets": 1000,
        "robots.target.timeout_packets": 1000,
        **dict(zip(names, ports)),
    }
    on = quick(changes)
    warm_up(RigProgram(on))
    program = RigProgram(on)
    emulated = make_emulation(on)
    patient = tuple(replace(r, timeout_packets=1_000_000) for r in emulated.robots)
    with Emulators(replace(emulated, robots=patient)) as running:
        host, sensor = "127.0.0.1", running.ports["sensor"]
        found = fetch_calibration(host, sensor["http_port"], longest_s=PATIENCE_S)
        assert found.counts_per_N == 1e6
        peers = {n: (host, running.ports[n]["port"]) for n in ("chaser", "target")}
        server = Server(
            {
                "chaser": Port(host, ports[0], peers["chaser"]),
                "target": Port(host, ports[1], peers["target"]),
                "sensor": Port(host, 0, (host, sensor["port"])),
            },
            program,
        )
        server.tell("sensor", SensorLink.request(), (host, sensor["port"]))

        def comes_back() -> bool:
            return program.is_over or program.chaser_velocity[0] > 0.02

        running.go()
        server.run(PATIENCE_S, until=comes_back)
        server.close()
    heard, ended = program.robots["chaser"].counts(), running.results["chaser"]
    assert program.chaser_velocity[0] > 0.02, program.why  # -0.02 m/s before; delay adds speed
    assert heard["heard"] + heard["lost"] - heard["jumps"] <= ended["ticks"] + 1, heard
    assert program.arrays.robot_counts[0, ROBOT_COUNT.telegrams] == heard["heard"]
    assert ended["state"] == "RSI on"
    assert server.served.answers >= 2 * 100


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="the processes' loops are compiled")
def test_an_emulator_without_its_port_says_so():
    """Another program has the sensor's port: refused with the address, no process left behind."""
    taken = Port("127.0.0.1", 0, ("127.0.0.1", 9))
    emulated = emulation(*free_ports(2), sensor={"rate_Hz": 1000, "port": taken.address[1]})
    with forked():
        running = Emulators(emulated)
    with pytest.raises(BadInput, match=f"127.0.0.1:{taken.address[1]}.*a free port"), running:
        pass
    taken.close()
    assert not any(process.is_alive() for process in running._processes)


def test_only_the_stated_peer_is_heard():
    """A datagram from another port is counted and dropped; a used port is refused in words."""
    stranger = Port()
    friend = Port()
    port = Port(peer=friend.address)
    stranger.send(b"go", port.address)
    friend.send(b"stop", port.address)
    found = []
    while not found:
        found = port.drain()
    assert [d.data for d in found] == [b"stop"]
    assert port.foreign == 1
    with pytest.raises(BadInput, match="a free port"):
        Port(port=port.address[1])
    with pytest.raises(BadInput, match="one port a robot"):
        Emulators(emulation(5000, 5000))
    for p in (stranger, friend, port):
        p.close()


def test_nothing_listens_beyond_loopback_unless_it_is_stated():
    """The defaults of every socket here are 127.0.0.1."""
    port = Port()
    assert port.address[0] == "127.0.0.1"
    assert port.socket.family == socket.AF_INET
    assert emulation(5000, 5001).host == "127.0.0.1"
    port.close()
