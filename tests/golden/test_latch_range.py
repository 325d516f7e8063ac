"""Where a latch engages and what counts as captured, against geometry that is computed here: inside
the cone at the tip's own height, at the bottom, and within the latch's range of its docked pose; on
the rig, in orbit and in batches alike."""

from __future__ import annotations

import math

import numpy as np
import pytest

from softdock import build, load_scenario, run_loop, simulate
from softdock.loop.contact.latch import LATCH_CELLS
from softdock.reference import run_reference
from softdock.studies.campaign.batch import run_cpu

STATE = LATCH_CELLS.at.state
MOUTH, BOTTOM, ANGLE, DEPTH = 0.05, 0.02, math.radians(20.0), 0.03 / math.tan(math.radians(20.0))
WITHIN, THICK, SEED = 0.005, 0.005, 2911


def waiting(geometry="cone", radius=0.0, **latch):
    """A probe at rest beside a nozzle or a wall whose latch engages after two cycles at the seat,
    and holds what it catches. The nozzle opens towards -x, its mouth 1 m before the target."""
    body = {"mass_kg": 300.0, "inertia_kg_m2": [50.0, 50.0, 50.0]}
    cone = {
        "mouth_radius_m": MOUTH,
        "bottom_radius_m": BOTTOM,
        "half_angle_deg": 20.0,
        "wall_thickness_m": THICK,
        "closed_bottom": True,
    }
    seat = -1.0 + DEPTH - radius if geometry == "cone" else -1.0 - radius
    return {
        "time": {"cycle_ms": 4.0, "duration_s": 0.04},
        "chaser": {**body, "position_m": [-3.0, 0.0, 0.0]},
        "target": body,
        "contact": [
            {
                "geometry": geometry,
                **(cone if geometry == "cone" else {}),
                "tip_m": [1.0, 0.0, 0.0],
                "tip_radius_m": radius,
                "origin_m": [-1.0, 0.0, 0.0],
                "axis": [-1.0, 0.0, 0.0],
                "real": {"stiffness_N_per_m": 2000.0},
            }
        ],
        "capture": {
            "for_s": 0.008,
            "within_m": WITHIN,
            "below_m_per_s": 0.02,
            "latch": [
                {
                    "place_m": [seat, 0.0, 0.0],
                    "real": {"stiffness_N_per_m": [100.0, 100.0, 100.0]},
                    **latch,
                }
            ],
        },
    }


def poses(number, chance):
    """Places of the tip (height above the mouth along its axis, distance from the axis), and angles
    of the chaser from its docked attitude: about the nozzle and right at its bottom."""
    far = number // 2
    height = np.concatenate([chance.uniform(-0.3, 0.1, far), chance.uniform(-0.084, -0.066, far)])
    rho = np.concatenate([chance.uniform(0.0, 0.1, far), chance.uniform(0.0, 0.025, far)])
    return height, rho, chance.uniform(0.0, math.radians(30.0), 2 * far)


def placed(tables, height, rho, angle, chance):
    """The chaser with its tip there, turned by `angle` about some axis."""
    axis, turn = chance.normal(size=3), chance.uniform(0.0, 2.0 * math.pi)
    x, y, z = axis / np.linalg.norm(axis)
    c, s = math.cos(angle), math.sin(angle)
    ahead = np.array([c + x * x * (1 - c), y * x * (1 - c) + z * s, z * x * (1 - c) - y * s])
    tip = np.array([-1.0 - height, rho * math.cos(turn), rho * math.sin(turn)])
    half = math.sin(angle / 2.0)
    return {
        "chaser.position_m": (tip - ahead).tolist(),
        "chaser.attitude_wxyz": [math.cos(angle / 2.0), half * x, half * y, half * z],
    }


def is_clear(height, rho, radius):
    """Whether a ball touches nothing: away from the wall's rectangle and the bottom's plate."""
    s = (rho - MOUTH) * math.sin(ANGLE) + height * math.cos(ANGLE)
    n = height * math.sin(ANGLE) - (rho - MOUTH) * math.cos(ANGLE)
    length = (MOUTH - BOTTOM) / math.sin(ANGLE)
    wall = math.hypot(s - np.clip(s, -length, 0.0), n - np.clip(n, -THICK, 0.0))
    edge = BOTTOM + THICK * math.cos(ANGLE)
    below = height - np.clip(height, -DEPTH - THICK, -DEPTH)
    return min(wall, math.hypot(max(rho - edge, 0.0), below)) > radius


