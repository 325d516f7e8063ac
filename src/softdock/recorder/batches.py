"""Streams that are no rows of their own: force samples, many in a message; events, texts.

`/softdock/samples`: softdock_msgs/Samples, every channel a sequence; a message holds the samples of
one look at the ring, at most SAMPLES_MOST. `/events`: rcl_interfaces/Log, which Foxglove's panel of
logs shows.
"""

from __future__ import annotations

import numpy as np

from softdock.core.recorder.layout import EVENT
from softdock.core.rig.reasons import NOBODY
from softdock.drivers.event_text import filled
from softdock.recorder import schemas
from softdock.recorder.cdr import Length, Message, Numbers, Text, header_parts, stamp_parts, stamps
from softdock.recorder.streams import About, Stream

SAMPLES_MOST = 64  # in one message: about 9 ms at 7 kHz
LEVELS = (10, 20, 30, 40, 50)
LOG = "rcl_interfaces/Log"


def samples_name(stream: Stream) -> str:
    return f"softdock_msgs/{stream.name.title().replace('_', '')}"


def samples_schema(stream: Stream) -> str:
    return schemas.schema(samples_name(stream), schemas.flat_text(stream.channels, sequence=True))


def samples_message(stream: Stream, count: int) -> Message:
    """A message of `count` samples."""
    parts: list = [*header_parts("")]
    for i in range(len(stream.channels)):
        parts += [Length(count), Numbers(str(i), items=count)]
    return Message(*parts)


def encode_samples(stream: Stream, rows: np.ndarray, time_ns: int) -> bytes:
    """One message of all these rows."""
    columns = stamps(np.array([time_ns]))
    for i, place in enumerate(stream.places):
        columns[str(i)] = rows[:, place]
    return samples_message(stream, len(rows)).encode(1, columns)[0]


def decode_samples(stream: Stream, message: bytes) -> np.ndarray:
    """The samples of a message (n, channels). Raises `ValueError` if it is none."""
    count = _count(message)
    found = samples_message(stream, count).decode([message])
    return np.stack([found[str(i)][0] for i in range(len(stream.channels))], axis=1)


def _count(message: bytes) -> int:
    """Samples of a message: its first length, behind stamp and empty frame."""
    at = len(Message(*header_parts("")).encode(1, {})[0])
    at += -(at - 4) % 4
    count = int.from_bytes(message[at : at + 4], "little")
    if not 0 < count <= len(message) // 8:
        raise ValueError(f"a message that says it has {count} samples")
    return count


def event_text(about: About, row: np.ndarray) -> str:
    """The text of an event's row, with its numbers put in."""
    code, a, b = (float(row[i]) for i in (EVENT.at.code, EVENT.at.a, EVENT.at.b))
    if not 0 <= code < len(about.event_texts):
        return f"event {code:g}: {a:g}, {b:g}"
    who = float(row[EVENT.at.who]) if len(row) > EVENT.at.who else NOBODY
    return filled(about.event_texts[int(code)], a, b, who)


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
    return message.encode(1, stamps(np.array([time_ns])) | {"level": np.array([level])})[0]


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
