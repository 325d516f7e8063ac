"""What orbit would do: the same two bodies from the same initial state with the *wanted* contact; no robots or delay.

In: a parameter vector. Out: the log of contacts (contact_log.LOG_COLUMNS), a record (RECORD), the outcome (OUTCOME_COLUMNS).

The motion is cut into pieces in which every touch keeps its mode: away, pushing, or slack (still in, but the clamp holds the
force at zero), and its place on the shape. Within a piece the force is a smooth function, continued beyond the piece's ends, so
that a Runge-Kutta-Munthe-Kaas step of order 4 on both bodies together keeps its order; the end is found by bisection on the
length of the step, to 1e-13 s. Free flight advances conservatively: a step is never longer than the smallest gap over the
fastest that a tip can close it, so no wall is jumped over, however thin. Only steps below a small part of a contact's period
and of a wall's thickness may end inside a wall, and then they are cut at its surface.

Holds for the laws and geometries of contact/. A tip near a cone's axis, where the normal turns fast, is resolved by shorter
steps. Not resolved: the edge of a bottom plate touched from outside, where the order falls to 2 with a small factor.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from softdock.compiled import compiled, door
from softdock.contact import _touch, tip_in_target, tip_velocity
from softdock.contact.laws import HUNT_CROSSLEY, SPRING_DAMPER_PULL, elastic_force, stored_energy
from softdock.contact.pairs import CONE, LATCH, PAIR_FLOATS, SPHERE, WALL, load_pair
from softdock.contact.touch import NONE
from softdock.contact_log import LOG_COLUMNS, Tracker, close_contact, no_contact_yet, opened, parted
from softdock.cycle import COMPLETED, DIVERGED, is_sane
from softdock.layout import CHASER_AT, MAP, MEMORY_AT, PAIRS_MEM, TARGET_AT, TIME_AT, TIMES, store_pairs
from softdock.spatial.motion import MOTION_FLOATS, store_motion
from softdock.spatial.rigid_body import Body, initial_body, kinetic_energy, motion_of, prepare_body
from softdock.spatial.rotations import exponential, normalise, product, right_jacobian_inverse, rotate, rotate_back
from softdock.spatial.vectors import add, add_scaled, cross, dot, multiply, norm, scale, store3, subtract, symmetric_times

TOO_MANY_STEPS = 2
ORBIT_STATUSES = ("completed", "diverged", "too many steps")
LOGGED_CONTACTS = 256

# Step lengths. With 0.01 a contact takes 314 steps and a lossless spring gives back its energy to some 1e-12.
FINE = 0.01  # of 1/w, w the fastest frequency of the touches under way (damping rates added)
FINE_TURN = 0.004  # rad that a body of unequal moments turns in a step: attitude to 1e-12 over some turns
WHOLE_TURN = 1.0  # rad; equal moments turn steadily, and the step is exact
GRADED = 0.1  # of depth/rate near depth 0 of a law with a fractional exponent, which is not smooth there
FINEST = 1e-4  # of the ordinary step: the shortest graded step
CURVED = 0.02  # of the tip's distance from a cone's axis or a sphere's centre, that it moves in a step
THIN = 0.1  # of the thickness of the thinnest part, that a tip moves in a step which may end inside it
INSTANT = 1e-13  # s; to which the begin and the end of a touch are located
ROUNDING = 2.0**-52  # of the time itself: no instant is finer
MOST_STEPS = 20_000_000
MOST_TURNS = 1000  # of the steps that turning asks for, in one piece of free flight

# modes, in bits: two a pair (first, second touch) for pushing, from SLACK on the same for slack, and from SECTOR on four a pair
SLACK, SECTOR = 8, 16
_MOTION_NAMES = ("px", "py", "pz", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz")
OUTCOME_COLUMNS = (
    "status",
    "steps",
    "contacts",
    "time_s",
    "kinetic_start_J",
    "kinetic_J",
    "stored_J",
    "dissipated_J",
    "peak_force_N",
    *(f"{body}.{name}" for body in ("chaser", "target") for name in _MOTION_NAMES),
)
# columns of the record by name, as in a run's series
RECORD: dict[str, Any] = {
    "time": 0,
    **{
        f"{body}.{name}": slice(first + at, first + at + size)
        for body, first in (("chaser", 1), ("target", 1 + MOTION_FLOATS))
        for name, at, size in (("position", 0, 3), ("attitude", 3, 4), ("velocity", 7, 3), ("rate", 10, 3))
    },
    "true.chaser.force": slice(27, 30),
    "contact.depth": 30,
    "energy.kinetic": 31,
    "energy.stored": 32,
    "energy.dissipated": 33,
}
RECORD_FLOATS = 34


class Both(NamedTuple):
    """Both bodies."""

    chaser: Body
    target: Body


class Setup(NamedTuple):
    """What does not change in a run."""

    chaser: Any  # BodyParams
    target: Any
    pairs: int
    nimble_chaser: float  # 1/(kg m^2), upper bound of the largest inverse moment
    nimble_target: float
    turn: float  # rad that a body may turn in a step
    fine: float  # FINE, or a multiple of it


class Slope(NamedTuple):
    """Rate of change of one body's state; the attitude as a rotation vector from the attitude at the start of the step."""

    p: tuple
    phi: tuple
    v: tuple
    L: tuple


