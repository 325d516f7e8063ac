"""The satellites under the contact that is believed, in steps shorter than a cycle: half a drift,
an impulse, half a drift.

The impulses of all touches are taken at the middle of a step, each equal and opposite about one
point: linear and angular momentum of the pair stay to rounding, whatever is believed. Friction, far
too stiff for an explicit step where a touch nearly sticks (a damper of mu N / v_0), is taken half
before and half after the push, each half exact for the speed along its sliding.
"""

from __future__ import annotations

import math

from softdock.core.adaptation.faithful.law import LAW_FLOATS, load_law, push_over, steepness
from softdock.core.adaptation.faithful.touches import Place, places_of
from softdock.core.adaptation.interface import Satellites
from softdock.core.machine.compiled import apart, compiled
from softdock.core.spatial.rigid_body import Body, motion_of
from softdock.core.spatial.rotations import exponential, product, renormalise, rotate_back
from softdock.core.spatial.vectors import (
    add,
    add_scaled,
    cross,
    dot,
    multiply,
    negate,
    norm,
    scale,
    subtract,
    symmetric_times,
)

FINEST, COARSEST = 0.05, 2  # rad of the contact's oscillation in a step; fewest steps in a cycle
MOST_STEPS = 24
NEWTON = 12  # rounds of the search for the sliding speed after a step
CONVERGED = 1e-12  # of that speed
STILL = 1e-15  # m/s; below, there is no direction of sliding


@compiled
def drifted(params, dt, body):
    """A body after dt without force: its momentum stays, in body axes it turns."""
    if params.fixed:
        return body
    p, L = add_scaled(body.p, dt, body.v), body.L
    if L[0] == 0.0 and L[1] == 0.0 and L[2] == 0.0:
        return Body(p, body.q, body.v, L)
    L_B = rotate_back(body.q, L)
    w = symmetric_times(params.inverse_inertia, L_B)
    change = symmetric_times(params.inverse_inertia, cross(L_B, w))
    turn = add_scaled(scale(dt, w), 0.5 * dt * dt, change)
    return Body(p, renormalise(product(body.q, exponential(turn))), body.v, L)


@compiled
def _yielded(params, q, arm, f):
    """Velocity of a body's point per unit of impulse f there."""
    if params.fixed:
        return (0.0, 0.0, 0.0)
    turning = rotate_back(q, cross(arm, f))
    spin = symmetric_times(params.inverse_inertia, turning)
    return add(multiply(params.inverse_mass, f), cross(_world(q, spin), arm))


@compiled
def _world(q, a):
    return rotate_back((q[0], -q[1], -q[2], -q[3]), a)


@apart
def yielded(rig, satellites, place, f):
    """Relative velocity of the touching points per unit of impulse f on the chaser."""
    return add(
        _yielded(rig.chaser, satellites.chaser.q, place.on_chaser, f),
        _yielded(rig.target, satellites.target.q, place.on_target, f),
    )


@compiled
def _struck(params, body, arm, impulse):
    if params.fixed:
        return body
    return Body(
        body.p,
        body.q,
        add(body.v, multiply(params.inverse_mass, impulse)),
        add(body.L, cross(arm, impulse)),
    )


@apart
def struck(rig, satellites, place, impulse):
    """Both after an impulse [Ns] on the chaser at the touch, and its opposite on the target."""
    return Satellites(
        _struck(rig.chaser, satellites.chaser, place.on_chaser, impulse),
        _struck(rig.target, satellites.target, place.on_target, negate(impulse)),
    )


@compiled
def _slowed(free, slip, brake):
    """A sliding speed after friction: v' = - a v / sqrt(v^2 + v_0^2) over a time, `brake` = a times
    that time [m/s]. Exact: what falls by it is z + v_0 ln(v / (v_0 + z)), z = sqrt(v^2 + v_0^2);
    sought in ln v, in which it is convex."""
    z = math.sqrt(free * free + slip * slip)
    log = math.log(free)
    goal = z + slip * (log - math.log(slip + z)) - brake
    for _ in range(NEWTON):
        v = math.exp(log)
        z = math.sqrt(v * v + slip * slip)
        miss = z + slip * (log - math.log(slip + z)) - goal
        log -= miss / z
        if abs(miss) < CONVERGED * z:
            break
    return math.exp(log)


@apart
def _rubbed(rig, satellites, law, place, normal, sliding, dt):
    """Friction's impulse [Ns] over dt, from a sliding velocity [m/s]."""
    free = norm(sliding)
    if free <= STILL:
        return (0.0, 0.0, 0.0)
    along = scale(1.0 / free, sliding)
    ease = dot(along, yielded(rig, satellites, place, along))
    left = _slowed(free, law.slip, ease * law.friction * normal * dt)
    return scale((left - free) / ease, along)


@apart
def _moving(rig, satellites, place):
    """A place with the rate and the sliding that the satellites have there now."""
    chaser, target = satellites.chaser, satellites.target
    v = subtract(
        _velocity(rig.chaser, chaser, place.on_chaser),
        _velocity(rig.target, target, place.on_target),
    )
    n = place.normal
    rate = -dot(n, v)
    return Place(place.depth, rate, n, place.on_chaser, place.on_target, add_scaled(v, rate, n))


