"""Topics of a recording: what ROS 2 has a message for, from the channels that a stream has.

In: rows of a stream. Out: messages. Poses: position [m] and attitude (ROS 2's order xyzw) in frame
`world`; twists in world axes (softdock's rates are in body axes and are turned); wrenches in frames
of world axes at a body's centre of mass (`chaser_centre`), about which softdock's torques are; raw
wrenches in the sensor's frame. A header's stamp is when it was measured: the row's stamp less the
stated age. Channels that are absent give no topic.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass

import numpy as np

from softdock.core.instants import SECOND
from softdock.core.spatial.arrays import rotate
from softdock.recorder import schemas
from softdock.recorder.cdr import Length, Message, Numbers, Text, header_parts, stamps
from softdock.recorder.streams import Stream

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


class Picked:
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


def _measured(rows: np.ndarray, time_ns: np.ndarray, age: int | None) -> np.ndarray:
    """When it was: the row's stamp less its age, if that is known."""
    if age is None:
        return time_ns
    late = np.nan_to_num(rows[:, age], nan=0.0, posinf=0.0, neginf=0.0)
    return np.maximum(time_ns - np.rint(late * SECOND).astype(np.int64), 0)


def _topic(
    name: str,
    message_name: str,
    message: Message,
    columns: Callable[[np.ndarray], dict[str, np.ndarray]],
    age: int | None = None,
) -> Topic:
    def encode(rows: np.ndarray, time_ns: np.ndarray) -> Encoded:
        when = _measured(rows, time_ns, age)
        return message.encode(len(rows), stamps(when) | columns(rows)), when

    return Topic(name, schemas.ros_name(message_name), schemas.schema(message_name), encode)


def _pose_topic(name: str, p: list[int], q: list[int], age: int | None) -> Topic:
    message = Message(*header_parts(WORLD), Numbers("p", items=3), Numbers("q", items=4))
    return _topic(
        name,
        "geometry_msgs/PoseStamped",
        message,
        lambda rows: {"p": rows[:, p], "q": rows[:, q][:, XYZW]},
        age,
    )


def _twist_topic(name: str, v: list[int], q: list[int], w: list[int]) -> Topic:
    message = Message(*header_parts(WORLD), Numbers("v", items=3), Numbers("w", items=3))
    return _topic(
        name,
        "geometry_msgs/TwistStamped",
        message,
        lambda rows: {"v": rows[:, v], "w": rotate(rows[:, q], rows[:, w])},
    )


def _wrench_topic(name: str, frame: str, f: list[int], t: list[int], age: int | None) -> Topic:
    message = Message(*header_parts(frame), Numbers("f", items=3), Numbers("t", items=3))
    return _topic(
        name,
        "geometry_msgs/WrenchStamped",
        message,
        lambda rows: {"f": rows[:, f], "t": rows[:, t]},
        age,
    )


def _joint_topic(picked: Picked) -> list[Topic]:
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
        _topic(
            "/joint_states",
            "sensor_msgs/JointState",
            Message(*header_parts(""), Length(len(names)), *names, *fields),
            lambda rows: {what: rows[:, at] for what, at in parts.items() if at},
        )
    ]


def _tf_topic(frames: list[tuple[str, list[int], list[int] | None]]) -> list[Topic]:
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
            columns |= stamps(time_ns, f"{i}")
            columns[f"{i}p"] = rows[:, p]
            columns[f"{i}q"] = straight if q is None else rows[:, q][:, XYZW]
        return message.encode(len(rows), columns), time_ns

    name = "tf2_msgs/TFMessage"
    return [Topic("/tf", schemas.ros_name(name), schemas.schema(name), encode)]


def flat_message(stream: Stream) -> Message:
    """Every channel as one number."""
    return Message(*header_parts(""), Numbers("values", items=len(stream.channels)))


def flat_topic(stream: Stream) -> Topic:
    """softdock's own message of a stream: `/softdock/cycle` is a `softdock_msgs/Cycle`."""
    message, places = flat_message(stream), list(stream.places)
    name = f"softdock_msgs/{stream.name.title().replace('_', '')}"

    def encode(rows: np.ndarray, time_ns: np.ndarray) -> Encoded:
        columns = stamps(time_ns) | {"values": rows[:, places]}
        return message.encode(len(rows), columns), time_ns

    text = schemas.schema(name, schemas.flat_text(stream.channels))
    return Topic(f"/softdock/{stream.name}", schemas.ros_name(name), text, encode)


def topics_of(stream: Stream, absent: Container[str] = ()) -> list[Topic]:
    """Every topic of a stream of rows, softdock's flat one first. `absent`: wrenches that stand for
    sensors which are not there."""
    picked = Picked(stream)
    found, frames = [flat_topic(stream)], []
    for body in BODIES:
        for pattern, (topic, end, aged) in MOTIONS.items():
            key = pattern.format(body)
            p, q = picked.columns(f"{key}.position"), picked.columns(f"{key}.attitude", "wxyz")
            if p is None or q is None:
                continue
            age = picked.age(aged, body) if aged else None
            found.append(_pose_topic(f"/{body}/{topic}/pose", p, q, age))
            frames += [(f"{body}{end}", p, q), (f"{body}{end}_centre", p, None)]
            v, w = picked.columns(f"{key}.velocity"), picked.columns(f"{key}.rate")
            if v is not None and w is not None:
                found.append(_twist_topic(f"/{body}/{topic}/twist", v, q, w))
        for pattern, (topic, frame, aged) in WRENCHES.items():
            key = pattern.format(body)
            f, t = picked.columns(f"{key}.force"), picked.columns(f"{key}.torque")
            if f is not None and t is not None and key not in absent:
                age = picked.age(aged, body) if aged else None
                found.append(_wrench_topic(f"/{body}/{topic}", frame.format(body), f, t, age))
    return [*found, *_tf_topic(frames), *_joint_topic(picked)]
