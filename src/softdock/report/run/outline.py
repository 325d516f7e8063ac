"""The target's shape behind a path: the wall, the sphere or the cone, from the side or from the
front."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from softdock.report.frame.charts import Line
from softdock.report.run.approach import View


class Near(NamedTuple):
    """What to show at first of a path, in the chart's unit: the shape and some room around it."""

    x: list[float]
    y: list[float]


def near(view: View, factor: float) -> Near | None:
    """None for a shape without edges."""
    if view.geometry != "cone":
        return None
    mouth, depth = factor * view.pair["mouth_radius_m"], factor * _depth(view)
    return Near([-1.25 * depth, 0.75 * depth], [-1.5 * mouth, 1.5 * mouth])


def outline(view: View, factor: float, from_front: bool) -> list[Line]:
    """Lines in the chart's unit; a wall has no edge to show."""
    if view.geometry == "cone":
        return _cone(view, factor, from_front)
    if view.geometry == "sphere":
        radius = view.pair.get("sphere_radius_m", 0.0)
        return [_body("sphere", *_circle(radius), factor)]
    return []


def _cone(view: View, factor: float, from_front: bool) -> list[Line]:
    mouth, bottom = view.pair["mouth_radius_m"], view.pair["bottom_radius_m"]
    if from_front:
        rings = [_body("mouth of the cone", *_circle(mouth), factor)]
        return rings + (
            [_body("bottom of the cone", *_circle(bottom), factor)] if bottom > 0.0 else []
        )
    depth = _depth(view)
    x, y = np.array([0.0, -depth, -depth, 0.0]), np.array([mouth, bottom, -bottom, -mouth])
    if not view.pair["closed_bottom"]:  # two walls, nothing between them
        x, y = np.insert(x, 2, np.nan), np.insert(y, 2, np.nan)
    return [_body("cone", x, y, factor)]


def _depth(view: View) -> float:
    return float(
        (view.pair["mouth_radius_m"] - view.pair["bottom_radius_m"])
        / math.tan(math.radians(view.pair["half_angle_deg"]))
    )


def _circle(radius: float) -> tuple[np.ndarray, np.ndarray]:
    angle = np.linspace(0.0, 2.0 * math.pi, 121)
    return radius * np.cos(angle), radius * np.sin(angle)


def _body(name: str, x: np.ndarray, y: np.ndarray, factor: float) -> Line:
    return Line(name, "measured", factor * x, factor * y, width=3.0)
