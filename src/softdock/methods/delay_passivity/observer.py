"""The observer of `delay_passivity`: what the satellites got, what the real contact gave, and what
it will still give to motion that is on its way.

Energies are per port: one for the pair (`coupled`), or one for each world axis of forces and
torques. All state is in the method's slice of `mem`; `method` is a
`delay_passivity_keys.DelayPassivity`. What a coupled contact absorbed is booked as the energy
ledger does it, where a force jumps within a sample too.
"""

from __future__ import annotations

import math

from softdock.compile.jit import compiled, noinline
from softdock.loop.spatial.motion import POSE_FLOATS, displacement, store_pose
from softdock.loop.spatial.rigid_body import body_rate
from softdock.loop.spatial.rotations import rotate
from softdock.loop.spatial.vectors import dot, load3, load4, norm, subtract
from softdock.methods.delay_passivity.cells import ATTITUDE, CELL, PART, RINGS_AT, TWELVE
from softdock.methods.delay_passivity.transit import COUPLED, port_of
from softdock.methods.measured.doubts import DOUBT, least_absorbed, lifted
from softdock.methods.measured.paired_records import look_up, record_floats, remember
from softdock.methods.measured.real_work import (
    BOOK,
    RING_FLOATS,
    Books,
    book_real_work,
    kept_back,
    note_readings,
)

BASELINE = 4.0  # cycles over which the wrench's slope along the way is taken


@noinline
def observe(method, mem, rig, measured, satellites):
    """Everything up to `ACTIVE`: what the satellites got in the last cycle, and what the contact
    gave up to the newest common instant."""
    at, T, t = method.memory, rig.T, rig.cycle * rig.T
    first = mem[at + CELL.started] == 0.0
    mem[at + CELL.started] = 1.0
    chaser, target = satellites.chaser, satellites.target
    _follow(mem, at + CELL.poses, at + CELL.way, first, measured.mock_ups.chaser)
    _follow(
        mem,
        at + CELL.poses + POSE_FLOATS,
        at + CELL.way + PART.target_force,
        first,
        measured.mock_ups.target,
    )
    seen = measured.wrenches
    rates = (
        chaser.v,
        rotate(chaser.q, body_rate(rig.chaser, chaser.q, chaser.L)),
        target.v,
        rotate(target.q, body_rate(rig.target, target.q, target.L)),
    )
    for j in range(4):
        for i in range(3):
            c = 3 * j + i
            if not first:
                mean = 0.5 * T * (mem[at + CELL.twist + c] + rates[j][i])
                mem[at + CELL.active + port_of(method, c)] += mean * mem[at + CELL.applied + c]
                mem[at + CELL.net] += mean * mem[at + CELL.applied + c]
                mem[at + CELL.work + c] += mean * mem[at + CELL.damper + c]
            mem[at + CELL.twist + c] = rates[j][i]
    wrench_record = at + RINGS_AT + method.rows * RING_FLOATS
    way_record = wrench_record + record_floats(method.rows)
    force_time, pose_time = t - measured.force_age - method.unstamped, t - measured.pose_age
    remember(
        mem,
        wrench_record,
        method.rows,
        force_time,
        (seen.chaser.force, seen.chaser.torque, seen.target.force, seen.target.torque),
    )
    way = at + CELL.way
    remember(
        mem,
        way_record,
        method.rows,
        pose_time,
        (
            load3(mem, way),
            load3(mem, way + PART.chaser_torque),
            load3(mem, way + PART.target_force),
            load3(mem, way + PART.target_torque),
        ),
    )
    common = min(force_time, pose_time)
    for i in range(2 * TWELVE):
        mem[at + CELL.last + i] = mem[at + CELL.now + i]
    look_up(mem, wrench_record, method.rows, common, at + CELL.now)
    look_up(mem, way_record, method.rows, common, at + CELL.now_way)
    look_up(mem, wrench_record, method.rows, common - BASELINE * T, at + CELL.then)
    look_up(mem, way_record, method.rows, common - BASELINE * T, at + CELL.then_way)
    if method.coupling == COUPLED:
        _book_coupled(method, mem, measured, force_time, pose_time)
    elif not first:
        _book_axes(method, mem)
        if (
            method.deviations > 0.0
            and norm(load3(mem, at + CELL.now)) + norm(load3(mem, at + CELL.last)) > 0.0
        ):
            _keep_back_noise(method, mem)


@compiled
def settle_books(method, mem):
    """A contact is settled: the next one's books begin here."""
    at = method.memory
    mem[at + CELL.books + BOOK.base_real] = mem[at + CELL.books + BOOK.real]
    mem[at + CELL.doubts + DOUBT.lifted] = 0.0
    mem[at + CELL.books + BOOK.turnover] = 0.0
    fade = 1.0 - 1.0 / (
        method.rows - BASELINE
    )  # what noise did just before a contact opens is not counted, but for its variance
    mem[at + CELL.books + BOOK.variance] *= fade
    for port in range(6):
        mem[at + CELL.variance + port] *= fade
        mem[at + CELL.active + port] = method.deviations * math.sqrt(mem[at + CELL.variance + port])
    if method.coupling == COUPLED:
        mem[at + CELL.active] = method.deviations * math.sqrt(mem[at + CELL.books + BOOK.variance])


