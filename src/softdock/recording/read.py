"""A recording back from its file: rows by stream, events, attachments; its records, checked; and
the same contents written to a file.

Only what softdock wrote is read, by its own description, and only as it was written;
files of others are refused, and so are files that were changed or cut (`softdock rig recover` takes
from them what is whole). Nothing in a file is run.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from softdock.errors import BadRecording, printable
from softdock.files.atomic import replacement_file
from softdock.recording.mcap_file import (
    ABOUT,
    CHECK,
    END,
    EVENTS_TOPIC,
    FORMAT,
    STREAMS,
    McapFile,
    Sink,
    decode_log,
    decode_samples,
    hash_description,
)
from softdock.recording.messages import make_flat_message
from softdock.recording.streams import About, Stream, parse_about, parse_streams

# Records of an MCAP file that softdock wrote, checked before they are used.
#
# `check_bytes` compares the whole file with its checksums: every byte of a file of this version is
# under one of two (the data's and the summary's). A file of version 0.1 has none for its data: its
# chunks and attachments have their own, the text of its metadata has none. `read_records` reads in
# order, up to the end of the data, and takes no more memory than its bounds say, whatever a chunk
# claims.

MAGIC = b"\x89MCAP0\r\n"
LARGEST_RECORD = 256_000_000  # bytes; a longer one is a length that was cut or changed
LARGEST_CHUNK = 64_000_000  # bytes, decompressed; softdock ends a chunk at 1 MB
MOST_EXPANDED = 1000  # times the size of the file, beyond one chunk: all chunks, decompressed
LARGEST_WINDOW = 1 << 27  # bytes that zstd may look back
AT_ONCE = 1 << 20  # bytes
DATA_END, FOOTER = struct.Struct("<BQI"), struct.Struct("<BQQQI")
DATA_END_CODE, FOOTER_CODE = 0x0F, 0x02


class _Rest:
    """A stream of which never more is asked for than it has."""

    def __init__(self, stream: BinaryIO, size: int) -> None:
        self.stream, self.left = stream, size

    def read(self, length: int) -> bytes:
        data = self.stream.read(max(0, min(length, self.left)))
        self.left -= len(data)
        return data


def _crc(stream: BinaryIO, start: int, end: int) -> int:
    stream.seek(start)
    found = 0
    while start < end and (piece := stream.read(min(AT_ONCE, end - start))):
        found, start = zlib.crc32(piece, found), start + len(piece)
    return found


def check_bytes(stream: BinaryIO) -> bool:
    """Whether the file has a checksum of its data; raises `ValueError` where a checksum, of the
    data, the summary or an attachment, is not that of the bytes."""
    changed = "its bytes are not those that were written: the checksum of its {} differs"
    end = stream.seek(0, 2) - len(MAGIC) - FOOTER.size
    if end < len(MAGIC) + DATA_END.size:
        raise ValueError("too short to be whole")
    stream.seek(end)
    code, _, summary, _, summary_crc = FOOTER.unpack(stream.read(FOOTER.size))
    if code != FOOTER_CODE or not len(MAGIC) + DATA_END.size <= summary <= end:
        raise ValueError(changed.format("summary"))
    if _crc(stream, summary, end + FOOTER.size - 4) != summary_crc:
        raise ValueError(changed.format("summary"))
    data_end = summary - DATA_END.size
    stream.seek(data_end)
    code, length, data_crc = DATA_END.unpack(stream.read(DATA_END.size))
    if code != DATA_END_CODE or length != 4:
        raise ValueError(changed.format("data"))
    if data_crc and _crc(stream, 0, data_end) != data_crc:
        raise ValueError(changed.format("data"))
    if not data_crc:
        _check_attachments(stream, summary, end)
    return data_crc != 0


def _check_attachments(stream: BinaryIO, summary: int, end: int) -> None:
    """Each attachment that the summary names, against its own checksum."""
    from mcap.records import AttachmentIndex
    from mcap.stream_reader import StreamReader

    stream.seek(summary)
    rest: Any = _Rest(stream, end + FOOTER.size - summary)
    found = []
    for record in StreamReader(rest, skip_magic=True).records:
        if isinstance(record, AttachmentIndex):
            found.append(record)
        if rest.left <= FOOTER.size:
            break
    for one in found:
        stream.seek(one.offset + one.length - 4)
        (crc,) = struct.unpack("<I", stream.read(4))
        if _crc(stream, one.offset + 9, one.offset + one.length - 4) != crc:
            raise ValueError(f"the attachment '{one.name}' is not what was written")


def read_records(stream: BinaryIO) -> Iterator[Any]:
    """Records in order, those of the chunks too, up to the end of the data. Raises `ValueError`
    where they are none."""
    import zstandard
    from mcap.exceptions import McapError

    try:
        yield from _read_records(stream)
    except (McapError, struct.error, zstandard.ZstdError) as error:
        raise ValueError(f"{type(error).__name__} {error}".strip()) from None


def _read_records(stream: BinaryIO) -> Iterator[Any]:
    from mcap.records import Chunk, DataEnd
    from mcap.stream_reader import StreamReader

    size = stream.seek(0, 2)
    stream.seek(0)
    left = LARGEST_CHUNK + MOST_EXPANDED * size
    rest: Any = _Rest(stream, size)
    reader = StreamReader(rest, emit_chunks=True, record_size_limit=LARGEST_RECORD)
    for record in reader.records:
        if isinstance(record, DataEnd):
            return
        if not isinstance(record, Chunk):
            yield record
            continue
        left -= record.uncompressed_size
        if left < 0:
            raise ValueError(f"its chunks hold more than {MOST_EXPANDED} times its size")
        yield from _read_chunk(record)


def _read_chunk(chunk: Any) -> list[Any]:
    """The records of a chunk that is what it says it is."""
    import zstandard
    from mcap.stream_reader import breakup_chunk

    size = chunk.uncompressed_size
    if size > LARGEST_CHUNK:
        raise ValueError(f"a chunk of {size} bytes, more than {LARGEST_CHUNK}")
    if chunk.compression not in ("", "zstd"):
        raise ValueError(f"a chunk compressed by '{chunk.compression}', which softdock never does")
    data = chunk.data
    if chunk.compression:
        unpacker = zstandard.ZstdDecompressor(max_window_size=LARGEST_WINDOW)
        with unpacker.stream_reader(BytesIO(data)) as unpacked:
            data = unpacked.read(size + 1)
    if len(data) != size or (chunk.uncompressed_crc and zlib.crc32(data) != chunk.uncompressed_crc):
        raise ValueError("a chunk is not what was written: its size or its checksum differs")
    return breakup_chunk(replace(chunk, compression="", data=data, uncompressed_crc=0))


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


def find_changed_parts(tables: dict[str, dict[str, str]], attachments: dict[str, str]) -> list[str]:
    """What of a description is not what was written, or is missing."""
    written, found = tables.get(CHECK, {}), hash_description(tables, attachments)
    return [name for name in {**written, **found} if written.get(name) != found.get(name)]


def read_description(tables: dict[str, dict[str, str]], attachments: dict[str, str]) -> tuple:
    """What a file says of itself, and its streams. Raises `ValueError` if it is none of ours."""
    if ABOUT not in tables or STREAMS not in tables:
        raise ValueError("no recording of softdock's: it does not say what its rows are")
    head = tables[ABOUT]
    version = int(head.get("format", "0"))
    if version != FORMAT:
        raise ValueError(f"written in version {version} of the format; this reads {FORMAT}")
    changed = find_changed_parts(tables, attachments)
    if changed:
        raise ValueError(f"not what was written: {', '.join(changed)}")
    own = (ABOUT, STREAMS, END, CHECK)
    about = parse_about(
        {
            "name": head.get("name", ""),
            "utc_offset_ns": head.get("utc_offset_ns", "0"),
            "attachments": attachments,
            "tables": {name: table for name, table in tables.items() if name not in own},
            "event_texts": json.loads(head.get("event_texts", "[]")),
        }
    )
    return about, parse_streams(tables[STREAMS].get("streams", ""))


def read_contents(path: str | Path) -> Contents:
    """Everything in a file. Raises `BadRecording` if it is cut, foreign, or of another version."""
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

    has_checksum = check_bytes(file)
    tables: dict[str, dict[str, str]] = {}
    attachments: dict[str, str] = {}
    topics: dict[int, str] = {}
    found: dict[str, list[tuple[int, bytes]]] = {}
    events, size = [], 0
    for record in read_records(file):
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
    about, streams = read_description(tables, attachments)
    if not has_checksum:
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
        values = make_flat_message(stream).decode([data for _, data in messages])["values"]
        return np.array(values, dtype=float), numbers
    parts = [decode_samples(stream, data) for _, data in messages]
    counted = [first + np.arange(len(part)) for first, part in zip(numbers, parts, strict=True)]
    if not parts:
        return np.zeros((0, len(stream.channels))), numbers
    return np.concatenate(parts), np.concatenate(counted)


# Contents of a recording written to a file that a reader gives back the same.

ROWS_AT_ONCE = 2000  # between two chunks


def write_contents(contents: Contents, path: str | Path) -> Path:
    """Write contents as an MCAP file, whole or not at all."""
    target = Path(path)
    with replacement_file(target) as part:
        sink = Sink(part)
        _fill(sink, contents)
        if sink.error is not None:
            raise sink.error
    return target


def _fill(sink: Sink, contents: Contents) -> None:
    file = McapFile(sink, contents.about, contents.streams)
    for stream in contents.streams:
        rows = np.ascontiguousarray(contents.rows[stream.name])
        for first in range(0, len(rows), ROWS_AT_ONCE):
            numbers = contents.numbers[stream.name][first : first + ROWS_AT_ONCE]
            file.add(stream, rows[first : first + ROWS_AT_ONCE], numbers)
            file.flush()
    for event in contents.events:
        file.say(event["time_ns"], event["level"], event["text"])
    file.finish(contents.end)
