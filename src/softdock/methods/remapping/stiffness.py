"""The mock-ups' contact stiffness from force and measured motion, while a contact lasts.

Least squares of f = k (x - x_0) over the contact so far, f the measured force less that of the
damper that is believed, x the way that the mock-ups have come together along the normal since it
was first felt: the slope needs no absolute position. Until there are enough samples (`ENOUGH`,
`SPREAD`), the last contact's estimate counts, or what is given.
"""

from __future__ import annotations

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled
from softdock.loop.method.interface import Output
from softdock.loop.spatial.rotations import rotate, rotate_back
from softdock.loop.spatial.vectors import add, dot, subtract, symmetric_times

# Stiffness matrices along a normal, and two behind each other (Lange eqs. 18, 29 to 32).


@compiled
def is_given(matrix):
    return matrix[0] != 0.0 or matrix[1] != 0.0 or matrix[2] != 0.0


@compiled
def project_on_normal(matrix, n):
    """k_n = n^T K n [N/m]."""  # Lange eqs. 18, 31
    return dot(n, symmetric_times(matrix, n))


@compiled
def combine_in_series(a, b):
    return a * b / (a + b) if a + b > 0.0 else 0.0


@compiled
def combine_stiffness(of_chaser, of_target, n, chaser_q, target_q):
    """Stiffness of a matrix in chaser axes and one in target axes in series, along a normal in
    world axes [N/m]; a side of zeros is rigid."""
    k = project_on_normal(of_chaser, rotate_back(chaser_q, n))
    if not is_given(of_target):
        return k
    return combine_in_series(
        k, project_on_normal(of_target, rotate_back(target_q, n))
    )  # Lange eqs. 29, 30, 32


ENOUGH = 4.0  # samples, before a slope is believed
# of the largest way, squared and as a variance: below, the samples lie too close together
SPREAD = 0.05
KNOWN = 0.05  # of the slope: its standard deviation, before it is believed
FIT = Cells(  # the state; in these functions `s`
    "stiffness",
    Cell("one", float, "-", "sum of 1: samples"),
    Cell("x", float, "m", "sum of x"),
    Cell("f", float, "N", "sum of f"),
    Cell("xx", float, "m^2", "sum of x x"),
    Cell("xf", float, "N m", "sum of x f"),
    Cell("stiffness", float, "N/m", "the estimate"),
    Cell("on_chaser", 3, "m", "the point on the chaser, chaser axes"),
    Cell("on_target", 3, "m", "the same point on the target, target axes"),
    Cell("accepted", bool, "-", "this contact has an estimate"),
    Cell("fresh", bool, "-", "it is its first"),
)


@compiled
def forget_contact(s):
    """The contact is over; its estimate stays."""
    s.one, s.accepted, s.fresh = 0.0, False, False


@compiled
def _compute_way(s, mock_ups: Output, n):
    """How far the mock-ups have come together along n since the first sample [m]."""
    c, t = mock_ups.chaser, mock_ups.target
    on_chaser = add(c.p, rotate(c.q, s.on_chaser))
    on_target = add(t.p, rotate(t.q, s.on_target))
    return dot(n, subtract(on_target, on_chaser))


@compiled
def estimate_stiffness(s, mock_ups: Output, n, point, force, believed, noise):
    """The estimate with this sample [N/m]; `believed` as long as there is none. `noise`: of the
    force [N]; a slope that it may have made is not taken."""
    c, t = mock_ups.chaser, mock_ups.target
    if s.one == 0.0:
        s.x, s.f, s.xx, s.xf = 0.0, 0.0, 0.0, 0.0
        s.on_chaser = rotate_back(c.q, subtract(point, c.p))
        s.on_target = rotate_back(t.q, subtract(point, t.p))
    x = _compute_way(s, mock_ups, n)
    s.one += 1.0
    s.x += x
    s.f += force
    s.xx += x * x
    s.xf += x * force
    s.fresh = False
    count = s.one
    spread = s.xx - s.x * s.x / count
    if count >= ENOUGH and spread > SPREAD * s.xx:
        slope = (s.xf - s.x * s.f / count) / spread
        if slope > 0.0 and noise * noise < KNOWN * KNOWN * slope * slope * spread:
            s.fresh = not s.accepted
            s.stiffness, s.accepted = slope, True
    return s.stiffness if s.stiffness > 0.0 else believed