@pytest.mark.parametrize("radius", [0.0, 0.008], ids=["point", "ball"])
def test_a_latch_engages_inside_at_the_bottom_and_in_range(radius):
    """300 places and attitudes from seed 2911, those that touch nothing: batch, single runs and
    orbit engage where this geometry says, and the batch calls captured what is at its seat."""
    chance = np.random.default_rng(SEED)
    scenario = build(waiting(radius=radius))
    found = zip(*poses(300, chance), strict=True)
    cases = [one for one in found if is_clear(one[0], one[1], radius)]
    changes = [placed(scenario.tables, *one, chance) for one in cases]
    height, rho, angle = np.array(cases).T
    inside = (height <= 0.0) & (rho <= MOUTH + height * math.tan(ANGLE))
    seated = inside & (np.abs(height + DEPTH - radius) <= WITHIN)
    off = np.hypot(height + DEPTH - radius, rho)
    engages = seated & (off <= BOTTOM + 2.0 * WITHIN) & (angle <= ANGLE)
    assert 5 < engages.sum() < seated.sum() < len(cases)  # the cases tell all three apart
    whole = [scenario.replace(change) for change in changes]
    vectors = np.stack([one.vector for one in whole])
    batch = run_cpu(vectors, scenario.markers, scenario.mem_floats, threads=1)
    latched = np.isfinite(batch.column("latched_at_s"))
    assert latched.tolist() == engages.tolist()
    assert np.isfinite(batch.column("captured_at_s")).tolist() == seated.tolist()
    for i in [*np.flatnonzero(engages)[:4], *np.flatnonzero(~engages)[:40:4]]:
        run = run_loop(whole[i])
        assert (run.latches[0, STATE] == 2.0) == engages[i]
        assert math.isfinite(run.reached.captured_at_s) == seated[i]
        assert (run_reference(whole[i]).latches[0, STATE] == 2.0) == engages[i]


def engaged(tables, tip, speed=0.0):
    """Whether the latch engages, on the rig and in orbit, of a tip at rest at a place."""
    tables["chaser"] |= {
        "position_m": [tip[0] - 1.0, tip[1], tip[2]],
        "velocity_m_per_s": [speed, 0.0, 0.0],
    }
    scenario = build(tables)
    both = [
        run_loop(scenario).latches[0, STATE] == 2.0,
        run_reference(scenario).latches[0, STATE] == 2.0,
    ]
    assert both[0] == both[1]
    return both[0]


def test_a_wall_latches_at_its_place_only():
    """A tip before a wall, 40 mm beside the docked place, latches; 60 mm and 0.8 m beside it does
    not, unless the scenario's range says so."""
    assert engaged(waiting("wall"), [-1.002, 0.04, 0.0])
    assert not engaged(waiting("wall"), [-1.002, 0.06, 0.0])
    assert not engaged(waiting("wall"), [-1.002, 0.8, 0.0])
    assert engaged(waiting("wall", range_m=0.9), [-1.002, 0.8, 0.0])
    assert not engaged(waiting("wall", range_m=0.01), [-1.002, 0.02, 0.0])


def test_a_probe_that_missed_flies_on():
    """A probe that starts half a metre behind the nozzle's bottom, and drifts there slowly: neither
    latched nor captured, on the rig or in orbit."""
    behind = {"chaser.position_m": [-1.42, 0.045, 0.0], "chaser.velocity_m_per_s": [5e-4, 0.0, 0.0]}
    run = simulate(load_scenario("soft_dock", {**behind, "time.duration_s": 8.0}))
    assert (run.metrics["latched"], run.metrics["captured"]) == (False, False)
    assert run.metrics["reference"]["contact_count"] == 0
    assert run.reference.latches[0, STATE] == 0.0
