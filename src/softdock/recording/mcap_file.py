"""A recording as an MCAP file: topics, schemas, attachments, metadata; whole chunks at every flush,
also to a disc that may be full.

In: rows of streams with their numbers. A message's `sequence` is its row's number (the number of
its first sample), so that a reader knows what is missing; log_time is our clock in UTC,
publish_time when it was measured. `flush` ends the chunk: what it held survives a kill.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, cast

import numpy as np

from softdock._version import __version__
from softdock.recording import messages
from softdock.recording.event_text import NOBODY, fill_text
from softdock.recording.messages import (
    Length,
    Message,
    Numbers,
    Text,
    Topic,
    header_parts,
    make_topics,
    split_stamps,
    stamp_parts,
)
from softdock.recording.ring_layout import EVENT
from softdock.recording.streams import About, Stream, compute_stamps, write_streams

# Where the bytes of a file go when the disc may be full: nothing is lost and nothing waits.
#
# Bytes are kept in memory until the system has taken them. A disc that takes none is said (`error`)
# and tried again at every flush; what it took in part goes on where it stopped. So a file whose
# disc was full for a while is whole, and one whose disc stayed full is cut at a byte, as by a kill.

MOST_PENDING = 64_000_000  # bytes; beyond, whoever writes should drop what comes


class Sink:
    """A file to write to: `write`, `flush`, `tell`, `close`."""

    def __init__(self, path: str | Path, exclusive: bool = True) -> None:
        # O_BINARY: Windows would turn line ends into two bytes
        flags = os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0)
        flags |= os.O_EXCL if exclusive else 0
        self.handle = os.open(path, flags, 0o666)
        self.pending = bytearray()
        self.taken = 0  # bytes that the system has
        self.error: OSError | None = None  # why it takes no more; None: all is well

    def write(self, data: bytes) -> int:
        self.pending += data
        return len(data)

    def tell(self) -> int:
        return self.taken + len(self.pending)

    def flush(self) -> None:
        """Hand over what is there; a refusal is kept, not raised."""
        try:
            while self.pending:
                done = os.write(self.handle, self.pending)
                self.taken += done
                del self.pending[:done]
        except OSError as error:
            self.error = error
            return
        self.error = None

    @property
    def is_over(self) -> bool:
        """Whether more is pending than may be kept."""
        return len(self.pending) > MOST_PENDING

    def close(self) -> None:
        """To the disc, as far as it goes."""
        self.flush()
        try:
            os.fsync(self.handle)
        except OSError as error:
            if self.pending:
                self.error = error  # a device that cannot be synchronised is none otherwise
        os.close(self.handle)


# Streams that are no rows of their own: force samples, many in a message; events, texts.
#
# `/softdock/samples`: softdock_msgs/Samples, every channel a sequence; a message holds the samples
# of one look at the ring, at most SAMPLES_MOST. `/events`: rcl_interfaces/Log, which Foxglove's
# panel of logs shows.

SAMPLES_MOST = 64  # in one message: about 9 ms at 7 kHz
LEVELS = (10, 20, 30, 40, 50)
LOG = "rcl_interfaces/Log"


def name_samples(stream: Stream) -> str:
    return f"softdock_msgs/{stream.name.title().replace('_', '')}"


def name_samples_schema(stream: Stream) -> str:
    return messages.write_schema(
        name_samples(stream), messages.write_flat_text(stream.channels, sequence=True)
    )


def make_samples_message(stream: Stream, count: int) -> Message:
    """A message of `count` samples."""
    parts: list = [*header_parts("")]
    for i in range(len(stream.channels)):
        parts += [Length(count), Numbers(str(i), items=count)]
    return Message(*parts)


def encode_samples(stream: Stream, rows: np.ndarray, time_ns: int) -> bytes:
    """One message of all these rows."""
    columns = split_stamps(np.array([time_ns]))
    for i, place in enumerate(stream.places):
        columns[str(i)] = rows[:, place]
    return make_samples_message(stream, len(rows)).encode(1, columns)[0]


def decode_samples(stream: Stream, message: bytes) -> np.ndarray:
    """The samples of a message (n, channels). Raises `ValueError` if it is none."""
    count = _count_samples(message)
    found = make_samples_message(stream, count).decode([message])
    return np.stack([found[str(i)][0] for i in range(len(stream.channels))], axis=1)


def _count_samples(message: bytes) -> int:
    """Samples of a message: its first length, behind stamp and empty frame."""
    at = len(Message(*header_parts("")).encode(1, {})[0])
    at += -(at - 4) % 4
    count = int.from_bytes(message[at : at + 4], "little")
    if not 0 < count <= len(message) // 8:
        raise ValueError(f"a message that says it has {count} samples")
    return count


def format_event(about: About, row: np.ndarray) -> str:
    """The text of an event's row, with its numbers put in."""
    code, a, b = (float(row[i]) for i in (EVENT.at.code, EVENT.at.a, EVENT.at.b))
    if not 0 <= code < len(about.event_texts):
        return f"event {code:g}: {a:g}, {b:g}"
    who = float(row[EVENT.at.who]) if len(row) > EVENT.at.who else NOBODY
    return fill_text(about.event_texts[int(code)], a, b, who)


