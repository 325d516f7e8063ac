"""How much delay a loop bears, and what comes back: numbers computed independently of softdock, and
runs of the loop itself.

Runs are compared with the prediction at their own sampling phase.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scenarios import CHASER_INERTIA, TARGET_INERTIA, epos_wall, lange_impact

import softdock
from softdock.studies import stability
from softdock.studies.stability import (
    Loop,
    Robot,
    critical_damping,
    critical_delay,
    loops_of,
    predicted_restitution,
    spectral_radius,
)
from softdock.studies.stability.closed_forms import NOSE_DAMPING, NOSE_REACH, crossing_frequency
from softdock.studies.stability.impact_restitution import simulate_impacts


@pytest.mark.parametrize(
    ("mass", "damping", "stiffness", "delay_ms"),
    [
        (60.0, 50.0, 1000.0, 49.30850),
        (60.0, 20.0, 1000.0, 19.95559),
        (15.6, 50.0, 3000.0, 16.37152),
        (63.0, 30.0, 1066.0, 28.01704),
    ],
)
def test_critical_delays(mass, damping, stiffness, delay_ms):
    """Zebenay (110), to the digits of the golden numbers."""
    assert 1e3 * critical_delay(mass, damping, stiffness) == pytest.approx(delay_ms, abs=6e-6)


def test_crossing_frequency_and_nose():
    """Zebenay (108), and the longest delay that any damping bears."""
    assert crossing_frequency(60.0, 50.0, 1000.0) == pytest.approx(4.125228, abs=6e-7)
    assert pytest.approx(0.7414674812, abs=6e-11) == NOSE_REACH
    assert pytest.approx(1.2787696858, abs=6e-11) == NOSE_DAMPING


def test_critical_dampings_continuous_and_sampled():
    """15.6 kg, 3000 N/m, 16 ms: 48.8247 Ns/m continuous, 55.1745 with a force held over 4 ms; the
    rule of thumb, h + T/2, is within 0.04 %."""
    assert critical_damping(15.6, 3000.0, 0.016) == pytest.approx(48.82467, abs=6e-6)
    sampled = critical_damping(15.6, 3000.0, 0.016, cycle=0.004)
    assert sampled == pytest.approx(55.17447, abs=6e-6)
    assert critical_damping(15.6, 3000.0, 0.018) == pytest.approx(sampled, rel=4e-4)


@pytest.mark.parametrize(
    ("integrator", "more"),
    [
        ("exact_hold", 0.0),
        ("lie_rk4", 0.0),
        ("lie_midpoint", 0.0),
        ("forward_euler", 0.5),
        ("symplectic_euler", -0.5),
    ],
)
def test_the_integrator_is_part_of_the_budget(integrator, more):
    """Forward Euler adds k T / 2 to the critical damping, symplectic Euler subtracts it, both
    exactly."""
    found = critical_damping(15.6, 3000.0, 0.016, 0.004, integrator)
    assert found == pytest.approx(
        critical_damping(15.6, 3000.0, 0.016, 0.004) + more * 3000.0 * 0.004, rel=1e-9
    )


def test_without_delay_the_sampled_loop_is_stable_between_two_dampings():
    """k T / 2 < b < 2 m / T."""
    lower, upper = stability.critical_dampings(15.6, 3000.0, 0.0, cycle=0.004)
    assert lower == pytest.approx(0.5 * 3000.0 * 0.004, rel=1e-9)
    assert upper == pytest.approx(2.0 * 15.6 / 0.004, rel=1e-9)


@pytest.mark.parametrize("delay", [0.0, 0.004, 0.016, 0.0183, 0.04])
@pytest.mark.parametrize("integrator", ["exact_hold", "symplectic_euler", "forward_euler"])
def test_closed_forms_and_eigenvalues_agree(delay, integrator):
    """At the critical damping, and at the critical delay, the loop's own state over one cycle has
    an eigenvalue on the unit circle, to 1e-9."""
    loop = Loop(
        mass=15.6,
        stiffness=3000.0,
        damping=60.0,
        robots=(Robot(delay=delay),),
        cycle=0.004,
        integrator=integrator,
    )
    lower, upper = stability.critical_dampings(15.6, 3000.0, delay, 0.004, integrator)
    for damping in (lower, upper):
        at = loop.changed(damping=max(damping, 1e-12))
        assert np.abs(np.linalg.eigvals(stability.lifted_matrix(at))).max() == pytest.approx(
            1.0, abs=1e-9
        )
    if lower == 0.0:
        return
    borne = critical_delay(15.6, lower, 3000.0, 0.004, integrator)
    neutral = loop.changed(damping=lower, delay=borne)
    assert np.abs(np.linalg.eigvals(stability.lifted_matrix(neutral))).max() == pytest.approx(
        1.0, abs=1e-9
    )
    if integrator == "exact_hold":
        assert borne == pytest.approx(delay, abs=1e-9)
    # positions and velocities do not fit each other, so that parts of a cycle of delay count
    # unevenly
    else:
        assert borne == pytest.approx(delay, abs=0.002)


def test_planar_effective_mass():
    """m = 60 kg, a = 0.3 m, 30 deg and J = 1.42297 kg m^2 make 15.6 kg (Zebenay (84)); in three
    dimensions the same."""
    planar = stability.effective_mass_2d(60.0, 1.42297, 0.3, math.radians(30.0))
    assert planar == pytest.approx(15.6, abs=5e-5)
    normal, arm = (0.0, math.sin(math.radians(30.0)), math.cos(math.radians(30.0))), (0.0, 0.3, 0.0)
    assert stability.effective_mass(
        normal, stability.FreeBody(60.0, (1.42297, 9.0, 9.0), arm)
    ) == pytest.approx(planar, rel=1e-12)


def test_impacts_of_the_delay_equation():
    """15.6 kg, 3000 N/m, exact 16 ms, a contact that may pull: the row of an independent
    prototype for Table 1."""
    found = [
        predicted_restitution(15.6, 3000.0, b, 0.016, law="spring_damper_pull")
        for b in (0.0, 45.0, 50.0, 55.0, 60.0, 70.0)
    ]
    assert found == pytest.approx([1.410, 1.027, 0.991, 0.956, 0.922, 0.857], abs=6e-4)


def test_impacts_of_table_2():
    """63 kg, 16 ms at 4 ms, force held, clamped, mean over the sampling phase: the row of
    an independent prototype for Table 2, within 0.003."""
    rows = [
        (0.0, 977.0),
        (20.0, 1020.0),
        (30.0, 975.0),
        (40.0, 1050.0),
        (70.0, 1030.0),
        (90.0, 1040.0),
        (100.0, 822.0),
    ]
    found = [predicted_restitution(63.0, k, b, 0.016, 0.004) for b, k in rows]
    assert found == pytest.approx(
        [1.1176, 0.9932, 0.9311, 0.8898, 0.7541, 0.6825, 0.6035], abs=3e-3
    )


def predicted(tables, touch_cycles):
    """The prediction for a scenario whose mock-ups touch so many cycles after a stamp."""
    (point,) = loops_of(softdock.build(tables))
    return float(simulate_impacts(point.loop, np.array([touch_cycles % point.loop.pattern]))[0])


@pytest.mark.parametrize(
    "integrator",
    ["exact_hold", "symplectic_euler", "forward_euler", "lie_rk4", "lie_midpoint", "lie_split"],
)
@pytest.mark.parametrize(
    ("damping", "delay_ms", "phase"), [(0.0, 16.0, 0.0), (30.0, 16.0, 0.3), (60.0, 18.3, 0.6)]
)
def test_a_run_gives_back_what_was_predicted(integrator, damping, delay_ms, phase):
    """The analysis is of the very loop that runs: EPOS on one axis, to rounding."""
    tables = epos_wall(delay_ms=delay_ms, integrator=integrator, phase=phase)
    tables["contact"][0]["real"]["damping_Ns_per_m"] = damping
    assert softdock.simulate(tables).restitution == pytest.approx(
        predicted(tables, phase + delay_ms / 4.0), abs=1e-10
    )


FACILITIES = {
    "staircase": {"robots": {"chaser": {"delay_ms": 18.3, "interpolation": "hold"}}},
    "linear": {"robots": {"chaser": {"delay_ms": 18.3, "interpolation": "linear"}}},
    "mean of a fast sensor": {"sensor": {"period_ms": 1.0, "handover": "mean"}},
    "late sensor": {"sensor": {"period_ms": 1.0, "delay_ms": 2.5}},
    "lag": {
        "time": {"cycle_ms": 4.0, "duration_s": 3.0, "plant_steps": 3},
        "robots": {"chaser": {"model": "lag", "lag_Hz": 9.0, "lag_damping_ratio": 0.7}},
    },
    "pull": {
        "contact": [
            {
                "geometry": "wall",
                "real": {
                    "law": "spring_damper_pull",
                    "stiffness_N_per_m": 1000.0,
                    "damping_Ns_per_m": 80.0,
                },
            }
        ]
    },
}


@pytest.mark.parametrize("name", FACILITIES)
def test_a_run_of_the_whole_facility_gives_back_what_was_predicted(name):
    """Interpolation, sensor rate, hand-over, sensor delay, lag and law are those of the loop that
    runs."""
    tables = epos_wall(delay_ms=10.0, phase=0.2) | FACILITIES[name]
    robot = tables["robots"]["chaser"]
    late = robot.get("delay_ms", 0.0) + (
        1e3 * 2.0 * 0.7 / (2.0 * math.pi * 9.0) if name == "lag" else 0.0
    )
    assert softdock.simulate(tables).restitution == pytest.approx(
        predicted(tables, 0.2 + late / 4.0), abs=1e-9
    )


@pytest.mark.parametrize("pose_delay_ms", [0.0, 5.0])
def test_a_virtual_contact_on_the_mean_of_a_fast_sensor(pose_delay_ms):
    """Poses are carried to the mean's own age, which its samples have on average. 3e-4: a virtual
    spring begins where the touch is seen, between samples (the age of the newest sample instead
    would be 2.5e-3 off)."""
    sensor = {"period_ms": 1.0, "delay_ms": 2.0, "handover": "mean"}
    method = {
        "name": "hybrid",
        "stiffness_N_per_m": [300.0, 0.0, 0.0],
        "damping_Ns_per_m": [20.0, 0.0, 0.0],
    }
    tables = epos_wall(delay_ms=10.0, phase=0.2) | {
        "sensor": sensor,
        "pose": {"delay_ms": pose_delay_ms},
        "methods": [method],
    }
    assert softdock.simulate(tables).restitution == pytest.approx(
        predicted(tables, 0.2 + 10.0 / 4.0), abs=3e-4
    )
    method["stiffness_N_per_m"] = [0.0, 0.0, 0.0]
    assert softdock.simulate(tables).restitution == pytest.approx(
        predicted(tables, 0.2 + 10.0 / 4.0), abs=1e-10
    )


def test_two_free_bodies_on_robots_of_different_delay():
    """Each robot delays its own body's share of the motion."""
    tables = lange_impact(phase=0.3)
    tables["contact"][0]["real"] |= {"stiffness_N_per_m": 20000.0, "damping_Ns_per_m": 100.0}
    tables["robots"] = {"chaser": {"delay_ms": 5.0}, "target": {"delay_ms": 2.7}}
    assert softdock.simulate(tables).restitution == pytest.approx(
        predicted(tables, 0.3 + 5.0 / 4.0), abs=1e-10
    )  # the target is at rest until touched


