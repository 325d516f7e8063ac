"""A docking through RSI and RDT bytes in virtual time: the same docking as in one process."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from rig_pieces import SECOND, Rig

from softdock import Stepper, build, load_scenario
from softdock.core.machine.state import AT
from softdock.core.spatial.motion import MOTION
from softdock.drivers.docking import Docking
from softdock.drivers.faults import Faults, Window
from softdock.drivers.links import SensorLink
from softdock.drivers.virtual_time import VirtualTime

APPROACH = 0.02  # m/s, epos_1d
V = MOTION.at.v


def dock(seconds=2.5, faults=None, **changes):
    rig = Rig(faults=faults, **changes)
    time = VirtualTime([*rig.robots, rig.sensor], rig.controller, faults)
    time.tell("sensor", SensorLink.request())
    time.run(round(seconds * SECOND))
    return rig, time


def in_process() -> float:
    """The restitution of the same preset in one process, from the satellite's speed."""
    stepper = Stepper(load_scenario("epos_1d"))
    stepper.step(625)
    return float(stepper.state[AT.command + V]) / APPROACH


def test_a_docking_through_bytes_is_the_docking_in_process():
    """Rob, Sen and RDT bytes cost 1 nm and 1 uN: the restitution is that of the fused loop to
    1e-7, and every sample used is the one of the same instant."""
    rig, time = dock(sensor={"rate_Hz": 1000})
    assert rig.controller.k == 625
    assert rig.controller.speed / APPROACH == pytest.approx(in_process(), abs=1e-7)
    assert max(np.abs(rig.controller.ages_ns)) == 0
    assert rig.robots[0].counts() == {
        "ticks": 625,
        "late": 0,
        "late_in_a_row": 0,
        "rejected": 0,
        "clamped": 0,
    }
    assert time.counts["lost"] == 0


def pair_of_free_bodies(duration_s=3.0):
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


def bounce(skew_ns):
    """Restitution, from both satellites' speeds, with the target's clock a skew later."""
    rig, _ = dock(scenario=pair_of_free_bodies(), sensor={"rate_Hz": 1000}, skew_ns=skew_ns)
    chaser, target = rig.controller.controller.set_points()
    return float(chaser[V] - target[V]) / APPROACH


def test_each_robot_gets_the_set_point_of_its_own_instant():
    """A target whose clock ticks up to a cycle after the chaser's changes restitution by at most
    5e-5; handed the newest value instead, half the skew would act as delay: 1.4e-2 at 4 ms."""
    in_phase = bounce(0)
    assert in_phase == pytest.approx(in_process(), abs=1e-3)
    for skew_ms in (0.5, 1.0, 2.0, 3.0, 3.999):
        assert bounce(round(1e6 * skew_ms)) == pytest.approx(in_phase, abs=5e-5), skew_ms


def test_the_newest_value_for_both_robots_would_act_as_delay(monkeypatch):
    """The same without coasting is out by 3.5e-3 per ms of skew (rig.md 2.4): the test above can
    fail."""
    in_phase = bounce(0)
    monkeypatch.setattr(Docking, "own_set_point", Docking.set_point)
    assert bounce(2_000_000) - in_phase == pytest.approx(7.0e-3, rel=0.1)


def test_a_run_is_a_function_of_its_seed():
    """Loss, duplicates, reordering, spoilt bytes and jitter: the same replies to the bit when
    repeated, others with another seed, and the faults were really there."""
    seen = {}
    for seed in (1, 1, 2):
        faults = Faults(
            seed=seed,
            loss=0.02,
            duplicates=0.05,
            reordering=0.02,
            malformed=0.02,
            latency_us=100.0,
            jitter_us=200.0,
        )
        rig, time = dock(seconds=1.0, faults=faults, sensor={"rate_Hz": 1000})
        seen.setdefault(seed, set()).add(time.digest())
        counts = rig.controller.robots[0].counts()
        for name in ("lost", "twice", "old", "malformed"):
            assert counts[name] > 0, (seed, name, counts)
        assert rig.robots[0].counts()["late"] > 0
    assert len(seen[1]) == 1
    assert seen[1] != seen[2]


def test_one_percent_of_loss_changes_little():
    """Lost telegrams are caught up, lost records are a millisecond of age at most."""
    faults = Faults(seed=5, loss=0.01)
    rig, _ = dock(faults=faults, sensor={"rate_Hz": 7000})
    assert rig.controller.k == pytest.approx(625, abs=3)
    assert rig.controller.speed / APPROACH == pytest.approx(in_process(), abs=2e-3)


def test_a_sample_out_of_phase_is_older_and_the_docking_knows_by_how_much():
    """A sensor 100 us out of phase: every sample used is 42.9 us older or 100 us at 1 kHz, and
    restitution grows by 7.0 per second of age (rig.md 2.3)."""
    rig = Rig(sensor={"rate_Hz": 1000})
    rig.sensor.start(-100_000)
    time = VirtualTime([*rig.robots, rig.sensor], rig.controller)
    time.tell("sensor", SensorLink.request())
    time.run(round(2.5 * SECOND))
    ages = np.array(rig.controller.ages_ns)
    assert ages.min() == ages.max() == 100_000
    gained = rig.controller.speed / APPROACH - in_process()
    assert gained == pytest.approx(7.0 * 100e-6, rel=0.02)


def test_a_stall_is_delivered_late_and_only_the_newest_is_answered():
    """30 ms of silence on every link: the controllers hold, count, and the docking goes on."""
    faults = Faults(windows=(Window("stall", 0.2, 0.23),))
    rig, _ = dock(seconds=0.4, faults=faults, sensor={"rate_Hz": 1000})
    counts = rig.robots[0].counts()
    assert counts["late"] in (7, 8)
    assert rig.robots[0].state == "RSI on"
    assert rig.controller.k == 100