def encode_log(time_ns: int, level: int, text: str, name: str = "softdock") -> bytes:
    """An rcl_interfaces/Log."""
    level = max(one for one in LEVELS if one <= max(level, LEVELS[0]))
    message = Message(
        *stamp_parts(),
        Numbers("level", "<u1"),
        Text(name),
        Text(text),
        Text(""),
        Text(""),
        Numbers("line", "<u4"),
    )
    return message.encode(1, split_stamps(np.array([time_ns])) | {"level": np.array([level])})[0]


def decode_log(message: bytes) -> tuple[int, str]:
    """Level and text of a log message. Raises `ValueError` if it is none."""
    try:
        level, at = message[12], 16
        length = int.from_bytes(message[at : at + 4], "little")
        at += 4 + length
        at += -(at - 4) % 4
        length = int.from_bytes(message[at : at + 4], "little")
        return level, message[at + 4 : at + 3 + length].decode()
    except (IndexError, UnicodeDecodeError) as error:
        raise ValueError(f"no log message: {error}") from None


# names of metadata records
ABOUT, STREAMS, END = "softdock", "softdock.streams", "softdock.end"
CHECK = "softdock.hashes"  # of the other records and attachments: a cut file has no checksum
FORMAT = 2  # 1, of softdock 0.1: without CHECK and without a checksum of the data
EVENTS_TOPIC, DESCRIPTION_TOPIC = "/events", "/robot_description"
STRING = "std_msgs/String"
SEQUENCE = 0xFFFFFFFF  # largest number of a message in MCAP


def name_topic(stream: Stream) -> str:
    """The topic that has a stream's rows, numbered."""
    return EVENTS_TOPIC if stream.kind == "events" else f"/softdock/{stream.name}"


def hash_description(
    tables: Mapping[str, Mapping[str, str]], attachments: Mapping[str, str]
) -> dict[str, str]:
    """A hash of everything that a file says of itself before its first row, by its name."""
    parts: dict[str, Any] = {
        f"table {name}": dict(table) for name, table in tables.items() if name not in (CHECK, END)
    }
    parts |= {f"attachment {name}": text for name, text in attachments.items()}
    texts = {name: json.dumps(one, sort_keys=True) for name, one in parts.items()}
    return {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}


