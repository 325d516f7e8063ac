"""The whole loop: three ways to its roots agree, boundaries are where roots cross, and continuous
loops match an independent root finder."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from softdock.errors import BadInput
from softdock.loop.satellites import INTEGRATORS
from softdock.studies.stability import (
    Loop,
    Robot,
    analyse,
    is_stable,
    lifted_matrix,
    parametric_boundary,
    restitution_of_loop,
    spectral_radius,
    stable_stretch,
    total_delay,
    unstable_roots,
)
from softdock.studies.stability.analysis import delay_budget
from softdock.studies.stability.critical import find_critical_delay, margins
from softdock.studies.stability.loop import INTERPOLATIONS, POSITION_SHARE

PLAIN = Loop(mass=15.6, stiffness=3000.0, damping=60.0, robots=(Robot(delay=0.016),), cycle=0.004)
LOOPS = {
    "plain": PLAIN,
    "fractional": PLAIN.changed(later=0.0013),
    "mean, low-pass": PLAIN.changed(sensor_period=0.001, handover="mean", lowpass=50.0),
    "late sensor": PLAIN.changed(sensor_period=0.001, sensor_delay=0.003),
    "virtual, measured late": PLAIN.changed(
        pose_delay=0.0155, virtual_damping=20.0, virtual_stiffness=100.0
    ),
    "virtual, simulated": PLAIN.changed(virtual_damping=20.0, virtual_from="simulated"),
    "two robots": PLAIN.changed(
        robots=(Robot(0.3, 0.014, lag=50.0, lag_damping=0.7), Robot(0.7, 0.009, "linear"))
    ),
    "led force": PLAIN.changed(force_lead=0.018, force_lead_filter=0.003, later=0.0013),
    "led set-points": PLAIN.changed(force_lead=0.002, position_lead=0.016, position_curve=128e-6),
    "predicted": PLAIN.changed(force_lead=0.018, predicted_delay=0.018),
    "everything": PLAIN.changed(
        sensor_period=0.001,
        handover="mean",
        lowpass=60.0,
        sensor_delay=0.002,
        robots=(Robot(0.3, 0.014, lag=80.0, lag_damping=0.7), Robot(0.7, 0.0103, "hold", lag=60.0)),
        pose_delay=0.016,
        virtual_damping=20.0,
        plant_steps=2,
        integrator="forward_euler",
        force_lead=0.01,
        predicted_delay=0.01,
        position_lead=0.008,
        position_curve=30e-6,
    ),
}
SLOW_PATTERNS = {
    "sensor of 3 ms": PLAIN.changed(sensor_period=0.003),
    "sensor of 8 ms": PLAIN.changed(sensor_period=0.008),
    "sensor of 8 ms, led": PLAIN.changed(sensor_period=0.008, force_lead=0.01),
}


@pytest.mark.parametrize("name", LOOPS)
def test_polynomial_and_lifted_matrix_agree(name):
    """Roots of the polynomial are eigenvalues of the state over one cycle."""
    loop = LOOPS[name]
    assert spectral_radius(loop) == pytest.approx(
        np.abs(np.linalg.eigvals(lifted_matrix(loop))).max(), abs=1e-10
    )


@pytest.mark.parametrize("parameter", ["damping", "stiffness", "mass", "virtual_damping"])
@pytest.mark.parametrize("name", LOOPS)
def test_boundaries_are_where_roots_cross(name, parameter):
    """At both ends of a stable stretch the loop is neutral; inside it decays, by the eigenvalues as
    by the counted turns."""
    loop = LOOPS[name]
    found = stable_stretch(loop, parameter)
    if found is None:  # then no value is stable
        values = getattr(loop, parameter) * np.geomspace(1e-2, 1e4, 40)
        assert (
            min(
                np.abs(
                    np.linalg.eigvals(lifted_matrix(loop.changed(**{parameter: float(v)})))
                ).max()
                for v in values
            )
            > 1.0
        )
        return
    low, high = found
    for end in (low, high):
        if 0.0 < end < math.inf:
            assert np.abs(
                np.linalg.eigvals(lifted_matrix(loop.changed(**{parameter: end})))
            ).max() == pytest.approx(1.0, abs=1e-9)
    inside = loop.changed(**{parameter: 0.5 * (low + high) if high < math.inf else 2.0 * low})
    assert np.abs(np.linalg.eigvals(lifted_matrix(inside))).max() < 1.0
    assert unstable_roots(inside) == 0


@pytest.mark.parametrize("name", LOOPS)
def test_counted_turns_are_the_roots_outside(name):
    """The argument principle counts what the eigenvalues show, also far outside the stable
    region."""
    for damping in (0.0, 30.0, 400.0, 9000.0):
        loop = LOOPS[name].changed(damping=damping)
        outside = np.abs(np.linalg.eigvals(lifted_matrix(loop))) > 1.0
        assert unstable_roots(loop) == int(outside.sum())


@pytest.mark.parametrize("name", SLOW_PATTERNS)
def test_a_sensor_out_of_step(name):
    """Sampling that repeats only after several cycles: lifted over all of them; the boundary is
    found by searching."""
    loop = SLOW_PATTERNS[name]
    assert loop.pattern > 1
    low, high = stable_stretch(loop, "damping")
    for end in (low, high):
        assert spectral_radius(loop.changed(damping=end)) == pytest.approx(1.0, abs=1e-9)
    assert is_stable(loop.changed(damping=0.5 * (low + high)))


def test_a_sensor_that_never_meets_the_cycle_is_refused():
    """A period without a common multiple is named, with what is allowed."""
    with pytest.raises(BadInput, match=r"sensor\.period_ms"):
        analyse(PLAIN.changed(sensor_period=0.001 * math.pi))


def test_the_parametric_boundary_is_the_closed_form_and_holds_for_the_sampled_loop():
    """Along z = exp(i theta): k = m w^2 cos(w h), b = m w sin(w h) for the continuous loop; every
    point of the sampled curve has a root on the circle."""
    continuous = replace(PLAIN, cycle=None)
    w = np.linspace(5.0, 90.0, 20)
    _, stiffness, damping = parametric_boundary(continuous, w)
    assert stiffness == pytest.approx(15.6 * w**2 * np.cos(0.016 * w), rel=1e-12)
    assert damping == pytest.approx(15.6 * w * np.sin(0.016 * w), rel=1e-12)
    _, stiffness, damping = parametric_boundary(PLAIN, w[:10])
    for k, b in zip(stiffness, damping):
        eigenvalues = np.linalg.eigvals(
            lifted_matrix(PLAIN.changed(stiffness=float(k), damping=float(b)))
        )
        assert np.abs(np.abs(eigenvalues) - 1.0).min() < 1e-10


def test_the_integrators_are_those_of_the_loop():
    """The share of a held force's displacement that each integrator makes: one less its effective
    delay; none is left out, neither here nor on the command line."""
    from softdock.cli.stability import INTEGRATORS as OFFERED

    assert {i.name: 1.0 - i.effective_delay for i in INTEGRATORS} == POSITION_SHARE
    assert set(OFFERED) == set(POSITION_SHARE)


def test_the_interpolations_are_those_of_the_robots():
    """The stability analysis knows every interpolation that the simulated robots have, and no
    other."""
    from softdock.loop.robots.history import INTERPOLATIONS as OF_ROBOTS

    assert INTERPOLATIONS == OF_ROBOTS


@pytest.mark.parametrize("name", LOOPS)
def test_margins_end_at_the_boundary(name):
    """Each margin, used up, leaves a neutral loop."""
    loop = LOOPS[name]
    found = margins(loop)
    assert found["delay_s"] == pytest.approx(find_critical_delay(loop) - loop.delay)
    if find_critical_delay(loop) > 0.0:
        assert spectral_radius(loop.changed(later=found["delay_s"])) == pytest.approx(1.0, abs=1e-8)
    assert spectral_radius(
        loop.changed(stiffness=loop.stiffness + found["stiffness_N_per_m"])
    ) == pytest.approx(1.0, abs=1e-8)
    if found["mass_kg"] is not None:
        assert spectral_radius(loop.changed(mass=loop.mass - found["mass_kg"])) == pytest.approx(
            1.0, abs=1e-8
        )


def test_the_budget_names_every_item_and_sums_to_the_loops_delay():
    """A lossless contact gives back exp(pi w h / 2) with h the budget's sum, whatever the items
    are; to 1 % of what is invented."""
    for loop in (
        PLAIN,
        PLAIN.changed(integrator="forward_euler"),
        PLAIN.changed(integrator="symplectic_euler", later=0.0013),
        PLAIN.changed(sensor_period=0.001, handover="mean", lowpass=60.0, sensor_delay=0.002),
        PLAIN.changed(robots=(Robot(0.3, 0.014, lag=300.0), Robot(0.7, 0.0103, "hold"))),
        PLAIN.changed(sensor_period=0.003),
        PLAIN.changed(sensor_period=0.008),
    ):
        soft = loop.changed(stiffness=100.0, damping=0.0)
        theory = math.exp(0.5 * math.pi * math.sqrt(100.0 / 15.6) * total_delay(soft))
        assert restitution_of_loop(soft) - 1.0 == pytest.approx(theory - 1.0, rel=0.01)
    names = [item.name for item in delay_budget(LOOPS["virtual, measured late"])]
    assert {
        "sensor",
        "hand-over",
        "hold",
        "integrator",
        "compute",
        "transport",
        "robot",
        "robot lag",
        "pose measurement",
    } <= set(names)


def test_dominant_root_and_impact_agree_for_light_damping():
    """exp(pi sigma / w) is what an impact gives back, as long as the clamp hardly acts."""
    found = analyse(PLAIN.changed(damping=0.0))
    assert found.predicted_restitution == pytest.approx(
        found.restitution_of_dominant_root, rel=0.01
    )


def test_the_clamp_raises_the_neutral_damping():
    """A contact that cannot pull needs more damping for e = 1 than the boundary of stability: 9 to
    13 %."""
    at_boundary = PLAIN.changed(damping=stable_stretch(PLAIN, "damping")[0])
    assert restitution_of_loop(at_boundary) > 1.0
    assert restitution_of_loop(at_boundary.changed(damping=1.06 * at_boundary.damping)) > 1.0
    assert restitution_of_loop(at_boundary.changed(damping=1.15 * at_boundary.damping)) < 1.0


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"stiffness": 0.0}, "stiffness"),
        ({"damping": -1.0}, "damping"),
        ({"mass": math.nan}, "mass"),
        ({"delay": -0.001}, "delay"),
        ({"integrator": "euler"}, "integrator"),
        ({"handover": "oldest"}, "handover"),
        ({"cycle": 0.0}, "cycle"),
    ],
)
def test_impossible_loops_are_refused(change, key):
    """Named, with what is allowed, before any work."""
    with pytest.raises(BadInput, match=key):
        analyse(PLAIN.changed(**change))
