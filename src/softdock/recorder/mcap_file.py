"""A recording as an MCAP file: topics, schemas, attachments, metadata; whole chunks at every flush.

In: rows of streams with their numbers. A message's `sequence` is its row's number (the number of
its first sample), so that a reader knows what is missing; log_time is our clock in UTC,
publish_time when it was measured. `flush` ends the chunk: what it held survives a kill.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import IO, Any, cast

import numpy as np

from softdock._version import __version__
from softdock.recorder import batches, schemas
from softdock.recorder.sink import Sink
from softdock.recorder.streams import About, Stream, described, stamps_of
from softdock.recorder.topics import Topic, topics_of

# names of metadata records
ABOUT, STREAMS, END = "softdock", "softdock.streams", "softdock.end"
CHECK = "softdock.hashes"  # of the other records and attachments: a cut file has no checksum
FORMAT = 2  # 1, of softdock 0.1: without CHECK and without a checksum of the data
EVENTS_TOPIC = "/events"
SEQUENCE = 0xFFFFFFFF  # largest number of a message in MCAP


def topic_of(stream: Stream) -> str:
    """The topic that has a stream's rows, numbered."""
    return EVENTS_TOPIC if stream.kind == "events" else f"/softdock/{stream.name}"


def description_hashes(
    tables: Mapping[str, Mapping[str, str]], attachments: Mapping[str, str]
) -> dict[str, str]:
    """A hash of everything that a file says of itself before its first row, by its name."""
    said: dict[str, Any] = {
        f"table {name}": dict(table) for name, table in tables.items() if name not in (CHECK, END)
    }
    said |= {f"attachment {name}": text for name, text in attachments.items()}
    texts = {name: json.dumps(one, sort_keys=True) for name, one in said.items()}
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
                self._topics[stream.name] = topics_of(stream, about.absent)
                for topic in self._topics[stream.name]:
                    self.channel(topic.name, topic.schema_name, topic.schema_text)
            elif stream.kind == "samples":
                name = schemas.ros_name(batches.samples_name(stream))
                self.channel(topic_of(stream), name, batches.samples_schema(stream))
        self.channel(EVENTS_TOPIC, schemas.ros_name(batches.LOG), schemas.schema(batches.LOG))
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
        tables = {ABOUT: head, STREAMS: {"streams": described(self.streams)}}
        tables |= {name: dict(table) for name, table in about.tables.items()}
        tables[CHECK] = description_hashes(tables, about.attachments)
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
        time_ns = np.maximum(stamps_of(stream, rows, self.about), 0)
        if stream.kind == "events":
            self._add_events(stream, rows, numbers, time_ns)
        elif stream.kind == "samples":
            self._add_samples(stream, rows, numbers, time_ns)
        else:
            self._add_rows(stream, rows, numbers, time_ns)

    def _add_rows(
        self, stream: Stream, rows: np.ndarray, numbers: np.ndarray, time_ns: np.ndarray
    ) -> None:
        made = [
            (self._channels[topic.name], *topic.encode(rows, time_ns))
            for topic in self._topics[stream.name]
        ]
        add = self.writer.add_message
        for i, (number, when) in enumerate(zip(numbers.tolist(), time_ns.tolist(), strict=True)):
            for channel, messages, measured in made:
                add(channel, when, messages[i], int(measured[i]), number & SEQUENCE)

    def _add_samples(
        self, stream: Stream, rows: np.ndarray, numbers: np.ndarray, time_ns: np.ndarray
    ) -> None:
        """Samples without a gap in their numbers, and not too many, share a message."""
        gaps = np.flatnonzero(np.diff(numbers) != 1) + 1
        for part in np.split(np.arange(len(rows)), gaps):
            for first in range(0, len(part), batches.SAMPLES_MOST):
                at = part[first : first + batches.SAMPLES_MOST]
                when = int(time_ns[at[-1]])
                data = batches.encode_samples(stream, rows[at], when)
                channel = self._channels[topic_of(stream)]
                number = int(numbers[at[0]]) & SEQUENCE
                self.writer.add_message(channel, when, data, int(time_ns[at[0]]), number)

    def _add_events(
        self, stream: Stream, rows: np.ndarray, numbers: np.ndarray, time_ns: np.ndarray
    ) -> None:
        levels = rows[:, stream.index("level") or 0].tolist()
        for number, when, level, row in zip(
            numbers.tolist(), time_ns.tolist(), levels, rows, strict=True
        ):
            self.say(when, int(level), batches.event_text(self.about, row), number & SEQUENCE)

    def say(self, time_ns: int, level: int, text: str, number: int = 0) -> None:
        """A text among the events."""
        data = batches.encode_log(time_ns, level, text)
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
