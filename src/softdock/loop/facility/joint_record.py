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
from softdock.loop.arms.robot_layout import STATE_AT, S

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
def _width(mem, at):
    """Columns of a robot; 0: it is no arm."""
    if mem[at + S.on] == 0.0:
        return 0
    axes = AXES - int(mem[at + S.first])
    return 2 * axes + 1 + (2 * axes + BOOK_COUNT if mem[at + S.elastic] != 0.0 else 0)


@compiled
def _copy(mem, at, cell, row, column):
    """Seven numbers, or six without a base axis; the column behind them."""
    for i in range(int(mem[at + S.first]), AXES):
        row[column] = mem[at + cell + i]
        column += 1
    return column


@noinline
def _record(mem, at, row, column):
    elastic = mem[at + S.elastic] != 0.0
    column = _copy(mem, at, S.link if elastic else S.q, row, column)
    column = _copy(mem, at, S.link_rate if elastic else S.rate, row, column)
    row[column] = mem[at + S.clearance]
    if elastic:
        column = _copy(mem, at, S.q, row, column + 1)
        column = _copy(mem, at, S.torque, row, column)
        for i in range(BOOK_COUNT):
            row[column + i] = mem[at + S.motor_work + i]


@compiled
def _nothing(features, memory, mem, row):
    return


@noinline
def _record_both(features, memory, mem, row):
    chaser, target = memory.chaser_robot + STATE_AT, memory.target_robot + STATE_AT
    last = row.shape[0] - _width(mem, target)
    if mem[chaser + S.on] != 0.0:
        _record(mem, chaser, row, last - _width(mem, chaser))
    if mem[target + S.on] != 0.0:
        _record(mem, target, row, last)


@by_type(lambda cls: _record_both if cls is Arms else _nothing)
def record_arms(features, memory, mem, row):
    """The joints of both arms into the last columns of a row."""
