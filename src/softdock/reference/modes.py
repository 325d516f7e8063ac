"""The mode of every touch: what must not change within a step, because the force has a kink or a
jump where it does.

A touch is away, pushing, slack (still in, but the clamp holds the force at zero) or pulling (only
the law that may pull, and only told apart where friction would end). A touch that is not away also
has its row in a tabulated law, and a tip on a cone its sector: the face or edge it is nearest to.
The side on which a tip is or was is remembered along with them.
"""

from __future__ import annotations

from typing import NamedTuple

from softdock.compile.jit import compiled
from softdock.loop.contact.laws import continued_force, damped_force, may_pull

AWAY, PUSHING, SLACK, PULLING = 0, 1, 2, 3
TOUCH_BITS, ROW_BITS, SECTOR_BITS, SIDE_BITS = 2, 20, 8, 2  # rows: at most 100 000


class Mode(NamedTuple):
    touching: int  # TOUCH_BITS a touch, two touches a pair
    sectors: int  # SECTOR_BITS a pair
    rows: tuple  # for each of MOST_PAIRS pairs the rows of its two touches, ROW_BITS each
    sides: int  # SIDE_BITS a pair; they may change
    latch: int  # which latches hold, are at their seat, are overloaded (latches.py)


@compiled
def no_mode():
    return Mode(touching=0, sectors=0, rows=(0, 0, 0, 0), sides=0, latch=0)


@compiled
def is_same(a, b):
    """Whether a step from one to the other needs no cut."""
    rows = (
        a.rows[0] == b.rows[0]
        and a.rows[1] == b.rows[1]
        and a.rows[2] == b.rows[2]
        and a.rows[3] == b.rows[3]
    )
    same = a.touching == b.touching and a.sectors == b.sectors and a.latch == b.latch
    return rows and same


@compiled
def with_touch(mode, i, j, state, row):
    """The mode with touch j of pair i set, which was away."""
    more, r = row << (ROW_BITS * j), mode.rows
    rows = (
        r[0] + (more if i == 0 else 0),
        r[1] + (more if i == 1 else 0),
        r[2] + (more if i == 2 else 0),
        r[3] + (more if i == 3 else 0),
    )
    return Mode(
        touching=mode.touching | (state << (TOUCH_BITS * (2 * i + j))),
        sectors=mode.sectors,
        rows=rows,
        sides=mode.sides,
        latch=mode.latch,
    )


@compiled
def with_pair(mode, i, sector, side):
    """The mode with sector and side of pair i set, which had none."""
    return Mode(
        touching=mode.touching,
        sectors=mode.sectors | (sector << (SECTOR_BITS * i)),
        rows=mode.rows,
        sides=mode.sides | (side << (SIDE_BITS * i)),
        latch=mode.latch,
    )


@compiled
def hash_touch(so_far, n, state):
    """A number of all tips of a set that touch, by which and in what state: `ROW_BITS` twice."""
    return ((so_far + 1) * 1000003 + 4 * n + state) & ((1 << (2 * ROW_BITS)) - 1)


@compiled
def with_tips(mode, i, touching):
    """The mode with pair i, which had none: a set of tips of which some touch (`hash_touch`), or
    none (0). Where others touch, a step is cut as where a touch begins."""
    if touching == 0:
        return mode
    first = with_touch(mode, i, 0, PUSHING, touching & ((1 << ROW_BITS) - 1))
    return with_touch(first, i, 1, PUSHING, touching >> ROW_BITS)


@compiled
def with_latch_bits(mode, bits):
    """The mode with what latches do."""
    return Mode(
        touching=mode.touching,
        sectors=mode.sectors,
        rows=mode.rows,
        sides=mode.sides,
        latch=bits,
    )


@compiled
def state_of(mode, i, j):
    return (mode.touching >> (TOUCH_BITS * (2 * i + j))) & 3


@compiled
def is_active(mode, i):
    """Whether a pair touches."""
    return (mode.touching >> (TOUCH_BITS * 2 * i)) & 15 != 0


@compiled
def row_of(mode, i, j):
    return (mode.rows[i] >> (ROW_BITS * j)) & ((1 << ROW_BITS) - 1)


@compiled
def side_of(mode, i):
    return (mode.sides >> (SIDE_BITS * i)) & 3


@compiled
def unclamped_force(vector, law, row, depth, rate):
    """The law, smoothly continued below depth 0, below force 0 and beyond its table's row [N], and
    its elastic part [N]."""
    elastic = continued_force(vector, law, row, depth)
    return damped_force(law, elastic, rate), elastic


@compiled
def state_at(law, depth, force):
    """State of a touch from its depth and its unclamped force."""
    if depth <= 0.0:
        return AWAY
    if force >= 0.0:
        return PUSHING
    if not may_pull(law.kind):
        return SLACK
    return PULLING if law.friction > 0.0 else PUSHING
