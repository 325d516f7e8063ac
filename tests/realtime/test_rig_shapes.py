"""Rigs of every shape: one or two robots, one or two force sensors, either robot as the clock. The
same compiled loop runs them all, and the docking is the same."""

from __future__ import annotations

import copy

import pytest
from rig_runs import APPROACH, fly, quick, two_free_bodies

from softdock import build, load_scenario
from softdock.errors import BadInput
from softdock.rig.emulated_rig import VirtualRig
from softdock.rig.program import RigProgram

SECOND_SENSOR = {
    "sensors.target.port": 59156,
    "sensors.target.http_port": 59157,
    "sensors.target.rate_Hz": 1000,
}
ONE_ROBOT = {"robots.target.driver": "fixed"}


@pytest.fixture(scope="module")
def plain():
    """Two robots, a sensor on the chaser, the chaser's clock."""
    return fly()[1].restitution


def moved_target():
    """epos_1d the other way round: the chaser stands, 63 kg of target come towards it."""
    tables = copy.deepcopy(load_scenario("epos_1d").tables)
    mass = {key: tables["chaser"][key] for key in ("mass_kg", "inertia_kg_m2")}
    tables["chaser"] |= {
        "fixed": True,
        "position_m": [0.0, 0.0, 0.0],
        "velocity_m_per_s": [0.0, 0.0, 0.0],
    }
    tables["target"] |= {
        **mass,
        "fixed": False,
        "position_m": [-0.01, 0.0, 0.0],
        "velocity_m_per_s": [APPROACH, 0.0, 0.0],
    }
    return build(tables)


def test_two_sensors_feel_the_same_docking(plain):
    """A sensor behind each mock-up: both are heard and zeroed, and restitution is that of one."""
    rig, found = fly(SECOND_SENSOR)
    assert found.reason == "completed", found.why
    assert found.restitution == pytest.approx(plain, abs=1e-7)
    chaser, target = rig.program.sensors["chaser"], rig.program.sensors["target"]
    assert chaser.counts()["heard"] == target.counts()["heard"] > 3000
    assert (rig.program.arrays.sensor_counts[:, 3] > 50).all()  # bias_samples


def test_two_sensors_between_two_free_bodies(plain):
    """Each satellite is moved by its own sensor: the pair bounces as one with a sensor does."""
    scenario = two_free_bodies()
    _, one = fly(scenario=scenario)
    _, two = fly(SECOND_SENSOR, scenario=scenario)
    assert one.reason == two.reason == "completed", two.why
    assert two.restitution == pytest.approx(one.restitution, abs=1e-6)


@pytest.mark.parametrize("silent", ["chaser", "target"])
def test_either_sensor_can_stop_the_run(silent):
    """A sensor that sends no more is a stale force, whichever it is."""
    rig = VirtualRig(quick(SECOND_SENSOR))
    rig.run(1.5)
    which = ("chaser", "target").index(silent)
    rig.peers.sensors[which].receive(rig.program.sensors[silent].request(0))
    rig.run(10.0)
    assert rig.program.reason == "force_stale", rig.program.why


@pytest.mark.parametrize("phase_ms", [0.0, 1.0, 2.5, 3.999])
def test_the_target_s_robot_may_be_the_clock(phase_ms, plain):
    """Its telegrams run the controller and the chaser gets the set-point of its own instant: but
    for the age of the forces at the other tick (7.0 per second), restitution is that of the
    chaser's clock to what a skew may change."""
    scenario = two_free_bodies()
    _, ours = fly(scenario=scenario)
    changes = {"clock.master": "target", "emulate.phase_ms": phase_ms}
    rig, found = fly(changes, scenario=scenario)
    assert found.reason == "completed", found.why
    aged = ours.restitution + 7.0e-3 * found.force_age_ms
    assert found.restitution == pytest.approx(aged, abs=1e-4 if phase_ms % 1.0 else 5e-5)
    assert found.cycles == rig.program.total


def test_one_robot_and_a_wall(plain):
    """The target's mock-up stands in the room: with the sensor on the robot or behind the wall."""
    rig, found = fly(ONE_ROBOT)
    assert found.reason == "completed", found.why
    assert [robot.name for robot in found.robots] == ["chaser"]
    assert found.restitution == pytest.approx(plain, abs=1e-7)
    assert rig.peers.robots[1].arrays.whole[0] >= 0  # it stands, and never ticked
    behind = {"target": {"port": 59154, "http_port": 0, "rate_Hz": 1000}}
    in_phase = {"run_up.listen_s": 0.3, "emulate.phase_ms": 0.0}
    _, found = fly(ONE_ROBOT | in_phase | {"sensors": behind}, base={})
    assert found.reason == "completed", found.why
    assert found.restitution == pytest.approx(plain, abs=1e-7)


def test_only_the_target_has_a_robot(plain):
    """The chaser stands and the target comes: the target's robot is the clock; a dry run keeps the
    target back instead of the chaser."""
    changes = {"robots.chaser.driver": "fixed", "clock.master": "target"}
    _, found = fly(changes, scenario=moved_target())
    assert found.reason == "completed", found.why
    assert [robot.name for robot in found.robots] == ["target"]
    assert found.restitution == pytest.approx(plain, abs=1e-6)
    _, found = fly(changes, scenario=moved_target(), shift_m=(0.07, 0.0, 0.0))
    assert found.reason == "completed", found.why
    assert found.peak_force_N == 0.0


def test_a_stop_is_the_same_with_either_clock():
    """Both robots back off and stand, and no reply steps too far."""
    for changes in ({"clock.master": "target"}, SECOND_SENSOR):
        rig, found = fly({"limits.restitution": 1.05, **changes})
        assert found.reason == "restitution", found.why
        for robot, peer in zip(found.robots, rig.peers.robots):
            assert robot.largest_step_mm <= 0.4 * (1.0 + 1e-9)
            assert peer.motion_at(peer.next_ns).v == pytest.approx((0.0, 0.0, 0.0), abs=1e-12)


def test_a_satellite_that_moves_needs_a_robot():
    """Two free satellites and one robot: refused with the key and what to do."""
    with pytest.raises(BadInput, match=r"target\.fixed.*robots\.target"):
        RigProgram(quick(ONE_ROBOT, two_free_bodies()))
