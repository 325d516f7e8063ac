"""Structures in flat arrays: `store` and `load`, generated from a NamedTuple class and its `Cells`.

    store_tracker, load_tracker = storing(Tracker, TRACKER)     # the class and its cells
    store_tracker(flat, at, tracker)                            # at: first float of the slice
    load_tracker(flat, at)

A field is stored by its type: a float as it is, a whole number as a float, a flag as 0 or 1, a
tuple one number after the other, a structure by its own pair of functions. Cells and fields must
have the same names; their order may differ.
"""

from __future__ import annotations

from typing import Any, get_type_hints

from softdock.compile.cells import Cells
from softdock.compile.generated import generate
from softdock.loop.spatial.motion import (
    MOTION,
    WRENCH,
    Motion,
    Wrench,
    load_motion,
    load_wrench,
    store_motion,
    store_wrench,
)
from softdock.loop.spatial.rigid_body import BODY_STATE, Body, load_body, store_body
from softdock.loop.spatial.vectors import load3, load4, store3, store4

# structures that can be fields of others: size, and functions that store and load them
_KEPT: dict[Any, tuple[int, Any, Any]] = {
    Motion: (MOTION.size, store_motion, load_motion),
    Wrench: (WRENCH.size, store_wrench, load_wrench),
    Body: (BODY_STATE.size, store_body, load_body),
}
_TUPLES = {3: (store3, load3), 4: (store4, load4)}


def _field(hint: Any, size: int, value: str, place: str, name: str) -> tuple[list[str], str, dict]:
    """Statements that store a field, the expression that loads it, and the functions they use."""
    if hint in _KEPT or (hint is tuple and size in _TUPLES):
        floats, store, load = _KEPT.get(hint) or (size, *_TUPLES[size])
        if floats != size:
            raise ValueError(f"cell '{name}' has {size} floats, its structure {floats}")
        used = {f"store_{name}": store, f"load_{name}": load}
        return [f"store_{name}(array, {place}, {value})"], f"load_{name}(array, {place})", used
    if hint is tuple:
        items = [f"array[{place} + {i}]" for i in range(size)]
        stored = [f"{item} = {value}[{i}]" for i, item in enumerate(items)]
        return stored, f"({', '.join(items)})", {}
    if size != 1 or hint not in (float, int, bool):
        raise ValueError(f"cell '{name}': {size} floats of {hint}")
    item = f"array[{place}]"
    if hint is bool:
        return [f"{item} = 1.0 if {value} else 0.0"], f"{item} != 0.0", {}
    if hint is int:
        return [f"{item} = float({value})"], f"int({item})", {}
    return [f"{item} = {value}"], item, {}


def storing(cls: Any, cells: Cells) -> tuple[Any, Any]:
    """Compiled `store(array, at, it)` and `load(array, at)` of a NamedTuple class."""
    sizes = {cell.name: cell.size for cell in cells}
    if set(sizes) != set(cls._fields):
        raise ValueError(f"cells of {cls.__name__}: {set(sizes) ^ set(cls._fields)}")
    hints, name = get_type_hints(cls), cls.__name__.lower()
    stores, loads, scope = [], [], {cls.__name__: cls}
    for field in cls._fields:
        place = f"at + {getattr(cells.at, field)}"
        lines, loaded, used = _field(hints[field], sizes[field], f"it.{field}", place, field)
        stores += [f"    {line}\n" for line in lines]
        loads.append(f"        {field}={loaded},\n")
        scope |= used
    store = generate(f"store_{name}", f"def store_{name}(array, at, it):\n{''.join(stores)}", scope)
    text = f"def load_{name}(array, at):\n    return {cls.__name__}(\n{''.join(loads)}    )\n"
    load = generate(f"load_{name}", text, scope)
    _KEPT[cls] = (cells.size, store, load)
    return store, load
