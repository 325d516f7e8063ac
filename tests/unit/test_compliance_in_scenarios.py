"""A compliance device in a scenario: what is refused, and the stiffness that a run can reach."""

from __future__ import annotations

import math

import numpy as np
import pytest
from compliance_device import SPRINGS, STAR, device
from scenarios import cone_docking, epos_wall, sphere_on_sphere
from turned import quaternion

from softdock import simulate
from softdock.errors import BadInput
from softdock.loop.contact.compliance import (
    device_matrix,
    normal_stiffness,
    stiffness_range,
)
from softdock.reference import run_reference
from softdock.scenario.build import build
from softdock.scenario.device import reachable_stiffness


def test_a_device_belongs_to_the_real_contact():
    """A wanted law of its own is that of a rigid tip; the same as real includes the device."""
    tables = epos_wall(delay_ms=0.0)
    tables["contact"][0]["device"] = device()
    soft = run_reference(build(tables))
    tables["contact"][0]["wanted"] = {"law": "spring_damper", "stiffness_N_per_m": 1000.0}
    rigid = run_reference(build(tables))
    del tables["contact"][0]["device"]
    assert rigid.peak_force == run_reference(build(tables)).peak_force
    assert soft.peak_force < 0.95 * rigid.peak_force


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"device": device(directions=[STAR[0], STAR[0], STAR[3], STAR[3]])},
            r"device\.direction_1.*all three directions",
        ),
        (
            {"device": {"model": "four_springs", "stiffness_N_per_m": [1.0] * 4}},
            r"device\.direction_1",
        ),
        ({"device": device([1.0, 1.0, -1.0, 1.0])}, r"device\.stiffness_N_per_m"),
        (
            {"device": device(), "real": {"stiffness_N_per_m": 1e3, "friction": 0.1}},
            r"real\.friction.*slides without friction",
        ),
        ({"device": device(), "real": {"stiffness_N_per_m": 0.0}}, r"real\.stiffness_N_per_m"),
        (
            {"device": device(), "real": {"law": "hunt_crossley", "stiffness_N_per_m": 1e3}},
            r"applies only for real\.law = spring_damper",
        ),
        ({"device": {"model": "three_springs"}}, "rigid, four_springs"),
    ],
)
def test_bad_devices_are_refused(change, message):
    """With the key and what is allowed."""
    tables = epos_wall()
    tables["contact"][0] |= change
    with pytest.raises(BadInput, match=message):
        build(tables)


@pytest.mark.parametrize("build_tables", [cone_docking, sphere_on_sphere, epos_wall])
def test_a_run_stays_within_the_reachable_stiffness(build_tables):
    """Force over depth at every instant of a run lies below the bound that stability uses; the
    chaser starts turned."""
    tables = (
        build_tables("symplectic_euler")
        if build_tables is not epos_wall
        else epos_wall(delay_ms=0.0)
    )
    tables["contact"][0]["device"] = device([6000.0, 500.0, 700.0, 3000.0])
    scenario = build(tables)
    bound, series = reachable_stiffness(scenario.vector, tilt_deg=15.0), simulate(scenario).series
    touching = series["contact.depth"] > 1e-5
    felt = (
        np.linalg.norm(series["true.chaser.force"], axis=1)[touching]
        / series["contact.depth"][touching]
    )
    assert touching.any()
    assert felt.max() <= bound.held.high
    assert bound.sliding.high <= bound.held.high * (1.0 + 1e-12)
    assert (
        bound.held.high
        <= np.linalg.eigvalsh(device_matrix([6000.0, 500.0, 700.0, 3000.0], STAR))[2]
    )
    if (
        build_tables is not sphere_on_sphere
    ):  # whose curved surface makes force over depth more than a stiffness
        assert felt.min() >= 0.99 * bound.sliding.low


def test_reachable_normals_follow_the_attitude():
    """A wall met along the probe feels spring 4; the chaser turned by 90 deg, the springs across
    it."""
    found = []
    for turn in ([0.0, 0.0, 0.0], [0.0, 0.0, math.pi / 2]):
        tables = epos_wall()
        tables["chaser"]["attitude_wxyz"] = quaternion(turn).tolist()
        tables["contact"][0] |= {"device": device(), "real": {"stiffness_N_per_m": 1e9}}
        found.append(reachable_stiffness(build(tables).vector, tilt_deg=0.0))
    K = device_matrix(SPRINGS, STAR)
    assert [f.held.high for f in found] == pytest.approx([K[0, 0], K[1, 1]], rel=1e-5)
    assert found[1].sliding.high == pytest.approx(1.0 / np.linalg.inv(K)[1, 1], rel=1e-5)


@pytest.mark.parametrize(
    "call",
    [
        lambda: reachable_stiffness(build(epos_wall()).vector),
        lambda: reachable_stiffness(build(epos_wall()).vector, pair=1),
        lambda: reachable_stiffness(build(epos_wall()).vector, tilt_deg=-1.0),
    ],
)
def test_no_device_no_range(call):
    """A rigid tip, a pair that is not there, a tilt that is none."""
    with pytest.raises(BadInput):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: device_matrix([1.0, 1.0, 1.0], STAR),
        lambda: device_matrix([1.0, 1.0, 0.0, 1.0], STAR),
        lambda: device_matrix(SPRINGS, [*STAR[:3], [0.0, 0.0, 0.0]]),
        lambda: device_matrix(SPRINGS, STAR, (0.0, 1.0)),
        lambda: normal_stiffness(np.eye(3), [0.0, 0.0, 0.0]),
        lambda: stiffness_range(np.eye(3), angles_deg=(50.0, 20.0)),
    ],
)
def test_bad_arguments_are_refused(call):
    """The functions for users refuse what makes no device."""
    with pytest.raises(BadInput):
        call()
