"""How far a probe is from its seat, and how fast it moves there: what decides a capture.

The seat of a cone is its bottom (the apex, if the bottom has no radius): the distance is the tip's
height above it along the axis. A tip before the mouth, or farther from the axis than the cone's
inner wall at the tip's height, is not at the seat at any height. The seat of a wall or a sphere is
its surface: the distance is the gap. A tip is at its seat within `within_m` on either side: one
that is deeper behind the bottom or the surface is not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from softdock.compile.jit import compiled
from softdock.loop.contact.models import seat_distance
from softdock.loop.contact.pair import PAIR_FLOATS, pair_here
from softdock.loop.contact.tip import tip_in_target, tip_velocity
from softdock.loop.parameters import Group, Parameter
from softdock.loop.spatial.vectors import norm, subtract

if TYPE_CHECKING:
    from softdock.loop.contact.pair import Pair
    from softdock.loop.spatial.motion import Motion

CAPTURE = Group(
    "capture",
    "What counts as captured: the probe at its seat (a cone's bottom, a wall's or a sphere's "
    "surface) and slow, for some time on end.",
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
def seat_of_place(pairs, mem, at, index, place):
    """Distance of a pair's tip, at a place on the target, from its seat [m]."""
    pair = pair_here(pairs, mem, at + index * PAIR_FLOATS, index)
    return seat_distance(pair, subtract(place, pair.origin))


@compiled
def at_seat(vector, base, pair: Pair, chaser: Motion, target: Motion):
    """The same of one pair."""
    arm, from_target, tip = tip_in_target(pair, chaser, target)
    if not abs(seat_distance(pair, tip)) <= CAPTURE(vector, base).within:
        return False
    return norm(tip_velocity(chaser, target, arm, from_target)) <= CAPTURE(vector, base).speed
