"""Runs of the preset `emulated_pair` in virtual time, for tests."""

from __future__ import annotations

import copy

import numpy as np

from softdock import build, load_scenario
from softdock.rig.emulated_rig import VirtualRig
from softdock.rig.file import load_rig
from softdock.rig.outcome import compute_outcome
from softdock.rig.scenario import put_on_rig
from softdock.rig.supervisor.layout import ROBOT_COUNT

APPROACH = 0.02  # m/s, epos_1d
MASS = 63.0  # kg
# in phase, so that every sample used is of the same instant; a short wait before anything moves
QUICK = {"sensors.chaser.rate_Hz": 1000, "run_up.listen_s": 0.3, "emulate.phase_ms": 0.0}


def quick(changes=None, scenario=None, base=QUICK):
    """epos_1d, or another scenario, on the rig with some keys changed."""
    scenario = load_scenario("epos_1d") if scenario is None else scenario
    return put_on_rig(load_rig("emulated_pair", base | (changes or {})), scenario)


def fly(changes=None, faults=None, scenario=None, base=QUICK, **options):
    """A run to its end: the rig and what it came to."""
    rig = VirtualRig(quick(changes, scenario, base), faults, **options)
    rig.run(40.0)
    return rig, compute_outcome(rig.program)


def sends(rig, until_s, slice_s=0.8):
    """Run in slices and give every reply to the chaser in the order sent: the instants it was for
    [s], which a telegram with a false counter may throw forth and back, and positions along x
    [m]."""
    seen: dict[int, tuple[int, float]] = {}
    program, at = rig.program.arrays, 0.0
    slots = program.reply_ns.shape[1]
    while at < until_s and rig.program.state != "stopped":
        at += slice_s
        rig.run(at)
        count = int(program.robot_counts[0, ROBOT_COUNT.replies])
        for number in range(max(0, count - slots), count):
            slot = number % slots
            seen[number] = (int(program.reply_ns[0, slot]), float(program.replies[0, slot, 0]))
    instants, places = zip(*(seen[number] for number in sorted(seen)))
    return 1e-9 * np.array(instants), np.array(places)


def two_free_bodies(duration_s=3.0):
    """epos_1d with two free satellites of 126 kg: the same reduced mass, both robots in motion."""
    tables = copy.deepcopy(load_scenario("epos_1d").tables)
    tables["time"]["duration_s"] = duration_s
    for name, speed in (("chaser", -0.5 * APPROACH), ("target", 0.5 * APPROACH)):
        tables[name] |= {
            "mass_kg": 126.0,
            "fixed": False,
            "velocity_m_per_s": [speed, 0.0, 0.0],
        }
    return build(tables)
