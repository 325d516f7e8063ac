"""How long orbit's next step may be [s], and the modes of all touches at its start.

In: both satellites at t (world axes, SI), the modes so far (modes.py), bounds of what acts from
outside. Out: `Look`: modes, depths, and the longest step in which no tip passes a surface
(closing.py), no contact oscillates or is damped too fast to be resolved, and no body turns too far.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.compile.jit import compiled, noinline
from softdock.loop.contact.bristle import sliding_at
from softdock.loop.contact.compliance import equilibrium
from softdock.loop.contact.laws import (
    friction_factor,
    is_graded,
    steepest_slope,
    stored_energy,
    table_row,
)
from softdock.loop.contact.laws import pace as pace_of
from softdock.loop.contact.models import bend, sector_of, touch_pair, way_through
from softdock.loop.contact.pair import kind_in, load_pair
from softdock.loop.contact.tip import tip_in_target, tip_velocity
from softdock.loop.contact.tips import count_tips, tip_of
from softdock.loop.contact.touch import INSIDE, NO_TOUCH
from softdock.loop.spatial.rigid_body import motion_of
from softdock.loop.spatial.rotations import rotate, rotate_back
from softdock.loop.spatial.vectors import (
    add,
    cross,
    dot,
    multiply,
    norm,
    symmetric_times,
)
from softdock.reference.closing import (
    TINY,
    arrival_speed,
    closing_gain,
    compute_closing,
    largest_mobility,
    time_to_cross,
    time_to_turn,
)
from softdock.reference.latches import inspect_latches, is_latched
from softdock.reference.modes import (
    AWAY,
    PUSHING,
    Mode,
    hash_touch,
    is_active,
    no_mode,
    side_of,
    state_at,
    unclamped_force,
    with_latch_bits,
    with_pair,
    with_tips,
    with_touch,
)
from softdock.reference.servicer import mobility_with_servicer
from softdock.reference.setup import pair_at, steepest_at
from softdock.reference.step import MOST_TURNS
from softdock.reference.touch_forces import hold_bristles, relative_spin

GRADED = (
    0.1  # of depth/rate near depth 0 of a law with a fractional exponent, which is not smooth there
)
FINEST = 1e-4  # of the ordinary step: the shortest graded step
CURVED = (
    0.02  # of the tip's distance from a cone's axis or a sphere's centre, that it moves in a step
)
THIN = (
    0.1  # of the thickness of the thinnest part, that a tip moves in a step which may end inside it
)


class Look(NamedTuple):
    mode: Mode
    next: float  # s, length of the next step
    pair: int  # the deepest
    gap_rate: float  # m/s, of the deepest touch
    depth: float  # m
    stored: float  # J
    bristled: float  # J of it, in bristles


@compiled
def _mobility(params, q, arm, normal):
    """Inverse of the effective mass at a point along a world direction [1/kg]; `q`: attitude of the
    body."""
    if params.fixed:
        return 0.0
    lever = rotate_back(q, cross(arm, normal))
    return dot(normal, multiply(params.inverse_mass, normal)) + dot(
        lever, symmetric_times(params.inverse_inertia, lever)
    )


@compiled
def _pair_mobility(setup, mem, chaser_q, target_q, arm, from_target, normal):
    """Of both bodies at a touch [1/kg]."""
    chaser = _mobility(setup.chaser, chaser_q, arm, normal)
    target = _mobility(setup.target, target_q, from_target, normal)
    own = setup.servicer
    return mobility_with_servicer(
        own, mem, False, chaser_q, arm, normal, chaser
    ) + mobility_with_servicer(own, mem, True, target_q, from_target, normal, target)


@compiled
def _friction_rate(pair, touch, v, spin, force, mobility):
    """How fast friction may stop the sliding [1/s]."""
    if pair.law.friction == 0.0 or pair.law.bristle > 0.0:
        return 0.0
    _, sliding = sliding_at(pair, touch, v, spin)
    return friction_factor(pair.law, norm(sliding), 0.0) * force * mobility


@compiled
def _bristle_pace(setup, pair, mobility):
    """Square of the frequency at which the satellites swing on a bristle [1/s^2]."""
    if pair.law.friction == 0.0:
        return 0.0
    k, r = pair.law.bristle, pair.law.patch
    return k * mobility + 0.5 * k * r * r * (setup.nimble_chaser + setup.nimble_target)


@compiled
def _time_through(pair, closing):
    """Time in which a tip moves by a small part of what its centre must move in a wall before it is
    through [s]."""
    way = way_through(pair)
    return time_to_cross(closing, THIN * way) if way < math.inf else math.inf


@compiled
def _time_to_touch(vector, setup, pair, depth, closing, pressed):
    """How long the next step may be before a touch that is away, at `depth` < 0 [s]; `pressed`: the
    law's steepest slope [N/m], mobility [1/kg], and the force that acts from outside [N]."""
    steepest, mobility, press = pressed
    speed = arrival_speed(closing, -depth)
    squared, damped = pace_of(vector, pair.law, steepest, depth, speed, mobility, press)
    shortest = min(setup.fine / (math.sqrt(squared) + damped + TINY), _time_through(pair, closing))
    return max(shortest, time_to_cross(closing, -depth))


