"""Reading tables that a person wrote: every value checked, every key known, all problems at once.

`Reader` walks one table. Each method takes a key, checks its value and gives it back; what is wrong
goes onto one list, with a value in its place that lets the reading go on. `done` refuses the keys
that nobody asked for. The caller raises `BadInput` when the whole is read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from softdock.errors import Problem, closest

Locate = Callable[[str], str]  # path of a key -> file:line


def nowhere(path: str) -> str:
    """For tables that came from no file."""
    return ""


class Reader:
    """One table of a file. `problems` is shared by all readers of the file."""

    def __init__(
        self, table: Any, path: str, problems: list[Problem], locate: Locate = nowhere
    ) -> None:
        self.path, self.problems, self.locate = path, problems, locate
        self.asked: list[str] = []
        self.table: Mapping[str, Any] = table if isinstance(table, Mapping) else {}
        if not isinstance(table, Mapping):
            self.problems.append(Problem(path, table, "a table", locate(path)))

    def at(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key

    def refuse(self, key: str, value: Any, allowed: str, suggestion: str = "") -> None:
        where = self.at(key)
        self.problems.append(
            Problem(where, value, allowed, self.locate(where), suggestion=suggestion)
        )

    def has(self, key: str) -> bool:
        return key in self.table

    def take(self, key: str) -> Any:
        self.asked.append(key)
        return self.table.get(key)

    def number(
        self,
        key: str,
        default: float | None = None,
        low: float = -math.inf,
        high: float = math.inf,
        unit: str = "",
        above: bool = False,
    ) -> float:
        """A finite number within bounds. `above`: the lower bound itself is not allowed."""
        value = self.take(key)
        if value is None and default is not None:
            return default
        fits = _is_number(value) and (low < value if above else low <= value) and value <= high
        if not fits:
            self.refuse(key, value, _bounds("a finite number", low, high, above, unit))
            return low if math.isfinite(low) and not above else 1.0
        return float(value)

    def numbers(
        self,
        key: str,
        count: int,
        default: Sequence[float] | None = None,
        unit: str = "",
        most: float = 1e6,
    ) -> tuple[float, ...]:
        """So many finite numbers, none larger than `most`."""
        value = self.take(key)
        if value is None and default is not None:
            return tuple(float(v) for v in default)
        good = isinstance(value, list | tuple) and len(value) == count
        if not good or not all(_is_number(v) and abs(v) <= most for v in value):
            self.refuse(key, value, _bounds(f"{count} finite numbers", -most, most, False, unit))
            return tuple(float(k == 0) for k in range(count))
        return tuple(float(v) for v in value)

    def direction(self, key: str, default: Sequence[float] | None = None) -> tuple[float, ...]:
        """Three numbers, not all zero, made a unit vector."""
        return self._unit(key, 3, default, "three numbers, not all zero")

    def attitude(self, key: str, default: Sequence[float] = (1, 0, 0, 0)) -> tuple[float, ...]:
        """A quaternion w, x, y, z, made unit."""
        return self._unit(key, 4, default, "four numbers w, x, y, z, not all zero")

    def _unit(
        self, key: str, count: int, default: Sequence[float] | None, allowed: str
    ) -> tuple[float, ...]:
        before = len(self.problems)
        value = self.numbers(key, count, default)
        length = math.sqrt(sum(v * v for v in value))
        if len(self.problems) == before and length < 1e-9:
            self.refuse(key, self.table.get(key), allowed)
            return (1.0, *(0.0,) * (count - 1))
        return tuple(v / length for v in value)

    def inertia(self, key: str) -> tuple[float, ...]:
        """Three or six moments (xx, yy, zz, xy, xz, yz); none given: zeros."""
        value = self.table.get(key)
        count = 6 if isinstance(value, list | tuple) and len(value) == 6 else 3
        found = self.numbers(key, count, (0.0,) * 3, "kg m^2")
        xx, yy, zz, xy, xz, yz = (*found, 0.0, 0.0, 0.0)[:6]
        if not _is_inertia(xx, yy, zz, xy, xz, yz):
            allowed = "the inertia of a body: moments positive, each at most the sum of the others"
            self.refuse(key, value, allowed)
        return (xx, yy, zz, xy, xz, yz)

    def text(self, key: str, default: str | None = None, most: int = 500) -> str:
        value = self.take(key)
        if value is None and default is not None:
            return default
        if not isinstance(value, str) or len(value) > most:
            self.refuse(key, value, f"a text of at most {most} characters")
            return ""
        return value

    def choice(self, key: str, choices: Sequence[str], default: str | None = None) -> str:
        value = self.take(key)
        if value is None and default is not None:
            return default
        if value not in choices:
            near = closest(value, choices) if isinstance(value, str) else ""
            self.refuse(key, value, "one of " + ", ".join(choices), near)
            return choices[0]
        return str(value)

    def inner(self, key: str) -> Reader:
        """A table within this one."""
        return Reader(self.take(key) or {}, self.at(key), self.problems, self.locate)

    def rows(self, key: str, most: int) -> list[Reader]:
        """An array of tables within this one."""
        value = self.take(key)
        value = [] if value is None else value
        if not isinstance(value, list) or len(value) > most:
            self.refuse(key, value, f"an array of at most {most} tables")
            return []
        made = enumerate(value)
        return [Reader(v, f"{self.at(key)}.{i}", self.problems, self.locate) for i, v in made]

    def done(self) -> None:
        """Refuse the keys that nobody asked for."""
        for key in self.table:
            if key not in self.asked:
                near = closest(str(key), self.asked)
                self.refuse(str(key), self.table[key], "one of " + ", ".join(self.asked), near)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _bounds(noun: str, low: float, high: float, above: bool, unit: str) -> str:
    parts = [noun]
    if math.isfinite(low):
        parts.append(f"{'>' if above else '>='} {low:g}")
    if math.isfinite(high):
        parts.append(("and " if math.isfinite(low) else "") + f"<= {high:g}")
    return " ".join(parts) + (f" [{unit}]" if unit else "")


def _is_inertia(xx: float, yy: float, zz: float, xy: float, xz: float, yz: float) -> bool:
    """Whether these can be the moments of a body, or are all zero."""
    import numpy as np

    moments = np.linalg.eigvalsh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    slack = 1e-9 * float(np.abs(moments).max())
    return bool(moments[0] >= -slack and moments[2] <= moments[0] + moments[1] + slack)