class Push(NamedTuple):
    """The touches under way at one instant of a step."""

    force: tuple  # N on the chaser, world
    torque_chaser: tuple  # Nm, each about its body's centre of mass, world
    torque_target: tuple
    power: float  # W, into the bodies
    dissipated: float  # W


class Passed(NamedTuple):
    """What one step did, besides moving the bodies."""

    impulse: tuple  # Ns on the chaser
    dissipated: float  # J
    compressed: float  # J, taken from the bodies
    released: float  # J, given back
    peak: float  # N


class Look(NamedTuple):
    """The situation at one instant, and how long the next step may be."""

    modes: int
    next: float  # s
    pair: int  # the deepest
    gap_rate: float  # m/s, of the deepest touch
    depth: float  # m
    force: tuple  # N on the chaser, world
    stored: float  # J


# --- one step on both bodies ---


@compiled
def _unclamped_force(law, depth, rate):
    """The law, smoothly continued below depth 0 and below force 0 [N], and its elastic part [N]."""
    if law.kind == HUNT_CROSSLEY:
        elastic = elastic_force(law, max(depth, 0.0))
        return elastic * (1.0 + law.damping * rate), elastic
    elastic = elastic_force(law, depth)
    return elastic + law.damping * rate, elastic


@compiled
def _touch_force(law, touch, v, pushing, slack):
    """Force [N], power into the bodies [W] and dissipated power [W] of a touch in a given mode."""
    if not (pushing or slack):
        return 0.0, 0.0, 0.0
    rate = -dot(touch.normal, v)
    force, elastic = _unclamped_force(law, touch.depth, rate)
    if slack:
        force = 0.0
    return force, -force * rate, (force - elastic) * rate


@compiled
def push(mem, pairs, modes, chaser, target):
    """All touches in their modes, whatever their depth."""
    force, torque_chaser, torque_target = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    power, dissipated = 0.0, 0.0
    for i in range(pairs):
        pushing, slack = (modes >> (2 * i)) & 3, (modes >> (2 * i + SLACK)) & 3
        if pushing + slack == 0:
            continue
        here = PAIRS_MEM + i * PAIR_FLOATS
        pair = load_pair(mem, here)
        arm, from_target, tip = tip_in_target(pair, chaser, target)
        touches = _touch(pair, int(mem[here + LATCH]), tip)
        v = tip_velocity(chaser, target, arm, from_target)
        f1, p1, d1 = _touch_force(pair.law, touches.first, v, pushing & 1, slack & 1)
        f2, p2, d2 = _touch_force(pair.law, touches.second, v, pushing & 2, slack & 2)
        f_W = rotate(target.q, add_scaled(scale(f1, touches.first.normal), f2, touches.second.normal))
        force = add(force, f_W)
        torque_chaser = add(torque_chaser, cross(arm, f_W))
        torque_target = subtract(torque_target, cross(from_target, f_W))
        power += p1 + p2
        dissipated += d1 + d2
    return Push(force, torque_chaser, torque_target, power, dissipated)


