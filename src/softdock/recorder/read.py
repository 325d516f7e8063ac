"""A recording back from its file: rows by stream, events, attachments, what is said of it.

Only what softdock wrote is read, by its own description, and only as it was written (records.py);
files of others are refused, and so are files that were changed or cut (`softdock rig recover` takes
from them what is whole). Nothing in a file is run.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from softdock.errors import BadRecording, printable
from softdock.recorder.batches import decode_log, decode_samples
from softdock.recorder.mcap_file import (
    ABOUT,
    CHECK,
    END,
    EVENTS_TOPIC,
    FORMAT,
    STREAMS,
    description_hashes,
)
from softdock.recorder.records import MAGIC, check_bytes, records
from softdock.recorder.streams import About, Stream, about_from, streams_from
from softdock.recorder.topics import flat_message

ROWS = "/softdock/"  # topics of streams
MOST_BYTES = 64_000_000_000  # of the rows of a stream, once read
UNREADABLE = (
    *(AttributeError, LookupError, MemoryError, OSError, OverflowError),
    *(RecursionError, TypeError, ValueError),
)


@dataclass
class Contents:
    """What a file holds."""

    about: About
    streams: tuple[Stream, ...]
    rows: dict[str, np.ndarray]  # by stream: (n, channels), in the order of its channels
    numbers: dict[str, np.ndarray]  # by stream: number of each row
    events: list[dict[str, Any]]  # time_ns, level, text
    end: dict[str, str] = field(default_factory=dict)

    def stream(self, name: str) -> Stream | None:
        return next((stream for stream in self.streams if stream.name == name), None)


def changed_parts(tables: dict[str, dict[str, str]], attachments: dict[str, str]) -> list[str]:
    """What of a description is not what was written, or is missing."""
    written, found = tables.get(CHECK, {}), description_hashes(tables, attachments)
    return [name for name in {**written, **found} if written.get(name) != found.get(name)]


def described_by(tables: dict[str, dict[str, str]], attachments: dict[str, str]) -> tuple:
    """What a file says of itself, and its streams. Raises `ValueError` if it is none of ours."""
    if ABOUT not in tables or STREAMS not in tables:
        raise ValueError("no recording of softdock's: it does not say what its rows are")
    head = tables[ABOUT]
    version = int(head.get("format", "0"))
    if version > FORMAT:
        raise ValueError(f"written in version {version} of the format; this reads {FORMAT}")
    if version > 1:
        changed = changed_parts(tables, attachments)
        if changed:
            raise ValueError(f"not what was written: {', '.join(changed)}")
    own = (ABOUT, STREAMS, END, CHECK)
    about = about_from(
        {
            "name": head.get("name", ""),
            "utc_offset_ns": head.get("utc_offset_ns", "0"),
            "attachments": attachments,
            "tables": {name: table for name, table in tables.items() if name not in own},
            "event_texts": json.loads(head.get("event_texts", "[]")),
        }
    )
    return about, streams_from(tables[STREAMS].get("streams", ""))


def read_contents(path: str | Path) -> Contents:
    """Everything in a file. Raises `BadRecording` if it is cut, foreign, or of a newer version."""
    file = Path(path)
    if not file.is_file():
        raise BadRecording(f"{path}: no such file")
    try:
        with file.open("rb") as stream:
            if stream.read(len(MAGIC)) != MAGIC:
                raise BadRecording(f"{path}: no MCAP file")
            stream.seek(-len(MAGIC), 2)
            if stream.read() != MAGIC:
                raise BadRecording(
                    f"{path}: was cut; make it whole by: softdock rig recover {path}"
                )
            stream.seek(0)
            return _contents(stream)
    except BadRecording:
        raise
    except UNREADABLE as error:  # whatever a file may say that was made to mislead
        why = printable(str(error)) or type(error).__name__
        raise BadRecording(f"{path}: cannot be read: {why}") from None


def _contents(file: Any) -> Contents:
    from mcap.records import Attachment, Channel, Message, Metadata

    checked = check_bytes(file)
    tables: dict[str, dict[str, str]] = {}
    attachments: dict[str, str] = {}
    topics: dict[int, str] = {}
    found: dict[str, list[tuple[int, bytes]]] = {}
    events, size = [], 0
    for record in records(file):
        if isinstance(record, Metadata):
            tables[record.name] = dict(record.metadata)
        elif isinstance(record, Attachment):
            attachments[record.name] = record.data.decode("utf-8", errors="replace")
        elif isinstance(record, Channel):
            topics[record.id] = record.topic
        elif isinstance(record, Message):
            topic = topics[record.channel_id]
            if topic == EVENTS_TOPIC:
                level, text = decode_log(record.data)
                events.append({"time_ns": record.log_time, "level": level, "text": text})
            elif topic.startswith(ROWS):
                size += len(record.data)
                if size > MOST_BYTES:
                    raise ValueError("more than can be read")
                found.setdefault(topic, []).append((record.sequence, record.data))
    about, streams = described_by(tables, attachments)
    if not checked and int(tables[ABOUT]["format"]) > 1:
        raise ValueError("the checksum of its data is missing")
    rows, numbers = {}, {}
    for stream in streams:
        if stream.kind != "events":
            messages = found.get(ROWS + stream.name, [])
            rows[stream.name], numbers[stream.name] = _rows(stream, messages)
    end = tables.get(END, {})
    return Contents(
        about=about, streams=streams, rows=rows, numbers=numbers, events=events, end=end
    )


def _rows(stream: Stream, messages: list[tuple[int, bytes]]) -> tuple[np.ndarray, np.ndarray]:
    numbers = np.array([number for number, _ in messages], dtype=np.int64)
    if stream.kind == "rows":
        if not messages:
            return np.zeros((0, len(stream.channels))), numbers
        values = flat_message(stream).decode([data for _, data in messages])["values"]
        return np.array(values, dtype=float), numbers
    parts = [decode_samples(stream, data) for _, data in messages]
    counted = [first + np.arange(len(part)) for first, part in zip(numbers, parts, strict=True)]
    if not parts:
        return np.zeros((0, len(stream.channels))), numbers
    return np.concatenate(parts), np.concatenate(counted)
