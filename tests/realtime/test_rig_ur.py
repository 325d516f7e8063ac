"""Universal Robots by RTDE: the same docking and supervisor as with any driver, in virtual time;
poses and wrenches over the sockets of an emulated controller."""

from __future__ import annotations

import math
import sys
from types import SimpleNamespace

import pytest
from click.testing import CliRunner
from rig_drivers import VirtualClock, VirtualRobot, VirtualSensor
from test_rig_cycles import bounce
from ur_rigs import BEARS, choose_host, emulated_ur, write_rig
from virtual_time import VirtualTime

from softdock import load_scenario
from softdock.cli.main import cli
from softdock.errors import BadInput
from softdock.rig.drivers import ur_rtde
from softdock.rig.drivers.links import SensorLink
from softdock.rig.drivers.ur_emulator import SERVO_L, TICK_S, EmulatedUr
from softdock.rig.file import load_rig
from softdock.rig.outcome import compute_outcome
from softdock.rig.program import RigProgram
from softdock.rig.scenario import put_on_rig

QUICK = {"run_up.listen_s": 0.3, "record.ring_s": 10.0}
START = (0.65, 0.0, 0.4, 0.0, 0.0, 0.0)


def join(monkeypatch, robot, clock):
    """ur_rtde and the connections of the drivers, without sockets, in virtual time."""

    class Packets:
        def __init__(self, address, rate_Hz, names):
            self.names, self.period_s = names, 1.0 / rate_Hz

        def wait(self):
            while TICK_S * robot.tick < clock.now_s - 1e-9:
                robot.advance()
            values = [robot.get(name) for name in self.names]
            values = [one if isinstance(one, (list, tuple)) else (one,) for one in values]
            return round(clock.now_s / self.period_s), values

    class Control:
        def __init__(self, address):
            robot.load_program()

        def servoL(self, pose, speed, acceleration, time_s, lookahead_s, gain):
            registers = {f"input_double_register_{i}": one for i, one in enumerate(pose)}
            registers |= {"input_double_register_8": time_s, "input_int_register_0": SERVO_L}
            robot.take_inputs(registers)
            return True

    monkeypatch.setattr(ur_rtde, "Packets", Packets)
    module = SimpleNamespace(RTDEControlInterface=Control)
    monkeypatch.setattr(ur_rtde, "import_ur_rtde", lambda: module)


@pytest.mark.parametrize("safety", [1, 4])
def test_a_ur_docks_as_predicted(tmp_path, monkeypatch, safety):
    """A tool that is 16 ms late: restitution is that of a computation in plain numbers. With a
    protective stop in the approach the supervisor stops instead."""
    rig = load_rig(write_rig(tmp_path, "127.0.0.1"), QUICK | BEARS)
    clock, robot = VirtualClock(), EmulatedUr(START, 8, 0.6, 1000.0)
    join(monkeypatch, robot, clock)
    on = put_on_rig(rig, load_scenario("epos_1d"))
    chaser, sensor = VirtualRobot(rig, "chaser", clock), VirtualSensor(rig, "chaser", clock)
    program = RigProgram(on, ends=True)
    line = VirtualTime([chaser, sensor], program, look=program.look)
    line.tell("sensor", SensorLink.request())
    while not program.is_over and line.now_ns < 30e9:
        line.run(line.now_ns + 100_000_000)
        if program.state == "approach":
            robot.safety = safety
    found = compute_outcome(program)
    if safety != 1:
        assert found.reason == "stop_input"
        return
    assert found.reason == "completed", found.why
    assert found.restitution == pytest.approx(bounce(4, 16.0), abs=2e-7)
    assert robot.pose[:3] == pytest.approx(START[:3], abs=2e-9)


def test_frames_of_the_wrench(tmp_path):
    """A tool that is turned by 90 degrees about z feels the wall's force along base x along its own
    -y, by either variable; turned attitudes pass as rotation vectors."""
    host = choose_host()
    start = ["0.59", "0", "0.4", "0", "0", str(0.5 * math.pi)]
    rig = load_rig(write_rig(tmp_path, host))
    with emulated_ur(host, "--late", "0", "--start", *start):
        for wrench in (ur_rtde.RAW, ur_rtde.COMPENSATED):
            rig = load_rig(tmp_path / "ur.toml", {"sensors.chaser.wrench": wrench})
            sensor = ur_rtde.UrWrench(rig.sensors["chaser"])
            sensor.connect()
            first, second = sensor.read(), sensor.read()
            assert second.sample > first.sample >= 0
            assert first.force_N == pytest.approx((0.0, -10.0, 0.0), abs=1e-9)
            sensor.stop("over")
        names = ("actual_TCP_pose", "no_such_variable")
        with pytest.raises(ConnectionError, match="no_such_variable"):
            ur_rtde.Packets(host, 500.0, names)
    q = (0.5, -0.5, 0.5, 0.5)
    assert ur_rtde.to_quaternion(ur_rtde.to_rotation_vector(q)) == pytest.approx(q, abs=1e-15)
    assert ur_rtde.to_rotation_vector(ur_rtde.to_quaternion((1.0, 2.0, -1.0))) == pytest.approx(
        (1.0, 2.0, -1.0), abs=1e-14
    )


def test_a_new_rig_and_what_is_refused(tmp_path, monkeypatch):
    """`rig new --robot ur10e`: on loopback nobody is asked, elsewhere a person is; cycles that RTDE
    has not, options of KUKA and a missing package are refused."""
    run, file = CliRunner().invoke, tmp_path / "ur.toml"
    told = run(cli, ["rig", "new", str(file), "--robot", "ur10e"])
    assert told.exit_code == 0, told.output
    assert load_rig(file).real == ()
    real = load_rig(write_rig(tmp_path, "192.168.0.9")).real
    assert "192.168.0.9" in real
    assert "robots.chaser by ur_rtde" in real
    told = run(cli, ["rig", "new", str(file), "--robot", "ur10e", "--mode", "IPO"])
    assert told.exit_code == 2
    assert "--mode is of --robot kuka" in told.output
    with pytest.raises(BadInput, match="every so many"):
        load_rig(file, {"clock.cycle_ms": 3})
    monkeypatch.setitem(sys.modules, "rtde_control", None)
    with pytest.raises(RuntimeError, match=r"softdock\[ur\]"):
        ur_rtde.import_ur_rtde()
