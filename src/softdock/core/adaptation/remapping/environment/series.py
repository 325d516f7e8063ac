"""Stiffness matrices along a normal, and two behind each other (Lange eqs. 18, 29 to 32)."""

from __future__ import annotations

from softdock.core.machine.compiled import compiled
from softdock.core.spatial.rotations import rotate_back
from softdock.core.spatial.vectors import dot, symmetric_times


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
def series_stiffness(of_chaser, of_target, n, chaser_q, target_q):
    """Stiffness of a matrix in chaser axes and one in target axes in series, along a normal in
    world axes [N/m]; a side of zeros is rigid."""
    k = along_normal(of_chaser, rotate_back(chaser_q, n))
    if not is_given(of_target):
        return k
    return in_series(k, along_normal(of_target, rotate_back(target_q, n)))  # Lange eqs. 29, 30, 32
