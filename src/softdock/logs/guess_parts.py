"""Columns that belong together, and what they are: position, attitude, velocity, rate, force or
torque, with form and unit."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from softdock.logs.attitudes import quaternions
from softdock.logs.names import Said
from softdock.logs.tables import Table
from softdock.logs.units import FACTORS, QUANTITY

DEFAULT = {"position": "m", "velocity": "m/s", "rate": "rad/s", "force": "N", "torque": "Nm"}
LONG_M = 20.0  # m: positions of a laboratory beyond this are in millimetres
FAST_M_PER_S = 3.0
ANGLE_RAD = 6.4
LEVER_M = 20.0  # m: a torque by a longer lever is in Nmm
AGREE = math.radians(0.5)  # conventions of angles that differ by less are one
BEST, WORST = ("tcp", "tool", "ee", "tip", "probe"), ("flange", "filtered", "raw")
SCALAR_FIRST = ("w", "x", "y", "z")


@dataclass
class Found:
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


def stems_of(named: dict[str, Said]) -> list[Stem]:
    """Columns by stem, in the order in which they stand."""
    all_words = {one.words for one in named.values()}
    found: dict[tuple, Stem] = {}
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
        rest = words[: _place(words, one.axis)] + words[_place(words, one.axis) + 1 :]
        if not quantity:
            quantity = "force" if role == "wrench" else "position"
        group = quantity
        if quantity in ("position", "attitude") and one.axis[0] not in "0123456":
            group = "angles" if quantity == "attitude" else "position"
        key = (body, role, group, rest)
        stem = found.setdefault(key, Stem(body, role, quantity, words))
        stem.axes.setdefault(one.axis, name)
        stem.units.setdefault(one.axis, one.unit)
    return list(found.values())


def _place(words: tuple[str, ...], axis: str) -> int:
    for i in range(len(words) - 1, -1, -1):
        word = words[i]
        if word == axis or (len(word) == 2 and word[1] == axis[-1]) or word == axis[-1:]:
            return i
    return len(words)


def found_in(stem: Stem, table: Table) -> dict[str, Found]:
    """The quantities that a stem's columns are."""
    if "0" in stem.axes or ("1" in stem.axes and "2" in stem.axes):
        return _numbered(stem, table)
    if stem.quantity == "attitude":
        one = _attitude(stem.axes, stem.units, stem.words, table)
        return {"attitude": one} if one else {}
    one = _vector(stem.axes, stem.units, stem.quantity, table)
    return {stem.quantity: one} if one else {}


def _numbered(stem: Stem, table: Table) -> dict[str, Found]:
    """`pose_0` to `pose_5`, `q1` to `q4`: numbers in the usual order."""
    first = 0 if "0" in stem.axes else 1
    places = [str(first + i) for i in range(7) if str(first + i) in stem.axes]
    columns = [stem.axes[place] for place in places]
    units = [stem.units[place] for place in places]

    def vector(at: int, quantity: str) -> dict[str, Found]:
        own = dict(zip("xyz", columns[at : at + 3], strict=True))
        one = _vector(own, dict(zip("xyz", units[at : at + 3], strict=True)), quantity, table)
        return {quantity: one} if one else {}

    count, kind = len(columns), stem.quantity
    if kind in ("force", "torque", "wrench") and count == 6:
        return vector(0, "force") | vector(3, "torque")
    if kind in ("velocity", "rate") and count == 6:
        return vector(0, "velocity") | vector(3, "rate")
    if kind == "attitude" and count == 4:
        own = dict(zip(SCALAR_FIRST, columns, strict=True))
        one = _attitude(own, {}, stem.words, table)
        return {"attitude": one} if one else {}
    if kind in ("pose", "position") and count == 6:
        turned = dict(zip(("rx", "ry", "rz"), columns[3:], strict=True))
        own_units = dict(zip(("rx", "ry", "rz"), units[3:], strict=True))
        one = _attitude(turned, own_units, stem.words, table)
        return vector(0, "position") | ({"attitude": one} if one else {})
    if count == 3 and kind in DEFAULT:
        return vector(0, kind)
    return {}


def _attitude(
    axes: dict[str, str], units: dict[str, str], words: tuple[str, ...], table: Table
) -> Found | None:
    """None if the columns are not those of one form."""
    if all(axis in axes for axis in SCALAR_FIRST):
        names = [axes[axis] for axis in SCALAR_FIRST]
        return Found([*names], "wxyz", "", "named like wxyz")
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
            angle = unit or usual or _by_size(table, names, ANGLE_RAD, "rad", "deg")
            return Found([*names], form, angle, why + ("" if unit else "; unit assumed"))
    for wanted in (("rx", "ry", "rz"), ("x", "y", "z")):
        if all(axis in axes for axis in wanted):
            return _three_angles([axes[axis] for axis in wanted], unit, words, table)
    return None


def _three_angles(names: list[str], unit: str, words: tuple[str, ...], table: Table) -> Found:
    """Rx, Ry, Rz: a rotation vector or one of two orders of angles; a question if it matters."""
    angle = unit or _by_size(table, names, ANGLE_RAD, "rad", "deg")
    values = np.stack([table.columns[name].astype(float) for name in names], axis=1)
    values = values[np.isfinite(values).all(axis=1)][:20_000] * FACTORS["angle"][angle]
    tried = {form: quaternions(values, form) for form in ("rotation_vector", "rpy", "xyz")}
    usual = "rotation_vector" if angle == "rad" else "rpy"
    apart = max(
        (
            float(2.0 * np.arccos(np.clip(np.abs(np.sum(q * tried[usual], axis=1)), 0, 1)).max())
            for q in tried.values()
            if len(q)
        ),
        default=0.0,
    )
    found = Found([*names], usual, angle, f"taken for {usual}")
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


def _vector(
    axes: dict[str, str], units: dict[str, str], quantity: str, table: Table
) -> Found | None:
    """Columns of x, y, z; axes that the log does not have are zero."""
    if not any(axis in axes for axis in "xyz") or quantity not in DEFAULT:
        return None
    columns: list[str | float] = [axes.get(axis, 0.0) for axis in "xyz"]
    found = Found(columns)
    sizes = [np.abs(table.columns[name].astype(float)) for name in found.names]
    if quantity == "force" and not any(np.any(size > 0.0) for size in sizes):
        return None  # zero throughout: no sensor stands behind it
    unit = next((one for one in units.values() if one), "")
    if unit in FACTORS[QUANTITY[quantity]]:
        found.unit, found.why = unit, "unit by name"
    else:
        found.unit, found.why = _unit_by_size(table, found.names, quantity), "unit by size"
    if len(found.names) < 3:
        found.why += "; an axis that is not logged is 0"
    return found


def _unit_by_size(table: Table, names: list[str], quantity: str) -> str:
    if quantity == "position":
        return _by_size(table, names, LONG_M, "m", "mm")
    if quantity == "velocity":
        return _by_size(table, names, FAST_M_PER_S, "m/s", "mm/s")
    if quantity == "rate":
        return _by_size(table, names, 3.0, "rad/s", "deg/s")
    return DEFAULT[quantity]


def _by_size(table: Table, names: Iterable[str], most: float, small: str, large: str) -> str:
    sizes = [table.columns[name].astype(float) for name in names]
    finite = [np.abs(size[np.isfinite(size)]).max(initial=0.0) for size in sizes]
    return small if max(finite) <= most else large
