"""What a rig bears, and says: spoilt counts, counts that begin anew, other ways to count, a clock
that is set, a program that meddles, a zero that drifts. Each from the protocol's own bytes."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest
from rig_altered import AlteredRig, fields, ipoc_of, with_ipoc
from rig_runs import fly, quick
from test_rig_virtual import IN_CONTACT, IN_PROCESS

from softdock.recording.event_text import describe_status, fill_text
from softdock.rig.drivers.sockets import LOOPBACK, Port
from softdock.rig.emulated_rig import VirtualRig
from softdock.rig.outcome import compute_outcome
from softdock.rig.session import Session
from softdock.rig.supervisor.arrays import EVENT_TEXTS
from softdock.rig.wire.clocks import STEP_NS, STEPS
from softdock.rig.wire.emulated_robot import NEXT_NS
from softdock.rig.wire.virtual_queue import NEVER

MS = 1_000_000


def flown(rules, **options):
    rig = AlteredRig(rules, **options)
    return rig.program, compute_outcome(rig.program)


def test_a_record_whose_count_is_spoilt_is_left_out_and_no_other():
    """A second ahead, or anywhere: one in twenty records, and the docking is the one without."""
    chance = np.random.default_rng(30_11)

    def spoilt(values, t):
        if chance.random() < 0.05:
            values[1] ^= 1 << int(chance.integers(4, 32))

    program, found = flown({"sensor": fields(spoilt)})
    assert found.reason == "completed", found.why
    counts = program.sensors["chaser"].counts()
    assert counts["not_believed"] + counts["old"] > 100
    assert counts["jumps"] == 0
    assert found.restitution == pytest.approx(IN_PROCESS, abs=5e-3)  # some forces a cycle older


def test_a_count_that_is_spoilt_by_little_moves_no_clock():
    """A slow sensor, whose count may be four ahead of its time: the stamps of later records were
    milliseconds off for half a second (51 ms at worst), and the run was stopped for old forces."""
    chance = np.random.default_rng(30_12)

    def spoilt(values, t):
        if chance.random() < 0.02:
            values[1] ^= 1 << int(chance.integers(0, 3))

    slow = {"sensors.chaser.rate_Hz": 1000, "sensors.chaser.sample_Hz": 1000}
    _, found = flown({"sensor": fields(spoilt)}, changes=slow)
    assert found.reason == "completed", found.why
    assert found.force_age_most_ms < 4.0
    assert found.restitution == pytest.approx(IN_PROCESS, abs=5e-3)


@pytest.mark.parametrize("by", [-1000, 3000, 1 << 30])
def test_a_sensor_s_count_that_goes_on_from_elsewhere_is_followed(by):
    """In contact: the docking goes on with its forces, and it is said."""

    def elsewhere(values, t):
        if t > IN_CONTACT:
            values[1] = (values[1] + by) % 2**32

    _, found = flown({"sensor": fields(elsewhere)})
    assert found.reason == "completed", found.why
    assert found.restitution == pytest.approx(IN_PROCESS, abs=1e-4)
    assert found.warnings == ("the count of the chaser's sensor began anew 1 times",)


def counting_telegrams():
    """A controller whose IPOC steps by 1 a telegram."""
    first = []

    def sends(data, t):
        first.append(ipoc_of(data))
        return [with_ipoc(data, 700 + (ipoc_of(data) - first[0]) // 4)]

    return sends, lambda data: with_ipoc(data, 4 * (ipoc_of(data) - 700) + first[0])


def test_an_ipoc_that_counts_telegrams_is_answered_and_said():
    """As two public simulators have it: every telegram is answered, and the docking is the same."""
    _, found = flown({"chaser": counting_telegrams(), "target": counting_telegrams()})
    assert found.reason == "completed", found.why
    assert found.restitution == pytest.approx(IN_PROCESS, abs=1e-7)
    assert [robot.lost + robot.late for robot in found.robots] == [0, 0]
    said = "IPOC of the chaser's robot steps by 1 every 4 ms: it counts telegrams, not ms"
    assert found.warnings[0].startswith(said)


def test_one_spoilt_ipoc_costs_one_answer():
    """A robot's count a second ahead, once: the next telegrams are answered as before."""
    done = []

    def sends(data, t):
        ahead = 1000 if t > IN_CONTACT and not done else 0
        done.extend([1] * bool(ahead))
        return [with_ipoc(data, ipoc_of(data) + ahead)]

    _, found = flown({"chaser": sends})
    assert found.reason == "completed", found.why
    assert (found.robots[0].late, found.robots[0].lost) == (1, 1)


