"""One program, three drivers: the compiled queue, the Python queue and plain Python send the same
bytes. Checks that need a peer that is tampered with."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numba
import numpy as np
import pytest
from plain import run_plain
from rig_runs import fly, quick
from virtual_time import VirtualTime

from softdock.rig.drivers.emulation import Faults, Window
from softdock.rig.emulated_rig import VirtualRig, make_emulation, make_peers
from softdock.rig.outcome import compute_outcome
from softdock.rig.program import RigProgram
from softdock.rig.supervisor.layout import COUNT, ROBOT_VALUE, SENSOR_VALUE
from softdock.rig.wire.emulated_robot import START
from softdock.rig.wire.emulated_sensor import BIASED

SECONDS = 0.6  # arming and the beginning of the way to the start
HERE = Path(__file__).parents[1]
FAULTS = {"seed": 4, "loss": 0.02, "duplicates": 0.05, "latency_us": 150.0, "jitter_us": 300.0}
PRINTED = """
import sys
sys.path.insert(0, {here!r})
from realtime.test_rig_drivers import digest, compiled_queue
print(digest(compiled_queue()))
"""


def compiled_queue():
    rig = VirtualRig(quick(), Faults(**FAULTS))
    rig.run(SECONDS)
    return rig.program


def digest(program):
    """Of everything that was sent, and of what the supervisor knows."""
    found = hashlib.sha256()
    for array in (program.arrays.reply_ns, program.arrays.replies, program.arrays.robot_values):
        found.update(np.ascontiguousarray(array).tobytes())
    found.update(program.arrays.kept.tobytes())
    return found.hexdigest()


def test_both_queues_run_the_same_program():
    """A datagram at a time from Python, faults and all: every array of the program is equal to the
    bit, but for when it was last looked at."""
    faults = Faults(**FAULTS)
    on = quick()
    peers = make_peers(make_emulation(on, faults))
    program = RigProgram(on, ends=True)
    time = VirtualTime(peers.all, program, faults)
    time.run(round(SECONDS * 1e9))
    other = compiled_queue()
    assert program.state == other.state == "to the start"
    program.arrays.counts[COUNT.now_ns] = other.arrays.counts[COUNT.now_ns]
    names = ("counts", "values", "robot_counts", "robot_values", "sensor_counts", "sensor_values")
    for name in (*names, "reply_ns", "replies", "kept", "report"):
        ours, theirs = getattr(program.arrays, name), getattr(other.arrays, name)
        assert np.array_equal(ours, theirs, equal_nan=True), name


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="is plain already")
def test_compiling_changes_nothing():
    """The same run in plain Python, in a process of its own: the same replies to the bit."""
    done = run_plain(PRINTED.format(here=str(HERE)))
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == digest(compiled_queue())


def test_a_pose_from_elsewhere_is_held_back_and_then_stops_the_run():
    """RIst jumps by 20 mm and stays there: two telegrams are held back, the third stops."""
    rig = VirtualRig(quick())
    rig.run(1.5)
    rig.peers.robots[1].arrays.settings[START + 1] += 20.0  # mm, along y: nothing touches
    rig.run(10.0)
    assert rig.program.reason == "pose_jump"
    assert rig.program.state == "stopped"


def test_a_clock_that_runs_away_stops_the_run():
    """10,000 ppm for half a second is a jump by more than half a cycle within a block."""
    drift = Window("drift", 1.2, 2.4, who=1, value=15_000.0)
    _, found = fly({"limits.tracking_m": 0.05}, Faults(windows=(drift,)))
    assert found.reason == "clock", found.why


def test_the_sensor_s_zero_is_taken_before_anything_moves():
    """A bias of 3 N in the sensor: it is no touch, no force on a satellite, and restitution is that
    of a sensor without."""
    _, plain = fly()
    rig = VirtualRig(quick())
    rig.peers.sensor.arrays.mem[BIASED] = -3.0  # N
    rig.run(40.0)
    found = compute_outcome(rig.program)
    assert found.reason == "completed", found.why
    assert rig.program.arrays.sensor_values[0, SENSOR_VALUE.bias] == pytest.approx(3.0, abs=1e-6)
    assert found.restitution == pytest.approx(plain.restitution, abs=1e-6)
    assert found.peak_force_N == pytest.approx(plain.peak_force_N, abs=1e-5)


@pytest.mark.parametrize("spoilt", [(b"<RSol", b"<RSoL"), (b'<RSol X="', b'<RSol Q="')])
def test_a_first_telegram_without_a_whole_set_point_begins_at_the_measured_pose(spoilt):
    """The Ethernet file sends RSol and this telegram has it not, or in part: corrections count from
    RIst, and are answered; a zero that is no number would leave the robot without answers."""
    on = quick()
    program, robot = RigProgram(on), make_peers(make_emulation(on)).robots[0]
    (telegram,) = robot.act()
    sent = telegram.replace(*spoilt)
    assert sent != telegram
    ((who, answer),) = program(0, "chaser", sent)
    kept = program.arrays.robot_values[0]
    assert np.isfinite(kept[ROBOT_VALUE.start : ROBOT_VALUE.start + 7]).all()
    assert np.array_equal(
        kept[ROBOT_VALUE.start : ROBOT_VALUE.start + 7],
        kept[ROBOT_VALUE.measured : ROBOT_VALUE.measured + 7],
    )
    assert (who, answer.count(b'"0.000000"')) == ("chaser", 6)
    assert program.reason == "none"
