"""The arrays of the rig's program, what is read from several of them, and the two ways in which its
state changes.

Robots, sensors and mock-ups have one number: 0 is the chaser's, 1 the target's. A rig has one or
two robots and one or two sensors; what it has not stands there all the same and is never asked.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from softdock.core.bodies import BODIES, CHASER, TARGET
from softdock.core.machine.compiled import compiled, seldom
from softdock.core.recorder.layout import EVENT
from softdock.core.recorder.ring import push
from softdock.core.rig.layout import (
    ARMING,
    BRAKING,
    FRAME,
    LIMITS,
    PLAN,
    RETREATING,
    ROBOT_SEEN,
    ROBOT_STAND,
    SEEN,
    SENSE,
    SENSOR_SEEN,
    SENSOR_STAND,
    STAND,
    STATES,
    STOPPED,
)
from softdock.core.rig.reasons import (
    COMPLETED,
    NOBODY,
    NONE,
    REASONS,
    RETREAT,
    RETREATED,
    RETREATS,
)
from softdock.core.spatial.vectors import ZERO, load3, norm, scale

S, V = STAND.at, SEEN.at
RS, RV = ROBOT_STAND.at, ROBOT_SEEN.at
SS, SV = SENSOR_STAND.at, SENSOR_SEEN.at
P, F, A = PLAN.at, FRAME.at, SENSE.at
E, LIMIT = EVENT.at, LIMITS.at
INFORMATION, WARNING, STOP = 20.0, 30.0, 50.0
AT_STATES, AT_REASONS = 0, len(STATES)  # codes of events
AT_NOTES = AT_REASONS + len(REASONS)
AT_DRIFT, AT_WALL, AT_SENDER, AT_COUNT, AT_TELEGRAMS = range(AT_NOTES, AT_NOTES + 5)
EVENT_TEXTS = (
    *(f"state: {name}" for name in STATES),
    *(f"{one.name}: {one.text}" for one in REASONS),
    "the clock of the {who}'s robot is {b:.0f} ppm off ours",
    "this computer's wall clock was set {a:set}; arrivals are counted by its monotonic clock",
    "a second program sends telegrams from the address of the {who}'s robot, port {a:.0f}; the one "
    "at port {b:.0f} is answered",
    "the count of the {who}'s sensor has begun anew, by {a:.0f} records",
    "IPOC of the {who}'s robot counts telegrams, not ms",
)


class Answer(NamedTuple):
    """How one robot is answered, and which rows of its telegram are read."""

    literals: Any  # uint8, of Sen
    pieces: Any  # int64
    values: Any  # float64, of Sen, by row
    correction: Any  # int64, six rows of Sen
    measured: Any  # int64, six rows of Rob: RIst
    wanted: Any  # int64, six rows of Rob: RSol; 0: not there
    stop: Any  # int64: row of Rob (0: none) and the value that asks for a stop


class Rows(NamedTuple):
    """A ring to the recorder and one row for it."""

    slots: Any  # int64, (rows, words)
    count: Any  # int64, one
    row: Any  # float64
    words: Any  # int64, the same memory


class Supervised(NamedTuple):
    """A docking under supervision: the program of a rig."""

    vector: Any  # of the controller (runs/controller.py), as control_step takes them
    markers: Any
    mem: Any
    log: Any
    kept: Any
    report: Any
    command: Any
    record: Any
    limits: Any  # float64, LIMITS
    plan: Any  # float64, PLAN
    frames: Any  # float64, a row of FRAME a mock-up
    senses: Any  # float64, a row of SENSE a mock-up
    stand: Any  # int64, STAND
    seen: Any  # float64, SEEN
    robot_stand: Any  # int64, a row of ROBOT_STAND a mock-up
    robot_seen: Any  # float64, a row of ROBOT_SEEN a mock-up
    sensor_stand: Any  # int64, a row of SENSOR_STAND a mock-up
    sensor_seen: Any  # float64, a row of SENSOR_SEEN a mock-up
    sent_ns: Any  # int64, (mock-ups, SENT_SLOTS): instants that replies were for
    sent: Any  # float64, (mock-ups, SENT_SLOTS, 7): those replies, base
    answers: Any  # an Answer a mock-up
    asked: Any  # int64, one: what the operator asks for
    wall: Any  # int64, WALL of the loop that this runs in
    senders: Any  # int64, a row of SENDER a robot, of the same loop
    cycles: Any  # Rows to the recorder
    packets: Any
    samples: Any  # one a mock-up
    events: Any


@compiled
def has_robot(program, body):
    return program.frames[body, F.there] != 0.0


@compiled
def has_sensor(program, body):
    return program.senses[body, A.there] != 0.0


@compiled
def master_of(program):
    """Whose telegrams are the clock."""
    return int(program.plan[P.master])


@compiled
def leaver(program):
    """Who keeps away in a dry run, and leaves on the way out of a jam: the chaser where it can."""
    return CHASER if has_robot(program, CHASER) else TARGET


@compiled
def away_sign(body):
    """Sign of the axis that leads the chaser away from the target."""
    return 1.0 if body == CHASER else -1.0


@compiled
def shift_of(program, body):
    """How far a mock-up stands back in a dry run [m, orbit's axes]."""
    if body != leaver(program):
        return ZERO
    return scale(away_sign(body), load3(program.plan, P.shift))


@compiled
def force_on(program, body):
    """The force on a mock-up [N, orbit's axes]: of its own sensor, else the other's, reversed."""
    if has_sensor(program, body):
        return load3(program.sensor_seen[body], SV.force)
    return scale(-1.0, load3(program.sensor_seen[TARGET - body], SV.force))


@compiled
def felt_force(program):
    """The largest force that a sensor feels [N]."""
    chaser = norm(load3(program.sensor_seen[CHASER], SV.force))
    return max(chaser, norm(load3(program.sensor_seen[TARGET], SV.force)))


@seldom
def tell(program, level, code, who, a, b):
    """An event to the recorder. `who`: whose robot or sensor, or reasons.NOBODY."""
    rows = program.events
    rows.row[E.stamp_ns], rows.row[E.level] = float(program.stand[S.now_ns]), level
    rows.row[E.code], rows.row[E.a], rows.row[E.b] = float(code), a, b
    rows.row[E.who] = float(who)
    push(rows.slots, rows.count, rows.words)


@seldom
def enter(program, state):
    """A new state; its cycles count from here."""
    stand = program.stand
    if stand[S.state] == state:
        return
    stand[S.state], stand[S.in_state] = state, 0
    stand[S.state_ns] = stand[S.now_ns]
    tell(program, INFORMATION, AT_STATES + state, NOBODY, float(stand[S.k]), b=0.0)
    if state in (BRAKING, RETREATING):
        for i in range(BODIES):
            program.robot_stand[i, RS.standing] = 0
            program.robot_seen[i, RV.backed] = 0.0


@seldom
def fail(program, reason, who, value, limit):
    """A check has failed: the first reason is kept, all are counted, and the motion ends. `who`:
    whose robot or sensor, or NOBODY."""
    stand, state = program.stand, program.stand[S.state]
    stand[S.reasons + reason] += 1
    is_done = state == STOPPED and stand[S.reason] != NONE  # what is over has nothing to stop
    if not is_done and stand[S.reason] in (NONE, COMPLETED, RETREATED):
        stand[S.reason] = reason
        program.seen[V.value], program.seen[V.limit] = value, limit
        program.seen[V.who] = float(who)
        tell(program, STOP, AT_REASONS + reason, who, value, b=limit)
    if state <= ARMING or state == STOPPED:
        enter(program, STOPPED)
        return
    if state == BRAKING:
        return
    backs_off = RETREATS[reason] == RETREAT
    if backs_off:  # without a force there is nothing to back off from
        touched = felt_force(program) > program.limits[LIMIT.touch]
        backs_off = touched or state == RETREATING
    enter(program, RETREATING if backs_off else BRAKING)
