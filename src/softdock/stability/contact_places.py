"""Where a contact pair can touch, and with which normal: from a scenario's tables, at the bodies'
attitudes at the start.

A wall has one normal. A sphere has those of the half that faces the tip; a cone those of its inner
wall at every azimuth from mouth to bottom, and of its bottom plate. Positions from the target's
centre of mass, all in world axes.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from softdock.core.spatial.arrays import matrix

AZIMUTHS, HEIGHTS, DIRECTIONS = 48, 3, 200


class Place(NamedTuple):
    """One possible touch."""

    normal: np.ndarray  # out of the target, towards the chaser
    tip: np.ndarray  # m, centre of the chaser's tip from the target's centre of mass


def tip_motion(tables: dict[str, Any], pair: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """The tip's centre from the target's centre of mass at t = 0, and its velocity seen from the
    target, world axes [m, m/s]."""
    c, t = tables["chaser"], tables["target"]
    R_c, R_t = matrix(c["attitude_wxyz"]), matrix(t["attitude_wxyz"])
    arm = R_c @ np.asarray(pair["tip_m"], float)
    at = np.asarray(c["position_m"], float) - np.asarray(t["position_m"], float) + arm
    v = np.asarray(c["velocity_m_per_s"], float) + np.cross(
        R_c @ np.asarray(c["rate_rad_per_s"], float), arm
    )
    v = (
        v
        - np.asarray(t["velocity_m_per_s"], float)
        - np.cross(R_t @ np.asarray(t["rate_rad_per_s"], float), at)
    )
    return at, v


def reachable(tables: dict[str, Any], pair: dict[str, Any]) -> list[Place]:
    """Every place where the pair may touch; for surfaces with many normals, sampled."""
    R = matrix(tables["target"]["attitude_wxyz"])
    origin, axis = R @ np.asarray(pair["origin_m"], float), R @ np.asarray(pair["axis"], float)
    axis = axis / np.linalg.norm(axis)
    start, velocity = tip_motion(tables, pair)
    radius = float(pair["tip_radius_m"])
    if pair["geometry"] == "wall":
        return [Place(axis, _on_wall(start, velocity, origin + radius * axis, axis))]
    if pair["geometry"] == "sphere":
        towards = start - origin
        reach = radius + float(pair["sphere_radius_m"])
        return [Place(n, origin + reach * n) for n in _directions() if n @ towards > 0.0]
    return _in_cone(pair, origin, axis, radius)


def _on_wall(
    start: np.ndarray, velocity: np.ndarray, point: np.ndarray, normal: np.ndarray
) -> np.ndarray:
    """Where the tip meets the wall, flying on at its first velocity; without approach, the foot of
    the normal."""
    gap, rate = (start - point) @ normal, velocity @ normal
    return start - velocity * (gap / rate) if gap > 0.0 and rate < 0.0 else start - gap * normal


def _in_cone(
    pair: dict[str, Any], origin: np.ndarray, axis: np.ndarray, radius: float
) -> list[Place]:
    across = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    across = across / np.linalg.norm(across)
    third = np.cross(axis, across)
    half = math.radians(pair["half_angle_deg"])
    mouth, bottom = float(pair["mouth_radius_m"]), float(pair["bottom_radius_m"])
    depth = (mouth - bottom) / math.tan(half)
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


def _directions() -> np.ndarray:
    """Unit vectors spread evenly over the sphere (Fibonacci)."""
    i = np.arange(DIRECTIONS) + 0.5
    z = 1.0 - 2.0 * i / DIRECTIONS
    azimuth = math.pi * (1.0 + math.sqrt(5.0)) * i
    r = np.sqrt(1.0 - z * z)
    return np.column_stack([r * np.cos(azimuth), r * np.sin(azimuth), z])
