"""Six equations with six unknowns, in flat arrays: joint rates from a twist.

`eliminate`: Gauss with a pivot in each column, matrix and right-hand side row-major 6 x 7 in place.
Symmetric ones, of elastic joints: spatial/cholesky.py.
"""

from __future__ import annotations

from softdock.core.arms.layout import AXES, JOINTS
from softdock.core.machine.compiled import compiled

SIZE, WIDTH = JOINTS, AXES  # equations; and a right-hand side behind them
SMALLEST = 1e-12  # of a Jacobian's pivot: below it the arm is singular to rounding


@compiled
def _swap(a, at, i, j):
    for k in range(WIDTH):
        x = a[at + WIDTH * i + k]
        a[at + WIDTH * i + k] = a[at + WIDTH * j + k]
        a[at + WIDTH * j + k] = x


@compiled
def eliminate(a, at):
    """The unknowns into the last column. False, and nothing to be used: singular."""
    for i in range(SIZE):
        best = i
        for j in range(i + 1, SIZE):
            if abs(a[at + WIDTH * j + i]) > abs(a[at + WIDTH * best + i]):
                best = j
        if not abs(a[at + WIDTH * best + i]) > SMALLEST:
            return False
        if best != i:
            _swap(a, at, i, best)
        for j in range(i + 1, SIZE):
            factor = a[at + WIDTH * j + i] / a[at + WIDTH * i + i]
            for k in range(i, WIDTH):
                a[at + WIDTH * j + k] -= factor * a[at + WIDTH * i + k]
    for back in range(SIZE):
        i = SIZE - 1 - back
        x = a[at + WIDTH * i + SIZE]
        for k in range(i + 1, SIZE):
            x -= a[at + WIDTH * i + k] * a[at + WIDTH * k + SIZE]
        a[at + WIDTH * i + SIZE] = x / a[at + WIDTH * i + i]
    return True
