"""The emulated controller and sensor keep the rules of the real ones, tick by tick."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from rig_pieces import MS, SECOND, Rig, ethernet_file

from softdock.errors import BadInput
from softdock.loop.spatial.motion import Motion
from softdock.rig.drivers.emulated_robot import EmulatedRobot, RobotSettings
from softdock.rig.drivers.emulated_sensor import SensorSettings
from softdock.rig.drivers.emulation import Faults, Window, parse_faults
from softdock.rig.drivers.links import RobotLink, SensorLink
from softdock.rig.drivers.rsi_config import parse_ethernet_file
from softdock.rig.wire import rdt

AT_REST = Motion((0.5, 0.0, 0.2), (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


class Held:
    """One robot at rest and a link to it, driven tick by tick."""

    def __init__(self, hold=1, extra="", motion=AT_REST, **settings):
        self.file = parse_ethernet_file(ethernet_file(hold=hold, extra_receive=extra), "test.xml")
        self.scenario = Rig().scenario
        self.robot = EmulatedRobot(RobotSettings(self.file, **settings), self.scenario)
        self.robot.start(0, motion)
        self.link = RobotLink(self.file, 4.0)

    def tick(self, correction=None) -> bool:
        """One tick, answered or not: whether a telegram came."""
        now = self.robot.next_ns
        sent = self.robot.act()
        if sent:
            assert self.link.receive(sent[0], now) in ("first", "taken")
        if sent and correction is not None:
            self.robot.receive(self.link.reply(correction))
        return bool(sent)

    def wanted(self) -> list[float]:
        return [self.link.value("RSol", a) for a in "XYZABC"]


def test_a_correction_is_the_set_point_of_the_next_tick_and_the_pose_after_the_delay():
    """Absolute corrections from the pose at RSI_ON; 16 ms later the robot is there."""
    held = Held()
    held.tick([5.0, 0.0, -1.0, 10.0, 0.0, 0.0])
    for n in range(1, 6):
        held.tick([5.0, 0.0, -1.0, 10.0, 0.0, 0.0])
        assert held.wanted() == pytest.approx([505.0, 0.0, 199.0, 10.0, 0.0, 0.0], abs=1e-6)
        there = 505.0 if n >= 5 else 500.0  # set-point of tick 1, four cycles later
        assert held.link.measured[0] == pytest.approx(there, abs=1e-6)


def test_base_and_tool_frames_are_gone_through_there_and_back():
    """A robot that stands elsewhere and holds its mock-up askew reports its own frame, and the
    mock-up moves in the world as the base frame says."""
    held = Held(
        base_in_world=(100.0, 200.0, 300.0, 90.0, 0.0, 0.0),
        tool_from_flange=(0.0, 0.0, 50.0, 0.0, 30.0, 0.0),
    )
    for _ in range(8):
        held.tick([7.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    motion = held.robot.motion_at(held.robot.next_ns)
    assert motion.p == pytest.approx((0.5, 0.007, 0.2), abs=1e-9)  # base x is the world's y
    assert motion.q == pytest.approx((1.0, 0.0, 0.0, 0.0), abs=1e-9)


@pytest.mark.parametrize(("hold", "left"), [(1, 5.0), (0, 0.0)])
def test_late_replies_hold_or_drop_and_are_counted(hold, left):
    """HOLDON keeps the last value, or zero; Delay D tells the PC how many were late."""
    held = Held(hold=hold)
    held.tick([5.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    held.tick()
    held.tick()
    held.tick()
    assert held.wanted()[0] == pytest.approx(500.0 + left, abs=1e-6)
    assert held.link.counts()["late_replies"] == 2
    assert held.robot.counts()["late"] == 2


@pytest.mark.parametrize(("in_a_row", "ends"), [(True, False), (False, True)])
def test_timeout_counts_in_all_or_in_a_row(in_a_row, ends):
    """Every other reply missing: in all the count reaches Timeout, in a row it never does."""
    held = Held(timeout_packets=5, timeout_in_a_row=in_a_row)
    for n in range(20):
        held.tick([0.0] * 6 if n % 2 else None)
    assert (held.robot.state == "Timeout reached") == ends
    assert held.tick() != ends


def test_a_reply_must_have_the_telegrams_ipoc_and_come_once():
    """An old IPOC, a second reply, another Type or noise change nothing, and are counted."""
    held = Held()
    held.tick([5.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    good = held.link.reply([5.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    held.tick()  # the next telegram: `good` has the IPOC of the last one now
    held.robot.receive(good)
    now = held.link.reply([6.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    held.robot.receive(now.replace(b"ImFree", b"Other"))
    held.robot.receive(b"noise")
    held.robot.receive(now)
    held.robot.receive(held.link.reply([9.0, 0.0, 0.0, 0.0, 0.0, 0.0]))
    held.tick([6.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    assert held.wanted()[0] == pytest.approx(506.0, abs=1e-6)
    assert held.robot.counts()["rejected"] == 4
    assert held.robot.counts()["late"] == 0


def test_poscorr_clamps_and_its_monitor_ends_rsi():
    """Beyond the limits the correction stops at them; beyond the monitor's RSI ends."""
    held = Held(
        lower_mm=(-5.0, -5.0, -5.0),
        upper_mm=(5.0, 5.0, 5.0),
        max_turn_deg=5.0,
        monitor_mm=6.0,
        monitor_deg=6.0,
    )
    for _ in range(3):
        held.tick([8.0, 0.0, 0.0, 90.0, 0.0, 0.0])
    assert held.wanted() == pytest.approx([505.0, 0.0, 200.0, 5.0, 0.0, 0.0], abs=1e-5)
    assert held.robot.counts()["clamped"] == 2
    for _ in range(2):
        held.tick([8.0, 8.0, 8.0, 0.0, 0.0, 0.0])  # 8.7 mm in all, above the monitor's 6
    assert held.robot.state == "PosCorrMon exceeded"
    assert not held.tick()


