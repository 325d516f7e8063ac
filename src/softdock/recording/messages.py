"""ROS 2 messages of a recording: their texts, their bytes, and the topics made from the channels
that a stream has.

In: rows of a stream. Out: messages. Poses: position [m] and attitude (ROS 2's order xyzw) in frame
`world`; twists in world axes (softdock's rates are in body axes and are turned); wrenches in frames
of world axes at a body's centre of mass (`chaser_centre`), about which softdock's torques are; raw
wrenches in the sensor's frame. A header's stamp is when it was measured: the row's stamp less the
stated age. Channels that are absent give no topic.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from softdock.loop.instants import SECOND
from softdock.loop.record import Channel
from softdock.loop.spatial.arrays import rotate
from softdock.recording.streams import Stream

# Texts of the messages in a recording, in ROS 2's own language (`ros2msg` of MCAP): a message,
# then those it is made of. Units of softdock's own messages are in the names of their fields.

# ROS 2 messages in bytes: CDR, little endian, as DDS and MCAP have it (OMG DDSI-RTPS, 10.2).
#
# A message starts with the four bytes 00 01 00 00; behind them every number stands at a multiple of
# its own size, counted from there. A string is its length with the closing zero (uint32), its bytes
# and the zero; a sequence is its length (uint32) and its items.
#
# Here strings and lengths are constant for a message, so that each number's place is known before:
# many rows are encoded at once, as columns of a table of bytes.

START = b"\x00\x01\x00\x00"


class Text(NamedTuple):
    """A constant string."""

    text: str


class Length(NamedTuple):
    """Length of a sequence."""

    items: int


class Numbers(NamedTuple):
    """One or several numbers, filled in for each row."""

    name: str
    kind: str = "<f8"  # numpy's name of the type
    items: int = 1


Part = Text | Length | Numbers


class Message:
    """The bytes of a message with constant strings: `encode` fills in the numbers of many rows."""

    def __init__(self, *parts: Part) -> None:
        self._bytes = bytearray(START)
        self._places: dict[str, tuple[int, str, int]] = {}
        for part in parts:
            if isinstance(part, Text):
                data = part.text.encode() + b"\x00"
                self._number(len(data))
                self._bytes += data
            elif isinstance(part, Length):
                self._number(part.items)
            elif part.items:
                size = np.dtype(part.kind).itemsize
                self._align(size)
                self._places[part.name] = (len(self._bytes), part.kind, part.items)
                self._bytes += bytes(size * part.items)
        fields = {name: (f"({n},){kind}", at) for name, (at, kind, n) in self._places.items()}
        self.size = len(self._bytes)
        self._row = np.dtype(
            {
                "names": list(fields),
                "formats": [form for form, _ in fields.values()],
                "offsets": [at for _, at in fields.values()],
                "itemsize": self.size,
            }
        )

    def _align(self, size: int) -> None:
        self._bytes += bytes(-(len(self._bytes) - len(START)) % size)

    def _number(self, value: int) -> None:
        self._align(4)
        self._bytes += value.to_bytes(4, "little")

    def encode(self, count: int, columns: dict[str, np.ndarray]) -> list[bytes]:
        """`count` messages; a column has one row for each, of as many numbers as declared."""
        # into the bytes themselves: numpy's copies of such a table leave out what has no name
        buffer = bytearray(bytes(self._bytes) * count)
        table = np.frombuffer(buffer, dtype=self._row)
        for name, values in columns.items():
            table[name] = np.asarray(values).reshape(count, -1)
        data, size = bytes(buffer), self.size
        return [data[i * size : (i + 1) * size] for i in range(count)]

    def decode(self, messages: list[bytes]) -> dict[str, np.ndarray]:
        """The numbers again, one row per message. Raises `ValueError` on one of another size."""
        if any(len(one) != self.size for one in messages):
            raise ValueError(f"a message that has not {self.size} bytes")
        table = np.frombuffer(b"".join(messages), dtype=self._row)
        return {name: table[name] for name in self._row.names or ()}


def stamp_parts(prefix: str = "") -> tuple[Part, ...]:
    """builtin_interfaces/Time."""
    return (Numbers(f"{prefix}sec", "<i4"), Numbers(f"{prefix}nanosec", "<u4"))


def header_parts(frame: str, prefix: str = "") -> tuple[Part, ...]:
    """std_msgs/Header."""
    return (*stamp_parts(prefix), Text(frame))


def split_stamps(time_ns: np.ndarray, prefix: str = "") -> dict[str, np.ndarray]:
    """Columns of a time in ns since 1970."""
    whole = np.asarray(time_ns, dtype=np.int64)
    return {f"{prefix}sec": whole // SECOND, f"{prefix}nanosec": whole % SECOND}


LINE = "=" * 80
TEXTS = {
    "builtin_interfaces/Time": "int32 sec\nuint32 nanosec\n",
    "std_msgs/String": "string data\n",
    "std_msgs/Header": "builtin_interfaces/Time stamp\nstring frame_id\n",
    "geometry_msgs/Vector3": "float64 x\nfloat64 y\nfloat64 z\n",
    "geometry_msgs/Point": "float64 x\nfloat64 y\nfloat64 z\n",
    "geometry_msgs/Quaternion": "float64 x 0\nfloat64 y 0\nfloat64 z 0\nfloat64 w 1\n",
    "geometry_msgs/Pose": "Point position\nQuaternion orientation\n",
    "geometry_msgs/Twist": "Vector3 linear\nVector3 angular\n",
    "geometry_msgs/Wrench": "Vector3 force\nVector3 torque\n",
    "geometry_msgs/Transform": "Vector3 translation\nQuaternion rotation\n",
    "geometry_msgs/WrenchStamped": "std_msgs/Header header\nWrench wrench\n",
    "geometry_msgs/PoseStamped": "std_msgs/Header header\nPose pose\n",
    "geometry_msgs/TwistStamped": "std_msgs/Header header\nTwist twist\n",
    "geometry_msgs/TransformStamped": (
        "std_msgs/Header header\nstring child_frame_id\nTransform transform\n"
    ),
    "tf2_msgs/TFMessage": "geometry_msgs/TransformStamped[] transforms\n",
    "sensor_msgs/JointState": (
        "std_msgs/Header header\nstring[] name\nfloat64[] position\nfloat64[] velocity\n"
        "float64[] effort\n"
    ),
    "rcl_interfaces/Log": (
        "byte DEBUG=10\nbyte INFO=20\nbyte WARN=30\nbyte ERROR=40\nbyte FATAL=50\n"
        "builtin_interfaces/Time stamp\nuint8 level\nstring name\nstring msg\nstring file\n"
        "string function\nuint32 line\n"
    ),
    "diagnostic_msgs/KeyValue": "string key\nstring value\n",
    "diagnostic_msgs/DiagnosticStatus": (
        "byte OK=0\nbyte WARN=1\nbyte ERROR=2\nbyte STALE=3\n"
        "byte level\nstring name\nstring message\nstring hardware_id\nKeyValue[] values\n"
    ),
    "diagnostic_msgs/DiagnosticArray": "std_msgs/Header header\nDiagnosticStatus[] status\n",
}
UNITS = {  # in names of fields: ROS 2 has small letters only
    "-": "",
    "m": "m",
    "s": "s",
    "ns": "ns",
    "rad": "rad",
    "N": "newton",
    "Nm": "newton_metre",
    "J": "joule",
    "W": "watt",
    "kg": "kg",
}
_USED = re.compile(r"^([A-Za-z]\w*(?:/\w+)?)(?:\[\d*\])? \w+", re.MULTILINE)


def list_used_messages(name: str, text: str) -> list[str]:
    """Messages that a message is made of, in order, each once."""
    used: list[str] = []
    package = name.partition("/")[0]
    for word in _USED.findall(text):
        full = word if "/" in word else f"{package}/{word}"
        if full in TEXTS:
            for one in (full, *list_used_messages(full, TEXTS[full])):
                if one not in used:
                    used.append(one)
    return used


def write_schema(name: str, text: str = "") -> str:
    """The whole text: the message, and behind lines of = those it is made of."""
    own = text or TEXTS[name]
    parts = [
        own,
        *(f"{LINE}\nMSG: {used}\n{TEXTS[used]}" for used in list_used_messages(name, own)),
    ]
    return "".join(parts)


def convert_to_ros_name(name: str) -> str:
    """`geometry_msgs/Pose` as MCAP files name it: `geometry_msgs/msg/Pose`."""
    package, _, message = name.partition("/")
    return f"{package}/msg/{message}"


def spell_unit(unit: str) -> str:
    """A unit as part of a name: `rad/s` is `rad_per_s`."""
    known = (UNITS.get(part, re.sub(r"\W+", "_", part.lower())) for part in unit.split("/"))
    return "_per_".join(known).strip("_")


def name_fields(channels: Sequence[Channel]) -> list[str]:
    """A field's name for every channel: `chaser.velocity.x` in m/s is
    `chaser_velocity_x_m_per_s`. All differ."""
    names: list[str] = []
    for channel in channels:
        unit = spell_unit(channel.unit)
        name = re.sub(r"[^a-z0-9]+", "_", channel.name.lower()).strip("_")
        if unit and not name.endswith(f"_{unit}"):
            name = f"{name}_{unit}"
        if not name[:1].isalpha():
            name = f"c_{name}"
        while name in names:
            name += "_2"
        names.append(name)
    return names


def write_flat_text(channels: Sequence[Channel], sequence: bool = False) -> str:
    """Text of a message that has every channel as one number (or one sequence of numbers)."""
    kind = "float64[]" if sequence else "float64"
    lines = ["std_msgs/Header header"]
    for name, channel in zip(name_fields(channels), channels, strict=True):
        meaning = re.sub(r"[^ -~]+", " ", f"{channel.meaning} ({channel.frame})")
        lines.append(f"{kind} {name}  # {meaning.replace('=', 'is')}")
    return "\n".join(lines) + "\n"


BODIES = ("chaser", "target")
WORLD = "world"
XYZW = [1, 2, 3, 0]  # from softdock's wxyz
# name of a motion's channels -> last part of its topic, end of its frame, channel of its age
MOTIONS = {
    "{}": ("satellite", "", ""),
    "command.{}": ("command", "_command", ""),
    "seen.{}": ("measured", "_measured", "pose_age"),
    "mock_up.{}": ("mock_up", "_mock_up", ""),
}
WRENCHES = {  # the same; frame: of world axes at a centre of mass, or the sensor's
    "measured.{}": ("wrench", "{}_measured_centre", "force_age"),
    "satellite.{}": ("wrench_on_satellite", "{}_centre", ""),
    "true.{}": ("wrench_true", "{}_mock_up_centre", ""),
    "raw.{}": ("wrench_raw", "{}_sensor", "force_age"),
}
JOINT_FIELDS = ("position", "velocity", "torque")  # of a JointState, in its order
Encoded = tuple[list[bytes], np.ndarray]  # messages, and when each was measured [ns]


@dataclass(frozen=True)
class Topic:
    """One topic: rows and their stamps [ns] in, messages out."""

    name: str
    schema_name: str
    schema_text: str
    encode: Callable[[np.ndarray, np.ndarray], Encoded]


class ChosenChannels:
    """Columns of a stream by name."""

    def __init__(self, stream: Stream) -> None:
        self.at = {
            channel.name: place
            for channel, place in zip(stream.channels, stream.places, strict=True)
        }

    def columns(self, name: str, axes: str = "xyz") -> list[int] | None:
        """Places of a vector; None if it is not recorded."""
        names = [f"{name}.{axis}" for axis in axes]
        return [self.at[one] for one in names] if all(one in self.at for one in names) else None

    def age(self, kind: str, body: str) -> int | None:
        own = self.at.get(f"{kind}.{body}")
        return self.at.get(kind) if own is None else own


def _compute_measured_ns(rows: np.ndarray, time_ns: np.ndarray, age: int | None) -> np.ndarray:
    """When it was: the row's stamp less its age, if that is known."""
    if age is None:
        return time_ns
    late = np.nan_to_num(rows[:, age], nan=0.0, posinf=0.0, neginf=0.0)
    return np.maximum(time_ns - np.rint(late * SECOND).astype(np.int64), 0)


