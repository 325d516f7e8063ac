"""The arrays of the rig's program, what is read from several of them, and the two ways in which its
state changes.

Robots, sensors and mock-ups have one number: 0 is the chaser's, 1 the target's. A rig has one or
two robots and one or two sensors; what it has not stands there all the same and is never asked.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from softdock.compile.jit import cold, compiled
from softdock.loop.bodies import BODIES, CHASER, TARGET
from softdock.loop.spatial.motion import Pose, load_pose
from softdock.loop.spatial.rotations import inverse, product
from softdock.loop.spatial.vectors import ZERO, load3, norm, scale, subtract
from softdock.recording.event_text import NOBODY
from softdock.recording.ring_layout import EVENT, push
from softdock.rig.supervisor.layout import (
    ARMING,
    BRAKING,
    COUNT,
    FRAME,
    LIMIT,
    PLAN,
    RETREATING,
    ROBOT_COUNT,
    ROBOT_VALUE,
    SENSE,
    SENSOR_VALUE,
    STATES,
    STOPPED,
    VALUE,
)
from softdock.rig.supervisor.reasons import (
    COMPLETED,
    NONE,
    REASONS,
    RETREAT,
    RETREATED,
    RETREATS,
)
from softdock.rig.wire.kuka_frame import compose, invert_pose, to_kuka_frame

EVENT_AT = EVENT.at
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

    vector: Any  # of the controller (results/controller.py), as control_step takes them
    markers: Any
    mem: Any
    log: Any
    kept: Any
    report: Any
    command: Any
    record: Any
    limits: Any  # float64, LIMIT
    plan: Any  # float64, PLAN
    frames: Any  # float64, a row of FRAME a mock-up
    senses: Any  # float64, a row of SENSE a mock-up
    counts: Any  # int64, COUNT
    values: Any  # float64, VALUE
    robot_counts: Any  # int64, a row of ROBOT_COUNT a mock-up
    robot_values: Any  # float64, a row of ROBOT_VALUE a mock-up
    sensor_counts: Any  # int64, a row of SENSOR_COUNT a mock-up
    sensor_values: Any  # float64, a row of SENSOR_VALUE a mock-up
    reply_ns: Any  # int64, (mock-ups, REPLY_SLOTS): instants that replies were for
    replies: Any  # float64, (mock-ups, REPLY_SLOTS, 7): those replies, base
    answers: Any  # an Answer a mock-up
    request: Any  # int64, one: what the operator asks for
    wall: Any  # int64, WALL of the loop that this runs in
    senders: Any  # int64, a row of SENDER a robot, of the same loop
    cycles: Any  # Rows to the recorder
    packets: Any
    samples: Any  # one a mock-up
    events: Any


@compiled
def has_robot(program, body):
    return program.frames[body, FRAME.there] != 0.0


@compiled
def has_sensor(program, body):
    return program.senses[body, SENSE.there] != 0.0


@compiled
def get_master(program):
    """Whose telegrams are the clock."""
    return int(program.plan[PLAN.master])


@compiled
def get_retreating_body(program):
    """Who keeps away in a dry run, and leaves on the way out of a jam: the chaser where it can."""
    return CHASER if has_robot(program, CHASER) else TARGET


@compiled
def get_retreat_sign(body):
    """Sign of the axis that leads the chaser away from the target."""
    return 1.0 if body == CHASER else -1.0


@compiled
def get_dry_run_shift(program, body):
    """How far a mock-up stands back in a dry run [m, orbit's axes]."""
    if body != get_retreating_body(program):
        return ZERO
    return scale(get_retreat_sign(body), load3(program.plan, PLAN.shift))


@compiled
def get_force(program, body):
    """The force on a mock-up [N, orbit's axes]: of its own sensor, else the other's, reversed."""
    if has_sensor(program, body):
        return load3(program.sensor_values[body], SENSOR_VALUE.force)
    return scale(-1.0, load3(program.sensor_values[TARGET - body], SENSOR_VALUE.force))


@compiled
def get_largest_force(program):
    """The largest force that a sensor feels [N]."""
    chaser = norm(load3(program.sensor_values[CHASER], SENSOR_VALUE.force))
    return max(chaser, norm(load3(program.sensor_values[TARGET], SENSOR_VALUE.force)))


@cold
def report_event(program, level, code, who, a, b):
    """An event to the recorder. `who`: whose robot or sensor, or reasons.NOBODY."""
    rows = program.events
    rows.row[EVENT_AT.stamp_ns] = float(program.counts[COUNT.now_ns])
    rows.row[EVENT_AT.level] = level
    rows.row[EVENT_AT.code], rows.row[EVENT_AT.a], rows.row[EVENT_AT.b] = float(code), a, b
    rows.row[EVENT_AT.who] = float(who)
    push(rows.slots, rows.count, rows.words)


@cold
def enter_state(program, state):
    """A new state; its cycles count from here."""
    counts = program.counts
    if counts[COUNT.state] == state:
        return
    counts[COUNT.state], counts[COUNT.in_state] = state, 0
    counts[COUNT.state_ns] = counts[COUNT.now_ns]
    report_event(
        program, INFORMATION, AT_STATES + state, NOBODY, float(counts[COUNT.cycles]), b=0.0
    )
    if state in (BRAKING, RETREATING):
        for i in range(BODIES):
            program.robot_counts[i, ROBOT_COUNT.at_rest] = 0
            program.robot_values[i, ROBOT_VALUE.retreat_way] = 0.0


@cold
def fail_check(program, reason, who, value, limit):
    """A check has failed: the first reason is kept, all are counted, and the motion ends. `who`:
    whose robot or sensor, or NOBODY."""
    counts, state = program.counts, program.counts[COUNT.state]
    counts[COUNT.reasons + reason] += 1
    is_done = state == STOPPED and counts[COUNT.reason] != NONE  # what is over has nothing to stop
    if not is_done and counts[COUNT.reason] in (NONE, COMPLETED, RETREATED):
        counts[COUNT.reason] = reason
        program.values[VALUE.reason_value], program.values[VALUE.reason_limit] = value, limit
        program.values[VALUE.reason_who] = float(who)
        report_event(program, STOP, AT_REASONS + reason, who, value, b=limit)
    if state <= ARMING or state == STOPPED:
        enter_state(program, STOPPED)
        return
    if state == BRAKING:
        return
    backs_off = RETREATS[reason] == RETREAT
    if backs_off:  # without a force there is nothing to back off from
        touched = get_largest_force(program) > program.limits[LIMIT.touch]
        backs_off = touched or state == RETREATING
    enter_state(program, RETREATING if backs_off else BRAKING)


# From the mock-up in orbit's axes to what a robot is sent, and back.
#
#     orbit <- base <- flange (what RIst tells) <- centre of mass of the mock-up
#
# A correction is an offset from the pose at RSI_ON, in the robot's base: translations are added,
# rotations multiply from the left (mm and degrees on the wire).


@compiled
def convert_to_base(frame, pose):
    """What RIst tells, in the base, where the mock-up's centre of mass is at a pose in orbit's
    axes."""
    flange = compose(Pose(pose.p, pose.q), invert_pose(load_pose(frame, FRAME.tool)))
    return compose(invert_pose(load_pose(frame, FRAME.base)), flange)


@compiled
def convert_to_orbit(frame, pose):
    """The mock-up's centre of mass in orbit's axes, where RIst tells a pose in the base."""
    return compose(compose(load_pose(frame, FRAME.base), pose), load_pose(frame, FRAME.tool))


@compiled
def compute_correction(zero, wanted):
    """Six numbers for the wire, mm and degrees: from the pose at RSI_ON to a pose, base."""
    return to_kuka_frame(Pose(subtract(wanted.p, zero.p), product(wanted.q, inverse(zero.q))))
