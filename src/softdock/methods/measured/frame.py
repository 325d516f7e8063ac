"""Axes in which a virtual contact's gains are given, and the relative motion of the two bodies in
them.

`normal`: x along the measured force on the chaser, y and z across it. `target`, `chaser`: body
axes. `world`. Axes are three unit vectors in world axes; `both` are the motions of chaser and
target that the virtual contact looks at.
"""

from __future__ import annotations

from softdock.compile.jit import compiled
from softdock.loop.method.interface import Output, Wrenches
from softdock.loop.spatial.motion import Wrench
from softdock.loop.spatial.rotations import inverse, product, rotate, rotate_back
from softdock.loop.spatial.vectors import add, cross, dot, negate, norm, scale, subtract

NORMAL, TARGET_FRAME, CHASER_FRAME, WORLD_FRAME = 0, 1, 2, 3
FRAMES = ("normal", "target", "chaser", "world")


@compiled
def _across(n):
    """A unit vector across n, away from the world axis that n is nearest to."""
    x, y, z = abs(n[0]), abs(n[1]), abs(n[2])
    if x <= y and x <= z:
        t = cross(n, (1.0, 0.0, 0.0))
    elif y <= z:
        t = cross(n, (0.0, 1.0, 0.0))
    else:
        t = cross(n, (0.0, 0.0, 1.0))
    return scale(1.0 / norm(t), t)


@compiled
def compute_axes(frame, both: Output, n):
    """The frame's axes; `n`: direction of the measured force, world axes."""
    if frame == NORMAL:
        t = _across(n)
        return n, t, cross(n, t)
    q = (1.0, 0.0, 0.0, 0.0)
    if frame == TARGET_FRAME:
        q = both.target.q
    elif frame == CHASER_FRAME:
        q = both.chaser.q
    return rotate(q, (1.0, 0.0, 0.0)), rotate(q, (0.0, 1.0, 0.0)), rotate(q, (0.0, 0.0, 1.0))


@compiled
def components(axes, a):
    return dot(axes[0], a), dot(axes[1], a), dot(axes[2], a)


@compiled
def compose(axes, c):
    return add(add(scale(c[0], axes[0]), scale(c[1], axes[1])), scale(c[2], axes[2]))


@compiled
def relative_pose(both: Output, tip):
    """The chaser's tip [m] and attitude as seen from the target, target axes."""
    from_target = add(subtract(both.chaser.p, both.target.p), rotate(both.chaser.q, tip))
    return rotate_back(both.target.q, from_target), product(inverse(both.target.q), both.chaser.q)


@compiled
def relative_rates(both: Output, tip):
    """Velocity of the chaser's tip and rate of the chaser, as seen in the target's turning frame,
    world axes [m/s, rad/s]."""
    chaser, target = both.chaser, both.target
    arm, spin_c, spin_t = (
        rotate(chaser.q, tip),
        rotate(chaser.q, chaser.w),
        rotate(target.q, target.w),
    )
    from_target = add(subtract(chaser.p, target.p), arm)
    velocity = subtract(
        add(chaser.v, cross(spin_c, arm)), add(target.v, cross(spin_t, from_target))
    )
    return velocity, subtract(spin_c, spin_t)


@compiled
def act_at_tip(arm, between, force, torque):
    """A force at the tip and a couple as wrenches on both bodies. `arm`: from the chaser's centre
    of mass to the tip; `between`: from the target's to it."""
    turning = add(cross(arm, force), torque)
    return Wrenches(
        Wrench(force, turning), Wrench(negate(force), negate(add(turning, cross(between, force))))
    )
