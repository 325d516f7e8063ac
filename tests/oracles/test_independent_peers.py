"""Independent programs on the other end of the wire: RSIPI, pynetft and NetFT, on loopback.

They are in the dependency group `oracles`; without them these tests are skipped and say so.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time

import numpy as np
import pytest
from forked_emulators import forked
from oracle import need
from rig_pieces import DIGITAL_INPUT, emulation, ethernet_file, free_host, free_ports, warm_up

from softdock.rig.drivers.emulators import Emulators
from softdock.rig.drivers.links import RobotLink
from softdock.rig.drivers.rsi_config import parse_ethernet_file
from softdock.rig.drivers.sockets import Port, Server

pytestmark = pytest.mark.oracle
RDT_PORT = 49152  # NetFT asks no other; so another address of loopback, of this process alone
SENSOR_HOST = free_host(RDT_PORT)
PATIENCE_S = 120.0  # with a busy machine


def script(text: str, folder, *arguments: str) -> subprocess.Popen:
    """A program of its own: these packages start processes and write files where they stand."""
    (folder / "peer.py").write_text(text)
    return subprocess.Popen(
        [sys.executable, "peer.py", *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def result(peer: subprocess.Popen, seconds: float = PATIENCE_S) -> dict:
    """The JSON on the last line that a program prints."""
    out, err = peer.communicate(timeout=seconds)
    assert peer.returncode == 0, err
    return json.loads(out.strip().splitlines()[-1])


@pytest.fixture(scope="module")
def running():
    """Robots at rest, the chaser pressed 5 mm into the wall: 5 N on the sensor."""
    ports = free_ports(2)
    emulated = emulation(
        *ports,
        sensor={
            "rate_Hz": 1000,
            "serial": "FT12345",
            "address": SENSOR_HOST,
            "port": RDT_PORT,
        },
        timeout_packets=1_000_000,
    )
    pressed = emulated.motions[0]._replace(p=(-0.005, 0.0, 0.0))
    object.__setattr__(emulated, "motions", (pressed, emulated.motions[1]))
    with forked(), Emulators(emulated) as processes:
        processes.go()
        yield processes


RSIPI_CLIENT = """
import json, sys, time
from RSIPI.rsi_api import RSIAPI
if __name__ == "__main__":
    api = RSIAPI("ethernet.xml", rsi_mode="absolute", cycle_time=0.004)
    api.start()
    connected = api.client.wait_for_connection(timeout=60.0)
    api.motion.update_cartesian(Y=2.5, C=1.0)
    end, off = time.monotonic() + 60.0, 1.0
    while time.monotonic() < end and off > 1e-3:
        time.sleep(0.1)
        pose = dict(api.client.send_variables.get("RIst", {}))
        off = abs(pose.get("Y", 0.0) - 2.5) + abs(pose.get("C", 0.0) - 1.0)
    api.stop()
    print(json.dumps({"connected": bool(connected), "pose": pose}))
"""


def test_an_rsipi_client_moves_the_emulated_robot(running, tmp_path):
    """A client with its own parser and writer connects, moves the target's robot along the wall and
    about its normal, and reads the pose back; the emulated controller takes its replies."""
    need("RSIPI")
    port = running.emulation.robots[1].ethernet.port
    (tmp_path / "ethernet.xml").write_bytes(ethernet_file(DIGITAL_INPUT, port=port))
    told = result(script(RSIPI_CLIENT, tmp_path))
    assert told["connected"]
    assert told["pose"]["Y"] == pytest.approx(2.5, abs=1e-3)
    assert told["pose"]["C"] == pytest.approx(1.0, abs=1e-3)


RSIPI_SERVER = """
import json, socket, sys, time
bind = socket.socket.bind
class Loopback(socket.socket):  # the server binds every address: here only loopback's
    def bind(self, address):
        super().bind(("127.0.0.1", 0) if address[0] == "0.0.0.0" else address)
socket.socket = Loopback
from RSIPI.rsi_echo_server import EchoServer
class Strict(EchoServer):  # tells replies that are wrong from those that a busy machine made late
    replies, wrong = 0, []
    def process_reply(self, text):
        self.replies += 1
        return super().process_reply(text)
    def _register_faulty_packet(self, reason, count=1):
        if not reason.startswith("no reply in time"):
            self.wrong.append(reason)
        super()._register_faulty_packet(reason, count)
