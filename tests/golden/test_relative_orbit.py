"""The tide in loop and reference, against Clohessy and Wiltshire's solution and against both full
Kepler orbits."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

from softdock import BadInput, build, load_scenario, run_loop
from softdock.loop.tide import EARTH_GM, EARTH_RADIUS
from softdock.reference import run_reference
from softdock.results.phases import shift_scenario
from softdock.scenario.orbit_frame import in_lvlh, linear_law_error, turning_axes

RADIUS = EARTH_RADIUS + 400e3
N = math.sqrt(EARTH_GM / RADIUS**3)


def free(duration_s, orbit_table=None, **chaser):
    """Two bodies far apart in a low orbit."""
    body = {"mass_kg": 500.0, "inertia_kg_m2": [80.0, 120.0, 100.0]}
    return {
        "time": {"cycle_ms": 4.0, "duration_s": duration_s},
        "chaser": {**body, **chaser},
        "target": {**body, "mass_kg": 2500.0},
        "orbit": orbit_table or {"altitude_km": 400.0},
    }


def clohessy_wiltshire(t, p, v):
    """Position in LVLH axes (V-bar, H-bar, R-bar), closed form; p, v at t = 0 in the same axes."""
    x0, y0, z0 = -p[2], p[0], -p[1]  # radial, along-track, normal
    dx, dy, dz = -v[2], v[0], -v[1]
    c, s = np.cos(N * t), np.sin(N * t)
    x = (4.0 - 3.0 * c) * x0 + s / N * dx + 2.0 / N * (1.0 - c) * dy
    y = 6.0 * (s - N * t) * x0 + y0 - 2.0 / N * (1.0 - c) * dx + (4.0 * s - 3.0 * N * t) / N * dy
    z = z0 * c + dz / N * s
    return np.stack([y, -z, -x], axis=-1)


@pytest.mark.parametrize("fly_it", [run_loop, run_reference], ids=["loop", "reference"])
def test_clohessy_and_wiltshire(fly_it):
    """Stated in LVLH, flown in axes that do not turn, shown in LVLH: the closed form to 1e-6 m over
    60 s, in the loop and in the reference."""
    p, v = [-4.0, 2.0, 1.5], [0.03, -0.02, 0.01]
    scenario = build(
        free(
            60.0,
            {"altitude_km": 400.0, "stated_in": "lvlh"},
            position_m=p,
            velocity_m_per_s=v,
        )
    )
    s = fly_it(scenario).series
    axes = turning_axes(scenario.tables["orbit"])
    seen = in_lvlh(axes, s["time"], s["chaser.position"], s["chaser.velocity"])[0]
    assert seen[0] == pytest.approx(p, abs=1e-12)
    assert np.abs(seen - clohessy_wiltshire(s["time"], p, v)).max() < 1e-6
    assert np.abs(seen - (np.array(p) + np.outer(s["time"], v))).max() > 0.1  # it does matter


@pytest.mark.parametrize("fly_it", [run_loop, run_reference], ids=["loop", "reference"])
def test_both_kepler_orbits(fly_it):
    """Against an integration of the chaser's whole orbit about the Earth, the target on the
    circular one: 1e-5 m over 600 s within 5 m."""
    p, v = np.array([-4.0, 1.0, 2.0]), np.array([0.001, -0.002, -0.003])
    scenario = build(free(600.0, position_m=p.tolist(), velocity_m_per_s=v.tolist()))
    s = fly_it(scenario).series
    up, along = np.array([0.0, 0.0, -1.0]), np.array([1.0, 0.0, 0.0])
    speed = N * RADIUS

    def pull(r):
        return -EARTH_GM * r / np.linalg.norm(r) ** 3

    r, u, h = RADIUS * up + p, speed * along + v, 0.5
    worst = 0.0
    for i in range(1200):  # Runge-Kutta of order 4: 1e-9 m over this arc
        k1, l1 = u, pull(r)
        k2, l2 = u + 0.5 * h * l1, pull(r + 0.5 * h * k1)
        k3, l3 = u + 0.5 * h * l2, pull(r + 0.5 * h * k2)
        k4, l4 = u + h * l3, pull(r + h * k3)
        r, u = r + h / 6.0 * (k1 + 2 * k2 + 2 * k3 + k4), u + h / 6.0 * (l1 + 2 * l2 + 2 * l3 + l4)
        t = (i + 1) * h
        origin = RADIUS * (math.cos(N * t) * up + math.sin(N * t) * along)
        row = s["chaser.position"][round(t / 0.004)]
        worst = max(worst, float(np.linalg.norm(row - (r - origin))))
        assert np.linalg.norm(row) < 5.0
    assert worst < 1e-5


def _flown(r, v, j2, push):
    """600 s of orbit from inertial states, one a row, by Runge and Kutta's rule; `push`: along the
    velocity [m/s^2]."""

    def pull(r, v):
        far = np.linalg.norm(r, axis=1, keepdims=True)
        flat = 1.5 * j2 * EARTH_GM * EARTH_RADIUS**2 / far**5
        flat = flat * r * (5.0 * (r[:, 2:] / far) ** 2 - np.array([1.0, 1.0, 3.0]))
        along = push * v / np.linalg.norm(v, axis=1, keepdims=True)
        return -EARTH_GM * r / far**3 + flat + along

    for _ in range(600):
        a = pull(r, v)
        b = pull(r + 0.5 * v, v + 0.5 * a)
        c = pull(r + 0.5 * v + 0.25 * a, v + 0.5 * b)
        d = pull(r + v + 0.5 * b, v + c)
        r, v = r + v + (a + b + c) / 6.0, v + (a + 2.0 * b + 2.0 * c + d) / 6.0
    return r, v


def _moved_mm(eccentricity=0.0, j2=0.0, push=0.0):
    """How far a chaser that rests 5 m ahead is from there after 600 s, in the axes that turn with
    the target; of eight places on the orbit."""
    at, tilt = np.arange(8) * math.pi / 4.0, math.radians(51.6)
    plane = np.array([[1.0, 0.0], [0.0, math.cos(tilt)], [0.0, math.sin(tilt)]])
    p = RADIUS * (1.0 - eccentricity**2)
    far = p / (1.0 + eccentricity * np.cos(at))
    r = (far * np.array([np.cos(at), np.sin(at)])).T @ plane.T
    v = math.sqrt(EARTH_GM / p) * np.array([-np.sin(at), eccentricity + np.cos(at)]).T @ plane.T

    def axes(r, v):
        up, h = r / np.linalg.norm(r, axis=1, keepdims=True), np.cross(r, v)
        normal = h / np.linalg.norm(h, axis=1, keepdims=True)
        return np.stack([np.cross(normal, up), -normal, -up], axis=1)

    ahead = 5.0 * axes(r, v)[:, 0]
    turning = np.cross(r, v) / np.sum(r * r, axis=1, keepdims=True)
    r_end, v_end = _flown(r, v, j2, 0.0)
    chaser = _flown(r + ahead, v + np.cross(turning, ahead), j2, push)[0]
    seen = np.einsum("kij,kj->ki", axes(r_end, v_end), chaser - r_end)
    return 1e3 * np.linalg.norm(seen - [5.0, 0.0, 0.0], axis=1)


def test_what_is_left_out():
    """The table of docs/relative_orbit.md, to its digits: second order, J2, eccentricity, drag."""
    page = (Path(__file__).parents[2] / "docs/relative_orbit.md").read_text(encoding="utf-8")
    for row, how in (
        ("second order of the gravity of a round planet", {}),
        ("J2, inclination 51.6 deg", {"j2": 1.08263e-3}),
        ("eccentricity 0.001", {"eccentricity": 0.001}),
        ("eccentricity 0.01", {"eccentricity": 0.01}),
        ("differential drag of 1e-6 m/s^2", {"push": -1e-6}),
    ):
        (told,) = re.findall(rf"\| {re.escape(row)} \| (.*) \|", page)
        low, _, high = told.partition(" to ")
        moved = _moved_mm(**how)
        assert moved.min() == pytest.approx(float(low), rel=0.05), row
        assert moved.max() == pytest.approx(float(high or low), rel=0.05), row


def test_a_far_start_is_warned_about_with_its_error():
    """At rest 200 m below and 200 m ahead, one orbit: the error of the linear law that the warning
    states is that of both orbits integrated here; near starts have no warning."""
    period = 2.0 * math.pi / N
    below, ahead = np.array([0.0, 0.0, 200.0]), np.array([200.0, 0.0, 0.0])
    for place, wanted in ((below, 4.38), (ahead, 0.111)):
        v = N * np.cross([0.0, -1.0, 0.0], place)
        both = (np.stack([place, np.zeros(3)]), np.stack([v, np.zeros(3)]))
        found = linear_law_error(turning_axes({"altitude_km": 400.0}), *both, period)
        assert found == pytest.approx(wanted, rel=0.01)
    lvlh = {"altitude_km": 400.0, "stated_in": "lvlh"}
    (warning,) = build(free(period, lvlh, position_m=[0.0, 0.0, 200.0])).warnings
    assert "off by 4.4 m after" in warning
    (warning,) = load_scenario("vbar_drift", {"chaser.position_m": [-500.0, 0.0, 0.0]}).warnings
    assert "less than 10 mm after the 45 s" in warning
    assert "0.7 m after one orbit" in warning
    assert build(free(600.0, lvlh, position_m=[-7.0, 0.0, 5.0])).warnings == []


def test_the_gravity_gradient_turns_a_body_towards_the_planet():
    """A long body a little off the vertical swings as theory says: from rest in the turning axes,
    pitch'' = -3 n^2 (Jx - Jz)/Jy sin cos pitch; and its work is booked as external."""
    half = math.radians(5.0) / 2.0
    tables = free(
        300.0,
        {"altitude_km": 400.0, "stated_in": "lvlh"},
        position_m=[0.0, 0.0, 0.0],
        attitude_wxyz=[math.cos(half), 0.0, math.sin(half), 0.0],  # pitched about H-bar
    )
    tables["chaser"]["inertia_kg_m2"] = [120.0, 100.0, 30.0]
    run = run_loop(build(tables))
    q = run.series["chaser.attitude"][-1]
    turned = 2.0 * math.atan2(q[2], q[0]) - -N * 300.0  # LVLH turns by -n t about its own y
    w = N * math.sqrt(3.0 * (120.0 - 30.0) / 100.0)
    assert turned == pytest.approx(2.0 * half * math.cos(w * 300.0), rel=2e-3)
    assert run.energy_added_J == pytest.approx(0.0, abs=1e-9)
    gain = run.ledger["kinetic"] - run.ledger["kinetic_start"]
    assert abs(gain) > 1e-6
    assert run.ledger["external"] == pytest.approx(gain, rel=1e-4)


def test_a_later_phase_has_the_same_orbit_a_little_later():
    """Moved by a part of a cycle, the chaser is where it was, that much later: the radial direction
    is turned back with everything else."""
    scenario = build(free(20.0, position_m=[-4.0, 0.0, 3.0]))
    late = shift_scenario(scenario, 0.002)
    c, s = math.cos(N * 0.002), math.sin(N * 0.002)
    assert late.tables["orbit"]["radial"] == pytest.approx([-s, 0.0, -c], abs=1e-15)
    a, b = run_reference(scenario).series, run_reference(late).series
    there = a["chaser.position"][-1] - 0.002 * a["chaser.velocity"][-1]
    assert b["chaser.position"][-1] == pytest.approx(there, abs=1e-6)


def test_the_preset_meets_the_nozzle_where_theory_says():
    """Straight along V-bar the tip is 2 n v t^2 / 2 off the axis and meets the nozzle's wall, 45 mm
    behind its mouth."""
    scenario = load_scenario("vbar_drift")
    flown = run_reference(scenario)
    first = flown.contacts[0]["start_s"]
    assert first == pytest.approx(31.5, abs=0.1)
    s = flown.series
    axes = turning_axes(scenario.tables["orbit"])
    row = int(first / 0.004)
    seen = in_lvlh(axes, s["time"], s["chaser.position"], s["chaser.velocity"])[0][row]
    assert abs(seen[2]) == pytest.approx(N * 0.03 * first**2, rel=0.02)


@pytest.mark.parametrize(
    ("table", "key", "said"),
    [
        ({"altitude_km": -10.0}, "orbit.altitude_km", ">= 0"),
        ({"mean_motion_rad_per_s": 0.002}, "orbit.mean_motion_rad_per_s", "below the ground"),
        (
            {"altitude_km": 400.0, "mean_motion_rad_per_s": 0.001},
            "orbit.mean_motion_rad_per_s",
            "either",
        ),
        ({"altitude_km": 400.0, "normal": [0.0, -1.0, 0.2]}, "orbit.normal", "right angles"),
        ({"altitude_km": 400.0, "stated_in": "hill"}, "orbit.stated_in", "world or lvlh"),
        ({"stated_in": "lvlh"}, "orbit.stated_in", "without altitude_km"),
    ],
)
def test_impossible_orbits_are_refused(table, key, said):
    """Below the ground, stated twice, askew, or stated in axes that are not there: refused with key
    and reason."""
    with pytest.raises(BadInput) as caught:
        build(free(1.0, table))
    assert [(p.key, said in p.allowed) for p in caught.value.problems] == [(key, True)]
