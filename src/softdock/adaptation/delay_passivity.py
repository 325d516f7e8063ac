"""Passivity observer and controller around the robots' delay, at the port of force and motion.

Whatever delays the motion on its way to the mock-ups, the satellites may get from a contact what the real contact gives, and no more. The observer
counts, per port,

    active = energy given to the satellites (wrench applied, their own motion) - energy released by the real contact (measured wrench, measured motion)
    level  = active - transit

Measured wrench and motion are paired by their ages. `transit` is the energy reference: the work that the contact will still do while the mock-ups go
where the satellites are already, from the newest wrench and its slope along the way; without it the controller would act on energy that is only late.

The controller takes `level`, and what one more cycle would add, in the next cycle, by a variable damper along the measured wrench: it acts on both
satellites with the part gamma of it. The damper is at most m / (n T), m the mass that the wrench feels, n = `braking_cycles`: at the turning point its
force goes to zero with the velocity, so that a contact always pushes out and nothing sticks; what was not taken is carried on. While a force is felt it
is at most doubled and never reversed. A debt that is left when the contact is over is braked off along its last wrench, down to the share `loan` of the
energy at touch; a credit is dropped. (A real contact with damping can absorb more than the satellites had, because the robots carry the mock-ups deep
into it; no braking repays that.)

`coupled`: one port of six degrees of freedom for the pair; the wrenches stay opposite about one point, momentum is kept. `per_axis`: three force and
three torque ports in world axes; linear momentum is kept, the pair's angular momentum only if forces act along axes.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.adaptation.interface import Wrenches
from softdock.adaptation.paired_records import ROW, look_up, record_floats, remember
from softdock.compiled import apart, compiled
from softdock.parameters import Group, Parameter
from softdock.spatial.motion import Wrench, displacement
from softdock.spatial.rotations import rotate, rotate_back
from softdock.spatial.vectors import dot, load3, load4, norm, store3, store4, symmetric_times

COUPLED, PER_AXIS = 0, 1
BASELINE = 4.0  # cycles over which the wrench's slope along the way is taken
ROWS_BEYOND = 7  # of a record, for the baseline and both ends
CYCLE = 0  # place of T in the parameter vector
SHORTEST = 1e-7  # m or rad; a shorter way tells no slope

DELAY_PASSIVITY = Group(
    "delay_passivity",
    "Passivity observer and controller around the robots' delay: the satellites get what the real contact gives, and no more.",
    Parameter("coupling", "coupling", "one port of six degrees of freedom, or a port per world axis", "coupled", choices=("coupled", "per_axis")),
    Parameter("braking_cycles", "braking_cycles", "n: the damper is at most the mass it brakes over n cycles", 4.0, low=1.0, high=1e4),
    Parameter("loan", "loan", "share of the energy at touch that is left to the satellites after a contact, whatever they owe", 0.01, low=0.0, high=1.0),
    Parameter("threshold", "threshold_N", "a smaller measured force is no contact", 0.0, "N", 0.0, 1e6),
    Parameter("longest_age", "longest_age_ms", "oldest force or pose that is still paired", 40.0, "ms", 0.0, 1e4, scale=1e-3),
    Parameter("unstamped", "unstamped_age_ms", "age of the force beyond its stamp: half the span of the samples in a mean", 0.0, "ms", 0.0, 1e3, scale=1e-3),
)
AT = DELAY_PASSIVITY.at

# Its memory. Per port: six floats (coupled: the first). Wrenches, ways and twists: chaser's force, torque, target's; twelve floats.
STARTED, IDLE = 0, 1  # IDLE: s since a force was measured
ACTIVE, LEVEL, REMOVED, SLOPE = 2, 8, 14, 20
APPLIED, TWIST = 26, 38  # wrench on the satellites in the last cycle; their twists at its start
POSES = 50  # of the mock-ups, last seen: 2 x (position, attitude)
WAY = 64  # of the mock-ups since the start
NOW, LAST, THEN = 76, 100, 124  # wrench and way at the newest common instant, at the one before, and a baseline ago
ALONG = 148  # the last wrench of the contact, along which the damper acts
TOUCH = 160  # per port: kinetic energy along the wrench when it was first felt
OPEN = 166  # 1 from touch until a contact is settled
RECORDS = 167


class DelayPassivity(NamedTuple):
    memory: int
    coupling: int
    braking_cycles: float
    threshold: float  # N
    rows: int  # of each record
    unstamped: float  # s
    loan: float


@compiled
def _rows(longest_age, T):
    return int(math.ceil(longest_age / T)) + ROWS_BEYOND


def memory(values, T):
    """Floats of `mem`; `values` in the user's units."""
    return RECORDS + 2 * (1 + ROW * (math.ceil(1e-3 * values["longest_age_ms"] / T) + ROWS_BEYOND))


