"""The observer of `delay_passivity`: what the satellites got, what the real contact gave, and what
it will still give to motion that is on its way.

Energies are per port: one for the pair (`coupled`), or one for each world axis of forces and
torques. What a coupled contact absorbed is counted as the energy ledger does it, where a force
jumps within a sample too. `s`: the method's state.
"""

from __future__ import annotations

import math

from softdock.compile.jit import compiled, noinline
from softdock.loop.method.interface import Measured, Output, Rig, Satellites
from softdock.loop.spatial.motion import displacement
from softdock.loop.spatial.rigid_body import body_rate
from softdock.loop.spatial.rotations import rotate
from softdock.loop.spatial.vectors import add, dot, norm, subtract
from softdock.methods.delay_passivity.keys import COUPLED, DelayPassivity
from softdock.methods.delay_passivity.records import look_up, remember
from softdock.methods.delay_passivity.state import (
    STATE,
    find_port,
    find_readings,
    find_records,
    list_vectors,
)
from softdock.methods.measured.doubts import compute_least_absorbed, update_lifted
from softdock.methods.measured.paired_poses import take_poses
from softdock.methods.measured.real_work import add_real_work, compute_reserve, store_readings

BASELINE = 4.0  # cycles over which the wrench's slope along the way is taken


@compiled
def _add_held_work(work, T, before, after, force):
    """Work by axis, with that of a force held over a cycle."""
    return (
        work[0] + 0.5 * T * (before[0] + after[0]) * force[0],
        work[1] + 0.5 * T * (before[1] + after[1]) * force[1],
        work[2] + 0.5 * T * (before[2] + after[2]) * force[2],
    )


@compiled
def _count_given(method: DelayPassivity, s, T, rates):
    """What the satellites got in the last cycle, per port, and what of it came from the damper."""
    twist, applied, damper, work = s.twist, s.applied, s.damper, s.work
    for j in range(4):
        for i in range(3):
            given = 0.5 * T * (twist[j][i] + rates[j][i]) * applied[j][i]
            s.active[find_port(method, 3 * j + i)] += given
            s.net += given
    s.work = (
        _add_held_work(work[0], T, twist[0], rates[0], damper[0]),
        _add_held_work(work[1], T, twist[1], rates[1], damper[1]),
        _add_held_work(work[2], T, twist[2], rates[2], damper[2]),
        _add_held_work(work[3], T, twist[3], rates[3], damper[3]),
    )


@noinline
def observe(method: DelayPassivity, mem, rig: Rig, measured: Measured, satellites: Satellites):
    """Everything up to `active`: what the satellites got in the last cycle, and what the contact
    gave up to the newest common instant."""
    s, T, t = STATE(mem, method.memory), rig.T, rig.cycle * rig.T
    first = not s.started
    s.started = True
    chaser, target = satellites.chaser, satellites.target
    _follow_mock_ups(s, first, measured.mock_ups)
    rates = (
        chaser.v,
        rotate(chaser.q, body_rate(rig.chaser, chaser.q, chaser.L)),
        target.v,
        rotate(target.q, body_rate(rig.target, target.q, target.L)),
    )
    if not first:
        _count_given(method, s, T, rates)
    s.twist = rates
    wrenches, ways = find_records(method)
    force_time, pose_time = t - measured.force_age - method.unstamped, t - measured.pose_age
    remember(mem, wrenches, method.rows, force_time, list_vectors(measured.wrenches))
    remember(mem, ways, method.rows, pose_time, s.way)
    common = min(force_time, pose_time)
    s.last, s.last_way = s.now, s.now_way
    s.now = look_up(mem, wrenches, method.rows, common)
    s.now_way = look_up(mem, ways, method.rows, common)
    s.then = look_up(mem, wrenches, method.rows, common - BASELINE * T)
    s.then_way = look_up(mem, ways, method.rows, common - BASELINE * T)
    if method.coupling == COUPLED:
        _count_coupled(method, mem, measured, force_time, pose_time)
    elif not first:
        _count_axes(method, s)
        if method.deviations > 0.0 and norm(s.now[0]) + norm(s.last[0]) > 0.0:
            _reserve_for_noise(method, s)


@compiled
def settle_account(method: DelayPassivity, s):
    """A contact is settled: the next one's account begins here."""
    s.real.absorbed_before = s.real.absorbed
    s.doubts.lifted = 0.0
    s.real.turnover = 0.0
    # what noise did just before a contact opens is not counted, but for its variance
    fade = 1.0 - 1.0 / (method.rows - BASELINE)
    s.real.variance *= fade
    for port in range(6):
        s.variance[port] *= fade
        s.active[port] = method.deviations * math.sqrt(s.variance[port])
    if method.coupling == COUPLED:
        s.active[0] = method.deviations * math.sqrt(s.real.variance)