@compiled
def noise_variance(method, mem):
    """Variance of the noise's work in this contact [J^2]."""
    at, variance = method.memory, 0.0
    if method.coupling == COUPLED:
        return mem[at + CELL.books + BOOK.variance]
    for port in range(6):
        variance += mem[at + CELL.variance + port]
    return variance


@compiled
def least_of_contact(method, mem):
    """The least energy [J] that the contact can have absorbed since touch."""
    at, touch = method.memory, 0.0
    for port in range(6):
        touch += mem[at + CELL.touch + port]
    return least_absorbed(method.doubts, method.loan * touch, noise_variance(method, mem))


@compiled
def _lift(method, mem):
    """How much more the contact must have absorbed [J] than the readings say since touch, beyond
    what was known of this before."""
    at, absorbed = (
        method.memory,
        mem[method.memory + CELL.books + BOOK.real]
        - mem[method.memory + CELL.books + BOOK.base_real],
    )
    before = mem[at + CELL.doubts + DOUBT.lifted]
    felt = mem[at + CELL.open] != 0.0 and mem[at + CELL.idle] == 0.0
    return (
        lifted(
            mem,
            at + CELL.doubts,
            least_of_contact(method, mem),
            absorbed,
            felt,
            mem[at + CELL.touch_kinetic],
        )
        - before
    )


@compiled
def _book_coupled(method, mem, measured, force_time, pose_time):
    """What the contact absorbed up to the newest common instant, and what is kept back of what it
    seems to have given."""
    at, books = method.memory, method.memory + CELL.books
    if mem[books + BOOK.forces] == 0.0:
        mem[books + BOOK.booked] = min(force_time, pose_time)
    absorbed, kept = (
        mem[books + BOOK.real],
        kept_back(mem, books, method.deviations, method.booking.worst),
    )
    rings = Books(books, at + RINGS_AT, method.rows)
    note_readings(mem, rings, measured.wrenches.chaser, force_time, measured.mock_ups, pose_time)
    book_real_work(mem, rings, pose_time, method.booking)
    more = kept_back(mem, books, method.deviations, method.booking.worst) - kept
    mem[at + CELL.active] += mem[books + BOOK.real] - absorbed + more + _lift(method, mem)
    mem[at + CELL.kept] += more


@compiled
def _book_axes(method, mem):
    """The same by axis. Where the contact as a whole is not believed, no axis is believed to have
    given."""
    at, whole = method.memory, 0.0
    for i in range(TWELVE):
        whole -= (
            0.5
            * (mem[at + CELL.now + i] + mem[at + CELL.last + i])
            * (mem[at + CELL.now_way + i] - mem[at + CELL.last_way + i])
        )
    mem[at + CELL.books + BOOK.real] += whole
    believed = _lift(method, mem) <= 0.0
    for i in range(TWELVE):
        absorbed = (
            -0.5
            * (mem[at + CELL.now + i] + mem[at + CELL.last + i])
            * (mem[at + CELL.now_way + i] - mem[at + CELL.last_way + i])
        )
        mem[at + CELL.active + port_of(method, i)] += absorbed if believed else max(absorbed, 0.0)


@noinline
def _keep_back_noise(method, mem):
    """The noise's work over the newest step, per axis. Wrenches are equal and opposite about one
    point, so a force's noise works on the relative motion."""
    at, now, last = method.memory, method.memory + CELL.now_way, method.memory + CELL.last_way
    arm = subtract(load3(mem, at + CELL.poses), load3(mem, at + CELL.poses + POSE_FLOATS))
    force, torque, length = (
        method.booking.noise_force**2,
        method.booking.noise_torque**2,
        dot(arm, arm),
    )
    gate = (
        0.0
        if (norm(load3(mem, at + CELL.now)) == 0.0) == (norm(load3(mem, at + CELL.last)) == 0.0)
        else 0.5
    )  # as in gate_variance
    for i in range(3):
        apart = (
            mem[now + i]
            - mem[last + i]
            - mem[now + PART.target_force + i]
            + mem[last + PART.target_force + i]
        )
        turn = (
            mem[now + PART.target_torque + i] - mem[last + PART.target_torque + i]
        )  # the target's
        turned = mem[now + PART.chaser_torque + i] - mem[last + PART.chaser_torque + i] - turn
        lever = (
            length - arm[i] * arm[i]
        )  # of a force's noise about this axis of the target, squared
        _add_variance(
            method,
            mem,
            i,
            (force + gate * (mem[at + CELL.now + i] - mem[at + CELL.last + i]) ** 2)
            * apart
            * apart,
        )
        _add_variance(method, mem, 3 + i, torque * turned * turned + force * lever * turn * turn)


@compiled
def _add_variance(method, mem, port, variance):
    """Count z standard deviations of the noise's work, so far, as not given by the contact."""
    at = method.memory
    before = mem[at + CELL.variance + port]
    mem[at + CELL.variance + port] = before + variance
    kept = method.deviations * (math.sqrt(before + variance) - math.sqrt(before))
    mem[at + CELL.active + port] += kept
    mem[at + CELL.kept] += kept


@compiled
def _follow(mem, pose, way, first, motion):
    """Add what a mock-up moved since it was last seen to its way: translation and turn, world
    axes."""
    if not first:
        moved = displacement(load3(mem, pose), load4(mem, pose + ATTITUDE), motion.p, motion.q)
        for i in range(3):
            mem[way + i] += moved.translation[i]
            mem[way + PART.chaser_torque + i] += moved.rotation[i]
    store_pose(mem, pose, motion)
