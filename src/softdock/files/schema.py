"""What a key of a file may hold, declared once: `Parameter`.

Every file that a person writes is read by such declarations: scenario, rig file, campaign, map of a
log, facility and arms, network. Checks (values.py), messages, reference pages and, for a scenario,
the places in the parameter vector (loop/parameters.py) derive from them. tables.py reads.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

REQUIRED = None
ANY = math.inf


class _Optional:
    """The default of a key that may be left out; its value is None then."""

    def __repr__(self) -> str:
        return "OPTIONAL"


OPTIONAL = _Optional()
WRITTEN_HERE = (
    "arm",
    "contacts",
    "joints",
    "sensor",
    "places",
    "averages",
    "laboratory",
)  # kinds of parameters that no user writes: where a method finds what in the vector

INERTIA = "principal moments positive and each at most the sum of the others"
NOUNS = {  # of each kind that is no plain number, what is allowed
    "flag": "true or false",
    "integer": "a whole number",
    "text": "a text",
    "address": "the IPv4 address of one machine, such as 192.168.1.20",
    "quaternion": "four numbers w, x, y, z, not all zero",
    "direction": "three numbers, not all zero",
    "inertia": f"three numbers (diagonal) or a symmetric 3 x 3 matrix, {INERTIA}",
    "tool_inertia": "three numbers (diagonal) or a symmetric 3 x 3 matrix, all zero or an inertia "
    "of a body",
    "moments": "the inertia of a body, three moments or six (xx, yy, zz, xy, xz, yz): moments "
    "positive, each at most the sum of the others",
    "table": "at least two rows [depth, force], from [0, 0], depths rising, forces not negative",
    "schedule": "at least two rows [time, fx, fy, fz, tx, ty, tz], times rising",
    "gains": "rows [time, three stiffnesses, three dampings], times rising, none negative",
    "network": "a table: model and arguments, or bonds and elements, as in docs/ports.md",
    "stiffness": "one number, three (diagonal) or a symmetric 3 x 3 matrix, negative along no "
    "direction",
    "six": "one number, or six (one per joint)",
    "mass": "one number, or three (one per world axis)",
    **dict.fromkeys(WRITTEN_HERE, "nothing: softdock writes it"),
}


class OwnRows(NamedTuple):
    """Rows of numbers that a method makes its own rows of (`Method.rows`)."""

    width: int  # numbers in a row
    most: int  # rows
    allowed: str  # in words
    refused: Callable[[Any], str]  # why a row is none; empty: it is one


class Own(NamedTuple):
    """A value of a kind of its own."""

    allowed: str  # in words
    fits: Callable[[Any], bool]


@dataclass(frozen=True)
class Parameter:
    """One parameter: what a user writes (key, unit, range, choices) and where compiled code finds
    it (name, size)."""

    name: str  # attribute in the offset table
    # what a user writes, unit spelled: delay_ms; dots make sub-tables: real.stiffness_N_per_m
    key: str
    meaning: str
    # in the user's unit; a name for choices; "@key": what that key has; None: must be given;
    # OPTIONAL: may be left out, and is None then
    default: Any = REQUIRED
    unit: str = "-"
    low: float = -ANY
    high: float = ANY  # of a text: characters
    open_low: bool = False  # the lower bound itself is not allowed
    scale: float = 1.0  # user's unit to SI
    size: int = 1
    choices: tuple[str, ...] = ()  # stored as the index of the choice
    # number, own_rows, own, one of NOUNS (which holds WRITTEN_HERE)
    kind: str = "number"
    when: tuple[str, tuple[str, ...]] | None = (
        None  # (key of a choice, its values) for which the parameter applies
    )
    causality: str = ""  # of the ports that a network must have: position or force
    rows: OwnRows | None = None  # of the kind own_rows
    own: Own | None = None  # of the kind own
    swept: bool = True  # a campaign may vary it; False: something was computed from it before

    @property
    def allowed(self) -> str:
        """What is allowed, in words."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        if self.own is not None:
            return self.own.allowed
        if self.kind == "text":
            return "a text" + (f" of at most {self.high:g} characters" if self.high < ANY else "")
        noun = NOUNS.get(self.kind) or (
            "a finite number" if self.size == 1 else f"{self.size} finite numbers"
        )
        if self.rows is not None:
            noun = self.rows.allowed
        bounds = []
        if self.low > -ANY:
            bounds.append(f"{'>' if self.open_low else '>='} {_number(self.low)}")
        if self.high < ANY:
            bounds.append(f"<= {_number(self.high)}")
        unit = f" [{self.unit}]" if self.unit not in ("-", "") else ""
        return noun + (" " + " and ".join(bounds) if bounds else "") + unit


def _number(value: float) -> str:
    """A bound as a person would write it."""
    return f"{value:d}" if isinstance(value, int) else f"{value:g}"


def file_key(
    key: str, meaning: str, default: Any = REQUIRED, name: str = "", **rest: Any
) -> Parameter:
    """A key of a file. `name`: of the value in the program, where it is not that of the key."""
    return Parameter(name or key, key, meaning, default, **rest)


def own_key(
    key: str, meaning: str, allowed: str, fits: Callable[[Any], bool], default: Any = REQUIRED
) -> Parameter:
    """A key whose value is of a kind of its own: `allowed` in words, `fits` checks it."""
    return Parameter(key, key, meaning, default, kind="own", own=Own(allowed, fits))


def version_key(version: int, default: Any = REQUIRED) -> Parameter:
    """The version of a file's format."""
    return own_key(
        "schema",
        "version of the format",
        f"{version}, the version this softdock reads",
        lambda value: value == version and not isinstance(value, bool),
        default,
    )


def declare(meaning: str, default: Any, **rest: Any) -> Any:
    """A field of a dataclass that is a table of a file: its name is the key. `rest`: of its
    `Parameter`."""
    made = Parameter("", "", meaning, default, **rest)
    return dataclasses.field(
        default=None if default is OPTIONAL else default, metadata={"parameter": made}
    )


@cache
def list_keys(table: type) -> tuple[Parameter, ...]:
    """The keys of a dataclass whose fields are declared by `declare`."""
    return tuple(
        dataclasses.replace(each.metadata["parameter"], name=each.name, key=each.name)
        for each in dataclasses.fields(table)
    )


def set_choices(parameter: Parameter, choices: Iterable[str], default: Any) -> Parameter:
    """The same key, with the choices that another table of the file names."""
    return dataclasses.replace(parameter, choices=tuple(choices), default=default)
