"""What names of columns say: body, role, quantity, axis and unit, from the words in them.

`cmd_chaser_x_mm` is a set-point of the chaser, position x in millimetres; `FT.Fx` a force;
`actual_TCP_pose_3` the fourth number of a measured pose. A word is a run of letters or digits;
camel case ends words too. A unit in brackets is taken from the name first.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from softdock.logs.units import QUANTITY, unit_of

NUMBERED_BODIES = ("robot", "rob", "arm", "sat", "body", "sc", "epos", "kuka", "ur", "abb")
_FIRST, _SECOND = ([f"{name}{i}" for name in NUMBERED_BODIES] for i in (1, 2))
BODY_WORDS: dict[str, tuple[str, ...]] = {
    "chaser": ("chaser", "servicer", "active", "r1", "probe", "left", "chs", "srv", *_FIRST),
    "target": ("target", "client", "passive", "r2", "cone", "right", "tgt", *_SECOND),
}
ROLE_WORDS = {
    "truth": ("true", "mock"),  # of a simulation: no rig knows it
    "command": (
        *("command", "commanded", "cmd", "set", "setpoint", "sp", "desired", "des", "ref", "soll"),
        *("rsol", "reference", "demand", "goal", "sollwert", "planned"),
    ),
    "measured": (
        *("measured", "meas", "actual", "act", "ist", "seen", "feedback", "fb", "mocap", "rist"),
        *("istwert", "vicon", "tracker", "encoder", "current", "cur"),
    ),
    "satellite": ("satellite", "sat", "sim", "simulated", "state", "orbit"),
    "wrench": ("wrench", "ft", "sensor", "raw", "load", "loadcell", "kms", "ati"),
    "wrench_on_satellite": ("on", "applied", "external", "adapted"),
}
QUANTITY_WORDS = {
    "position": ("position", "pos", "p", "translation", "lage", "trans", "xyz"),
    "attitude": (
        *("attitude", "att", "q", "quat", "quaternion", "orientation", "rotation", "euler"),
        *("rot", "ori", "angle", "rpy", "abc", "rotvec", "axisangle"),
    ),
    "velocity": ("velocity", "vel", "v", "linear", "speed", "twist"),
    "rate": ("rate", "omega", "w", "angular", "gyro", "angvel"),
    "force": ("force", "forces", "f", "kraft"),
    "torque": ("torque", "torques", "moment", "moments", "m", "t", "tau", "drehmoment"),
}
LETTERS = {"f": "force", "t": "torque", "m": "torque", "p": "position", "v": "velocity"}
LETTERS |= {"q": "attitude", "w": "rate", "r": "attitude"}
TIME_WORDS = (
    *("t", "time", "timestamp", "stamp", "clock", "zeit", "ipoc", "utc", "secs", "epoch"),
    *("uhrzeit", "datetime", "millis", "ticks", "tsec", "elapsed", "sec", "seconds"),
)
TIME_UNITS = ("s", "ms", "us", "ns")
AGE_WORDS = ("age", "latency", "alter")
AXES = ("w", "x", "y", "z")
ANGLES = {"a": "a", "b": "b", "c": "c", "roll": "roll", "pitch": "pitch", "yaw": "yaw"}
ANGLES |= {"phi": "roll", "theta": "pitch", "psi": "yaw"}
NEVER = (  # words of columns that are no pose and no wrench
    *("joint", "joints", "axis", "motor", "current", "temp", "temperature", "status", "error"),
    *("torque_cmd", "voltage", "payload", "cov", "covariance", "std", "seq"),
)


@dataclass(frozen=True)
class Said:
    """What a name says; "" where it says nothing."""

    name: str
    body: str = ""
    role: str = ""
    quantity: str = ""
    axis: str = ""  # w x y z, a b c, roll pitch yaw, rx ry rz; 0 to 6: a number's place
    unit: str = ""
    is_time: bool = False
    is_age: bool = False
    words: tuple[str, ...] = ()


def words_of(name: str) -> list[str]:
    """The words of a name, in small letters. A digit at a word's end is its own word where letters
    before it are an axis' name or a quantity's (`q0`, `pose3`)."""
    parts = re.split(r"[^A-Za-z0-9]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name))
    found: list[str] = []
    for part in parts:
        word = part.lower()
        if not word:
            continue
        if found and word in ("1", "2") and found[-1] in NUMBERED_BODIES:
            found[-1] += word
            continue
        split = re.fullmatch(
            r"(pos|pose|force|torque|wrench|quat|rot|tcp|rpy|vel|q|p|f)([0-6])", word
        )
        joined = re.fullmatch(r"(pos|force|torque|moment|vel|rot|kraft|tcp)(r?[xyz]|[abc])", word)
        found += split.groups() if split else joined.groups() if joined else [word]
    return found


def split_unit(name: str) -> tuple[str, str, str]:
    """The name without a unit in brackets behind it, the quantity of the unit and the unit."""
    match = re.fullmatch(r"(.*\S)\s*[\[(<{]([^\[\](){}<>]{1,20})[\])>}]\s*", name)
    match = match or re.fullmatch(r"(.*\S)\s+/\s+(\S.{0,15})", name)  # `Fx / N`
    if match:
        quantity, unit = unit_of(match[2])
        if unit:
            return match[1], quantity, unit
        blank = name[match.end(1)] == " "  # `qw [1]` has no unit, `pos[1]` is a place
        if match[2].strip() in (("-", "1", "") if blank else ("-", "")):
            return match[1], "", ""
    match = re.fullmatch(r"(.+?)[_ ,.]((?:[mc]?m|m?rad|deg|in)(?:_per_|_p|_|/|p)s)(?:ec)?", name)
    match = match or re.fullmatch(r"(.+)[_ ,./]([A-Za-z]{2,6}|N|s)", name)
    if match:
        text = re.sub(r"(_per_|_p|_|p)(?=s$)", "/", match[2]) if match[2] != "mps" else "m/s"
        quantity, unit = unit_of(text if unit_of(text)[1] else match[2])
        if unit:
            return match[1], quantity, unit
    return name, "", ""


def said_by(name: str, unit: str = "") -> Said:
    """What a name says of its column. `unit`: what another line of the file says of it."""
    bare, quantity_of_unit, own_unit = split_unit(name)
    if unit and not own_unit:
        quantity_of_unit, own_unit = unit_of(unit)
    words = words_of(bare)
    axis, quantity = _axis(words)
    named = _by_words(words, QUANTITY_WORDS, skip=words[-1:] if axis else [])
    is_age = any(word in AGE_WORDS for word in words)
    by_unit = next((part for part, one in QUANTITY.items() if one == quantity_of_unit), "")
    if not quantity and axis in ("x", "y", "z") and by_unit == "attitude" and named != "velocity":
        axis, quantity = f"r{axis}" if named == "" else axis, "attitude"
    if by_unit == "rate" and named in ("velocity", ""):
        quantity = "rate"
    if by_unit == "velocity" and named in ("position", ""):
        quantity = "velocity"
    if quantity_of_unit == "time" and not is_age and axis:
        own_unit = ""
    return Said(
        name=name,
        body=_by_words(words, BODY_WORDS),
        role=_by_words(words, ROLE_WORDS),
        quantity=quantity or named or (by_unit if axis else ""),
        axis=axis,
        unit=own_unit,
        is_time=_is_time(words, axis),
        is_age=is_age,
        words=tuple(words),
    )


def _is_time(words: list[str], axis: str) -> bool:
    if any(word.startswith(("timestamp", "stamp")) for word in words):
        return True
    bare = len(words) == 1 and words[0] in TIME_UNITS
    return not axis and (bare or any(word in TIME_WORDS for word in words))


def _axis(words: list[str]) -> tuple[str, str]:
    """The axis a name ends with (units behind it passed over), and a quantity joined to it: `fx`,
    `qw`, `rz`."""
    for i in range(len(words) - 1, -1, -1):
        word = words[i]
        before = words[i - 1] if i else ""
        if word in ANGLES:
            return ANGLES[word], "attitude"
        if word in AXES:
            if before in ("r", "rot"):
                return f"r{word}" if word != "w" else "w", "attitude"
            return word, ""
        if len(word) == 2 and word[0] in LETTERS and word[1] in AXES:
            if word[0] == "r":
                return (word, "attitude") if word != "rw" else ("", "")
            return word[1], LETTERS[word[0]]
        if word in ("0", "1", "2", "3", "4", "5", "6") and i == len(words) - 1 and i > 0:
            return word, ""
    return "", ""


def _by_words(
    words: list[str], known: Mapping[str, tuple[str, ...]], skip: Sequence[str] = ()
) -> str:
    for meaning, names in known.items():
        if any(word in names and word not in skip for word in words):
            return meaning
    return ""


def angles_wpr(named: Mapping[str, Said]) -> dict[str, Said]:
    """W, P, R of one pose: roll, pitch and yaw."""
    found: dict[str, Said] = {}
    ends: dict[tuple[str, ...], dict[str, Said]] = {}
    for one in named.values():
        if one.words and one.words[-1] in ("w", "p", "r"):
            ends.setdefault(one.words[:-1], {})[one.words[-1]] = one
    for group in ends.values():
        if len(group) == 3:
            for letter, axis in zip("wpr", ("roll", "pitch", "yaw"), strict=True):
                one = group[letter]
                unit, words = one.unit or "deg", (*one.words[:-1], axis)
                found[one.name] = replace(
                    one, axis=axis, quantity="attitude", unit=unit, words=words
                )
    return found