def test_the_stop_element_leaves_rsi():
    """A context with a STOP object: the PC can end RSI_MOVECORR."""
    held = Held(extra='<ELEMENT TAG="Stop" TYPE="LONG" INDX="7"/>')
    held.tick([0.0] * 6)
    assert held.tick([0.0] * 6)
    held.link.values[held.link.sen.rows["Stop", ""]] = 1.0
    held.tick([0.0] * 6)
    assert not held.tick()
    assert held.robot.state == "RSI_MOVECORR left"


def test_the_controllers_clock_drifts_and_ipoc_counts_its_own_milliseconds():
    """A clock 200 ppm fast ticks 0.2 ms earlier every second; IPOC steps by the cycle."""
    held = Held(drift_ppm=200.0)
    for _ in range(501):
        held.tick([0.0] * 6)
    at = held.robot.arrays.instants
    assert held.robot.next_ns == pytest.approx(501 * 4 * MS / 1.0002, abs=2)
    assert at.max() == held.robot.next_ns
    assert held.link.counts()["step_ms"] == 4
    assert held.link.counts()["drift_ppm"] == pytest.approx(200.0, abs=0.1)


def test_another_cycle_than_stated_is_refused():
    """A controller in IPO steps by 12 ms; a PC that was told 4 says so."""
    held = Held(cycle_ms=12.0)
    for _ in range(60):
        held.robot.receive(b"")
        sent = held.robot.act()
        held.link.receive(sent[0], held.robot.next_ns)
    with pytest.raises(BadInput, match="IPOC steps by 12 ms"):
        held.link.check_step()


class Pressed:
    """A sensor between two mock-ups that stand still, the chaser pressed into the wall."""

    def __init__(self, depth=0.005, faults=None, **settings):
        rig = Rig(sensor=settings, faults=faults)
        still = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        rig.robots[0].start(0, Motion((-depth, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), *still))
        rig.robots[1].start(0, Motion((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), *still))
        self.rig, self.sensor = rig, rig.sensor
        self.sensor.start(0)
        self.link = SensorLink(
            settings.get("counts_per_N", 1e6), settings.get("counts_per_Nm", 1e6)
        )

    def records(self, number):
        found = []
        for _ in range(number):
            now = self.sensor.next_ns
            while self.rig.robots[0].next_ns <= now:
                for robot in self.rig.robots:
                    robot.act()
            for data in self.sensor.act():
                self.link.receive(data, now)
                found.append(struct.unpack("!IIIiiiiii", data))
        return found


