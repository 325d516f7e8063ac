"""Which shapes of a scenario the re-mapping cannot work with. Plain Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from softdock.loop.contact.line_on_shape import unmet

Problems = list[tuple[str, Any, str]]


def unmet_shapes(values: Mapping[str, Any], tables: Mapping[str, Any]) -> Problems:
    """Shapes that do not say where a line of action meets them, where that must be known: for the
    contact point, or to tell which of several on one tip is touched."""
    problems: Problems = []
    pairs = tables["contact"]
    asked = values["contact_point"] == "shape" and values.get("surface.shape") == "scenario"
    for i, pair in enumerate(pairs):
        if not unmet(pair["geometry"]):
            continue
        where = f"contact.{i} is a {pair['geometry']}, of which no line's intersection is known"
        if asked:
            allowed = f"tip or wrench, or a surface.shape of its own: {where}"
            problems.append(("contact_point", "shape", allowed))
        elif sum(other["tip_m"] == pair["tip_m"] for other in pairs) > 1:
            problems.append(("name", "remapping", f"one contact pair a tip, where {where}"))
    return problems
