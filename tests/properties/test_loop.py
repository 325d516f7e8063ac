"""What must hold in every docking: momentum and the bookkeeping of energy."""

from __future__ import annotations

import numpy as np
import pytest
from any_docking import NAMES, dockings, inertia_of, run_docking
from hypothesis import given
from hypothesis import strategies as st
from scenarios import cone_docking, sphere_on_sphere
from turned import matrix

from softdock.loop.energy.ledger import ROWS

T = 0.004  # s, the cycle of all shared scenarios


def linear_momentum(run, tables):
    return sum(
        tables[name]["mass_kg"] * run.series[f"{name}.velocity"] for name in ("chaser", "target")
    )


def angular_momentum(run, tables):
    """Of the pair about the origin, world axes, per cycle; computed here from poses and twists
    alone."""
    total = 0.0
    for name in ("chaser", "target"):
        p, v = run.series[f"{name}.position"], run.series[f"{name}.velocity"]
        J = inertia_of(tables[name])
        spin = [
            matrix(q) @ (J @ w)
            for q, w in zip(run.series[f"{name}.attitude"], run.series[f"{name}.rate"], strict=True)
        ]
        total = total + np.array(spin) + tables[name]["mass_kg"] * np.cross(p, v)
    return total


def angular_scale(run, tables):
    """Size of the momenta that must cancel."""

    def largest(channel):
        return np.linalg.norm(run.series[channel], axis=1).max()

    return sum(
        tables[name]["mass_kg"] * largest(f"{name}.position") * largest(f"{name}.velocity")
        for name in ("chaser", "target")
    )


@given(tables=dockings())
def test_linear_momentum_of_the_pair_is_conserved(tables):
    """Equal and opposite forces: no integrator, delay or contact moves the pair's centre of mass.
    1e-12: rounding of 1000 cycles."""
    run = run_docking(tables)
    momentum = linear_momentum(run, tables)
    size = sum(
        tables[name]["mass_kg"] * np.linalg.norm(tables[name]["velocity_m_per_s"])
        for name in ("chaser", "target")
    )
    assert np.abs(momentum - momentum[0]).max() <= 1e-12 * size


@given(tables=dockings(integrators=("symplectic_euler",)))
def test_symplectic_euler_conserves_angular_momentum_exactly(tables):
    """The target's wrench is moved to the common point, so a delayed contact makes no torque on the
    pair. 1e-10: rounding only."""
    run = run_docking(tables)
    momentum = angular_momentum(run, tables)
    assert np.abs(momentum - momentum[0]).max() <= 1e-10 * angular_scale(run, tables)


@given(tables=dockings(integrators=tuple(n for n in NAMES if n != "symplectic_euler")))
def test_angular_momentum_of_the_other_integrators_changes_by_the_square_of_the_cycle(tables):
    """A held force on a moving body: per cycle exact hold changes the pair's momentum by T^2/2 v x
    F, forward Euler by T^2 v x F, and by nothing else. (Over a contact that sums to an error of
    order T.) 1e-10: rounding only."""
    run = run_docking(tables)
    momentum = angular_momentum(run, tables)
    apart = run.series["chaser.velocity"] - run.series["target.velocity"]
    force = run.series["satellite.chaser.force"][1:]
    if tables["satellites"]["integrator"] == "forward_euler":
        expected = T * T * np.cross(apart[:-1], force)
    else:
        expected = 0.5 * T * T * np.cross(apart[1:], force)
    drift = np.vstack([np.zeros(3), np.cumsum(expected, axis=0)])
    size = angular_scale(run, tables)
    assert np.abs(momentum - momentum[0] - drift).max() <= 1e-10 * size
    assert np.abs(drift).max() > 1e-8 * size  # what is predicted is well above rounding


