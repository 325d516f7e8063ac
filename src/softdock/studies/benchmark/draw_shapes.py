"""Shapes of random cases and where the chaser begins: `gap` metres before its first touch, on the
positive x axis of the target, which it approaches along minus x."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

WALL, BALLS, CONE, PETALS = "wall", "balls", "cone", "petals"
SHAPES = (WALL, WALL, BALLS, CONE, PETALS)  # walls twice: they carry the laws
TIP = 0.02  # m, radius of a tip
BALL = 0.25  # m, radius of each ball
MOUTH, BOTTOM, HALF_ANGLE = 0.08, 0.025, 30.0  # m, m, deg
LEAN = math.radians(60.0)  # of a petal's normal from the axis


class PlacedShape(NamedTuple):
    """Contact pairs without their law, the chaser's place, and the lever of the force [m]."""

    pairs: list[dict[str, Any]]
    chaser_m: list[float]
    lever: float


def draw_shape(shape: str, random: np.random.Generator, gap: float) -> PlacedShape:
    """A shape with its sizes and offsets drawn."""
    make = {WALL: _draw_wall, BALLS: _draw_balls, CONE: _draw_cone, PETALS: _draw_petals}[shape]
    return make(random, gap)


def round_as_written(x: float) -> float:
    """Five digits: what a person would write into a file."""
    return float(f"{float(x):.5g}")


def _draw_wall(random: np.random.Generator, gap: float) -> PlacedShape:
    """A tip beside the centre of mass; half of the draws are central."""
    aside = [0.0, 0.0]
    if random.random() < 0.5:
        aside = [round_as_written(x) for x in random.uniform(-0.2, 0.2, 2)]
    pair = {
        "geometry": "wall",
        "tip_m": [-0.4, *aside],
        "tip_radius_m": TIP,
        "axis": [1.0, 0.0, 0.0],
    }
    return PlacedShape([pair], [round_as_written(0.4 + TIP + gap), 0.0, 0.0], math.hypot(*aside))


def _draw_balls(random: np.random.Generator, gap: float) -> PlacedShape:
    across = [round_as_written(x) for x in random.uniform(-0.2, 0.2, 2)]
    along = math.sqrt((2.0 * BALL) ** 2 - across[0] ** 2 - across[1] ** 2)
    pair = {
        "geometry": "sphere",
        "tip_m": [-0.05, 0.0, 0.0],
        "tip_radius_m": BALL,
        "origin_m": [0.1, 0.0, 0.0],
        "sphere_radius_m": BALL,
    }
    return PlacedShape([pair], [round_as_written(0.15 + along + gap), *across], 0.02)


def _draw_cone(random: np.random.Generator, gap: float) -> PlacedShape:
    """A probe into a closed cone; the gap is to the plane of its mouth."""
    angle, off = random.uniform(0.0, 2.0 * math.pi), random.uniform(0.0, 0.6) * MOUTH
    pair = {
        "geometry": "cone",
        "tip_m": [-0.6, 0.0, 0.0],
        "tip_radius_m": 0.01,
        "origin_m": [0.6, 0.0, 0.0],
        "axis": [1.0, 0.0, 0.0],
        "mouth_radius_m": MOUTH,
        "bottom_radius_m": BOTTOM,
        "half_angle_deg": HALF_ANGLE,
        "closed_bottom": True,
    }
    at = [
        round_as_written(1.2 + gap),
        round_as_written(off * math.cos(angle)),
        round_as_written(off * math.sin(angle)),
    ]
    return PlacedShape([pair], at, 0.5)


def _draw_petals(random: np.random.Generator, gap: float) -> PlacedShape:
    """A ball between three plates that lean inwards and meet on the axis."""
    turn = random.uniform(0.0, 2.0 * math.pi)
    off, where = random.uniform(0.0, 0.03), random.uniform(0.0, 2.0 * math.pi)
    pairs: list[dict[str, Any]] = []
    for i in range(3):
        angle = turn + 2.0 * math.pi * i / 3.0
        axis = [math.cos(LEAN), math.sin(LEAN) * math.cos(angle), math.sin(LEAN) * math.sin(angle)]
        pairs.append(
            {
                "geometry": "wall",
                "tip_m": [-0.5, 0.0, 0.0],
                "tip_radius_m": TIP,
                "origin_m": [0.4, 0.0, 0.0],
                "axis": [round_as_written(x) for x in axis],
            }
        )
    # the nearest plate is touched where the ball's centre is TIP before it
    y, z = off * math.cos(where), off * math.sin(where)
    nearest = max((TIP - p["axis"][1] * y - p["axis"][2] * z) / p["axis"][0] for p in pairs)
    return PlacedShape(
        pairs,
        [round_as_written(0.9 + nearest + gap), round_as_written(y), round_as_written(z)],
        0.4,
    )
