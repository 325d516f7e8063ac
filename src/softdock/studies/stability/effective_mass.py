"""The effective mass that a contact along a normal feels: 1 / m_eff = sum over the free bodies of
n^T W n, W = 1/m + [a]x^T J^-1 [a]x.

a is the lever from the centre of mass to the point of contact, J the inertia, all in world axes; n
the normal. A fixed body has no mobility. The mobility is a quadratic form of n: its largest
eigenvalue belongs to the worst direction, the one with the smallest effective mass.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from softdock.errors import BadInput, Problem


@dataclass(frozen=True)
class FreeBody:
    """What a body's mass properties are at the point of contact, world axes."""

    mass: Any  # kg; three numbers: one per world axis
    inertia: Any = None  # kg m^2, 3 x 3 or three on the diagonal; None: it does not turn
    arm: Any = (0.0, 0.0, 0.0)  # m, from the centre of mass to the point of contact


def translation_mobility(body: FreeBody) -> np.ndarray:
    """Acceleration of the centre of mass for a unit force [1/kg], 3 x 3."""
    return np.diag(1.0 / np.broadcast_to(np.asarray(body.mass, float), 3))


def rotation_mobility(body: FreeBody) -> np.ndarray:
    """Acceleration of the point of contact by rotation alone [1/kg], 3 x 3."""
    if body.inertia is None:
        return np.zeros((3, 3))
    inertia = np.asarray(body.inertia, float)
    inertia = np.diag(inertia) if inertia.shape == (3,) else inertia
    x, y, z = np.asarray(body.arm, float)
    across = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(across.T @ np.linalg.solve(inertia, across))


def mobility(*bodies: FreeBody) -> np.ndarray:
    """Relative acceleration of the two points of contact for a unit force between them [1/kg], 3 x
    3."""
    if not bodies:
        raise BadInput(Problem("bodies", [], "at least one free body"))
    for body in bodies:
        if not np.all(np.asarray(body.mass, float) > 0.0):
            raise BadInput(Problem("mass", body.mass, "a number > 0 [kg]"))
    return np.asarray(sum(translation_mobility(body) + rotation_mobility(body) for body in bodies))


def effective_mass(normal: Any, *bodies: FreeBody) -> float:
    """Effective mass [kg] of one or two free bodies in a contact with this normal (any length)."""
    n = _unit(normal)
    return float(1.0 / (n @ mobility(*bodies) @ n))


def worst_direction(*bodies: FreeBody) -> tuple[np.ndarray, float, float]:
    """The normal with the smallest effective mass, that mass, and the largest over all normals
    [kg]."""
    values, vectors = np.linalg.eigh(mobility(*bodies))
    return vectors[:, -1], float(1.0 / values[-1]), float(1.0 / values[0])


def effective_mass_2d(mass: float, inertia: float, lever: float, angle: float) -> float:
    """Zebenay's planar probe: reduced mass [kg], moment of inertia [kg m^2], probe length [m],
    half-angle of the nozzle [rad]."""
    given = (("mass", mass, "kg"), ("inertia", inertia, "kg m^2"))
    problems = [
        Problem(name, value, f"a number > 0 [{unit}]")
        for name, value, unit in given
        if not value > 0.0
    ]
    if problems:
        raise BadInput(problems)
    return mass / (1.0 + mass * (lever * math.cos(angle)) ** 2 / inertia)  # Zebenay eq. 84


def _unit(normal: Any) -> np.ndarray:
    n = np.asarray(normal, float)
    size = float(np.linalg.norm(n)) if n.shape == (3,) else 0.0
    if not size > 0.0 or not math.isfinite(size):
        raise BadInput(Problem("normal", normal, "three numbers, not all zero"))
    return n / size