@compiled
def _still():
    zero = (0.0, 0.0, 0.0)
    return Slope(zero, zero, zero, zero)


@compiled
def _moved(body, h, slope):
    q = product(body.q, exponential(scale(h, slope.phi)))
    return Body(add_scaled(body.p, h, slope.p), q, add_scaled(body.v, h, slope.v), add_scaled(body.L, h, slope.L))


@compiled
def _slope(params, motion, phi, force, torque):
    if params.fixed:
        return _still()
    return Slope(motion.v, right_jacobian_inverse(phi, motion.w), multiply(params.inverse_mass, force), torque)


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


@compiled
def step(setup, mem, modes, both, h):
    """One Runge-Kutta-Munthe-Kaas step of order 4 on both bodies; each stage's wrench from its own poses and twists."""
    slope_c, slope_t, total_c, total_t = _still(), _still(), _still(), _still()
    impulse, middle = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    dissipated, f0, f1, p0, pm, p1 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for stage in range(4):
        place, weight = _stage(stage)
        chaser = motion_of(setup.chaser, _moved(both.chaser, place * h, slope_c))
        target = motion_of(setup.target, _moved(both.target, place * h, slope_t))
        now = push(mem, setup.pairs, modes, chaser, target)
        slope_c = _slope(setup.chaser, chaser, scale(place * h, slope_c.phi), now.force, now.torque_chaser)
        slope_t = _slope(setup.target, target, scale(place * h, slope_t.phi), scale(-1.0, now.force), now.torque_target)
        total_c, total_t = _weighted(total_c, weight, slope_c), _weighted(total_t, weight, slope_t)
        impulse = add_scaled(impulse, weight * h, now.force)
        dissipated += weight * h * now.dissipated
        if stage == 0:
            f0, p0 = norm(now.force), now.power
        elif stage == 3:
            f1, p1 = norm(now.force), now.power
        else:
            middle = add_scaled(middle, 0.5, now.force)
            pm += 0.5 * now.power
    chaser, target = _moved(both.chaser, h, total_c), _moved(both.target, h, total_t)
    after = Both(
        Body(chaser.p, normalise(chaser.q), chaser.v, chaser.L),
        Body(target.p, normalise(target.q), target.v, target.L),
    )
    compressed, released = _work_each_way(h, p0, pm, p1)
    return after, Passed(impulse, dissipated, compressed, released, _largest(f0, norm(middle), f1))


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
    """Work taken from the bodies and given back in a step [J], split where the power changes sign."""
    work = h * (p0 + 4.0 * pm + p1) / 6.0
    if p0 * p1 >= 0.0:
        return max(-work, 0.0), max(work, 0.0)
    x = p0 / (p0 - p1)
    slope, bend = 4.0 * pm - 3.0 * p0 - p1, 2.0 * (p0 + p1) - 4.0 * pm
    first = h * x * (p0 + x * (0.5 * slope + x * bend / 3.0))
    rest = work - first
    return max(-first, 0.0) + max(-rest, 0.0), max(first, 0.0) + max(rest, 0.0)


