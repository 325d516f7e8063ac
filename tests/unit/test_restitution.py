"""Restitution to damping and back, against the published goldens and against the loop itself at a
fine cycle."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scenarios import epos_wall

from softdock import BadInput, run_loop
from softdock.scenario.restitution import (
    damping_of_restitution,
    lambda_of_restitution,
    restitution_of_damping,
    restitution_of_lambda,
)

MASS, STIFFNESS, SPEED = 63.0, 1000.0, 0.02


@pytest.mark.parametrize(
    ("damping", "restitution"), [(20.0, 0.8851), (60.0, 0.7051), (120.0, 0.5197)]
)
def test_orbit_of_the_damped_epos_wall(damping, restitution):
    """63 kg on 1000 N/m, clamped at zero force. Source: a prototype that was written
    independently, printed to four decimals."""
    assert restitution_of_damping(STIFFNESS, damping, MASS) == pytest.approx(restitution, abs=6e-5)


@pytest.mark.parametrize("pull", [False, True])
@pytest.mark.parametrize("e", [1.0, 0.999, 0.7, 0.3, 0.05])
def test_damping_round_trip(e, pull):
    """What gives a wanted restitution gives it back."""
    damping = damping_of_restitution(STIFFNESS, e, MASS, pull)
    assert damping >= 0.0
    assert restitution_of_damping(STIFFNESS, damping, MASS, pull) == pytest.approx(e, abs=1e-9)


@pytest.mark.parametrize("e", [1.0, 0.999, 0.7, 0.3, 0.05])
@pytest.mark.parametrize("speed", [0.001, 0.1, 3.0])
def test_lambda_round_trip(e, speed):
    """Hunt-Crossley: the factor scales with the approach speed."""
    factor = lambda_of_restitution(e, speed)
    assert restitution_of_lambda(factor, speed) == pytest.approx(e, abs=1e-9)
    assert factor * speed == pytest.approx(lambda_of_restitution(e, 1.0), rel=1e-6, abs=1e-12)


def test_lambda_of_lange():
    """Hunt-Crossley lambda = 6.35 s/m gives 0.7 at 0.1 m/s for any stiffness, by a prototype."""
    assert restitution_of_lambda(6.35, 0.1) == pytest.approx(0.7, abs=1e-3)


def test_damping_of_lange():
    """386.6 Ns/m gives 0.7 on 50 kg and 50 N/mm with the force clipped at zero, by a
    prototype."""
    assert restitution_of_damping(50000.0, 386.6, 50.0) == pytest.approx(0.7, abs=1e-3)


def test_more_damping_gives_back_less():
    """Falls steadily through critical damping, without a step at the change of formula."""
    zeta = np.concatenate([np.linspace(0.0, 3.0, 301), [1 - 1e-10, 1 + 1e-10, 1 - 1e-8, 1 + 1e-8]])
    zeta.sort()
    e = [
        restitution_of_damping(STIFFNESS, 2.0 * math.sqrt(STIFFNESS * MASS) * z, MASS) for z in zeta
    ]
    assert (np.diff(e) <= 1e-8).all()
    assert e[0] == 1.0
    assert min(e) > 0.0


def fine(law, **keys):
    """One bounce without delay at a cycle of 0.2 ms."""
    tables = epos_wall(
        delay_ms=0.0, integrator="symplectic_euler", mass_kg=MASS, stiffness=STIFFNESS, speed=SPEED
    )
    tables["time"] = {"cycle_ms": 0.2, "duration_s": 3.0}
    tables["contact"][0]["real"] = {"law": law, **keys}
    return run_loop(tables).restitution


@pytest.mark.parametrize("damping", [0.0, 20.0, 120.0])
def test_the_loop_agrees_with_the_clamped_spring_damper(damping):
    """Within 1 % at 0.2 ms."""
    found = fine("spring_damper", stiffness_N_per_m=STIFFNESS, damping_Ns_per_m=damping)
    assert found == pytest.approx(restitution_of_damping(STIFFNESS, damping, MASS), rel=0.01)


def test_the_loop_agrees_with_the_pulling_spring_damper():
    """Within 1 % at 0.2 ms; less comes back than with the clamp."""
    found = fine("spring_damper_pull", stiffness_N_per_m=STIFFNESS, damping_Ns_per_m=60.0)
    assert found == pytest.approx(
        restitution_of_damping(STIFFNESS, 60.0, MASS, pull=True), rel=0.01
    )
    assert found < restitution_of_damping(STIFFNESS, 60.0, MASS)


@pytest.mark.parametrize("exponent", [1.0, 1.5])
def test_the_loop_agrees_with_hunt_crossley(exponent):
    """Within 1 % at 0.2 ms, for any exponent."""
    factor = lambda_of_restitution(0.7, SPEED)
    found = fine(
        "hunt_crossley", stiffness_N_per_m=8000.0, exponent=exponent, lambda_s_per_m=factor
    )
    assert found == pytest.approx(0.7, rel=0.01)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: restitution_of_damping(0.0, 1.0, 1.0),
        lambda: restitution_of_damping(1.0, -1.0, 1.0),
        lambda: restitution_of_damping(1.0, 1.0, math.nan),
        lambda: damping_of_restitution(1.0, 1.5, 1.0),
        lambda: damping_of_restitution(1.0, 0.0, 1.0),
        lambda: damping_of_restitution(-5.0, 0.5, 1.0),
        lambda: lambda_of_restitution(0.5, 0.0),
        lambda: restitution_of_lambda(-1.0, 1.0),
    ],
)
def test_impossible_numbers_are_refused(wrong):
    """As bad input, not as a number or a crash."""
    with pytest.raises(BadInput):
        wrong()
