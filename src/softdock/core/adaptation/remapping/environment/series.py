"""Stiffness matrices along a normal, and two behind each other (Lange eqs. 18, 29 to 32)."""

from __future__ import annotations

from softdock.core.machine.compiled import compiled
from softdock.core.spatial.rotations import rotate_back
from softdock.core.spatial.vectors import dot, symmetric_times

MATRIX = 6  # numbers of a symmetric matrix


@compiled
def load6(vector, at):
    return (
        vector[at],
        vector[at + 1],
        vector[at + 2],
        vector[at + 3],
        vector[at + 4],
        vector[at + 5],
    )


@compiled
def is_given(matrix):
    return matrix[0] != 0.0 or matrix[1] != 0.0 or matrix[2] != 0.0


@compiled
def along_normal(matrix, n):
    """k_n = n^T K n [N/m]."""  # Lange eqs. 18, 31
    return dot(n, symmetric_times(matrix, n))


@compiled
def in_series(a, b):
    return a * b / (a + b) if a + b > 0.0 else 0.0


@compiled
def series_stiffness(vector, at, n, chaser_q, target_q):
    """Stiffness of a matrix in chaser axes and one in target axes in series, along a normal in
    world axes [N/m]; a side of zeros is rigid."""
    k = along_normal(load6(vector, at), rotate_back(chaser_q, n))
    other = load6(vector, at + MATRIX)
    return (
        in_series(k, along_normal(other, rotate_back(target_q, n))) if is_given(other) else k
    )  # Lange eqs. 29, 30, 32