@compiled
def flow(setup, mem, modes, both, dt):
    """Both bodies after dt, in as many equal steps as their turning asks for."""
    turned = dt * max(setup.nimble_chaser * norm(both.chaser.L), setup.nimble_target * norm(both.target.L))
    steps = 1
    if turned < 2.0 * MOST_TURNS * setup.turn:  # false if diverged
        steps = max(1, int(math.ceil(turned / setup.turn)))  # noqa: RUF046 int64 in compiled code
    passed = Passed((0.0, 0.0, 0.0), 0.0, 0.0, 0.0, 0.0)
    for _ in range(steps):
        both, more = step(setup, mem, modes, both, dt / steps)
        passed = Passed(
            add(passed.impulse, more.impulse),
            passed.dissipated + more.dissipated,
            passed.compressed + more.compressed,
            passed.released + more.released,
            max(passed.peak, more.peak),
        )
    return both, passed


# --- looking around: modes, and the length of the next step ---


@compiled
def _mobility(params, turned, arm, normal):
    """Inverse of the effective mass at a point along a world direction [1/kg]; `turned`: attitude of the body."""
    if params.fixed:
        return 0.0
    lever = rotate_back(turned, cross(arm, normal))
    return dot(normal, multiply(params.inverse_mass, normal)) + dot(lever, symmetric_times(params.inverse_inertia, lever))


@compiled
def _pace(law, depth, speed, mobility):
    """Frequency squared [1/s^2] of a touch on its effective mass, and its rate of damping [1/s]."""
    if law.kind != HUNT_CROSSLEY:
        return law.stiffness * mobility, law.damping * mobility
    energy = stored_energy(law, max(depth, 0.0)) + 0.5 * speed * speed / max(mobility, 1e-300)
    deepest = math.pow((law.exponent + 1.0) * energy / law.stiffness, 1.0 / (law.exponent + 1.0)) if law.stiffness > 0.0 else 0.0
    if deepest <= 0.0:
        return 0.0, 0.0
    force = elastic_force(law, deepest)
    return law.exponent * force / deepest * mobility, law.damping * force * mobility


@compiled
def _mode(law, touch, rate):
    """1: pushing, 2: slack, 0: away."""
    if touch.depth <= 0.0:
        return 0
    force, _ = _unclamped_force(law, touch.depth, rate)
    if force < 0.0 and law.kind != SPRING_DAMPER_PULL:
        return 2
    return 1


@compiled
def _thickness(pair):
    """How far the tip's centre must move in a wall before it is through [m]."""
    if pair.geometry == CONE:
        return pair.shape.thickness + pair.tip_radius
    if pair.geometry == SPHERE:
        return pair.shape.radius + pair.tip_radius
    return math.inf


@compiled
def _touch_now(mem, here, pair, active, tip):
    """The pair's touches, with the side on which the tip was when it last touched nothing."""
    side = int(mem[here + LATCH])
    touches = _touch(pair, side if active else NONE, tip)
    if not active and side != NONE and max(touches.first.depth, touches.second.depth) > 0.0:
        return _touch(pair, side, tip)
    return touches


@compiled
def _time_to_cross(gap, drift, far, turning):
    """Shortest time [s] in which a tip can cross a gap [m].

    `drift`: its speed seen from the target's centre, world axes [m/s]; `far`: its distance from there [m];
    `turning`: of the target [rad/s].
    """
    fastest = drift + turning * far
    return 2.0 * gap / (fastest + math.sqrt(fastest * fastest + 2.0 * turning * drift * gap) + 1e-300)


