"""The program of a rig: what the compiled socket loop, Python sockets and the queue in virtual time
call for every telegram (rig/wire/program.py has the interface).

    hear_robot   checks that need one robot alone
    next_cycle   with the master's telegram: state, force, controller, energy
    reply        the set-point of this robot's own instant, through box and gate, as bytes
    afterwards   rows to the recorder, when the reply has left

The controller's parameters are prepared once, when the loop begins (`prepare_supervised`).
"""

from __future__ import annotations

from softdock.compile.jit import cold, compiled, entry_point, noinline
from softdock.loop.bodies import BODIES
from softdock.loop.instants import NS
from softdock.loop.vector import prepare
from softdock.recording.event_text import NOBODY
from softdock.rig.supervisor import reasons
from softdock.rig.supervisor.arrays import (
    AT_SENDER,
    AT_WALL,
    WARNING,
    Supervised,
    enter_state,
    fail_check,
    get_master,
    has_robot,
    report_event,
)
from softdock.rig.supervisor.layout import (
    ARMING,
    COUNT,
    LIMIT,
    PLAN,
    RETREATING,
    ROBOT_COUNT,
    STOPPED,
    TRANSFER,
    VALUE,
)
from softdock.rig.supervisor.replies import write_reply
from softdock.rig.supervisor.robots import check_telegram
from softdock.rig.supervisor.rows import write_rows
from softdock.rig.supervisor.states import STAND_STILL_S, read_request, run_cycle
from softdock.rig.wire.clocks import STEP_NS, STEPS
from softdock.rig.wire.links import (
    ARRIVED_NS,
    OTHER_PORT,
    OTHER_SENDERS,
    SENDER_PORT,
    receive_telegram,
)
from softdock.rig.wire.program import DatagramBuffers
from softdock.rig.wire.sequences import FIRST, JUMPED, TAKEN

LINGER_S = 0.1  # of a loop that ends by itself, after the robots stand
GONE_S = 0.5  # without a telegram: longer than a network holds one back


@compiled
def prepare_supervised(program):
    return prepare(program.vector, program.markers)


@noinline
def answer_supervised(program, params, desk, robots, sensors, which, size):
    counts = program.counts
    counts[COUNT.now_ns] = max(counts[COUNT.now_ns], robots[which].whole[ARRIVED_NS])
    check_telegram(program, which, robots[which])
    if which == get_master(program):
        run_cycle(program, params, robots, sensors)
    return write_reply(program, robots, which, desk.out)


@compiled
def watch_supervised(program, params, robots, sensors, now):
    """What does not come: a silent robot stops the other. Ends the loop where that is asked for."""
    counts, limits = program.counts, program.limits
    counts[COUNT.now_ns] = max(counts[COUNT.now_ns], now)
    read_request(program)
    state = counts[COUNT.state]
    if program.wall[STEPS] != counts[COUNT.wall_steps]:
        _report_wall_clock(program)
    for which in range(BODIES):
        if (
            program.senders[which, OTHER_SENDERS] > 0
            and program.robot_counts[which, ROBOT_COUNT.other_sender_reported] == 0
        ):
            _report_sender(program, which)
    if state == ARMING:
        _check_missing_robots(program, robots, now)
    if TRANSFER <= state < STOPPED:
        for which in range(BODIES):
            if not has_robot(program, which):
                continue
            silent = NS * (now - robots[which].whole[ARRIVED_NS])
            if silent > limits[LIMIT.silence] and counts[COUNT.reasons + reasons.SILENCE] == 0:
                fail_check(
                    program, reasons.SILENCE, which, 1e3 * silent, 1e3 * limits[LIMIT.silence]
                )
        if counts[COUNT.state] >= RETREATING and counts[COUNT.reason] != reasons.NONE:
            _end_unanswered_stop(program, robots, now)
    ends = state == STOPPED and program.plan[PLAN.end_when_stopped] != 0.0
    return 1 if ends and NS * (now - counts[COUNT.state_ns]) > LINGER_S else 0


