"""What a recorded run holds: one row per cycle. The table below names every column with its unit
and frame; the compiled writer fills them.

Row k is the instant t_k: satellites, set-points, mock-ups, true and measured wrench at t_k, and the
wrench on the satellites over the cycle that ended at t_k.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled
from softdock.loop.corrected_record import CORRECTED, record_corrected
from softdock.loop.energy.ledger import LEDGER, Ledger
from softdock.loop.facility.joint_record import RecordedArm, joint_channels, record_arms
from softdock.loop.memory import REPORTS
from softdock.loop.method.hooks import any_past, record_methods
from softdock.loop.method.memory import numbered
from softdock.loop.method.method import METHODS, no_past
from softdock.loop.sensor.force_torque import ON_CHASER, ON_TARGET
from softdock.loop.spatial.motion import Motion, Wrench, no_wrench
from softdock.loop.spatial.rigid_body import motion_of
from softdock.loop.vector import without_methods

if TYPE_CHECKING:
    from softdock.loop.loop import Loop
    from softdock.loop.method.interface import Satellites
    from softdock.loop.params import Params


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


def _position(name: str, what: str) -> list[Channel]:
    return _vector(name, "m", "world", f"measured position of {what}")


def _attitude(name: str, what: str) -> list[Channel]:
    return _vector(name, "-", "world from body", f"measured attitude of {what}", "wxyz")


# what a row holds, in order: a name for its place in the row, and its channels
RECORDED: tuple[tuple[str, list[Channel]], ...] = (
    ("time", [Channel("time", "s", "-", "time")]),
    ("chaser", _motion("chaser", "the chaser satellite")),
    ("target", _motion("target", "the target satellite")),
    ("command_chaser", _motion("command.chaser", "the chaser's set-point")),
    ("command_target", _motion("command.target", "the target's set-point")),
    ("mock_up_chaser", _motion("mock_up.chaser", "the chaser's mock-up")),
    ("mock_up_target", _motion("mock_up.target", "the target's mock-up")),
    ("true_chaser", _wrench("true.chaser", "of the contact on the chaser's mock-up")),
    ("measured_chaser", _wrench("measured.chaser", "handed over by the chaser's sensor")),
    ("measured_target", _wrench("measured.target", "handed over by the target's sensor")),
    ("satellite_chaser", _wrench("satellite.chaser", "on the chaser satellite")),
    ("satellite_target", _wrench("satellite.target", "on the target satellite")),
    ("seen_chaser_p", _position("seen.chaser.position", "the chaser's mock-up")),
    ("seen_target_p", _position("seen.target.position", "the target's mock-up")),
    ("seen_chaser_q", _attitude("seen.chaser.attitude", "the chaser's mock-up")),
    ("seen_target_q", _attitude("seen.target.attitude", "the target's mock-up")),
    ("force_age", [Channel("force_age", "s", "-", "age of the handed-over force")]),
    ("pose_age", [Channel("pose_age", "s", "-", "age of the measured poses")]),
    (
        "depth",
        [Channel("contact.depth", "m", "-", "depth of the real contact; negative: the gap")],
    ),
    (
        "ledger",
        [Channel(f"energy.{row.name}", row.unit, "world", f"ledger: {row.name}") for row in LEDGER],
    ),
)
STRUCTURES: dict[str, Any] = {  # of a row; all else are numbers and vectors
    **dict.fromkeys(("chaser", "target", "command_chaser", "command_target"), Motion),
    **dict.fromkeys(("mock_up_chaser", "mock_up_target"), Motion),
    **dict.fromkeys(("true_chaser", "measured_chaser", "measured_target"), Wrench),
    **dict.fromkeys(("satellite_chaser", "satellite_target"), Wrench),
    "ledger": Ledger,
}
RECORD = Cells(
    "record",
    *(
        Cell(
            name,
            STRUCTURES.get(name, len(channels)),
            ", ".join(dict.fromkeys(channel.unit for channel in channels)),
            f"`{channels[0].name}`" + (f" to `{channels[-1].name}`" if len(channels) > 1 else ""),
        )
        for name, channels in RECORDED
    ),
)
CHANNELS: tuple[Channel, ...] = tuple(one for _, channels in RECORDED for one in channels)
CHANNEL_COUNT = RECORD.size
# behind them, where a listed method recomputes the past
CORRECTED_CHANNELS: tuple[Channel, ...] = (
    *_motion("corrected.chaser", "the chaser satellite, its past as recomputed"),
    *_motion("corrected.target", "the target satellite, its past as recomputed"),
    *_vector(
        "corrected.chaser.force",
        "N",
        "world",
        "force of the contact alone on the chaser satellite, mean over the cycle that ended, its "
        "past as recomputed",
    ),
    Channel(
        "corrected.chaser.peak_force",
        "N",
        "-",
        "its largest in that cycle, as far as the method's steps tell it",
    ),
)
CORRECTED_COUNT = CORRECTED.size


def rewinds(names: Iterable[str]) -> bool:
    """Whether one of these methods recomputes the past: a run then has the corrected channels."""
    return any(METHODS[name].past is not no_past for name in names)


def channels_of(names: Iterable[str], arms: Iterable[RecordedArm] = ()) -> tuple[Channel, ...]:
    """Every channel of a run whose scenario lists these methods: a method's own stand behind, under
    its name (a second one's under `name_2`), and behind those the joints of robots that are
    arms."""
    found, listed = list(CHANNELS), list(names)
    if rewinds(listed):
        found += CORRECTED_CHANNELS
    for name, prefix in zip(listed, numbered(listed), strict=True):
        found += [Channel(f"{prefix}.{own}", *rest) for own, *rest in METHODS[name].channels]
    for arm in arms:
        found += [Channel(*one) for one in joint_channels(arm)]
    return tuple(found)


@compiled
def record_row(row, params: Params, mem, loop: Loop, t):
    """Write one instant."""
    _record_rig(row, without_methods(params), mem, loop, t)
    record_own(row, params, mem, loop.satellites)


@compiled
def record_own(row, params: Params, mem, satellites: Satellites):
    """What a run has because of its methods."""
    if any_past(params.methods):
        record_corrected(row, CHANNEL_COUNT, params, mem, satellites)
        record_methods(params.methods, mem, row, CHANNEL_COUNT + CORRECTED_COUNT)
    else:
        record_methods(params.methods, mem, row, CHANNEL_COUNT)


@compiled
def _record_rig(row, params: Params, mem, loop: Loop, t):
    """What every run has, whatever its methods."""
    satellites, command, f, r = loop.satellites, loop.command, loop.facility, RECORD(row)
    reports, on = REPORTS(mem, params.memory.reports), params.sensor.on
    nothing, ideal = no_wrench(), params.flags.ideal_pose
    r.time = t
    r.chaser = motion_of(params.chaser, satellites.chaser)
    r.target = motion_of(params.target, satellites.target)
    r.command_chaser = command.chaser
    r.command_target = command.target
    r.mock_up_chaser = f.chaser
    r.mock_up_target = f.target
    r.true_chaser = f.true_chaser
    r.measured_chaser = f.reading if on != ON_TARGET else nothing
    r.measured_target = reports.second if on != ON_CHASER else nothing
    r.satellite_chaser = loop.wrenches.chaser
    r.satellite_target = loop.wrenches.target
    r.seen_chaser_p = f.chaser.p if ideal else reports.seen.chaser.p
    r.seen_target_p = f.target.p if ideal else reports.seen.target.p
    r.seen_chaser_q = f.chaser.q if ideal else reports.seen.chaser.q
    r.seen_target_q = f.target.q if ideal else reports.seen.target.q
    r.force_age = t - f.reading_time
    r.pose_age = t - f.seen_time
    r.depth = loop.depth
    r.ledger = loop.ledger
    record_arms(params.features, params.memory, mem, row)
