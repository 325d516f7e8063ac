"""A recording back from its file: rows by stream, events, attachments, what is said of it.

Only what softdock wrote is read, by its own description; files of others are refused, and so are
files that were cut (`softdock rig recover` makes them whole). Nothing in a file is run.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from softdock.errors import BadRecording, printable
from softdock.recorder.batches import decode_log, decode_samples
from softdock.recorder.mcap_file import ABOUT, END, EVENTS_TOPIC, FORMAT, STREAMS
from softdock.recorder.streams import About, Stream, about_from, streams_from
from softdock.recorder.topics import flat_message

MAGIC = b"\x89MCAP0\r\n"
MOST_BYTES = 64_000_000_000  # of the rows of a stream, once read


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


def described_by(tables: dict[str, dict[str, str]], attachments: dict[str, str]) -> tuple:
    """What a file says of itself, and its streams. Raises `ValueError` if it is none of ours."""
    if ABOUT not in tables or STREAMS not in tables:
        raise ValueError("no recording of softdock's: it does not say what its rows are")
    head = tables[ABOUT]
    if int(head.get("format", "0")) > FORMAT:
        raise ValueError(f"written in version {head['format']} of the format; this reads {FORMAT}")
    own = (ABOUT, STREAMS, END)
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
    from mcap.exceptions import McapError

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
    except (McapError, OSError, ValueError, KeyError, OverflowError) as error:
        raise BadRecording(f"{path}: cannot be read: {printable(str(error))}") from None
    except Exception as error:  # of zstandard and lz4, which have their own
        if type(error).__module__.partition(".")[0] not in ("zstandard", "lz4", "mcap", "struct"):
            raise
        raise BadRecording(f"{path}: cannot be read: {printable(str(error))}") from None


def _contents(file: Any) -> Contents:
    from mcap.reader import make_reader

    reader = make_reader(file, validate_crcs=True)
    tables = {one.name: dict(one.metadata) for one in reader.iter_metadata()}
    attachments = {
        one.name: one.data.decode("utf-8", errors="replace") for one in reader.iter_attachments()
    }
    about, streams = described_by(tables, attachments)
    names = {f"/softdock/{stream.name}": stream for stream in streams if stream.kind != "events"}
    found: dict[str, list[tuple[int, bytes]]] = {stream.name: [] for stream in streams}
    events, size = [], 0
    for _, channel, message in reader.iter_messages(
        topics=[*names, EVENTS_TOPIC], log_time_order=False
    ):
        size += len(message.data)
        if size > MOST_BYTES:
            raise ValueError("more than can be read")
        if channel.topic == EVENTS_TOPIC:
            level, text = decode_log(message.data)
            events.append({"time_ns": message.log_time, "level": level, "text": text})
        else:
            found[names[channel.topic].name].append((message.sequence, message.data))
    rows, numbers = {}, {}
    for stream in streams:
        if stream.kind != "events":
            rows[stream.name], numbers[stream.name] = _rows(stream, found[stream.name])
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
