"""The satellites under the contact that is believed, in steps shorter than a cycle: half a drift,
an impulse, half a drift.

The impulses of all touches are taken at the middle of a step, each equal and opposite about one
point: linear and angular momentum of the pair stay to rounding, whatever is believed. Friction is
implicit (a nearly sticking touch is a damper of mu N / v_0, far too stiff for an explicit step).
"""

from __future__ import annotations

import math

from softdock.core.adaptation.faithful.law import LAW_FLOATS, load_law, push_over, steepness
from softdock.core.adaptation.faithful.touches import places_of
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
    symmetric_times,
)

FINEST, COARSEST = 0.05, 2  # rad of the contact's oscillation in a step; fewest steps in a cycle
MOST_STEPS = 24
NEWTON = 12  # rounds of the search for the sliding speed after a step
CONVERGED = 1e-12  # of that speed


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


@compiled
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


@compiled
def struck(rig, satellites, place, impulse):
    """Both after an impulse [Ns] on the chaser at the touch, and its opposite on the target."""
    return Satellites(
        _struck(rig.chaser, satellites.chaser, place.on_chaser, impulse),
        _struck(rig.target, satellites.target, place.on_target, negate(impulse)),
    )


@apart
def _rubbed(rig, satellites, law, place, normal, sliding, dt):
    """Friction's impulse [Ns] over a step, from the sliding that it leaves: implicit."""
    free = norm(sliding)
    if free == 0.0:
        return (0.0, 0.0, 0.0)
    along = scale(1.0 / free, sliding)
    ease = dot(along, yielded(rig, satellites, place, along))
    most = dt * law.friction * normal  # Ns
    left, slip = 0.0, law.slip * law.slip
    for _ in range(NEWTON):  # left (1 + ease most / sqrt(left^2 + slip^2)) = free, from below
        root = math.sqrt(left * left + slip)
        miss = left + ease * most * left / root - free
        left = left - miss / (1.0 + ease * most * slip / (root * root * root))
        if abs(miss) < CONVERGED * free:
            break
    return scale(-most * left / math.sqrt(left * left + slip), along)


@apart
def _after_touch(rig, satellites, law, place, dt):
    """Both after what one touch does in a step."""
    n = place.normal
    ease = yielded(rig, satellites, place, n)
    normal = push_over(law, place.depth, place.rate, dot(n, ease), dt)
    if normal == 0.0:
        return satellites
    impulse = scale(dt * normal, n)
    if law.friction > 0.0 and normal > 0.0:
        sliding = add_scaled(place.sliding, dt * normal, add_scaled(ease, -dot(n, ease), n))
        impulse = add(impulse, _rubbed(rig, satellites, law, place, normal, sliding, dt))
    return struck(rig, satellites, place, impulse)


@apart
def stepped(mem, pairs, latches, laws, count, rig, satellites, dt):
    """Satellites after a step dt [s]."""
    half = Satellites(
        drifted(rig.chaser, 0.5 * dt, satellites.chaser),
        drifted(rig.target, 0.5 * dt, satellites.target),
    )
    chaser, target = motion_of(rig.chaser, half.chaser), motion_of(rig.target, half.target)
    for i in range(count):
        law = load_law(mem, laws + i * LAW_FLOATS)
        if law.stiffness <= 0.0:
            continue
        places = places_of(mem, pairs, latches, i, chaser, target)
        half = _after_touch(rig, half, law, places.first, dt)
        half = _after_touch(rig, half, law, places.second, dt)
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
    for _ in range(steps):
        satellites = stepped(mem, pairs, latches, laws, count, rig, satellites, T / steps)
    return satellites, steps