def test_a_sensor_is_silent_until_asked_and_counts_what_it_feels():
    """1000 N/m pressed by 5 mm are 5 N: five million counts; sequences from 1 and by samples."""
    pressed = Pressed(rate_Hz=1000)
    assert pressed.records(3) == []
    pressed.sensor.receive(SensorLink.request(count=2))
    first, second = pressed.records(5)
    assert first == (1, 28, 0, 5_000_000, 0, 0, 0, 0, 0)
    assert second[:2] == (2, 35)
    wrench, _ = pressed.link.newest(1 << 60)
    assert wrench.tolist() == [5.0, 0.0, 0.0, 0.0, 0.0, 0.0]


def test_bias_filter_and_noise():
    """Bias takes the present reading for zero; the filter has its own corner; noise its spread."""
    pressed = Pressed(rate_Hz=7000, filter=5)  # 35 Hz
    pressed.sensor.receive(SensorLink.request())
    forces = [r[3] / 1e6 for r in pressed.records(7000)]
    corner = 1.0 - np.exp(-2.0 * np.pi * 35.0 / 7000.0)
    assert forces[0] == pytest.approx(5.0 * corner, abs=1e-6)
    assert forces[-1] == pytest.approx(5.0, abs=1e-6)
    pressed.sensor.receive(SensorLink.request(rdt.BIAS))
    assert pressed.records(1)[0][3] == 0
    noisy = Pressed(rate_Hz=7000, noise_N=0.1, noise_Nm=0.01, seed=3)
    noisy.sensor.receive(SensorLink.request())
    values = np.array([r[3:] for r in noisy.records(2000)]) / 1e6
    assert values.std(axis=0) == pytest.approx([0.1] * 3 + [0.01] * 3, rel=0.08)
    assert values[:, 0].mean() == pytest.approx(5.0, abs=0.01)


def test_saturation_is_said_and_kept_out():
    """Beyond the range: the range's counts, bits 31 and 17, and no sample for the controller."""
    pressed = Pressed(rate_Hz=1000, range_N=4.0)
    pressed.sensor.receive(SensorLink.request())
    record = pressed.records(1)[0]
    assert (record[2], record[3]) == (0x80020000, 4_000_000)
    assert pressed.link.newest(1 << 60) is None
    assert pressed.link.counts()["faulty"] == 1


def test_windows_freeze_and_saturate_the_sensor():
    """Frozen: the old sequence and counts; the driver counts them as old news. Then saturated."""
    faults = Faults(windows=(Window("freeze", 0.01, 0.02), Window("saturate", 0.03, 0.04)))
    pressed = Pressed(rate_Hz=1000, faults=faults)
    pressed.sensor.receive(SensorLink.request())
    records = pressed.records(50)
    assert len({r[1] for r in records[9:20]}) == 1
    assert [r[0] for r in records] == list(range(1, 51))
    assert pressed.link.counts()["twice"] == 10
    assert all(r[2] == 0x80020000 for r in records[30:40])
    assert pressed.link.counts()["faulty"] == 10


@pytest.mark.parametrize(
    "changes", [{"rate_Hz": 3000}, {"filter": 13}, {"range_N": 1e5}, {"on": "wall"}]
)
def test_impossible_sensors_are_refused(changes):
    """Rates that are no whole part, filters that are not in the table, counts beyond 32 bits."""
    with pytest.raises(BadInput):
        SensorSettings(**changes)


def test_faults_are_read_from_a_line_of_text():
    """Rates, stalls and drifts as a person types them; what cannot be is refused."""
    faults = parse_faults("loss=0.01, stall=20ms@3s,drift=50ppm@1s", seed=4)
    assert (faults.loss, faults.seed) == (0.01, 4)
    assert faults.windows == (Window("stall", 3.0, 3.02), Window("drift", 1.0, value=50.0))
    assert faults.window_rows(SECOND)[0].tolist() == [0, -1, 4 * SECOND, 4_020_000_000, 0]
    for text in ("los=0.1", "loss=x", "loss=2", "stall=5", "drift=5ms@1s"):
        with pytest.raises(BadInput):
            parse_faults(text)
