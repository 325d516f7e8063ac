"""Reading tables that a person wrote: every value checked, every key known, all problems at once.

`Reader` walks one table of a file by the declarations of its keys (schema.py). What is wrong goes
onto one list, with a value in its place that lets the reading go on; `done` refuses the keys that
nobody asked for. The caller raises `BadInput` when the whole is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from softdock.errors import Problem, closest
from softdock.files.schema import OPTIONAL, Parameter, list_keys
from softdock.files.values import Refused, to_value

T = TypeVar("T")
Locate = Callable[[str], str]  # path of a key -> file:line
MOST_PROBLEMS = 1000  # that are looked for; the first ones are shown
NOTHING: Mapping[str, Any] = {}


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
        self.chosen: dict[str, Any] = {}  # the choices of this table so far
        self.refused_choices: list[str] = []  # those of them that are none
        self.table: Mapping[str, Any] = table if isinstance(table, Mapping) else {}
        if not isinstance(table, Mapping):
            self.problems.append(Problem(path, table, "a table", locate(path)))

    def at(self, key: str) -> str:
        """Path of a key in the file."""
        return f"{self.path}.{key}" if self.path and key else self.path or key

    def refuse(self, key: str, value: Any, allowed: str, suggestion: str = "") -> None:
        where = self.at(key)
        self.problems.append(
            Problem(where, value, allowed, self.locate(where), suggestion=suggestion)
        )

    def refuse_value(self, parameter: Parameter, value: Any, why: Refused) -> None:
        """With the nearest choice, where there are choices."""
        near = closest(value, parameter.choices) if isinstance(value, str) else ""
        self.refuse(parameter.key, value, str(why), near)

    def has(self, key: str) -> bool:
        return key in self.table

    def take(self, key: str) -> Any:
        """A value as it was written; None: it was not."""
        self.asked.append(key)
        return self.table.get(key)

    def find_value(self, parameter: Parameter, values: Mapping[str, Any] = NOTHING) -> Any:
        """What the user wrote for a key, or its default; None if there is nothing to check.
        `values`: by key, for a default that is another key's value."""
        applies, given = self.applies(parameter), self.has(parameter.key)
        value = self.take(parameter.key)
        if given:
            if not applies:
                chooser, names = parameter.when or ("", ())
                allowed = f"nothing here: it applies only for {chooser} = {' or '.join(names)}"
                self.refuse(parameter.key, value, allowed)
                return None
            if value is None:
                self.refuse(parameter.key, None, parameter.allowed)
            return value
        if not applies or self.is_open(parameter) or parameter.default is OPTIONAL:
            return None
        if parameter.default is None:
            self.refuse(parameter.key, None, parameter.allowed)
            return None
        if isinstance(parameter.default, str) and parameter.default.startswith("@"):
            return values.get(parameter.default[1:])
        return (
            list(parameter.default) if isinstance(parameter.default, tuple) else parameter.default
        )

    def applies(self, parameter: Parameter) -> bool:
        """Whether a key belongs to what is chosen in this table."""
        if parameter.choices:
            self.chosen[parameter.key] = self.table.get(parameter.key, parameter.default)
            if self.chosen[parameter.key] not in parameter.choices:
                self.refused_choices.append(parameter.key)
        if parameter.when is None or self.is_open(parameter):
            return True
        chooser, names = parameter.when
        return self.chosen.get(chooser) in names

    def is_open(self, parameter: Parameter) -> bool:
        """Whether it cannot be known if a key applies: the choice is refused itself."""
        return parameter.when is not None and parameter.when[0] in self.refused_choices

    def value(self, parameter: Parameter) -> Any:
        """One value, checked and in SI. Of a refused one its default, or something of its kind, to
        go on with; None: the key does not apply, or may be left out and is."""
        before = len(self.problems)
        raw = self.find_value(parameter)
        if raw is None:
            return _stand_in(parameter) if len(self.problems) > before else None
        if not self.has(parameter.key):
            return _default(parameter)
        try:
            return to_value(parameter, raw)
        except Refused as why:
            self.refuse_value(parameter, raw, why)
            return _stand_in(parameter)

    def read(self, keys: Iterable[Parameter]) -> dict[str, Any]:
        """The values of so many keys, by their names in the program."""
        return {each.name: self.value(each) for each in keys}

    def read_dataclass(self, table: type[T], instead: Mapping[str, Any] = NOTHING) -> T:
        """The whole table as a dataclass whose fields are declared keys. `instead`: defaults other
        than the field's own."""
        keys = [
            replace(each, default=instead[each.name]) if each.name in instead else each
            for each in list_keys(table)  # type: ignore[arg-type]
        ]
        values = self.read(keys)
        self.done()
        return table(**values)

    def inner(self, key: str, allowed: str = "a table") -> Reader:
        """A table within this one."""
        value = self.take(key)
        if value is not None and not isinstance(value, Mapping):
            self.refuse(key, value, allowed)
            value = None
        return Reader({} if value is None else value, self.at(key), self.problems, self.locate)

    def rows(self, key: str, most: int) -> list[Reader]:
        """An array of tables within this one."""
        value = self.take(key)
        value = [] if value is None else value
        if not isinstance(value, list) or len(value) > most:
            self.refuse(key, value, f"an array of at most {most} tables")
            return []
        return [
            Reader(each, f"{self.at(key)}.{i}", self.problems, self.locate)
            for i, each in enumerate(value)
        ]

    def done(self) -> None:
        """Refuse the keys that nobody asked for."""
        for key in self.table:
            if len(self.problems) >= MOST_PROBLEMS:
                break
            if key not in self.asked:
                near = closest(str(key), self.asked)
                self.refuse(str(key), self.table[key], "one of " + ", ".join(self.asked), near)


def _default(parameter: Parameter) -> Any:
    """A default as a program uses it; it may lie outside the range, as infinity for "unknown"."""
    value = parameter.default
    if parameter.choices or parameter.kind in ("flag", "integer", "text", "address", "own"):
        return value
    if isinstance(value, tuple):
        return tuple(parameter.scale * x for x in value)
    return parameter.scale * value


def _stand_in(parameter: Parameter) -> Any:
    """Something to go on with in place of a refused value."""
    if parameter.default is OPTIONAL:
        return None
    if parameter.default is not None:
        return _default(parameter)
    if parameter.choices:
        return parameter.choices[0]
    if parameter.kind in ("text", "address"):
        return ""
    return 1.0 if parameter.size == 1 else (1.0, *(0.0,) * (parameter.size - 1))
