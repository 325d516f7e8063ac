"""Where a pair's tip is, and how it moves, seen from the target: poses and twists of both bodies
in, vectors out (world or target axes, as said)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from softdock.compile.jit import compiled
from softdock.loop.spatial.rotations import rotate, rotate_back
from softdock.loop.spatial.vectors import add, cross, subtract

if TYPE_CHECKING:
    from softdock.loop.contact.pair import Pair
    from softdock.loop.spatial.motion import Motion


@compiled
def tip_in_target(pair: Pair, chaser: Motion, target: Motion):
    """Tip centre from the chaser's centre of mass (world), from the target's (world), and the same
    relative to the shape (target axes)."""
    arm = rotate(chaser.q, pair.tip)
    from_target = add(subtract(chaser.p, target.p), arm)
    return arm, from_target, subtract(rotate_back(target.q, from_target), pair.origin)


@compiled
def tip_velocity(chaser: Motion, target: Motion, arm, from_target):
    """Velocity of the tip as seen in the target's turning frame, target axes [m/s]."""
    v_tip = add(chaser.v, cross(rotate(chaser.q, chaser.w), arm))
    v_surface = add(target.v, cross(rotate(target.q, target.w), from_target))
    return rotate_back(target.q, subtract(v_tip, v_surface))
