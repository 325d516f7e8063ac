"""The mock-ups' contact stiffness from force and measured motion, while a contact lasts.

Least squares of f = k (x - x_0) over the contact so far, f the measured force less that of the
damper that is believed, x the way that the mock-ups have come together along the normal since it
was first felt: the slope needs no absolute position. Until there are enough samples (`ENOUGH`,
`SPREAD`), the last contact's estimate counts, or what is given.
"""

from __future__ import annotations

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled
from softdock.loop.spatial.rotations import rotate, rotate_back
from softdock.loop.spatial.vectors import add, dot, load3, store3, subtract, symmetric_times

# Stiffness matrices along a normal, and two behind each other (Lange eqs. 18, 29 to 32).


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


ENOUGH = 4.0  # samples, before a slope is believed
SPREAD = (
    0.05  # of the largest way, squared and as a variance: below, the samples lie too close together
)
KNOWN = 0.05  # of the slope: its standard deviation, before it is believed
FIT_CELLS = Cells(
    "stiffness",
    Cell("one", 1, "-", "sum of 1: samples"),
    Cell("x", 1, "m", "sum of x"),
    Cell("f", 1, "N", "sum of f"),
    Cell("xx", 1, "m^2", "sum of x x"),
    Cell("xf", 1, "N m", "sum of x f"),
    Cell("kept", 1, "N/m", "the estimate"),
    Cell("on_chaser", 3, "m", "the point on the chaser, chaser axes"),
    Cell("on_target", 3, "m", "the same point on the target, target axes"),
    Cell("accepted", 1, "-", "1: this contact has an estimate"),
    Cell("fresh", 1, "-", "1: it is its first"),
)
FIT = FIT_CELLS.at


@compiled
def forget(mem, at):
    """The contact is over; its estimate stays."""
    mem[at + FIT.one], mem[at + FIT.accepted], mem[at + FIT.fresh] = 0.0, 0.0, 0.0


@compiled
def _way(mem, at, mock_ups, n):
    """How far the mock-ups have come together along n since the first sample [m]."""
    c, t = mock_ups.chaser, mock_ups.target
    on_chaser = add(c.p, rotate(c.q, load3(mem, at + FIT.on_chaser)))
    on_target = add(t.p, rotate(t.q, load3(mem, at + FIT.on_target)))
    return dot(n, subtract(on_target, on_chaser))


@compiled
def estimated_stiffness(mem, at, mock_ups, n, point, force, believed, noise):
    """The estimate with this sample [N/m]; `believed` as long as there is none. `noise`: of the
    force [N]; a slope that it may have made is not taken."""
    c, t = mock_ups.chaser, mock_ups.target
    if mem[at + FIT.one] == 0.0:
        for i in range(FIT.kept):
            mem[at + i] = 0.0
        store3(mem, at + FIT.on_chaser, rotate_back(c.q, subtract(point, c.p)))
        store3(mem, at + FIT.on_target, rotate_back(t.q, subtract(point, t.p)))
    x = _way(mem, at, mock_ups, n)
    mem[at + FIT.one] += 1.0
    mem[at + FIT.x] += x
    mem[at + FIT.f] += force
    mem[at + FIT.xx] += x * x
    mem[at + FIT.xf] += x * force
    mem[at + FIT.fresh] = 0.0
    count = mem[at + FIT.one]
    spread = mem[at + FIT.xx] - mem[at + FIT.x] * mem[at + FIT.x] / count
    if count >= ENOUGH and spread > SPREAD * mem[at + FIT.xx]:
        slope = (mem[at + FIT.xf] - mem[at + FIT.x] * mem[at + FIT.f] / count) / spread
        if slope > 0.0 and noise * noise < KNOWN * KNOWN * slope * slope * spread:
            mem[at + FIT.fresh] = 1.0 - mem[at + FIT.accepted]
            mem[at + FIT.kept], mem[at + FIT.accepted] = slope, 1.0
    return mem[at + FIT.kept] if mem[at + FIT.kept] > 0.0 else believed