def suggest(scenario):
    """Its keys for a scenario that does not list it: what noise alone does not reach, and records long enough for the ages there are."""
    sensor, pose = scenario.tables["sensor"], scenario.tables["pose"]
    cycle = scenario.tables["time"]["cycle_ms"]
    oldest = max(sensor["delay_ms"] + sensor["period_ms"], pose["delay_ms"] + pose["period_ms"], cycle)
    averaged = sensor["handover"] == "mean" and 0.0 < sensor["period_ms"] < cycle
    unstamped = 0.5 * (cycle - sensor["period_ms"]) if averaged else 0.0
    return {"threshold_N": 6.0 * sensor["noise_N"], "longest_age_ms": 2.0 * oldest + 10.0, "unstamped_age_ms": unstamped}


def refuses(scenario):
    """Why it cannot run on a scenario, in words; None if it can."""
    if scenario.tables["laboratory"]["mapping"] == "shared":
        return "the robots share the relative motion: a mock-up is not where its satellite is, and the way it has still to go cannot be told"
    return None


@compiled
def prepare(marker, vector, base, memory):
    rows = _rows(vector[base + AT.longest_age], vector[CYCLE])
    unstamped, loan = vector[base + AT.unstamped], vector[base + AT.loan]
    return DelayPassivity(memory, int(vector[base + AT.coupling]), vector[base + AT.braking_cycles], vector[base + AT.threshold], rows, unstamped, loan)


@compiled
def _port(method, i):
    """The port that component i of twelve belongs to."""
    return 0 if method.coupling == COUPLED else i % 6


@apart
def _observe(method, mem, rig, measured, satellites):
    """Everything up to `ACTIVE`: what the satellites got in the last cycle, and what the contact gave up to the newest common instant."""
    at, T, t = method.memory, rig.T, rig.cycle * rig.T
    first = mem[at + STARTED] == 0.0
    mem[at + STARTED] = 1.0
    chaser, target = satellites.chaser, satellites.target
    _follow(mem, at + POSES, at + WAY, first, measured.mock_ups.chaser)
    _follow(mem, at + POSES + 7, at + WAY + 6, first, measured.mock_ups.target)
    seen = measured.wrenches
    rates = (
        chaser.v,
        rotate(chaser.q, symmetric_times(rig.chaser.inverse_inertia, rotate_back(chaser.q, chaser.L))),
        target.v,
        rotate(target.q, symmetric_times(rig.target.inverse_inertia, rotate_back(target.q, target.L))),
    )
    for j in range(4):
        for i in range(3):
            c = 3 * j + i
            if not first:
                mem[at + ACTIVE + _port(method, c)] += 0.5 * T * mem[at + APPLIED + c] * (mem[at + TWIST + c] + rates[j][i])
            mem[at + TWIST + c] = rates[j][i]
    wrench_record, way_record = at + RECORDS, at + RECORDS + record_floats(method.rows)
    force_time, pose_time = t - measured.force_age - method.unstamped, t - measured.pose_age
    remember(mem, wrench_record, method.rows, force_time, (seen.chaser.force, seen.chaser.torque, seen.target.force, seen.target.torque))
    way = at + WAY
    remember(mem, way_record, method.rows, pose_time, (load3(mem, way), load3(mem, way + 3), load3(mem, way + 6), load3(mem, way + 9)))
    common = min(force_time, pose_time)
    for i in range(24):
        mem[at + LAST + i] = mem[at + NOW + i]
    look_up(mem, wrench_record, method.rows, common, at + NOW)
    look_up(mem, way_record, method.rows, common, at + NOW + 12)
    look_up(mem, wrench_record, method.rows, common - BASELINE * T, at + THEN)
    look_up(mem, way_record, method.rows, common - BASELINE * T, at + THEN + 12)
    if not first:
        for i in range(12):
            mean = 0.5 * (mem[at + NOW + i] + mem[at + LAST + i])
            mem[at + ACTIVE + _port(method, i)] -= mean * (mem[at + NOW + 12 + i] - mem[at + LAST + 12 + i])


