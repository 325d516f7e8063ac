"""A parameter is defined once: here is what a definition holds, and how definitions become offsets
in one flat vector.

Each stage lists its parameters in a `Group`. The scenario schema, the reference page of the docs,
the checks of ranges and the places in the float64 parameter vector all derive from these lists.
Compiled code reads `keys.delay` of a view, `keys = GROUP(vector, base)` (compile/cells.py); a sweep
writes columns.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from softdock.compile.cells import Cell, Cells

REQUIRED = None
ANY = math.inf
WRITTEN_HERE = (
    "arm",
    "contacts",
    "joints",
    "sensor",
    "places",
    "averages",
    "laboratory",
)  # kinds of parameters that no user writes: where a method finds what in the vector


class OwnRows(NamedTuple):
    """Rows of numbers that a method makes its own rows of (`Method.rows`)."""

    width: int  # numbers in a row
    most: int  # rows
    allowed: str  # in words
    refused: Callable[[Any], str]  # why a row is none; empty: it is one


@dataclass(frozen=True)
class Parameter:
    """One parameter: what a user writes (key, unit, range, choices) and where compiled code finds
    it (name, size)."""

    name: str  # attribute in the offset table
    # what a user writes, unit spelled: delay_ms; dots make sub-tables: real.stiffness_N_per_m
    key: str
    meaning: str
    # in the user's unit; a name for choices; "@key": what that key has; None: must be given
    default: Any = REQUIRED
    unit: str = "-"
    low: float = -ANY
    high: float = ANY
    open_low: bool = False  # the lower bound itself is not allowed
    scale: float = 1.0  # user's unit to SI
    size: int = 1
    choices: tuple[str, ...] = ()  # stored as the index of the choice
    # number, integer, flag, inertia, tool_inertia, stiffness, quaternion, direction, mass, six,
    # table, schedule, gains, own_rows, network, or one of WRITTEN_HERE
    kind: str = "number"
    when: tuple[str, tuple[str, ...]] | None = (
        None  # (key of a choice, its values) for which the parameter applies
    )
    causality: str = ""  # of the ports that a network must have: position or force
    rows: OwnRows | None = None  # of the kind own_rows
    swept: bool = True  # a campaign may vary it; False: something was computed from it before

    @property
    def allowed(self) -> str:
        """What is allowed, in words."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        if self.kind == "flag":
            return "true or false"
        what = {
            "integer": "a whole number",
            "quaternion": "four numbers w, x, y, z, not all zero",
            "direction": "three numbers, not all zero",
        }
        what |= {
            "inertia": "three numbers (diagonal) or a symmetric 3 x 3 matrix, principal moments "
            "positive and each at most the sum of the others"
        }
        what |= {
            "tool_inertia": "three numbers (diagonal) or a symmetric 3 x 3 matrix, all zero or an "
            "inertia of a body"
        }
        what |= {
            "table": "at least two rows [depth, force], from [0, 0], depths rising, forces not "
            "negative"
        }
        what |= {"schedule": "at least two rows [time, fx, fy, fz, tx, ty, tz], times rising"}
        what |= {
            "gains": "rows [time, three stiffnesses, three dampings], times rising, none negative"
        }
        what |= {"own_rows": self.rows.allowed if self.rows is not None else "rows of numbers"}
        what |= {
            "network": "a table: model and arguments, or bonds and elements, as in docs/ports.md"
        }
        what |= {
            "stiffness": "one number, three (diagonal) or a symmetric 3 x 3 matrix, negative along "
            "no direction"
        }
        what |= {kind: "nothing: softdock writes it" for kind in WRITTEN_HERE}
        what |= {"six": "one number, or six (one per joint)"}
        what |= {"mass": "one number, or three (one per world axis)"}
        noun = what.get(self.kind) or (
            "a finite number" if self.size == 1 else f"{self.size} finite numbers"
        )
        bounds = []
        if self.low > -ANY:
            bounds.append(f"{'>' if self.open_low else '>='} {_number(self.low)}")
        if self.high < ANY:
            bounds.append(f"<= {_number(self.high)}")
        unit = f" [{self.unit}]" if self.unit != "-" else ""
        return noun + (" " + " and ".join(bounds) if bounds else "") + unit


def _number(value: float) -> str:
    """A bound as a person would write it."""
    return f"{value:d}" if isinstance(value, int) else f"{value:g}"


class Group(Cells):
    """The parameters of one model or stage: the cells of its part of the vector."""

    def __init__(self, name: str, meaning: str, *parameters: Parameter):
        super().__init__(name, *(Cell(p.name, p.size, p.unit, p.meaning) for p in parameters))
        self.meaning, self.parameters = meaning, parameters

    def __iter__(self):
        return iter(self.parameters)
