"""From scenarios to operating points: effective mass and its range, linearised laws, robots'
shares; advice in words, robust margins, charts."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scenarios import cone_docking, epos_wall, sphere_on_sphere, whole_facility

import softdock
from softdock.errors import BadInput
from softdock.scenario.files import preset_names
from softdock.studies.stability import (
    Interval,
    Loop,
    Normal,
    Robot,
    advise,
    critical_delay,
    damping_to_add,
    is_stable,
    loops_of,
    restitution_of_loop,
    robust_margins,
)
from softdock.studies.stability.analysis import delay_budget, total_delay

EPOS = Loop(mass=63.0, stiffness=1000.0, damping=0.0, robots=(Robot(delay=0.016),), cycle=0.004)


def points_of(tables):
    return loops_of(softdock.build(tables))


@pytest.mark.parametrize("name", [name for name in preset_names() if name != "oos_sim"])
def test_every_preset_with_a_contact_is_advised_on(name):
    """A verdict, sentences and finite numbers for each."""
    for point in loops_of(softdock.load_scenario(name)):
        found = advise(point.loop)
        assert found.safe == (found.state == "stable and passive")
        assert all(sentence.endswith(".") for sentence in found.sentences)
        json.dumps(found.as_dict(), allow_nan=False)


def test_the_budget_names_computation_and_transport():
    """Keys of their own, and the sum is that of the whole delay."""
    tables = epos_wall(delay_ms=8.0)
    for robot in tables["robots"].values():
        robot |= {"computation_ms": 2.0, "transport_ms": 6.0}
    (point,) = points_of(tables)
    items = {item.name: item.delay_s for item in delay_budget(point.loop)}
    assert [items[name] for name in ("compute", "transport", "robot")] == pytest.approx(
        [0.002, 0.006, 0.008]
    )
    (whole,) = points_of(epos_wall(delay_ms=16.0))
    assert total_delay(point.loop) == pytest.approx(total_delay(whole.loop), abs=1e-15)


def test_a_scenario_without_a_contact_is_refused():
    """A scenario without contact has no loop to analyse, and is refused by that key."""
    with pytest.raises(BadInput, match="contact"):
        loops_of(softdock.load_scenario("oos_sim"))


def test_the_effective_mass_depends_on_the_direction():
    """A cone has many normals: the smallest mass is analysed, the range and its cause are said."""
    (point,) = points_of(cone_docking(delay_ms=16.0))
    low, high = point.mass_range_kg
    assert point.loop.mass == low < 0.9 * high
    assert any("effective mass from" in note for note in point.notes)
    assert np.linalg.norm(point.normal) == pytest.approx(1.0)


def test_a_sphere_is_touched_on_the_side_that_faces_the_tip():
    """On a sphere the places of contact give effective masses up to that of both centres in
    line."""
    (point,) = points_of(sphere_on_sphere())
    assert (
        point.mass_range_kg[0]
        < point.mass_range_kg[1]
        <= 1.0 / (1.0 / 80.0 + 1.0 / 120.0) * (1.0 + 1e-12)
    )


def test_shared_motion_is_carried_by_both_robots():
    """With a share s the chaser's robot carries s of the relative translation, though only the
    chaser moves."""
    tables = epos_wall() | {
        "laboratory": {"mapping": "shared", "chaser_share": 0.7},
        "robots": {"chaser": {"delay_ms": 10.0}, "target": {"delay_ms": 20.0}},
    }
    (point,) = points_of(tables)
    assert [(r.share, r.delay) for r in point.loop.robots] == [
        (pytest.approx(0.7), 0.01),
        (pytest.approx(0.3), 0.02),
    ]


def test_what_is_left_out_is_said():
    """Limits, losses, jitter, friction, tabulated laws: each has its note."""
    tables = whole_facility()
    tables["sensor"] |= {"freeze_for_s": 0.1}
    (point,) = points_of(tables)
    said = " ".join(point.notes)
    for word in (
        "table, linearised",
        "friction",
        "delay varies",
        "limits of speed",
        "lost set-points",
        "range_N",
        "its faults (froze)",
        "weight and inertia",
    ):
        assert word in said


def test_a_non_linear_contact_is_linearised_at_a_stated_depth():
    """Hunt-Crossley: tangent where the approach would stop, or at the depth asked for."""
    tables = epos_wall(mass_kg=63.0, speed=0.02)
    tables["contact"][0]["real"] = {
        "law": "hunt_crossley",
        "stiffness_N_per_m": 8000.0,
        "exponent": 1.5,
        "lambda_s_per_m": 0.5,
    }
    scenario = softdock.build(tables)
    (point,) = loops_of(scenario)
    depth = (2.5 * 63.0 * 0.02**2 / (2.0 * 8000.0)) ** (1.0 / 2.5)  # 0.5 m v^2 = k d^2.5 / 2.5
    assert point.loop.stiffness == pytest.approx(8000.0 * 1.5 * math.sqrt(depth))
    assert f"{1e3 * depth:.4g} mm" in point.notes[0]
    (shallow,) = loops_of(scenario, depth=1e-3)
    assert shallow.loop.stiffness == pytest.approx(8000.0 * 1.5 * math.sqrt(1e-3))
    assert shallow.loop.damping == pytest.approx(0.5 * 8000.0 * 1e-3**1.5)
    with pytest.raises(BadInput, match="depth"):
        loops_of(scenario, depth=0.0)


def test_zero_stiffness_is_refused():
    """A contact of zero stiffness has no frequency, and is refused by its key."""
    tables = epos_wall()
    tables["contact"][0]["real"]["stiffness_N_per_m"] = 0.0
    with pytest.raises(BadInput, match=r"contact\.0\.real\.stiffness_N_per_m"):
        points_of(tables)


def test_pairs_that_touch_together_are_stiffer():
    """Three petals at once: a mode whose mass on one petal's stiffness is smaller than any single
    pair's."""
    *single, together = loops_of(softdock.load_scenario("three_petals"))
    assert together.name == "all pairs"
    assert together.loop.mass < min(point.loop.mass for point in single)