def _make_topic(
    name: str,
    message_name: str,
    message: Message,
    columns: Callable[[np.ndarray], dict[str, np.ndarray]],
    age: int | None = None,
) -> Topic:
    def encode(rows: np.ndarray, time_ns: np.ndarray) -> Encoded:
        when = _compute_measured_ns(rows, time_ns, age)
        return message.encode(len(rows), split_stamps(when) | columns(rows)), when

    return Topic(name, convert_to_ros_name(message_name), write_schema(message_name), encode)


def _make_pose_topic(name: str, p: list[int], q: list[int], age: int | None) -> Topic:
    message = Message(*header_parts(WORLD), Numbers("p", items=3), Numbers("q", items=4))
    return _make_topic(
        name,
        "geometry_msgs/PoseStamped",
        message,
        lambda rows: {"p": rows[:, p], "q": rows[:, q][:, XYZW]},
        age,
    )


def _make_twist_topic(name: str, v: list[int], q: list[int], w: list[int]) -> Topic:
    message = Message(*header_parts(WORLD), Numbers("v", items=3), Numbers("w", items=3))
    return _make_topic(
        name,
        "geometry_msgs/TwistStamped",
        message,
        lambda rows: {"v": rows[:, v], "w": rotate(rows[:, q], rows[:, w])},
    )


