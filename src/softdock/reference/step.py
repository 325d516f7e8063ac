"""One step of orbit: Runge-Kutta-Munthe-Kaas of order 4 on both bodies together, with the modes of
all touches held.

In: both satellites at t and the length of the step h [s]. Out: both at t + h, works of the contact
[J] and the largest force [N] in between. Attitudes are rotation vectors from the start of the step.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.compile.jit import compiled, noinline
from softdock.loop.method.interface import Wrenches
from softdock.loop.spatial.motion import Wrench, no_wrench
from softdock.loop.spatial.rigid_body import Body, motion_of
from softdock.loop.spatial.rotations import exponential, normalise, product, right_jacobian_inverse
from softdock.loop.spatial.vectors import add, add_scaled, multiply, norm, scale, subtract
from softdock.reference.external_wrenches import outside_wrenches, power
from softdock.reference.latches import add_latches
from softdock.reference.networks import (
    copy_networks,
    end_network_step,
    move_by_networks,
    pull_of_networks,
)
from softdock.reference.servicer import copy_servicer, end_servicer_step, pull_of_servicer
from softdock.reference.setup import Both
from softdock.reference.touch_forces import push

MOST_TURNS = 1000  # of the steps that turning asks for, in one piece of free flight


class Slope(NamedTuple):
    """Rate of change of one body's state; the attitude as a rotation vector from the attitude at
    the start of the step."""

    p: tuple
    phi: tuple
    v: tuple
    L: tuple


class Passed(NamedTuple):
    """What one step did, besides moving the bodies."""

    impulse: tuple  # Ns of the contact on the chaser
    dissipated: float  # J
    external: float  # J, work from outside
    compressed: float  # J, taken from the bodies by normal forces
    released: float  # J, given back
    peak: float  # N, of the contact
    virtual: float  # J, taken up by networks that are part of the satellites
    driven: float  # J, work of latches' drives


@compiled
def _still():
    zero = (0.0, 0.0, 0.0)
    return Slope(zero, zero, zero, zero)


@compiled
def _moved(body, h, slope):
    q = product(body.q, exponential(scale(h, slope.phi)))
    return Body(
        add_scaled(body.p, h, slope.p),
        q,
        add_scaled(body.v, h, slope.v),
        add_scaled(body.L, h, slope.L),
    )


@compiled
def _slope(params, motion, phi, wrench):
    if params.fixed:
        return _still()
    return Slope(
        motion.v,
        right_jacobian_inverse(phi, motion.w),
        multiply(params.inverse_mass, wrench.force),
        wrench.torque,
    )


@compiled
def _weighted(total, weight, slope):
    return Slope(
        add_scaled(total.p, weight, slope.p),
        add_scaled(total.phi, weight, slope.phi),
        add_scaled(total.v, weight, slope.v),
        add_scaled(total.L, weight, slope.L),
    )


@compiled
def _stage(stage):
    """Place in the step and weight of a stage of the classical Runge-Kutta method."""
    if stage == 0:
        return 0.0, 1.0 / 6.0
    if stage == 3:
        return 1.0, 1.0 / 6.0
    return 0.5, 1.0 / 3.0


@noinline
def step(vector, setup, mem, mode, acting, both, t, h):
    """One step from t to t + h [s]; each stage's wrench from its own time, poses and twists.
    `acting`: what acts from outside."""
    slope_c, slope_t, total_c, total_t = _still(), _still(), _still(), _still()
    impulse, middle = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    dissipated, external, virtual, f0, f1, p0, pm, p1 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    driven = 0.0
    outside = Wrenches(no_wrench(), no_wrench())
    for stage in range(4):
        place, weight = _stage(stage)
        chaser = motion_of(setup.chaser, _moved(both.chaser, place * h, slope_c))
        target = motion_of(setup.target, _moved(both.target, place * h, slope_t))
        chaser, target = move_by_networks(setup.networks, vector, mem, place * h, chaser, target)
        if acting.acts:
            outside = outside_wrenches(
                vector,
                setup,
                acting.held,
                t=t + place * h,
                t0=t,
                h=h,
                chaser_q=chaser.q,
                target_q=target.q,
            )
            external += weight * h * (power(outside.chaser, chaser) + power(outside.target, target))
        now = push(vector, setup, mem, mode, chaser, target)
        now = add_latches(setup.latches, now, vector, mem, t + place * h, chaser, target)
        force_c, torque_c = (
            add(outside.chaser.force, now.force),
            add(outside.chaser.torque, now.torque_chaser),
        )
        force_t, torque_t = (
            subtract(outside.target.force, now.force),
            add(outside.target.torque, now.torque_target),
        )
        pulled = pull_of_networks(
            setup.networks,
            vector,
            mem,
            weight=weight * h,
            chaser=chaser,
            target=target,
            force_c=force_c,
            force_t=force_t,
        )
        virtual += weight * h * pulled.power
        on_chaser, on_target = pull_of_servicer(
            setup.servicer,
            setup,
            mem,
            ahead=place * h,
            weight=weight * h,
            chaser=chaser,
            target=target,
            on_chaser=Wrench(pulled.chaser, torque_c),
            on_target=Wrench(pulled.target, torque_t),
        )
        slope_c = _slope(setup.chaser, chaser, scale(place * h, slope_c.phi), on_chaser)
        slope_t = _slope(setup.target, target, scale(place * h, slope_t.phi), on_target)
        total_c, total_t = _weighted(total_c, weight, slope_c), _weighted(total_t, weight, slope_t)
        impulse = add_scaled(impulse, weight * h, now.force)
        dissipated += weight * h * now.dissipated
        driven += weight * h * now.driven
        if stage == 0:
            f0, p0 = norm(now.force), now.power
        elif stage == 3:
            f1, p1 = norm(now.force), now.power
        else:
            middle = add_scaled(middle, 0.5, now.force)
            pm += 0.5 * now.power
    chaser, target = _moved(both.chaser, h, total_c), _moved(both.target, h, total_t)
    chaser, target, decided = end_network_step(setup.networks, vector, mem, chaser, target, both)
    after = Both(
        Body(chaser.p, normalise(chaser.q), chaser.v, chaser.L),
        Body(target.p, normalise(target.q), target.v, target.L),
    )
    virtual += end_servicer_step(setup.servicer, setup, mem, after, both)
    compressed, released = _work_each_way(h, p0, pm, p1)
    return after, Passed(
        impulse=impulse,
        dissipated=dissipated,
        external=external,
        compressed=compressed,
        released=released,
        peak=_largest(f0, norm(middle), f1),
        virtual=virtual - decided,
        driven=driven,
    )


@compiled
def _largest(start, middle, end):
    """Largest value of the parabola through the start, the middle and the end of a step."""
    slope, bend = 4.0 * middle - 3.0 * start - end, 2.0 * (start + end) - 4.0 * middle
    largest = max(start, end)
    if 0.0 < slope < -2.0 * bend:
        return max(largest, start - 0.25 * slope * slope / bend)
    return largest


@compiled
def _work_each_way(h, p0, pm, p1):
    """Work taken from the bodies and given back in a step [J], split where the power changes
    sign."""
    work = h * (p0 + 4.0 * pm + p1) / 6.0
    if p0 * p1 >= 0.0:
        return max(-work, 0.0), max(work, 0.0)
    x = p0 / (p0 - p1)
    slope, bend = 4.0 * pm - 3.0 * p0 - p1, 2.0 * (p0 + p1) - 4.0 * pm
    first = h * x * (p0 + x * (0.5 * slope + x * bend / 3.0))
    rest = work - first
    return max(-first, 0.0) + max(-rest, 0.0), max(first, 0.0) + max(rest, 0.0)


@compiled
def flow(vector, setup, mem, mode, outside, both, t, dt):
    """Both bodies dt after t [s], in as many equal steps as their turning asks for."""
    turning_chaser = setup.nimble_chaser * (norm(both.chaser.L) + dt * outside.chaser_torque)
    turning_target = setup.nimble_target * (norm(both.target.L) + dt * outside.target_torque)
    turned = dt * max(turning_chaser, turning_target)
    steps = 1
    if turned < 2.0 * MOST_TURNS * setup.turn:  # false if diverged
        steps = max(1, int(math.ceil(turned / setup.turn)))
    passed = Passed(
        impulse=(0.0, 0.0, 0.0),
        dissipated=0.0,
        external=0.0,
        compressed=0.0,
        released=0.0,
        peak=0.0,
        virtual=0.0,
        driven=0.0,
    )
    copy_networks(setup.networks, vector, mem, True)
    copy_servicer(setup.servicer, mem, True)
    h = dt / steps
    for i in range(steps):
        both, more = step(vector, setup, mem, mode, acting=outside, both=both, t=t + i * h, h=h)
        passed = Passed(
            impulse=add(passed.impulse, more.impulse),
            dissipated=passed.dissipated + more.dissipated,
            external=passed.external + more.external,
            compressed=passed.compressed + more.compressed,
            released=passed.released + more.released,
            peak=max(passed.peak, more.peak),
            virtual=passed.virtual + more.virtual,
            driven=passed.driven + more.driven,
        )
    return both, passed
