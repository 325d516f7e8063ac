"""How a method lays out its slice of `mem`: cells with unit and meaning (compile/cells.py), the
recorded ones first.

    CELLS = Cells(
        "my_method",
        recorded("force", "N", "virtual force on the chaser", frame="world", parts="xyz"),
        Cell("last", 3, "m", "position of the cycle before"),
    )
    s = CELLS(mem, method.memory)    # in a hook: s.last, s.force = satellites.chaser.p, push
    Method(..., cells=CELLS)

What is recorded stands at the head of the slice, because a row of the record is copied from there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from softdock.compile.cells import Cell, Cells

Channel = tuple[str, str, str, str]  # name, unit, frame, meaning


@dataclass(frozen=True)
class Recorded(Cell):
    """A cell whose floats are channels of the record."""

    frame: str = "-"
    channels: tuple[str, ...] = ()  # one name per float


def recorded(
    name: str,
    unit: str = "-",
    meaning: str = "",
    frame: str = "-",
    parts: Sequence[str] = (),
    channel: str = "",
    kind: Any = None,
) -> Recorded:
    """A recorded cell. `parts`: suffixes of its channels, one per float; none: one float.
    `channel`: the name in the record, where it is not that of the cell. `kind`: what its floats
    are, where they are no number and no tuple (compile/cells.py)."""
    stem = channel or name
    names = tuple(f"{stem}.{part}" for part in parts) or (stem,)
    cell = Recorded(name, len(names) if kind is None else kind, unit, meaning, frame, names)
    if cell.size != len(names):
        raise ValueError(f"cell '{name}' has {cell.size} floats and {len(names)} channels")
    return cell


def channels_of(cells: Cells) -> tuple[Channel, ...]:
    """What a method records, from its cells."""
    found: list[Channel] = []
    ended = False
    for cell in cells:
        if not isinstance(cell, Recorded):
            ended = True
            continue
        if ended:
            raise ValueError(f"cells of '{cells.name}': '{cell.name}' is recorded and not first")
        found += [(name, cell.unit, cell.frame, cell.meaning) for name in cell.channels]
    return tuple(found)


def floats_of(cells: Cells) -> Callable[[dict[str, Any], float], int]:
    """A function for `Method.memory`, where the slice does not depend on the method's keys."""
    return lambda values, T: cells.size


def numbered(names: Any) -> list[str]:
    """Names of listed methods as channels and books have them: a second one of a name is
    `name_2`."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return found
