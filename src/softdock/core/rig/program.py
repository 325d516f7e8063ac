"""The program of a rig: what the compiled socket loop, Python sockets and the queue in virtual time
call for every telegram (core/wire/program.py has the interface).

    hear_robot   checks that need one robot alone
    next_cycle   with the master's telegram: state, force, controller, energy
    reply        the set-point of this robot's own instant, through box and gate, as bytes
    afterwards   rows to the recorder, when the reply has left

The controller's parameters are prepared once, when the loop begins (`prepare_supervised`).
"""

from __future__ import annotations

from softdock.core.bodies import BODIES
from softdock.core.instants import NS
from softdock.core.machine.compiled import apart, compiled, door, seldom
from softdock.core.machine.vector import prepare
from softdock.core.rig import reasons
from softdock.core.rig.arrays import (
    AT_SENDER,
    AT_WALL,
    LIMIT,
    RS,
    WARNING,
    S,
    Supervised,
    V,
    enter,
    fail,
    has_robot,
    master_of,
    tell,
)
from softdock.core.rig.layout import ARMING, PLAN, RETREATING, STOPPED, TRANSFER
from softdock.core.rig.replies import reply
from softdock.core.rig.robots_heard import hear_robot
from softdock.core.rig.rows import keep_rows
from softdock.core.rig.states import STAND_STILL_S, hear_operator, next_cycle
from softdock.core.wire.links import ARRIVED_NS, hear_rob
from softdock.core.wire.program import Desk
from softdock.core.wire.senders import OTHER, OTHERS, PORT
from softdock.core.wire.sequences import FIRST, JUMPED, TAKEN
from softdock.core.wire.wall_clock import STEP_NS, STEPS

P = PLAN.at
LINGER_S = 0.1  # of a loop that ends by itself, after the robots stand
GONE_S = 0.5  # without a telegram: longer than a network holds one back


@compiled
def prepare_supervised(program):
    return prepare(program.vector, program.markers)


@apart
def answer_supervised(program, params, desk, robots, sensors, which, size):
    stand = program.stand
    stand[S.now_ns] = max(stand[S.now_ns], robots[which].whole[ARRIVED_NS])
    hear_robot(program, which, robots[which])
    if which == master_of(program):
        next_cycle(program, params, robots, sensors)
    return reply(program, robots, which, desk.out)


@compiled
def watch_supervised(program, params, robots, sensors, now):
    """What does not come: a silent robot stops the other. Ends the loop where that is asked for."""
    stand, limits = program.stand, program.limits
    stand[S.now_ns] = max(stand[S.now_ns], now)
    hear_operator(program)
    state = stand[S.state]
    if program.wall[STEPS] != stand[S.wall_steps]:
        _note_wall_clock(program)
    for which in range(BODIES):
        if program.senders[which, OTHERS] > 0 and program.robot_stand[which, RS.others] == 0:
            _note_sender(program, which)
    if state == ARMING:
        _miss_robots(program, robots, now)
    if TRANSFER <= state < STOPPED:
        for which in range(BODIES):
            if not has_robot(program, which):
                continue
            silent = NS * (now - robots[which].whole[ARRIVED_NS])
            if silent > limits[LIMIT.silence] and stand[S.reasons + reasons.SILENCE] == 0:
                fail(program, reasons.SILENCE, which, 1e3 * silent, 1e3 * limits[LIMIT.silence])
        if stand[S.state] >= RETREATING and stand[S.reason] != reasons.NONE:
            _give_up(program, robots, now)
    ends = state == STOPPED and program.plan[P.end_when_stopped] != 0.0
    return 1 if ends and NS * (now - stand[S.state_ns]) > LINGER_S else 0


