"""What is said of a computer comes from its numbers; an emulated operator starts RSI again."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from softdock.loop.spatial.motion import Motion
from softdock.rig import runs
from softdock.rig.drivers import emulators
from softdock.rig.drivers.compiled_loop import Granted
from softdock.rig.machine import MachineReport, summarise_times
from softdock.rig.wire.emulated_robot import (
    LATE,
    LATE_IN_A_ROW,
    ROBOT_WHOLES,
    RUNNING,
    STATE,
    TICK,
    TIMED_OUT,
)


def report(program, echo, fifo=80, refusals=()):
    return MachineReport(
        system="Linux",
        cores=2,
        granted=Granted(fifo, True, refusals),
        cycle_ms=4.0,
        wake_up=summarise_times(np.array([])),
        program=summarise_times(np.array(program, float)),
        echo=summarise_times(np.array(echo, float)),
        late=3,
        ticks=1000,
    )


def test_aims_are_judged_beside_the_echo():
    """A tail of 500 us is met where the echo has 200, and not where it has 20."""
    often = [16.0] * 9999
    met, not_met = report([*often, 16.0], [*often, 16.0]), report([40.0] * 9999, [12.0] * 9999)
    assert "(aim 25: met)" in met.sentences()[1]
    assert "(aim 25: not met)" in not_met.sentences()[1]
    slow = report([16.0] * 99 + [500.0] * 9, [12.0] * 99 + [20.0] * 9).sentences()[1]
    assert "500 us in 99.99 % (aim 200: not met)" in slow
    quick = report([16.0] * 99 + [500.0] * 9, [12.0] * 99 + [200.0] * 9).sentences()[1]
    assert "500 us in 99.99 % (aim 600: met)" in quick
    assert "the tail of 9999 answers only" in not_met.sentences()[2]
    assert "3 of 1000 replies came too late (0.3 %)" in met.sentences()[-1]
    assert met.to_dict()["wake_up"] is None


def test_the_tail_is_that_of_the_median_block():
    """One bad block of three does not make the tail, two do; fewer answers than a block are one."""
    quiet, loud = np.full(10_000, 16.0), np.full(10_000, 900.0)
    assert summarise_times(np.concatenate([quiet, loud, quiet])).p9999 == pytest.approx(16.0)
    assert summarise_times(np.concatenate([loud, quiet, loud])).p9999 == pytest.approx(900.0)
    assert summarise_times(loud[:50]).p9999 == pytest.approx(900.0)
    assert "(--seconds 56)" in report([16.0], [12.0]).sentences()[2]


def test_what_was_refused_is_said_with_what_to_do():
    """No priority is no detail: beyond loopback nothing runs without."""
    said = report([16.0], [12.0], 0, ("SCHED_FIFO 80: Operation not permitted",)).sentences()[0]
    assert said.startswith("No real-time priority: SCHED_FIFO 80: Operation not permitted.")
    assert "rtprio" in said


class StandIn:
    """A robot's arrays without its loop."""

    def __init__(self):
        self.arrays = SimpleNamespace(whole=np.zeros(ROBOT_WHOLES, np.int64))
        self.started = []

    def motion_at(self, instant_ns):
        return Motion((1.0, 2.0, 3.0), (1.0, 0.0, 0.0, 0.0), (0.1, 0.0, 0.0), (0.0, 0.0, 0.0))

    def start(self, first_ns, motion, ipoc):
        self.started.append((first_ns, motion, ipoc))
        self.arrays.whole[STATE] = RUNNING


def test_rsi_waits_for_a_controller_and_begins_again_after_its_end(monkeypatch):
    """Nothing is late before anybody has answered; then late is late; a second after the end RSI
    begins again, at rest, where the mock-up stands."""
    clock = [0]
    monkeypatch.setattr(emulators.time, "monotonic_ns", lambda: clock[0])
    robot = StandIn()
    whole, watched = robot.arrays.whole, emulators.RestartingOperator(robot)
    whole[STATE], whole[TICK], whole[LATE], whole[LATE_IN_A_ROW] = RUNNING, 12, 12, 12
    watched.look()
    assert (whole[LATE], whole[LATE_IN_A_ROW]) == (0, 0)
    whole[TICK], whole[LATE] = 24, 5  # seven of twelve were answered
    watched.look()
    assert whole[LATE] == 5
    whole[STATE] = TIMED_OUT
    clock[0] = 10
    watched.look()
    assert robot.started == []
    clock[0] += emulators.AGAIN_NS + 1
    watched.look()
    ((_, motion, _),) = robot.started
    assert (motion.p, motion.v) == ((1.0, 2.0, 3.0), (0.0, 0.0, 0.0))
    assert not watched.answered


def test_no_times_are_no_report():
    """A loop in which nobody spoke has no median."""
    assert summarise_times(np.array([])) is None
    assert summarise_times(np.array([3.0])).p50 == pytest.approx(3.0)


def test_trouble_with_a_recording_is_told_once_when_it_happens():
    """An operator wants to know of a full disc during the run; that more rows are lost every second
    is no news."""
    said, told, looks = [], [], []
    recorder = SimpleNamespace(find_problems=lambda: list(said))
    look = runs._make_look(lambda program, t: looks.append(t), recorder, told.append)
    for t in (0.0, 1.0, 1.1, 2.0, 3.0):
        look(None, t)
        said[:] = [f"{100.0 * t:.0f} rows of 'cycle' are lost to the recording"]
    assert looks == [0.0, 1.0, 1.1, 2.0, 3.0]
    assert told == ["0 rows of 'cycle' are lost to the recording"]
