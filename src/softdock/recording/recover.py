"""A recording that was cut, made whole again; and what the rings still hold, added to it.

In: an MCAP file cut at any byte (a kill, a power cut), or the file of rings that it was made from,
or both. Out: a whole MCAP file beside it, and what was found. A cut file holds whole chunks up to
the last flush; the rings hold the last minute, to the last row that the loop wrote.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from softdock.errors import BadInput, BadRecording, Problem, printable
from softdock.files.atomic import refuse_unwritable, replacement_file
from softdock.recording.mcap_file import (
    ABOUT,
    CHECK,
    END,
    SEQUENCE,
    STREAMS,
    McapFile,
    Sink,
    decode_samples,
    name_topic,
)
from softdock.recording.read import (
    MAGIC,
    UNREADABLE,
    find_changed_parts,
    read_description,
    read_records,
)
from softdock.recording.recorder import take_rows
from softdock.recording.ring_file import RingFile, find_memory_folder, is_ring, open_ring
from softdock.recording.streams import Stream

BATCH = 20_000  # messages between two chunks


@dataclass
class Recovered:
    """What was found, and where it is now."""

    file: Path
    messages: int = 0  # taken over from the cut file
    from_rings: dict[str, int] = field(default_factory=dict)  # rows, by stream
    lost: dict[str, int] = field(default_factory=dict)  # rows that neither has, by stream
    damaged: list[str] = field(
        default_factory=list
    )  # tables and attachments that were changed: left out
    stopped: str = ""  # what stood where the file stopped being one
    ring: Path | None = None  # that nobody needs any more
    ring_MB: float = 0.0

    def sentences(self) -> list[str]:
        """What is said of it."""
        where = f"up to where it was cut ({self.stopped})" if self.stopped else "all of it"
        lines = [f"{self.messages} messages taken over from the file, {where}"]
        if not self.messages and not self.stopped:
            lines = []
        lines += [f"{name} is not what was written, and is left out" for name in self.damaged]
        for name, rows in self.from_rings.items():
            if rows:
                lines.append(f"{rows} rows of '{name}' added from the ring")
        lost = {name: rows for name, rows in self.lost.items() if rows}
        lines += [f"{rows} rows of '{name}' are in neither" for name, rows in lost.items()]
        lines.append(f"whole: {self.file}")
        if self.ring is not None:
            free = "softdock rig recover --clear"
            lines.append(f"the ring {self.ring} stays; to free {self.ring_MB:.0f} MB: {free}")
        return lines

    def to_dict(self) -> dict[str, Any]:
        return {
            "file": str(self.file),
            "messages": self.messages,
            "rows_from_rings": dict(self.from_rings),
            "rows_lost": dict(self.lost),
            "left_out": list(self.damaged),
            "stopped": self.stopped,
            "ring": None if self.ring is None else str(self.ring),
        }


class CutFile:
    """The records of a file up to where it was cut."""

    def __init__(self, path: Path) -> None:
        self.path, self.stopped = path, ""

    def records(self) -> Iterator[Any]:
        """Records in order; `stopped` says afterwards what ended them."""
        with self.path.open("rb") as stream, self.reading():
            yield from read_records(stream)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """What cannot be read ends what is read."""
        try:
            yield
        except UNREADABLE as error:
            self.stopped = printable(str(error) or type(error).__name__, 200)


def recover(
    source: str | Path,
    out: str | Path | None = None,
    *,
    ring: str | Path | None = None,
    force: bool = False,
) -> Recovered:
    """Make a whole file of a cut one, of rings, or of both. Without `ring`, the rings of a cut file
    are looked for where rings lie. Raises `BadRecording` if there is nothing to recover."""
    path = Path(source)
    if not path.is_file():
        raise BadRecording(f"{source}: no such file")
    rings = open_ring(path) if is_ring(path) else open_ring(ring) if ring else _find_rings(path)
    cut = None if is_ring(path) else CutFile(path)
    target = Path(out) if out is not None else path.with_name(f"{path.stem}.recovered.mcap")
    refuse_unwritable(target, "out")
    if target.exists() and not force:
        raise BadInput(Problem("out", str(target), "a new file; this one exists (--force)"))
    found = Recovered(target)
    with replacement_file(target) as part:
        sink = Sink(part)
        file, last = _begin_file(cut, rings, sink, found)
        if rings is not None:
            _add_rings(file, rings, last, found)
            if not rings.writer_lives:
                found.ring, found.ring_MB = rings.path, 1e-6 * rings.path.stat().st_size
        end = {"why": "recovered"} | {f"lost.{name}": str(n) for name, n in found.lost.items()}
        file.finish(end)
        if sink.error is not None:
            raise sink.error
    if found.ring is not None and rings is not None:
        rings.set("recovered", 1)
    return found


def _find_rings(path: Path) -> RingFile | None:
    """The rings that a file was made from, where they still are. Everybody may write where rings
    lie: those of other users are not looked at."""
    own = str(path.resolve())
    for one in sorted(find_memory_folder().glob("softdock-*.ring")):
        try:
            if hasattr(os, "getuid") and one.stat().st_uid != os.getuid():
                continue
            rings = open_ring(one)
        except (BadRecording, OSError):
            continue
        if rings.file == own:
            return rings
    return None


def _begin_file(
    cut: CutFile | None, rings: RingFile | None, sink: Sink, found: Recovered
) -> tuple[McapFile, dict[str, int]]:
    """The new file with everything of the cut one, and the number of the next row by stream."""
    if cut is None:
        assert rings is not None
        return McapFile(sink, rings.about, rings.streams), {}
    described = _description(cut, found)
    if described is None:
        if rings is None:
            raise BadRecording(
                f"{cut.path}: nothing to recover: it was cut before its description was written"
            )
        return McapFile(sink, rings.about, rings.streams), {}
    file = McapFile(sink, *described)
    return file, _copy_messages(cut, file, found)


def _description(cut: CutFile, found: Recovered) -> tuple | None:
    """What the file says of itself, from the records before its first message; what
    was changed of it is left out."""
    from mcap.records import Attachment, Message, Metadata

    tables: dict[str, dict[str, str]] = {}
    attachments: dict[str, str] = {}
    with cut.path.open("rb") as stream:
        if stream.read(len(MAGIC)) != MAGIC:
            if stream.tell() == 0 or cut.path.stat().st_size < len(MAGIC):
                return None
            raise BadRecording(f"{cut.path}: no MCAP file")
    for record in cut.records():
        if isinstance(record, Metadata):
            tables[record.name] = dict(record.metadata)
        elif isinstance(record, Attachment):
            attachments[record.name] = record.data.decode("utf-8", errors="replace")
        elif isinstance(record, Message):
            break
    tables.pop(END, None)
    found.damaged = find_changed_parts(tables, attachments) if CHECK in tables else []
    if cut.stopped and not tables.keys() >= {ABOUT, STREAMS, CHECK}:
        return None
    for name in found.damaged:
        kind, _, own = name.partition(" ")
        if own not in (ABOUT, STREAMS):
            (tables if kind == "table" else attachments).pop(own, None)
            tables[CHECK].pop(name, None)
    try:
        return read_description(tables, attachments)
    except UNREADABLE as error:
        raise BadRecording(f"{cut.path}: {printable(str(error))}") from None


def _copy_messages(cut: CutFile, file: McapFile, found: Recovered) -> dict[str, int]:
    """Every message as it is; the number after the last row of each stream."""
    from mcap.records import Channel, Message, Schema

    schemas: dict[int, Any] = {}
    channels: dict[int, tuple[int, str]] = {}
    streams = {name_topic(stream): stream for stream in file.streams}
    following: dict[str, int] = {}
    with cut.reading():
        for record in cut.records():
            if isinstance(record, Schema):
                schemas[record.id] = record
            elif isinstance(record, Channel) and record.schema_id in schemas:
                schema = schemas[record.schema_id]
                number = file.channel(
                    record.topic, schema.name, schema.data.decode(errors="replace")
                )
                channels[record.id] = (number, record.topic)
            elif isinstance(record, Message) and record.channel_id in channels:
                number, topic = channels[record.channel_id]
                file.copy(number, record)
                found.messages += 1
                if topic in streams:
                    name = streams[topic].name
                    after = _compute_next_number(streams[topic], record)
                    found.lost[name] = found.lost.get(name, 0) + max(
                        0, record.sequence - following.get(name, 0)
                    )
                    following[name] = after
                if found.messages % BATCH == 0:
                    file.flush()
    found.stopped = cut.stopped
    return following


def _compute_next_number(stream: Stream, message: Any) -> int:
    """Number of the row behind those of a message."""
    many = len(decode_samples(stream, message.data)) if stream.kind == "samples" else 1
    return int(message.sequence) + many


def _add_rings(file: McapFile, rings: RingFile, last: dict[str, int], found: Recovered) -> None:
    """Rows that are in the rings and not in the file."""
    for ring in rings.rings:
        name = ring.stream.name
        if name not in {stream.name for stream in file.streams}:
            continue
        first = last.get(name, 0)
        at, added = first, 0
        while True:
            rows, numbers, following = take_rows(ring, at, last=True)
            if following == at:
                break
            file.add(ring.stream, rows, numbers & SEQUENCE)
            added += len(rows)
            at = following
        found.from_rings[name] = added
        found.lost[name] = found.lost.get(name, 0) + (at - first - added)
        file.flush()
