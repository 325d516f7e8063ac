"""An MCAP file of any program as tables: one a topic, with `log_time` and `publish_time`
[ns], and where messages have a header `header.age` [s]."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from softdock.errors import BadInput, Problem, closest, printable
from softdock.logs.ros2_messages import columns_of, json_columns
from softdock.logs.tables import MOST_BYTES, Table

ENCODINGS = ("cdr with ros2msg", "json")
CLOCKS = ("log_time", "publish_time")
STAMP, AGE = "header.stamp", "header.age"  # ns; s, from the stamp to the log's own time


def read_mcap(path: Path, topics: set[str]) -> dict[str, Table]:
    """Tables of some topics, or of all that can be read."""
    from mcap.exceptions import McapError

    try:
        with path.open("rb") as file:
            return _read(file, str(path), topics)
    except BadInput:
        raise
    except (McapError, OSError, ValueError, KeyError, OverflowError, EOFError) as error:
        allowed = f"an MCAP file that is whole ({printable(str(error), 200)})"
        raise BadInput(Problem("LOG", str(path), allowed)) from None


def _read(file: Any, name: str, topics: set[str]) -> dict[str, Table]:
    from mcap.reader import make_reader

    reader = make_reader(file, validate_crcs=True)
    kinds: dict[str, tuple[str, str, str, str]] = {}
    found: dict[str, list[tuple[int, int, bytes]]] = {}
    size = 0
    wanted = list(topics) or None
    for schema, channel, message in reader.iter_messages(topics=wanted, log_time_order=True):
        size += len(message.data)
        if size > MOST_BYTES:
            raise ValueError("more than can be read")
        if channel.topic not in kinds:
            described = ("", "", "") if schema is None else _described(schema)
            kinds[channel.topic] = (channel.message_encoding, *described)
        found.setdefault(channel.topic, []).append(
            (message.log_time, message.publish_time, message.data)
        )
    known = {channel.topic for channel in _channels(reader)} | set(found)
    _refuse_absent(topics - set(found), known, name)
    tables = {}
    for topic, rows in found.items():
        columns = _columns(topic, kinds[topic], [data for _, _, data in rows], bool(topics), name)
        if columns is None:
            continue
        for i, clock in enumerate(CLOCKS):
            columns[clock] = np.array([row[i] for row in rows], dtype=np.int64)
        if STAMP in columns:
            columns[AGE] = 1e-9 * (columns["log_time"] - columns[STAMP])
        tables[topic] = Table(f"{name} {topic}", columns)
    return tables


def _described(schema: Any) -> tuple[str, str, str]:
    return schema.encoding, schema.name, schema.data.decode("utf-8", errors="replace")


def _channels(reader: Any) -> list[Any]:
    summary = reader.get_summary()
    return list(summary.channels.values()) if summary is not None else []


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


def _columns(
    topic: str, kind: tuple[str, str, str, str], messages: list[bytes], asked: bool, name: str
) -> dict[str, np.ndarray] | None:
    """None: of a kind that is not read, where nobody asked for this topic."""
    encoding, described_in, message, text = kind
    try:
        if encoding == "cdr" and described_in == "ros2msg":
            return columns_of(message, text, messages)
        if encoding == "json":
            return json_columns(messages)
    except (ValueError, KeyError, IndexError) as error:
        if not asked:
            return None
        allowed = f"messages that fit their description ({printable(str(error), 200)})"
        raise BadInput(Problem(f"{name} {topic}", message, allowed)) from None
    if asked:
        given = f"{encoding} with {described_in or 'no description'}"
        raise BadInput(Problem(f"{name} {topic}", given, "one of " + ", ".join(ENCODINGS)))
    return None
