"""What a robot model says of itself: how the mock-up follows its set-points, and what the analyses
need to know.

A model is one file that ends in a `RobotModel` and one line in models.py; its name and its keys
stand in keys.py. Compiled code reads the keys as `vector[carrier.follower.at + AT.name]`, and may
keep what it must remember between steps in the room to plan, `mem[carrier.state + MOVING.axes]` and
`.turns` (memory.py): zeros at the start of a run. `AT, MOVING = ROBOT.at, ROBOT_STATE.at` stand at
the top of its module: a group or cells themselves do not compile.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple


class Linear(NamedTuple):
    """A model as the stability analysis takes it: a second-order lag behind the delay."""

    lag: float = 0.0  # rad/s; 0: none
    damping_ratio: float = 1.0
    left_out: str = ""  # what the analysis does not hold, in words


def _only_late(robot: Mapping[str, Any]) -> Linear:
    return Linear()


def _any_acceleration(robot: Mapping[str, Any]) -> float:
    return math.inf


@dataclass(frozen=True)
class RobotModel:
    """One robot model; `robot` below: its table in a scenario."""

    name: str  # in keys.MODELS
    # compiled: (vector, carrier, robot, mem, motion, t0, t1) -> Motion, the mock-up (or the motors)
    # at t1 [s] from where it was at t0; `robot`: RobotParams. Where `carrier.heavy` says so, its
    # accelerations are left in `mem` at the carrier's state
    follow: Any
    words: str = ""  # what it does beyond the delay; empty: nothing
    linear: Callable[[Mapping[str, Any]], Linear] = _only_late
    # m/s^2, the largest acceleration that it can have
    strongest: Callable[[Mapping[str, Any]], float] = _any_acceleration
    # how much of it, in words (`softdock why`); without: by its lag, or `words` again
    size: Callable[[Mapping[str, Any]], str] | None = None
    is_arm: bool = False  # compiled into loops with arms alone (features.Arms)
