"""What names of columns say: body, role, quantity, axis and unit, from the words in them.

`cmd_chaser_x_mm` is a set-point of the chaser, position x in millimetres; `FT.Fx` a force. A word
is a run of letters or digits; camel case ends words too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

BODY_WORDS = {
    "chaser": ("chaser", "servicer", "active", "robot1", "r1", "rob1", "probe", "left"),
    "target": ("target", "client", "passive", "robot2", "r2", "rob2", "cone", "right"),
}
ROLE_WORDS = {
    "truth": ("true", "mock"),  # of a simulation: no rig knows it
    "command": (
        "command",
        "commanded",
        "cmd",
        "set",
        "setpoint",
        "sp",
        "desired",
        "des",
        "ref",
        "soll",
    ),
    "measured": ("measured", "meas", "actual", "act", "ist", "seen", "feedback", "fb", "mocap"),
    "satellite": ("satellite", "sat", "sim", "simulated", "state", "orbit"),
    "wrench": ("wrench", "ft", "sensor", "raw", "load", "loadcell"),
    "wrench_on_satellite": ("on", "applied", "external", "adapted"),
}
QUANTITY_WORDS = {
    "position": ("position", "pos", "p", "translation"),
    "attitude": ("attitude", "att", "q", "quat", "quaternion", "orientation", "rotation", "euler"),
    "velocity": ("velocity", "vel", "v", "linear", "speed"),
    "rate": ("rate", "omega", "w", "angular", "gyro", "angvel"),
    "force": ("force", "forces", "f"),
    "torque": ("torque", "torques", "moment", "moments", "m", "t", "tau"),
}
LETTERS = {"f": "force", "t": "torque", "m": "torque", "p": "position", "v": "velocity"}
LETTERS |= {"q": "attitude", "w": "rate"}
UNIT_WORDS = {
    "mm": ("position", "mm"),
    "cm": ("position", "cm"),
    "n": ("force", "N"),
    "newton": ("force", "N"),
    "kn": ("force", "kN"),
    "nm": ("torque", "Nm"),
    "nmm": ("torque", "Nmm"),
    "deg": ("attitude", "deg"),
    "rad": ("attitude", "rad"),
}
TIME_WORDS = ("t", "time", "timestamp", "stamp", "clock", "zeit", "ipoc", "utc", "secs")
TIME_UNITS = ("s", "ms", "us", "ns")
AGE_WORDS = ("age", "latency", "alter")
AXES = ("w", "x", "y", "z")


@dataclass(frozen=True)
class Said:
    """What a name says; "" where it says nothing."""

    name: str
    body: str = ""
    role: str = ""
    quantity: str = ""
    axis: str = ""  # w x y z, a b c, roll pitch yaw
    unit: str = ""
    is_time: bool = False
    is_age: bool = False


def words_of(name: str) -> list[str]:
    """The words of a name, in small letters."""
    parts = re.split(r"[^A-Za-z0-9]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name))
    return [part.lower() for part in parts if part]


def said_by(name: str) -> Said:
    """What a name says of its column."""
    words = words_of(name)
    per_second = "/s" in name or "per" in words
    axis, quantity = _axis(words)
    named = _by_words(words, QUANTITY_WORDS, skip=words[-1:] if axis else [])
    unit_quantity, unit = _unit(words, per_second)
    is_age = any(word in AGE_WORDS for word in words)
    if is_age:
        unit = next((word for word in reversed(words) if word in TIME_UNITS), "s")
    return Said(
        name=name,
        body=_by_words(words, BODY_WORDS),
        role=_by_words(words, ROLE_WORDS),
        quantity=quantity or named or unit_quantity,
        axis=axis,
        unit=unit,
        is_time=(not axis and any(word in TIME_WORDS for word in words)) or _stamp(words),
        is_age=is_age,
    )


def _stamp(words: list[str]) -> bool:
    return any(word.startswith(("timestamp", "stamp")) for word in words)


def _axis(words: list[str]) -> tuple[str, str]:
    """The axis a name ends with (units behind it passed over), and a quantity joined to it: `fx`,
    `qw`."""
    for word in reversed(words):
        if word in (*AXES, "a", "b", "c", "roll", "pitch", "yaw"):
            angle = word in ("a", "b", "c", "roll", "pitch", "yaw")
            return word, "attitude" if angle else ""
        if len(word) == 2 and word[0] in LETTERS and word[1] in AXES:
            return word[1], LETTERS[word[0]]
    return "", ""


def _by_words(
    words: list[str], known: Mapping[str, tuple[str, ...]], skip: Sequence[str] = ()
) -> str:
    for meaning, names in known.items():
        if any(word in names and word not in skip for word in words):
            return meaning
    return ""


def _unit(words: list[str], per_second: bool) -> tuple[str, str]:
    for word in reversed(words):
        if word in UNIT_WORDS:
            quantity, unit = UNIT_WORDS[word]
            if per_second and quantity in ("position", "attitude"):
                return ("velocity" if quantity == "position" else "rate"), f"{unit}/s"
            return quantity, unit
    return "", ""
