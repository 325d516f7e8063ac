"""What must hold in every docking: momentum, bookkeeping, pushing forces, unit quaternions, and no
preferred place or direction.

Random dockings around the shared scenarios, drawn by Hypothesis without chance; a failing one is
printed as its tables.
"""

from __future__ import annotations

import copy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scenarios import cone_docking, matrix, moved, quaternion, sphere_on_sphere

from softdock import fly
from softdock.core.energy.ledger import ROWS
from softdock.core.satellites import INTEGRATORS

NAMES = tuple(i.name for i in INTEGRATORS)
T = 0.004  # s, the cycle of all shared scenarios


def inertia_of(body):
    values = np.array(body["inertia_kg_m2"])
    return np.diag(values) if values.ndim == 1 else values


def number(low, high):
    """Evenly spread: Hypothesis's own floats dwell on 1e-300, which says nothing here."""
    return st.integers(0, 1000).map(lambda n: low + (high - low) * n / 1000)


def vector(size):
    return st.tuples(*[number(-size, size)] * 3).map(np.array)


ANY_DELAY, ANY_DAMPING = number(0.0, 24.0), number(0.0, 40.0)  # ms, Ns/m


@st.composite
def dockings(draw, integrators=NAMES, delays=ANY_DELAY, damping=ANY_DAMPING):
    """A sphere or a cone docking, displaced, turned and tumbling a little differently each time, so
    that it still touches."""
    build = draw(st.sampled_from((sphere_on_sphere, cone_docking)))
    tables = build(draw(st.sampled_from(integrators)), draw(delays), damping=draw(damping))
    tables["time"]["plant_steps"] = draw(st.integers(1, 4))
    wide = 0.02 if build is sphere_on_sphere else 0.004  # m
    chaser, target = tables["chaser"], tables["target"]
    chaser["position_m"] = (
        np.array(chaser["position_m"]) + draw(vector(wide)) * [0.2, 1.0, 1.0]
    ).tolist()
    chaser["velocity_m_per_s"] = (
        np.array(chaser["velocity_m_per_s"]) * draw(number(0.7, 1.3))
    ).tolist()
    for body in (chaser, target):
        body["rate_rad_per_s"] = (np.array(body["rate_rad_per_s"]) + draw(vector(0.01))).tolist()
        body["mass_kg"] *= draw(number(0.5, 2.0))
    return tables


