"""The joints of arms in a recorded run: columns behind all others, of robots that are arms alone.

Of each arm, for the base axis (where there is one) and joints 1 to 6: positions and speeds of the
links, and the least distance from a singularity; of elastic joints also the motors' positions, the
joints' torques and the links' energies.
"""

from __future__ import annotations

from typing import NamedTuple

from softdock.compile.features import Arms
from softdock.compile.jit import by_type, compiled, noinline
from softdock.loop.arms.layout import AXES
from softdock.loop.arms.robot_layout import arm_state

BOOKS = ("motor_work", "contact_work", "dissipated", "stored", "kinetic")  # as in `arm_state`
MEANINGS = (
    "work of the motors on the links",
    "work of the contact on the links",
    "taken by the joints' damping",
    "stored in the joints",
    "kinetic energy of the links",
)
BOOK_COUNT = len(BOOKS)


class RecordedArm(NamedTuple):
    """A robot whose joints are recorded."""

    robot: str  # chaser or target
    axes: tuple[str, ...]  # names of its axes, the base axis first where there is one
    elastic: bool


def _axes(
    name: str, axes: tuple[str, ...], unit: str, meaning: str
) -> list[tuple[str, str, str, str]]:
    """One column an axis; a base axis may slide."""
    base = unit.replace("rad", "m or rad") if len(axes) == AXES else unit
    units = [base, *[unit] * (len(axes) - 1)]
    return [
        (f"{name}.{axis}", own, "joint", f"{meaning} {axis}")
        for axis, own in zip(axes, units, strict=True)
    ]


def joint_channels(arm: RecordedArm) -> list[tuple[str, str, str, str]]:
    """Name, unit, frame and meaning of every column of an arm."""
    name, axes = f"joints.{arm.robot}", arm.axes
    whose = f"of the {arm.robot}'s arm:"
    found = [
        *_axes(f"{name}.position", axes, "rad", f"position {whose} joint"),
        *_axes(f"{name}.velocity", axes, "rad/s", f"speed {whose} joint"),
        (f"{name}.clearance", "-", "-", f"least distance from a singularity {whose} set-point"),
    ]
    if arm.elastic:
        found += _axes(f"{name}.motor", axes, "rad", f"position {whose} motor")
        found += _axes(f"{name}.torque", axes, "Nm", f"torque {whose} elastic joint")
        found += [
            (f"{name}.energy.{book}", "J", "-", f"{whose} {meaning}")
            for book, meaning in zip(BOOKS, MEANINGS, strict=True)
        ]
    return found


@compiled
def _width(s):
    """Columns of a robot's arm; 0: it is no arm."""
    if not s.on:
        return 0
    axes = AXES - s.first
    return 2 * axes + 1 + (2 * axes + BOOK_COUNT if s.elastic else 0)


@compiled
def _copy(s, values, row, column):
    """Seven numbers, or six without a base axis; returns the column behind them."""
    for i in range(s.first, AXES):
        row[column] = values[i]
        column += 1
    return column


@noinline
def _record_arm(s, row, column):
    elastic = s.elastic
    column = _copy(s, s.link if elastic else s.q, row, column)
    column = _copy(s, s.link_rate if elastic else s.rate, row, column)
    row[column] = s.clearance
    if elastic:
        column = _copy(s, s.q, row, column + 1)
        column = _copy(s, s.torque, row, column)
        row[column] = s.motor_work  # as BOOKS lists them
        row[column + 1] = s.contact_work
        row[column + 2] = s.dissipated
        row[column + 3] = s.stored
        row[column + 4] = s.kinetic


@compiled
def _nothing(features, memory, mem, row):
    return


@noinline
def _record_both(features, memory, mem, row):
    chaser, target = arm_state(mem, memory.chaser_robot), arm_state(mem, memory.target_robot)
    last = row.shape[0] - _width(target)
    if chaser.on:
        _record_arm(chaser, row, last - _width(chaser))
    if target.on:
        _record_arm(target, row, last)


@by_type(lambda cls: _record_both if cls is Arms else _nothing)
def record_arms(features, memory, mem, row):
    """The joints of both arms into the last columns of a row."""
