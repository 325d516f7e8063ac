"""The satellites under the believed contact, in steps shorter than a cycle: half a drift, an
impulse, half a drift.

In: satellites, laws and the time to go [s]. Out: the satellites after it. The impulses of all
touches are taken at the middle of a step, each equal and opposite about one point, so linear and
angular momentum of the pair are kept to rounding, whatever law is believed. Friction is far too
stiff for an explicit step where a touch nearly sticks: it is a damper of mu N / v_0. It acts half
before and half after the push, each half exact for the speed along its sliding.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from softdock.compile.jit import compiled, noinline
from softdock.loop.method.interface import Rig, Satellites
from softdock.loop.spatial.rigid_body import Body, BodyParams, motion_of
from softdock.loop.spatial.rotations import exponential, product, renormalise, rotate_back
from softdock.loop.spatial.vectors import (
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
from softdock.methods.model_mediated.elements import push_elements
from softdock.methods.model_mediated.law import BelievedLaw, compute_mean_push, compute_slope
from softdock.methods.model_mediated.touches import Place, find_places

FINEST = 0.05  # rad of the contact's oscillation in a step
MOST_STEPS = 24
NEWTON = 12  # rounds of the search for the sliding speed after a step
CONVERGED = 1e-6  # of that speed, before a last round, which squares it
STILL = 1e-15  # m/s; below, there is no direction of sliding


class BelievedContact(NamedTuple):
    """What is believed of the contact of all pairs."""

    pairs: int  # where their shapes stand in `mem`
    latches: Any  # a view: what each pair has latched
    laws: Any  # a view
    elements: Any  # a view: of those laws
    inner: Any  # a view: what they remember, two touches a pair
    number: int  # of pairs


class FeltLaw(NamedTuple):
    """A pair's law at one touch."""

    law: BelievedLaw
    elements: Any  # a view
    inner: Any  # a view


@compiled
def drift(params: BodyParams, dt, body: Body):
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
def _compute_body_gain(params: BodyParams, q, arm, f):
    """Velocity of a body's point per unit of impulse f there."""
    if params.fixed:
        return (0.0, 0.0, 0.0)
    turning = rotate_back(q, cross(arm, f))
    spin = symmetric_times(params.inverse_inertia, turning)
    return add(multiply(params.inverse_mass, f), cross(_rotate_to_world(q, spin), arm))


@compiled
def _rotate_to_world(q, a):
    return rotate_back((q[0], -q[1], -q[2], -q[3]), a)


@compiled
def compute_velocity_gain(rig: Rig, satellites: Satellites, place: Place, f):
    """Relative velocity of the touching points per unit of impulse f on the chaser."""
    return add(
        _compute_body_gain(rig.chaser, satellites.chaser.q, place.on_chaser, f),
        _compute_body_gain(rig.target, satellites.target.q, place.on_target, f),
    )


@compiled
def _strike_body(params: BodyParams, body: Body, arm, impulse):
    if params.fixed:
        return body
    return Body(
        body.p,
        body.q,
        add(body.v, multiply(params.inverse_mass, impulse)),
        add(body.L, cross(arm, impulse)),
    )


@compiled
def strike(rig: Rig, satellites: Satellites, place: Place, impulse):
    """Both after an impulse [Ns] on the chaser at the touch, and its opposite on the target."""
    return Satellites(
        _strike_body(rig.chaser, satellites.chaser, place.on_chaser, impulse),
        _strike_body(rig.target, satellites.target, place.on_target, negate(impulse)),
    )


@noinline
def _compute_body_compliance(params: BodyParams, q, arm):
    """Velocity of a body's point per impulse there, as a symmetric matrix [1/kg]."""
    if params.fixed:
        return (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    x = _compute_body_gain(params, q, arm, (1.0, 0.0, 0.0))
    y = _compute_body_gain(params, q, arm, (0.0, 1.0, 0.0))
    z = _compute_body_gain(params, q, arm, (0.0, 0.0, 1.0))
    return (x[0], y[1], z[2], x[1], x[2], y[2])


@compiled
def _compute_compliance(rig: Rig, satellites: Satellites, place: Place):
    """Relative velocity of the touching points per impulse on the chaser, as a symmetric matrix."""
    a = _compute_body_compliance(rig.chaser, satellites.chaser.q, place.on_chaser)
    b = _compute_body_compliance(rig.target, satellites.target.q, place.on_target)
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5])


