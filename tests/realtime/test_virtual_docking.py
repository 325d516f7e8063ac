"""A docking through RSI and RDT bytes in virtual time: the same docking as in one process."""

from __future__ import annotations

import numpy as np
import pytest
from rig_pieces import SECOND, Rig

from softdock import Stepper, load_scenario
from softdock.drivers.faults import Faults
from softdock.drivers.links import SensorLink
from softdock.drivers.virtual_time import VirtualTime
from softdock.flat import SATELLITES

APPROACH = 0.02  # m/s, epos_1d


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
    return float(stepper.state[SATELLITES + 7]) / APPROACH


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
