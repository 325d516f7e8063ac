"""Where two bodies touch, from the mock-ups' known shapes: depth, normal, point and sliding of each
touch of each pair.

The same function serves the satellites, their recomputed past, their future, and the mock-ups as
reported. A pair has up to two touches (wall and bottom of a cone). On which side of a thin wall the
tip is, is latched per user: one float of `latches` for each pair.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.compile.jit import compiled, noinline
from softdock.loop.contact.models import touch_pair
from softdock.loop.contact.pair import PAIR_FLOATS, kind_in, load_pair
from softdock.loop.contact.tip import tip_in_target
from softdock.loop.spatial.motion import Motion
from softdock.loop.spatial.rotations import rotate
from softdock.loop.spatial.vectors import Vector, add, add_scaled, cross, dot, norm, scale, subtract

NOWHERE = -1e300
TINY = 1e-12  # m/s
LONGEST = 0.25  # s between two looks at how far apart they are


class Place(NamedTuple):
    """One touch, world axes."""

    depth: float  # m; negative: the gap
    rate: float  # m/s, > 0: deeper
    normal: Vector  # out of the target
    on_chaser: Vector  # m, from the chaser's centre of mass to the middle of the overlap
    on_target: Vector  # m, from the target's
    sliding: Vector  # m/s, of the chaser's part over the target's, there


class Places(NamedTuple):
    first: Place
    second: Place


@compiled
def _make_place(touch, radius, arm, from_target, q, v, spin):
    if touch.depth <= NOWHERE:
        zero = (0.0, 0.0, 0.0)
        return Place(
            depth=NOWHERE, rate=0.0, normal=zero, on_chaser=zero, on_target=zero, sliding=zero
        )
    n = rotate(q, touch.normal)
    to_middle = scale(0.5 * max(touch.depth, 0.0) - radius, n)
    there = add(v, cross(spin, to_middle))
    return Place(
        depth=touch.depth,
        rate=-dot(n, v),
        normal=n,
        on_chaser=add(arm, to_middle),
        on_target=add(from_target, to_middle),
        sliding=add_scaled(there, -dot(n, there), n),
    )


@noinline
def find_places(mem, pairs, latches, i, chaser: Motion, target: Motion):
    """The touches of pair i. Updates its latch. `pairs`: where the pairs stand in `mem`."""
    pair = load_pair(mem, pairs + i * PAIR_FLOATS, kind_in(mem, pairs + i * PAIR_FLOATS))
    arm, from_target, tip = tip_in_target(pair, chaser, target)
    latch = int(latches[i])
    touches = touch_pair(pair, abs(latch), latch > 0, tip)
    deeper = max(touches.first.depth, touches.second.depth)
    latches[i] = float(touches.side) if deeper > 0.0 else -float(touches.side)
    w_c, w_t = rotate(chaser.q, chaser.w), rotate(target.q, target.w)
    v = subtract(add(chaser.v, cross(w_c, arm)), add(target.v, cross(w_t, from_target)))
    spin = subtract(w_c, w_t)
    r, q = pair.tip_radius, target.q
    return Places(
        _make_place(touches.first, r, arm, from_target, q, v, spin),
        _make_place(touches.second, r, arm, from_target, q, v, spin),
    )


@compiled
def find_depth(mem, pairs, latches, count, chaser: Motion, target: Motion):
    """Largest depth of all pairs [m]; negative: the smallest gap."""
    found = NOWHERE
    for i in range(count):
        places = find_places(mem, pairs, latches, i, chaser, target)
        found = max(found, max(places.first.depth, places.second.depth))
    return found


@compiled
def bound_free_time(gap, chaser: Motion, target: Motion, reach, swiftest):
    """How long two bodies that are `gap` [m] apart surely stay apart [s]: a tip, `reach` [m] from
    the chaser's centre of mass at most, moves over the target at most as fast as all motions
    together, twice that is allowed for, and no body is accelerated beyond `swiftest` [m/s^2]."""
    if gap <= 0.0:
        return 0.0
    distance = norm(subtract(chaser.p, target.p)) + reach
    speed = norm(subtract(chaser.v, target.v)) + norm(chaser.w) * reach + norm(target.w) * distance
    return min(0.5 * gap / (speed + TINY), min(math.sqrt(gap / swiftest), LONGEST))
