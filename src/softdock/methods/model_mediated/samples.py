"""From a paired reading to samples of the laws: the normal force at each touch of the mock-ups, and
friction's.

The touches' normals and points are known from the shapes, so a wrench is worth more than its force:
of one touch the force at its point is the least-squares solution of six equations (three of force,
three of torque, each by its noise). Wrenches of several touches are kept whole (joint_state.py).
"""

from __future__ import annotations

from softdock.compile.jit import compiled, noinline
from softdock.loop.bodies import CHASER, TARGET
from softdock.loop.method.interface import CYCLE, Output
from softdock.loop.spatial.motion import Motion, Wrench
from softdock.loop.spatial.rotations import rotate_back
from softdock.loop.spatial.vectors import (
    Vector,
    add,
    add_scaled,
    cross,
    dot,
    norm,
    scale,
    subtract,
    symmetric_inverse,
    symmetric_times,
)
from softdock.methods.model_mediated.elastic_joint import begin_joint, deflect, follow_joint
from softdock.methods.model_mediated.free_flight import (
    ENOUGH,
    compute_tool_force,
    estimate_lag,
    estimate_noise,
    note_correlation,
    note_flight,
    note_tool,
    remove_tare,
)
from softdock.methods.model_mediated.friction import keep_friction_sample
from softdock.methods.model_mediated.joint_state import TOUCHES, Touch, keep_several
from softdock.methods.model_mediated.keys import ModelMediated
from softdock.methods.model_mediated.law_samples import Sample, keep_sample
from softdock.methods.model_mediated.readings import (
    STAMPED_WRENCH,
    compute_wrench_slope,
    estimate_acceleration,
    interpolate_mock_ups,
    is_stuck,
    take_next_force,
)
from softdock.methods.model_mediated.state import STATE
from softdock.methods.model_mediated.surface import SurfaceSample, keep_surface_sample, may_turn
from softdock.methods.model_mediated.touches import NOWHERE, Place, bound_free_time, find_places

# Readings that are means of a cycle's samples: each touch at two instants of the window.
#
# In: the touches at the middle of the window, in the scratch, and the mock-ups as reported (m, m/s,
# world axes). Out: the touches' depths, rates and sliding speeds at both instants.
#
# The mean of N samples, a period h apart, of a law is to third order in the window its mean at two
# instants, h sqrt((N^2 - 1) / 12) before and after the middle. Readings in whose window a touch
# begins or ends are left out.

BENT = 0.15  # of a rate; an oscillation of half a period in eight windows bends by 0.04 of it
FRICTION_SPEED = 1e-7  # m/s; below, there is no direction of sliding


@compiled
def _evaluate_two_instants(y_0, before, after, share):
    """Values of a quantity, known at the middle and both ends of a window, at the two instants
    whose mean is that of all samples in it."""
    odd, even = 0.5 * (after - before), 0.5 * (after + before) - y_0
    return y_0 - share * odd + share * share * even, y_0 + share * odd + share * share * even


@compiled
def _is_bent(before, now, after):
    """Whether a rate changes its slope within a window more than a contact's oscillation does: the
    way has a kink there (a robot's next set-point), and no three instants tell of the others."""
    most = max(abs(now), max(abs(before), abs(after)))
    return abs(before - 2.0 * now + after) > BENT * most


@compiled
def _spread_touch(touch, share, before: Place, after: Place):
    d = _evaluate_two_instants(touch.depth, before.depth, after.depth, share)
    r = _evaluate_two_instants(touch.rate, before.rate, after.rate, share)
    touch.depth, touch.depth_2 = d
    touch.rate, touch.rate_2 = r
    speed = touch.slides
    if speed > FRICTION_SPEED:
        along = scale(1.0 / speed, touch.sliding)
        first, last = dot(along, before.sliding), dot(along, after.sliding)
        touch.slides, touch.slides_2 = _evaluate_two_instants(speed, first, last, share)


@compiled
def _is_elastic(method: ModelMediated):
    return method.joints[CHASER].stiffness + method.joints[TARGET].stiffness > 0.0


