"""The seam over UDP: the same run to the bit, and everything that is wrong with a datagram has a
name, a count and, where it must, the end of the run."""

from __future__ import annotations

import re
import socket
import struct
import threading
import zlib

import numpy as np
import pytest
from udp_rigs import FOLDER, LateRobot, Relay, python_peer

import softdock
from softdock.errors import BadInput
from softdock.loop.seam import COMMAND, PRESENT_BITS, REPORT, STATUS_BITS
from softdock.rig.udp.packet import (
    A_REPORT,
    COMMAND_BYTES,
    HEAD,
    REPORT_BYTES,
    Packet,
    Refused,
    read_packet,
    write_packet,
)
from softdock.rig.udp.server import serve_facility


def scenario(**keys):
    return softdock.load_scenario("epos_1d", {"time.duration_s": 1.6, **keys})


def drive_over(port, relay=None, keys=None, **limits):
    address = ("127.0.0.1", port) if relay is None else relay.address
    with softdock.UdpFacility(address, start_s=20.0, **limits) as rig:
        return softdock.drive(scenario(**(keys or {})), rig), rig


def is_same(a, b):
    assert a.cycles == b.cycles
    assert np.array_equal(a.state, b.state, equal_nan=True)
    for name in a.series:
        assert np.array_equal(a.series[name], b.series[name], equal_nan=True), name


def test_a_peer_without_softdock_gives_the_run_in_process_to_the_bit():
    """peer.py, in a process of its own, against the same rig as a class here."""
    expected = softdock.drive(scenario(), LateRobot())
    assert expected.restitution == pytest.approx(1.1190838714, abs=1e-9)
    with python_peer() as (port, process):
        found, rig = drive_over(port, silence_ms=5000.0)
        said, _ = process.communicate(timeout=20.0)
    is_same(found, expected)
    assert found.status == "completed"
    assert rig.counts["reports"] == expected.cycles + 1
    assert rig.counts["lost"] == rig.counts["bad_checksum"] == 0
    assert "stopped after cycle 400" in said


def test_any_facility_can_stand_at_the_other_end():
    """A whole simulated facility with delays and sensor faults, behind UDP in a thread."""
    keys = {"sensor.noise_N": 0.05, "robots.chaser.delay_jitter_ms": 1.0}
    expected = softdock.drive(scenario(**keys), softdock.SimulatedFacility(scenario(**keys)))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as wire:
        wire.bind(("127.0.0.1", 0))
        inside, counted = softdock.SimulatedFacility(scenario(**keys)), {}
        thread = threading.Thread(target=lambda: counted.update(serve_facility(inside, wire)))
        thread.start()
        found, _ = drive_over(wire.getsockname()[1], keys=keys, silence_ms=5000.0)
        thread.join()
    assert np.array_equal(found.state, expected.state)
    assert np.array_equal(
        found.series["measured.chaser.force.x"], expected.series["measured.chaser.force.x"]
    )
    assert counted["commands"] == found.cycles + 1
    assert inside.stopped == 0


def rewrite(data, offset, form, value):
    """A packet with one number changed and a right checksum."""
    body = bytearray(data[:-8])
    struct.pack_into(form, body, offset, value)
    return bytes(body) + struct.pack("<II", zlib.crc32(bytes(body)), 0)


def at(cell):
    return HEAD.size + 8 * getattr(REPORT.at, cell)


ONCE = {  # what happens to report 50: name in the counts, what goes on in its place
    "bad_checksum": lambda d: [d[:100] + bytes([d[100] ^ 1]) + d[101:]],
    "malformed": lambda d: [b"noise", d[:-8]],
    "twice": lambda d: [d, d],
    "other_session": lambda d: [rewrite(d, 8, "<I", 7), d],
    "sent_again": lambda d: [],
}


