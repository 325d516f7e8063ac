"""Texts of the messages in a recording, in ROS 2's own language (`ros2msg` of MCAP): a message,
then those it is made of. Units of softdock's own messages are in the names of their fields."""

from __future__ import annotations

import re
from collections.abc import Sequence

from softdock.core.machine.record import Channel

LINE = "=" * 80
TEXTS = {
    "builtin_interfaces/Time": "int32 sec\nuint32 nanosec\n",
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


def used_by(name: str, text: str) -> list[str]:
    """Messages that a message is made of, in order, each once."""
    found: list[str] = []
    package = name.partition("/")[0]
    for word in _USED.findall(text):
        full = word if "/" in word else f"{package}/{word}"
        if full in TEXTS:
            for one in (full, *used_by(full, TEXTS[full])):
                if one not in found:
                    found.append(one)
    return found


def schema(name: str, text: str = "") -> str:
    """The whole text: the message, and behind lines of = those it is made of."""
    own = text or TEXTS[name]
    parts = [own, *(f"{LINE}\nMSG: {used}\n{TEXTS[used]}" for used in used_by(name, own))]
    return "".join(parts)


def ros_name(name: str) -> str:
    """`geometry_msgs/Pose` as MCAP files name it: `geometry_msgs/msg/Pose`."""
    package, _, message = name.partition("/")
    return f"{package}/msg/{message}"


def unit_word(unit: str) -> str:
    """A unit as part of a name: `rad/s` is `rad_per_s`."""
    known = (UNITS.get(part, re.sub(r"\W+", "_", part.lower())) for part in unit.split("/"))
    return "_per_".join(known).strip("_")


def field_names(channels: Sequence[Channel]) -> list[str]:
    """A field's name for every channel: `chaser.velocity.x` in m/s is
    `chaser_velocity_x_m_per_s`. All differ."""
    names: list[str] = []
    for channel in channels:
        unit = unit_word(channel.unit)
        name = re.sub(r"[^a-z0-9]+", "_", channel.name.lower()).strip("_")
        if unit and not name.endswith(f"_{unit}"):
            name = f"{name}_{unit}"
        if not name[:1].isalpha():
            name = f"c_{name}"
        while name in names:
            name += "_2"
        names.append(name)
    return names


def flat_text(channels: Sequence[Channel], sequence: bool = False) -> str:
    """Text of a message that has every channel as one number (or one sequence of numbers)."""
    kind = "float64[]" if sequence else "float64"
    lines = ["std_msgs/Header header"]
    for name, channel in zip(field_names(channels), channels, strict=True):
        meaning = re.sub(r"[^ -~]+", " ", f"{channel.meaning} ({channel.frame})")
        lines.append(f"{kind} {name}  # {meaning.replace('=', 'is')}")
    return "\n".join(lines) + "\n"
