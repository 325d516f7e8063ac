"""Symmetric positive equations A x = b of any size in flat arrays, A row-major: Cholesky's triangle
A = L L', and the two substitutions."""

from __future__ import annotations

import math

from softdock.compile.jit import compiled


@compiled
def factorise(a, at, size):
    """The lower triangle L in place of A, of which only the lower triangle is read."""
    for i in range(size):
        for j in range(i + 1):
            x = a[at + size * i + j]
            for k in range(j):
                x -= a[at + size * i + k] * a[at + size * j + k]
            a[at + size * i + j] = math.sqrt(x) if i == j else x / a[at + size * j + j]


@compiled
def solve_factored(a, at, size, b, to):
    """x of L L' x = b in place of b."""
    for i in range(size):
        x = b[to + i]
        for k in range(i):
            x -= a[at + size * i + k] * b[to + k]
        b[to + i] = x / a[at + size * i + i]
    for back in range(size):
        i = size - 1 - back
        x = b[to + i]
        for k in range(i + 1, size):
            x -= a[at + size * k + i] * b[to + k]
        b[to + i] = x / a[at + size * i + i]
