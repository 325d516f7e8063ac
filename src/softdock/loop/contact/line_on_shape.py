"""Where a straight line meets a contact pair's shape, and how squarely: asked of the shape's
declaration (`TargetShape.meets`, `faces`).

In: a point of the line and its direction n, out of the shape, target axes, from the target's centre
of mass [m]. Out: whether it meets the shape where that faces n, and the point. A shape that says
nothing is not met; `unmet` tells who must not ask.
"""

from __future__ import annotations

from typing import Any

from softdock.compile.generated import generate
from softdock.compile.jit import noinline
from softdock.loop.contact.keys import PAIR, SHAPE_KEYS
from softdock.loop.contact.line import nearest_on_line
from softdock.loop.contact.models import SHAPE_MODELS, shape_named
from softdock.loop.spatial.vectors import norm, scale, subtract


def unmet(name: str) -> bool:
    """Whether a shape does not say where a line meets it."""
    return shape_named(name).meets is None


def _asking(name: str, arguments: str, of: str, nothing: str) -> Any:
    """A compiled function that calls the chosen shape's, with its own keys in place of `at`."""
    lines, scope = [], {"nearest_on_line": nearest_on_line}
    handed = arguments.replace("geometry, ", "")
    for i, (shape, own) in enumerate(zip(SHAPE_MODELS, SHAPE_KEYS, strict=True)):
        if getattr(shape, of) is None:
            continue
        scope[f"{name}_{i}"] = getattr(shape, of)
        called = handed.replace("at", f"at + {own}", 1)
        lines.append(f"    if geometry == {i}:\n        return {name}_{i}({called})\n")
    text = f"def {name}({arguments}):\n{''.join(lines)}    return {nothing}\n"
    return generate(name, text, scope)


_meets = _asking(
    "shape_meets",
    "geometry, vector, at, origin, axis, p, n",
    "meets",
    "False, nearest_on_line(p, n, origin)",
)
_faces = _asking("shape_faces", "geometry, vector, at, axis, away, n", "faces", "-1.0")


@noinline
def on_pair(vector, at, p, n):
    """A contact pair's shape on the target; `at`: the pair in the vector."""
    keys = PAIR(vector, at)
    axis = scale(1.0 / norm(keys.axis), keys.axis)
    return _meets(int(keys.geometry), vector, at, keys.origin, axis, p, n)


@noinline
def facing(vector, at, p, n):
    """How squarely a line meets a contact pair's shape: the cosine between n and the surface's
    normal there; -1: it does not meet it."""
    met, point = on_pair(vector, at, p, n)
    if not met:
        return -1.0
    keys = PAIR(vector, at)
    axis = scale(1.0 / norm(keys.axis), keys.axis)
    away = subtract(point, keys.origin)
    return _faces(int(keys.geometry), vector, at, axis, away, n)
