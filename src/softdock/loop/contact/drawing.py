"""A shape for people and analyses, in plain numpy: how it is drawn, and where a tip may touch it.

Views are along the pair's axis (x of a chart) and across it; from the front, both across. `pair`:
the pair's table of a scenario, every default filled in.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

Pair = Mapping[str, Any]


class Outline(NamedTuple):
    """A line of a shape, m."""

    name: str
    x: np.ndarray
    y: np.ndarray


class Extent(NamedTuple):
    """What to show at first, in the chart's unit: the shape and some room around it."""

    x: list[float]
    y: list[float]


class Solid(NamedTuple):
    """A body as a scene draws it [m]: a ball, a profile turned about the pair's axis, or faces."""

    opening: float  # radius of its mouth; of a ball, or of what else is met from outside
    bottom: float = 0.0  # radius at the bottom of a hollow
    depth: float = 0.0  # from mouth to bottom; 0: there is no hollow
    # (radius, height along the axis) to be turned about it, the outside to the right of the way
    # with the axis upwards; empty: faces or a ball
    profile: tuple[tuple[float, float], ...] = ()
    # of a body that is not round, a box or an ellipsoid: from the pair's origin, target axes
    corners: tuple[tuple[float, float, float], ...] = ()
    # four corners each by number, counter-clockwise from outside; a triangle names its last twice
    faces: tuple[tuple[int, int, int, int], ...] = ()


class Place(NamedTuple):
    """One possible touch."""

    normal: np.ndarray  # out of the target, towards the chaser
    tip: np.ndarray  # m, centre of the chaser's tip from the target's centre of mass


class Flight(NamedTuple):
    """A tip at t = 0, before a shape; from the target's centre of mass, target axes."""

    origin: np.ndarray  # m, of the shape
    axis: np.ndarray  # its axis, of length one
    start: np.ndarray  # m, the tip's centre
    velocity: np.ndarray  # m/s, seen from the target
    radius: float  # m, of the tip


def no_lines(pair: Pair, from_front: bool) -> list[Outline]:
    return []


def everywhere(pair: Pair, factor: float) -> Extent | None:
    return None


def no_end(pair: Pair) -> Solid | None:
    return None


def no_radius(pair: Pair) -> float:
    return 0.0


@dataclass(frozen=True)
class Drawing:
    """What pages and analyses ask of a shape."""

    title: str  # of a chart of the gap
    caption: str
    places: Callable[[Pair, Flight], list[Place]]  # where the tip may touch, sampled
    # it has no axis to come along, and the gap is measured from its origin, not along its axis
    is_round: bool = False
    radius: Callable[[Pair], float] = no_radius  # m, taken off that distance
    # where the gap is neither: m from its surface to each of some places of a tip's centre, (n, 3)
    # from the pair's origin, target axes
    distance: Callable[[Pair, np.ndarray], np.ndarray] | None = None
    lines: Callable[[Pair, bool], list[Outline]] = no_lines  # (pair, from the front)
    # (pair, the chart's unit over m); None: a shape without edges
    near: Callable[[Pair, float], Extent | None] = everywhere
    # None: a wall without an end, of which a scene draws a piece
    solid: Callable[[Pair], Solid | None] = no_end


def circle(name: str, radius: float) -> Outline:
    angle = np.linspace(0.0, 2.0 * math.pi, 121)
    return Outline(name, radius * np.cos(angle), radius * np.sin(angle))


def stand_across(pair: Pair) -> np.ndarray:
    """The axis of a pair, its `across` made square to it, and the third, as rows."""
    axis, across = np.array(pair["axis"], float), np.array(pair["across"], float)
    axis = axis / np.linalg.norm(axis)
    across = across - (across @ axis) * axis
    across = across / np.linalg.norm(across)
    return np.stack([axis, across, np.cross(axis, across)])


def _towards_origin(pair: Pair, flight: Flight) -> list[Place]:
    away = flight.start - flight.origin
    normal = away / np.linalg.norm(away)
    return [Place(normal, flight.origin + flight.radius * normal)]


PLAIN = Drawing("Gap between tip and shape", "Negative: in contact.", _towards_origin)
