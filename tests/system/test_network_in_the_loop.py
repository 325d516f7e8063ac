"""A network as virtual contact and as appendage of a satellite, in a whole scenario."""

from __future__ import annotations

import tomllib

import numpy as np
import pytest
from scenarios import epos_wall

import softdock
from softdock import BadInput
from softdock.ports import flexible_satellite
from softdock.ports.continuous import simulate_continuous
from softdock.scenario.files import to_toml

SPRING = {"model": "single_spring", "arguments": {"stiffness": 1000.0}}
SOLID = {"model": "standard_linear_solid", "arguments": {"k1": 1000.0, "k2": 500.0, "b1": 100.0}}
APPENDAGE = {
    "name": "appendage",
    "bonds": ["hub -> hub_moves", "hub_moves -> force", "force -> link, panel_moves", "link -> S, B", "panel_moves -> panel"],
    "junctions": {"hub_moves": 1, "force": 0, "link": 1, "panel_moves": 1},
    "ports": {"hub": {"causality": "position"}},
    "springs": {"S": {"stiffness_N_per_m": 100.0}},
    "dampers": {"B": {"damping_Ns_per_m": 1.0}},
    "masses": {"panel": {"mass_kg": 5.0}},
}


def tables(network, cycle_ms=4.0, **keys):
    """63 kg at 0.02 m/s, nothing real to touch, the network in its way."""
    found = epos_wall()
    found["contact"] = []
    found["time"] = {"cycle_ms": cycle_ms, "duration_s": 3.0}
    found["methods"] = [{"name": "direct"}, {"name": "network_contact", "network": network, **keys}]
    return found


@pytest.mark.parametrize(("cycle_ms", "lost"), [(1.0, 1e-5), (4.0, 3e-4), (16.0, 2e-3)])
def test_a_virtual_spring_gives_back_what_came_in(cycle_ms, lost):
    """Restitution at most 1 and near it, where a plainly held spring gives 1.003 to 1.05; the ledger has no invented energy."""
    run = softdock.simulate(softdock.build(tables(SPRING, cycle_ms)))
    restitution = run.series["chaser.velocity"][-1][0] / 0.02
    assert 1.0 - lost < restitution <= 1.0 + 1e-6
    ledger = run.metrics["ledger"]
    assert ledger["external_J"] == pytest.approx(ledger["kinetic_end_J"] - ledger["kinetic_start_J"], abs=1e-12)
    assert abs(sum(ledger["rows"].values())) < 1e-12


def test_a_solid_damps_the_bounce():
    """The standard linear solid takes energy, as the one in continuous time does."""
    run = softdock.simulate(softdock.build(tables(SOLID)))
    k1, k2, b, m, h = 1000.0, 500.0, 100.0, 63.0, 1e-5
    x, v, x2 = 0.0, -0.02, 0.0
    for _ in range(200_000):
        force = -k1 * x - k2 * x2
        if force < 0.0:
            break
        v += h * force / m
        x += h * v
        x2 += h * (v - k2 * x2 / b)
    assert run.series["chaser.velocity"][-1][0] == pytest.approx(v, rel=2e-3)


def test_momentum_of_two_free_satellites_is_kept():
    """The force on the target is the opposite one, about the same line."""
    given = tables(SPRING, axis=[1.0, 0.0, 0.0])
    given["target"] = {"mass_kg": 40.0, "inertia_kg_m2": [10.0, 10.0, 10.0], "position_m": [0.0, 0.3, 0.0]}
    given["duration_s"] = given.pop("time")["duration_s"]
    given["time"] = {"cycle_ms": 4.0, "duration_s": given.pop("duration_s")}
    run = softdock.simulate(softdock.build(given))
    after = 63.0 * np.asarray(run.series["chaser.velocity"][-1]) + 40.0 * np.asarray(run.series["target.velocity"][-1])
    assert after == pytest.approx([63.0 * -0.02, 0.0, 0.0], abs=1e-12)
    assert run.series["target.velocity"][-1][0] < -0.01


def test_an_appendage_swings_as_in_continuous_time():
    """Pushed for half a second, hub and panel move as the flexible satellite network does."""
    given = tables(APPENDAGE, between="chaser")
    given["chaser"]["mass_kg"], given["chaser"]["velocity_m_per_s"] = 58.0, [-0.02, 0.0, 0.0]
    given["external"] = {"chaser": {"rows": [[0.0, 2.0, 0, 0, 0, 0, 0], [0.5, 2.0, 0, 0, 0, 0, 0]]}}
    run = softdock.simulate(softdock.build(given))
    speed = np.asarray(run.series["chaser.velocity"])[:, 0] + 0.02
    truth = simulate_continuous(flexible_satellite(58.0, 5.0, 100.0, 1.0), 4e-3, len(speed) - 1, lambda t: np.where(t < 0.5, 2.0, 0.0)[:, None])
    means = 0.5 * (speed[1:] + speed[:-1])
    assert np.abs(means - truth.mean_effort[:, 0]).max() < 0.01 * np.abs(means).max()
    assert np.ptp(means[300:]) > 1e-4  # it swings


def test_the_resolved_scenario_reads_back():
    """A run folder's scenario gives the same vector."""
    scenario = softdock.build(tables(APPENDAGE, between="chaser"))
    assert np.array_equal(softdock.build(tomllib.loads(to_toml(scenario.tables))).vector, scenario.vector)


def test_a_branch_too_fast_for_the_cycle_is_warned_about():
    """By the path of the key and the element's name."""
    fast = {"model": "standard_linear_solid", "arguments": {"k1": 1000.0, "k2": 500.0, "b1": 2.0}}
    assert [w for w in softdock.build(tables(fast)).warnings if w.startswith("methods.1.network: standard linear solid.S2")]


@pytest.mark.parametrize(
    ("network", "named"),
    [
        ({"model": "hunt_crossley", "arguments": {"stiffness": 1.0, "exponent": 1.5, "per_speed": 0.1}}, "a linear network of one position port"),
        ({"model": "rigid_satellite", "arguments": {"mass": 1.0}}, "a linear network of one position port"),
        ({"model": "single_spring", "arguments": {"stiffness": -1.0}}, "stiffness_N_per_m: given -1.0"),
        (3, "a table"),
    ],
)
def test_networks_that_cannot_be_in_the_loop(network, named):
    """Refused before the clock starts, with the path of the key."""
    with pytest.raises(BadInput, match=r"methods\.1\.network") as error:
        softdock.build(tables(network))
    assert named in str(error.value)
