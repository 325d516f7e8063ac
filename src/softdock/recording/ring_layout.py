"""What a loop in real time records (one row per cycle, per packet, per force sample; events), and
the ring of slots that carries the rows.

Rows are flat arrays of float64, declared here as `Cells`; the loop writes them. Channels have the
names of a simulated run's record wherever both exist, so that what reads one reads the other. A rig
does not fill every cell: it names those it fills (`select_channels`), and what it does not name is
absent from the recording, never zero.

Stamps are ns of our monotonic clock as float64: exact for 104 days after the machine started.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled, entry_point
from softdock.loop.arms.layout import AXES
from softdock.loop.record import RECORDED, Channel

_KNOWN = dict(RECORDED)


def _make_channels(prefix: str, unit: str, frame: str, meaning: str, names: Iterable[str]) -> list:
    return [Channel(f"{prefix}.{name}", unit, frame, meaning) for name in names]


def _make_raw_channels(body: str) -> list[Channel]:
    frame, what = f"sensor on the {body}", f"as the {body}'s sensor sent it"
    return [
        *_make_channels(f"raw.{body}.force", "N", frame, f"force {what}", "xyz"),
        *_make_channels(f"raw.{body}.torque", "Nm", frame, f"torque {what}", "xyz"),
    ]


def _make_joint_channels(body: str) -> list[Channel]:
    names = [str(i) for i in range(AXES)]
    return _make_channels(f"joints.{body}", "rad", "-", f"joints of the {body}'s arm", names)


def _make_group(name: str, unit: str, meaning: str) -> tuple[str, list[Channel]]:
    return name.replace(".", "_"), [Channel(name, unit, "-", meaning)]


# a name for the place in the row, and its channels
CYCLE_GROUPS: tuple[tuple[str, list[Channel]], ...] = (
    _make_group("stamp_ns", "ns", "our monotonic clock when the cycle began"),
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
    _make_group("pose_age.chaser", "s", "age of the chaser's measured pose"),
    _make_group("pose_age.target", "s", "age of the target's measured pose"),
    ("raw_chaser", _make_raw_channels("chaser")),
    ("raw_target", _make_raw_channels("target")),
    ("joints_chaser", _make_joint_channels("chaser")),
    ("joints_target", _make_joint_channels("target")),
    *(
        (f"energy_{name}", [c for c in _KNOWN["ledger"] if c.name == f"energy.{name}"])
        for name in ("kinetic", "external", "observed")
    ),
    _make_group("state", "-", "state of the supervisor"),
    _make_group("reason", "-", "why it left its state"),
    _make_group("late_s", "s", "how late the reply left, on its own cycle"),
    _make_group("lost", "-", "packets lost so far, all peers"),
)
PACKET_GROUPS: tuple[tuple[str, list[Channel]], ...] = (
    _make_group("stamp_ns", "ns", "our monotonic clock when the packet arrived"),
    _make_group("time", "s", "time of the run"),
    _make_group("robot", "-", "0: chaser, 1: target"),
    _make_group("ipoc", "-", "the controller's own stamp"),
    _make_group("delay", "-", "late replies, as the controller counts them"),
    _make_group("lost", "-", "packets of this robot lost so far"),
    _make_group("compute_ns", "ns", "from arrival to reply"),
)
SAMPLE_GROUPS: tuple[tuple[str, list[Channel]], ...] = (
    _make_group("stamp_ns", "ns", "our monotonic clock when the sample arrived"),
    _make_group("sequence", "-", "the sensor's own count"),
    _make_group("status", "-", "the sensor's status word"),
    (
        "force",
        _make_channels("force", "N", "sensor", "as sent", "xyz"),
    ),
    (
        "torque",
        _make_channels("torque", "Nm", "sensor", "as sent", "xyz"),
    ),
)
EVENT_GROUPS: tuple[tuple[str, list[Channel]], ...] = (
    _make_group("stamp_ns", "ns", "our monotonic clock"),
    _make_group("level", "-", "10 debug, 20 information, 30 warning, 40 error, 50 the run stopped"),
    _make_group("code", "-", "which text"),
    _make_group("a", "-", "number for the text's {a}"),
    _make_group("b", "-", "number for the text's {b}"),
    _make_group("who", "-", "0: the chaser's, 1: the target's robot or sensor; -1: nobody's"),
)


def _make_cells(groups: tuple[tuple[str, list[Channel]], ...]) -> list[Cell]:
    return [
        Cell(key, len(channels), channels[0].unit, channels[0].meaning) for key, channels in groups
    ]


CYCLE = Cells("recorded_cycle", *_make_cells(CYCLE_GROUPS))
PACKET = Cells("recorded_packet", *_make_cells(PACKET_GROUPS))
SAMPLE = Cells("recorded_sample", *_make_cells(SAMPLE_GROUPS))
EVENT = Cells("recorded_event", *_make_cells(EVENT_GROUPS))


def select_channels(
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


# The ring between a running loop and the recorder: one writer that never waits, any readers.
#
# A slot holds the row's number (from 1; 0: nothing, or being written), a checksum of number and
# contents, and the contents as 64-bit words. The writer stores contents, checksum, number and at
# last the count of rows. It does so with plain stores and no fence: a compiler or a CPU other than
# x86 may let a reader see them in another order, and a writer may be killed between any two. So a
# reader trusts neither order nor count: a row is there if its number is the one expected and its
# checksum fits, and what does not fit is not there yet, or was written over.
#
# In: a row as int64 view of its float64 cells, as above. Rows of a ring: a power of two.

SLOT = Cells(
    "ring_slot",
    Cell("number", 1, "-", "of the row, from 1; 0: nothing, or being written"),
    Cell("check", 1, "-", "checksum of number and contents"),
)
CONTENTS = SLOT.size  # word at which a row's contents begin
TURN, REST = 7, 57  # bits by which the checksum is turned at every word
LOW = (1 << TURN) - 1
AT = SLOT.at


@compiled
def push(ring, count, row):
    """Row number `count[0]` into its slot; the oldest goes. `ring`: int64 (rows, CONTENTS + words);
    `count`: int64 (1,); `row`: int64 (words,)."""
    number = count[0] + 1
    slot = count[0] & (ring.shape[0] - 1)
    ring[slot, AT.number] = 0
    check = np.int64(number)
    for i in range(row.shape[0]):
        word = row[i]
        ring[slot, CONTENTS + i] = word
        check = ((check << TURN) | ((check >> REST) & LOW)) ^ word
    ring[slot, AT.check] = check
    ring[slot, AT.number] = number
    count[0] = number


@entry_point
def push_row(ring, count, row):
    """One row, from Python."""
    push(ring, count, row)


@entry_point
def push_rows(ring, count, rows):
    """Many rows, one after the other."""
    for i in range(rows.shape[0]):
        push(ring, count, rows[i])


def compute_checksums(numbers: np.ndarray, words: np.ndarray) -> np.ndarray:
    """The checksums that rows must have: `numbers` (n,), `words` (n, words), both int64."""
    found = numbers.copy()
    for column in words.T:
        found = ((found << TURN) | ((found >> REST) & LOW)) ^ column
    return found


def find_whole_rows(ring: np.ndarray, first: int, last: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows numbered from `first` up to and without `last`, at most as many as the ring has: their
    contents (n, words), and of each slot the row number found there, -1 if what stands there is no
    whole row."""
    at = np.arange(first, last) & (len(ring) - 1)
    slots = ring[at]
    numbers, words = slots[:, AT.number], slots[:, CONTENTS:]
    fits = (numbers > 0) & (compute_checksums(numbers, words) == slots[:, AT.check])
    return words, np.where(fits, numbers - 1, -1)