def test_two_equal_walls_are_one_of_twice_the_stiffness():
    """Two walls touched at once act as one of twice the stiffness on half the mass per wall."""
    tables = epos_wall()
    tables["contact"] = [*tables["contact"], *tables["contact"]]
    together = points_of(tables)[-1].loop
    assert together.mass == pytest.approx(31.5)


def test_advice_beyond_the_nose_says_what_helps():
    """No damping helps; less delay, a softer contact or more mass, by the numbers it gives."""
    found = advise(
        Loop(mass=50.0, stiffness=50000.0, damping=0.0, robots=(Robot(delay=0.048),), cycle=0.004)
    )
    assert not found.safe
    assert found.damping_to_add_for_stability_Ns_per_m is None
    assert found.analysis.critical_damping_Ns_per_m is None
    assert "No damping helps" in found.sentences[-1]
    assert "softer contact" in found.sentences[-1]


def test_a_virtual_damper_that_comes_too_late_is_said_to():
    """The loop would bear damping, but poses measured 300 ms late cannot give it."""
    found = advise(EPOS.changed(pose_delay=0.3))
    assert found.damping_to_add_for_stability_Ns_per_m is None
    assert "simulated pose" in found.sentences[-1]


def test_the_advised_damping_does_what_is_said():
    """With the damping advised the impact is neutral, or as wanted; less is not enough. For
    measured late poses and simulated ones alike."""
    for loop in (EPOS, EPOS.changed(pose_delay=0.016), EPOS.changed(virtual_from="simulated")):
        for wanted in (1.0, 0.9):
            added = damping_to_add(loop, wanted)
            assert restitution_of_loop(
                loop.changed(virtual_damping=added), phases=16
            ) == pytest.approx(wanted, abs=1e-6)
            assert (
                restitution_of_loop(loop.changed(virtual_damping=0.98 * added), phases=16) > wanted
            )
        stabilising = advise(loop).damping_to_add_for_stability_Ns_per_m
        assert is_stable(loop.changed(virtual_damping=1.001 * stabilising))
        assert not is_stable(loop.changed(virtual_damping=0.999 * stabilising))


def test_a_neutral_rig_is_called_neutral():
    """Symplectic Euler without delay gives back what it got."""
    found = advise(EPOS.changed(integrator="symplectic_euler", delay=0.0))
    assert found.state.startswith("neutral")
    assert not found.safe


def test_wanted_restitution_must_make_sense():
    """A wanted restitution of zero is refused: no damping reaches it."""
    with pytest.raises(BadInput, match="wanted_restitution"):
        advise(EPOS, wanted=0.0)


def test_robust_margins_are_those_of_the_worst_corner_and_repeat():
    """Intervals: the worst corner is the stiffest and latest. Probability: by area, reproducible by
    its seed."""
    loop = Loop(60.0, 1000.0, 50.0, (Robot(delay=0.04),))
    box = {"stiffness": Interval(700.0, 1300.0), "delay": Interval(0.030, 0.050)}
    found = robust_margins(loop, box, samples=20000, seed=3)
    assert found["worst_case"] == {"stiffness": 1300.0, "delay": 0.05}
    assert found["worst_case_delay_margin_s"] == pytest.approx(
        critical_delay(60.0, 50.0, 1300.0) - 0.05
    )
    assert found["worst_case_stable"] is False
    k, h = np.meshgrid(np.linspace(700.0, 1300.0, 601), np.linspace(0.03, 0.05, 601))
    share = np.mean(h < critical_delay(60.0, 50.0, k))
    assert found["probability_stable"] == pytest.approx(
        share, abs=5.0 * found["probability_standard_error"]
    )
    assert robust_margins(loop, box, samples=20000, seed=3) == found
    assert robust_margins(loop, box, samples=20000, seed=4) != found


def test_robust_margins_of_a_sampled_loop_with_a_distribution():
    """Far inside the boundary all draws are stable, far outside none."""
    loop = Loop(
        mass=60.0, stiffness=1000.0, damping=50.0, robots=(Robot(delay=0.016),), cycle=0.004
    )
    assert (
        robust_margins(loop, {"stiffness": Normal(1000.0, 50.0)}, samples=50)["probability_stable"]
        == 1.0
    )
    assert (
        robust_margins(loop, {"delay": Normal(0.1, 0.005)}, samples=50)["probability_stable"] == 0.0
    )


@pytest.mark.parametrize(
    "uncertain",
    [
        {},
        {"colour": Interval(0.0, 1.0)},
        {"mass": Interval(-1.0, 1.0)},
        {"stiffness": Interval(2.0, 1.0)},
        {"delay": Normal(0.001, 0.001)},
    ],
)
def test_uncertainties_that_cannot_be_are_refused(uncertain):
    """Intervals that are empty, negative, of an unknown number or unbounded below are refused."""
    with pytest.raises(BadInput, match="uncertain"):
        robust_margins(EPOS, uncertain)
