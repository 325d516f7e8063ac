"""Motion relative to the target's own free motion: the free motion is the reference's, what is left
is the relative motion, and the contact is where it was."""

from __future__ import annotations

import numpy as np
import pytest
from scenarios import epos_wall
from scipy.spatial.transform import Rotation

from softdock.reference import run_reference
from softdock.scenario.build import build
from softdock.studies.placement.motion import (
    NOMINAL,
    compute_free_motion,
    load_motion,
    move_to_nominal,
)

RATE = (0.3, 0.8, -0.2)  # rad/s, about no principal axis


def tumbling(position=(0.0, 0.0, 0.0), **target):
    tables = epos_wall(delay_ms=16.0)
    tables["target"] = {
        "mass_kg": 700.0,
        "inertia_kg_m2": [300.0, 500.0, 700.0],
        "position_m": list(position),
        "velocity_m_per_s": [0.0, 0.01, -0.02],
        "rate_rad_per_s": list(RATE),
    } | target
    tables["time"]["duration_s"] = 1.2
    return build(tables)


def as_rotation(q):
    return Rotation.from_quat(np.roll(q, -1, axis=-1))


@pytest.fixture(scope="module")
def untouched():
    """The reference of a pair that does not meet."""
    scenario = tumbling(position=(-5.0, 0.0, 0.0))
    assert run_reference(scenario).contact_count == 0
    return scenario, run_reference(scenario).series


def test_the_free_motion_is_the_reference_s(untouched):
    """Attitudes of a body of three different moments within 1e-9 rad of the reference's."""
    scenario, series = untouched
    free = compute_free_motion(scenario.tables["target"], np.array(series["time"]))
    assert np.allclose(free[:, :3], series["target.position"], atol=1e-12)
    off = as_rotation(free[:, 3:]).inv() * as_rotation(np.array(series["target.attitude"]))
    assert off.magnitude().max() < 1e-9


def test_a_body_that_turns_with_the_nominal_motion_rests():
    """Places and attitudes fixed to the nominal body stay where they began."""
    time = np.linspace(0.0, 3.0, 50)
    free = compute_free_motion(tumbling().tables["target"], time)
    turned = as_rotation(free[:, 3:])
    place = free[:, :3] + turned.apply([3.0, -1.0, 0.5])
    held = turned * Rotation.from_euler("xyz", [0.3, 0.2, -0.5])
    rows = np.hstack([place, np.roll(held.as_quat(), 1, axis=1)])
    found = move_to_nominal(rows, free)
    assert np.abs(found[:, :3] - found[0, :3]).max() < 1e-12
    assert (as_rotation(found[0, 3:]).inv() * as_rotation(found[:, 3:])).magnitude().max() < 1e-12


def test_the_relative_motion_is_kept_and_the_target_rests_until_the_touch():
    """Distance of the two centres and the relative attitude at every instant; the force in the
    chaser's axes; before the contact the target does not move."""
    scenario = tumbling(rate_rad_per_s=[0.0, 0.0, 0.02], velocity_m_per_s=[0.0, 0.0, 0.0])
    plain, relative = load_motion(scenario), load_motion(scenario, NOMINAL)
    assert plain.peak_force > 1.0
    sets = []
    for one in (plain, relative):
        chaser, target = one.poses["chaser"], one.poses["target"]
        own = as_rotation(target[:, 3:]).inv()
        sets.append(
            (
                own.apply(chaser[:, :3] - target[:, :3]),
                (own * as_rotation(chaser[:, 3:])).as_matrix(),
                as_rotation(chaser[:, 3:]).inv().apply(one.force),
                as_rotation(chaser[:, 3:]).inv().apply(one.point - chaser[:, :3]),
            )
        )
    for a, b in zip(*sets, strict=True):
        assert np.abs(a - b).max() < 1e-12
    first = int(np.argmax(np.linalg.norm(plain.force, axis=1) > 0.0))
    rest = relative.poses["target"][:first]
    assert np.abs(rest - rest[0]).max() < 1e-9
    assert plain.measure_workspace("target")[1] == pytest.approx(0.02 * 1.2, rel=0.2)
    assert relative.measure_workspace("target")[1] < plain.measure_workspace("target")[1]