def _make_wrench_topic(name: str, frame: str, f: list[int], t: list[int], age: int | None) -> Topic:
    message = Message(*header_parts(frame), Numbers("f", items=3), Numbers("t", items=3))
    return _make_topic(
        name,
        "geometry_msgs/WrenchStamped",
        message,
        lambda rows: {"f": rows[:, f], "t": rows[:, t]},
        age,
    )


def _make_joint_topics(picked: ChosenChannels) -> list[Topic]:
    """All joints of both arms in one message. A rig's are `joints.chaser.1` (positions alone), a
    simulated run's `joints.chaser.position.A1`, with `.velocity` and of elastic joints `.torque`;
    ROS 2 wants each for every joint or for none."""
    named: dict[str, dict[str, int]] = {}
    for name, place in picked.at.items():
        first, body, *rest = name.split(".") if name.count(".") in (2, 3) else ("", "")
        what, axis = rest if len(rest) == 2 else ("position", *rest, "")[:2]
        if first == "joints" and what in JOINT_FIELDS and (len(rest) == 2 or axis.isdigit()):
            named.setdefault(f"{body}_{axis}", {})[what] = place
    if not named:
        return []
    parts = {what: [at[what] for at in named.values() if what in at] for what in JOINT_FIELDS}
    parts = {what: at if len(at) == len(named) else [] for what, at in parts.items()}
    fields: list = []
    for what, at in parts.items():
        fields += [Length(len(at)), *([Numbers(what, items=len(at))] if at else [])]
    names = [Text(name) for name in named]
    return [
        _make_topic(
            "/joint_states",
            "sensor_msgs/JointState",
            Message(*header_parts(""), Length(len(names)), *names, *fields),
            lambda rows: {what: rows[:, at] for what, at in parts.items() if at},
        )
    ]


