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
from softdock.loop.contact.bristle import (
    drag,
    keep_place,
    no_rub,
    place_of,
    rub,
    touch_at,
)
from softdock.loop.contact.compliance import soft_force
from softdock.loop.contact.laws import elastic_force, normal_force, stored_energy
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
from softdock.loop.spatial.vectors import add, cross, dot, scale, subtract

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
    lost: float  # J, by bristles since the last instant


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
    if law.rubs and law.bristle == 0.0 and normal > 0.0:
        rubbing, torque, lost = drag(pair, touch, normal, v, spin)
        force, dissipated = add(force, rubbing), dissipated + lost
    return force, torque, stored_energy(vector, law, touch.depth), dissipated


@compiled
def _no_bristles(features, mem, states, pair: Pair):
    return False


@compiled
def _any_bristles(features, mem, states, pair: Pair):
    return states != 0 and pair.law.rubs and pair.law.bristle > 0.0


@by_type(lambda cls: _any_bristles if is_full(cls) else _no_bristles)
def has_bristles(features, mem, states, pair):
    """Whether a pair's friction is that of bristles (bristle.py)."""


@compiled
def _rub_none(features, vector, mem, states, at, pair, touch, v, tip, here, keeps):
    return no_rub()


@noinline
def _rub(features, vector, mem, states, at, pair: Pair, touch, v, tip, here, keeps):
    normal = 0.0
    if touch.depth > 0.0:
        elastic = elastic_force(vector, pair.law, touch.depth)
        normal = normal_force(pair.law, elastic, -dot(touch.normal, v))
    return rub(mem, states, at, pair, touch, normal, tip, here, keeps)


@by_type(lambda cls: _rub if is_full(cls) else _rub_none)
def rub_touch(features, vector, mem, states, at, pair, touch, v, tip, here, keeps):
    """A bristle at one touch of a tip that moves at `v` [m/s], target axes: see bristle.rub."""


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
    lost: float  # J, by bristles


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
def _touch_none(features, vector, mem, states, pair: Pair, chaser: Motion, target: Motion, keeps):
    zero = (0.0, 0.0, 0.0)
    return Touched(zero, zero, zero, 0.0, 0.0, NO_TOUCH, 0.0)


@noinline
def _touch_set(features, vector, mem, states, pair: Pair, chaser: Motion, target: Motion, keeps):
    rubs, here, slipped = has_bristles(features, mem, states, pair), place_of(chaser, target), 0.0
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
            touches = touch_pair(one, INSIDE, False, tip)
            for k in range(2):
                touch = touches.first if k == 0 else touches.second
                depth = max(depth, touch.depth)
                if touch.depth <= 0.0 and not (rubs and keeps):
                    continue
                v = tip_velocity(chaser, target, arm, from_target)
                f, t, held, lost = _law_force(vector, one, touch, v, spin)
                if rubs:
                    at = touch_at(states, cluster * IN_CLUSTER + j, k)
                    centre = add(tip, one.origin)
                    rubbed = rub_touch(
                        features, vector, mem, states, at, one, touch, v, centre, here, keeps
                    )
                    f, t, held = add(f, rubbed.force), add(t, rubbed.torque), held + rubbed.stored
                    slipped += rubbed.lost
                f_W, t_W = rotate(target.q, f), rotate(target.q, t)
                force = add(force, f_W)
                torque_chaser = add(torque_chaser, add(cross(arm, f_W), t_W))
                torque_target = subtract(torque_target, add(cross(from_target, f_W), t_W))
                stored += held
                dissipated += lost
    if rubs and keeps:
        keep_place(mem, states, here)
    return Touched(force, torque_chaser, torque_target, stored, dissipated, depth, slipped)


@by_type(lambda cls: _touch_set if is_full(cls) else _touch_none)
def touch_tips(features, vector, mem, states, pair, chaser, target, keeps):
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
def touch_bodies(vector, mem, at, pairs, chaser: Motion, target: Motion, keeps):
    """All pairs at one instant. Updates the latched sides in `mem`; `keeps`: the bristles too,
    which have come this far."""
    force, torque_chaser, torque_target = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    stored, dissipated, peak, slipped = 0.0, 0.0, 0.0, 0.0
    depth, deepest = NO_TOUCH, 0
    for i in range(pairs.number):
        here = at + i * PAIR_FLOATS
        pair = pair_here(pairs, mem, here, i)
        if has_tips(pairs.features, pair):
            states = PAIR_CELLS(mem, here).states
            of_set = touch_tips(pairs.features, vector, mem, states, pair, chaser, target, keeps)
            if of_set.depth > depth:
                depth, deepest = of_set.depth, i
            force = add(force, of_set.force)
            torque_chaser = add(torque_chaser, of_set.torque_chaser)
            torque_target = add(torque_target, of_set.torque_target)
            stored += of_set.stored
            dissipated += of_set.dissipated
            slipped += of_set.lost
            peak = max(peak, dot(of_set.force, of_set.force))
            continue
        arm, from_target, tip = tip_in_target(pair, chaser, target)
        s = PAIR_CELLS(mem, here)
        touches = touch_pair(pair, abs(s.latch), s.latch > 0, tip)
        deeper = max(touches.first.depth, touches.second.depth)
        rubs = has_bristles(pairs.features, mem, s.states, pair)
        if deeper > depth:
            depth, deepest = deeper, i
        if deeper <= 0.0:
            s.latch = -touches.side  # apart: where the tip is
            if not (rubs and keeps):
                continue
        else:
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
        if rubs:
            place, centre = place_of(chaser, target), add(tip, pair.origin)
            for k in range(2):
                rubbed = rub_touch(
                    pairs.features,
                    vector,
                    mem,
                    s.states,
                    touch_at(s.states, 0, k),
                    pair,
                    touches.first if k == 0 else touches.second,
                    v,
                    centre,
                    place,
                    keeps,
                )
                f1, t1, s1 = add(f1, rubbed.force), add(t1, rubbed.torque), s1 + rubbed.stored
                slipped += rubbed.lost
            if keeps:
                keep_place(mem, s.states, place)
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
        lost=slipped,
    )


@noinline
def touch_noinline(vector, mem, at, pairs, chaser: Motion, target: Motion):
    """The same, called rather than inlined, at an instant that bristles do not come to: for what
    happens once a run, or is tried."""
    return touch_bodies(vector, mem, at, pairs, chaser, target, False)


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
