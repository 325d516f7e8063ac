"""The target's shape behind a path, from the side or from the front: as the shape draws itself
(core/shapes)."""

from __future__ import annotations

from softdock.core.shapes.drawing import Extent
from softdock.report.frame.charts import Line
from softdock.report.run.approach import View


def near(view: View, factor: float) -> Extent | None:
    """What to show at first of a path, in the chart's unit. None for a shape without edges."""
    return view.drawing.near(view.pair, factor) if view.geometry else None


def outline(view: View, factor: float, from_front: bool) -> list[Line]:
    """Lines in the chart's unit; a wall has no edge to show."""
    lines = view.drawing.lines(view.pair, from_front) if view.geometry else []
    return [Line(one.name, "measured", factor * one.x, factor * one.y, width=3.0) for one in lines]