@noinline
def _follow_joints(method: ModelMediated, mem, t, raw: Wrench):
    """The deflections of both joints at a reading."""
    s, force = STATE(mem, method.memory), (0.0, 0.0, 0.0)
    both = interpolate_mock_ups(mem, method.memory + STATE.at.readings, s.flight, t)
    if s.flight.count >= ENOUGH or not method.tare:
        force = raw.force
    if method.tare and s.flight.count >= ENOUGH:
        force = remove_tare(s.flight, both.chaser.q, method.gravity, raw).force
    for which in range(2):
        joint, deflection = method.joints[which], s.deflections[which]
        motors = both.chaser if which == CHASER else both.target
        if deflection.stamp == 0.0:
            begin_joint(deflection, t, motors)
        elif joint.stiffness > 0.0 and t > deflection.stamp:
            sign = 1.0 if which == CHASER else -1.0
            follow_joint(joint, deflection, t, motors, scale(sign, force))


@compiled
def _place_mock_ups(method: ModelMediated, mem, t, dt):
    """Both mock-ups `dt` [s] from the newest reading, whose instant is t."""
    s = STATE(mem, method.memory)
    both = interpolate_mock_ups(mem, method.memory + STATE.at.readings, s.flight, t + dt)
    if not _is_elastic(method):
        return both
    deflections = s.deflections
    return Output(
        deflect(deflections[CHASER], both.chaser, dt), deflect(deflections[TARGET], both.target, dt)
    )


@noinline
def _spread_over_window(method: ModelMediated, mem, t, count):
    """A reading that is the mean of a window: every touch of the scratch at its two instants.
    False: a touch began or ended within, or the way has a kink, and it shows no law."""
    s, half = STATE(mem, method.memory), 0.5 * method.window
    pairs = method.memory + STATE.at.pairs
    s.window_latches = s.mock_latches
    early = _place_mock_ups(method, mem, t, -half)
    late = _place_mock_ups(method, mem, t, half)
    share, noted = method.scatter / half, 0
    for i in range(method.number):
        latches = s.window_latches
        before = find_places(mem, pairs, latches, i, early.chaser, early.target)
        after = find_places(mem, pairs, latches, i, late.chaser, late.target)
        for second in range(2):
            one = before.second if second == 1 else before.first
            other = after.second if second == 1 else after.first
            if (one.depth > 0.0) != (other.depth > 0.0):
                return False
            if one.depth > 0.0:
                touch = s.touch_rows[noted]
                noted += 1
                if noted > min(count, TOUCHES) or touch.pair != i:
                    return False
                if _is_bent(one.rate, touch.rate, other.rate):
                    return False
                _spread_touch(touch, share, one, other)
    return noted == count


NO_TORQUE = 1e3  # m; torques that are not to count
TINY = 1e-30  # N^2, in place of a noise of zero
FADED = 0.15  # s after a touch; before, a low-pass may still show it
STRANGE = 8.0  # standard deviations of noise: a force beyond is no noise
PUSHES = 0.8  # of a force: its share along the normal of a surface that may push with it
SWIFTEST = 5.0  # m/s^2; no mock-up is accelerated beyond, while nothing touches
STEADY = 1e-9  # rate of a lead that is brought in no more
SLOW = 2e-3  # rate of a lead beside which a tool's inertia is no noise


@compiled
def _solve_for_force(r, wrench: Wrench, noise):
    """The whole force at a touch that is `r` from the chaser's centre of mass, and the variance of
    a component of it at most."""
    a, b = 1.0 / (noise[0] * noise[0] + TINY), 1.0 / (noise[1] * noise[1] + TINY)
    rr = dot(r, r)
    matrix = (
        a + b * (rr - r[0] * r[0]),
        a + b * (rr - r[1] * r[1]),
        a + b * (rr - r[2] * r[2]),
        -b * r[0] * r[1],
        -b * r[0] * r[2],
        -b * r[1] * r[2],
    )
    inverse = symmetric_inverse(matrix)
    right = add_scaled(scale(a, wrench.force), b, cross(wrench.torque, r))
    return symmetric_times(inverse, right), inverse


@compiled
def _quadratic_form(m, a):
    return dot(a, symmetric_times(m, a))


@compiled
def _sample_surface(s, touch: Touch, both: Output, force: Vector, change: Vector, variance):
    """Force, its slope and motion at the touch of a surface, in target axes; `variance`: of a
    component across the normal."""
    q, n = both.target.q, touch.normal
    velocity = add_scaled(touch.sliding, -touch.rate, n)
    to_tip = s.pairs[touch.pair].tip_radius - 0.5 * touch.depth
    tip = add_scaled(subtract(add(both.chaser.p, touch.arm), both.target.p), to_tip, n)
    sample = SurfaceSample(
        normal=rotate_back(q, n),
        force=rotate_back(q, force),
        slope=rotate_back(q, change),
        velocity=rotate_back(q, velocity),
        variance=variance,
        bend=0.0,
    )
    keep_surface_sample(s.surfaces[touch.pair], sample, rotate_back(q, tip))


