"""A driver of one's own, in one file: the same docking, supervisor and refusals as with the drivers
that ship; its code runs only where somebody says so."""

from __future__ import annotations

import json
import tomllib
from types import SimpleNamespace

import pytest
from click.testing import CliRunner
from rig_drivers import QUICK, VirtualClock, VirtualRobot, VirtualSensor, write_rig
from test_rig_cycles import bounce
from virtual_time import VirtualTime

from softdock import load_driver_file, load_scenario
from softdock.cli.main import cli
from softdock.errors import BadInput
from softdock.rig import driver_registry
from softdock.rig.bridge import Bridges, RobotBridge, SensorBridge, describe_latencies
from softdock.rig.driver import RobotReading, SensorReading
from softdock.rig.driver_registry import find_file
from softdock.rig.drivers.links import RobotLink, SensorLink
from softdock.rig.file import load_rig, read_rig
from softdock.rig.outcome import compute_outcome
from softdock.rig.peers import open_peers
from softdock.rig.program import RigProgram
from softdock.rig.scenario import put_on_rig

UPRIGHT = (1.0, 0.0, 0.0, 0.0)


def fly(file, changes=None, meddle=lambda robot, sensor: None):
    """The template's device and driver against the rig's own program, in virtual time."""
    rig, clock = load_rig(file, QUICK | (changes or {})), VirtualClock()
    on = put_on_rig(rig, load_scenario("epos_1d"))
    robot, sensor = VirtualRobot(rig, "chaser", clock), VirtualSensor(rig, "chaser", clock)
    meddle(robot, sensor)
    program = RigProgram(on, ends=True)
    time = VirtualTime([robot, sensor], program, look=program.look)
    time.tell("sensor", SensorLink.request())
    while not program.is_over and time.now_ns < 30e9:
        time.run(time.now_ns + 100_000_000)
    return compute_outcome(program), robot


def test_a_driver_in_python_docks_as_predicted(tmp_path):
    """Its device is a cycle late, so restitution is that of a delay of one cycle; it stands again
    where it stood at first."""
    found, robot = fly(write_rig(tmp_path))
    assert found.reason == "completed", found.why
    assert found.restitution == pytest.approx(bounce(4, 4.0), abs=2e-7)
    assert found.checks_failed == {}
    assert robot.written[-1].p == pytest.approx((0.05, 0.0, 0.0), abs=2e-9)
    assert robot.bridge.late == 0


@pytest.mark.parametrize(
    ("name", "changes"),
    [("restitution", {"limits.restitution": 0.99}), ("force", {"limits.force_N": 3.0})],
)
def test_the_supervisor_is_the_same(tmp_path, name, changes):
    """Energy bound and limits stop a driver of one's own as they stop any other."""
    found, robot = fly(write_rig(tmp_path), changes)
    assert found.reason == name
    assert found.state == "stopped"
    steps = [abs(b.p[0] - a.p[0]) for a, b in zip(robot.written, robot.written[1:])]
    assert max(steps) < 0.1 * 0.004  # limits.speed_m_per_s in a cycle


def test_the_operators_stop_and_a_fault_of_the_sensor_stop_the_run(tmp_path):
    """`stop_asked` of a reading is the stop input; `fault` is a status that must not be used."""

    def press(robot, sensor):
        read = robot.driver.read
        robot.driver.read = lambda: read()._replace(stop_asked=robot.count > 600)

    def spoil(robot, sensor):
        read = sensor.driver.read
        sensor.driver.read = lambda: read()._replace(fault=sensor.count > 2500)

    file = write_rig(tmp_path)
    assert fly(file, meddle=press)[0].reason == "stop_input"
    assert fly(file, meddle=spoil)[0].reason == "sensor_status"