@compiled
def _follow(mem, pose, way, first, motion):
    """Add what a mock-up moved since it was last seen to its way: translation and turn, world axes."""
    if not first:
        moved = displacement(load3(mem, pose), load4(mem, pose + 3), motion.p, motion.q)
        for i in range(3):
            mem[way + i] += moved.translation[i]
            mem[way + 3 + i] += moved.rotation[i]
    store3(mem, pose, motion.p)
    store4(mem, pose + 3, motion.q)


@apart
def _transit(method, mem, satellites, port):
    """Work [J] that the contact will still do at a port until the mock-ups are where the satellites are now."""
    at = method.memory
    chaser, target = satellites.chaser, satellites.target
    a = displacement(load3(mem, at + POSES), load4(mem, at + POSES + 3), chaser.p, chaser.q)
    b = displacement(load3(mem, at + POSES + 7), load4(mem, at + POSES + 10), target.p, target.q)
    ahead = (a.translation, a.rotation, b.translation, b.rotation)
    work, past = 0.0, 0.0
    for j in range(4):
        for i in range(3):
            c = 3 * j + i
            if _port(method, c) == port:
                work += mem[at + NOW + c] * (ahead[j][i] + mem[at + WAY + c] - mem[at + NOW + 12 + c])
                past += mem[at + NOW + c] * (mem[at + NOW + 12 + c] - mem[at + THEN + 12 + c])
    force, before = load3(mem, at + NOW), load3(mem, at + THEN)
    if method.coupling == COUPLED:
        size = norm(force)
        size_before = dot(force, before) / size if size > 0.0 else 0.0
    elif port < 3:
        size = abs(force[port])
        size_before = before[port] * force[port] / size if size > 0.0 else 0.0
    else:
        return work  # torques of two bodies have no one way: to first order
    if size <= method.threshold:
        return work
    if size_before > method.threshold and abs(past) > SHORTEST * size:
        slope = (size_before - size) * size / past  # N/m, > 0: a spring
        mem[at + SLOPE + port] = max(slope, 0.0)
    slope, way = mem[at + SLOPE + port], work / size
    if slope == 0.0:
        return work
    if size < slope * way:  # the contact will end before
        return 0.5 * size * size / slope
    return work - 0.5 * slope * way * way


@compiled
def _mobility(params, body, force, torque):
    """Rate at which a wrench gains power on a body by its own acceleration, W . M^-1 W [W/s]."""
    if params.fixed:
        return 0.0
    turn = rotate_back(body.q, torque)
    m = params.inverse_mass
    straight = m[0] * force[0] * force[0] + m[1] * force[1] * force[1] + m[2] * force[2] * force[2]
    return straight + dot(turn, symmetric_times(params.inverse_inertia, turn))


@compiled
def _only(method, port, j, a):
    """A vector with what does not belong to the port set to zero; j: 0 forces, 1 torques."""
    if method.coupling == COUPLED:
        return a
    i = port - 3 * j
    return (a[0] if i == 0 else 0.0, a[1] if i == 1 else 0.0, a[2] if i == 2 else 0.0)