@noinline
def _sample_one_touch(
    method: ModelMediated, s, t, both: Output, wrench: Wrench, slope: Wrench, noise
):
    """A sample of a pair which alone touches: the one in the scratch."""
    touch = s.touch_rows[0].whole
    n = touch.normal
    force, matrix = _solve_for_force(touch.arm, wrench, noise)
    push, variance = dot(n, force), _quadratic_form(matrix, n)
    change = _solve_for_force(touch.arm, slope, noise)[0]
    rising = dot(n, change)
    sample = Sample(
        depth=touch.depth,
        rate=touch.rate,
        depth_2=touch.depth_2,
        rate_2=touch.rate_2,
        force=push,
        variance=variance,
        slope=rising,
        time=t,
        touch=s.touches,
    )
    keep_sample(s.fits[touch.pair], sample)
    if method.surface and push > 0.0 and may_turn(s.pairs[touch.pair]):
        across = 0.5 * (matrix[0] + matrix[1] + matrix[2] - variance)
        _sample_surface(s, touch, both, force, change, across)
    speed = norm(touch.sliding)
    if method.friction and speed > FRICTION_SPEED and push > 0.0:
        against = scale(-1.0 / speed, touch.sliding)
        keep_friction_sample(
            s.friction_fit,
            speed,
            (touch.slides, touch.slides_2),
            (push, method.scatter * rising, rising),
            (dot(against, force), dot(against, change)),
            (variance, _quadratic_form(matrix, against)),
        )


@compiled
def _note_place(touches, count, i, place: Place):
    """Into the scratch, where it touches; how many touch by then."""
    if place.depth <= 0.0:
        return count
    if count < TOUCHES:
        speed = norm(place.sliding)
        touches[count].whole = Touch(
            pair=i,
            depth=place.depth,
            rate=place.rate,
            depth_2=place.depth,
            rate_2=place.rate,
            normal=place.normal,
            arm=place.on_chaser,
            sliding=place.sliding,
            slides=speed,
            slides_2=speed,
        )
    return count + 1


@compiled
def _find_touches(method: ModelMediated, mem, both: Output):
    """Where the mock-ups touch, into the scratch; how many touches there are, the largest depth."""
    s, pairs = STATE(mem, method.memory), method.memory + STATE.at.pairs
    count, found = 0, NOWHERE
    for i in range(method.number):
        places = find_places(mem, pairs, s.mock_latches, i, both.chaser, both.target)
        found = max(found, max(places.first.depth, places.second.depth))
        count = _note_place(s.touch_rows, count, i, places.first)
        count = _note_place(s.touch_rows, count, i, places.second)
    return count, found


@compiled
def _note_free_reading(method: ModelMediated, s, t, q, raw: Wrench, a, accelerated):
    """A reading while the shapes are apart: of the tare, or of a force that they do not explain.
    `accelerated`: the mock-up is, by `a`."""
    flight, sure = s.flight, s.flight.count >= ENOUGH
    felt = subtract(a, method.gravity)
    if accelerated or not sure:
        note_tool(flight, q, raw, felt)
    tared = remove_tare(flight, q, method.gravity, raw)
    rest = subtract(tared.force, compute_tool_force(flight, a))
    left = norm(rest)
    if sure and left > max(STRANGE * estimate_noise(flight)[0], s.matters):
        s.unexplained += 1
        s.unexplained_now += 1
        s.mock_clear_until = 0.0
        return
    s.unexplained_now = 0
    if sure and not accelerated:
        note_tool(flight, q, raw, felt)
    slow = abs(s.lead_rates[CHASER]) + abs(s.lead_rates[TARGET]) < SLOW and not s.fading
    if sure and slow and method.lag and method.window == 0.0 and s.touches == 0:
        note_correlation(flight, t, method.vector[CYCLE], rest)
    note_flight(flight, q, raw, felt)


@compiled
def _sample_free_flight(method: ModelMediated, mem, t, chaser: Motion, raw: Wrench):
    """A reading while the shapes are apart; `chaser`: its mock-up."""
    s, a = STATE(mem, method.memory), (0.0, 0.0, 0.0)
    if not method.tare or t - s.last_touch <= FADED:
        return
    accelerated = abs(s.lead_rates[CHASER]) + abs(s.lead_rates[TARGET]) > STEADY
    accelerated = accelerated or s.fading
    if accelerated:
        a = _estimate_acceleration(method, mem, t, chaser)
    _note_free_reading(method, s, t, chaser.q, raw, a, accelerated)


