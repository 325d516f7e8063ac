"""Columns that belong together, and what they are: from the words in their names, position,
attitude, velocity, rate, force or torque, with form and unit."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from softdock.recording.logs.tables import Table
from softdock.recording.logs.units import FACTORS, QUANTITY, convert_to_quaternions, parse_unit

# What names of columns say: body, role, quantity, axis and unit, from the words in them.
#
# `cmd_chaser_x_mm` is a set-point of the chaser, position x in millimetres; `FT.Fx` a force;
# `actual_TCP_pose_3` the fourth number of a measured pose. A word is a run of letters or digits;
# camel case ends words too. A unit in brackets is taken from the name first.

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
class ColumnMeaning:
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


def split_words(name: str) -> list[str]:
    """The words of a name, in small letters. A digit at a word's end is its own word where letters
    before it are an axis' name or a quantity's (`q0`, `pose3`)."""
    parts = re.split(r"[^A-Za-z0-9]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name))
    words: list[str] = []
    for part in parts:
        word = part.lower()
        if not word:
            continue
        if words and word in ("1", "2") and words[-1] in NUMBERED_BODIES:
            words[-1] += word
            continue
        split = re.fullmatch(
            r"(pos|pose|force|torque|wrench|quat|rot|tcp|rpy|vel|q|p|f)([0-6])", word
        )
        joined = re.fullmatch(r"(pos|force|torque|moment|vel|rot|kraft|tcp)(r?[xyz]|[abc])", word)
        words += split.groups() if split else joined.groups() if joined else [word]
    return words


def split_unit(name: str) -> tuple[str, str, str]:
    """The name without a unit in brackets behind it, the quantity of the unit and the unit."""
    match = re.fullmatch(r"(.*\S)\s*[\[(<{]([^\[\](){}<>]{1,20})[\])>}]\s*", name)
    match = match or re.fullmatch(r"(.*\S)\s+/\s+(\S.{0,15})", name)  # `Fx / N`
    if match:
        quantity, unit = parse_unit(match[2])
        if unit:
            return match[1], quantity, unit
        blank = name[match.end(1)] == " "  # `qw [1]` has no unit, `pos[1]` is a place
        if match[2].strip() in (("-", "1", "") if blank else ("-", "")):
            return match[1], "", ""
    match = re.fullmatch(r"(.+?)[_ ,.]((?:[mc]?m|m?rad|deg|in)(?:_per_|_p|_|/|p)s)(?:ec)?", name)
    match = match or re.fullmatch(r"(.+)[_ ,./]([A-Za-z]{2,6}|N|s)", name)
    if match:
        text = re.sub(r"(_per_|_p|_|p)(?=s$)", "/", match[2]) if match[2] != "mps" else "m/s"
        quantity, unit = parse_unit(text if parse_unit(text)[1] else match[2])
        if unit:
            return match[1], quantity, unit
    return name, "", ""


def read_name(name: str, unit: str = "") -> ColumnMeaning:
    """What a name says of its column. `unit`: what another line of the file says of it."""
    bare, quantity_of_unit, own_unit = split_unit(name)
    if unit and not own_unit:
        quantity_of_unit, own_unit = parse_unit(unit)
    words = split_words(bare)
    axis, quantity = _find_axis(words)
    named = _read_words(words, QUANTITY_WORDS, skip=words[-1:] if axis else [])
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
    return ColumnMeaning(
        name=name,
        body=_read_words(words, BODY_WORDS),
        role=_read_words(words, ROLE_WORDS),
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


def _find_axis(words: list[str]) -> tuple[str, str]:
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


def _read_words(
    words: list[str], known: Mapping[str, tuple[str, ...]], skip: Sequence[str] = ()
) -> str:
    for meaning, names in known.items():
        if any(word in names and word not in skip for word in words):
            return meaning
    return ""


def find_wpr_angles(named: Mapping[str, ColumnMeaning]) -> dict[str, ColumnMeaning]:
    """W, P, R of one pose: roll, pitch and yaw."""
    meanings: dict[str, ColumnMeaning] = {}
    ends: dict[tuple[str, ...], dict[str, ColumnMeaning]] = {}
    for one in named.values():
        if one.words and one.words[-1] in ("w", "p", "r"):
            ends.setdefault(one.words[:-1], {})[one.words[-1]] = one
    for group in ends.values():
        if len(group) == 3:
            for letter, axis in zip("wpr", ("roll", "pitch", "yaw"), strict=True):
                one = group[letter]
                unit, words = one.unit or "deg", (*one.words[:-1], axis)
                meanings[one.name] = replace(
                    one, axis=axis, quantity="attitude", unit=unit, words=words
                )
    return meanings


DEFAULT = {"position": "m", "velocity": "m/s", "rate": "rad/s", "force": "N", "torque": "Nm"}
LONG_M = 20.0  # m: positions of a laboratory beyond this are in millimetres
FAST_M_PER_S = 3.0
ANGLE_RAD = 6.4
LEVER_M = 20.0  # m: a torque by a longer lever is in Nmm
AGREE = math.radians(0.5)  # conventions of angles that differ by less are one
BEST, WORST = ("tcp", "tool", "ee", "tip", "probe"), ("flange", "filtered", "raw")
SCALAR_FIRST = ("w", "x", "y", "z")


@dataclass
class FoundQuantity:
    """Columns of one part of one signal; a number stands for all rows."""

    columns: list[str | float]
    form: str = ""
    unit: str = ""
    why: str = ""
    question: str = ""

    @property
    def names(self) -> list[str]:
        return [one for one in self.columns if isinstance(one, str)]


@dataclass
class Stem:
    """Columns whose names differ in the axis only."""

    body: str
    role: str
    quantity: str
    words: tuple[str, ...]
    axes: dict[str, str] = field(default_factory=dict)  # axis: column
    units: dict[str, str] = field(default_factory=dict)

    @property
    def is_wrench(self) -> bool:
        return self.quantity in ("force", "torque", "wrench")

    @property
    def rank(self) -> int:
        """Tool centre points before others before flanges."""
        best = any(word in BEST for word in self.words)
        return -1 if best else int(any(word in WORST for word in self.words))


def group_stems(named: dict[str, ColumnMeaning]) -> list[Stem]:
    """Columns by stem, in the order in which they stand."""
    all_words = {one.words for one in named.values()}
    stems: dict[tuple, Stem] = {}
    for name, one in named.items():
        body, role, words = one.body, one.role, one.words
        twin = tuple("actual" if word == "target" else word for word in words)
        if "target" in words and twin != words and twin in all_words:
            body, role = "", "command"  # `target_TCP_pose` beside `actual_TCP_pose`
        quantity = one.quantity
        if one.axis in tuple("0123456") and not quantity:
            quantity = "pose" if "pose" in words or "tcp" in words else ""
            quantity = "wrench" if role == "wrench" or "wrench" in words else quantity
        if one.axis in tuple("0123456") and not quantity:
            continue
        rest = words[: _find_place(words, one.axis)] + words[_find_place(words, one.axis) + 1 :]
        if not quantity:
            quantity = "force" if role == "wrench" else "position"
        group = quantity
        if quantity in ("position", "attitude") and one.axis[0] not in "0123456":
            group = "angles" if quantity == "attitude" else "position"
        key = (body, role, group, rest)
        stem = stems.setdefault(key, Stem(body, role, quantity, words))
        stem.axes.setdefault(one.axis, name)
        stem.units.setdefault(one.axis, one.unit)
    return list(stems.values())


def _find_place(words: tuple[str, ...], axis: str) -> int:
    for i in range(len(words) - 1, -1, -1):
        word = words[i]
        if word == axis or (len(word) == 2 and word[1] == axis[-1]) or word == axis[-1:]:
            return i
    return len(words)


def find_quantities(stem: Stem, table: Table) -> dict[str, FoundQuantity]:
    """The quantities that a stem's columns are."""
    if "0" in stem.axes or ("1" in stem.axes and "2" in stem.axes):
        return _find_numbered(stem, table)
    if stem.quantity == "attitude":
        one = _make_attitude(stem.axes, stem.units, stem.words, table)
        return {"attitude": one} if one else {}
    one = _make_vector(stem.axes, stem.units, stem.quantity, table)
    return {stem.quantity: one} if one else {}


