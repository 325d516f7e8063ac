"""Three-vectors `(x, y, z)` and symmetric 3 x 3 matrices `(xx, yy, zz, xy, xz, yz)` as tuples: they
stay in registers."""

from __future__ import annotations

import math

import numpy as np

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled

# annotations of NamedTuples, from which their layouts derive (compile/cells.py)
Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
SymmetricMatrix = tuple[float, float, float, float, float, float]

ZERO = (0.0, 0.0, 0.0)
VECTOR = Cells("vector", Cell("value", Vector))  # a row of three numbers


@compiled
def add(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@compiled
def subtract(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@compiled
def negate(a):
    return (-a[0], -a[1], -a[2])


@compiled
def scale(factor, a):
    return (factor * a[0], factor * a[1], factor * a[2])


@compiled
def add_scaled(a, factor, b):
    """a + factor b"""
    return (a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2])


@compiled
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@compiled
def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@compiled
def norm(a):
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@compiled
def multiply(a, b):
    """Element by element."""
    return (a[0] * b[0], a[1] * b[1], a[2] * b[2])


@compiled
def symmetric_times(m, a):
    """Symmetric matrix (xx, yy, zz, xy, xz, yz) times vector."""
    return (
        m[0] * a[0] + m[3] * a[1] + m[4] * a[2],
        m[3] * a[0] + m[1] * a[1] + m[5] * a[2],
        m[4] * a[0] + m[5] * a[1] + m[2] * a[2],
    )


@compiled
def symmetric_inverse(m):
    """Inverse of a positive symmetric matrix (xx, yy, zz, xy, xz, yz), by cofactors."""
    xx, yy, zz, xy, xz, yz = m
    c_xx = yy * zz - yz * yz
    c_xy = xz * yz - xy * zz
    c_xz = xy * yz - xz * yy
    determinant = xx * c_xx + xy * c_xy + xz * c_xz
    return (
        c_xx / determinant,
        (xx * zz - xz * xz) / determinant,
        (xx * yy - xy * xy) / determinant,
        c_xy / determinant,
        c_xz / determinant,
        (xy * xz - xx * yz) / determinant,
    )


# Unsigned indices: for signed ones Numba asks at every access whether they count from the end.
_1, _2, _3, _4, _5 = (np.uint64(i) for i in range(1, 6))


@compiled
def load3(array, at):
    i = np.uint64(at)
    return (array[i], array[i + _1], array[i + _2])


@compiled
def load4(array, at):
    i = np.uint64(at)
    return (array[i], array[i + _1], array[i + _2], array[i + _3])


@compiled
def store3(array, at, a):
    i = np.uint64(at)
    array[i] = a[0]
    array[i + _1] = a[1]
    array[i + _2] = a[2]


@compiled
def store4(array, at, a):
    i = np.uint64(at)
    array[i] = a[0]
    array[i + _1] = a[1]
    array[i + _2] = a[2]
    array[i + _3] = a[3]
