"""Tracks of the bodies and of the reference in one world, and what happens at the contact: force
and torque arrows, the contact's trail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from softdock.loop.spatial.arrays import (
    continuous,
    exponential,
    inverse,
    product,
    rotate,
    rotation_vector,
)
from softdock.results.scene.model import Arrow, Track, Trail

LONGEST = 1.6  # times the size of what touches: the arrow of the largest force
MOST_POINTS = 800  # of a trail
Contact = Mapping[str, Any]


def find_pairs(time: np.ndarray, contacts: Sequence[Contact]) -> np.ndarray:
    """Index of the pair in contact, or next in contact, at each instant; -1 if there is none."""
    if not contacts:
        return np.full(len(time), -1)
    ends = np.array([contact["end_s"] for contact in contacts])
    which = np.searchsorted(ends, time).clip(0, len(contacts) - 1)
    return np.array([int(contact["pair"]) for contact in contacts])[which]


def locate_touches(
    chaser: Track, force: np.ndarray, pairs: Sequence[Mapping[str, Any]], which: np.ndarray
) -> np.ndarray:
    """Contact points [m, world]: where the tip meets the shape, on the side from which the force
    comes."""
    if not pairs:
        return chaser.position
    chosen = np.clip(which, 0, len(pairs) - 1)
    tips = np.array([pair["tip_m"] for pair in pairs], dtype=float)[chosen]
    radii = np.array([pair["tip_radius_m"] for pair in pairs], dtype=float)[chosen]
    size = np.linalg.norm(force, axis=1, keepdims=True)
    inwards = force / np.where(size > 0.0, size, 1.0)
    return np.asarray(chaser.position + rotate(chaser.attitude, tips) - radii[:, None] * inwards)


def make_arrow(
    name: str, kind: str, role: str, at: np.ndarray, vector: np.ndarray, longest: float, top: float
) -> Arrow:
    """Arrow of length `longest` [m] where the vector has the size `top`."""
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


def largest_norm(*vectors: np.ndarray) -> float:
    """Largest norm of some vectors; 0 without any."""
    sizes = [np.linalg.norm(np.nan_to_num(v), axis=1).max() for v in vectors if len(v)]
    return float(max(sizes, default=0.0))


def make_arrows(
    scale: float,
    points: np.ndarray,
    pushes: tuple[np.ndarray, np.ndarray, np.ndarray | None],
    tracks: dict[str, Track],
) -> list[Arrow]:
    """Arrows of force, torque and the reference's force at the contact; both forces in one
    scale."""
    force, torque, beside = pushes
    other = beside if beside is not None else np.zeros((0, 3))
    top, longest = largest_norm(force, other), LONGEST * scale
    arrows = []
    if beside is not None and largest_norm(beside) > 0.0:
        away = tracks.get("orbit.chaser", tracks["mock_up.chaser"])
        shift = away.position - tracks["mock_up.chaser"].position
        arrows.append(
            make_arrow("force on orbit", "force", "orbit", points + shift, other, longest, top)
        )
    if top > 0.0:
        arrows.append(make_arrow("contact force", "force", "c4", points, force, longest, top))
    turning = largest_norm(torque)
    if turning > 1e-9:
        arrows.append(
            make_arrow("torque on the chaser", "torque", "c5", points, torque, longest, turning)
        )
    return arrows


def find_touching(force: np.ndarray) -> np.ndarray:
    """Whether each frame is one of a contact."""
    return np.asarray(np.linalg.norm(np.nan_to_num(force), axis=1) > 0.0)


def make_trail(points: np.ndarray, force: np.ndarray, target: Track) -> Trail | None:
    """Track of the contact over the target; None without a contact."""
    touching = np.flatnonzero(find_touching(force))
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


FACTORS = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)  # of exaggeration
Series = Mapping[str, np.ndarray]


class Relative(NamedTuple):
    """Pose of the chaser relative to the target."""

    position: np.ndarray  # (n, 3) m, target axes
    attitude: np.ndarray  # (n, 4) target from chaser


def read_track(series: Series, name: str, rows: np.ndarray) -> Track:
    """Track of a recorded body."""
    attitude = np.asarray(series[f"{name}.attitude"])[rows]
    return Track(np.asarray(series[f"{name}.position"])[rows], continuous(attitude))


def relative_to(chaser: Track, target: Track) -> Relative:
    """Chaser's motion relative to the target."""
    back = inverse(target.attitude)
    away = rotate(back, chaser.position - target.position)
    return Relative(away, product(back, chaser.attitude))


def place_at(seen: Relative, target: Track) -> Track:
    """The inverse of `relative_to`."""
    position = target.position + rotate(target.attitude, seen.position)
    return Track(position, continuous(product(target.attitude, seen.attitude)))


def interpolate_track(series: Series, name: str, time: np.ndarray) -> Track:
    """A recorded body at other instants; after the end of its record, its last pose."""
    own = np.asarray(series["time"])
    position, attitude = (np.asarray(series[f"{name}.{key}"]) for key in ("position", "attitude"))
    attitude = continuous(attitude)
    columns = [np.interp(time, own, column) for column in (*position.T, *attitude.T)]
    q = np.stack(columns[3:], axis=1)
    return Track(np.stack(columns[:3], axis=1), q / np.linalg.norm(q, axis=1, keepdims=True))


def choose_factor(rig: Relative, orbit: Relative, scale: float) -> float:
    """Largest factor with which the differences stay within half the size of what touches."""
    largest = float(np.linalg.norm(orbit.position - rig.position, axis=1).max())
    fitting = [factor for factor in FACTORS if factor * largest <= 0.5 * scale]
    return max(fitting, default=1.0)


def exaggerate_motion(rig: Relative, orbit: Relative, factor: float) -> Relative:
    """The reference's chaser with its differences from the rig multiplied."""
    position = rig.position + factor * (orbit.position - rig.position)
    turn = rotation_vector(product(inverse(rig.attitude), orbit.attitude))
    return Relative(position, product(rig.attitude, exponential(factor * turn)))
