"""Networks as virtual contact in a whole scenario: springs, solids, a latch and non-linear
ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from network_scenarios import ACROSS, BALL, NORMAL, SPRING, THREE_AXES, books, tables
from plain import run_plain

import softdock
from softdock.reference import run_reference

SOLID = {"model": "standard_linear_solid", "arguments": {"k1": 1000.0, "k2": 500.0, "b1": 100.0}}
ALONG_X = {"axis": [0.0, 1.0, 0.0], "second_axis": [0.0, 0.0, 1.0], "third_axis": [1.0, 0.0, 0.0]}


def assert_virtual(run):
    """Booked as virtual, nothing external; nothing invented; rows and total agree."""
    ledger = run.metrics["ledger"]
    assert ledger["external_J"] == 0.0
    assert ledger["virtual_J"] == pytest.approx(
        ledger["kinetic_start_J"] - ledger["kinetic_end_J"], abs=1e-12
    )
    assert abs(sum(ledger["rows"].values())) < 1e-12
    found, saved = books(run), np.asarray(run.series["network_contact.tank"]) - 1e-5
    assert (
        np.abs(found["stored"] + found["dissipated"] + saved - found["absorbed"])[1:].max() < 1e-12
    )
    assert np.diff(found["dissipated"]).min() > -1e-9
    assert run.series["network_contact.short"][-1] < 1e-15


@pytest.mark.parametrize(("cycle_ms", "lost"), [(1.0, 1e-5), (4.0, 3e-4), (16.0, 2e-3)])
def test_a_virtual_spring_gives_back_what_came_in(cycle_ms, lost):
    """Restitution at most 1 and near it, where a plainly held spring gives 1.003 to 1.05; orbit
    does not know it."""
    run = softdock.simulate(softdock.build(tables(SPRING, cycle_ms)))
    restitution = run.series["chaser.velocity"][-1][0] / 0.02
    assert 1.0 - lost < restitution <= 1.0 + 1e-6
    assert_virtual(run)
    assert run.reference.chaser[7] == -0.02
    if cycle_ms == 4.0:
        assert f"restitution {restitution:.5f} at a cycle of 4 ms" in (
            Path(__file__).parents[2] / "docs" / "ports.md"
        ).read_text(encoding="utf-8")


def solid_force(solid, x, x2):
    return -solid[0] * x - solid[1] * x2


def test_a_solid_damps_the_bounce_along_every_axis():
    """A three-axis wall, of which two axes stick while the third touches, against the same solids
    in continuous time. With one axis it is a plain wall."""
    given = tables(THREE_AXES, **ALONG_X)
    given["chaser"]["velocity_m_per_s"] = [-0.02, 0.003, 0.001]
    run = softdock.simulate(softdock.build(given))
    plain = softdock.simulate(softdock.build(tables(SOLID)))
    m, h = 63.0, 1e-4
    x, x2, v = np.zeros(3), np.zeros(3), np.array([-0.02, 0.003, 0.001])
    laws = (NORMAL, ACROSS, ACROSS)
    for _ in range(20_000):
        force = np.array([solid_force(s, a, b) for s, a, b in zip(laws, x, x2)])
        if force[0] < 0.0:
            break
        v = v + h * force / m
        x = x + h * v
        x2 = x2 + h * (v - np.array([s[1] / s[2] for s in laws]) * x2)
    assert run.series["chaser.velocity"][-1] == pytest.approx(v, abs=2e-3 * 0.02)
    assert plain.series["chaser.velocity"][-1][0] == pytest.approx(v[0], rel=2e-3)
    for found in (run, plain):
        assert_virtual(found)
    assert (
        books(run)["stored"][-1] < 1e-3 * books(run)["dissipated"][-1]
    )  # it relaxes when the chaser has gone


def test_a_latch_holds_on_both_sides():
    """Three axes held from the start: the chaser comes to rest."""
    given = tables(THREE_AXES, sided="both", distance_m=0.01, **ALONG_X)
    given["chaser"]["velocity_m_per_s"] = [-0.02, 0.003, 0.001]
    run = softdock.simulate(softdock.build(given))
    speed = np.linalg.norm(np.asarray(run.series["chaser.velocity"]), axis=1)
    assert speed[-1] < 0.35 * speed[0]
    assert (
        run.series["network_contact.force.x"].min()
        < 0.0
        < run.series["network_contact.force.x"].max()
    )
    assert_virtual(run)


def bounced():
    """Velocity after a bounce on Hunt-Crossley as a network [m/s]; its books are looked at."""
    run = softdock.simulate(softdock.build(tables(BALL, cycle_ms=1.0)))
    assert_virtual(run)
    return float(run.series["chaser.velocity"][-1][0])


def bounced_in_plain_python():
    """The same without compiling a loop for it."""
    code = "from test_virtual_networks import bounced; print(bounced())"
    done = run_plain(code)
    assert done.returncode == 0, done.stderr[-3000:]
    return float(done.stdout)


@pytest.mark.parametrize(
    "fly", [bounced_in_plain_python, pytest.param(bounced, marks=pytest.mark.prove)]
)
def test_a_nonlinear_network_is_the_law_of_the_same_name(fly):
    """Hunt-Crossley as a network, against orbit with the contact law: the speed after the
    bounce."""
    real = tables(BALL, wall=True)
    real["methods"] = [{"name": "direct"}]
    real["contact"][0]["real"] = {
        "law": "hunt_crossley",
        "stiffness_N_per_m": 20000.0,
        "exponent": 1.5,
        "lambda_s_per_m": 2.0,
    }
    truth = run_reference(softdock.build(real)).chaser[7]
    assert fly() == pytest.approx(truth, rel=5e-3)


def test_momentum_of_two_free_satellites_is_kept():
    """The force on the target is the opposite one, about the same line; the wall turns with the
    target, and still nothing is invented to speak of."""
    given = tables(SPRING)
    given["target"] = {
        "mass_kg": 40.0,
        "inertia_kg_m2": [10.0, 10.0, 10.0],
        "position_m": [0.0, 0.3, 0.0],
    }
    run = softdock.simulate(softdock.build(given))
    after = 63.0 * np.asarray(run.series["chaser.velocity"][-1]) + 40.0 * np.asarray(
        run.series["target.velocity"][-1]
    )
    assert after == pytest.approx([63.0 * -0.02, 0.0, 0.0], abs=1e-12)
    assert run.series["target.velocity"][-1][0] < -0.01
    assert abs(run.series["target.rate"][-1][2]) > 1e-3
    assert abs(run.energy_added_J) < 1e-4 * run.metrics["ledger"]["kinetic_start_J"]
