"""What every integrator states about itself, measured: order in rotation, exactness in translation,
effective delay; and energy.

The reference for rotation is scipy's DOP853 on the textbook equations, independent of softdock.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scenarios import CHASER_INERTIA, cone_docking, epos_wall, sphere_on_sphere
from scipy.integrate import solve_ivp
from turned import hamilton, matrix

from softdock import Stepper, build, run_loop
from softdock.compile.jit import entry_point
from softdock.loop.energy.ledger import Ledger
from softdock.loop.satellites import INTEGRATORS, integrate
from softdock.loop.spatial.motion import Wrench
from softdock.loop.spatial.rigid_body import Body, BodyParams
from softdock.loop.spatial.vectors import symmetric_inverse
from softdock.loop.state import place

integrate_entry_point, symmetric_inverse_entry_point = (
    entry_point(integrate),
    entry_point(symmetric_inverse),
)
KINETIC = Ledger._fields.index("kinetic")
CODES = {integrator.name: code for code, integrator in enumerate(INTEGRATORS)}

PIECE = 0.4  # s, each torque is held as long
TORQUES = [(3.0, -8.0, 5.0), (-6.0, 2.0, 9.0), (0.0, 0.0, 0.0), (7.0, 7.0, -4.0)]  # Nm, world axes
START_RATE = (0.6, -0.9, 0.4)  # rad/s, body axes


def body_params(mass=30.0, inertia=CHASER_INERTIA):
    J = np.array(inertia)
    packed = (J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2])
    return BodyParams(
        fixed=False,
        mass=(mass,) * 3,
        inverse_mass=(1.0 / mass,) * 3,
        inertia=packed,
        inverse_inertia=symmetric_inverse_entry_point(packed),
    )


def reference_attitude():
    """Attitude after all torques, from q' = q w / 2 and L' = tau."""
    J = np.array(CHASER_INERTIA)
    inverse = np.linalg.inv(J)
    q, L = np.array([1.0, 0.0, 0.0, 0.0]), J @ START_RATE
    for torque in TORQUES:

        def rates(t, q, L=L, torque=torque):
            w = inverse @ matrix(q).T @ (L + t * np.array(torque))
            return 0.5 * hamilton(q, [0.0, *w])

        q = solve_ivp(rates, (0.0, PIECE), q, method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
        q, L = q / np.linalg.norm(q), L + PIECE * np.array(torque)
    return q


def attitude_error(name, steps, exact):
    """Angle [rad] from the exact attitude, with `steps` cycles to each held torque."""
    params = body_params()
    body = Body(
        (0.0, 0.0, 0.0),
        (1.0, 0.0, 0.0, 0.0),
        (0.0, 0.0, 0.0),
        tuple(np.array(CHASER_INERTIA) @ START_RATE),
    )
    for torque in TORQUES:
        for _ in range(steps):
            body = integrate_entry_point(
                CODES[name], params, PIECE / steps, body, Wrench((0.0, 0.0, 0.0), torque)
            )
    turned = hamilton([exact[0], *(-exact[1:])], body.q)
    return 2.0 * math.asin(min(np.linalg.norm(turned[1:]), 1.0))


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=lambda i: i.name)
def test_the_order_in_rotation_is_the_stated_one(integrator):
    """Full inertia, torque held piecewise constant: the error falls with the stated power of the
    cycle. 0.1: not yet at the limit."""
    exact = reference_attitude()
    steps = (8, 16, 32) if integrator.order > 2 else (16, 32, 64)
    errors = [attitude_error(integrator.name, n, exact) for n in steps]
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert orders[-1] == pytest.approx(integrator.order, abs=0.1), errors
    assert errors[-1] > 1e-11, "errors at rounding measure nothing"


@pytest.mark.parametrize(
    ("name", "drift"),
    [
        ("symplectic_euler", 0.5),
        ("forward_euler", -0.5),
        ("exact_hold", 0.0),
        ("lie_rk4", 0.0),
        ("lie_midpoint", 0.0),
        ("lie_split", 0.0),
    ],
)
def test_translation_under_a_held_force(name, drift):
    """The velocity is exact for all; positions drift by T/2 times the gain of velocity, or not at
    all.

    De Stefano's profile: 6 N from 2 to 7 s, 12 N from 34 to 39 s on 30 kg at T = 0.1 s: +0.05 m and
    +0.15 m for symplectic Euler (golden).
    """
    T, mass = 0.1, 30.0
    params = body_params(mass)
    body = Body((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    x, v, found = 0.0, 0.0, {}
    for t in range(400):
        force = 6.0 if 20 <= t < 70 else 12.0 if 340 <= t < 390 else 0.0
        body = integrate_entry_point(
            CODES[name], params, T, body, Wrench((force, 0.0, 0.0), (0.0, 0.0, 0.0))
        )
        x, v = x + T * v + 0.5 * T * T * force / mass, v + T * force / mass
        found[t + 1] = (body.p[0] - x, body.v[0] - v)
    for cycle, gain in ((100, 1.0), (400, 3.0)):  # m/s gained by then
        assert found[cycle][0] == pytest.approx(
            drift * T * gain, abs=1e-12
        )  # 1e-12: rounding of 400 cycles at 30 m
        assert found[cycle][1] == pytest.approx(0.0, abs=1e-13)


GOLDEN_RESTITUTION = {
    "symplectic_euler": 1.0000,
    "exact_hold": 1.0126,
    "forward_euler": 1.0255,
    "lie_rk4": 1.0126,
    "lie_midpoint": 1.0126,
    "lie_split": 1.0126,
}


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=lambda i: i.name)
def test_the_effective_delay_is_the_stated_one(integrator):
    """On a lossless spring e = exp(pi w h_eff / 2): m = 250, k = 4000, T = 4 ms without delay.
    Golden e: an independent prototype."""
    T, mass, stiffness = 0.004, 250.0, 4000.0
    runs = [
        run_loop(epos_wall(0.0, integrator.name, mass, stiffness, phase))
        for phase in np.arange(16) / 16
    ]
    restitution = np.mean([run.restitution for run in runs])
    assert restitution == pytest.approx(
        GOLDEN_RESTITUTION[integrator.name], abs=1e-4
    )  # printed to four decimals
    cycles = 2.0 * math.log(restitution) / (math.pi * math.sqrt(stiffness / mass)) / T
    assert cycles == pytest.approx(
        integrator.effective_delay, abs=0.02
    )  # the formula itself is of first order in w h


def test_torque_free_tumbling_keeps_its_energy_with_lie_rk4():
    """Ten minutes about the unstable axis at 4 ms: kinetic energy to 1e-12, angular momentum to the
    last bit."""
    tables = {
        "time": {"cycle_ms": 4.0, "duration_s": 600.0},
        "satellites": {"integrator": "lie_rk4"},
        "chaser": {
            "mass_kg": 60.0,
            "inertia_kg_m2": [30.0, 40.0, 55.0],
            "rate_rad_per_s": [0.02, 0.35, 0.03],
        },
        "target": {"fixed": True, "mass_kg": 1.0, "inertia_kg_m2": [1.0, 1.0, 1.0]},
    }
    loop = Stepper(build(tables))
    momentum = loop.state[place("satellites").start + 10 : place("satellites").start + 13].copy()
    energy, attitude = (
        [loop.state[place("ledger").start + KINETIC]],
        loop.state[place("satellites").start + 3 : place("satellites").start + 7].copy(),
    )
    flipped = False
    for _ in range(150):
        loop.step(1000)
        energy.append(loop.state[place("ledger").start + KINETIC])
        w = (
            matrix(loop.state[place("satellites").start + 3 : place("satellites").start + 7]).T
            @ momentum
            / [30.0, 40.0, 55.0]
        )
        flipped |= w[1] < -0.2
    assert np.abs(np.array(energy) / energy[0] - 1.0).max() <= 1e-12
    assert (
        loop.state[place("satellites").start + 10 : place("satellites").start + 13] == momentum
    ).all()
    assert flipped, "the body must tumble about its middle axis, or the test is too easy"
    assert (
        np.abs(
            loop.state[place("satellites").start + 3 : place("satellites").start + 7] - attitude
        ).max()
        > 0.01
    )


def work_error(build_tables, plant_steps):
    """Largest |absorbed - stored - dissipated| over a run, relative to the largest stored +
    dissipated; mean over the sampling phase."""
    errors = []
    for phase in np.arange(12) / 12:
        tables = build_tables("exact_hold", 16.0, damping=20.0)
        tables["time"]["plant_steps"] = plant_steps
        tables["chaser"]["position_m"][0] += 0.05 * 0.004 * phase  # a fraction of a cycle later
        series = run_loop(tables).series
        kept = series["energy.stored"] + series["energy.dissipated"]
        errors.append(np.abs(series["energy.real"] - kept).max() / kept.max())
    return float(np.mean(errors)), float(np.max(errors))


@pytest.mark.parametrize("build_tables", [cone_docking, sphere_on_sphere])
def test_contact_work_is_stored_or_dissipated(build_tables):
    """Physics (docs/energy.md), in 3-D with damping and delay: within 1e-3 at one plant
    step a cycle, and of second order in the plant's step (both sums jump at touch by the same
    trapezoid). 0.3: the phase of touch and release scatters."""
    steps = np.array([1, 4, 16])
    errors = [work_error(build_tables, n) for n in steps]
    assert errors[0][1] <= 1e-3
    slope = -np.polyfit(np.log2(steps), np.log2([mean for mean, _ in errors]), 1)[0]
    assert slope == pytest.approx(2.0, abs=0.3)


def test_the_plants_steps_change_the_books_and_not_the_motion():
    """Finer plant steps are for the contact's work: the satellites' motion is the same to the
    bit."""
    runs = []
    for n in (1, 7):
        tables = cone_docking(delay_ms=10.0, damping=20.0)
        tables["time"]["plant_steps"] = n
        runs.append(run_loop(tables))
    for name in ("chaser.position", "chaser.attitude", "target.velocity", "measured.chaser.force"):
        assert (runs[0].series[name] == runs[1].series[name]).all(), name
    assert runs[0].ledger["real"] != runs[1].ledger["real"]