@compiled
def compute_noise_variance(method: DelayPassivity, s):
    """Variance of the noise's work in this contact [J^2]."""
    if method.coupling == COUPLED:
        return s.real.variance
    variance = 0.0
    for port in range(6):
        variance += s.variance[port]
    return variance


@compiled
def compute_least(method: DelayPassivity, s):
    """The least energy [J] that the contact can have absorbed since touch."""
    touch = 0.0
    for port in range(6):
        touch += s.touch[port]
    variance = compute_noise_variance(method, s)
    return compute_least_absorbed(method.doubts, method.loan * touch, variance)


@compiled
def _lift(method: DelayPassivity, s):
    """How much more the contact must have absorbed [J] than the readings say since touch, beyond
    what was known of this before."""
    absorbed = s.real.absorbed - s.real.absorbed_before
    before = s.doubts.lifted
    felt = s.open and s.idle == 0.0
    least = compute_least(method, s)
    return update_lifted(s.doubts, least, absorbed, felt, s.touch_kinetic) - before


@compiled
def _count_coupled(method: DelayPassivity, mem, measured: Measured, force_time, pose_time):
    """What the contact absorbed up to the newest common instant, and what is kept back of what it
    seems to have given."""
    s, readings = STATE(mem, method.memory), find_readings(method)
    if s.real.forces == 0:
        s.real.until = min(force_time, pose_time)
    absorbed = s.real.absorbed
    reserve = compute_reserve(s.real, method.deviations, method.work.worst)
    wrench, mock_ups = measured.wrenches.chaser, measured.mock_ups
    store_readings(mem, s.real, readings, wrench, force_time, mock_ups, pose_time)
    add_real_work(mem, s.real, readings, pose_time, method.work)
    more = compute_reserve(s.real, method.deviations, method.work.worst) - reserve
    s.active[0] += s.real.absorbed - absorbed + more + _lift(method, s)
    s.reserve += more


@compiled
def _count_axes(method: DelayPassivity, s):
    """The same by axis. Where the contact as a whole is not believed, no axis is believed to have
    given."""
    now, last, now_way, last_way = s.now, s.last, s.now_way, s.last_way
    whole = 0.0
    for j in range(4):
        for i in range(3):
            whole -= 0.5 * (now[j][i] + last[j][i]) * (now_way[j][i] - last_way[j][i])
    s.real.absorbed += whole
    believed = _lift(method, s) <= 0.0
    for j in range(4):
        for i in range(3):
            absorbed = -0.5 * (now[j][i] + last[j][i]) * (now_way[j][i] - last_way[j][i])
            port = find_port(method, 3 * j + i)
            s.active[port] += absorbed if believed else max(absorbed, 0.0)


@noinline
def _reserve_for_noise(method: DelayPassivity, s):
    """The noise's work over the newest step, per axis. Wrenches are equal and opposite about one
    point, so a force's noise works on the relative motion."""
    now, last, force_now, force_last = s.now_way, s.last_way, s.now[0], s.last[0]
    arm = subtract(s.poses.chaser.p, s.poses.target.p)
    force, torque, length = (
        method.work.noise_force**2,
        method.work.noise_torque**2,
        dot(arm, arm),
    )
    # as in compute_gate_variance
    gate = 0.0 if (norm(force_now) == 0.0) == (norm(force_last) == 0.0) else 0.5
    for i in range(3):
        apart = now[0][i] - last[0][i] - now[2][i] + last[2][i]
        turn = now[3][i] - last[3][i]  # the target's
        turned = now[1][i] - last[1][i] - turn
        # of a force's noise about this axis of the target, squared
        lever = length - arm[i] * arm[i]
        spread = force + gate * (force_now[i] - force_last[i]) ** 2
        _add_variance(method, s, i, spread * apart * apart)
        _add_variance(method, s, 3 + i, torque * turned * turned + force * lever * turn * turn)


@compiled
def _add_variance(method: DelayPassivity, s, port, variance):
    """Count z standard deviations of the noise's work, so far, as not given by the contact."""
    before = s.variance[port]
    s.variance[port] = before + variance
    more = method.deviations * (math.sqrt(before + variance) - math.sqrt(before))
    s.active[port] += more
    s.reserve += more


@compiled
def _follow_mock_ups(s, first, mock_ups: Output):
    """Add what the mock-ups moved since they were last seen to their ways: translation and turn,
    world axes."""
    if not first:
        was, way = s.poses, s.way
        chaser = displacement(was.chaser.p, was.chaser.q, mock_ups.chaser.p, mock_ups.chaser.q)
        target = displacement(was.target.p, was.target.q, mock_ups.target.p, mock_ups.target.q)
        s.way = (
            add(way[0], chaser.translation),
            add(way[1], chaser.rotation),
            add(way[2], target.translation),
            add(way[3], target.rotation),
        )
    s.poses = take_poses(mock_ups)
