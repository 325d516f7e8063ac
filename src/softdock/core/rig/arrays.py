"""The arrays of the rig's program, and the two ways in which its state changes."""

from __future__ import annotations

from typing import Any, NamedTuple

from softdock.core.machine.compiled import apart, compiled
from softdock.core.recorder.layout import EVENT
from softdock.core.recorder.ring import push
from softdock.core.rig.layout import (
    ARMING,
    BRAKING,
    LIMITS,
    RETREATING,
    ROBOT_SEEN,
    ROBOT_STAND,
    SEEN,
    STAND,
    STATES,
    STOPPED,
)
from softdock.core.rig.reasons import COMPLETED, NONE, REASONS, RETREAT, RETREATED, RETREATS
from softdock.core.spatial.vectors import load3, norm

S, V = STAND.at, SEEN.at
RS, RV = ROBOT_STAND.at, ROBOT_SEEN.at
E, LIMIT = EVENT.at, LIMITS.at
INFORMATION, WARNING, STOP = 20.0, 30.0, 50.0
AT_STATES, AT_REASONS = 0, len(STATES)  # codes of events
AT_DRIFT = AT_REASONS + len(REASONS)
EVENT_TEXTS = (
    *(f"state: {name}" for name in STATES),
    *(f"{one.name}: {one.text}" for one in REASONS),
    "the clock of robot {a:.0f} is {b:.0f} ppm off ours",
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
    frames: Any  # float64, a row of FRAME a robot
    stand: Any  # int64, STAND
    seen: Any  # float64, SEEN
    robot_stand: Any  # int64, a row of ROBOT_STAND a robot
    robot_seen: Any  # float64, a row of ROBOT_SEEN a robot
    sent_ns: Any  # int64, (robots, SENT_SLOTS): instants that replies were for
    sent: Any  # float64, (robots, SENT_SLOTS, 7): those replies, base
    answers: Any  # an Answer a robot
    asked: Any  # int64, one: what the operator asks for
    cycles: Any  # Rows to the recorder
    packets: Any
    samples: Any
    events: Any


@compiled
def tell(program, level, code, a, b):
    """An event to the recorder."""
    rows = program.events
    rows.row[E.stamp_ns], rows.row[E.level] = float(program.stand[S.now_ns]), level
    rows.row[E.code], rows.row[E.a], rows.row[E.b] = float(code), a, b
    push(rows.slots, rows.count, rows.words)


@apart
def enter(program, state):
    """A new state; its cycles count from here."""
    stand = program.stand
    if stand[S.state] == state:
        return
    stand[S.state], stand[S.in_state] = state, 0
    stand[S.state_ns] = stand[S.now_ns]
    tell(program, INFORMATION, AT_STATES + state, float(stand[S.k]), 0.0)
    if state in (BRAKING, RETREATING):
        for i in range(len(program.answers)):
            program.robot_stand[i, RS.standing] = 0
            program.robot_seen[i, RV.backed] = 0.0


@apart
def fail(program, reason, value, limit):
    """A check has failed: the first reason is kept, all are counted, and the motion ends."""
    stand, state = program.stand, program.stand[S.state]
    stand[S.reasons + reason] += 1
    if stand[S.reason] in (NONE, COMPLETED, RETREATED):
        stand[S.reason] = reason
        program.seen[V.value], program.seen[V.limit] = value, limit
        tell(program, STOP, AT_REASONS + reason, value, limit)
    if state <= ARMING or state == STOPPED:
        enter(program, STOPPED)
        return
    if state == BRAKING:
        return
    backs_off = RETREATS[reason] == RETREAT
    if backs_off:  # without a force there is nothing to back off from
        touched = norm(load3(program.seen, V.force)) > program.limits[LIMIT.touch]
        backs_off = touched or state == RETREATING
    enter(program, RETREATING if backs_off else BRAKING)
