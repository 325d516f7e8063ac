"""A truncated hollow cone for people and analyses (drawing.py): its outline, and where a tip may
touch it."""

from __future__ import annotations

import math

import numpy as np

from softdock.core.shapes.drawing import (
    Drawing,
    Extent,
    Flight,
    Outline,
    Pair,
    Place,
    Solid,
    circle,
)

AZIMUTHS, HEIGHTS = 48, 3  # of the normals that an analysis looks at


def _profile(pair: Pair) -> tuple[float, float, float]:
    """Radii of mouth and bottom, and depth [m]."""
    mouth, bottom = float(pair["mouth_radius_m"]), float(pair["bottom_radius_m"])
    return mouth, bottom, (mouth - bottom) / math.tan(math.radians(pair["half_angle_deg"]))


def _places(pair: Pair, flight: Flight) -> list[Place]:
    """The inner wall at every azimuth from mouth to bottom, and the bottom plate."""
    origin, axis, _, _, radius = flight
    across = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    across = across / np.linalg.norm(across)
    third = np.cross(axis, across)
    half = math.radians(pair["half_angle_deg"])
    mouth, bottom, depth = _profile(pair)
    places = []
    for azimuth in 2.0 * math.pi * np.arange(AZIMUTHS) / AZIMUTHS:
        out = math.cos(azimuth) * across + math.sin(azimuth) * third
        normal = math.sin(half) * axis - math.cos(half) * out
        for down in np.linspace(0.0, 1.0, HEIGHTS):
            on_wall = origin - down * depth * axis + (mouth + down * (bottom - mouth)) * out
            places.append(Place(normal, on_wall + radius * normal))
    if pair["closed_bottom"]:
        places.append(Place(axis, origin + (radius - depth) * axis))
    return places


def _lines(pair: Pair, from_front: bool) -> list[Outline]:
    mouth, bottom, depth = _profile(pair)
    if from_front:
        rings = [circle("mouth of the cone", mouth)]
        return rings + ([circle("bottom of the cone", bottom)] if bottom > 0.0 else [])
    x, y = np.array([0.0, -depth, -depth, 0.0]), np.array([mouth, bottom, -bottom, -mouth])
    if not pair["closed_bottom"]:  # two walls, nothing between them
        x, y = np.insert(x, 2, np.nan), np.insert(y, 2, np.nan)
    return [Outline("cone", x, y)]


def _near(pair: Pair, factor: float) -> Extent:
    mouth, _, depth = (factor * size for size in _profile(pair))
    return Extent([-1.25 * depth, 0.75 * depth], [-1.5 * mouth, 1.5 * mouth])


def _solid(pair: Pair) -> Solid:
    """Outline with its wall: in at the mouth, down to the bottom, out and up again."""
    angle, thick = math.radians(pair["half_angle_deg"]), float(pair["wall_thickness_m"])
    mouth, bottom, deep = _profile(pair)
    out, down = thick * math.cos(angle), thick * math.sin(angle)
    inner = [(mouth, 0.0), (bottom, -deep)]
    outer = [(bottom + out, -deep - down), (mouth + out, -down)]
    if pair["closed_bottom"]:
        inner.append((0.0, -deep))
        outer = [(0.0, -deep - thick), (bottom + out, -deep - thick), outer[1]]
    return Solid(mouth, bottom, deep, (*inner, *outer, (mouth, 0.0)))


CONE_DRAWING = Drawing(
    "Tip before the mouth of the cone",
    "Along the cone's axis. Negative: inside.",
    _places,
    lines=_lines,
    near=_near,
    solid=_solid,
)
