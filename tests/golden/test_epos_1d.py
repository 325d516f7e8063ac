"""EPOS in one dimension: the restitution that delay, hold and integrator make of a lossless spring.

Masses, stiffness and delay are those of EPOS (Zebenay et al.); every number was computed
by prototypes independently of softdock.
Means over the sampling phase: 16 phases, evenly spread over one cycle.
"""

from __future__ import annotations

import numpy as np
import pytest
from scenarios import epos_wall

from softdock import run_loop
from softdock.loop.satellites import INTEGRATORS

PHASES = np.arange(16) / 16
EPOS = {"mass_kg": 63.0, "stiffness": 1000.0}
MASS_KG, SPEED = 63.0, 0.02  # m/s


def mean_restitution(**changes) -> float:
    found = []
    for phase in PHASES:
        run = run_loop(epos_wall(phase=phase, **changes))
        assert run.status == "completed"
        assert run.contact_count == 1
        found.append(run.restitution)
    return float(np.mean(found))


@pytest.mark.parametrize(
    ("integrator", "restitution"),
    [
        ("exact_hold", 1.1190),
        ("symplectic_euler", 1.1052),
        ("forward_euler", 1.1331),
        ("lie_rk4", 1.1190),
        ("lie_midpoint", 1.1190),
    ],
)
def test_epos_with_16_ms_of_delay(integrator, restitution):
    """63 kg on 1000 N/m with 16 ms at 4 ms bounces back faster than it came, by the delay plus the
    integrator's own."""
    # 1e-4: the golden numbers are printed to four decimals
    assert mean_restitution(delay_ms=16.0, integrator=integrator, **EPOS) == pytest.approx(
        restitution, abs=1e-4
    )


@pytest.mark.parametrize(
    ("integrator", "restitution"),
    [
        ("exact_hold", 1.0126),
        ("symplectic_euler", 1.0000),
        ("forward_euler", 1.0254),
        ("lie_rk4", 1.0126),
        ("lie_midpoint", 1.0126),
    ],
)
def test_epos_without_delay(integrator, restitution):
    """Without any delay only the integrator's effective delay is left: T/2, 0 and T."""
    assert mean_restitution(delay_ms=0.0, integrator=integrator, **EPOS) == pytest.approx(
        restitution, abs=1e-4
    )


@pytest.mark.parametrize(("interpolation", "restitution"), [("hermite", 1.133), ("hold", 1.147)])
def test_a_fractional_delay_depends_on_the_motion_between_set_points(interpolation, restitution):
    """18 ms is 4.5 cycles: a smooth mock-up gives 1.133, a staircase 1.147, by a prototype that was
    written independently (exact hold, printed to three decimals)."""
    found = mean_restitution(
        delay_ms=18.0, integrator="exact_hold", interpolation=interpolation, **EPOS
    )
    assert found == pytest.approx(restitution, abs=1e-3)


@pytest.mark.parametrize("delay_ms", [0.0, 16.0, 18.0])
@pytest.mark.parametrize("integrator", [i.name for i in INTEGRATORS])
def test_observed_energy_tells_the_restitution(integrator, delay_ms):
    """In one dimension e^2 = 1 + observed / KE_0 (Zebenay eq. 114), so a rig can see its own
    activity, whatever its integrator. 1e-3: trapezoid at 4 ms."""
    kinetic = 0.5 * MASS_KG * SPEED**2
    for phase in PHASES[::4]:
        run = run_loop(epos_wall(phase=phase, delay_ms=delay_ms, integrator=integrator, **EPOS))
        assert run.restitution**2 == pytest.approx(1.0 + run.ledger["observed"] / kinetic, abs=1e-3)


@pytest.mark.parametrize("phase", PHASES[::4])
def test_a_lossless_undelayed_symplectic_bounce_gives_back_what_it_took(phase):
    """Energetic restitution counts the work at the satellites' ports, compressed and released: 1 on
    a lossless spring. 1e-3: sampling at 4 ms."""
    run = run_loop(epos_wall(phase=phase, delay_ms=0.0, integrator="symplectic_euler", **EPOS))
    assert run.contacts[0]["restitution_energetic"] == pytest.approx(1.0, abs=1e-3)
    assert run.contacts[0]["restitution_energetic"] == pytest.approx(run.restitution, abs=1e-3)


def test_computation_and_transport_add_to_the_delay():
    """Bit for bit: it is the sum from stamp to mock-up that counts, however it is made up."""
    tables = epos_wall(delay_ms=8.0)
    for robot in tables["robots"].values():
        robot |= {"computation_ms": 2.0, "transport_ms": 6.0}
    np.testing.assert_array_equal(
        run_loop(tables).series.rows, run_loop(epos_wall(delay_ms=16.0)).series.rows
    )


def bounce(cycle_ms=1.0, force_ms=0.0, **robot) -> float:
    tables = epos_wall(delay_ms=0.0, **EPOS)
    tables["time"] = {"cycle_ms": cycle_ms, "duration_s": 1.6}
    tables["sensor"] = {"delay_ms": force_ms}
    tables["robots"] = {name: robot for name in ("chaser", "target")}
    return run_loop(tables).restitution


def test_the_order_of_delays_of_the_unstable_target_simulator():
    """Actuators 13(4):123 finds that a delay of the force hurts most, then the cycle, then the
    simulator's response (abstract). Of 8 ms each: the force's delay hurts more than the cycle,
    half of which is delay; but a robot hurts as much as the force's delay, be it a pure delay or
    a lag of the same delay at low frequency (0.7 damped). Over 1: 5.5 %, 2.5 %, 5.5 %, 5.5 %."""
    lag_Hz = 2.0 * 0.7 / (2.0 * np.pi * 8e-3)
    force, cycle = bounce(force_ms=8.0), bounce(cycle_ms=8.0)
    late = bounce(delay_ms=8.0)
    lag = bounce(model="lag", lag_Hz=lag_Hz, lag_damping_ratio=0.7)
    assert [force, cycle, late, lag] == pytest.approx([1.0546, 1.0253, 1.0546, 1.0546], abs=1e-4)
    assert late == pytest.approx(force, abs=1e-12)
