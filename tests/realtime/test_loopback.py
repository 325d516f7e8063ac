"""Emulators as processes and the controller over Python sockets, all on loopback.

A busy machine is late as it likes, so nothing here depends on a time; virtual time checks numbers.
"""

from __future__ import annotations

import socket

import numba
import pytest
from forked_emulators import forked
from rig_pieces import Docking, emulation, free_ports, warm_up

from softdock import load_scenario
from softdock.drivers.emulate import Emulators
from softdock.drivers.links import SensorLink
from softdock.drivers.net_ft_page import fetch_calibration
from softdock.drivers.serve import Server
from softdock.drivers.sockets import Port
from softdock.errors import BadInput

PATIENCE_S = 120.0  # with a busy machine


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="the processes' loops are compiled")
def test_a_docking_over_loopback():
    """Three processes and a controller: every tick is heard, lost or late, the sensor's scale comes
    from its page, the chaser comes back from the wall, and every process says what it saw."""
    ports = free_ports(2)
    emulated = emulation(*ports, moving=True, timeout_packets=100_000, sensor={"rate_Hz": 1000})
    files = [r.ethernet for r in emulated.robots]
    warm_up(Docking(load_scenario("epos_1d"), files, 1e6, 1e6))
    controller = Docking(load_scenario("epos_1d"), files, 1e6, 1e6)
    with Emulators(emulated) as running:
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
            controller,
        )
        server.tell("sensor", SensorLink.request(), (host, sensor["port"]))

        def come_back() -> bool:
            enough = controller.k >= 600 and server.served.answers >= 2 * 100
            return enough and controller.speed > 0.02

        running.go()
        server.run(PATIENCE_S, until=come_back)
        server.close()
    heard = controller.robots[0].counts()
    assert controller.k >= 600
    assert heard["heard"] + heard["lost"] - heard["jumps"] == controller.k, heard
    assert running.results["chaser"]["ticks"] >= controller.k
    assert running.results["chaser"]["state"] == "RSI on"
    assert server.served.answers >= 2 * 100
    assert controller.speed > 0.02  # it came with -0.02 m/s, and delay makes it faster


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
