"""The delay budget of a loop: where the force's age comes from, item by item, in seconds at low
frequency.

The sum is the delay of the continuous loop that behaves alike (rule of thumb; 0.03 % of the
critical damping at 4 ms). A set-point waits for its computation and its transport before the
robot's own delay begins; a scenario that does not know them apart has them in the robot's.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.loop.instants import SAME_CYCLE
from softdock.studies.stability.loop import POSITION_SHARE, Loop


class Item(NamedTuple):
    name: str
    delay_s: float
    meaning: str
    counts: bool = True  # in the sum: the path of the measured force


def delay_budget(loop: Loop) -> list[Item]:
    """Every item, also those that are zero; the virtual contact's own path last."""
    T = loop.cycle or 0.0
    computed, sent = (
        sum(robot.share * part for robot, part in zip(loop.robots, parts, strict=True))
        for parts in _sum_parts(loop)
    )
    items = [
        Item(
            "sensor",
            _compute_sensor_delay(loop),
            "from a force sample to its arrival, and the low-pass",
        ),
        Item(
            "hand-over",
            _compute_handover_age(loop),
            f"age of what is handed over ({loop.handover}) beyond the sensor's delay",
        ),
        Item("hold", 0.5 * T, "the force is held over a cycle"),
        Item(
            "integrator",
            (0.5 - POSITION_SHARE[loop.integrator]) * T,
            f"{loop.integrator}, against exact motion under a held force",
        ),
        Item("compute", computed, "until the controller has computed a set-point"),
        Item("transport", sent, "of a set-point to the robot"),
        Item(
            "robot",
            loop.delay - computed - sent,
            "from there to the mock-up being where it was sent",
        ),
        Item(
            "robot lag",
            sum(r.share * 2.0 * r.lag_damping / r.lag for r in loop.robots if r.lag > 0.0),
            "2 x damping ratio / natural frequency",
        ),
        Item("interpolation", _compute_staircase_delay(loop), "a robot that holds each set-point"),
    ]
    if loop.is_hybrid and loop.virtual_from == "measured":
        items.append(
            Item(
                "pose measurement",
                loop.pose_delay,
                "from motion to measured pose: the virtual contact's path only",
                counts=False,
            )
        )
    return items


def _sum_parts(loop: Loop) -> tuple[list[float], list[float]]:
    return [robot.computation for robot in loop.robots], [robot.transport for robot in loop.robots]


def total_delay(loop: Loop) -> float:
    """Of the measured force's path [s]."""
    return sum(item.delay_s for item in delay_budget(loop) if item.counts)


def _compute_sensor_delay(loop: Loop) -> float:
    if loop.cycle is None:
        return loop.sensor_delay + (
            1.0 / (2.0 * math.pi * loop.lowpass) if loop.lowpass > 0.0 else 0.0
        )
    return loop.sensor_delay + loop.keep / (1.0 - loop.keep) * loop.period


def _compute_handover_age(loop: Loop) -> float:
    """Mean age beyond the sensor's delay, over a sampling pattern."""
    if loop.cycle is None:
        return 0.0
    period, late = loop.period / loop.cycle, loop.sensor_delay / loop.cycle
    ages = []
    newest = math.floor(-late / period + SAME_CYCLE)
    for k in range(1, loop.pattern + 1):
        handed, newest = newest, math.floor((k - late) / period + SAME_CYCLE)
        first = newest if loop.handover == "latest" or newest <= handed else handed + 1
        ages.append(k - 0.5 * period * (first + newest) - late)
    return loop.cycle * sum(ages) / len(ages)


def _compute_staircase_delay(loop: Loop) -> float:
    """A held set-point is older than its robot's delay says, by the rest of the delay's cycle."""
    if loop.cycle is None:
        return 0.0
    late = 0.0
    for robot in loop.robots:
        if robot.interpolation == "hold":
            cycles = robot.delay / loop.cycle
            late += robot.share * max(math.ceil(cycles - SAME_CYCLE) - cycles, 0.0) * loop.cycle
    return late
