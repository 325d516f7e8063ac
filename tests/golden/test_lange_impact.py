"""Lange's central impact with direct adaptation: what robots with limits make of a hard contact.

Every number was computed by a prototype, independently of softdock. Eight sampling phases, evenly
spread over a cycle.
"""

from __future__ import annotations

import numpy as np
import pytest
from scenarios import lange_impact

from softdock import run_loop

PHASES = np.arange(8) / 8
JERK = {"model": "limited", "max_acceleration_m_per_s2": 2.3, "max_jerk_m_per_s3": 8.86}
ACCELERATION = {"model": "limited", "max_acceleration_m_per_s2": 0.362}


def runs(**robot):
    found = [run_loop(lange_impact(phase, **robot)) for phase in PHASES]
    assert all(run.status == "completed" for run in found)
    return found


def energy_ratios(found):
    return np.array([run.ledger["kinetic"] / run.ledger["kinetic_start"] for run in found])


def peaks(found):
    return np.array([max(c["peak_force_real_N"] for c in run.contacts) for run in found])


@pytest.fixture(scope="module")
def jerk_limited():
    return runs(**JERK)


def test_a_jerk_limit_multiplies_the_energy_by_30_to_34(jerk_limited):
    """2.3 m/s^2 and 8.86 m/s^3 at 4 ms: the robots overshoot into the contact, and the force that
    follows is given to the satellites."""
    ratios = energy_ratios(jerk_limited)
    assert 30.0 <= ratios.mean() <= 34.0
    assert ((ratios >= 28.5) & (ratios <= 34.5)).all(), ratios


def test_a_jerk_limit_gives_the_papers_real_force(jerk_limited):
    """364 N in the paper, 7.28 mm of real overlap; +-10 N over the phase at 4 ms."""
    assert 359.0 <= peaks(jerk_limited).mean() <= 374.0


def test_an_acceleration_limit_multiplies_the_energy_by_84_to_88():
    """0.362 m/s^2 without a jerk limit at 4 ms."""
    ratios = energy_ratios(runs(**ACCELERATION))
    assert 84.0 <= ratios.mean() <= 88.0
    assert ((ratios >= 82.0) & (ratios <= 90.0)).all(), ratios


def test_without_limits_the_servicer_stops_and_the_client_leaves():
    """Ideal robots: 0.1 m/s goes over to the client, the peak is 158.0 to 158.2 N, e within 0.1 %
    as printed (1.5e-3 here)."""
    for run in runs():
        assert run.restitution == pytest.approx(1.0, abs=1.5e-3)
        assert run.series["chaser.velocity.x"][-1] == pytest.approx(0.0, abs=1e-4)
        assert run.series["target.velocity.x"][-1] == pytest.approx(0.1, abs=1e-4)
        assert 157.9 <= run.contacts[0]["peak_force_satellite_N"] <= 158.3


def test_the_books_close_on_limited_robots(jerk_limited):
    """What was invented is the robots': their row carries it, and all rows sum to the total."""
    for run in jerk_limited:
        assert sum(run.ledger_rows.values()) == pytest.approx(
            run.energy_added_J, abs=1e-12 * run.ledger["turnover"] + 1e-12
        )
        assert run.ledger["robot"] > 0.5 * run.energy_added_J
