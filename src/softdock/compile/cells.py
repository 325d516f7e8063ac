"""Where things stand in a flat array: each cell is declared once; offsets, size and docs derive.

`mem`, the loop's state, a row of the record, an outcome and a contact of the log are flat arrays of
float64. Their layouts are `Cells`, and a call of a layout is a view, in which a cell is an
attribute:

    LEDGER = Cells("energy_ledger", Cell("debt", float, "J", "not paid back"), Cell("work", 3, "J"))
    s = LEDGER(mem, base)               # the cells that begin at mem[base]
    s.debt += 1.0
    s.work = add(s.work, taken)         # three floats are a tuple

It reads the same in compiled code, where a view is one pointer (compile/views.py), and in plain
Python. `LEDGER(rows, i)` is row i of an array of two axes. What a cell may hold, its kind:

    float, int, bool        one number of the array, read and written as that
    3                       a tuple of so many floats; 1 is `float`
    tuple[float, int]       a tuple; so is (float, int)
    Motion                  a NamedTuple, read and written whole; its annotations are the layout
    OTHER                   other cells, as a view within the view: s.books.real += work
    many(4, kind)           elements by index: s.laws[i].stiffness, s.touched[i] = 1.0

A NamedTuple class is a declaration as well. `MOTION = layout_of(Motion)` has a cell for each field,
`Annotated[Vector, "m", "position"]` gives its unit and meaning, and `MOTION(mem, at).whole` is the
NamedTuple that stands there.
"""

from __future__ import annotations

import functools
import hashlib
from collections import namedtuple
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, get_args, get_origin, get_type_hints

WHOLE = "whole"  # of a view of a NamedTuple's cells: all of them, as that NamedTuple
NUMBERS = (float, int, bool)


@dataclass(frozen=True)
class Cell:
    """One named place, of a kind."""

    name: str  # attribute of a view, and in the offset table
    kind: Any = 1
    unit: str = "-"
    meaning: str = ""

    @property
    def holds(self) -> Any:
        """Its kind, with tuples spelled out: float, (float, float), a class, cells or `Many`."""
        return _normalise_kind(self.name, self.kind)

    @property
    def size(self) -> int:
        """Floats that it takes."""
        return count_floats(self.holds)


class Cells:
    """The cells of a flat array or slice, one after the other; `at`: their offsets by name."""

    def __init__(self, name: str, *cells: Cell, whole: Any = None):
        names = [cell.name for cell in cells]
        twice = sorted({one for one in names if names.count(one) > 1})
        if twice or WHOLE in names:
            raise ValueError(f"cells of '{name}': names twice {twice}, or one is named '{WHOLE}'")
        self.name, self.cells = name, cells
        offsets: list[Any] = []
        size = 0
        for cell in cells:
            offsets.append(size)
            size += cell.size
        self.size = size
        # a NamedTuple of ints: a compile-time constant in compiled code
        self.at: Any = namedtuple(f"{name}_cells", names)(*offsets) if cells else ()
        # what a view can read and write: offset and kind
        self.places: dict[str, tuple[int, Any]] = {
            cell.name: (first, cell.holds) for cell, first in zip(cells, offsets, strict=True)
        }
        if whole is not None:
            self.places[WHOLE] = (0, whole)
        self._whole = whole

    def __iter__(self) -> Iterator[Cell]:
        return iter(self.cells)

    def __call__(self, array: Any, at: Any = 0) -> Any:
        """A view of the cells that begin at `at`, in plain Python; of row `at`, where there are two
        axes."""
        return self.view(array[at], 0) if getattr(array, "ndim", 1) == 2 else self.view(array, at)

    def __reduce__(self) -> Any:
        if self._whole is not None:
            return layout_of, (self._whole,)
        return Cells, (self.name, *self.cells)

    @functools.cached_property
    def view(self) -> Any:
        """The class of views in plain Python: a property for each cell, and no other attributes."""
        scope: dict[str, Any] = {
            name: _make_property(first, kind) for name, (first, kind) in self.places.items()
        }
        return type(f"view of {self.name}", (_View,), {"__slots__": (), "_kind": self, **scope})

    def slice_of(self, name: str, base: int = 0) -> slice:
        """Where a cell stands in an array that holds these cells from `base` on."""
        cell = next(cell for cell in self.cells if cell.name == name)
        first = base + getattr(self.at, name)
        return slice(first, first + cell.size)

    def table(self) -> str:
        """The cells as rows of a Markdown table: offset, name, size, unit, meaning."""
        rows = ["| at | name | floats | unit | meaning |", "|---:|---|---:|---|---|"]
        for cell, first in zip(self.cells, self.at, strict=True):
            rows.append(f"| {first} | `{cell.name}` | {cell.size} | {cell.unit} | {cell.meaning} |")
        return "\n".join(rows) + "\n"


@dataclass(frozen=True)
class Many:
    """Elements of one kind, one after the other."""

    count: int
    of: Any

    def __reduce__(self) -> Any:
        return Many, (self.count, self.of)

    @functools.cached_property
    def view(self) -> Any:
        """The class of their views in plain Python."""
        scope = {
            "__slots__": (),
            "_kind": self,
            "_read": staticmethod(_make_reader(self.of)),
            "_write": staticmethod(_make_writer(self.of)),
            "_size": count_floats(self.of),
        }
        return type(f"view of {_describe(self)}", (_Elements,), scope)


def many(count: int, kind: Any = float) -> Many:
    """The kind of a cell of `count` elements, read and written by index."""
    return Many(count, _normalise_kind("element", kind))