@cold
def _check_missing_robots(program, robots, now):
    """Arming ends with the patience also where no telegram of the master comes any more, whose
    telegrams are what arming counts: whoever is silent is the reason."""
    counts, limits = program.counts, program.limits
    if NS * (now - counts[COUNT.began_ns]) <= program.plan[PLAN.patience]:
        return
    for which in range(BODIES):
        silent = NS * (now - max(counts[COUNT.began_ns], robots[which].whole[ARRIVED_NS]))
        if has_robot(program, which) and silent > limits[LIMIT.silence]:
            fail_check(program, reasons.ROBOT_NOT_HEARD, which, 0.0, silent)
            return


@cold
def _end_unanswered_stop(program, robots, now):
    """A stop is over after a while, and at once where nobody is left to be told: who sends nothing
    any more has ended by its own Timeout."""
    counts, left, gone = program.counts, 0, 0
    if counts[COUNT.reason] in reasons.FINE:
        return
    for which in range(BODIES):
        if has_robot(program, which):
            is_gone = NS * (now - robots[which].whole[ARRIVED_NS]) > GONE_S
            gone += 1 if is_gone else 0
            left += (
                1 if not is_gone and program.robot_counts[which, ROBOT_COUNT.at_rest] == 0 else 0
            )
    if NS * (now - counts[COUNT.state_ns]) > 2.0 * STAND_STILL_S or (gone > 0 and left == 0):
        counts[COUNT.unanswered] = 1 if gone > 0 else 0
        enter_state(program, STOPPED)


@cold
def _report_wall_clock(program):
    """The wall clock was set: said; nothing here counts by it."""
    counts, steps = program.counts, program.wall[STEPS]
    counts[COUNT.wall_set] += steps - counts[COUNT.wall_steps]
    counts[COUNT.wall_steps] = steps
    program.values[VALUE.wall_step] = NS * program.wall[STEP_NS]
    report_event(program, WARNING, AT_WALL, NOBODY, program.values[VALUE.wall_step], b=0.0)


@cold
def _report_sender(program, which):
    """Two programs speak for one robot. Before anything has moved nobody knows which of them is the
    robot; later it is the one that was there first."""
    sender = program.senders[which]
    program.robot_counts[which, ROBOT_COUNT.other_sender_reported] = 1
    port, other = float(sender[SENDER_PORT]), float(sender[OTHER_PORT])
    if program.counts[COUNT.state] <= ARMING:
        fail_check(program, reasons.SECOND_SENDER, which, other, port)
    else:
        report_event(program, WARNING, AT_SENDER, which, other, b=port)


@noinline
def record_supervised(program, params, robots, sensors, which, spent_ns):
    """When the reply has left: its time, and rows to the recorder."""
    counts, limits, spent = program.counts, program.limits, NS * spent_ns
    program.values[VALUE.compute_most] = max(program.values[VALUE.compute_most], spent)
    counts[COUNT.slow_row] = counts[COUNT.slow_row] + 1 if spent > limits[LIMIT.compute] else 0
    if counts[COUNT.slow_row] >= limits[LIMIT.bad_in_a_row] and counts[COUNT.state] >= TRANSFER:
        fail_check(program, reasons.SLOW, which, 1e6 * spent, 1e6 * limits[LIMIT.compute])
    write_rows(program, robots, sensors, which, spent_ns)


Supervised.PREPARE = prepare_supervised  # type: ignore[attr-defined]
Supervised.ANSWER = answer_supervised  # type: ignore[attr-defined]
Supervised.WATCH = watch_supervised  # type: ignore[attr-defined]
Supervised.AFTER = record_supervised  # type: ignore[attr-defined]


@entry_point
def answer_datagram(program, data, out, robots, sensors, which, size, arrival):
    """A robot's datagram from Python: the size of the answer in `out`, or 0."""
    verdict = receive_telegram(robots[which], data, size, arrival)
    if verdict not in (TAKEN, FIRST, JUMPED):
        return 0
    params = prepare(program.vector, program.markers)
    length = answer_supervised(
        program, params, DatagramBuffers(data, out), robots, sensors, which, size
    )
    record_supervised(program, params, robots, sensors, which, 0)
    return length


@entry_point
def watch_links(program, robots, sensors, now):
    """A look at all links at an instant, from Python."""
    return watch_supervised(program, 0, robots, sensors, now)
