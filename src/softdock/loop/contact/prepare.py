"""Contact pairs from the parameter vector into `mem`. Real and wanted contact share the shape and
may differ in the law."""

from __future__ import annotations

from typing import Any

from softdock.compile.generated import generate
from softdock.compile.jit import compiled
from softdock.loop.contact.keys import (
    LAW_PARAMETERS,
    NO_ATTRIBUTES,
    PAIR,
    SAME_AS_REAL,
    SHAPE_KEYS,
)
from softdock.loop.contact.law import NUMBERS
from softdock.loop.contact.laws import LAW_MODELS
from softdock.loop.contact.models import SHAPE_MODELS
from softdock.loop.contact.pair import PAIR_CELLS, packed
from softdock.loop.spatial.vectors import (
    add_scaled,
    dot,
    norm,
    scale,
    symmetric_inverse,
)

AT = PAIR.at
BLANK = ("",) * len(NUMBERS)  # keys of a law that says none


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
    """A compiled `name(keys, law)`: a number of a law, from the key that it says; 1 where it has
    none. `keys`: a view of LAW_PARAMETERS."""
    lines, keys = [], [(*law.numbers, *BLANK)[index] for law in LAW_MODELS]
    for i, key in reversed(list(enumerate(keys))):
        place = f"keys.{NO_ATTRIBUTES.get(key, key)}" if key else "1.0"
        if i == 0 or key != keys[0]:
            lines.append(
                f"    return {place}\n"
                if i == 0
                else f"    if law == {i}:\n        return {place}\n"
            )
    return generate(name, f"def {name}(keys, law):\n{''.join(lines)}", {})


def _storing_numbers() -> Any:
    """A compiled function that stores all of them into a view of LAW_CELLS."""
    functions = {f"find_{name}": _law_number(f"find_{name}", i) for i, name in enumerate(NUMBERS)}
    lines = [f"    numbers.{name} = find_{name}(keys, law)\n" for name in NUMBERS]
    text = f"def store_law_numbers(keys, law, numbers):\n{''.join(lines)}"
    return generate("store_law_numbers", text, functions)


_store_shape = _by_shape("store_shape", "geometry, vector, base, numbers", "store", "None")
_is_closed = _by_shape("is_closed", "geometry, vector, base", "closed", "False")
_store_numbers = _storing_numbers()


@compiled
def _find_law(vector, base, wanted):
    """Geometry; where the law's parameters begin; which law."""
    keys = PAIR(vector, base)
    geometry, first = int(keys.geometry), base + AT.real_law
    if wanted and int(keys.wanted_law) != SAME_AS_REAL:
        return geometry, base + AT.wanted_law, int(keys.wanted_law) - 1
    return geometry, first, int(keys.real_law)


@compiled
def _is_soft(vector, base, first):
    """Whether springs hold the tip: in the real contact alone."""
    return PAIR(vector, base).device != 0.0 and first == base + AT.real_law


@compiled
def kind_of_pair(vector, base, wanted):
    """Geometry, law, and whether there are a bottom, springs and friction, in one whole number:
    what a kernel may be compiled for."""
    geometry, first, law = _find_law(vector, base, wanted)
    closed = 1 if _is_closed(geometry, vector, base) else 0
    soft = 1 if _is_soft(vector, base, first) else 0
    rubs = 1 if LAW_PARAMETERS(vector, first).friction > 0.0 else 0
    return packed(geometry, law, closed, soft, rubs)


@compiled
def device_compliance(vector, base):
    """Inverse stiffness of the tip on its four springs (compliance.py: device_matrix), m/N."""
    keys = PAIR(vector, base)
    directions = (keys.spring_1, keys.spring_2, keys.spring_3, keys.spring_4)
    probe = scale(1.0 / norm(keys.spring_4), keys.spring_4)
    ratio = keys.lever[0] / keys.lever[1]  # from its pivot: to the springs over to the tip
    xx, yy, zz, xy, xz, yz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(len(directions)):
        l = scale(1.0 / norm(directions[i]), directions[i])
        l = add_scaled(
            scale(ratio, l), (1.0 - ratio) * dot(probe, l), probe
        )  # what a motion of the tip does to this spring
        k = keys.springs[i]
        xx, yy, zz = xx + k * l[0] * l[0], yy + k * l[1] * l[1], zz + k * l[2] * l[2]
        xy, xz, yz = xy + k * l[0] * l[1], xz + k * l[0] * l[2], yz + k * l[1] * l[2]
    return symmetric_inverse((xx, yy, zz, xy, xz, yz))


@compiled
def store_pair(vector, base, mem, at, wanted):
    """Prepare pair parameters from the vector into `mem`; `wanted`: with the law wanted in
    orbit."""
    geometry, first, law = _find_law(vector, base, wanted)
    keys, law_keys, s = PAIR(vector, base), LAW_PARAMETERS(vector, first), PAIR_CELLS(mem, at)
    s.kind = kind_of_pair(vector, base, wanted)
    s.tip = keys.tip
    s.tip_radius = keys.tip_radius
    s.tips = int(keys.tips)
    s.origin = keys.origin
    s.shape.axis = scale(1.0 / norm(keys.axis), keys.axis)
    _store_shape(geometry, vector, base, s.shape)
    _store_numbers(law_keys, law, s.law)
    s.law.at, s.law.rows = law_keys.table
    s.law.friction = law_keys.friction
    s.law.slip_speed = law_keys.slip
    s.law.bristle = law_keys.bristle
    s.law.patch = law_keys.patch
    s.states = 0
    s.latch = 0
    if _is_soft(vector, base, first):
        s.compliance = device_compliance(vector, base)
