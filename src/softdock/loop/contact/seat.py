"""How far a probe is from its seat, and how fast it moves there: what decides a capture.

The seat of a cone is its bottom (the apex, if the bottom has no radius): the distance is the tip's
height above it along the axis. A tip before the mouth, or farther from the axis than the cone's
inner wall at the tip's height, is not at the seat at any height. The seat of a wall or a sphere is
its surface: the distance is the gap. A tip is at its seat within `within_m` on either side: one
that is deeper behind the bottom or the surface is not. Any pair may have a docked pose instead
(`seat = "place"`): where its tip_m is, and how the chaser is turned, when docked.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from softdock.compile.jit import compiled
from softdock.loop.contact.models import seat_distance
from softdock.loop.contact.pair import PAIR_FLOATS, pair_here
from softdock.loop.contact.tip import tip_in_target, tip_velocity
from softdock.loop.parameters import Group, Parameter
from softdock.loop.spatial.rotations import inverse, logarithm, normalise, product
from softdock.loop.spatial.vectors import add, dot, norm, subtract

if TYPE_CHECKING:
    from softdock.loop.contact.pair import Pair
    from softdock.loop.spatial.motion import Motion

OF_SHAPE, PLACE = 0, 1  # of capture.seat
_PLACE = ("seat", ("place",))
CAPTURE = Group(
    "capture",
    "What counts as captured: the probe at its seat (a cone's bottom, the surface of another "
    "shape, or a docked pose of your own) and slow, for some time on end.",
    Parameter(
        "hold",
        "for_s",
        "time at the seat that makes a capture; 0: nobody asks",
        0.0,
        unit="s",
        low=0.0,
        high=1e5,
    ),
    Parameter(
        "within",
        "within_m",
        "farthest from the seat, before or behind it, that still is at it",
        0.005,
        unit="m",
        low=0.0,
        high=1e3,
    ),
    Parameter(
        "speed",
        "below_m_per_s",
        "fastest that a seated tip may move, seen from the target",
        0.002,
        unit="m/s",
        low=0.0,
        high=1e3,
        open_low=True,
    ),
    Parameter(
        "torque",
        "peak_torque",
        "true: keep the largest true torque of every run of a batch",
        False,
        kind="flag",
    ),
    Parameter(
        "pair",
        "pair",
        "which contact pair is the probe and its seat",
        0,
        low=0,
        high=3,
        kind="integer",
    ),
    Parameter(
        "seat",
        "seat",
        "the seat of the pair's shape, or a place: of a mesh, a ring or a set of tips",
        "shape",
        choices=("shape", "place"),
    ),
    Parameter(
        "place",
        "place_m",
        "where the pair's tip_m is when docked, from the target's centre of mass, target axes",
        unit="m",
        low=-1e3,
        high=1e3,
        size=3,
        when=_PLACE,
    ),
    Parameter(
        "attitude",
        "attitude_wxyz",
        "the chaser's attitude when docked, target from chaser",
        (1.0, 0.0, 0.0, 0.0),
        size=4,
        kind="quaternion",
        when=_PLACE,
    ),
    Parameter(
        "tilt",
        "within_deg",
        "largest turn from that attitude",
        180.0,
        unit="deg",
        low=0.0,
        high=180.0,
        open_low=True,
        scale=math.pi / 180.0,
        when=_PLACE,
    ),
)
CAPTURES = CAPTURE.at


@compiled
def is_seated(vector, base, pairs, mem, at, chaser: Motion, target: Motion):
    """Whether the probe is at its seat and slow. `base`: of the capture's numbers in the vector;
    `at`: of the pairs in `mem`."""
    index = int(CAPTURE(vector, base).pair)
    if index >= pairs.number:
        return False
    pair = pair_here(pairs, mem, at + index * PAIR_FLOATS, index)
    return at_seat(vector, base, pair, chaser, target)


@compiled
def _to_seat(vector, base, pair: Pair, tip):
    """Distance of a tip from its seat [m]; `tip`: its centre from the shape, target axes."""
    keys = CAPTURE(vector, base)
    if keys.seat == PLACE:
        return norm(subtract(add(tip, pair.origin), keys.place))
    return seat_distance(pair, tip)


@compiled
def seat_of_place(vector, base, pairs, mem, at, index, place):
    """Distance of a pair's tip, at a place on the target, from its seat [m]."""
    pair = pair_here(pairs, mem, at + index * PAIR_FLOATS, index)
    return _to_seat(vector, base, pair, subtract(place, pair.origin))


@compiled
def _is_turned(vector, base, chaser: Motion, target: Motion):
    """Whether the chaser is turned too far from its docked attitude."""
    keys = CAPTURE(vector, base)
    if keys.seat != PLACE:
        return False
    seen = product(inverse(target.q), chaser.q)
    turn = logarithm(product(seen, inverse(normalise(keys.attitude))))
    return not dot(turn, turn) <= keys.tilt * keys.tilt


@compiled
def at_seat(vector, base, pair: Pair, chaser: Motion, target: Motion):
    """Whether a pair's tip is at its seat, slow, and the chaser not turned too far."""
    arm, from_target, tip = tip_in_target(pair, chaser, target)
    keys = CAPTURE(vector, base)
    if not abs(_to_seat(vector, base, pair, tip)) <= keys.within:
        return False
    if _is_turned(vector, base, chaser, target):
        return False
    return norm(tip_velocity(chaser, target, arm, from_target)) <= keys.speed