@seldom
def _miss_robots(program, robots, now):
    """Arming ends with the patience also where no telegram of the master comes any more, whose
    telegrams are what arming counts: whoever is silent is the reason."""
    stand, limits = program.stand, program.limits
    if NS * (now - stand[S.began_ns]) <= program.plan[P.patience]:
        return
    for which in range(BODIES):
        silent = NS * (now - max(stand[S.began_ns], robots[which].whole[ARRIVED_NS]))
        if has_robot(program, which) and silent > limits[LIMIT.silence]:
            fail(program, reasons.ROBOT_NOT_HEARD, which, 0.0, silent)
            return


@seldom
def _give_up(program, robots, now):
    """A stop is over after a while, and at once where nobody is left to be told: who sends nothing
    any more has ended by its own Timeout."""
    stand, left, gone = program.stand, 0, 0
    if stand[S.reason] in reasons.FINE:
        return
    for which in range(BODIES):
        if has_robot(program, which):
            is_gone = NS * (now - robots[which].whole[ARRIVED_NS]) > GONE_S
            gone += 1 if is_gone else 0
            left += 1 if not is_gone and program.robot_stand[which, RS.standing] == 0 else 0
    if NS * (now - stand[S.state_ns]) > 2.0 * STAND_STILL_S or (gone > 0 and left == 0):
        stand[S.unanswered] = 1 if gone > 0 else 0
        enter(program, STOPPED)


@seldom
def _note_wall_clock(program):
    """The wall clock was set: said; nothing here counts by it."""
    stand, steps = program.stand, program.wall[STEPS]
    stand[S.wall_set] += steps - stand[S.wall_steps]
    stand[S.wall_steps] = steps
    program.seen[V.wall_step] = NS * program.wall[STEP_NS]
    tell(program, WARNING, AT_WALL, reasons.NOBODY, program.seen[V.wall_step], b=0.0)


@seldom
def _note_sender(program, which):
    """Two programs speak for one robot. Before anything has moved nobody knows which of them is the
    robot; later it is the one that was there first."""
    sender = program.senders[which]
    program.robot_stand[which, RS.others] = 1
    port, other = float(sender[PORT]), float(sender[OTHER])
    if program.stand[S.state] <= ARMING:
        fail(program, reasons.SECOND_SENDER, which, other, port)
    else:
        tell(program, WARNING, AT_SENDER, which, other, b=port)


@apart
def after_supervised(program, params, robots, sensors, which, spent_ns):
    """When the reply has left: its time, and rows to the recorder."""
    stand, limits, spent = program.stand, program.limits, NS * spent_ns
    program.seen[V.compute_most] = max(program.seen[V.compute_most], spent)
    stand[S.slow_row] = stand[S.slow_row] + 1 if spent > limits[LIMIT.compute] else 0
    if stand[S.slow_row] >= limits[LIMIT.bad_in_a_row] and stand[S.state] >= TRANSFER:
        fail(program, reasons.SLOW, which, 1e6 * spent, 1e6 * limits[LIMIT.compute])
    keep_rows(program, robots, sensors, which, spent_ns)


Supervised.PREPARE = prepare_supervised  # type: ignore[attr-defined]
Supervised.ANSWER = answer_supervised  # type: ignore[attr-defined]
Supervised.WATCH = watch_supervised  # type: ignore[attr-defined]
Supervised.AFTER = after_supervised  # type: ignore[attr-defined]


@door
def hear_and_answer(program, data, out, robots, sensors, which, size, arrival):
    """A robot's datagram from Python: the size of the answer in `out`, or 0."""
    verdict = hear_rob(robots[which], data, size, arrival)
    if verdict not in (TAKEN, FIRST, JUMPED):
        return 0
    params = prepare(program.vector, program.markers)
    length = answer_supervised(program, params, Desk(data, out), robots, sensors, which, size)
    after_supervised(program, params, robots, sensors, which, 0)
    return length


@door
def look(program, robots, sensors, now):
    """A look at all links at an instant, from Python."""
    return watch_supervised(program, 0, robots, sensors, now)
