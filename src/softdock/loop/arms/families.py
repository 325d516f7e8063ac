"""Which closed-form inverse holds for an arm, and its origins moved to where the last axes meet.

Two families: axes 2 and 3 parallel with axes 4, 5, 6 through one point (KUKA, ABB, Staubli), and
axes 2, 3, 4 parallel with axes 5 and 6 through one point (UR). Files round their angles (1.5708),
so axes within `SNAP` of parallel or of meeting are made exact, and a warning says by how much.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.loop.arms.layout import SPHERICAL_WRIST, THREE_PARALLEL

SNAP = 1e-4  # rad or m: rounding in files, far below what a robot is calibrated to
SHORTEST = 1e-3  # m; a shorter upper arm or forearm is none
HELP = (
    "axes 2, 3 parallel and 4, 5, 6 through one point, or axes 2, 3, 4 parallel and 5, 6 through "
    "one point; other arms have no closed-form inverse here"
)


@dataclass(frozen=True)
class Geometry:
    """Directions (7, 3) and offsets (8, 3) with the origins where the inverse wants them."""

    family: int
    directions: np.ndarray
    offsets: np.ndarray
    moved: np.ndarray  # (7, 3): from each new origin to the one that was given
    warnings: tuple[str, ...]


def recognise(directions: np.ndarray, offsets: np.ndarray, path: str = "joints") -> Geometry:
    """The family of an arm. Raises `BadInput` naming the axes that belong to neither."""
    directions = directions.copy()
    origins = np.cumsum(offsets, axis=0)
    warnings: list[str] = []
    apart3, apart4 = (_apart(directions[2], directions[i]) for i in (3, 4))
    if apart3 > SNAP:
        raise BadInput(_neither(path, f"axes 2 and 3 are {np.degrees(apart3):.4g} deg apart"))
    _make_parallel(directions, 3, apart3, warnings)
    if apart4 <= SNAP:
        family, meeting = THREE_PARALLEL, [5, 6]
        _make_parallel(directions, 4, apart4, warnings)
    else:
        family, meeting = SPHERICAL_WRIST, [4, 5, 6]
    if _apart(directions[5], directions[6]) < SNAP:
        raise BadInput(_neither(path, "axes 5 and 6 are parallel"))
    point, miss = _meeting_point(directions[meeting], origins[meeting])
    if miss > SNAP:
        named = " and ".join(str(i) for i in meeting)
        raise BadInput(_neither(path, f"axes {named} miss each other by {1e3 * miss:.4g} mm"))
    if miss > 1e-9:
        warnings.append(f"the last axes miss each other by {1e3 * miss:.3g} mm; made to meet")
    new = origins.copy()
    new[meeting] = point
    made = np.diff(np.vstack([np.zeros(3), new]), axis=0)
    _check_links(directions, made, path)
    return Geometry(
        family=family,
        directions=directions,
        offsets=made,
        moved=(origins - new)[:7],
        warnings=tuple(warnings),
    )


def _apart(a: np.ndarray, b: np.ndarray) -> float:
    """Angle between two lines [rad]."""
    return float(np.arctan2(np.linalg.norm(np.cross(a, b)), abs(a @ b)))


def _make_parallel(directions: np.ndarray, i: int, apart: float, warnings: list[str]) -> None:
    """Axis i exactly along axis 2, the way round that it is."""
    if apart > 1e-9:
        warnings.append(f"axis {i} is {apart:.2g} rad off axis 2; made parallel")
    directions[i] = np.copysign(1.0, directions[2] @ directions[i]) * directions[2]


def _meeting_point(directions: np.ndarray, origins: np.ndarray) -> tuple[np.ndarray, float]:
    """The point nearest to some lines, and how far the farthest of them passes."""
    across = [np.eye(3) - np.outer(h, h) for h in directions]
    A = sum(across, np.zeros((3, 3)))
    b = sum((P @ o for P, o in zip(across, origins, strict=True)), np.zeros(3))
    point = np.linalg.solve(A, b)
    pairs = zip(across, origins, strict=True)
    return point, max(float(np.linalg.norm(P @ (point - o))) for P, o in pairs)


def _check_links(directions: np.ndarray, offsets: np.ndarray, path: str) -> None:
    """Upper arm and forearm must have a length across axes 2 and 3."""
    problems = []
    for i, what in ((3, "upper arm"), (4, "forearm")):
        across = float(np.linalg.norm(np.cross(directions[2], offsets[i])))
        if across < SHORTEST:
            allowed = f"a {what} of at least {SHORTEST:g} m, across axes 2 and 3"
            problems.append(Problem(f"{path}.{i - 1}.offset_m", f"{across:.3g} m", allowed))
    if _apart(directions[1], directions[2]) < SNAP:
        problems.append(Problem(f"{path}.1.direction", directions[2].tolist(), "across axis 1"))
    if problems:
        raise BadInput(problems)


def _neither(path: str, found: str) -> Problem:
    return Problem(path, found, HELP)