def _find_numbered(stem: Stem, table: Table) -> dict[str, FoundQuantity]:
    """`pose_0` to `pose_5`, `q1` to `q4`: numbers in the usual order."""
    first = 0 if "0" in stem.axes else 1
    places = [str(first + i) for i in range(7) if str(first + i) in stem.axes]
    columns = [stem.axes[place] for place in places]
    units = [stem.units[place] for place in places]

    def vector(at: int, quantity: str) -> dict[str, FoundQuantity]:
        own = dict(zip("xyz", columns[at : at + 3], strict=True))
        one = _make_vector(own, dict(zip("xyz", units[at : at + 3], strict=True)), quantity, table)
        return {quantity: one} if one else {}

    count, kind = len(columns), stem.quantity
    if kind in ("force", "torque", "wrench") and count == 6:
        return vector(0, "force") | vector(3, "torque")
    if kind in ("velocity", "rate") and count == 6:
        return vector(0, "velocity") | vector(3, "rate")
    if kind == "attitude" and count == 4:
        own = dict(zip(SCALAR_FIRST, columns, strict=True))
        one = _make_attitude(own, {}, stem.words, table)
        return {"attitude": one} if one else {}
    if kind in ("pose", "position") and count == 6:
        turned = dict(zip(("rx", "ry", "rz"), columns[3:], strict=True))
        own_units = dict(zip(("rx", "ry", "rz"), units[3:], strict=True))
        one = _make_attitude(turned, own_units, stem.words, table)
        return vector(0, "position") | ({"attitude": one} if one else {})
    if count == 3 and kind in DEFAULT:
        return vector(0, kind)
    return {}