@compiled
def look(setup, mem, modes, both):
    """The modes of all touches now, and how long a step from here may be. Remembers in `mem` the side on which each tip is."""
    chaser, target = motion_of(setup.chaser, both.chaser), motion_of(setup.target, both.target)
    turning_chaser, turning_target = setup.nimble_chaser * norm(both.chaser.L), setup.nimble_target * norm(both.target.L)
    drift = norm(subtract(chaser.v, target.v))
    now, deepest, depth, gap_rate, stored = 0, 0, -math.inf, 0.0, 0.0
    force = (0.0, 0.0, 0.0)
    safe, pace, damping, graded, curved = math.inf, 0.0, 0.0, math.inf, math.inf
    for i in range(setup.pairs):
        here = PAIRS_MEM + i * PAIR_FLOATS
        pair = load_pair(mem, here)
        law = pair.law
        arm, from_target, tip = tip_in_target(pair, chaser, target)
        active = ((modes >> (2 * i)) | (modes >> (2 * i + SLACK))) & 3 != 0
        touches = _touch_now(mem, here, pair, active, tip)
        mem[here + LATCH] = float(touches.side)
        v = tip_velocity(chaser, target, arm, from_target)
        far, fast = norm(from_target), drift + turning_chaser * norm(pair.tip)
        closing = fast + turning_target * far
        for j in range(2):
            touch = touches.first if j == 0 else touches.second
            rate = -dot(touch.normal, v)
            normal = rotate(target.q, touch.normal)
            mobility = _mobility(setup.chaser, chaser.q, arm, normal) + _mobility(setup.target, target.q, from_target, normal)
            mode = _mode(law, touch, rate)
            if touch.depth > depth:
                depth, deepest, gap_rate = touch.depth, i, -rate
            squared, damped = _pace(law, touch.depth, abs(rate) if mode > 0 else closing, mobility)
            if mode == 0:
                shortest = min(setup.fine / (math.sqrt(squared) + damped + 1e-300), THIN * _thickness(pair) / (closing + 1e-300))
                safe = min(safe, max(shortest, _time_to_cross(-touch.depth, fast, far, turning_target)))
                continue
            now |= (1 << (2 * i + j)) if mode == 1 else (1 << (2 * i + j + SLACK))
            pace += squared
            damping += damped
            stored += stored_energy(law, touch.depth)
            if mode == 1:
                pressed, _ = _unclamped_force(law, touch.depth, rate)
                force = add_scaled(force, pressed, normal)
            if law.kind == HUNT_CROSSLEY:
                graded = min(graded, GRADED * touch.depth / (abs(rate) + 1e-300))
            if pair.geometry == CONE:
                now |= _sector(pair, tip) << (4 * i + SECTOR)
            if pair.geometry != WALL:
                curved = min(curved, CURVED * _bend(pair, tip) / (norm(v) + 1e-300))
    longest = setup.fine / (math.sqrt(pace) + damping + 1e-300)
    within = min(longest, max(min(graded, curved), FINEST * longest))
    within = min(within, (1.0 if now != 0 else MOST_TURNS) * setup.turn / (max(turning_chaser, turning_target) + 1e-300))
    return Look(now, min(safe, within), deepest, gap_rate, depth, force, stored)


@compiled
def _sector(pair, tip):
    """Which part of a cone's wall is nearest to the tip: 0 a face, else an edge or the lip. Between them the force has a kink."""
    z = dot(pair.shape.axis, tip)
    x = norm(add_scaled(tip, -z, pair.shape.axis)) - pair.shape.radius
    along, out = x * pair.shape.sine + z * pair.shape.cosine, z * pair.shape.sine - x * pair.shape.cosine
    if -pair.shape.length <= along <= 0.0:
        return 0
    level = 1 if out > 0.0 else (2 if out >= -pair.shape.thickness else 3)
    return level if along > 0.0 else level + 3


@compiled
def _bend(pair, tip):
    """Distance over which the normal turns [m]: from the cone's axis, or from the sphere's centre."""
    if pair.geometry == CONE:
        return norm(add_scaled(tip, -dot(pair.shape.axis, tip), pair.shape.axis))
    return norm(tip)


# --- the whole run ---


@compiled
def _nimble(params):
    """Upper bound of the largest eigenvalue of the inverse inertia, exact for equal moments."""
    m = params.inverse_inertia
    mean = (m[0] + m[1] + m[2]) / 3.0
    x, y, z = m[0] - mean, m[1] - mean, m[2] - mean
    spread = x * x + y * y + z * z + 2.0 * (m[3] * m[3] + m[4] * m[4] + m[5] * m[5])
    return mean + math.sqrt(spread * 2.0 / 3.0), math.sqrt(spread) / mean