def test_readings_and_answers_pass_the_wire(tmp_path):
    """A pose to the nanometre and back, lost cycles by the driver's count, a force by its counts; a
    zero of the sensor is the next sample."""
    rig = load_rig(write_rig(tmp_path))
    bridge = RobotBridge(rig.ethernet["chaser"], 4)
    link = RobotLink(rig.ethernet["chaser"], 4)
    half = 0.5**0.5
    start = RobotReading((0.1, -0.2, 0.3), (half, 0.0, 0.0, half), 7)
    assert link.receive(bridge.make_telegram(start), 0) == "first"
    assert link.measured == pytest.approx((100.0, -200.0, 300.0, 90.0, 0.0, 0.0), abs=1e-6)
    pose = bridge.read_answer(link.reply((1.0, 2.0, 3.0, 10.0, 0.0, 0.0)))
    assert pose.p == pytest.approx((0.101, -0.198, 0.303), abs=1e-9)
    turned = (0.6427876096865393, 0.0, 0.0, 0.766044443118978)  # 100 degrees about z
    assert pose.q == pytest.approx(turned, abs=1e-8)
    assert bridge.read_answer(b"<Sen/>") is None
    link.receive(bridge.make_telegram(start._replace(cycle=10)), 12_000_000)
    assert link.ipoc == bridge._ipoc
    assert link.ipoc % 4 == 0
    with pytest.raises(ValueError, match="no pose"):
        bridge.make_telegram(start._replace(p_m=(float("nan"), 0.0, 0.0)))

    keys = rig.sensors["chaser"]
    records, sensor = SensorBridge(keys), SensorLink(1e6, 1e6, keys.sample_Hz)
    felt = SensorReading((1.0, -2.0, 3.0), (0.1, 0.2, -0.3), 5)
    assert records.make_record(felt) is None
    records.take_request(SensorLink.request())
    assert sensor.receive(records.make_record(felt), 0) == 1
    assert sensor.newest(10**9)[0] == pytest.approx((1.0, -2.0, 3.0, 0.1, 0.2, -0.3))
    records.take_request(SensorLink.request(0x42))
    records.make_record(felt._replace(sample=6))
    sensor.receive(
        records.make_record(felt._replace(sample=7, force_N=(1.5, -2.0, 3.0))), 2_000_000
    )
    assert sensor.newest(10**9)[0] == pytest.approx((0.5, 0.0, 0.0, 0.0, 0.0, 0.0), abs=1e-12)
    sensor.receive(records.make_record(felt._replace(sample=8, fault=True)), 3_000_000)
    sensor.receive(records.make_record(felt._replace(sample=9, force_N=(1e4, 0, 0))), 4_000_000)
    assert sensor.counts()["faulty"] == 2


def test_a_file_runs_only_where_it_is_allowed(tmp_path):
    """A rig file alone executes nothing; the refusal says what to type."""
    file, ran = tmp_path / "rig.toml", tmp_path / "ran"
    driver = tmp_path / "never_loaded.py"
    driver.write_text(f"open({str(ran)!r}, 'w')\n")
    file.write_text('schema = 1\n[robots.chaser]\ndriver = "never_loaded.py"\n')
    with pytest.raises(BadInput) as caught:
        load_rig(file)
    said = str(caught.value)
    assert f"{file}:3: robots.chaser.driver: given 'never_loaded.py'" in said
    assert "runs with your rights" in said
    assert f"--driver-file {driver}" in said
    assert not ran.exists()


BODY = """
from dataclasses import dataclass
from softdock.rig.driver import RobotDriver, SensorDriver
from softdock.rig.schema import RobotEnd
"""
METHODS = "".join(f"    def {n}(self, *a): pass\n" for n in ("connect", "read", "write", "stop"))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x = 1", "it has none"),
        ("x = ", "does not import"),
        (BODY + "class A(RobotDriver):\n    pass", "A.connect:"),
        (BODY + f"class A(RobotDriver):\n{METHODS}class B(A): pass", "one RobotDriver a file"),
        (BODY + f"class A(RobotDriver):\n    cycles_ms = (0,)\n{METHODS}", "1 to 20"),
        (BODY + f"class A(RobotDriver):\n    compiled = True\n{METHODS}", "reads no bytes"),
        (BODY + f"class A(RobotDriver):\n    Keys = int\n{METHODS}", "derives from RobotEnd"),
    ],
)
def test_a_file_that_is_no_driver_is_refused(tmp_path, text, says):
    """Before anything is connected, with the file and what is missing."""
    file = tmp_path / "bad.py"
    file.write_text(text + "\n")
    with pytest.raises(BadInput) as caught:
        load_driver_file(file)
    assert says in str(caught.value)
    with pytest.raises(BadInput, match="driver-file"):
        load_driver_file(tmp_path / "none.py")


def test_an_installed_package_may_offer_a_driver_by_name(tmp_path, monkeypatch):
    """An entry point is found by its name; what it points to is checked as a file's class is."""
    write_rig(tmp_path)
    stage = load_rig(tmp_path / "my_rig.toml").drivers["robots.chaser"]

    def offer(cls):
        point = SimpleNamespace(name="stage", value="package:Stage", load=lambda: cls)
        monkeypatch.setattr(driver_registry, "entry_points", lambda group: [point])

    offer(stage)
    rig = load_rig("emulated_pair", {"robots.chaser.driver": "stage"})
    assert rig.drivers["robots.chaser"] is stage
    offer(int)
    with pytest.raises(BadInput, match="package:Stage"):
        load_rig("emulated_pair", {"robots.chaser.driver": "stage"})