@apart
def _gamma(method, mem, rig, satellites, port):
    """How much of the last wrench of the contact the damper puts against the motion at a port."""
    at, T = method.memory, rig.T
    cf, ct = _only(method, port, 0, load3(mem, at + ALONG)), _only(method, port, 1, load3(mem, at + ALONG + 3))
    tf, tt = _only(method, port, 0, load3(mem, at + ALONG + 6)), _only(method, port, 1, load3(mem, at + ALONG + 9))
    power = dot(cf, load3(mem, at + TWIST)) + dot(ct, load3(mem, at + TWIST + 3))
    power += dot(tf, load3(mem, at + TWIST + 6)) + dot(tt, load3(mem, at + TWIST + 9))
    level = mem[at + ACTIVE + port] - _transit(method, mem, satellites, port)
    coming = level - mem[at + LEVEL + port] + mem[at + REMOVED + port]  # what a cycle adds without the damper
    mem[at + LEVEL + port] = level
    mem[at + REMOVED + port] = 0.0
    mobility = _mobility(rig.chaser, satellites.chaser, cf, ct) + _mobility(rig.target, satellites.target, tf, tt)
    if power == 0.0 or mobility == 0.0:
        return 0.0
    kinetic = 0.5 * power * power / mobility  # of the motion along the wrench
    most = abs(power) / (method.braking_cycles * T * mobility)
    if mem[at + IDLE] == 0.0:
        if mem[at + TOUCH + port] == 0.0:
            mem[at + TOUCH + port] = kinetic
        wanted = level + coming
        most = min(most, 1.0)
    else:  # the contact is over, and a debt is left
        spare = kinetic - method.loan * mem[at + TOUCH + port]
        if power < 0.0 or spare <= 0.0:
            mem[at + ACTIVE + port] = 0.0
            return 0.0
        wanted = min(level, spare)
    if wanted <= 0.0:
        return 0.0
    gamma = max(-most, min(most, wanted / (power * T)))
    mem[at + REMOVED + port] = gamma * power * T
    return gamma


@compiled
def _store_wrenches(mem, at, wrenches):
    store3(mem, at, wrenches.chaser.force)
    store3(mem, at + 3, wrenches.chaser.torque)
    store3(mem, at + 6, wrenches.target.force)
    store3(mem, at + 9, wrenches.target.torque)


@compiled
def _braked(gamma, mem, at, wrench):
    """A wrench less its port's share of the one along which the damper acts."""
    a, b = load3(mem, at), load3(mem, at + 3)
    f, t = wrench.force, wrench.torque
    force = (f[0] - gamma[0] * a[0], f[1] - gamma[1] * a[1], f[2] - gamma[2] * a[2])
    return Wrench(force, (t[0] - gamma[3] * b[0], t[1] - gamma[4] * b[1], t[2] - gamma[5] * b[2]))


@compiled
def _is_idle(method, mem, rig, touching):
    """Whether there is nothing to do: no contact, and the last one settled: all its readings counted, and no debt left. Then nothing is counted, so that
    noise adds up to nothing."""
    at = method.memory
    if touching:
        mem[at + IDLE] = 0.0
        mem[at + OPEN] = 1.0
        return False
    mem[at + IDLE] += rig.T
    debt = 0.0
    for port in range(6):
        mem[at + SLOPE + port] = 0.0
        debt = max(debt, mem[at + ACTIVE + port])
    if mem[at + OPEN] != 0.0 and (debt > 0.0 or mem[at + IDLE] <= (method.rows - BASELINE) * rig.T):
        return False
    mem[at + OPEN] = 0.0
    for port in range(6):
        mem[at + ACTIVE + port] = 0.0
        mem[at + LEVEL + port] = 0.0
        mem[at + REMOVED + port] = 0.0
        mem[at + TOUCH + port] = 0.0
    return True


@apart
def wrench(method, mem, rig, measured, satellites, wrenches):
    at = method.memory
    _observe(method, mem, rig, measured, satellites)
    touching = norm(measured.wrenches.chaser.force) > method.threshold
    if touching:
        _store_wrenches(mem, at + ALONG, wrenches)
    if _is_idle(method, mem, rig, touching):
        _store_wrenches(mem, at + APPLIED, wrenches)
        return wrenches
    if method.coupling == COUPLED:
        g = _gamma(method, mem, rig, satellites, 0)
        gamma = (g, g, g, g, g, g)
    else:
        gamma = (
            _gamma(method, mem, rig, satellites, 0),
            _gamma(method, mem, rig, satellites, 1),
            _gamma(method, mem, rig, satellites, 2),
            _gamma(method, mem, rig, satellites, 3),
            _gamma(method, mem, rig, satellites, 4),
            _gamma(method, mem, rig, satellites, 5),
        )
    given = Wrenches(_braked(gamma, mem, at + ALONG, wrenches.chaser), _braked(gamma, mem, at + ALONG + 6, wrenches.target))
    _store_wrenches(mem, at + APPLIED, given)
    return given
