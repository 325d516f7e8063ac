"""Forces of all touches in orbit at one instant, each in a given mode (modes.py).

In: motions of both satellites (world axes). Out: wrenches on both, powers of the normal forces and
dissipated powers [W]. The laws are those of contact/, continued smoothly beyond the ends of a
mode, so that a Runge-Kutta step across such an end keeps its order.
"""

from __future__ import annotations

from typing import NamedTuple

from softdock.compile.jit import compiled, noinline
from softdock.loop.contact.bristle import (
    Place,
    drag,
    keep_place,
    place_of,
    rub,
    touch_at,
)
from softdock.loop.contact.compliance import equilibrium
from softdock.loop.contact.models import touch_pair
from softdock.loop.contact.pair import PAIR_CELLS, kind_in, load_pair
from softdock.loop.contact.tip import tip_in_target, tip_velocity
from softdock.loop.contact.tips import (
    IN_CLUSTER,
    cluster_depth,
    count_clusters,
    count_in_cluster,
    count_tips,
    tip_of,
)
from softdock.loop.contact.touch import INSIDE
from softdock.loop.spatial.rigid_body import motion_of
from softdock.loop.spatial.rotations import rotate, rotate_back
from softdock.loop.spatial.vectors import add, add_scaled, cross, dot, scale, subtract
from softdock.reference.modes import (
    AWAY,
    PUSHING,
    SLACK,
    is_active,
    row_of,
    side_of,
    state_at,
    state_of,
    unclamped_force,
)
from softdock.reference.setup import pair_at


class Push(NamedTuple):
    """All touches at one instant of a step."""

    force: tuple  # N on the chaser, world
    torque_chaser: tuple  # Nm, each about its body's centre of mass, world
    torque_target: tuple
    power: float  # W of the normal forces, into the bodies
    dissipated: float  # W, by damping, clamp and friction
    driven: float  # W, of latches' drives


@compiled
def relative_spin(chaser, target):
    """Angular velocity of the chaser seen from the target, target axes [rad/s]."""
    return subtract(rotate_back(target.q, rotate(chaser.q, chaser.w)), target.w)


class Rubbing(NamedTuple):
    """The bristle of a touch (loop/contact/bristle.py): where it stands, and where the tip is."""

    states: int  # of the pair; 0: its friction has none
    at: int
    tip: tuple  # m, the tip's centre from the target's centre of mass, target axes
    here: Place


@compiled
def _states(mem, i, pair):
    """Where the bristles of pair i stand; 0: its friction has none."""
    states = PAIR_CELLS(mem, pair_at(i)).states
    return states if pair.law.rubs and pair.law.bristle > 0.0 else 0


@compiled
def _touch_force(vector, mem, pair, touch, state, row, v, spin, rubbing):
    """Force [N] and torque about the tip's centre [Nm], target axes; power of the normal force, and
    dissipated power [W], to which that stored in a bristle counts."""
    zero = (0.0, 0.0, 0.0)
    if state == AWAY:
        return zero, zero, 0.0, 0.0
    law, n = pair.law, touch.normal
    rate = -dot(n, v)
    normal, elastic = unclamped_force(vector, law, row, touch.depth, rate)
    if state == SLACK:
        return zero, zero, 0.0, -elastic * rate
    force, torque, dissipated = scale(normal, n), zero, (normal - elastic) * rate
    if law.friction > 0.0 and state == PUSHING and rubbing.states != 0:
        rubbed = rub(
            mem, rubbing.states, rubbing.at, pair, touch, normal, rubbing.tip, rubbing.here, False
        )
        dissipated -= dot(rubbed.force, v) + dot(rubbed.torque, spin)
        force, torque = add(force, rubbed.force), rubbed.torque
    elif law.friction > 0.0 and state == PUSHING:
        rubbed, torque, lost = drag(pair, touch, normal, v, spin)
        force, dissipated = add(force, rubbed), dissipated + lost
    return force, torque, -normal * rate, dissipated


@noinline
def _soft_force(pair, mode, i, q_chaser, q_target, tip, v, spin):
    """As `_touch_force`, for both touches of a pair whose tip is held by springs."""
    y = equilibrium(pair, side_of(mode, i), q_chaser, q_target, tip)
    force, power, dissipated = (0.0, 0.0, 0.0), 0.0, 0.0
    there = add(v, cross(spin, y.moved))
    for j in range(2):
        elastic, n, state = (
            (y.first, y.touches.first.normal, state_of(mode, i, 0))
            if j == 0
            else (y.second, y.touches.second.normal, state_of(mode, i, 1))
        )
        if state == AWAY:
            continue
        rate = -dot(n, there)
        normal = elastic + pair.law.damping * rate if state == PUSHING and elastic > 0.0 else 0.0
        force = add_scaled(force, normal, n)
        power -= normal * rate
        dissipated += (normal - elastic) * rate
    return force, cross(y.moved, force), power, dissipated