@pytest.mark.parametrize("name", ONCE)
def test_what_is_wrong_once_is_counted_and_mended(name):
    """The command is sent again, the report comes again: the run is the same to the bit."""
    expected = softdock.drive(scenario(), LateRobot())
    with (
        python_peer() as (port, _),
        Relay(port, to_us=lambda n, d: ONCE[name](d) if n == 50 else [d]) as relay,
    ):
        found, rig = drive_over(port, relay, silence_ms=5000.0)
    assert rig.counts[name] >= 1
    assert rig.counts["lost"] == 0
    assert rig.describe_counts()
    is_same(found, expected)


ENDS = {  # changes of every report from the 50th on; the reason
    "wrong version": (
        lambda d: [rewrite(d, 4, "<H", 2)],
        "speaks version 2 of the packet, this is",
    ),
    "bad checksums": (
        lambda d: [d[:-8] + bytes(8)] * 3,
        "3 packets in a row with a wrong checksum",
    ),
    "silence": (lambda d: [], "no report for 300 ms"),
    "a stale pose": (lambda d: [rewrite(d, at("chaser_age"), "<d", 0.06)], "chaser_pose of report"),
    "a stale force": (
        lambda d: [rewrite(d, at("chaser_force_age"), "<d", 0.06)],
        "is 60 ms old, limit 50",
    ),
    "no number": (lambda d: [rewrite(d, at("chaser_wrench"), "<d", float("nan"))], "not finite"),
    "a leap ahead": (
        lambda d: [
            rewrite(
                rewrite(d, 12, "<I", int(struct.unpack_from("<I", d, 12)[0]) + 10),
                at("cycle"),
                "<d",
                struct.unpack_from("<d", d, at("cycle"))[0] + 10.0,
            )
        ],
        "came where",
    ),
    "commands that do not arrive": (
        lambda d: [rewrite(d, 16, "<I", struct.unpack_from("<I", d, 16)[0] - 3)],
        "3 commands in a row did not reach the rig",
    ),
}


@pytest.mark.parametrize("name", ENDS)
def test_what_must_stop_a_run_stops_it_and_says_why(name):
    """At the first such report, with the robot told to stop."""
    change, reason = ENDS[name]
    with (
        python_peer() as (port, process),
        Relay(port, to_us=lambda n, d: change(d) if n >= 50 else [d]) as relay,
    ):
        found, rig = drive_over(port, relay, silence_ms=300.0)
        said, _ = process.communicate(timeout=20.0)
    assert reason in rig.reason
    assert found.status == "stopped by the facility"
    assert found.cycles in (50, 51)
    assert rig.reason in " ".join(found.warnings)
    assert "stopped after cycle" in said


def make_report(k, answers, session):
    values = np.zeros(REPORT.size)
    LateRobot.fill.__get__(FakeRobot(), FakeRobot)(k, values)
    return write_packet(Packet(A_REPORT, session, k, answers, 0, 0, values))


class FakeRobot:
    speed, set_points = 0.0, [0.01] * 10_000


class ClockedRig(threading.Thread):
    """A rig that reports by its own clock: `reports(k)` are the cycles that it reports when command
    k comes."""

    def __init__(self, reports):
        super().__init__()
        self.wire = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.wire.bind(("127.0.0.1", 0))
        self.wire.settimeout(10.0)
        self.reports = reports

    def run(self):
        seen = set()
        while True:
            data, source = self.wire.recvfrom(4096)
            found = read_packet(data)
            if found.kind == 3:
                self.wire.close()
                return
            if found.sequence in seen:
                continue
            seen.add(found.sequence)
            for k in self.reports(found.sequence):
                self.wire.sendto(make_report(k, found.sequence, found.session), source)


def drive_clocked(reports, **limits):
    rig = ClockedRig(reports)
    rig.start()
    try:
        with softdock.UdpFacility(rig.wire.getsockname(), silence_ms=2000.0, **limits) as facility:
            return softdock.drive(scenario(), facility), facility
    finally:
        rig.join()