server = Strict("ethernet.xml", delay_ms=4, mode="absolute", timeout_packets=1_000_000)
print(server.udp_socket.getsockname()[1], flush=True)
server.start()
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end and (server.replies < 200 or server.state["RIst"]["X"] != 12.5):
    time.sleep(0.05)
print(json.dumps({"pose": server.state["RIst"], "wrong": server.wrong,
                  "running": server.running, "ipoc": server.ipoc_value}), flush=True)
import os; os._exit(0)
"""


def test_the_driver_answers_an_rsipi_controller(tmp_path):
    """A strict controller of another project: IPOC echoed, SENTYPE right, no packet faulty, the
    step of IPOC learnt, and the robot stands where it was sent."""
    need("RSIPI")
    port = free_ports(1)[0]
    text = ethernet_file(port=port)
    (tmp_path / "ethernet.xml").write_bytes(text)
    file = parse_ethernet_file(text, "ethernet.xml")

    def answering(link):
        def answer(now_ns, who, data):
            if link.receive(data, now_ns) in ("first", "taken", "jumped"):
                yield who, link.reply([12.5, 0.0, -3.0, 0.0, 1.5, 0.0])

        return answer

    warm_up(answering(RobotLink(file, 4.0)), ["chaser"])
    link = RobotLink(file, 4.0)
    answer = answering(link)
    peer = script(RSIPI_SERVER, tmp_path, str(0.5 * PATIENCE_S))
    printed = [peer.stdout.readline() for _ in range(2)]  # a greeting, then its port
    source = int(next(p for p in printed if p.strip().isdecimal()))
    server = Server({"chaser": Port("127.0.0.1", port, ("127.0.0.1", source))}, answer)
    server.run(PATIENCE_S, until=lambda: peer.poll() is not None)
    server.close()
    told, counts = result(peer), link.counts()
    assert counts["heard"] > 100
    assert counts["malformed"] == 0
    assert counts["step_ms"] == 4
    assert told["running"]
    assert told["pose"]["X"] == pytest.approx(12.5)
    assert told["pose"]["B"] == pytest.approx(1.5)
    assert told["wrong"] == []


def test_pynetft_reads_the_emulated_sensor(running):
    """A client in C++ reads the page, streams, and has the contact's force in N to the
    count, with no record malformed, doubled, out of order or stalled."""
    need("pynetft")
    import pynetft

    ports = running.ports["sensor"]
    config = pynetft.Config(
        sensor_host=SENSOR_HOST, rdt_port=ports["port"], http_port=ports["http_port"]
    )
    with pynetft.Client(config) as client:
        assert client.wait_for_first_sample(PATIENCE_S)
        found = []
        for sample in client.samples(timeout=PATIENCE_S):
            found.append(sample)
            if len(found) == 200:
                break
        forces = np.array([s.force for s in found])
        assert forces == pytest.approx(np.tile([5.0, 0.0, 0.0], (200, 1)), abs=1e-6)
        assert all(s.status == 0 for s in found)
        assert {str(s.force_unit) for s in found} == {str(pynetft.ForceUnit.NEWTON)}
        steps = np.diff([s.ft_sequence for s in found])
        assert (steps > 0).all()
        assert (
            steps % 7 == 0
        ).all()  # every seventh of 7 kHz; its queue drops what Python is late for
        health = client.health()
        for name in ("malformed", "duplicate", "out_of_order", "ft_stall", "ft_backward"):
            assert getattr(health, f"{name}_count") == 0, name


def test_netft_reads_the_emulated_sensor(running):
    """A plain client: one record on request, raw counts, no scale; bias makes them zero."""
    need("NetFT")
    from NetFT import Sensor

    assert running.ports["sensor"]["port"] == RDT_PORT
    sensor = Sensor(SENSOR_HOST)
    sensor.sock.settimeout(PATIENCE_S)
    counts = sensor.getMeasurement()
    assert counts == [5_000_000, 0, 0, 0, 0, 0]
    sensor.send(0x42)  # last: there is no way back in the protocol
    end = time.monotonic() + PATIENCE_S
    while (counts := sensor.getMeasurement()) != [0] * 6 and time.monotonic() < end:
        time.sleep(0.05)
    assert counts == [0] * 6
    sensor.sock.close()