@noinline
def _push_tips(vector, mem, i, pair, chaser, target):
    """All tips of a set, each in the state it is in: none changes within a step, which is cut where
    one does."""
    force, torque_chaser, torque_target = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    power, dissipated, spin = 0.0, 0.0, relative_spin(chaser, target)
    states, here = _states(mem, i, pair), place_of(chaser, target)
    for cluster in range(count_clusters(pair)):
        _, is_far = cluster_depth(pair, cluster, chaser, target)
        if is_far:
            continue
        for m in range(count_in_cluster(pair, cluster)):
            n = cluster * IN_CLUSTER + m
            one = tip_of(pair, n)
            arm, from_target, tip = tip_in_target(one, chaser, target)
            touches = touch_pair(one, INSIDE, True, tip)
            v = tip_velocity(chaser, target, arm, from_target)
            for j in range(2):
                touch = touches.first if j == 0 else touches.second
                unclamped, _ = unclamped_force(
                    vector, one.law, 0, touch.depth, -dot(touch.normal, v)
                )
                state = state_at(one.law, touch.depth, unclamped)
                rubbing = Rubbing(states, touch_at(states, n, j), add(tip, one.origin), here)
                f, t, p, d = _touch_force(vector, mem, one, touch, state, 0, v, spin, rubbing)
                f_W, t_W = rotate(target.q, f), rotate(target.q, t)
                force = add(force, f_W)
                torque_chaser = add(torque_chaser, add(cross(arm, f_W), t_W))
                torque_target = subtract(torque_target, add(cross(from_target, f_W), t_W))
                power += p
                dissipated += d
    return Push(
        force=force,
        torque_chaser=torque_chaser,
        torque_target=torque_target,
        power=power,
        dissipated=dissipated,
        driven=0.0,
    )


@noinline
def push(vector, setup, mem, mode, chaser, target):
    """All touches in their modes, whatever their depth. `chaser`, `target`: motions."""
    force, torque_chaser, torque_target = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    power, dissipated = 0.0, 0.0
    for i in range(setup.pairs):
        if not is_active(mode, i):
            continue
        pair = load_pair(mem, pair_at(i), kind_in(mem, pair_at(i)))
        if pair.tips != 0:
            tips = _push_tips(vector, mem, i, pair, chaser, target)
            force = add(force, tips.force)
            torque_chaser = add(torque_chaser, tips.torque_chaser)
            torque_target = add(torque_target, tips.torque_target)
            power += tips.power
            dissipated += tips.dissipated
            continue
        arm, from_target, tip = tip_in_target(pair, chaser, target)
        touches = touch_pair(pair, side_of(mode, i), True, tip)
        v, spin = tip_velocity(chaser, target, arm, from_target), relative_spin(chaser, target)
        states, here = _states(mem, i, pair), place_of(chaser, target)
        for j in range(2):
            touch = touches.first if j == 0 else touches.second
            if not pair.soft:
                state, row = state_of(mode, i, j), row_of(mode, i, j)
                rubbing = Rubbing(states, touch_at(states, 0, j), add(tip, pair.origin), here)
                f, t, p, d = _touch_force(vector, mem, pair, touch, state, row, v, spin, rubbing)
            elif j == 0:
                f, t, p, d = _soft_force(
                    pair, mode, i, q_chaser=chaser.q, q_target=target.q, tip=tip, v=v, spin=spin
                )
            else:
                continue  # both touches at once
            f_W, t_W = rotate(target.q, f), rotate(target.q, t)
            force = add(force, f_W)
            torque_chaser = add(torque_chaser, add(cross(arm, f_W), t_W))
            torque_target = subtract(torque_target, add(cross(from_target, f_W), t_W))
            power += p
            dissipated += d
    return Push(
        force=force,
        torque_chaser=torque_chaser,
        torque_target=torque_target,
        power=power,
        dissipated=dissipated,
        driven=0.0,
    )


@noinline
def hold_bristles(vector, setup, mem, mode, both, keeps):
    """Energy stored in all bristles [J]; `keeps`: they have come this far."""
    chaser, target = motion_of(setup.chaser, both.chaser), motion_of(setup.target, both.target)
    here, stored = place_of(chaser, target), 0.0
    for i in range(setup.pairs):
        whole = load_pair(mem, pair_at(i), kind_in(mem, pair_at(i)))
        states = _states(mem, i, whole)
        if states == 0:
            continue
        for n in range(count_tips(whole)):
            pair = tip_of(whole, n) if whole.tips != 0 else whole
            arm, from_target, tip = tip_in_target(pair, chaser, target)
            side, active = side_of(mode, i), is_active(mode, i)
            if whole.tips != 0:
                side, active = INSIDE, True
            touches = touch_pair(pair, side, active, tip)
            v = tip_velocity(chaser, target, arm, from_target)
            for j in range(2):
                touch, normal = touches.first if j == 0 else touches.second, 0.0
                if touch.depth > 0.0:
                    rate = -dot(touch.normal, v)
                    normal, _ = unclamped_force(vector, pair.law, 0, touch.depth, rate)
                at, centre = touch_at(states, n, j), add(tip, pair.origin)
                stored += rub(mem, states, at, pair, touch, normal, centre, here, keeps).stored
        if keeps:
            keep_place(mem, states, here)
    return stored