def test_a_lost_report_is_absent_for_its_cycle():
    """One that never comes: its cycle has no pose and no force; one that comes too late is named so
    and changes nothing."""
    skips = {50: [51], 51: []}
    found, rig = drive_clocked(lambda k: skips.get(k, [k]))
    assert found.status == "completed"
    assert rig.counts["lost"] == 1
    assert [e["what"] for e in found.events if e["where"] == "facility"] == ["lost"]
    turned = {50: [51, 50], 51: []}
    again, other = drive_clocked(lambda k: turned.get(k, [k]))
    assert other.counts["lost"] == other.counts["reordered"] == 1
    is_same(again, found)


def test_three_lost_in_a_row_stop_the_run():
    """As of telegrams: what nobody has seen for three cycles is not known any more."""
    found, rig = drive_clocked(lambda k: {50: [53]}.get(k, [k] if k < 50 else []))
    assert rig.reason == "3 reports in a row lost"
    assert found.status == "stopped by the facility"
    assert rig.counts["lost"] == 3


def test_the_bytes_are_those_of_the_page():
    """Sizes, places and a checksum that anybody can compute; every refusal by name."""
    values = np.arange(float(REPORT.size))
    data = write_packet(Packet(A_REPORT, 5, 6, 7, 8, 9, values))
    assert len(data) == REPORT_BYTES == 480
    assert COMMAND_BYTES == 272
    assert data[:4] == b"SDSM"
    assert struct.unpack_from("<HHIIIIqq", data, 4) == (1, 4, 5, 6, 7, 54, 8, 9)
    assert struct.unpack_from("<54d", data, 40) == tuple(values)
    crc = 0xFFFFFFFF
    for byte in data[:-8]:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0xEDB88320 if crc & 1 else 0)
    assert struct.unpack_from("<I", data, 472) == (crc ^ 0xFFFFFFFF,)
    assert np.array_equal(read_packet(data).values, values)
    for size in range(len(data)):
        assert isinstance(read_packet(data[:size]), Refused)
    assert read_packet(rewrite(data, 4, "<H", 3)) == Refused("wrong_version", 3)
    assert read_packet(rewrite(data, 20, "<I", 28)) == Refused("malformed")


def test_the_header_has_the_places_of_the_seam():
    """Every cell and bit of seam.py stands in softdock_seam.h, at the same number."""
    text = (FOLDER / "softdock_seam.h").read_text()
    stated = {n: int(v) for n, v in re.findall(r"#define SD_(\w+) (\d+)\b", text)}
    own = {f"C_{cell.name.upper()}": getattr(COMMAND.at, cell.name) for cell in COMMAND}
    own |= {f"R_{cell.name.upper()}": getattr(REPORT.at, cell.name) for cell in REPORT}
    own |= {name.upper(): bit for name, bit in (STATUS_BITS | PRESENT_BITS).items()}
    own |= {"COMMAND_DOUBLES": COMMAND.size, "REPORT_DOUBLES": REPORT.size}
    assert {name: stated.get(name) for name in own} == own


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"stale_ms": -1.0}, "stale_ms: given -1.0; allowed: a finite number above 0"),
        ({"silence_ms": float("inf")}, "silence_ms"),
        ({"bind": "203.0.113.9"}, "an address of this machine"),
        ({"bind": "x" * 300}, "an address of this machine"),
        ({"port": 70000}, "port: given 70000"),
        ({"peer": ("localhost", 9)}, "peer: given ('localhost', 9)"),  # no sender is called so
        ({"peer": ("127.0.0.1", 0)}, "peer: given ('127.0.0.1', 0)"),
    ],
)
def test_what_cannot_be_is_refused(options, says):
    with pytest.raises(BadInput, match=re.escape(says)):
        softdock.UdpFacility(**{"peer": ("127.0.0.1", 9), **options})