@compiled
def _turning_time(setup, both, outside, is_held):
    """How long the next step may be for the satellites' turning [s]."""
    turn = (1.0 if is_held else float(MOST_TURNS)) * setup.turn
    chaser = time_to_turn(
        turn, setup.nimble_chaser * norm(both.chaser.L), setup.nimble_chaser * outside.chaser_torque
    )
    target = time_to_turn(
        turn, setup.nimble_target * norm(both.target.L), setup.nimble_target * outside.target_torque
    )
    return min(chaser, target)


@noinline
def _soft_state(pair, side, j, q_chaser, q_target, tip, v, spin):
    """Unclamped force of touch j of a tip held by springs [N], and its part of the stored energy
    [J]."""
    y = equilibrium(pair, side, q_chaser, q_target, tip)
    there = add(v, cross(spin, y.moved))
    if j == 0:
        return y.first - pair.law.damping * dot(
            y.touches.first.normal, there
        ), 0.5 * y.stored if y.second > 0.0 else y.stored
    return y.second - pair.law.damping * dot(
        y.touches.second.normal, there
    ), 0.5 * y.stored if y.first > 0.0 else y.stored


class Tips(NamedTuple):
    """What `Look` needs of a set of tips."""

    touching: int  # which tips touch, and how: a number that differs where they do
    safe: float  # s, longest steps, as of `look`
    graded: float
    curved: float
    pace: float
    damping: float
    stored: float
    depth: float  # m, of the deepest
    gap_rate: float


@noinline
def look_at_tips(vector, setup, mem, i, outside, both, chaser, target):
    """A pair's set of tips: as `look` does for one tip."""
    whole = load_pair(mem, pair_at(i), kind_in(mem, pair_at(i)))
    spin = relative_spin(chaser, target)
    touching, safe, graded, curved = 0, math.inf, math.inf, math.inf
    pace, damping, stored, depth, gap_rate = 0.0, 0.0, 0.0, NO_TOUCH, 0.0
    for n in range(count_tips(whole)):
        pair = tip_of(whole, n)
        steepest = steepest_slope(vector, pair.law)
        arm, from_target, tip = tip_in_target(pair, chaser, target)
        touches = touch_pair(pair, INSIDE, True, tip)
        v = tip_velocity(chaser, target, arm, from_target)
        closing = compute_closing(setup, outside, both, norm(pair.tip), norm(from_target))
        for j in range(2):
            touch = touches.first if j == 0 else touches.second
            if touch.depth == NO_TOUCH:
                continue
            rate = -dot(touch.normal, v)
            if touch.depth > depth:
                depth, gap_rate = touch.depth, -rate
            normal = rotate(target.q, touch.normal)
            mobility = _pair_mobility(setup, mem, chaser.q, target.q, arm, from_target, normal)
            press = closing_gain(closing) / (mobility + TINY)
            force, _ = unclamped_force(vector, pair.law, 0, touch.depth, rate)
            state = state_at(pair.law, touch.depth, force)
            if state == AWAY:
                pressed = steepest, mobility, press
                safe = min(safe, _time_to_touch(vector, setup, pair, touch.depth, closing, pressed))
                continue
            touching = hash_touch(touching, 2 * n + j, state)
            squared, damped = pace_of(
                vector, pair.law, steepest, touch.depth, abs(rate), mobility, press
            )
            pace += squared
            damping += damped
            stored += stored_energy(vector, pair.law, touch.depth)
            if state == PUSHING:
                ahead = force + abs(rate) * setup.fine * math.sqrt(squared) / (mobility + TINY)
                most = largest_mobility(setup, norm(pair.tip) + pair.tip_radius, closing.far)
                damping += _friction_rate(pair, touch, v, spin, ahead, most)
                pace += _bristle_pace(setup, pair, most)
            if is_graded(pair.law.kind):
                graded = min(graded, GRADED * touch.depth / (abs(rate) + TINY))
            curved = min(curved, CURVED * bend(pair, tip) / (norm(v) + TINY))
    return Tips(
        touching=touching,
        safe=safe,
        graded=graded,
        curved=curved,
        pace=pace,
        damping=damping,
        stored=stored,
        depth=depth,
        gap_rate=gap_rate,
    )