@noinline
def _compute_point_velocity(params: BodyParams, body: Body, arm):
    """Velocity of a body's point, world axes [m/s]."""
    spin = symmetric_times(params.inverse_inertia, rotate_back(body.q, body.L))
    return add(body.v, cross(_rotate_to_world(body.q, spin), arm))


@compiled
def _slow_by_friction(free, slip, brake):
    """A sliding speed after friction: v' = - a v / sqrt(v^2 + v_0^2) over a time, `brake` = a times
    that time [m/s]. Exact: what falls by it is z + v_0 ln(v / (v_0 + z)), z = sqrt(v^2 + v_0^2);
    sought in ln v, in which it is convex, from its series in the brake, which is above it."""
    start = math.sqrt(free * free + slip * slip)
    part, share = brake / start, free / start
    turn = -part * (1.0 + 0.5 * part * share * share)  # of ln v
    for _ in range(NEWTON):
        v = free * math.exp(turn)
        z = math.sqrt(v * v + slip * slip)
        miss = z - start + slip * (turn - math.log((slip + z) / (slip + start))) + brake
        turn -= miss / z
        if abs(miss) < CONVERGED * z:
            break
    return free * math.exp(turn)


@noinline
def _compute_friction_impulse(law: BelievedLaw, compliance, normal, n, u, dt):
    """Friction's impulse [Ns] over dt at a relative velocity u of the touching points."""
    sliding = add_scaled(u, -dot(n, u), n)
    free = norm(sliding)
    if free <= STILL:
        return (0.0, 0.0, 0.0)
    along = scale(1.0 / free, sliding)
    ease = dot(along, symmetric_times(compliance, along))
    left = _slow_by_friction(free, law.slip, ease * law.friction * normal * dt)
    return scale((left - free) / ease, along)


@compiled
def _compute_push(felt: FeltLaw, depth, rate, mobility, dt):
    """Mean normal force over a step dt [s] whose middle has this depth and rate without force."""
    if felt.law.elements > 0:
        return push_elements(felt.elements, felt.inner, depth, rate, mobility, dt)
    return compute_mean_push(felt.law, depth, rate, mobility, dt)


@compiled
def _compute_impulse(felt: FeltLaw, compliance, depth, n, u, dt):
    """Impulse of one touch with friction, in a step [Ns]: its push, and friction, half of it before
    and half after the push."""
    law, mobility = felt.law, dot(n, symmetric_times(compliance, n))
    normal = _compute_push(felt, depth, -dot(n, u), mobility, dt)
    if normal <= 0.0:
        return scale(dt * normal, n)
    first = _compute_friction_impulse(law, compliance, normal, n, u, 0.5 * dt)
    if (
        law.damping > 0.0 or law.factor > 0.0 or law.elements > 0
    ):  # its rate is the one under friction
        slowed = add(u, symmetric_times(compliance, first))
        normal = max(_compute_push(felt, depth, -dot(n, slowed), mobility, dt), 0.0)
        first = _compute_friction_impulse(law, compliance, normal, n, u, 0.5 * dt)
    both = add_scaled(first, dt * normal, n)
    after = add(u, symmetric_times(compliance, both))
    return add(both, _compute_friction_impulse(law, compliance, normal, n, after, 0.5 * dt))


@noinline
def _compute_touch_impulse(rig: Rig, satellites: Satellites, felt: FeltLaw, place: Place, u, dt):
    return _compute_impulse(
        felt, _compute_compliance(rig, satellites, place), place.depth, place.normal, u, dt
    )


@compiled
def _apply_touch(rig: Rig, satellites: Satellites, felt: FeltLaw, place: Place, dt, moved):
    """Both after what one touch does in a step; `moved`: others have pushed them before. Without
    friction only the mobility along the normal is needed."""
    if place.depth + abs(0.5 * dt * place.rate) <= 0.0:
        felt.inner.depth = 0.0
        return satellites
    n, u = place.normal, add_scaled(place.sliding, -place.rate, place.normal)
    if moved:
        u = subtract(
            _compute_point_velocity(rig.chaser, satellites.chaser, place.on_chaser),
            _compute_point_velocity(rig.target, satellites.target, place.on_target),
        )
    if felt.law.friction > 0.0:
        return strike(
            rig, satellites, place, _compute_touch_impulse(rig, satellites, felt, place, u, dt)
        )
    mobility = dot(n, compute_velocity_gain(rig, satellites, place, n))
    normal = _compute_push(felt, place.depth, -dot(n, u), mobility, dt)
    return strike(rig, satellites, place, scale(dt * normal, n))