@compiled
def _velocity(params, body, arm):
    """Of a body's point, world axes."""
    spin = symmetric_times(params.inverse_inertia, rotate_back(body.q, body.L))
    return add(body.v, cross(_world(body.q, spin), arm))


@apart
def _with_friction(rig, satellites, law, place, dt):
    """Both after what one touch does in a step: half of its friction, its push, the other half."""
    n = place.normal
    mobility = dot(n, yielded(rig, satellites, place, n))
    normal = push_over(law, place.depth, place.rate, mobility, dt)
    if normal <= 0.0:
        return struck(rig, satellites, place, scale(dt * normal, n))
    first = _rubbed(rig, satellites, law, place, normal, place.sliding, 0.5 * dt)
    after = struck(rig, satellites, place, first)
    if law.damping > 0.0 or law.factor > 0.0:  # its rate is the one under friction
        rate = _moving(rig, after, place).rate
        normal = max(push_over(law, place.depth, rate, mobility, dt), 0.0)
        first = _rubbed(rig, satellites, law, place, normal, place.sliding, 0.5 * dt)
        after = struck(rig, satellites, place, first)
    after = struck(rig, after, place, scale(dt * normal, n))
    sliding = _moving(rig, after, place).sliding
    second = _rubbed(rig, after, law, place, normal, sliding, 0.5 * dt)
    return struck(rig, after, place, second)


@apart
def _after_touch(rig, satellites, law, place, dt, moved):
    """Both after what one touch does in a step; `moved`: others have pushed them before."""
    if place.depth + abs(0.5 * dt * place.rate) <= 0.0:
        return satellites
    if moved:
        place = _moving(rig, satellites, place)
    if law.friction > 0.0:
        return _with_friction(rig, satellites, law, place, dt)
    n = place.normal
    normal = push_over(law, place.depth, place.rate, dot(n, yielded(rig, satellites, place, n)), dt)
    if normal == 0.0:
        return satellites
    return struck(rig, satellites, place, scale(dt * normal, n))


@apart
def stepped(mem, pairs, latches, laws, count, rig, satellites, dt, backwards):
    """Satellites after a step dt [s]. Where several touch, one after the other, every second step
    `backwards`: of second order then."""
    half = Satellites(
        drifted(rig.chaser, 0.5 * dt, satellites.chaser),
        drifted(rig.target, 0.5 * dt, satellites.target),
    )
    chaser, target = motion_of(rig.chaser, half.chaser), motion_of(rig.target, half.target)
    moved = False
    for j in range(count):
        i = count - 1 - j if backwards else j
        law = load_law(mem, laws + i * LAW_FLOATS)
        if law.stiffness <= 0.0:
            continue
        places = places_of(mem, pairs, latches, i, chaser, target)
        one = places.second if backwards else places.first
        other = places.first if backwards else places.second
        half = _after_touch(rig, half, law, one, dt, moved)
        half = _after_touch(rig, half, law, other, dt, True)
        moved = True
    return Satellites(
        drifted(rig.chaser, 0.5 * dt, half.chaser), drifted(rig.target, 0.5 * dt, half.target)
    )


@apart
def steps_for(mem, pairs, latches, laws, count, rig, satellites, T):
    """How many steps a cycle of T needs; 0: nothing touches in it."""
    chaser, target = (
        motion_of(rig.chaser, satellites.chaser),
        motion_of(rig.target, satellites.target),
    )
    found = 0
    for i in range(count):
        law = load_law(mem, laws + i * LAW_FLOATS)
        if law.stiffness <= 0.0:
            continue
        places = places_of(mem, pairs, latches, i, chaser, target)
        found = max(found, _steps(rig, satellites, law, places.first, T))
        found = max(found, _steps(rig, satellites, law, places.second, T))
    return found


@compiled
def _steps(rig, satellites, law, place, T):
    reach = place.depth + max(2.0 * T * place.rate, 0.0) + T * norm(place.sliding)
    if reach <= 0.0:
        return 0
    ease = dot(place.normal, yielded(rig, satellites, place, place.normal))
    pace = math.sqrt(steepness(law, max(place.depth, reach)) * ease)
    return int(min(max(math.ceil(pace * T / FINEST), COARSEST), MOST_STEPS))


@apart
def flown(rig, satellites, dt):
    """Both after dt without force."""
    return Satellites(
        drifted(rig.chaser, dt, satellites.chaser), drifted(rig.target, dt, satellites.target)
    )


@apart
def believed_cycle(mem, pairs, latches, laws, count, rig, satellites, T):
    """Satellites after T under the contact that is believed, and the steps it took; 0: none touched
    and they are as they were."""
    steps = steps_for(mem, pairs, latches, laws, count, rig, satellites, T)
    for i in range(steps):
        satellites = stepped(
            mem, pairs, latches, laws, count, rig, satellites, T / steps, i % 2 == 1
        )
    return satellites, steps
