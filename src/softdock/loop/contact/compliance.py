"""The compliance device between the chaser and its tip: four springs that let the tip yield in
every direction (Zebenay eqs. 115 to 120).

Springs of stiffness k_i along unit vectors l_i (chaser axes) hold the attachment of a rigid,
massless probe; spring 4 lies along the probe. A displacement u of the attachment is answered by the
force -K u, K = sum k_i l_i l_i^T. With a lever the probe pivots: across it, the attachment moves by
the ratio `attachment / tip` of what the tip moves, A u with A = l_4 l_4^T + ratio (1 - l_4 l_4^T),
and the tip sees A K A.

Touching frictionless surfaces of stiffness k along normals n_i, the tip is in equilibrium: u = C
sum f_i n_i, C = K^-1, and f_i = k (depth at the displaced tip). The force acts on the chaser at the
displaced tip. It is then the gradient of the energy stored in springs and surfaces, so nothing is
gained or lost as the probe turns; along one normal the tip feels 1 / (n^T C n) in series with k.
Eq. 120, n^T K n, keeps the tip from moving sideways: never less, the safe bound.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from softdock.compile.jit import compiled, noinline
from softdock.errors import BadInput, Problem
from softdock.loop.contact.laws import normal_force
from softdock.loop.contact.models import touch_pair
from softdock.loop.contact.touch import Touches
from softdock.loop.spatial.rotations import inverse, product, rotate, rotate_back
from softdock.loop.spatial.vectors import (
    add,
    add_scaled,
    cross,
    dot,
    norm,
    scale,
    subtract,
    symmetric_times,
)

if TYPE_CHECKING:
    from softdock.loop.contact.pair import Pair

MOST_ROUNDS = 40  # of the search for the equilibrium; flat surfaces need two
SETTLED = 1e-15  # m; the displaced tip moved less than this in a round


class Yielded(NamedTuple):
    """The device in equilibrium with the surfaces it touches; target axes."""

    moved: tuple  # m, displacement of the tip
    first: float  # N, elastic force of each touch
    second: float
    touches: Touches  # at the displaced tip
    stored: float  # J, in springs and surfaces


@compiled
def _yield_to(pair: Pair, q, a):
    """C times a vector; `q` turns chaser axes into target axes."""
    return rotate(q, symmetric_times(pair.compliance, rotate_back(q, a)))


@compiled
def _share(a11, a22, a12, r1, r2):
    """Forces f >= 0 of two touches with compliances a and free depths r: no force without depth, no
    depth left unanswered."""
    f1, f2 = max(r1, 0.0) / a11, max(r2, 0.0) / a22
    if r2 - a12 * f1 <= 0.0:
        return f1, 0.0
    if r1 - a12 * f2 <= 0.0:
        return 0.0, f2
    determinant = a11 * a22 - a12 * a12
    return (a22 * r1 - a12 * r2) / determinant, (a11 * r2 - a12 * r1) / determinant


@noinline
def equilibrium(pair: Pair, side, chaser_q, target_q, tip):
    """`tip`: where it would be without load, from the shape, target axes. Surfaces are taken as
    flat at the displaced tip, round after round."""
    q, give = product(inverse(target_q), chaser_q), 1.0 / pair.law.stiffness
    moved, f1, f2, stored = (0.0, 0.0, 0.0), 0.0, 0.0, 0.0
    touches = touch_pair(pair, side, True, tip)
    for _ in range(MOST_ROUNDS):
        n1, n2 = touches.first.normal, touches.second.normal
        c1, c2 = _yield_to(pair, q, n1), _yield_to(pair, q, n2)
        r1, r2 = touches.first.depth + dot(n1, moved), touches.second.depth + dot(n2, moved)
        f1, f2 = _share(give + dot(n1, c1), give + dot(n2, c2), dot(n1, c2), r1, r2)
        before, moved = moved, add(scale(f1, c1), scale(f2, c2))  # Zebenay eqs. 115, 116
        stored = 0.5 * (f1 * max(r1, 0.0) + f2 * max(r2, 0.0))
        if norm(subtract(moved, before)) < SETTLED:
            break
        touches = touch_pair(pair, side, True, add(tip, moved))
    return Yielded(moved=moved, first=f1, second=f2, touches=touches, stored=stored)


@compiled
def _one_force(pair: Pair, elastic, normal, v):
    """Force along a normal with damping [N], and the power it dissipates [W]."""
    if elastic <= 0.0:
        return 0.0, 0.0
    rate = -dot(normal, v)
    force = normal_force(pair.law, elastic, rate)
    return force, (force - elastic) * rate


@noinline
def soft_force(pair: Pair, side, chaser_q, target_q, tip, v, spin):
    """Force on the chaser, the displacement of the tip at which it acts (both target axes), stored
    energy [J] and dissipated power [W].

    `v`, `spin`: velocity of the unloaded tip and rate of the chaser, seen from the target, target
    axes.
    """
    y = equilibrium(pair, side, chaser_q, target_q, tip)
    there = add(v, cross(spin, y.moved))
    f1, d1 = _one_force(pair, y.first, y.touches.first.normal, there)
    f2, d2 = _one_force(pair, y.second, y.touches.second.normal, there)
    force = add_scaled(scale(f1, y.touches.first.normal), f2, y.touches.second.normal)
    return force, y.moved, y.stored, d1 + d2


# For users, checks and stability; plain numpy.


def device_matrix(
    stiffnesses: ArrayLike, directions: ArrayLike, lever_m: ArrayLike = (1.0, 1.0)
) -> np.ndarray:
    """Stiffness of the tip [N/m], 3 x 3, chaser axes: four springs, their directions, and the lever
    (pivot to attachment, pivot to tip)."""
    springs, vectors, lever = (
        np.asarray(x, dtype=float) for x in (stiffnesses, directions, lever_m)
    )
    if springs.shape != (4,) or not (springs > 0.0).all():
        raise BadInput(Problem("stiffnesses", springs.tolist(), "four numbers > 0 [N/m]"))
    if vectors.shape != (4, 3):
        raise BadInput(Problem("directions", vectors.tolist(), "four directions of three numbers"))
    if lever.shape != (2,) or not (lever > 0.0).all():
        raise BadInput(Problem("lever_m", lever.tolist(), "two numbers > 0 [m]"))
    units = _units(vectors)
    K = np.einsum("i,ij,ik->jk", springs, units, units)  # Zebenay eq. 116
    along = np.outer(units[3], units[3])
    A = along + lever[0] / lever[1] * (np.eye(3) - along)
    return np.asarray(A @ K @ A)


def normal_stiffness(K: np.ndarray, normals: ArrayLike) -> np.ndarray:
    """Along unit normals, the tip kept from moving sideways [N/m]: the safe bound."""
    n = _units(normals)
    return np.asarray(np.einsum("...i,ij,...j->...", n, K, n))  # Zebenay eqs. 117 to 120


def sliding_stiffness(K: np.ndarray, normals: ArrayLike) -> np.ndarray:
    """Along unit normals, the tip free to slide without friction [N/m]: what a run feels."""
    n = _units(normals)
    return np.asarray(1.0 / np.einsum("...i,ij,...j->...", n, np.linalg.inv(K), n))


def in_series(a: ArrayLike, b: ArrayLike) -> np.ndarray:
    """Two stiffnesses one behind the other [N/m]."""
    return np.asarray(1.0 / (1.0 / np.asarray(a, dtype=float) + 1.0 / np.asarray(b, dtype=float)))


class Range(NamedTuple):
    low: float  # N/m
    high: float
    stiffest: np.ndarray  # the normal of `high`, chaser axes


def stiffness_range(
    K: np.ndarray,
    axis: ArrayLike = (1.0, 0.0, 0.0),
    angles_deg: tuple[float, float] = (0.0, 180.0),
    sliding: bool = False,
    fine: int = 181,
) -> Range:
    """Smallest and largest effective stiffness over the normals that can be reached: those at an
    angle to `axis` (chaser axes) within a range.

    A wall of a cone of half-angle a meets a probe on its axis at 90 deg - a, more and less by the
    tilt. Never more than K's largest eigenvalue.
    """
    if not 0.0 <= angles_deg[0] <= angles_deg[1] <= 180.0:
        raise BadInput(
            Problem(
                "angles_deg", list(angles_deg), "two angles from 0 to 180, the second not smaller"
            )
        )
    axis, (low, high) = _units(axis), np.radians(angles_deg)
    t = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    t = t / np.linalg.norm(t)
    around = np.linspace(0.0, 2.0 * math.pi, 2 * fine)[:, None]
    ring = np.cos(around) * t + np.sin(around) * np.cross(axis, t)
    angles = np.linspace(low, high, fine if high > low else 1)[:, None, None]
    normals = np.cos(angles) * axis + np.sin(angles) * ring
    found = (sliding_stiffness if sliding else normal_stiffness)(K, normals)
    place = np.unravel_index(int(np.argmax(found)), found.shape)
    return Range(float(found.min()), float(found.max()), normals[place])


def _units(vectors: ArrayLike) -> np.ndarray:
    n = np.asarray(vectors, dtype=float)
    size = np.linalg.norm(n, axis=-1, keepdims=True)
    if n.shape[-1:] != (3,) or not (size > 0.0).all():
        raise BadInput(Problem("direction", n.tolist(), "three numbers, not all zero"))
    return np.asarray(n / size)