def test_a_zero_that_drifts_is_said():
    """0.05 N/s from the start: what the sensor feels in free flight, before and after, and how fast
    it grows. A sensor that has noise, and none of that, is not accused."""

    def drifting(values, t):
        values[3] += round(0.05e6 * t)

    changes = {"limits.energy_floor_J": 0.01}
    _, found = flown({"sensor": fields(drifting)}, changes=changes)
    (said,) = found.warnings
    assert said.startswith("the zero of the chaser's sensor is off")
    assert said.endswith("0.05 N/s")
    _, found = fly({"emulate.noise_N": 0.05})
    assert found.warnings == ()


def test_noise_that_stops_is_a_sensor_that_is_frozen():
    """In free flight, where a sensor without noise says the same for seconds and is not stopped."""
    held = []

    def stuck(values, t):
        if t > 1.5:
            held.append(values[3:])
            values[3:] = held[0]

    program, found = flown({"sensor": fields(stuck)}, changes={"emulate.noise_N": 0.05})
    assert found.reason == "force_frozen"
    assert found.contacts == 0
    assert "the chaser's sensor has sent the same six values for" in program.why


def test_a_wall_clock_that_is_set_is_said_and_stops_nothing():
    """The loop counts a step while the run goes on: an event, a warning, and the same docking."""
    rig = VirtualRig(quick())
    rig.run(IN_CONTACT)
    rig.program.arrays.wall[[STEPS, STEP_NS]] = 1, -50 * MS
    rig.run(20.0)
    found = compute_outcome(rig.program)
    assert found.reason == "completed"
    assert found.restitution == pytest.approx(IN_PROCESS, abs=1e-7)
    (said,) = found.warnings
    assert said.startswith("this computer's wall clock was set back by 50 ms; ")


@pytest.mark.parametrize("gone", [(0,), (0, 1)])
def test_a_stop_that_nobody_answers_ends_with_the_silence(gone):
    """Robots that end by their own Timeout: the stop of the others is over when they stand, half a
    second after the silence began, and not after six."""
    rig = VirtualRig(quick())
    rig.run(IN_CONTACT)
    for which in gone:
        rig.peers.robots[which].arrays.whole[NEXT_NS] = NEVER
    rig.run(IN_CONTACT + 0.7)
    found = compute_outcome(rig.program)
    assert (found.state, found.reason, found.unanswered) == ("stopped", "silence", True)
    assert found.why.startswith("the chaser's robot has been silent for 1")


def test_what_robots_send_before_the_loop_begins_is_not_lost():
    """RSI is on while the rig is prepared: a full socket holds the oldest telegrams, and the gap to
    the first new one was half of a second's telegrams lost."""
    port, robot = Port(LOOPBACK, 0, (LOOPBACK, 0)), Port(LOOPBACK, 0, (LOOPBACK, 0))
    for number in range(5):
        robot.send(b"<Rob><IPOC>%d</IPOC></Rob>" % number, port.address)
    waiting = []

    class Server:
        stop = np.zeros(1, np.int64)

        def serve_until(self, until_ns):
            waiting.append(port.drain())
            session._ending = True

    machine = SimpleNamespace(priority=0, lock_memory=False)
    on = SimpleNamespace(rig=SimpleNamespace(machine=machine))
    session = Session(on, SimpleNamespace(ports={"chaser": port}))
    session._server = Server()
    session._work()
    assert waiting == [[]]
    port.close()
    robot.close()


def test_what_fails_when_all_is_over_does_not_undo_it():
    """A completed run stays completed though a robot falls silent while everybody stands."""
    rig, found = fly()
    assert found.completed
    rig.peers.sensor.arrays.whole[:] = 0  # its power is off
    rig.run(60.0)
    assert compute_outcome(rig.program).completed


def test_texts_of_events_hold_their_numbers_and_names():
    """Every text of a recording, with what it is about; nothing else of Python's formats is
    taken."""
    for text in EVENT_TEXTS:
        assert "{" not in fill_text(text, 2147614720.0, 1.0, 1.0), text
    told = fill_text("the {who}'s sensor: {a:status}", 2147614720.0, 0.0, 0.0)
    assert told == "the chaser's sensor: transducer saturated, or A/D error (0x80020000)"
    assert fill_text("{a:.4g} along {b:axis}", 1.23456, 2.0) == "1.235 along Z"
    assert fill_text("{a.__class__} {a:>9999999}", 1.0, 2.0) == "{a.__class__} {a:>9999999}"
    assert fill_text("{a:.4g}", float("nan"), 0.0) == "nan"
    assert describe_status(0x80010000) == "monitor condition latched (a warning) (0x80010000)"
    assert json.dumps(compute_outcome(VirtualRig(quick()).program).to_dict())
