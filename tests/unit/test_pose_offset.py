"""Delay and offset of reported poses, told apart by the ramp of a lead: for robots of any filter,
by a path made here."""

import math

import numpy as np
import pytest

from softdock.compile.jit import entry_point
from softdock.methods.model_mediated.lead import PACE
from softdock.methods.model_mediated.pose_offset import POSES, note_lead, note_pose

T, V, OFFSET = 0.004, (-0.02, 0.01, 0.0), (0.0011, -0.0004, 0.0007)
BEGINS, LEAD, CYCLES, FINE = 0.1, 0.03, 250, 40  # s, s, -, steps a cycle


@entry_point
def note_all(mem, leads, gaps):
    """Every cycle's lead and report; the delay that was told, -1: none."""
    poses, told = POSES(mem, 0), -1.0
    for k in range(len(leads)):
        note_lead(poses, k + 1, leads[k, 0], leads[k, 1])
        target = LEAD if k * T >= BEGINS else 0.0
        gap = (gaps[k, 0], gaps[k, 1], gaps[k, 2])
        found = note_pose(poses, k * T, T, V, gap, target)
        told = found if found >= 0.0 else told
    return told


def ramp(t):
    """The lead at t and its rate: critically damped from BEGINS on."""
    x = PACE * max(t - BEGINS, 0.0)
    return LEAD * (1.0 - (1.0 + x) * math.exp(-x)), LEAD * PACE * x * math.exp(-x)


def follow(delay, lag, noise, settled=True):
    """What is told after a second of free flight of a robot with a delay and a first-order lag."""
    random, ahead = np.random.default_rng(5), -lag if settled else 0.0  # s, of the satellite
    leads, gaps = [], []
    for k in range(CYCLES):
        leads.append(ramp((k + 1) * T))
        now = ramp(k * T - delay)[0] if lag == 0.0 else ahead
        gaps.append(np.array(OFFSET) + (now - delay) * np.array(V) + noise * random.normal(size=3))
        for i in range(FINE if lag > 0.0 else 0):
            to = ramp((k + (i + 0.5) / FINE) * T - delay)[0]
            ahead += (T / FINE) * ((to - ahead) / lag - 1.0)
    mem = np.zeros(POSES.size)
    return POSES(mem, 0), note_all(mem, np.array(leads), np.array(gaps))


def test_a_pure_delay():
    poses, delay = follow(0.016, 0.0, 0.0)
    assert delay == pytest.approx(0.016, abs=2e-5)
    assert poses.offset == pytest.approx(OFFSET, abs=1e-6)


def test_a_robot_with_a_lag_trails_by_its_mean_delay():
    poses, delay = follow(0.010, 0.015, 0.0)
    assert delay == pytest.approx(0.025, abs=3e-4)
    assert poses.offset == pytest.approx(OFFSET, abs=1e-5)


def test_noise_hides_what_is_smaller_than_it():
    poses, _ = follow(0.016, 0.0, 5e-5)
    along = np.array(V) / np.linalg.norm(V)
    off = np.array(poses.offset) - OFFSET
    assert abs(off @ along) < 4.0 * max(poses.spread, 1e-5)
    assert np.linalg.norm(off - (off @ along) * along) < 4e-5


def test_a_ramp_before_which_the_robot_had_not_settled_tells_nothing():
    poses, delay = follow(0.0, 0.08, 0.0, settled=False)
    assert delay == -1.0
    assert np.dot(poses.offset, V) == pytest.approx(0.0, abs=1e-12)
    assert poses.attempts == 1
