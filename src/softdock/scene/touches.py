"""What happens at the touch: force and torque arrows, the trail of the contact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from softdock.core.spatial.arrays import inverse, rotate
from softdock.scene.model import Arrow, Track, Trail

LONGEST = 1.6  # times the size of what touches: the arrow of the largest force
MOST_POINTS = 800  # of a trail
Contact = Mapping[str, Any]


def pair_at(time: np.ndarray, contacts: Sequence[Contact]) -> np.ndarray:
    """Which pair touched, or will touch next, at each instant; -1 where none ever does."""
    if not contacts:
        return np.full(len(time), -1)
    ends = np.array([contact["end_s"] for contact in contacts])
    which = np.searchsorted(ends, time).clip(0, len(contacts) - 1)
    return np.array([int(contact["pair"]) for contact in contacts])[which]


def touch_points(
    chaser: Track, force: np.ndarray, pairs: Sequence[Mapping[str, Any]], which: np.ndarray
) -> np.ndarray:
    """Where the tip meets the shape [m, world]: on the side from which the force comes."""
    if not pairs:
        return chaser.position
    chosen = np.clip(which, 0, len(pairs) - 1)
    tips = np.array([pair["tip_m"] for pair in pairs], dtype=float)[chosen]
    radii = np.array([pair["tip_radius_m"] for pair in pairs], dtype=float)[chosen]
    size = np.linalg.norm(force, axis=1, keepdims=True)
    inwards = force / np.where(size > 0.0, size, 1.0)
    return np.asarray(chaser.position + rotate(chaser.attitude, tips) - radii[:, None] * inwards)


def arrow(
    name: str, kind: str, role: str, at: np.ndarray, vector: np.ndarray, longest: float, top: float
) -> Arrow:
    """An arrow of `longest` metres where the vector's size is `top`."""
    clean = np.nan_to_num(vector)
    per_unit = longest / top if top > 0.0 else 0.0
    unit = "N" if kind == "force" else "Nm"
    return Arrow(
        name=name,
        kind=kind,
        role=role,
        layer="forces",
        unit=unit,
        at=np.nan_to_num(at),
        vector=clean,
        scale=per_unit,
    )


def largest(*vectors: np.ndarray) -> float:
    """The largest size among some vectors; 0 without any."""
    sizes = [np.linalg.norm(np.nan_to_num(v), axis=1).max() for v in vectors if len(v)]
    return float(max(sizes, default=0.0))


def arrows_of(
    scale: float,
    points: np.ndarray,
    pushes: tuple[np.ndarray, np.ndarray, np.ndarray | None],
    tracks: dict[str, Track],
) -> list[Arrow]:
    """Force, torque and orbit's force at the touch; both forces in one scale."""
    force, torque, beside = pushes
    other = beside if beside is not None else np.zeros((0, 3))
    top, longest = largest(force, other), LONGEST * scale
    found = []
    if beside is not None and largest(beside) > 0.0:
        away = tracks.get("orbit.chaser", tracks["mock_up.chaser"])
        shift = away.position - tracks["mock_up.chaser"].position
        found.append(arrow("force in orbit", "force", "orbit", points + shift, other, longest, top))
    if top > 0.0:
        found.append(arrow("contact force", "force", "c4", points, force, longest, top))
    turning = largest(torque)
    if turning > 1e-9:
        found.append(
            arrow("torque on the chaser", "torque", "c5", points, torque, longest, turning)
        )
    return found


def trail(points: np.ndarray, force: np.ndarray, target: Track) -> Trail | None:
    """Where the touch went over the target; None if nothing touched."""
    touching = np.flatnonzero(np.linalg.norm(np.nan_to_num(force), axis=1) > 0.0)
    if not len(touching):
        return None
    if len(touching) > MOST_POINTS:
        touching = touching[np.unique(np.linspace(0, len(touching) - 1, MOST_POINTS).astype(int))]
    back = inverse(target.attitude[touching])
    on_target = rotate(back, points[touching] - target.position[touching])
    return Trail(
        name="contact trail",
        role="c6",
        layer="trail",
        track="mock_up.target",
        points=on_target,
        frames=touching,
    )
