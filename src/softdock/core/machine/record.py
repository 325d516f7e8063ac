"""What a recorded run holds: one row a cycle. The table below names every column with its unit and
frame; the compiled writer fills them.

Row k is the instant t_k: satellites, set-points, mock-ups, true and measured wrench at t_k, and the
wrench on the satellites over the cycle that ended at t_k.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from softdock.core.adaptation.hooks import record_methods
from softdock.core.adaptation.method import numbered
from softdock.core.adaptation.registry import METHODS
from softdock.core.energy.ledger import Ledger
from softdock.core.machine.compiled import compiled
from softdock.core.machine.state import store_ledger, store_output
from softdock.core.sensor.force_torque import ON_CHASER, ON_TARGET
from softdock.core.spatial.motion import (
    MOTION_FLOATS,
    load_wrench,
    no_wrench,
    store_motion,
    store_wrench,
)
from softdock.core.spatial.rigid_body import motion_of
from softdock.core.spatial.vectors import load3, load4, store3, store4


class Channel(NamedTuple):
    name: str
    unit: str
    frame: str
    meaning: str


def _vector(name: str, unit: str, frame: str, meaning: str, axes: str = "xyz") -> list[Channel]:
    return [Channel(f"{name}.{axis}", unit, frame, meaning) for axis in axes]


def _motion(name: str, what: str) -> list[Channel]:
    return [
        *_vector(f"{name}.position", "m", "world", f"position of {what}"),
        *_vector(f"{name}.attitude", "-", "world from body", f"attitude of {what}", "wxyz"),
        *_vector(f"{name}.velocity", "m/s", "world", f"velocity of {what}"),
        *_vector(f"{name}.rate", "rad/s", "body", f"angular velocity of {what}"),
    ]


def _wrench(name: str, what: str) -> list[Channel]:
    return [
        *_vector(f"{name}.force", "N", "world", f"force {what}"),
        *_vector(f"{name}.torque", "Nm", "world, about the centre of mass", f"torque {what}"),
    ]


CHANNELS: tuple[Channel, ...] = (
    Channel("time", "s", "-", "time"),
    *_motion("chaser", "the chaser satellite"),
    *_motion("target", "the target satellite"),
    *_motion("command.chaser", "the chaser's set-point"),
    *_motion("command.target", "the target's set-point"),
    *_motion("mock_up.chaser", "the chaser's mock-up"),
    *_motion("mock_up.target", "the target's mock-up"),
    *_wrench("true.chaser", "of the contact on the chaser's mock-up"),
    *_wrench("measured.chaser", "handed over by the chaser's sensor"),
    *_wrench("measured.target", "handed over by the target's sensor"),
    *_wrench("satellite.chaser", "on the chaser satellite"),
    *_wrench("satellite.target", "on the target satellite"),
    *_vector("seen.chaser.position", "m", "world", "measured position of the chaser's mock-up"),
    *_vector("seen.target.position", "m", "world", "measured position of the target's mock-up"),
    *_vector(
        "seen.chaser.attitude",
        "-",
        "world from body",
        "measured attitude of the chaser's mock-up",
        "wxyz",
    ),
    *_vector(
        "seen.target.attitude",
        "-",
        "world from body",
        "measured attitude of the target's mock-up",
        "wxyz",
    ),
    Channel("force_age", "s", "-", "age of the handed-over force"),
    Channel("pose_age", "s", "-", "age of the measured poses"),
    Channel("contact.depth", "m", "-", "depth of the real contact; negative: the gap"),
    *(Channel(f"energy.{row}", "J", "world", f"ledger: {row}") for row in Ledger._fields),
)
CHANNEL_COUNT = len(CHANNELS)


def channels_of(names: Iterable[str]) -> tuple[Channel, ...]:
    """Every channel of a run whose scenario lists these methods: a method's own stand behind, under
    its name (a second one's under `name_2`)."""
    found, listed = list(CHANNELS), list(names)
    for name, prefix in zip(listed, numbered(listed), strict=True):
        found += [Channel(f"{prefix}.{own}", *rest) for own, *rest in METHODS[name].channels]
    return tuple(found)


@compiled
def record_row(row, params, mem, loop, t):
    """Write one instant."""
    row[0] = t
    store_motion(row, 1, motion_of(params.chaser, loop.satellites.chaser))
    store_motion(row, 14, motion_of(params.target, loop.satellites.target))
    store_output(row, 27, loop.command)
    store_motion(row, 53, loop.facility.chaser)
    store_motion(row, 66, loop.facility.target)
    store3(row, 79, loop.facility.true_chaser.force)
    store3(row, 82, loop.facility.true_chaser.torque)
    m, on = params.memory, params.sensor.on
    nothing = no_wrench()
    store_wrench(row, 85, loop.facility.reading if on != ON_TARGET else nothing)
    store_wrench(row, 91, load_wrench(mem, m.second) if on != ON_CHASER else nothing)
    store3(row, 97, loop.wrenches.chaser.force)
    store3(row, 100, loop.wrenches.chaser.torque)
    store3(row, 103, loop.wrenches.target.force)
    store3(row, 106, loop.wrenches.target.torque)
    f, seen, other = loop.facility, m.seen, m.seen + MOTION_FLOATS
    store3(row, 109, f.chaser.p if params.ideal_pose else load3(mem, seen))
    store3(row, 112, f.target.p if params.ideal_pose else load3(mem, other))
    store4(row, 115, f.chaser.q if params.ideal_pose else load4(mem, seen + 3))
    store4(row, 119, f.target.q if params.ideal_pose else load4(mem, other + 3))
    row[123] = t - f.reading_time
    row[124] = t - f.seen_time
    row[125] = loop.depth
    store_ledger(row, 126, loop.ledger)
    record_methods(params.methods, mem, row, CHANNEL_COUNT)
