"""An MCAP file of any program as tables: one a topic, with `log_time` and `publish_time`
[ns], and where messages have a header `header.age` [s]."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from softdock.errors import BadInput, Problem, closest, printable
from softdock.files.bounded_mcap import mcap_records, most_bytes
from softdock.recording.logs.tables import Table

# Messages of other programs in MCAP files: ROS 2 (CDR, described by `ros2msg` texts) and JSON.
#
# In: the text of a message's description and its bytes. Out: every number by its path, for example
# `wrench.force.x`, `position.0` of a sequence; a time (sec, nanosec) is one whole number [ns] by
# its own path, `header.stamp`. Texts are passed over. Little and big endian (OMG DDSI-RTPS, 10.2).

KINDS = {  # numpy's names, and alignment is the size
    "bool": "u1",
    "byte": "u1",
    "char": "u1",
    "uint8": "u1",
    "int8": "i1",
    "uint16": "u2",
    "int16": "i2",
    "uint32": "u4",
    "int32": "i4",
    "uint64": "u8",
    "int64": "i8",
    "float32": "f4",
    "float64": "f8",
}
TIMES = ("builtin_interfaces/Time", "builtin_interfaces/Duration", "time", "duration")
MOST_ITEMS = 64  # of a sequence that become columns
MOST_STEPS = 100_000  # fields of one message
MOST_SHAPES = 100  # of the messages of one topic
MOST_COLUMNS = 2000
DEEPEST = 20
_FIELD = re.compile(r"^([\w/]+)(?:<=\d+)?(\[(?:<=)?\d*\])?\s+(\w+)\s*(=?)")


@dataclass(frozen=True)
class Field:
    kind: str
    name: str
    items: str = ""  # "": one; "[]", "[<=5]": a sequence; "[3]": so many


@dataclass
class Layout:
    """Where the numbers of one message stand, and the lengths that this rests on."""

    places: dict[str, tuple[int, str]] = field(default_factory=dict)
    lengths: list[int] = field(default_factory=list)  # offsets of uint32 that must be the same


def parse_messages(name: str, text: str) -> dict[str, list[Field]]:
    """Fields of a message and of those it is made of, by name (`package/Name`)."""
    messages: dict[str, list[Field]] = {}
    parts = re.split(r"^=+\nMSG: *(\S+)\n", text.replace("\r\n", "\n"), flags=re.M)
    names = [_shorten_name(name), *(_shorten_name(one) for one in parts[1::2])]
    for own, body in zip(names, [parts[0], *parts[2::2]], strict=True):
        fields = []
        for line in body.splitlines():
            match = _FIELD.match(line.split("#")[0].strip())
            if match and not match[4]:
                fields.append(Field(match[1], match[3], match[2] or ""))
        messages[own] = fields
    return messages


def _shorten_name(name: str) -> str:
    return name.replace("/msg/", "/")


class LayoutFinder:
    """Finds the numbers of one message."""

    def __init__(self, known: dict[str, list[Field]], data: bytes) -> None:
        self.known, self.data, self.at = known, data, 4
        self.order = "<" if len(data) > 1 and data[1] & 1 else ">"
        self.layout = Layout()
        self.steps = MOST_STEPS

    def message(self, name: str, path: str, deep: int = 0) -> None:
        if deep > DEEPEST:
            raise ValueError("messages nested too deep")
        package = name.partition("/")[0]
        for one in self.known[name]:
            self.steps -= 1
            if self.steps < 0 or self.at > len(self.data):
                raise ValueError("a message ends before its fields do, or has too many")
            inner = f"{path}.{one.name}" if path else one.name
            self._field(one, package, inner if path or deep == 0 else "", deep)

    def _field(self, one: Field, package: str, path: str, deep: int) -> None:
        if not one.items:
            return self._one(one.kind, package, path, deep)
        fixed = re.fullmatch(r"\[(\d+)\]", one.items)
        count = int(fixed[1]) if fixed else self._length()
        if count > len(self.data):
            raise ValueError(f"a sequence of {count} items in {len(self.data)} bytes")
        for i in range(count):
            if i >= MOST_ITEMS and one.kind in KINDS:  # numbers stand one after the other
                self.at += (count - i) * int(KINDS[one.kind][1])
                break
            self.steps -= 1
            if self.steps < 0:
                raise ValueError(f"a message of more than {MOST_STEPS} fields")
            self._one(one.kind, package, f"{path}.{i}" if path and i < MOST_ITEMS else "", deep)

    def _one(self, kind: str, package: str, path: str, deep: int) -> None:
        if kind in KINDS:
            self._number(KINDS[kind], path)
        elif kind in ("string", "wstring"):
            letters = self._length()
            self.at += letters * (2 if kind == "wstring" else 1)
        else:
            name = self._name(kind, package)
            if name in TIMES:
                self._number("i4", path and f"{path}.sec")
                self._number("u4", path and f"{path}.nanosec")
            else:
                self.message(name, path, deep + 1)

    def _name(self, kind: str, package: str) -> str:
        short = _shorten_name(kind)
        tried = (short, f"{package}/{short}", f"std_msgs/{short}", f"builtin_interfaces/{short}")
        for name in tried:
            if name in self.known or name in TIMES:
                return name
        raise ValueError(f"the message '{kind}' is not described in the file")

    def _number(self, kind: str, path: str) -> None:
        size = int(kind[1])
        self.at += -(self.at - 4) % size
        if path:
            self.layout.places[path] = (self.at, self.order + kind)
        self.at += size

    def _length(self) -> int:
        self.at += -(self.at - 4) % 4
        at, self.at = self.at, self.at + 4
        self.layout.lengths.append(at)
        if at + 4 > len(self.data):
            raise ValueError("a message ends before its fields do")
        return int(np.frombuffer(self.data, self.order + "u4", 1, at)[0])


def read_columns(name: str, text: str, messages: list[bytes]) -> dict[str, np.ndarray]:
    """Every number of many messages. Those of one shape are read at once; a path that is not in
    every message is left out. Raises `ValueError` where bytes and description do not fit."""
    known, own = parse_messages(name, text), _shorten_name(name)
    rows: dict[str, np.ndarray] = {}
    groups: list[tuple[list[int], dict[str, np.ndarray]]] = []
    left = list(range(len(messages)))
    while left:
        walker = LayoutFinder(known, messages[left[0]])
        walker.message(own, "")
        if walker.at > len(messages[left[0]]):
            raise ValueError("a message ends before its fields do")
        same = _find_alike(messages, left, walker.layout)
        groups.append((same, _read_numbers([messages[i] for i in same], walker.layout)))
        taken = set(same)
        left = [i for i in left if i not in taken]
        if len(groups) > MOST_SHAPES:
            raise ValueError(f"more than {MOST_SHAPES} shapes of one message")
    paths = set.intersection(*(set(part) for _, part in groups)) if groups else set()
    for path in (p for p in groups[0][1] if p in paths) if groups else ():
        whole = np.empty(len(messages), groups[0][1][path].dtype)
        for at, part in groups:
            whole[at] = part[path]
        rows[path] = whole
    return rows


def _find_alike(messages: list[bytes], among: list[int], layout: Layout) -> list[int]:
    """Those that have the size and the lengths of the first, so that numbers stand at one place."""
    first = messages[among[0]]

    def key(data: bytes) -> tuple[bytes, ...]:
        return (data[:4], *(data[at : at + 4] for at in layout.lengths))

    wanted, size = key(first), len(first)
    return [i for i in among if len(messages[i]) == size and key(messages[i]) == wanted]


def _read_numbers(messages: list[bytes], layout: Layout) -> dict[str, np.ndarray]:
    block = np.frombuffer(b"".join(messages), np.uint8).reshape(len(messages), -1)
    found: dict[str, np.ndarray] = {}
    for path, (at, kind) in layout.places.items():
        cells = np.ascontiguousarray(block[:, at : at + int(kind[2])]).view(kind)[:, 0]
        found[path] = cells.astype(np.float64 if kind[1] == "f" else np.int64)
    for path in [p for p in found if p.endswith(".sec") and f"{p[:-4]}.nanosec" in found]:
        whole = found.pop(path) * 1_000_000_000 + found.pop(f"{path[:-4]}.nanosec")
        found[path[:-4]] = whole
    return found


def read_json_columns(messages: list[bytes]) -> dict[str, np.ndarray]:
    """The same of JSON messages: every number that all of them hold."""
    first = _flatten(json.loads(messages[0])) if messages else {}
    # whole numbers that a double does not hold exactly: stamps in nanoseconds since 1970
    long = {path for path, v in first.items() if isinstance(v, int) and abs(v) > 2**53}
    found = {path: np.empty(len(messages), np.int64 if path in long else float) for path in first}
    for i, one in enumerate(messages):
        row = _flatten(json.loads(one))
        for path in [path for path in found if path not in row]:
            del found[path]
        for path, column in found.items():
            if column.dtype == np.int64 and not isinstance(row[path], int):
                found[path] = column = column.astype(float)
            column[i] = row[path]
    return found


def _flatten(value: Any, path: str = "") -> dict[str, Any]:
    """Numbers by their path; true and false are 1 and 0."""
    flat: dict[str, Any] = {}
    left = [(path, value, 0)]
    while left:
        at, one, deep = left.pop()
        if isinstance(one, bool | float) or (isinstance(one, int) and abs(one) < 2**63):
            flat[at] = one
        elif isinstance(one, int):
            flat[at] = float(one) if abs(one) < 2**1000 else float("inf")
        inner: Any = ()
        if isinstance(one, dict):
            inner = list(one.items())
        elif isinstance(one, list):
            inner = [(str(i), item) for i, item in enumerate(one[:MOST_ITEMS])]
        if inner and deep >= DEEPEST:
            raise ValueError("messages nested too deep")
        left += [(f"{at}.{key}" if at else str(key), v, deep + 1) for key, v in reversed(inner)]
        if len(flat) > MOST_COLUMNS:
            raise ValueError(f"a message of more than {MOST_COLUMNS} numbers")
    return flat


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
            tables = _group_messages(file, topics)
    except (McapError, OSError, ValueError) as error:
        allowed = f"an MCAP file that is whole ({printable(str(error), 200)})"
        raise BadInput(Problem("LOG", str(path), allowed, str(path))) from None
    return _make_tables(tables, str(path), topics)


def _group_messages(file: BinaryIO, topics: set[str]) -> dict[str, Topic]:
    """Messages by topic, in the order of their log times."""
    from mcap.records import Channel, Message, Schema

    schemas: dict[int, Any] = {}
    channels: dict[int, Any] = {}
    by_topic: dict[str, Topic] = {}
    left = most_bytes(os.fstat(file.fileno()).st_size)
    for record in mcap_records(file):
        if isinstance(record, Schema):
            schemas[record.id] = record
        elif isinstance(record, Channel):
            channels[record.id] = record
            by_topic.setdefault(record.topic, Topic(*_describe(record, schemas)))
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
            by_topic[topic].rows.append((record.log_time, record.publish_time, record.data))
    for one in by_topic.values():
        one.rows.sort(key=lambda row: row[0])
    return by_topic


def _describe(channel: Any, schemas: dict[int, Any]) -> tuple[str, str, str, str]:
    schema = schemas.get(channel.schema_id)
    if schema is None:
        return channel.message_encoding, "", "", ""
    text = schema.data[:LONGEST_DESCRIPTION].decode("utf-8", errors="replace")
    return channel.message_encoding, schema.encoding, schema.name, text


def _make_tables(found: dict[str, Topic], name: str, topics: set[str]) -> dict[str, Table]:
    full = {topic for topic, one in found.items() if one.rows}
    _refuse_absent(topics - full, full, name)
    tables = {}
    for topic in sorted(full):
        rows = found[topic].rows
        columns = _read_topic_columns(topic, found[topic], bool(topics), name)
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


def _read_topic_columns(
    topic: str, one: Topic, asked: bool, name: str
) -> dict[str, np.ndarray] | None:
    """None: of a kind that is not read, where nobody asked for this topic."""
    messages = [data for _, _, data in one.rows]
    try:
        if one.encoding == "cdr" and one.described_in == "ros2msg":
            return read_columns(one.message, one.text, messages)
        if one.encoding == "json":
            return read_json_columns(messages)
    except (ValueError, KeyError, IndexError, TypeError, OverflowError, RecursionError) as error:
        if not asked:
            return None
        allowed = f"messages that fit their description ({printable(str(error), 200)})"
        raise BadInput(Problem(f"{name} {topic}", one.message, allowed, name)) from None
    if asked:
        given = f"{one.encoding} with {one.described_in or 'no description'}"
        raise BadInput(Problem(f"{name} {topic}", given, "one of " + ", ".join(ENCODINGS), name))
    return None
