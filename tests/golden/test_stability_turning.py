"""Stability of a rig whose bodies turn before they touch, and the tilt at which a compliance device
is counted: against the bodies' equations, integrated here."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner
from scenarios import epos_wall

import softdock
from softdock.cli.main import cli
from softdock.loop.contact.compliance import device_matrix
from softdock.studies.stability import loops_of

RATE = np.array([0.1, -0.16, 0.24])  # rad/s, of the target about its own axes
INERTIA = {"chaser": np.array([90.0, 140.0, 200.0]), "target": np.array([30.0, 60.0, 85.0])}
MASS = {"chaser": 63.0, "target": 150.0}
TIP, ORIGIN = np.array([-0.5, 0.2, 0.1]), np.array([0.3, 0.0, 0.0])


def turning_rig():
    """A tip against a plate on a body that tumbles."""
    tables = epos_wall(delay_ms=8.0)
    tables["chaser"] |= {
        "mass_kg": MASS["chaser"],
        "inertia_kg_m2": INERTIA["chaser"].tolist(),
        "position_m": [0.95, -0.2, -0.1],
        "velocity_m_per_s": [-0.05, 0.0, 0.0],
    }
    tables["target"] = {
        "mass_kg": MASS["target"],
        "inertia_kg_m2": INERTIA["target"].tolist(),
        "rate_rad_per_s": RATE.tolist(),
    }
    tables["contact"][0] |= {"tip_m": TIP.tolist(), "origin_m": ORIGIN.tolist()}
    tables["time"]["duration_s"] = 6.0
    return softdock.build(tables)


def tumble(time, step=1e-3):
    """Attitude matrix of the target after `time`: Euler's equations, Runge and Kutta."""

    def slope(R, w):
        x, y, z = w
        across = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        return R @ across, np.cross(INERTIA["target"] * w, w) / INERTIA["target"]

    R, w = np.eye(3), RATE.copy()
    for h in [step] * int(time / step) + [time % step]:
        k1 = slope(R, w)
        k2 = slope(R + 0.5 * h * k1[0], w + 0.5 * h * k1[1])
        k3 = slope(R + 0.5 * h * k2[0], w + 0.5 * h * k2[1])
        k4 = slope(R + h * k3[0], w + h * k3[1])
        R = R + h / 6.0 * (k1[0] + 2.0 * k2[0] + 2.0 * k3[0] + k4[0])
        w = w + h / 6.0 * (k1[1] + 2.0 * k2[1] + 2.0 * k3[1] + k4[1])
    return R


def effective_mass_at(time):
    """Mass along the plate's normal and the gap, at an instant of the free flight."""
    R, tip = tumble(time), np.array([0.95 - 0.05 * time, -0.2, -0.1]) + TIP
    n = R @ np.array([1.0, 0.0, 0.0])
    gap = float(n @ (tip - R @ ORIGIN))
    turned = {"chaser": np.cross(TIP, n), "target": R.T @ np.cross(tip - gap * n, n)}
    inverse = sum(1.0 / MASS[b] + turned[b] @ (turned[b] / INERTIA[b]) for b in MASS)
    return 1.0 / inverse, gap


def test_a_turning_target_is_analysed_where_it_is_touched():
    """The touch is where the tip's gap to the tumbling plate closes, found here by bisection; mass
    and critical damping are those of that attitude and not of the start."""
    low, high = 0.0, 6.0
    while high - low > 1e-6:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if effective_mass_at(middle)[1] > 0.0 else (low, middle)
    mass, _ = effective_mass_at(low)
    scenario = turning_rig()
    (at_touch,), (at_start,) = loops_of(scenario, at="touch"), loops_of(scenario)
    assert at_touch.loop.mass == pytest.approx(mass, rel=1e-3)
    assert abs(at_start.loop.mass / mass - 1.0) > 0.02
    assert f"{low:.4g} s after the start" in at_touch.notes[0]
    angle = np.degrees(np.arccos(0.5 * (np.trace(tumble(low)) - 1.0)))
    said = float(at_touch.notes[0].split("the target by ")[1].split(" deg")[0])
    assert said == pytest.approx(angle, abs=0.05)


def test_the_command_takes_the_touch_where_a_body_turns():
    """By default `softdock stability` analyses a turning target at the touch, and at the start
    where that is asked for; bodies that do not turn are analysed at the start."""
    called = ["stability", "epos_3d", "--set", "target.rate_rad_per_s=[0.0, 0.0, 0.01]"]
    found = {}
    for at in ("touch", "start", None):
        chosen = ["--at", at] if at else []
        shown = CliRunner().invoke(cli, [*called, "--no-runs", "--json", *chosen])
        assert shown.exit_code == 0, shown.output
        found[at] = json.loads(shown.stdout)["given"]["mass_kg"]
    assert found[None] == found["touch"] != found["start"]
    still = loops_of(softdock.load_scenario("epos_3d"), at="start")[0]
    assert still.loop == loops_of(softdock.load_scenario("epos_3d"))[0].loop


def test_the_tilt_of_the_device_is_an_option():
    """The stiffest of (120) over normals within the tilt of the wall's, scanned here; 10 degrees
    unless said otherwise, and the note says which."""
    springs = [6000.0, 500.0, 700.0, 3000.0]
    star = [[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]
    tables = epos_wall()
    tables["contact"][0] |= {
        "device": {
            "model": "four_springs",
            "stiffness_N_per_m": springs,
            **{f"direction_{i}": direction for i, direction in enumerate(star, 1)},
        },
        "real": {"stiffness_N_per_m": 1e9},
    }
    scenario = softdock.build(tables)
    K = device_matrix(springs, np.array(star) / np.sqrt(3.0))
    for tilt in (None, 0.0, 5.0, 30.0):
        angle = np.radians(10.0 if tilt is None else tilt)
        best = 0.0
        for lean in np.linspace(0.0, angle, 61):
            around = np.linspace(0.0, 2.0 * np.pi, 361)
            n = np.column_stack(
                [
                    np.full(361, np.cos(lean)),
                    np.sin(lean) * np.cos(around),
                    np.sin(lean) * np.sin(around),
                ]
            )
            best = max(best, float(np.einsum("ni,ij,nj->n", n, K, n).max()))
        (point,) = loops_of(scenario) if tilt is None else loops_of(scenario, tilt_deg=tilt)
        assert point.loop.stiffness == pytest.approx(best, rel=2e-3)
        assert f"within {10 if tilt is None else tilt:g} deg" in " ".join(point.notes)
