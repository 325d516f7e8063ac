"""A prepared contact pair: its structure, and where its numbers stand in `mem`.

The pairs and their latched sides live in `mem`, one after the other, because their number depends
on the scenario. What decides which code a pair goes through (shape, law, flags) is one whole
number, its kind, which a kernel may know beforehand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from softdock.compile.cells import Cell, Cells, count_floats
from softdock.compile.features import Every, Plain
from softdock.compile.generated import generate
from softdock.compile.jit import by_type, compiled
from softdock.loop.contact.law import LAW_CELLS, Law
from softdock.loop.contact.laws import LAWS
from softdock.loop.contact.models import GEOMETRIES
from softdock.loop.contact.shape import SHAPE_CELLS, Shape


class Pairs(NamedTuple):
    """How many pairs there are, and of what kind: `KIND_BITS` bits each."""

    number: int
    kinds: int
    features: Plain | Every


class KnownPair(NamedTuple):
    """One pair whose prepared numbers are at hand, rather than in `mem`: in a kernel whose runs all
    have it in common."""

    number: int
    kinds: int
    features: Plain | Every
    numbers: tuple  # as in `mem`


class Pair(NamedTuple):
    geometry: int  # index of models.GEOMETRIES
    tip: tuple  # p_CtipC_C, m
    tip_radius: float
    origin: tuple  # p_TO_T, m
    shape: Shape
    law: Law
    soft: bool = False  # the tip is held by springs
    # of the springs, m/N, chaser axes: xx, yy, zz, xy, xz, yz
    compliance: tuple = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    tips: int = 0  # address of a set of tips; 0: there is one


PAIR_CELLS = Cells(
    "pair",
    Cell("kind", int, "-", "shape, law and flags, in bits"),
    Cell("tip", 3, "m", "centre of the chaser's tip, chaser axes"),
    Cell("tip_radius", float, "m", "radius of the tip"),
    Cell("origin", 3, "m", "of the shape, target axes"),
    Cell("shape", SHAPE_CELLS),
    Cell("tips", int, "-", "address of a set of tips (tips.py); 0: there is one"),
    Cell("law", LAW_CELLS),
    Cell("latch", int, "-", "side of the touch under way; negative: where the tip last was"),
    Cell("compliance", 6, "m/N", "of the springs behind the tip, chaser axes"),
    Cell("states", int, "-", "where the states of its tips stand in `mem`; 0: there are none"),
)
PAIR_FLOATS, IN_PAIR = PAIR_CELLS.size, PAIR_CELLS.at
LATCH = IN_PAIR.latch

# a kind in bits, from the lowest: name, width; `more_*` are the higher bits of the first two
BITS = (
    ("geometry", 2),
    ("law", 3),
    ("closed", 1),
    ("soft", 1),
    ("rubs", 1),
    ("more_geometry", 3),
    ("more_law", 2),
)
KIND_BITS = sum(width for _, width in BITS)
WIDTH = dict(BITS)
SHIFT = {name: sum(w for _, w in BITS[:i]) for i, (name, _) in enumerate(BITS)}
MOST_SHAPES = 1 << (WIDTH["geometry"] + WIDTH["more_geometry"])
MOST_LAWS = 1 << (WIDTH["law"] + WIDTH["more_law"])
if len(GEOMETRIES) > MOST_SHAPES or len(LAWS) > MOST_LAWS:
    raise ValueError(f"a kind has room for {MOST_SHAPES} shapes and {MOST_LAWS} laws")


def _bits(name: str) -> str:
    return f"((kind >> {SHIFT[name]}) & {(1 << WIDTH[name]) - 1})"


def _number(name: str) -> str:
    return f"{_bits(name)} + ({_bits('more_' + name)} << {WIDTH[name]})"


def _packing() -> Any:
    """`packed(geometry, law, closed, soft, rubs)`: a kind."""
    parts = []
    for name in ("geometry", "law"):
        low, width = (1 << WIDTH[name]) - 1, WIDTH[name]
        parts.append(f"(({name} & {low}) << {SHIFT[name]})")
        parts.append(f"(({name} >> {width}) << {SHIFT['more_' + name]})")
    parts += [f"({name} << {SHIFT[name]})" for name in ("closed", "soft", "rubs")]
    text = f"def packed(geometry, law, closed, soft, rubs):\n    return {' + '.join(parts)}\n"
    return generate("packed", text, {})


def _loading(
    name: str, arguments: str, first_line: str, item: Callable[[str, int, Any], str]
) -> Any:
    """A compiled function that makes a `Pair` of its stored numbers; `item`: the source of one of
    them, by its name in PAIR_CELLS, its first float and its kind."""

    def read(cell: str) -> str:
        return item(cell, *PAIR_CELLS.places[cell])

    def fields(part: str, cells: Cells) -> str:
        base = getattr(IN_PAIR, part)
        places = [(one, *cells.places[one]) for one in cells.at._fields]
        return ", ".join(f"{one}={item(f'{part}.{one}', base + at, k)}" for one, at, k in places)

    shape = f"{fields('shape', SHAPE_CELLS)}, closed={_bits('closed')} != 0"
    law = f"kind={_number('law')}, {fields('law', LAW_CELLS)}, rubs={_bits('rubs')} != 0"
    text = (
        f"def {name}({arguments}):\n"
        f"{first_line}"
        f"    return Pair(\n"
        f"        geometry={_number('geometry')},\n"
        f"        tip={read('tip')},\n"
        f"        tip_radius={read('tip_radius')},\n"
        f"        origin={read('origin')},\n"
        f"        shape=Shape({shape}),\n"
        f"        law=Law({law}),\n"
        f"        soft={_bits('soft')} != 0,\n"
        f"        compliance={read('compliance')},\n"
        f"        tips={read('tips')},\n"
        f"    )\n"
    )
    scope = {"Pair": Pair, "Shape": Shape, "Law": Law, "PAIR_CELLS": PAIR_CELLS}
    return generate(name, text, scope)


def _in_array(name: str, first: int, kind: Any) -> str:
    return f"s.{name}"


def _in_tuple(name: str, first: int, kind: Any) -> str:
    items = [f"n[{first + i}]" for i in range(count_floats(kind))]
    if kind is int:
        return f"int({items[0]})"
    return items[0] if kind is float else f"({', '.join(items)})"


packed = _packing()
# a prepared pair; `kind` from `kind_in`, or of the loop's `Pairs`
load_pair = _loading("load_pair", "mem, at, kind", "    s = PAIR_CELLS(mem, at)\n", _in_array)
_pair_of_numbers = _loading("pair_of_numbers", "n, kind", "", _in_tuple)


@compiled
def kind_in(mem, at):
    return PAIR_CELLS(mem, at).kind


@compiled
def _stored_pair(pairs, mem, at, i):
    return load_pair(mem, at, pairs.kinds >> (KIND_BITS * i))


@compiled
def _known_pair(pairs, mem, at, i):
    return _pair_of_numbers(pairs.numbers, pairs.kinds)


@by_type(lambda cls: _known_pair if cls is KnownPair else _stored_pair)
def pair_here(pairs, mem, at, i):
    """Pair number i, whose part of `mem` begins at `at`."""