@compiled
def take_step(mem, contact: BelievedContact, near, rig: Rig, satellites: Satellites, dt, backwards):
    """Satellites after a step dt [s]. Where several touch, one after the other, every second step
    `backwards`: of second order then. `near`: pairs that may touch, in bits."""
    half = Satellites(
        drift(rig.chaser, 0.5 * dt, satellites.chaser),
        drift(rig.target, 0.5 * dt, satellites.target),
    )
    chaser, target = motion_of(rig.chaser, half.chaser), motion_of(rig.target, half.target)
    moved = False
    for j in range(contact.number):
        i = contact.number - 1 - j if backwards else j
        if (near >> i) & 1 == 0:
            continue
        law = contact.laws[i].whole
        places = find_places(mem, contact.pairs, contact.latches, i, chaser, target)
        for turn in range(2):
            place = places.second if (turn == 1) != backwards else places.first
            inner = contact.inner[2 * i + (1 if (turn == 1) != backwards else 0)]
            felt = FeltLaw(law, contact.elements[i], inner)
            half = _apply_touch(rig, half, felt, place, dt, moved)
            moved = True
    return Satellites(
        drift(rig.chaser, 0.5 * dt, half.chaser), drift(rig.target, 0.5 * dt, half.target)
    )


@compiled
def count_steps(mem, contact: BelievedContact, rig: Rig, satellites: Satellites, T):
    """How many steps a cycle of T needs, and for which pairs, in bits; 0: none touches in it."""
    chaser, target = (
        motion_of(rig.chaser, satellites.chaser),
        motion_of(rig.target, satellites.target),
    )
    found, near, touches = 0, 0, 0
    for i in range(contact.number):
        law = contact.laws[i].whole
        if law.stiffness <= 0.0:
            continue
        places = find_places(mem, contact.pairs, contact.latches, i, chaser, target)
        for turn in range(2):
            place = places.second if turn == 1 else places.first
            slope = contact.elements[i].slope if law.elements > 0 else 0.0
            steps = _count_touch_steps(rig, satellites, law, slope, place, T)
            if steps > 0:
                found, near, touches = max(found, steps), near | (1 << i), touches + 1
    # several are taken forwards and backwards
    return max(found, 2) if touches > 1 else found, near


@compiled
def _count_touch_steps(rig: Rig, satellites: Satellites, law: BelievedLaw, slope, place: Place, T):
    reach = place.depth + max(2.0 * T * place.rate, 0.0) + T * norm(place.sliding)
    if reach <= 0.0:
        return 0
    ease = dot(place.normal, compute_velocity_gain(rig, satellites, place, place.normal))
    pace = math.sqrt(max(slope, compute_slope(law, max(place.depth, reach))) * ease)
    return int(min(max(math.ceil(pace * T / FINEST), 1.0), MOST_STEPS))


@compiled
def forget_inner(inner, number):
    """Nothing touches."""
    for i in range(2 * number):
        inner[i].depth = 0.0


@noinline
def coast_both(rig: Rig, satellites: Satellites, dt):
    """Both after dt without force."""
    return Satellites(
        drift(rig.chaser, dt, satellites.chaser), drift(rig.target, dt, satellites.target)
    )


@compiled
def compute_contact_impulse(rig: Rig, before: Satellites, after: Satellites):
    """Impulse of the contact on the chaser [Ns], from the gain of momentum of whichever body is
    free."""
    if rig.chaser.fixed:
        return multiply(rig.target.mass, subtract(before.target.v, after.target.v))
    return multiply(rig.chaser.mass, subtract(after.chaser.v, before.chaser.v))


@noinline
def simulate_cycle(mem, contact: BelievedContact, rig: Rig, satellites: Satellites, T):
    """Satellites after T under the contact that is believed, the steps it took (0: none touched
    and they are as they were), and the largest mean force of a step on the chaser, squared."""
    steps, near = count_steps(mem, contact, rig, satellites, T)
    most = 0.0
    if steps == 0:
        forget_inner(contact.inner, contact.number)
    for i in range(steps):
        before = satellites
        satellites = take_step(mem, contact, near, rig, satellites, T / steps, i % 2 == 1)
        impulse = compute_contact_impulse(rig, before, satellites)
        most = max(most, dot(impulse, impulse))
    per = steps / T
    return satellites, steps, per * per * most
