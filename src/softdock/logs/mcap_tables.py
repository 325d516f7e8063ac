"""An MCAP file of any program as tables: one a topic, with `log_time` and `publish_time`
[ns], and where messages have a header `header.age` [s]."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from softdock.errors import BadInput, Problem, closest, printable
from softdock.files.bounded_mcap import mcap_records, most_bytes
from softdock.logs.ros2_messages import columns_of, json_columns
from softdock.logs.tables import Table

ENCODINGS = ("cdr with ros2msg", "json")
CLOCKS = ("log_time", "publish_time")
LARGEST_MESSAGE = 1 << 20  # bytes; a picture or a point cloud is passed over
LONGEST_DESCRIPTION = 1 << 20  # letters
OVERHEAD = 200  # bytes of memory for each message beside its own
STAMP, AGE = "header.stamp", "header.age"  # ns; s, from the stamp to the log's own time


@dataclass
class Topic:
    """What a channel says of its messages, and (log time, publish time, data) of each."""

    encoding: str
    described_in: str
    message: str
    text: str
    rows: list[tuple[int, int, bytes]] = field(default_factory=list)


def read_mcap(path: Path, topics: set[str]) -> dict[str, Table]:
    """Tables of some topics, or of all that can be read."""
    from mcap.exceptions import McapError

    try:
        with path.open("rb") as file:
            found = _messages(file, topics)
    except (McapError, OSError, ValueError) as error:
        allowed = f"an MCAP file that is whole ({printable(str(error), 200)})"
        raise BadInput(Problem("LOG", str(path), allowed, str(path))) from None
    return _tables(found, str(path), topics)


def _messages(file: BinaryIO, topics: set[str]) -> dict[str, Topic]:
    """Messages by topic, in the order of their log times."""
    from mcap.records import Channel, Message, Schema

    schemas: dict[int, Any] = {}
    channels: dict[int, Any] = {}
    found: dict[str, Topic] = {}
    left = most_bytes(os.fstat(file.fileno()).st_size)
    for record in mcap_records(file):
        if isinstance(record, Schema):
            schemas[record.id] = record
        elif isinstance(record, Channel):
            channels[record.id] = record
            found.setdefault(record.topic, Topic(*_described(record, schemas)))
        elif isinstance(record, Message):
            if record.channel_id not in channels:
                raise ValueError(f"a message of channel {record.channel_id}, which is not there")
            topic = channels[record.channel_id].topic
            if (topics and topic not in topics) or len(record.data) > LARGEST_MESSAGE:
                continue
            if max(record.log_time, record.publish_time) >= 2**63:
                raise ValueError(f"a message of {topic} with a time beyond 2^63 ns")
            left -= len(record.data) + OVERHEAD
            if left < 0:
                raise ValueError("more messages than are read of a file of this size")
            found[topic].rows.append((record.log_time, record.publish_time, record.data))
    for one in found.values():
        one.rows.sort(key=lambda row: row[0])
    return found


def _described(channel: Any, schemas: dict[int, Any]) -> tuple[str, str, str, str]:
    schema = schemas.get(channel.schema_id)
    if schema is None:
        return channel.message_encoding, "", "", ""
    text = schema.data[:LONGEST_DESCRIPTION].decode("utf-8", errors="replace")
    return channel.message_encoding, schema.encoding, schema.name, text


def _tables(found: dict[str, Topic], name: str, topics: set[str]) -> dict[str, Table]:
    full = {topic for topic, one in found.items() if one.rows}
    _refuse_absent(topics - full, full, name)
    tables = {}
    for topic in sorted(full):
        rows = found[topic].rows
        columns = _columns(topic, found[topic], bool(topics), name)
        if columns is None:
            continue
        for i, clock in enumerate(CLOCKS):
            columns[clock] = np.array([row[i] for row in rows], dtype=np.int64)
        if STAMP in columns:
            columns[AGE] = 1e-9 * (columns["log_time"] - columns[STAMP])
        tables[topic] = Table(f"{name} {topic}", columns)
    if not tables:
        kinds = ", ".join(sorted({one.encoding for one in found.values()})[:10]) or "no topics"
        allowed = "an MCAP file with messages in one of " + ", ".join(ENCODINGS)
        raise BadInput(Problem("LOG", kinds, allowed, name))
    return tables


def _refuse_absent(absent: set[str], known: set[str], name: str) -> None:
    problems = [
        Problem(
            "topic",
            topic,
            f"a topic of {name} that has messages: " + ", ".join(sorted(known)[:40]),
            suggestion=closest(topic, known),
        )
        for topic in sorted(absent)
    ]
    if problems:
        raise BadInput(problems)


def _columns(topic: str, one: Topic, asked: bool, name: str) -> dict[str, np.ndarray] | None:
    """None: of a kind that is not read, where nobody asked for this topic."""
    messages = [data for _, _, data in one.rows]
    try:
        if one.encoding == "cdr" and one.described_in == "ros2msg":
            return columns_of(one.message, one.text, messages)
        if one.encoding == "json":
            return json_columns(messages)
    except (ValueError, KeyError, IndexError, TypeError, OverflowError, RecursionError) as error:
        if not asked:
            return None
        allowed = f"messages that fit their description ({printable(str(error), 200)})"
        raise BadInput(Problem(f"{name} {topic}", one.message, allowed, name)) from None
    if asked:
        given = f"{one.encoding} with {one.described_in or 'no description'}"
        raise BadInput(Problem(f"{name} {topic}", given, "one of " + ", ".join(ENCODINGS), name))
    return None
