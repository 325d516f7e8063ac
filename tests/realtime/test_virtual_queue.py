"""The compiled queue is the Python queue: same events, same faults, same bytes."""

from __future__ import annotations

import numpy as np
import pytest
from rig_pieces import SECOND, Rig
from virtual_time import VirtualTime

from softdock.rig.drivers.compiled_loop import make_hold_program
from softdock.rig.drivers.emulation import Faults, VirtualRun, Window
from softdock.rig.drivers.links import RobotLink, SensorLink

HELD = [-2.0, 1.0, 0.0, 0.0, 3.0, 0.0]
CASES = {
    "quiet": Faults(),
    "everything": Faults(
        seed=3,
        loss=0.05,
        duplicates=0.1,
        reordering=0.05,
        malformed=0.05,
        latency_us=150.0,
        jitter_us=300.0,
        windows=(Window("stall", 0.1, 0.12), Window("drift", 0.2, 0.3, value=500.0)),
    ),
}


def pieces(faults):
    rig = Rig(faults=faults, robot={"drift_ppm": 20.0}, sensor={"rate_Hz": 1000})
    links = tuple(RobotLink(rig.file, 4.0) for _ in range(2))
    sensor = SensorLink(1e6, 1e6)
    rig.sensor.receive(SensorLink.request())
    for link in links:
        link.reply(HELD)
    return rig, links, sensor


@pytest.mark.parametrize("case", CASES)
def test_both_queues_leave_the_same_numbers(case):
    """Half a second with two robots and a sensor: every counter, clock, ring and motion is equal
    to the bit, whichever queue ran it."""
    faults = CASES[case]
    rig, links, sensor = pieces(faults)

    def answer(now_ns, who, data):
        if who == "sensor":
            sensor.receive(data, now_ns)
            return
        link = links[("chaser", "target").index(who)]
        if link.receive(data, now_ns) in ("first", "taken", "jumped"):
            yield who, link.reply(HELD)

    time = VirtualTime([*rig.robots, rig.sensor], answer, faults)
    time.run(SECOND // 2)
    again, other_links, other_sensor = pieces(faults)
    run = VirtualRun(
        tuple(again.robots),
        (again.sensor,),
        tuple(link.arrays for link in other_links),
        (other_sensor.arrays, SensorLink(1.0, 1.0).arrays),
        make_hold_program(other_links[0]),
        faults,
    )
    run.run(SECOND // 4)
    run.run(SECOND // 2)
    counts = run.counts()
    assert counts.pop("overflown") == 0
    assert counts == time.counts
    for ours, theirs in (
        *zip(rig.robots, again.robots),
        *zip(links, other_links),
        (sensor, other_sensor),
        (rig.sensor, again.sensor),
    ):
        for name, a, b in zip(ours.arrays._fields, ours.arrays, theirs.arrays):
            assert np.array_equal(a, b, equal_nan=True), (case, type(ours).__name__, name)
    if case == "everything":
        assert counts["lost"] > 20
        assert links[0].counts()["malformed"] > 0