@functools.cache
def layout_of(cls: Any) -> Cells:
    """The cells of a NamedTuple class, one for each field, in its order."""
    hints = get_type_hints(cls, include_extras=True)
    return Cells(cls.__name__.lower(), *(_field(n, hints[n]) for n in cls._fields), whole=cls)


def _field(name: str, hint: Any) -> Cell:
    """The cell of a field: its type may be `Annotated` with unit and meaning."""
    notes: tuple[str, ...] = ()
    if get_origin(hint) is Annotated:
        hint, *notes = get_args(hint)  # type: ignore[assignment]
    return Cell(name, _normalise_kind(name, hint), *notes)


def _normalise_kind(name: str, given: Any) -> Any:
    if isinstance(given, int) and given > 0:
        return float if given == 1 else (float,) * given
    if isinstance(given, tuple) or get_origin(given) is tuple:
        inner = given if isinstance(given, tuple) else get_args(given)
        return tuple(_normalise_kind(name, one) for one in inner)
    if given in NUMBERS or isinstance(given, Cells | Many) or hasattr(given, "_fields"):
        return given
    raise TypeError(f"'{name}': {given} is no kind of a cell (compile/cells.py)")


def count_floats(kind: Any) -> int:
    """Floats that a kind takes."""
    if kind in NUMBERS:
        return 1
    if isinstance(kind, tuple):
        return sum(count_floats(inner) for inner in kind)
    if isinstance(kind, Many):
        return kind.count * count_floats(kind.of)
    return (kind if isinstance(kind, Cells) else layout_of(kind)).size


def list_members(kind: Any) -> list[tuple[int, Any]]:
    """Offset and kind of every part of a tuple or a NamedTuple class."""
    if not isinstance(kind, tuple):
        return [layout_of(kind).places[name] for name in kind._fields]
    firsts = [count_floats(kind[:i]) for i in range(len(kind))]
    return list(zip(firsts, kind, strict=True))


def _describe(kind: Any) -> str:
    """The same text for the same layout, in every process."""
    if isinstance(kind, tuple):
        return f"({', '.join(_describe(inner) for inner in kind)})"
    if isinstance(kind, Many):
        return f"{kind.count} of {_describe(kind.of)}"
    if isinstance(kind, Cells):
        places = ", ".join(
            f"{name}: {_describe(inner)}" for name, (_, inner) in kind.places.items()
        )
        return f"{kind.name}({places})"
    inner = "" if kind in NUMBERS else _describe(tuple(one for _, one in list_members(kind)))
    return f"{kind.__module__}.{kind.__qualname__}{inner}"


@functools.cache
def hash_kind(kind: Any) -> str:
    """A hash of names, offsets and kinds: layouts that differ never have the same."""
    return hashlib.sha256(_describe(kind).encode()).hexdigest()[:16]


# Views in plain Python


class _View:
    """An array, and the offset of its first cell."""

    __slots__ = ("_array", "_at")
    _kind: Any

    def __init__(self, array: Any, at: Any):
        self._array, self._at = array, at


class _Elements(_View):
    """The same of elements."""

    __slots__ = ()
    _read: Callable[[Any, Any], Any]
    _write: Callable[[Any, Any, Any], None]
    _size: int

    def __getitem__(self, i: Any) -> Any:
        return self._read(self._array, self._at + i * self._size)

    def __setitem__(self, i: Any, value: Any) -> None:
        self._write(self._array, self._at + i * self._size, value)


def _make_property(first: int, kind: Any) -> property:
    read, write = _make_reader(kind), _make_writer(kind)
    return property(
        lambda self: read(self._array, self._at + first),
        lambda self, value: write(self._array, self._at + first, value),
    )


def _make_reader(kind: Any) -> Callable[[Any, Any], Any]:
    """A function of array and offset."""
    if kind is float:
        return lambda array, at: array[at]
    if kind is int:
        return lambda array, at: int(array[at])
    if kind is bool:
        return lambda array, at: bool(array[at] != 0)
    if isinstance(kind, Cells | Many):
        return lambda array, at: kind.view(array, at)
    if isinstance(kind, tuple) and set(kind) == {float}:
        size = len(kind)
        return lambda array, at: tuple(array[at : at + size])
    parts = [(first, _make_reader(inner)) for first, inner in list_members(kind)]
    made = tuple if isinstance(kind, tuple) else kind._make
    return lambda array, at: made([read(array, at + first) for first, read in parts])


def _make_writer(kind: Any) -> Callable[[Any, Any, Any], None]:
    """A function of array, offset and value."""
    if kind in NUMBERS:
        return _write_float if kind is float else functools.partial(_write_as, kind)
    if isinstance(kind, Cells | Many):
        size = count_floats(kind)

        def copy(array: Any, at: Any, value: Any) -> None:
            if getattr(value, "_kind", None) != kind:
                raise TypeError(f"{_describe(kind)} cannot be written from {value!r}")
            array[at : at + size] = value._array[value._at : value._at + size]

        return copy
    parts = [(first, _make_writer(inner)) for first, inner in list_members(kind)]
    wanted = tuple if isinstance(kind, tuple) else kind

    def write(array: Any, at: Any, value: Any) -> None:
        named = type(value) if hasattr(value, "_fields") else tuple
        if named is not wanted or len(value) != len(parts):
            raise TypeError(f"{_describe(kind)} cannot be written from {value!r}")
        for (first, write_part), one in zip(parts, value, strict=True):
            write_part(array, at + first, one)

    return write


def _write_float(array: Any, at: Any, value: Any) -> None:
    array[at] = value


def _write_as(kind: Any, array: Any, at: Any, value: Any) -> None:
    array[at] = kind(value)