def _make_tf_topics(frames: list[tuple[str, list[int], list[int] | None]]) -> list[Topic]:
    """Frames below `world`: name, position, attitude (None: world axes)."""
    if not frames:
        return []
    parts: list = [Length(len(frames))]
    for i, (frame, _, _) in enumerate(frames):
        parts += [*header_parts(WORLD, f"{i}"), Text(frame)]
        parts += [Numbers(f"{i}p", items=3), Numbers(f"{i}q", items=4)]
    message = Message(*parts)

    def encode(rows: np.ndarray, time_ns: np.ndarray) -> Encoded:
        columns: dict[str, np.ndarray] = {}
        straight = np.tile([0.0, 0.0, 0.0, 1.0], (len(rows), 1))
        for i, (_, p, q) in enumerate(frames):
            columns |= split_stamps(time_ns, f"{i}")
            columns[f"{i}p"] = rows[:, p]
            columns[f"{i}q"] = straight if q is None else rows[:, q][:, XYZW]
        return message.encode(len(rows), columns), time_ns

    name = "tf2_msgs/TFMessage"
    return [Topic("/tf", convert_to_ros_name(name), write_schema(name), encode)]


def make_flat_message(stream: Stream) -> Message:
    """Every channel as one number."""
    return Message(*header_parts(""), Numbers("values", items=len(stream.channels)))


def make_flat_topic(stream: Stream) -> Topic:
    """softdock's own message of a stream: `/softdock/cycle` is a `softdock_msgs/Cycle`."""
    message, places = make_flat_message(stream), list(stream.places)
    name = f"softdock_msgs/{stream.name.title().replace('_', '')}"

    def encode(rows: np.ndarray, time_ns: np.ndarray) -> Encoded:
        columns = split_stamps(time_ns) | {"values": rows[:, places]}
        return message.encode(len(rows), columns), time_ns

    text = write_schema(name, write_flat_text(stream.channels))
    return Topic(f"/softdock/{stream.name}", convert_to_ros_name(name), text, encode)


def make_topics(stream: Stream, absent: Container[str] = ()) -> list[Topic]:
    """Every topic of a stream of rows, softdock's flat one first. `absent`: wrenches that stand for
    sensors which are not there."""
    picked = ChosenChannels(stream)
    topics, frames = [make_flat_topic(stream)], []
    for body in BODIES:
        for pattern, (topic, end, aged) in MOTIONS.items():
            key = pattern.format(body)
            p, q = picked.columns(f"{key}.position"), picked.columns(f"{key}.attitude", "wxyz")
            if p is None or q is None:
                continue
            age = picked.age(aged, body) if aged else None
            topics.append(_make_pose_topic(f"/{body}/{topic}/pose", p, q, age))
            frames += [(f"{body}{end}", p, q), (f"{body}{end}_centre", p, None)]
            v, w = picked.columns(f"{key}.velocity"), picked.columns(f"{key}.rate")
            if v is not None and w is not None:
                topics.append(_make_twist_topic(f"/{body}/{topic}/twist", v, q, w))
        for pattern, (topic, frame, aged) in WRENCHES.items():
            key = pattern.format(body)
            f, t = picked.columns(f"{key}.force"), picked.columns(f"{key}.torque")
            if f is not None and t is not None and key not in absent:
                age = picked.age(aged, body) if aged else None
                topics.append(_make_wrench_topic(f"/{body}/{topic}", frame.format(body), f, t, age))
    return [*topics, *_make_tf_topics(frames), *_make_joint_topics(picked)]
