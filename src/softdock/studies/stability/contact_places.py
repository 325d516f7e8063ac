"""Where a contact pair can touch, and with which normal: from a scenario's tables, at the bodies'
attitudes at the start.

Which places those are the shape says itself (core/shapes): a wall has one normal, a sphere those of
the half that faces the tip, a cone those of its inner wall and of its bottom plate. Positions from
the target's centre of mass, all in world axes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from softdock.loop.contact.drawing import Flight, Place
from softdock.loop.contact.models import shape_named
from softdock.loop.spatial.arrays import matrix


def compute_tip_motion(
    tables: dict[str, Any], pair: dict[str, Any]
) -> tuple[np.ndarray, np.ndarray]:
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


def list_reachable_places(tables: dict[str, Any], pair: dict[str, Any]) -> list[Place]:
    """Every place where the pair may touch; for surfaces with many normals, sampled."""
    R = matrix(tables["target"]["attitude_wxyz"])
    origin, axis = R @ np.asarray(pair["origin_m"], float), R @ np.asarray(pair["axis"], float)
    axis = axis / np.linalg.norm(axis)
    start, velocity = compute_tip_motion(tables, pair)
    flight = Flight(
        origin=origin, axis=axis, start=start, velocity=velocity, radius=float(pair["tip_radius_m"])
    )
    return shape_named(pair["geometry"]).drawing.places(pair, flight)
