"""What a loop in real time records: one row per cycle, one row per packet, one row per force
sample, events.

Rows are flat arrays of float64, declared here as `Cells`; the loop writes them, ring.py carries
them. Channels have the names of a simulated run's record wherever both exist, so that what reads
one reads the other. A rig does not fill every cell: it names those it fills (`channels_for`), and
what it does not name is absent from the recording, never zero.

Stamps are ns of our monotonic clock as float64: exact for 104 days after the machine started.
"""

from __future__ import annotations

from collections.abc import Iterable

from softdock.core.arms.layout import AXES
from softdock.core.machine.cells import Cell, Cells
from softdock.core.machine.record import RECORDED, Channel

_KNOWN = dict(RECORDED)


def _channels(prefix: str, unit: str, frame: str, meaning: str, names: Iterable[str]) -> list:
    return [Channel(f"{prefix}.{name}", unit, frame, meaning) for name in names]


def _raw(body: str) -> list[Channel]:
    frame, what = f"sensor on the {body}", f"as the {body}'s sensor sent it"
    return [
        *_channels(f"raw.{body}.force", "N", frame, f"force {what}", "xyz"),
        *_channels(f"raw.{body}.torque", "Nm", frame, f"torque {what}", "xyz"),
    ]


def _joints(body: str) -> list[Channel]:
    names = [str(i) for i in range(AXES)]
    return _channels(f"joints.{body}", "rad", "-", f"joints of the {body}'s arm", names)


def _one(name: str, unit: str, meaning: str) -> tuple[str, list[Channel]]:
    return name.replace(".", "_"), [Channel(name, unit, "-", meaning)]


# a name for the place in the row, and its channels
CYCLE_GROUPS: tuple[tuple[str, list[Channel]], ...] = (
    _one("stamp_ns", "ns", "our monotonic clock when the cycle began"),
    *(
        (name, _KNOWN[name])
        for name in (
            "time",
            "chaser",
            "target",
            "command_chaser",
            "command_target",
            "seen_chaser_p",
            "seen_chaser_q",
            "seen_target_p",
            "seen_target_q",
            "measured_chaser",
            "measured_target",
            "satellite_chaser",
            "satellite_target",
            "force_age",
            "pose_age",
        )
    ),
    _one("pose_age.chaser", "s", "age of the chaser's measured pose"),
    _one("pose_age.target", "s", "age of the target's measured pose"),
    ("raw_chaser", _raw("chaser")),
    ("raw_target", _raw("target")),
    ("joints_chaser", _joints("chaser")),
    ("joints_target", _joints("target")),
    *(
        (f"energy_{name}", [c for c in _KNOWN["ledger"] if c.name == f"energy.{name}"])
        for name in ("kinetic", "external", "observed")
    ),
    _one("state", "-", "state of the supervisor"),
    _one("reason", "-", "why it left its state"),
    _one("late_s", "s", "how late the reply left, on its own cycle"),
    _one("lost", "-", "packets lost so far, all peers"),
)
PACKET_GROUPS: tuple[tuple[str, list[Channel]], ...] = (
    _one("stamp_ns", "ns", "our monotonic clock when the packet arrived"),
    _one("time", "s", "time of the run"),
    _one("robot", "-", "0: chaser, 1: target"),
    _one("ipoc", "-", "the controller's own stamp"),
    _one("delay", "-", "late replies, as the controller counts them"),
    _one("lost", "-", "packets of this robot lost so far"),
    _one("compute_ns", "ns", "from arrival to reply"),
)
SAMPLE_GROUPS: tuple[tuple[str, list[Channel]], ...] = (
    _one("stamp_ns", "ns", "our monotonic clock when the sample arrived"),
    _one("sequence", "-", "the sensor's own count"),
    _one("status", "-", "the sensor's status word"),
    (
        "force",
        _channels("force", "N", "sensor", "as sent", "xyz"),
    ),
    (
        "torque",
        _channels("torque", "Nm", "sensor", "as sent", "xyz"),
    ),
)
EVENT_GROUPS: tuple[tuple[str, list[Channel]], ...] = (
    _one("stamp_ns", "ns", "our monotonic clock"),
    _one("level", "-", "10 debug, 20 information, 30 warning, 40 error, 50 the run stopped"),
    _one("code", "-", "which text"),
    _one("a", "-", "number for the text's {a}"),
    _one("b", "-", "number for the text's {b}"),
    _one("who", "-", "0: the chaser's, 1: the target's robot or sensor; -1: nobody's"),
)


def _cells(groups: tuple[tuple[str, list[Channel]], ...]) -> list[Cell]:
    return [
        Cell(key, len(channels), channels[0].unit, channels[0].meaning) for key, channels in groups
    ]


CYCLE = Cells("recorded_cycle", *_cells(CYCLE_GROUPS))
PACKET = Cells("recorded_packet", *_cells(PACKET_GROUPS))
SAMPLE = Cells("recorded_sample", *_cells(SAMPLE_GROUPS))
EVENT = Cells("recorded_event", *_cells(EVENT_GROUPS))


def channels_for(
    groups: tuple[tuple[str, list[Channel]], ...], names: Iterable[str] | None = None
) -> list[tuple[Channel, int]]:
    """Channels with their place in the row: of all cells, or of those that are filled."""
    chosen = None if names is None else set(names)
    unknown = sorted((chosen or set()) - {key for key, _ in groups})
    if unknown:
        raise ValueError(f"no such cells: {', '.join(unknown)}")
    found, at = [], 0
    for key, channels in groups:
        for channel in channels:
            if chosen is None or key in chosen:
                found.append((channel, at))
            at += 1
    return found
