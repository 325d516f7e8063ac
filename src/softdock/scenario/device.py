"""The compliance device of a scenario's contact pair, for checks and stability: its matrix, and the
range of stiffness over the normals it can meet."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.loop.contact.compliance import Range, device_matrix, in_series, stiffness_range
from softdock.loop.contact.keys import PAIR, SHAPE_KEYS
from softdock.loop.contact.models import SHAPE_MODELS
from softdock.loop.spatial.arrays import matrix
from softdock.loop.spatial.rigid_body import BODY
from softdock.loop.vector import CHASER_AT, MEMORY, MEMORY_AT, PAIRS_AT, TARGET_AT


class Reachable(NamedTuple):
    """Effective stiffness along the normals that a pair can meet, in series with the surface
    [N/m]."""

    held: Range  # eq. 120, the tip kept from moving sideways: use its `high` for stability
    sliding: Range  # what a run feels
    angles_deg: tuple[float, float]  # of the normals from `axis`
    axis: np.ndarray  # the shape's axis at the start, chaser axes


def device_stiffness(vector: np.ndarray, i: int) -> np.ndarray | None:
    """Stiffness matrix of the device that holds a pair's tip [N/m], chaser axes; None if it is
    rigid."""
    base, at = PAIRS_AT + i * PAIR.size, PAIR.at
    if not vector[base + at.device]:
        return None
    directions = vector[base + at.spring_1 : base + at.spring_1 + 12].reshape(4, 3)
    return device_matrix(
        vector[base + at.springs : base + at.springs + 4],
        directions,
        vector[base + at.lever : base + at.lever + 2],
    )


def reachable_stiffness(vector: np.ndarray, pair: int = 0, tilt_deg: float = 10.0) -> Reachable:
    """Over all normals of the pair's shape, the chaser turned from its initial attitude by up to
    `tilt_deg`.

    Wall: its normal. Cone: from its axis (bottom, lip) to its wall's normal. Sphere: every
    direction.
    """
    count = int(vector[MEMORY_AT + MEMORY.at.pair_count])
    if not 0 <= pair < count:
        raise BadInput(Problem("pair", pair, f"an index from 0 to {count - 1}"))
    if not 0.0 <= tilt_deg <= 180.0:
        raise BadInput(Problem("tilt_deg", tilt_deg, "from 0 to 180 [deg]"))
    K = device_stiffness(vector, pair)
    if K is None:
        raise BadInput(
            Problem(
                f"contact.{pair}.device.model",
                "rigid",
                "four_springs: a rigid tip is as stiff as its surface in every direction",
            )
        )
    base, at = PAIRS_AT + pair * PAIR.size, PAIR.at
    geometry = int(vector[base + at.geometry])
    widest = SHAPE_MODELS[geometry].widest
    reached = tilt_deg + widest(vector, base + SHAPE_KEYS[geometry]) if widest else 180.0
    angles = (0.0, min(reached, 180.0))
    axis = (
        matrix(_attitude(vector, CHASER_AT)).T
        @ matrix(_attitude(vector, TARGET_AT))
        @ vector[base + at.axis : base + at.axis + 3]
    )
    surface = vector[base + at.real_stiffness]
    held, sliding = (
        _behind(stiffness_range(K, axis, angles, sliding=free), surface) for free in (False, True)
    )
    return Reachable(held, sliding, angles, axis / np.linalg.norm(axis))


def _behind(found: Range, surface: float) -> Range:
    return Range(
        float(in_series(found.low, surface)), float(in_series(found.high, surface)), found.stiffest
    )


def _attitude(vector: np.ndarray, body: int) -> np.ndarray:
    """Of a body at the start."""
    return vector[body + BODY.at.attitude : body + BODY.at.attitude + 4]