def run_docking(tables):
    run = fly(tables)
    assert run.status == "completed"
    assert run.contact_count >= 1, "the scenario must touch, or the test says nothing"
    return run


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
    """Bookkeeping (definitions.md, check a): the rows, none of them a remainder, sum to the total
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
    assert run.energy_invented_J == invented[-1]
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


@given(tables=dockings(delays=number(0.0, 20.0)))
def test_a_sphere_pushes_along_its_normal(tables):
    """The true force on the chaser is along the line of centres, never pulls, and there is none
    without depth."""
    tables = copy.deepcopy(tables)
    tables["contact"] = sphere_on_sphere(damping=30.0)["contact"]
    tables["chaser"] |= {
        k: sphere_on_sphere()["chaser"][k]
        for k in ("position_m", "attitude_wxyz", "velocity_m_per_s")
    }
    tables["target"] |= {
        k: sphere_on_sphere()["target"][k] for k in ("attitude_wxyz", "velocity_m_per_s")
    }
    run = run_docking(tables)
    pair, series = tables["contact"][0], run.series
    force, depth = series["true.chaser.force"], series["contact.depth"]
    for k in np.flatnonzero(depth[1:] > 0.0) + 1:
        tip = (
            series["mock_up.chaser.position"][k]
            + matrix(series["mock_up.chaser.attitude"][k]) @ pair["tip_m"]
        )
        centre = (
            series["mock_up.target.position"][k]
            + matrix(series["mock_up.target.attitude"][k]) @ pair["origin_m"]
        )
        normal = (tip - centre) / np.linalg.norm(tip - centre)
        assert depth[k] == pytest.approx(
            pair["tip_radius_m"] + pair["sphere_radius_m"] - np.linalg.norm(tip - centre), abs=1e-14
        )
        assert force[k] @ normal >= 0.0
        assert np.linalg.norm(np.cross(force[k], normal)) <= 1e-12 * max(
            1.0, np.linalg.norm(force[k])
        )
        torque = np.cross(tip - series["mock_up.chaser.position"][k], force[k])
        assert series["true.chaser.torque"][k] == pytest.approx(torque, abs=1e-12)
    assert not force[1:][depth[1:] <= 0.0].any()
    assert (depth[1:] > 0.0).sum() > 10


@given(tables=dockings())
def test_attitudes_stay_unit_quaternions(tables):
    """Satellites, set-points and mock-ups, between set-points too. 1e-14: a few roundings, never a
    drift."""
    run = run_docking(tables)
    for name in (
        "chaser",
        "target",
        "command.chaser",
        "command.target",
        "mock_up.chaser",
        "mock_up.target",
    ):
        lengths = np.linalg.norm(run.series[f"{name}.attitude"], axis=1)
        assert np.abs(lengths - 1.0).max() <= 1e-14, name


@given(tables=dockings(), turn=vector(3.0), shift=vector(5.0), boost=vector(0.1))
def test_the_same_docking_elsewhere_is_the_same(tables, turn, shift, boost):
    """Turned, shifted or seen from a moving frame: same restitution, peaks, contact times and
    invented energy. 1e-9: rounding at 5 m, magnified by the contact."""
    here, q = run_docking(tables), quaternion(turn)
    there_tables = moved(tables, q, shift)
    for name in ("chaser", "target"):
        there_tables[name]["velocity_m_per_s"] = (
            np.array(there_tables[name]["velocity_m_per_s"]) + boost
        ).tolist()
    there = run_docking(there_tables)
    assert there.contact_count == here.contact_count
    largest = max(c["peak_force_real_N"] for c in here.contacts)
    for a, b in zip(here.contacts, there.contacts, strict=True):
        close = (
            1e-9 * largest / a["peak_force_real_N"]
        )  # a grazing touch shows the rounding of the hard ones before it
        for key in (
            "restitution",
            "peak_force_real_N",
            "peak_force_satellite_N",
            "impulse_Ns",
            "start_s",
            "end_s",
        ):
            assert b[key] == pytest.approx(a[key], rel=close, nan_ok=True), (
                key
            )  # nan: still touching at the end
    assert there.energy_invented_J == pytest.approx(
        here.energy_invented_J, abs=1e-9 * here.ledger["kinetic_start"]
    )
    assert there.series["contact.depth"][1:] == pytest.approx(
        here.series["contact.depth"][1:], abs=1e-9
    )


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
    assert run.energy_invented_J > 0.0
    # 1 % of what was invented: at plant_steps = 1 the true work of a lossless contact is zero only
    # to the order of the plant step
    assert run.energy_invented_J == pytest.approx(kinetic, abs=0.01 * kinetic + 1e-4)
    assert run.ledger["robot"] > 0.5 * run.energy_invented_J


@pytest.mark.parametrize("integrator", NAMES)
def test_an_ideal_robot_is_where_the_satellite_is(integrator):
    """Delay zero puts the mock-up at t_k where the satellite is at t_k (definitions.md), bit for
    bit, through contacts."""
    run = run_docking(cone_docking(integrator, 0.0))
    for name in ("chaser", "target"):
        for part in ("position", "attitude", "velocity", "rate"):
            assert (run.series[f"mock_up.{name}.{part}"] == run.series[f"{name}.{part}"]).all(), (
                name,
                part,
            )


@pytest.mark.parametrize("cycles", [1, 4])
def test_a_whole_delay_is_the_command_some_cycles_ago(cycles):
    """A delay of n cycles shows the set-point of n cycles ago, bit for bit: nothing is
    interpolated."""
    run = run_docking(cone_docking(delay_ms=4.0 * cycles))
    for name in ("chaser", "target"):
        assert (
            run.series[f"mock_up.{name}.position"][cycles:]
            == run.series[f"command.{name}.position"][:-cycles]
        ).all()
        assert (
            run.series[f"mock_up.{name}.attitude"][cycles:]
            == run.series[f"command.{name}.attitude"][:-cycles]
        ).all()


@pytest.mark.parametrize("delay_ms", [0.0, 10.0])
@pytest.mark.parametrize("integrator", NAMES)
def test_a_fixed_body_never_moves(integrator, delay_ms):
    """A fixed target keeps its pose to the bit, has no kinetic energy and does no work, while the
    chaser bounces off."""
    tables = sphere_on_sphere(integrator, delay_ms)
    tables["target"]["fixed"] = True
    run = run_docking(tables)
    for name in ("target", "command.target", "mock_up.target"):
        for part in ("position", "attitude", "velocity", "rate"):
            values = run.series[f"{name}.{part}"]
            assert (values == values[0]).all()
    assert not run.series["target.velocity"].any()
    v, w = run.series["chaser.velocity"][-1], run.series["chaser.rate"][-1]
    own = 0.5 * tables["chaser"]["mass_kg"] * v @ v + 0.5 * w @ inertia_of(tables["chaser"]) @ w
    assert run.ledger["kinetic"] == pytest.approx(own, rel=1e-12)


def test_noise_is_a_function_of_seed_and_run():
    """The same seed and run repeat to the bit; another run index gives another history."""
    tables = cone_docking(delay_ms=8.0)
    tables["sensor"] = {"noise_N": 0.2, "noise_Nm": 0.01}
    tables["random"] = {"seed": 5, "run": 3}
    first, again = fly(tables), fly(tables)
    tables["random"]["run"] = 4
    other = fly(tables)
    assert first.series.rows.tobytes() == again.series.rows.tobytes()
    assert (
        np.abs(first.series["measured.chaser.force"] - other.series["measured.chaser.force"]).max()
        > 0.1
    )