def _make_attitude(
    axes: dict[str, str], units: dict[str, str], words: tuple[str, ...], table: Table
) -> FoundQuantity | None:
    """None if the columns are not those of one form."""
    if all(axis in axes for axis in SCALAR_FIRST):
        names = [axes[axis] for axis in SCALAR_FIRST]
        return FoundQuantity([*names], "wxyz", "", "named like wxyz")
    unit = next((one for one in units.values() if one in FACTORS["angle"]), "")
    for wanted, form in (
        (("a", "b", "c"), "kuka_abc"),
        (("roll", "pitch", "yaw"), "rpy"),
    ):
        if all(axis in axes for axis in wanted):
            names = [axes[axis] for axis in wanted]
            usual = "deg" if form == "kuka_abc" else ""
            said = "A about z, B about y, C about x" if usual else "yaw about z, pitch y, roll x"
            why = f"named like {form}: {said}"
            angle = unit or usual or _guess_by_size(table, names, ANGLE_RAD, "rad", "deg")
            return FoundQuantity([*names], form, angle, why + ("" if unit else "; unit assumed"))
    for wanted in (("rx", "ry", "rz"), ("x", "y", "z")):
        if all(axis in axes for axis in wanted):
            return _make_three_angles([axes[axis] for axis in wanted], unit, words, table)
    return None


def _make_three_angles(
    names: list[str], unit: str, words: tuple[str, ...], table: Table
) -> FoundQuantity:
    """Rx, Ry, Rz: a rotation vector or one of two orders of angles; a question if it matters."""
    angle = unit or _guess_by_size(table, names, ANGLE_RAD, "rad", "deg")
    values = np.stack([table.columns[name].astype(float) for name in names], axis=1)
    values = values[np.isfinite(values).all(axis=1)][:20_000] * FACTORS["angle"][angle]
    tried = {
        form: convert_to_quaternions(values, form) for form in ("rotation_vector", "rpy", "xyz")
    }
    usual = "rotation_vector" if angle == "rad" else "rpy"
    apart = max(
        (
            float(2.0 * np.arccos(np.clip(np.abs(np.sum(q * tried[usual], axis=1)), 0, 1)).max())
            for q in tried.values()
            if len(q)
        ),
        default=0.0,
    )
    found = FoundQuantity([*names], usual, angle, f"taken for {usual}")
    if apart < AGREE:
        found.why += f"; rotation_vector, rpy and xyz differ by {math.degrees(apart):.2g} deg"
    elif any(word in ("rotvec", "rotation", "axisangle", "tcp") for word in words) and not unit:
        found.why += "; rpy or xyz would differ by " + f"{math.degrees(apart):.2g} deg: please look"
    else:
        found.question = (
            f"are {', '.join(names)} a rotation_vector, rpy (fixed axes x, y, z) or xyz (turning "
            f"axes x, y, z)? They differ by {math.degrees(apart):.3g} deg"
        )
        found.form = "?"
    return found


def _make_vector(
    axes: dict[str, str], units: dict[str, str], quantity: str, table: Table
) -> FoundQuantity | None:
    """Columns of x, y, z; axes that the log does not have are zero."""
    if not any(axis in axes for axis in "xyz") or quantity not in DEFAULT:
        return None
    columns: list[str | float] = [axes.get(axis, 0.0) for axis in "xyz"]
    found = FoundQuantity(columns)
    sizes = [np.abs(table.columns[name].astype(float)) for name in found.names]
    if quantity == "force" and not any(np.any(size > 0.0) for size in sizes):
        return None  # zero throughout: no sensor stands behind it
    unit = next((one for one in units.values() if one), "")
    if unit in FACTORS[QUANTITY[quantity]]:
        found.unit, found.why = unit, "unit by name"
    else:
        found.unit, found.why = _guess_unit(table, found.names, quantity), "unit by size"
    if len(found.names) < 3:
        found.why += "; an axis that is not logged is 0"
    return found


def _guess_unit(table: Table, names: list[str], quantity: str) -> str:
    if quantity == "position":
        return _guess_by_size(table, names, LONG_M, "m", "mm")
    if quantity == "velocity":
        return _guess_by_size(table, names, FAST_M_PER_S, "m/s", "mm/s")
    if quantity == "rate":
        return _guess_by_size(table, names, 3.0, "rad/s", "deg/s")
    return DEFAULT[quantity]


def _guess_by_size(table: Table, names: Iterable[str], most: float, small: str, large: str) -> str:
    sizes = [table.columns[name].astype(float) for name in names]
    finite = [np.abs(size[np.isfinite(size)]).max(initial=0.0) for size in sizes]
    return small if max(finite) <= most else large
