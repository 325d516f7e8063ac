"""Contact pairs from the parameter vector into `mem`. Real and wanted contact share the shape and
may differ in the law."""

from __future__ import annotations

from typing import Any

from softdock.compile.generated import generate
from softdock.compile.jit import compiled
from softdock.loop.contact.keys import LAW_KEYS, PAIR, SAME_AS_REAL, SHAPE_KEYS
from softdock.loop.contact.law import LAW_CELLS, NUMBER_CELLS
from softdock.loop.contact.laws import LAW_MODELS
from softdock.loop.contact.models import SHAPE_MODELS
from softdock.loop.contact.pair import IN_PAIR, LATCH, packed
from softdock.loop.contact.shape import IN_SHAPE
from softdock.loop.spatial.vectors import (
    add_scaled,
    dot,
    load3,
    norm,
    scale,
    store3,
    symmetric_inverse,
)

AT, IN_LAW = PAIR.at, LAW_CELLS.at
SPRINGS, DIRECTION = 4, AT.spring_2 - AT.spring_1  # how many; floats from one to the next
TIP = 1  # of the lever: from its pivot to the springs, and to the tip
ROWS = 1  # of a table's entry: its first float, and its number of rows
BLANK = ("",) * len(NUMBER_CELLS)  # keys of a law that says none


def _by_shape(name: str, arguments: str, of: str, nothing: str) -> Any:
    """A compiled function that calls the chosen shape's, with its own keys in place of `base`."""
    lines, scope = [], {}
    for i, (shape, own) in enumerate(zip(SHAPE_MODELS, SHAPE_KEYS, strict=True)):
        if len(shape.keys.parameters) == 0:
            continue
        scope[f"{name}_{i}"] = getattr(shape, of)
        called = arguments.replace("base", f"base + {own}").replace("geometry, ", "")
        lines.append(f"    if geometry == {i}:\n        return {name}_{i}({called})\n")
    text = f"def {name}({arguments}):\n{''.join(lines)}    return {nothing}\n"
    return generate(name, text, scope)


def _law_number(name: str, index: int) -> Any:
    """A compiled `name(vector, first, law)`: a number of a law, from the key that it says; 1 where
    it has none."""
    lines, keys = [], [(*law.numbers, *BLANK)[index] for law in LAW_MODELS]
    fields = {key: "factor" if key == "lambda" else key for key in keys}
    for i, key in reversed(list(enumerate(keys))):
        place = f"vector[first + {getattr(LAW_KEYS, fields[key])}]" if key else "1.0"
        if i == 0 or key != keys[0]:
            lines.append(
                f"    return {place}\n"
                if i == 0
                else f"    if law == {i}:\n        return {place}\n"
            )
    return generate(name, f"def {name}(vector, first, law):\n{''.join(lines)}", {})


def _numbers_of_law() -> Any:
    """A compiled function that stores all of them."""
    named = [f"{cell.name}_of_law" for cell in NUMBER_CELLS]
    scope = {name: _law_number(name, i) for i, name in enumerate(named)}
    stored = [
        f"    mem[own + {getattr(IN_LAW, cell.name)}] = {name}(vector, first, law)\n"
        for cell, name in zip(NUMBER_CELLS, named, strict=True)
    ]
    text = f"def store_law_numbers(vector, first, law, mem, own):\n{''.join(stored)}"
    return generate("store_law_numbers", text, scope)


_store_shape = _by_shape("store_shape", "geometry, vector, base, mem, at", "store", "None")
_is_closed = _by_shape("is_closed", "geometry, vector, base", "closed", "False")
_store_numbers = _numbers_of_law()


@compiled
def _law_of(vector, base, wanted):
    """Geometry; where the law's parameters begin; which law."""
    geometry, first = int(vector[base + AT.geometry]), base + AT.real_law
    if wanted and int(vector[base + AT.wanted_law]) != SAME_AS_REAL:
        first = base + AT.wanted_law
        return geometry, first, int(vector[first]) - 1
    return geometry, first, int(vector[first])


@compiled
def kind_of_pair(vector, base, wanted):
    """Geometry, law, and whether there are a bottom, springs and friction, in one whole number:
    what a kernel may be compiled for."""
    geometry, first, law = _law_of(vector, base, wanted)
    closed = 1 if _is_closed(geometry, vector, base) else 0
    soft = 1 if vector[base + AT.device] != 0.0 and first == base + AT.real_law else 0
    rubs = 1 if vector[first + LAW_KEYS.friction] > 0.0 else 0
    return packed(geometry, law, closed, soft, rubs)


@compiled
def device_compliance(vector, base):
    """Inverse stiffness of the tip on its four springs (compliance.py: device_matrix), m/N."""
    first = base + AT.spring_1
    probe = load3(vector, base + AT.spring_4)
    probe = scale(1.0 / norm(probe), probe)
    ratio = vector[base + AT.lever] / vector[base + AT.lever + TIP]
    xx, yy, zz, xy, xz, yz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(SPRINGS):
        direction = load3(vector, first + DIRECTION * i)
        l = scale(1.0 / norm(direction), direction)
        l = add_scaled(
            scale(ratio, l), (1.0 - ratio) * dot(probe, l), probe
        )  # what a motion of the tip does to this spring
        k = vector[base + AT.springs + i]
        xx, yy, zz = xx + k * l[0] * l[0], yy + k * l[1] * l[1], zz + k * l[2] * l[2]
        xy, xz, yz = xy + k * l[0] * l[1], xz + k * l[0] * l[2], yz + k * l[1] * l[2]
    return symmetric_inverse((xx, yy, zz, xy, xz, yz))


@compiled
def store_pair(vector, base, mem, at, wanted):
    """Prepare pair parameters from the vector into `mem`; `wanted`: with the law wanted in
    orbit."""
    geometry, first, law = _law_of(vector, base, wanted)
    axis, shape, own = load3(vector, base + AT.axis), at + IN_PAIR.shape, at + IN_PAIR.law
    mem[at + IN_PAIR.kind] = float(kind_of_pair(vector, base, wanted))
    store3(mem, at + IN_PAIR.tip, load3(vector, base + AT.tip))
    mem[at + IN_PAIR.tip_radius] = vector[base + AT.tip_radius]
    store3(mem, at + IN_PAIR.origin, load3(vector, base + AT.origin))
    store3(mem, shape + IN_SHAPE.axis, scale(1.0 / norm(axis), axis))
    _store_shape(geometry, vector, base, mem, shape)
    _store_numbers(vector, first, law, mem, own)
    table = first + LAW_KEYS.table
    mem[own + IN_LAW.at] = vector[table]
    mem[own + IN_LAW.rows] = vector[table + ROWS]
    mem[own + IN_LAW.friction] = vector[first + LAW_KEYS.friction]
    mem[own + IN_LAW.slip_speed] = vector[first + LAW_KEYS.slip]
    mem[at + LATCH] = 0.0
    soft = vector[base + AT.device] != 0.0 and first == base + AT.real_law
    if soft:
        compliance = device_compliance(vector, base)
        for i in range(len(compliance)):
            mem[at + IN_PAIR.compliance + i] = compliance[i]
