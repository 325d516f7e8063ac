"""Hostile datagrams and random rigs against the supervisor: a small share of what `make prove` does
(benchmarks/prove.py: rig_packets, rig_energy)."""

from __future__ import annotations

import os

import pytest
from rig_fuzz import energy_runs, forge

from softdock import load_scenario

PROVE = bool(os.environ.get("SOFTDOCK_PROVE"))
SEED = int(os.environ.get("SOFTDOCK_SEED", "20"))
FOUND = (121882610000,)  # chunks of `make prove` that had once failed


def test_forged_datagrams_never_make_a_reply_jump():
    """Ten per cent each of loss, duplicates, reordering, malformed and forged datagrams: no crash,
    no reply further from the last than the speed limit allows, and every session has a reason."""
    arrived, ends = forge(1_000_000 if PROVE else 10_000, SEED)
    assert arrived >= 10_000
    assert "none" not in ends, ends


@pytest.mark.parametrize("seed", FOUND)
def test_a_session_that_falls_silent_ends_with_a_reason(seed):
    """Of 121882610000: both robots time out and the sensor's records end while the program waits
    for them. A stop that is asked for then is heard without a datagram."""
    _, ends = forge(10_000, seed)
    assert "none" not in ends, ends


def test_the_motion_that_leaves_never_has_more_energy_than_its_bound():
    """Random limits, delays, clocks and faults: of every run, the kinetic energy of what was sent
    to the robot after the touch is within the bound of that contact."""
    scenario = load_scenario("epos_1d", {"time.duration_s": 1.6})
    worst, ends = energy_runs(100_000 if PROVE else 100, 1000 * SEED, scenario)
    assert 0.9 < worst <= 1.0 + 1e-6, (worst, ends)  # near the bound, or nothing was tested
    assert ends.get("restitution", 0) > 7, ends
    assert ends.get("completed", 0) > 7, ends