def test_keys_limits_and_notes_are_the_drivers(tmp_path):
    """Keys of its own are checked as all others; what the device does not bear is refused; a rig
    whose driver does not say that it simulates asks a person."""
    file = write_rig(tmp_path)
    rig = load_rig(file, ["sensors.chaser.wall_N_per_m=500"])
    assert rig.sensors["chaser"].wall_N_per_m == 500.0
    assert read_rig(tomllib.loads(rig.toml()), rig.file, tmp_path) == rig
    assert rig.in_python == ("robots.chaser", "sensors.chaser")
    assert rig.real == ()
    assert any("my_driver.py is Python code" in note for note in rig.notes)
    for change, says in (
        ("sensors.chaser.wall_N_per_mm=1", "did you mean 'wall_N_per_m'"),
        ("limits.speed_m_per_s=0.5", "at most 0.25: what my_driver.py allows"),
        ("robots.chaser.bind=192.168.7.1", "the driver's process and the loop"),
        ("robots.chaser.driver=kuka", "did you mean 'kuka_rsi'"),
        ("sensors.chaser.driver=kuka_rsi", "one of ati_net_ft"),
        ("robots.chaser.ethernet_xml=x.xml", "one of driver"),
    ):
        with pytest.raises(BadInput) as caught:
            load_rig(file, [change])
        assert says in str(caught.value)
    real = tmp_path / "real"
    real.mkdir()
    mine = write_rig(real, text=lambda text: text.replace("    simulated = True", "    pass"))
    assert load_rig(mine).real == (
        "robots.chaser by my_driver.py",
        "sensors.chaser by my_driver.py",
    )


def test_new_check_and_the_consent_of_a_command(tmp_path):
    """`rig new --driver` writes both files, `rig check` flies them, and says whose code it runs."""
    run = CliRunner().invoke
    file, driver = tmp_path / "own.toml", tmp_path / "own_driver.py"
    told = run(cli, ["rig", "new", str(file), "--driver", str(driver)])
    assert told.exit_code == 0, told.output
    assert f"--driver-file {driver}" in told.output
    again = run(cli, ["rig", "new", str(file), "--driver", str(driver)])
    assert again.exit_code == 2
    assert "--force" in again.output
    words = ["rig", "check", str(file), "epos_1d", "--json"]
    refused = run(cli, words)
    assert refused.exit_code == 2
    assert "runs with your rights" in refused.output
    told = run(cli, [*words, "--driver-file", str(driver), "--set", "run_up.listen_s=0.3"])
    assert told.exit_code == 0, told.output
    assert f"running the code in {driver}" in told.stderr
    assert find_file("own_driver.py", None) == driver  # a recording keeps the name alone
    found = json.loads(told.stdout)["predicted"]
    assert found["restitution"] == pytest.approx(bounce(4, 4.0), abs=2e-7)


def test_a_driver_that_fails_says_why_and_its_device_is_stopped(tmp_path):
    """An exception in `connect` refuses the run; `stop` is called all the same."""
    note = tmp_path / "stopped"

    def spoil(text):
        text = text.replace(
            "        self.bench = Bench(self.keys.bench)\n        self.period",
            '        raise OSError("no stage at this address")\n        self.period',
        )
        return text.replace(
            '        """DEVICE: let it come to rest, and close. May be called before connect has '
            'ended."""',
            f"        Path({str(note)!r}).write_text(why)",
        )

    rig = load_rig(write_rig(tmp_path, text=spoil))
    with pytest.raises(BadInput, match="no stage at this address"), Bridges(rig):
        pass
    assert "no stage at this address" in note.read_text()


def test_latency_is_measured_and_a_driver_that_hangs_is_stopped(tmp_path):
    """Two processes on loopback, and a loop that answers: cycles are counted, times are told. Then
    `read` waits for a device that is silent: at the end of the session `stop` is called."""
    note = tmp_path / "stopped"

    def hang(text):
        text = text.replace(
            "        due = self.cycle + 1\n",
            "        time.sleep(1000.0 if self.cycle > 8 else 0.0)\n        due = self.cycle + 1\n",
        )
        return text.replace(
            '        """DEVICE: let it come to rest, and close. May be called before connect has '
            'ended."""',
            f"        Path({str(note)!r}).write_text(why)",
        )

    changes = {"clock.cycle_ms": 20, "sensors.chaser.rate_Hz": 50, "sensors.chaser.sample_Hz": 50}
    rig = load_rig(write_rig(tmp_path, text=hang), changes)
    with Bridges(rig) as running, open_peers(rig) as peers:
        running.go()
        while running.latencies()["sensors.chaser"]["cycles"] < 25:
            datagram = peers.ports["chaser"].receive()
            assert running.problem == ""
            if datagram is not None:
                peers.robots["chaser"].receive(datagram.data, datagram.arrival_ns)
                answer = peers.robots["chaser"].reply((0.0,) * 6)
                peers.ports["chaser"].send(answer, datagram.source)
    found = running.latencies()
    assert found["robots.chaser"]["cycles"] + found["robots.chaser"]["late"] >= 5
    said = "\n".join(describe_latencies(found))
    assert "sensors.chaser: Python from read() to its record" in said
    assert "while read() or write() waited" in note.read_text()
