"""Stage 4, the contact: poses and twists of the two mock-ups in, wrenches on both out.

In: `chaser` and `target` motions (pose, velocity in world axes, rate in body axes). Out: `Contact`,
the equal and opposite wrenches about each centre of mass in world axes, the energy stored and the
power dissipated. Orbit's reference calls the same functions with the satellites' own motion and the
wanted law. Lists of models: `LAWS` in laws.py, `GEOMETRIES` in pairs.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from softdock.compile.features import is_full
from softdock.compile.jit import by_type, compiled, noinline
from softdock.loop.contact.compliance import soft_force
from softdock.loop.contact.laws import elastic_force, friction_factor, normal_force, stored_energy
from softdock.loop.contact.models import touch_pair
from softdock.loop.contact.pair import PAIR_CELLS, PAIR_FLOATS, pair_here
from softdock.loop.contact.tip import tip_in_target, tip_velocity
from softdock.loop.contact.tips import (
    IN_CLUSTER,
    cluster_depth,
    count_clusters,
    count_in_cluster,
    deepest_tip,
    tip_of,
)
from softdock.loop.contact.touch import INSIDE, NO_TOUCH
from softdock.loop.spatial.rotations import rotate, rotate_back
from softdock.loop.spatial.vectors import add, add_scaled, cross, dot, norm, scale, subtract

if TYPE_CHECKING:
    from softdock.loop.contact.pair import Pair
    from softdock.loop.spatial.motion import Motion


class Contact(NamedTuple):
    """The touch of two bodies at one instant."""

    force: tuple  # N on the chaser, world axes; the target gets the opposite
    torque_chaser: tuple  # Nm about the chaser's centre of mass, world axes
    torque_target: tuple  # Nm about the target's centre of mass, world axes
    stored: float  # J
    dissipated: float  # W
    depth: float  # m, the deepest; negative: the smallest gap
    pair: int  # index of the deepest pair
    peak_squared: float  # N^2, largest force of any single pair


@compiled
def _law_force(vector, pair: Pair, touch, v, spin):
    """One touch: force on the tip and torque about its centre (target axes), stored energy [J],
    dissipated power [W].

    `v`, `spin`: velocity and angular velocity of the tip seen from the target, target axes.
    """
    if touch.depth <= 0.0:
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0, 0.0
    law, n = pair.law, touch.normal
    rate = -dot(n, v)
    elastic = elastic_force(vector, law, touch.depth)
    normal = normal_force(law, elastic, rate)
    dissipated = (normal - elastic) * rate
    force, torque = scale(normal, n), (0.0, 0.0, 0.0)
    if law.rubs and normal > 0.0:
        arm = scale(
            0.5 * touch.depth - pair.tip_radius, n
        )  # from the tip's centre to the middle of the overlap
        at_touch = add(v, cross(spin, arm))
        sliding = add_scaled(at_touch, -dot(n, at_touch), n)
        drag = scale(-normal * friction_factor(law, norm(sliding)), sliding)
        dissipated -= dot(drag, sliding)
        force, torque = add(force, drag), cross(arm, drag)
    return force, torque, stored_energy(vector, law, touch.depth), dissipated


@compiled
def _rigid_tip(features, pair: Pair, side, chaser_q, target_q, tip, v, spin):
    return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0, 0.0


@compiled
def _soft_tip(features, pair: Pair, side, chaser_q, target_q, tip, v, spin):
    return soft_force(pair, side, chaser_q, target_q, tip, v, spin)


@by_type(lambda cls: _soft_tip if is_full(cls) else _rigid_tip)
def compute_soft_force(features, pair, side, chaser_q, target_q, tip, v, spin):
    """A tip on springs: see compliance.soft_force."""


class Touched(NamedTuple):
    """All tips of one pair at one instant."""

    force: tuple  # N on the chaser, world axes
    torque_chaser: tuple  # Nm, each about its body's centre of mass, world axes
    torque_target: tuple
    stored: float  # J
    dissipated: float  # W
    depth: float  # m, of the deepest


@compiled
def _one_tip(features, pair: Pair):
    return False


@compiled
def _any_tips(features, pair: Pair):
    return pair.tips != 0


@by_type(lambda cls: _any_tips if is_full(cls) else _one_tip)
def has_tips(features, pair):
    """Whether a pair has a set of tips (tips.py)."""


@compiled
def _touch_none(features, vector, pair: Pair, chaser: Motion, target: Motion):
    zero = (0.0, 0.0, 0.0)
    return Touched(zero, zero, zero, 0.0, 0.0, NO_TOUCH)


@noinline
def _touch_set(features, vector, pair: Pair, chaser: Motion, target: Motion):
    force, torque_chaser, torque_target = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    stored, dissipated, depth = 0.0, 0.0, NO_TOUCH
    spin = rotate_back(target.q, subtract(rotate(chaser.q, chaser.w), rotate(target.q, target.w)))
    for cluster in range(count_clusters(pair)):
        bound, is_far = cluster_depth(pair, cluster, chaser, target)
        if is_far:
            depth = max(depth, bound)
            continue
        for j in range(count_in_cluster(pair, cluster)):
            one = tip_of(pair, cluster * IN_CLUSTER + j)
            arm, from_target, tip = tip_in_target(one, chaser, target)
            touch = touch_pair(one, INSIDE, False, tip).first
            depth = max(depth, touch.depth)
            if touch.depth <= 0.0:
                continue
            v = tip_velocity(chaser, target, arm, from_target)
            f, t, held, lost = _law_force(vector, one, touch, v, spin)
            f_W, t_W = rotate(target.q, f), rotate(target.q, t)
            force = add(force, f_W)
            torque_chaser = add(torque_chaser, add(cross(arm, f_W), t_W))
            torque_target = subtract(torque_target, add(cross(from_target, f_W), t_W))
            stored += held
            dissipated += lost
    return Touched(force, torque_chaser, torque_target, stored, dissipated, depth)


@by_type(lambda cls: _touch_set if is_full(cls) else _touch_none)
def touch_tips(features, vector, pair, chaser, target):
    """All tips of a pair at one instant; the gap of tips that are far off is a lower bound."""


@compiled
def _own_tip(features, pair: Pair, chaser: Motion, target: Motion):
    return pair


@compiled
def _deepest_tip(features, pair: Pair, chaser: Motion, target: Motion):
    return deepest_tip(pair, chaser, target)


@by_type(lambda cls: _deepest_tip if is_full(cls) else _own_tip)
def choose_tip(features, pair, chaser, target):
    """The pair with its deepest tip alone."""


@compiled
def touch_bodies(vector, mem, at, pairs, chaser: Motion, target: Motion):
    """All pairs at one instant. Updates the latched sides in `mem`."""
    force, torque_chaser, torque_target = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    stored, dissipated, peak = 0.0, 0.0, 0.0
    depth, deepest = NO_TOUCH, 0
    for i in range(pairs.number):
        here = at + i * PAIR_FLOATS
        pair = pair_here(pairs, mem, here, i)
        if has_tips(pairs.features, pair):
            of_set = touch_tips(pairs.features, vector, pair, chaser, target)
            if of_set.depth > depth:
                depth, deepest = of_set.depth, i
            force = add(force, of_set.force)
            torque_chaser = add(torque_chaser, of_set.torque_chaser)
            torque_target = add(torque_target, of_set.torque_target)
            stored += of_set.stored
            dissipated += of_set.dissipated
            peak = max(peak, dot(of_set.force, of_set.force))
            continue
        arm, from_target, tip = tip_in_target(pair, chaser, target)
        s = PAIR_CELLS(mem, here)
        touches = touch_pair(pair, abs(s.latch), s.latch > 0, tip)
        deeper = max(touches.first.depth, touches.second.depth)
        if deeper > depth:
            depth, deepest = deeper, i
        if deeper <= 0.0:
            s.latch = -touches.side  # apart: where the tip is
            continue
        s.latch = touches.side  # in touch: on which side
        v = tip_velocity(chaser, target, arm, from_target)
        spin = rotate_back(
            target.q, subtract(rotate(chaser.q, chaser.w), rotate(target.q, target.w))
        )
        if pair.soft:
            f1, moved, s1, d1 = compute_soft_force(
                pairs.features,
                pair,
                touches.side,
                chaser_q=chaser.q,
                target_q=target.q,
                tip=tip,
                v=v,
                spin=spin,
            )
            f2, t1, t2, s2, d2 = (0.0, 0.0, 0.0), cross(moved, f1), (0.0, 0.0, 0.0), 0.0, 0.0
        else:
            f1, t1, s1, d1 = _law_force(vector, pair, touches.first, v, spin)
            f2, t2, s2, d2 = _law_force(vector, pair, touches.second, v, spin)
        f_W = rotate(target.q, add(f1, f2))
        force = add(force, f_W)
        torque_chaser = add(torque_chaser, cross(arm, f_W))
        torque_target = subtract(torque_target, cross(from_target, f_W))
        if pair.law.rubs or pair.soft:
            t_W = rotate(target.q, add(t1, t2))
            torque_chaser, torque_target = add(torque_chaser, t_W), subtract(torque_target, t_W)
        stored += s1 + s2
        dissipated += d1 + d2
        peak = max(peak, dot(f_W, f_W))
    return Contact(
        force=force,
        torque_chaser=torque_chaser,
        torque_target=torque_target,
        stored=stored,
        dissipated=dissipated,
        depth=depth,
        pair=deepest,
        peak_squared=peak,
    )


touch_noinline = noinline(
    touch_bodies
)  # the same, called rather than inlined: for what happens once a run


@noinline
def gap_rate(pairs, mem, at, index, chaser: Motion, target: Motion):
    """Rate of the gap of one pair [m/s], with its own normal at this instant; touching or not."""
    here = at + index * PAIR_FLOATS
    pair = choose_tip(pairs.features, pair_here(pairs, mem, here, index), chaser, target)
    arm, from_target, tip = tip_in_target(pair, chaser, target)
    latch = PAIR_CELLS(mem, here).latch
    touches = touch_pair(pair, abs(latch), latch > 0, tip)
    normal = touches.first.normal
    if touches.second.depth > touches.first.depth:
        normal = touches.second.normal
    return dot(normal, tip_velocity(chaser, target, arm, from_target))
