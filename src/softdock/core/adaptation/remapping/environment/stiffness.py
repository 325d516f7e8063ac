"""The mock-ups' contact stiffness from force and measured motion, while a contact lasts.

Least squares of f = k (x - x_0) over the contact so far, f the measured force less that of the
damper that is believed, x the way that the mock-ups have come together along the normal since it
was first felt: the slope needs no absolute position. Until there are enough samples (`ENOUGH`,
`SPREAD`), the last contact's estimate counts, or what is given.
"""

from __future__ import annotations

from softdock.core.machine.compiled import compiled
from softdock.core.spatial.rotations import rotate, rotate_back
from softdock.core.spatial.vectors import add, dot, load3, store3, subtract

ENOUGH = 4.0  # samples, before a slope is believed
SPREAD = (
    0.05  # of the largest way, squared and as a variance: below, the samples lie too close together
)
# sums of 1, x, f, xx, xf; the estimate; the point on both bodies
ONE, X, F, XX, XF, KEPT = 0, 1, 2, 3, 4, 5
POINTS, ACCEPTED, FRESH, FLOATS = (
    6,
    12,
    13,
    14,
)  # whether this contact has an estimate; whether it is its first


@compiled
def forget(mem, at):
    """The contact is over; its estimate stays."""
    mem[at + ONE], mem[at + ACCEPTED], mem[at + FRESH] = 0.0, 0.0, 0.0


@compiled
def _way(mem, at, mock_ups, n):
    """How far the mock-ups have come together along n since the first sample [m]."""
    c, t = mock_ups.chaser, mock_ups.target
    on_chaser = add(c.p, rotate(c.q, load3(mem, at + POINTS)))
    on_target = add(t.p, rotate(t.q, load3(mem, at + POINTS + 3)))
    return dot(n, subtract(on_target, on_chaser))


@compiled
def estimated_stiffness(mem, at, mock_ups, n, point, force, believed):
    """The estimate with this sample [N/m]; `believed` as long as there is none."""
    c, t = mock_ups.chaser, mock_ups.target
    if mem[at + ONE] == 0.0:
        for i in range(KEPT):
            mem[at + i] = 0.0
        store3(mem, at + POINTS, rotate_back(c.q, subtract(point, c.p)))
        store3(mem, at + POINTS + 3, rotate_back(t.q, subtract(point, t.p)))
    x = _way(mem, at, mock_ups, n)
    mem[at + ONE] += 1.0
    mem[at + X] += x
    mem[at + F] += force
    mem[at + XX] += x * x
    mem[at + XF] += x * force
    mem[at + FRESH] = 0.0
    count = mem[at + ONE]
    spread = mem[at + XX] - mem[at + X] * mem[at + X] / count
    if count >= ENOUGH and spread > SPREAD * mem[at + XX]:
        slope = (mem[at + XF] - mem[at + X] * mem[at + F] / count) / spread
        if slope > 0.0:
            mem[at + FRESH] = 1.0 - mem[at + ACCEPTED]
            mem[at + KEPT], mem[at + ACCEPTED] = slope, 1.0
    return mem[at + KEPT] if mem[at + KEPT] > 0.0 else believed
