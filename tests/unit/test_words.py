"""Degrees, rates, restitution and approaches: written by people, resolved into plain keys, refused
with the line and a suggestion."""

import copy

import numpy as np
import pytest

from softdock import BadInput, build
from softdock.loop.spatial.arrays import matrix
from softdock.scenario.approach import quaternion
from softdock.scenario.files import load_scenario, to_toml
from softdock.scenario.restitution import restitution_of_damping
from softdock.scenario.words import effective_mass

CONE = copy.deepcopy(load_scenario("epos_3d").tables)
for key in ("position_m", "velocity_m_per_s", "attitude_wxyz", "rate_rad_per_s"):
    del CONE["chaser"][key]
del CONE["target"]["rate_rad_per_s"]
COME = {"distance_m": 0.04, "speed_m_per_s": 0.02}


def with_approach(**approach):
    tables = copy.deepcopy(CONE)
    tables["approach"] = COME | approach
    return build(tables)


def tip_of(scenario):
    chaser = scenario.tables["chaser"]
    tip = np.asarray(scenario.tables["contact"][0]["tip_m"])
    return np.asarray(chaser["position_m"]) + matrix(chaser["attitude_wxyz"]) @ tip


def test_degrees_become_quaternions_and_radians():
    """Roll, pitch, yaw about the fixed axes x, y, z: a yaw of 90 degrees takes x to y."""
    scenario = load_scenario(
        "epos_1d", {"chaser.attitude_deg": [0, 0, 90], "chaser.rate_deg_per_s": [0, 0, 180]}
    ).tables["chaser"]
    assert matrix(scenario["attitude_wxyz"]) @ [1, 0, 0] == pytest.approx([0, 1, 0])
    assert scenario["rate_rad_per_s"] == pytest.approx([0, 0, np.pi])
    turned = load_scenario("epos_1d", {"chaser.attitude_deg": [90, 0, 90]}).tables["chaser"]
    assert matrix(turned["attitude_wxyz"]) @ [0, 1, 0] == pytest.approx([0, 0, 1])


@pytest.mark.parametrize("seed", range(5))
def test_any_rotation_has_its_quaternion(seed):
    """Back and forth, also where a trace is negative."""
    q = np.random.default_rng(seed).normal(size=4)
    R = matrix(q)
    assert matrix(quaternion(R)) == pytest.approx(R, abs=1e-12)


def test_a_sample_rate_is_a_period():
    """1 kHz is 1 ms, and the resolved file says so."""
    scenario = load_scenario("epos_1d", {"sensor.rate_Hz": 1000.0})
    assert scenario.tables["sensor"]["period_ms"] == 1.0
    assert "rate_Hz" not in to_toml(scenario.tables)


def test_restitution_becomes_damping_with_the_effective_mass():
    """Central and of points: the reduced mass; the damping gives the restitution back, and the
    mass is said."""
    tables = copy.deepcopy(CONE)
    tables["approach"] = COME
    del tables["contact"][0]["real"]["damping_Ns_per_m"]
    tables["contact"][0]["real"]["restitution"] = 0.6
    scenario = build(tables)
    assert effective_mass(scenario.tables, 0) == pytest.approx(1500.0)
    damping = scenario.tables["contact"][0]["real"]["damping_Ns_per_m"]
    assert restitution_of_damping(4000.0, damping, 1500.0) == pytest.approx(0.6)
    assert "effective mass of 1500 kg" in scenario.notes[0]


def test_an_approach_at_the_start():
    """Distance along the axis, offset across it, tilt about the second lateral direction, speed
    along the axis."""
    scenario = with_approach(lateral_offset_m=0.015, misalignment_deg=1.5, tumble_deg_per_s=0.3)
    assert tip_of(scenario) == pytest.approx([-1.04, 0.015, 0.0])
    chaser, target = scenario.tables["chaser"], scenario.tables["target"]
    assert chaser["velocity_m_per_s"] == pytest.approx([0.02, 0.0, 0.0])
    probe = matrix(chaser["attitude_wxyz"]) @ [1.0, 0.0, 0.0]
    assert np.degrees(np.arccos(probe @ [1.0, 0.0, 0.0])) == pytest.approx(1.5)
    assert np.degrees(np.linalg.norm(target["rate_rad_per_s"])) == pytest.approx(0.3)


def test_an_approach_at_touch_is_flown_back():
    """Two seconds before: the tip is the distance away, and the target turned back by its tumble,
    so that it has its attitude at touch."""
    scenario = with_approach(lateral_offset_m=0.015, tumble_deg_per_s=0.3, at="touch")
    assert tip_of(scenario) == pytest.approx([-1.04, 0.015, 0.0])
    target = scenario.tables["target"]
    angle = 2.0 * np.degrees(np.arccos(target["attitude_wxyz"][0]))
    assert angle == pytest.approx(0.6, rel=1e-6)


def test_a_resolved_approach_is_the_same_scenario():
    """What is written back gives the same vector, and holds no words."""
    scenario = with_approach(lateral_offset_m=[0.01, 0.02], misalignment_deg=[1.0, 2.0])
    assert "approach" not in scenario.tables
    assert np.array_equal(build(scenario.tables).vector, scenario.vector)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"distance_m": -0.01}, r"approach\.distance_m.*starts inside"),
        ({"speed_m_per_s": 0.0}, r"approach\.speed_m_per_s.*> 0"),
        ({"lateral_ofset_m": 0.1}, r"did you mean 'lateral_offset_m'"),
        ({"misalignment_deg": "some"}, r"approach\.misalignment_deg"),
        ({"at": "noon"}, r"approach\.at.*one of start, touch"),
        ({"tumble_deg_per_s": [1.0, 2.0]}, r"approach\.tumble_deg_per_s"),
    ],
)
def test_impossible_approaches_are_refused(changes, said):
    """Each with its key and what is allowed."""
    with pytest.raises(BadInput, match=said):
        with_approach(**changes)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"contact.0.real.restitution": 1.2}, "more than it got"),
        ({"contact.0.real.restitution": 0.5}, "either restitution or damping_Ns_per_m"),
        ({"chaser.attitude_deg": [1, 2, 3], "chaser.attitude_wxyz": [1, 0, 0, 0]}, "not both"),
        ({"chaser.attitude_deg": [1, 2]}, "three finite numbers"),
        ({"sensor.rate_Hz": 0}, "either rate_Hz or period_ms"),
        ({"pose.rate_Hz": 0}, "> 0 .Hz."),
        ({"approach.distance_m": 0.1, "approach.speed_m_per_s": 0.1}, "nothing beside .approach."),
    ],
)
def test_words_that_cannot_be_are_refused(changes, said):
    """A restitution above one, two words for one thing, a list too short."""
    with pytest.raises(BadInput, match=said):
        load_scenario("epos_3d", changes)


def test_a_law_without_restitution_refuses_one(tmp_path):
    """A table of forces has none; the line is named."""
    file = tmp_path / "rig.toml"
    text = "[[contact]]\ngeometry = 'wall'\n[contact.real]\nlaw = 'table'\nrestitution = 0.5\n"
    file.write_text("[chaser]\nmass_kg = 1.0\n" + text)
    with pytest.raises(BadInput, match=r"rig\.toml:7: contact\.0\.real\.restitution.*no restitut"):
        load_scenario(file)