class McapFile:
    """A file that is being written."""

    def __init__(
        self, sink: Sink, about: About, streams: Sequence[Stream], writer: Any = None
    ) -> None:
        """`writer`: what takes the messages, by default one of MCAP that writes to `sink`."""
        from mcap.writer import Writer

        self.sink, self.about, self.streams = sink, about, tuple(streams)
        self.writer = (
            Writer(cast(IO[Any], sink), enable_data_crcs=True) if writer is None else writer
        )
        self.writer.start("ros2", f"softdock {__version__}")
        self._schemas: dict[str, int] = {}
        self._channels: dict[str, int] = {}
        self._describe()
        self._topics: dict[str, list[Topic]] = {}
        for stream in self.streams:
            if stream.kind == "rows":
                self._topics[stream.name] = make_topics(stream, about.absent)
                for topic in self._topics[stream.name]:
                    self.channel(topic.name, topic.schema_name, topic.schema_text)
            elif stream.kind == "samples":
                name = messages.convert_to_ros_name(name_samples(stream))
                self.channel(name_topic(stream), name, name_samples_schema(stream))
        self.channel(EVENTS_TOPIC, messages.convert_to_ros_name(LOG), messages.write_schema(LOG))
        self._is_described = not about.urdf  # the arms are written with the first rows
        if about.urdf:
            name = messages.convert_to_ros_name(STRING)
            self.channel(DESCRIPTION_TOPIC, name, messages.write_schema(STRING))
        self.flush()

    def _describe(self) -> None:
        about = self.about
        head = {
            "format": str(FORMAT),
            "name": about.name,
            "softdock": __version__,
            "utc_offset_ns": str(about.utc_offset_ns),
            "event_texts": json.dumps(list(about.event_texts)),
        }
        tables = {ABOUT: head, STREAMS: {"streams": write_streams(self.streams)}}
        tables |= {name: dict(table) for name, table in about.tables.items()}
        tables[CHECK] = hash_description(tables, about.attachments)
        for name, table in tables.items():
            self.writer.add_metadata(name, table)
        for name, text in about.attachments.items():
            kind = "application/toml" if name.endswith(".toml") else "text/plain"
            kind = "application/json" if name.endswith(".json") else kind
            self.writer.add_attachment(0, 0, name, kind, text.encode())

    def channel(self, topic: str, schema_name: str, text: str) -> int:
        """The number of a topic, registered when first asked for."""
        if topic not in self._channels:
            if schema_name not in self._schemas:
                made = self.writer.register_schema(schema_name, "ros2msg", text.encode())
                self._schemas[schema_name] = made
            self._channels[topic] = self.writer.register_channel(
                topic, "cdr", self._schemas[schema_name]
            )
        return self._channels[topic]

    def add(self, stream: Stream, rows: np.ndarray, numbers: np.ndarray) -> None:
        """Rows (n, width) with their numbers."""
        if not len(rows):
            return
        time_ns = np.maximum(compute_stamps(stream, rows, self.about), 0)
        if not self._is_described:
            self._describe_robot(int(time_ns[0]))
        if stream.kind == "events":
            self._add_events(stream, rows, numbers, time_ns)
        elif stream.kind == "samples":
            self._add_samples(stream, rows, numbers, time_ns)
        else:
            self._add_rows(stream, rows, numbers, time_ns)

    def _describe_robot(self, time_ns: int) -> None:
        """The arms, once, as a `std_msgs/String`."""
        self._is_described = True
        data = Message(Text(self.about.urdf)).encode(1, {})[0]
        self.writer.add_message(self._channels[DESCRIPTION_TOPIC], time_ns, data, time_ns, 0)

    def _add_rows(
        self, stream: Stream, rows: np.ndarray, numbers: np.ndarray, time_ns: np.ndarray
    ) -> None:
        made = [
            (self._channels[topic.name], *topic.encode(rows, time_ns))
            for topic in self._topics[stream.name]
        ]
        add = self.writer.add_message
        for i, (number, when) in enumerate(zip(numbers.tolist(), time_ns.tolist(), strict=True)):
            for channel, encoded, measured in made:
                add(channel, when, encoded[i], int(measured[i]), number & SEQUENCE)

    def _add_samples(
        self, stream: Stream, rows: np.ndarray, numbers: np.ndarray, time_ns: np.ndarray
    ) -> None:
        """Samples without a gap in their numbers, and not too many, share a message."""
        gaps = np.flatnonzero(np.diff(numbers) != 1) + 1
        for part in np.split(np.arange(len(rows)), gaps):
            for first in range(0, len(part), SAMPLES_MOST):
                at = part[first : first + SAMPLES_MOST]
                when = int(time_ns[at[-1]])
                data = encode_samples(stream, rows[at], when)
                channel = self._channels[name_topic(stream)]
                number = int(numbers[at[0]]) & SEQUENCE
                self.writer.add_message(channel, when, data, int(time_ns[at[0]]), number)

    def _add_events(
        self, stream: Stream, rows: np.ndarray, numbers: np.ndarray, time_ns: np.ndarray
    ) -> None:
        levels = rows[:, stream.index("level") or 0].tolist()
        for number, when, level, row in zip(
            numbers.tolist(), time_ns.tolist(), levels, rows, strict=True
        ):
            self.say(when, int(level), format_event(self.about, row), number & SEQUENCE)

    def say(self, time_ns: int, level: int, text: str, number: int = 0) -> None:
        """A text among the events."""
        data = encode_log(time_ns, level, text)
        self.writer.add_message(self._channels[EVENTS_TOPIC], time_ns, data, time_ns, number)

    def copy(self, channel: int, message: Any) -> None:
        """A message of another file as it is."""
        self.writer.add_message(
            channel, message.log_time, message.data, message.publish_time, message.sequence
        )

    def flush(self) -> None:
        """End the chunk, and hand it to the system."""
        self.writer.flush()

    def finish(self, end: Mapping[str, str]) -> None:
        """Say how it ended, write the summary, close."""
        self.writer.add_metadata(END, dict(end))
        self.writer.finish()
        self.sink.close()