def test_an_impact_off_centre_feels_the_effective_mass():
    """Both bodies free, full inertia, levers along no axis: the bounce is that of the effective
    mass, as far as the bodies do not turn meanwhile (1e-4)."""
    tables = lange_impact()
    tables["time"] = {"cycle_ms": 4.0, "duration_s": 6.0}
    for name, inertia in (("chaser", CHASER_INERTIA), ("target", TARGET_INERTIA)):
        tables[name]["inertia_kg_m2"] = inertia
    tables["chaser"] |= {
        "position_m": [-0.30001 - 1e-5 * 0.004 * 0.3, -0.5, 0.2],
        "velocity_m_per_s": [1e-5, 0.0, 0.0],
    }
    tables["robots"] = {"chaser": {"delay_ms": 16.0}, "target": {"delay_ms": 16.0}}
    tables["contact"][0] |= {
        "tip_m": [0.3, 0.9, -0.6],
        "real": {"stiffness_N_per_m": 300.0, "damping_Ns_per_m": 8.0},
    }
    (point,) = loops_of(softdock.build(tables))
    assert point.loop.mass < 25.0  # of two bodies of 100 kg each: 50 kg without turning
    run = softdock.simulate(tables)
    assert run.restitution == pytest.approx(predicted(tables, 0.3 + 4.0), abs=1e-4)
    assert run.restitution != pytest.approx(
        stability.restitution_of_loop(point.loop.changed(mass=50.0)), abs=1e-2
    )


def test_spectral_radius_at_the_golden_point():
    """Just inside the boundary motions decay, just outside they grow."""
    loop = Loop(
        mass=15.6, stiffness=3000.0, damping=55.17447, robots=(Robot(delay=0.016),), cycle=0.004
    )
    assert (
        spectral_radius(loop.changed(damping=55.3))
        < 1.0
        < spectral_radius(loop.changed(damping=55.0))
    )