@given(tables=dockings())
def test_the_ledgers_rows_sum_to_the_invented_energy(tables):
    """Bookkeeping (docs/energy.md): the rows, none of them a remainder, sum to the total
    within rounding, at every cycle."""
    run = run_docking(tables)
    books = {
        name: run.series[f"energy.{name}"]
        for name in (
            "kinetic",
            "kinetic_start",
            "external",
            "real",
            "virtual",
            "designed",
            "turnover",
        )
    }
    invented = (
        books["kinetic"]
        - books["kinetic_start"]
        - books["external"]
        + books["real"]
        + books["virtual"]
        - books["designed"]
    )
    rows = sum(run.series[f"energy.{row}"] for row in ROWS)
    assert (np.abs(rows - invented) <= 1e-12 * books["turnover"] + 1e-12).all()
    assert run.energy_added_J == invented[-1]
    assert books["real"][-1] != 0.0


@given(tables=dockings())
def test_kinetic_energy_in_the_ledger_is_that_of_the_series(tables):
    """The ledger's kinetic energy follows from the recorded poses and twists, computed here by the
    textbook. 1e-12: rounding."""
    run = run_docking(tables)
    kinetic = 0.0
    for name in ("chaser", "target"):
        v, w = run.series[f"{name}.velocity"], run.series[f"{name}.rate"]
        kinetic = (
            kinetic
            + 0.5 * tables[name]["mass_kg"] * (v * v).sum(axis=1)
            + 0.5 * (w * (w @ inertia_of(tables[name]))).sum(axis=1)
        )
    assert run.series["energy.kinetic"] == pytest.approx(kinetic, rel=1e-12)


@given(
    tables=dockings(integrators=("symplectic_euler",), delays=st.just(0.0), damping=st.just(0.0))
)
def test_lossless_and_undelayed_symplectic_euler_keeps_the_energy(tables):
    """No delay, no damping: after every contact the loop with symplectic Euler at 4 ms has the
    relative energy it began with, in 3-D, to 0.1 % (during a contact kinetic and stored energy are
    half a cycle apart, and differ by more)."""
    run = run_docking(tables)
    masses = tables["chaser"]["mass_kg"], tables["target"]["mass_kg"]
    centre = linear_momentum(run, tables)[0] / sum(masses)
    relative = run.series["energy.kinetic"] - 0.5 * sum(masses) * centre @ centre
    depth = run.series["contact.depth"]
    apart = np.flatnonzero((depth[1:] < 0.0) & (depth[:-1] < 0.0)) + 1
    after = apart[apart * T > run.contacts[0]["end_s"]]
    assert len(after) > 10
    assert relative[after] == pytest.approx(relative[0], rel=1e-3)


@pytest.mark.parametrize("radius", [0.0, 1e-4, 0.01])
def test_a_point_tip_in_a_cone_keeps_the_energy(radius):
    """The side of first touch is the one the tip came from, also when its centre is in the material
    at the first instant of touch: the lossless loop gives back what it took. 1 %: a point meets the
    corner of wall and bottom more sharply than a ball."""
    tables = cone_docking("symplectic_euler")
    tables["contact"][0]["tip_radius_m"] = radius
    run = run_docking(tables)
    assert run.series["contact.depth"][-1] < 0.0
    assert run.ledger["kinetic"] == pytest.approx(run.ledger["kinetic_start"], rel=1e-2)


@pytest.mark.parametrize("build", [sphere_on_sphere, cone_docking])
def test_delay_invents_energy_and_the_ledger_says_so(build):
    """16 ms of delay on a lossless contact: the ledger's invented energy is the gain of kinetic
    energy, and it is the robot's row."""
    run = run_docking(build("symplectic_euler", 16.0))
    kinetic = run.ledger["kinetic"] - run.ledger["kinetic_start"]
    assert run.series["contact.depth"][-1] < 0.0
    assert run.energy_added_J > 0.0
    # 1 % of what was invented: at plant_steps = 1 the true work of a lossless contact is zero only
    # to the order of the plant step
    assert run.energy_added_J == pytest.approx(kinetic, abs=0.01 * kinetic + 1e-4)
    assert run.ledger["robot"] > 0.5 * run.energy_added_J