@compiled
def _estimate_acceleration(method: ModelMediated, mem, t, chaser: Motion):
    readings = method.memory + STATE.at.readings
    T = method.vector[CYCLE]
    return estimate_acceleration(mem, STATE(mem, method.memory), readings, T, t, chaser.v)


@noinline
def _note_onset(method: ModelMediated, mem, t, both: Output, raw: Wrench):
    """Where the surface may be of which a force was felt first, while the known shapes are apart:
    the nearest one, if it pushes along its normal."""
    s, nearest, T = STATE(mem, method.memory), NOWHERE, method.vector[CYCLE]
    wrench = remove_tare(s.flight, both.chaser.q, method.gravity, raw)
    s.onset_gap, s.onset_time = 0.0, t
    for i in range(method.number):
        latches = s.mock_latches
        places = find_places(
            mem, method.memory + STATE.at.pairs, latches, i, both.chaser, both.target
        )
        place = places.second if places.second.depth > places.first.depth else places.first
        if place.depth > nearest:
            nearest = place.depth
            push = dot(place.normal, wrench.force)
            pushes = place.rate > 0.0 and push > PUSHES * norm(wrench.force)
            s.onset_gap = 0.5 * T * place.rate - place.depth if pushes else 0.0
            s.onset_pair, s.onset_normal = i, rotate_back(both.target.q, place.normal)


@noinline
def _take_sample(method: ModelMediated, mem, row):
    """One paired reading: in free flight the tare's, else a sample of what touches."""
    s, readings = STATE(mem, method.memory), method.memory + STATE.at.readings
    reading = STAMPED_WRENCH(mem, row)
    t, raw = reading.time, reading.wrench
    if _is_elastic(method):
        _follow_joints(method, mem, t, raw)
    both = _place_mock_ups(method, mem, t, 0.0)
    q = both.chaser.q
    count, deepest, whole = 0, 0.0, True
    if t + method.window >= s.mock_clear_until:
        count, deepest = _find_touches(method, mem, both)
        s.touches += 1 if count > 0 and not s.touching else 0
        s.touching = count > 0
        whole = method.window == 0.0 or _spread_over_window(method, mem, t, count)
        if count == 0:
            free = bound_free_time(-deepest, both.chaser, both.target, s.reach, SWIFTEST)
            s.mock_clear_until = t + free
    if count == 0:
        if whole:
            _sample_free_flight(method, mem, t, both.chaser, raw)
        if s.unexplained_now == 1:
            _note_onset(method, mem, t, both, raw)
        return
    s.unexplained_now, s.last_touch = 0, t
    if not whole or (method.tare and s.flight.count < ENOUGH):
        return  # what the sensor shows without a touch is not known
    wrench = remove_tare(s.flight, q, method.gravity, raw) if method.tare else raw
    if method.tare and s.flight.tool != 0.0:
        a = _estimate_acceleration(method, mem, t, both.chaser)
        force = subtract(wrench.force, compute_tool_force(s.flight, a))
        wrench = Wrench(force, wrench.torque)
    if is_stuck(mem, readings, row, wrench.force, deepest):
        s.readings.same += 1
        return
    noise = estimate_noise(s.flight)
    if not method.on_chaser:  # its torque was carried over the satellites' distance
        noise = (noise[0], NO_TORQUE * (noise[0] + norm(wrench.force)))
    s.samples += 1
    slope = compute_wrench_slope(mem, readings)
    lag, more = estimate_lag(s.flight, method.vector[CYCLE])
    if lag > 0.0:
        wrench = Wrench(
            add_scaled(wrench.force, lag, slope.force), add_scaled(wrench.torque, lag, slope.torque)
        )
        noise = (more * noise[0], more * noise[1])
    if count == 1:
        _sample_one_touch(method, s, t, both, wrench, slope, noise)
    else:
        keep_several(s.several, s.touch_rows, count, wrench, slope, noise)


@compiled
def take_samples(method: ModelMediated, mem):
    """All readings that can be paired by now."""
    late, readings = 0.5 * method.window, method.memory + STATE.at.readings
    row = take_next_force(mem, readings, late)
    while row >= 0:
        _take_sample(method, mem, row)
        row = take_next_force(mem, readings, late)