@noinline
def look(vector, setup, mem, mode, outside, both, t):
    """Modes and longest step, from both bodies at time t [s], the mode so far, and the bounds of
    what acts from outside."""
    chaser, target = motion_of(setup.chaser, both.chaser), motion_of(setup.target, both.target)
    spin = relative_spin(chaser, target)
    now, deepest, depth, gap_rate, stored = no_mode(), 0, NO_TOUCH, 0.0, 0.0
    safe, pace, damping, graded, curved = math.inf, 0.0, 0.0, math.inf, math.inf
    for i in range(setup.pairs):
        whole = load_pair(mem, pair_at(i), kind_in(mem, pair_at(i)))
        if whole.tips != 0:
            tips = look_at_tips(vector, setup, mem, i, outside, both, chaser, target)
            now, safe = with_tips(now, i, tips.touching), min(safe, tips.safe)
            pace, damping, stored = pace + tips.pace, damping + tips.damping, stored + tips.stored
            graded, curved = min(graded, tips.graded), min(curved, tips.curved)
            if tips.depth > depth:
                depth, deepest, gap_rate = tips.depth, i, tips.gap_rate
            continue
        pair = whole
        steepest = mem[steepest_at(setup.pairs, i)]
        law = pair.law
        arm, from_target, tip = tip_in_target(pair, chaser, target)
        touches = touch_pair(pair, side_of(mode, i), is_active(mode, i), tip)
        v = tip_velocity(chaser, target, arm, from_target)
        closing = compute_closing(setup, outside, both, norm(pair.tip), norm(from_target))
        for j in range(2):
            touch = touches.first if j == 0 else touches.second
            if touch.depth == NO_TOUCH:
                continue
            rate = -dot(touch.normal, v)
            if touch.depth > depth:
                depth, deepest, gap_rate = touch.depth, i, -rate
            normal = rotate(target.q, touch.normal)
            mobility = _pair_mobility(setup, mem, chaser.q, target.q, arm, from_target, normal)
            press = closing_gain(closing) / (mobility + TINY)
            row = table_row(vector, law, touch.depth)
            force, held = unclamped_force(vector, law, row, touch.depth, rate)
            if pair.soft and touch.depth > 0.0:
                force, held = _soft_state(
                    pair,
                    touches.side,
                    j,
                    q_chaser=chaser.q,
                    q_target=target.q,
                    tip=tip,
                    v=v,
                    spin=spin,
                )
            state = state_at(law, touch.depth, force)
            if state == AWAY:
                pressed = steepest, mobility, press
                safe = min(safe, _time_to_touch(vector, setup, pair, touch.depth, closing, pressed))
                continue
            now = with_touch(now, i, j, state, row)
            squared, damped = pace_of(
                vector, law, steepest, touch.depth, abs(rate), mobility, press
            )
            pace += squared
            damping += damped
            stored += held if pair.soft else stored_energy(vector, law, touch.depth)
            if state == PUSHING:
                ahead = force + abs(rate) * setup.fine * math.sqrt(squared) / (
                    mobility + TINY
                )  # about where the next step ends
                most = largest_mobility(setup, norm(pair.tip) + pair.tip_radius, closing.far)
                damping += _friction_rate(pair, touch, v, spin, ahead, most)
                pace += _bristle_pace(setup, pair, most)
            if is_graded(law.kind):
                graded = min(graded, GRADED * touch.depth / (abs(rate) + TINY))
            curved = min(curved, CURVED * bend(pair, tip) / (norm(v) + TINY))
        now = with_pair(
            now, i, sector_of(pair, touches.side, tip) if is_active(now, i) else 0, touches.side
        )
    held = inspect_latches(setup.latches, vector, setup, mem, t, chaser, target)
    now = with_latch_bits(now, held.bits)
    pace, damping, stored = pace + held.pace, damping + held.damping, stored + held.stored
    longest = setup.fine / (math.sqrt(pace) + damping + TINY)
    within = min(longest, max(min(graded, curved), FINEST * longest))
    bristled = hold_bristles(vector, setup, mem, now, both, False)
    turning = _turning_time(setup, both, outside, now.touching != 0 or is_latched(now))
    return Look(
        mode=now,
        next=min(min(safe, within), turning),
        pair=deepest,
        gap_rate=gap_rate,
        depth=depth,
        stored=stored + bristled,
        bristled=bristled,
    )