@compiled
def _prepare(vector, mem, coarser):
    chaser, target = prepare_body(vector, CHASER_AT), prepare_body(vector, TARGET_AT)
    pairs = int(vector[MEMORY_AT + MAP.pair_count])
    store_pairs(vector, mem, pairs, True)
    nimble_chaser, uneven_chaser = _nimble(chaser)
    nimble_target, uneven_target = _nimble(target)
    turn = FINE_TURN if max(uneven_chaser, uneven_target) > 1e-13 else WHOLE_TURN
    return Setup(chaser, target, pairs, nimble_chaser, nimble_target, coarser * turn, coarser * FINE)


@compiled
def _kinetic(setup, both):
    return kinetic_energy(setup.chaser, both.chaser) + kinetic_energy(setup.target, both.target)


@compiled
def _follow(tracker, log, was, seen, passed, t):
    """The contact under way after one more step; contacts of several touches that overlap are one."""
    if was != 0:
        tracker = Tracker(
            True,
            tracker.count,
            False,
            seen.pair,
            tracker.start,
            t,
            tracker.before,
            seen.gap_rate,
            max(tracker.peak_real, passed.peak),
            max(tracker.peak_satellite, passed.peak),
            add(tracker.impulse, passed.impulse),
            tracker.compressed + passed.compressed,
            tracker.released + passed.released,
        )
        if seen.modes == 0:
            tracker = close_contact(tracker, log)
    elif seen.modes != 0:
        tracker = opened(tracker.count, t, seen.gap_rate)
    return tracker


@compiled
def _record(row, setup, both, seen, dissipated, t):
    row[0] = t
    store_motion(row, 1, motion_of(setup.chaser, both.chaser))
    store_motion(row, 14, motion_of(setup.target, both.target))
    store3(row, 27, seen.force)
    row[30] = seen.depth
    row[31] = _kinetic(setup, both)
    row[32] = seen.stored
    row[33] = dissipated


@compiled
def orbit_run(vector, mem, log, record, outcome, coarser):
    """A whole run of orbit, for a CPU or a CUDA thread. A contact still open at the end is logged with a restitution of NaN.

    `mem`: zeros, at least PAIRS_MEM + pairs * PAIR_FLOATS; `record`: a row a cycle and one more, or no rows;
    `coarser`: factor on all steps (1.0: as above).
    """
    setup = _prepare(vector, mem, coarser)
    both = Both(initial_body(setup.chaser, vector, CHASER_AT), initial_body(setup.target, vector, TARGET_AT))
    T = vector[TIME_AT + TIMES.cycle]
    cycles = max(1, int(math.ceil(vector[TIME_AT + TIMES.duration] / T - 1e-9)))  # noqa: RUF046
    every = 1 if record.shape[0] > cycles else cycles  # cycles from stop to stop
    outcome[4] = _kinetic(setup, both)

    # A step of `dt` leads from `both` at t to `after`. If modes change in it, a shorter one is tried: `same` < dt < `changed`.
    t, k, steps, status, modes = 0.0, 0, 0, COMPLETED, 0
    dt, same, changed = 0.0, 0.0, math.inf
    tracker, dissipated, peak, stored = no_contact_yet(), 0.0, 0.0, 0.0
    while k <= cycles and status == COMPLETED:
        steps += 1
        if steps > MOST_STEPS:
            status = TOO_MANY_STEPS
        after, passed = flow(setup, mem, modes, both, dt)
        seen = look(setup, mem, modes, after)
        instant = INSTANT + ROUNDING * t
        if seen.modes != modes and dt - same > instant:
            changed = dt
            dt = 0.5 * (same + changed)
            continue
        if seen.modes == modes and dt < changed < math.inf:
            same = dt
            dt = changed if changed - same <= instant else 0.5 * (same + changed)
            continue

        both = after
        at_stop = dt >= k * T - t
        t = k * T if at_stop else t + dt
        tracker = _follow(tracker, log, modes, seen, passed, t)
        peak = max(peak, passed.peak)
        dissipated += passed.dissipated
        stored = seen.stored
        modes = seen.modes
        if not (is_sane(both.chaser) and is_sane(both.target)):
            status = DIVERGED
        if at_stop:
            if every == 1 and record.shape[0] > 0:
                _record(record[k], setup, both, seen, dissipated, t)
            k += every
        dt, same, changed = min(seen.next, k * T - t), 0.0, math.inf

    outcome[0] = float(status)
    outcome[1] = float(steps)
    outcome[2] = float(_close_open(tracker, log).count)
    outcome[3] = t
    outcome[5] = _kinetic(setup, both)
    outcome[6] = stored
    outcome[7] = dissipated
    outcome[8] = peak
    store_motion(outcome, 9, motion_of(setup.chaser, both.chaser))
    store_motion(outcome, 9 + MOTION_FLOATS, motion_of(setup.target, both.target))


