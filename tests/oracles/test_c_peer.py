"""The C header and the reference peer in C: compiled here, and run against softdock's end of the
UDP seam."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest
from udp_rigs import FOLDER, LateRobot, running_peer

import softdock

pytestmark = pytest.mark.oracle
FLAGS = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-O2")
CYCLES = 400


@pytest.fixture(scope="module")
def peer(tmp_path_factory):
    """The peer as a program."""
    compiler = shutil.which("cc")
    if compiler is None:
        message = "there is no C compiler: cc"
        if os.environ.get("SOFTDOCK_REQUIRE_ORACLES") == "1":
            pytest.fail(message)
        pytest.skip(message)
    program = tmp_path_factory.mktemp("peer") / "peer"
    words = [compiler, *FLAGS, "-ffp-contract=off", "-o", program, FOLDER / "peer.c", "-lm"]
    subprocess.run(words, check=True)
    return program


def drive(port, **limits):
    scenario = softdock.load_scenario("epos_1d", {"time.duration_s": 1.6})
    with softdock.UdpFacility(("127.0.0.1", port), start_s=20.0, **limits) as rig:
        return softdock.drive(scenario, rig), rig


def test_the_peer_in_c_gives_the_run_in_process_to_the_bit(peer):
    """Satellites, set-points, forces and books of every cycle."""
    scenario = softdock.load_scenario("epos_1d", {"time.duration_s": 1.6})
    expected = softdock.drive(scenario, LateRobot())
    with running_peer(peer) as (port, process):
        found, rig = drive(port, silence_ms=5000.0)
        said, _ = process.communicate(timeout=20.0)
    assert found.cycles == expected.cycles == CYCLES
    assert found.state.tobytes() == expected.state.tobytes()
    for name in expected.series:
        assert found.series[name].tobytes() == expected.series[name].tobytes(), name
    assert rig.counts["reports"] == CYCLES + 1
    assert said.startswith(f"stopped after cycle {CYCLES}: 0 commands twice, 0 lost, 0 malformed")


def test_a_peer_with_a_clock_of_its_own_paces_the_run(peer):
    """It reports at every tick of 4 ms, whatever has come; what a busy machine makes late is
    counted by name, and the run is as long as its ticks."""
    words = [peer, "0", "4", "1000", "4", "clock"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            port = int(process.stdout.readline())
            found, rig = drive(port, silence_ms=5000.0, lost_in_a_row=200, stale_ms=1000.0)
        finally:
            said, _ = process.communicate(timeout=20.0)
    assert found.status == "completed", rig.reason
    assert rig.counts["reports"] + rig.counts["lost"] == CYCLES + 1
    assert "stopped after cycle" in said
