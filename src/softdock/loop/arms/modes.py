"""An arm with elastic joints near one pose, in its own modes (Lange eqs. 7, 10).

About a pose with the motors held, the mock-up's deflection d (its centre of mass moves, then it
turns; orbit axes) is a sum of six oscillators, d = A z:

    z_i'' + 2 zeta_i w_i z_i' + w_i^2 z_i = (A' W - A^-1 x'')_i

W is the wrench on the mock-up about its centre of mass, x the motors' motion. With M(q), K, D of
the arm's links, K V = M V diag(w^2) and V' M V = 1: A = J V, and zeta from the diagonal of V' D V;
what is beside that diagonal is left out, as are Coriolis forces. The state of an oscillator is z
and y = z' + A^-1 x', so that the mock-up's twist is A y wherever A has an inverse.

`swing` is one step of one oscillator; `loop/arms/at_contact.py` finds A, w and zeta of a pose.
"""

from __future__ import annotations

from softdock.compile.cells import Cell, Cells, many
from softdock.compile.jit import compiled

COUNT = 6
MODES = Cells(
    "modes",
    Cell("shape", many(COUNT * COUNT), "kg^-1/2", "A, row by row; rows: move, turn; orbit axes"),
    Cell("inverse", many(COUNT * COUNT), "kg^1/2", "A^-1, row by row"),
    Cell("frequency", many(COUNT), "rad/s", "w of each mode; 0: a rigid one, which is left out"),
    Cell("damping", many(COUNT), "-", "zeta of each mode"),
)


@compiled
def swing(response, w, zeta, T, z, y, push, slope, chord, bend):
    """One oscillator over T: z and y after it.

    `response`: of `free_response`; `push`: A' W at the start and its `slope`; `chord`: mean rate of
    the motors, `bend`: their rate's change over T, both A^-1 x'. The motors are on a parabola.
    """
    squared, rate = w * w, slope / (w * w)
    aside = -2.0 * zeta / w * rate - T / 12.0 * bend
    start = push / squared + aside
    end = start + T * rate
    ee, er, re, rr = response
    e, r = z - start, y - chord - rate
    return end + ee * e + er * r, chord + rate + re * e + rr * r


@compiled
def along_mode(matrix, i, a, b):
    """Row i of a 6 x 6 matrix times (a, b)."""
    at = COUNT * i
    return (
        matrix[at] * a[0]
        + matrix[at + 1] * a[1]
        + matrix[at + 2] * a[2]
        + matrix[at + 3] * b[0]
        + matrix[at + 4] * b[1]
        + matrix[at + 5] * b[2]
    )


@compiled
def onto_mode(matrix, i, a, b):
    """Column i of a 6 x 6 matrix times (a, b)."""
    return (
        matrix[i] * a[0]
        + matrix[COUNT + i] * a[1]
        + matrix[2 * COUNT + i] * a[2]
        + matrix[3 * COUNT + i] * b[0]
        + matrix[4 * COUNT + i] * b[1]
        + matrix[5 * COUNT + i] * b[2]
    )


@compiled
def sum_modes(matrix, x):
    """A x of six numbers, as move and turn."""
    lo = (x[0], x[1], x[2])
    hi = (x[3], x[4], x[5])
    return (
        (
            along_mode(matrix, 0, lo, hi),
            along_mode(matrix, 1, lo, hi),
            along_mode(matrix, 2, lo, hi),
        ),
        (
            along_mode(matrix, 3, lo, hi),
            along_mode(matrix, 4, lo, hi),
            along_mode(matrix, 5, lo, hi),
        ),
    )