@compiled
def _close_open(tracker, log):
    if not tracker.open:
        return tracker
    return close_contact(parted(tracker, math.nan), log)


run_orbit = door(orbit_run)


# --- for Python ---


class Prepared(Protocol):
    """What `orbit` needs of a scenario."""

    vector: np.ndarray


@dataclass
class Orbit:
    """What orbit would do. A run that stopped early holds everything up to there."""

    series: dict[str, np.ndarray]  # RECORD's names, as in a run's series; empty if not recorded
    contacts: list[dict[str, Any]]  # as a run's; peak_force_real_N and peak_force_satellite_N are the same
    contact_count: int  # all contacts, also those beyond the log
    status: str  # one of ORBIT_STATUSES
    time: float  # s, reached
    steps: int
    kinetic_start: float  # J
    kinetic: float  # J, at the end
    stored: float  # J, in the contacts at the end
    dissipated: float  # J
    peak_force: float  # N
    chaser: np.ndarray  # motion at the end: position (3), attitude wxyz (4), velocity (3), body rate (3)
    target: np.ndarray

    @property
    def restitution(self) -> float:
        """Of the first contact; NaN if there was none."""
        return float(self.contacts[0]["restitution"]) if self.contacts else math.nan


def orbit(scenario: Prepared, record: bool = True, coarser: float = 1.0) -> Orbit:
    """Fly the scenario as orbit would, over its whole duration. `coarser`: factor on all steps, to see how much they matter."""
    vector = scenario.vector
    T, duration = vector[TIME_AT + TIMES.cycle], vector[TIME_AT + TIMES.duration]
    rows = max(1, math.ceil(duration / T - 1e-9)) + 1 if record else 0
    mem = np.zeros(PAIRS_MEM + int(vector[MEMORY_AT + MAP.pair_count]) * PAIR_FLOATS)
    log = np.zeros((LOGGED_CONTACTS, len(LOG_COLUMNS)))
    rows_array, outcome = np.zeros((rows, RECORD_FLOATS)), np.zeros(len(OUTCOME_COLUMNS))
    run_orbit(vector, mem, log, rows_array, outcome, float(coarser))
    reached = rows_array[: math.floor(outcome[3] / T + 1e-9) + 1]
    count = int(outcome[2])
    contacts: list[dict[str, Any]] = [dict(zip(LOG_COLUMNS, map(float, row), strict=True)) for row in log[:count]]
    for contact in contacts:
        contact["pair"] = int(contact["pair"])
    return Orbit(
        {name: reached[:, at] for name, at in RECORD.items()} if record else {},
        contacts,
        count,
        ORBIT_STATUSES[int(outcome[0])],
        float(outcome[3]),
        int(outcome[1]),
        float(outcome[4]),
        float(outcome[5]),
        float(outcome[6]),
        float(outcome[7]),
        float(outcome[8]),
        outcome[9:22].copy(),
        outcome[22:35].copy(),
    )
