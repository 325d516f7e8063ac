"""The controller's end as one compiled loop: receive, hear, answer; no Python in between.

Each robot's socket is drained and only its newest telegram is answered (the jump of IPOC says how
many were skipped), and only to the port that its first one came from (core/wire/senders.py); the
sensors' records are taken before any answer is made. What is answered is
a program's (core/wire/program.py). Ends when told (`stop[0]`), at a stated instant, when the
program says so, or when any robot has been silent for `silence_ns`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from softdock.core.machine.cells import Cell, Cells
from softdock.core.machine.compiled import compiled, door
from softdock.core.realtime.system_calls import (
    BATCH,
    answer,
    arrival_of,
    is_from,
    is_ready,
    look_at_clocks,
    monotonic_ns,
    port_of,
    receive,
    remember_source,
    size_of,
    source_of,
    wait_for,
)
from softdock.core.wire.links import ARRIVED_NS, hear_records, hear_rob, is_telegram
from softdock.core.wire.program import (
    Desk,
    after_answer,
    answer_rob,
    prepare_program,
    watch,
)
from softdock.core.wire.senders import count_other, has_sent, may_send
from softdock.core.wire.sequences import FIRST, JUMPED, TAKEN
from softdock.core.wire.wall_clock import EMPTIED_NS

COUNTS = Cells(
    "socket_counts",
    Cell("received", 1, "-", "datagrams"),
    Cell("answered", 1, "-", "of them"),
    Cell("skipped", 1, "-", "telegrams that a newer one had overtaken"),
    Cell("foreign", 1, "-", "datagrams of someone else"),
    Cell("slowest_ns", 1, "ns", "longest from receive to send"),
    Cell("rows_kept", 1, "-", "such times kept"),
)
RECEIVED, ANSWERED, SKIPPED, FOREIGN, SLOWEST_NS, ROWS_KEPT = COUNTS.at
COUNT_COLUMNS = COUNTS.size
ROBOTS, SENSORS = 2, 2
ABSENT = 0xFFFFFFFF  # a descriptor of -1
LONGEST_WAIT_NS = 2_000_000  # so that silence and the end are seen
ENDS = ("told", "in time", "a robot is silent", "ended by the program")
TOLD, IN_TIME, SILENT, BY_PROGRAM = range(len(ENDS))


class Sockets(NamedTuple):
    """The loop's sockets: two of robots, then two of sensors."""

    descriptors: Any  # int64, a struct pollfd each; ABSENT: there is none, and poll leaves it out
    address: Any  # int64, one: where they stand
    peers: Any  # int64: whose datagrams are taken, as system_calls.is_from has it
    senders: Any  # int64, a row of SENDER a robot: the port that is answered
    counts: Any  # int64, (sockets, COUNT_COLUMNS)
    compute: Any  # int64, (sockets, rows): from receive to send [ns]


@compiled
def _keep(sockets, which, spent):
    counts = sockets.counts[which]
    counts[SLOWEST_NS] = max(counts[SLOWEST_NS], spent)
    if sockets.compute.shape[1] > 0:
        sockets.compute[which, counts[ROWS_KEPT] % sockets.compute.shape[1]] = spent
        counts[ROWS_KEPT] += 1


@compiled
def _is_peer(sockets, wire, i, which):
    if is_from(wire, i, sockets.peers[which]):
        return True
    sockets.counts[which, FOREIGN] += 1
    return False


@compiled
def _is_sender(sockets, wire, robots, i, which, arrival):
    """Whether a datagram from the robot's address is from its port; what is not, is counted."""
    sender, port = sockets.senders[which], port_of(source_of(wire, i))
    if may_send(sender, port, arrival):
        return True
    if is_telegram(robots[which], wire.data[i], size_of(wire, i)):
        count_other(sender, port)
    return False


@compiled
def _hear_telegrams(sockets, wire, robots, which, descriptor, since):
    """Drain one robot's socket: the row of its newest telegram (-1: none), and when the call that
    brought it returned [ns]."""
    counts, newest, begun, received = sockets.counts[which], -1, 0, BATCH
    while received == BATCH:
        received = receive(wire, descriptor)
        now = look_at_clocks(wire)
        for i in range(received):
            if not _is_peer(sockets, wire, i, which):
                continue
            counts[RECEIVED] += 1
            arrival = arrival_of(wire, i, since, now)
            if not _is_sender(sockets, wire, robots, i, which, arrival):
                continue
            verdict = hear_rob(robots[which], wire.data[i], size_of(wire, i), arrival)
            if verdict in (TAKEN, FIRST, JUMPED):
                has_sent(sockets.senders[which], port_of(source_of(wire, i)), arrival)
                counts[SKIPPED] += 1 if newest >= 0 else 0
                newest, begun = i, now
                remember_source(wire, i)
    return newest, begun


@compiled
def _hear_robot(sockets, wire, program, params, robots, sensors, which, since):
    """Drain one robot's socket and answer its newest telegram, if there is one."""
    descriptor, counts = sockets.descriptors[which] & 0xFFFFFFFF, sockets.counts[which]
    newest, begun = _hear_telegrams(sockets, wire, robots, which, descriptor, since)
    if newest < 0:
        return
    desk, size = Desk(wire.data[newest], wire.out), size_of(wire, newest)
    length = answer_rob(program, params, desk, robots, sensors, which, size)
    if length > 0 and answer(wire, descriptor, length):
        counts[ANSWERED] += 1
    spent = monotonic_ns(wire) - begun
    _keep(sockets, which, spent)
    after_answer(program, params, robots, sensors, which, spent)


@compiled
def _hear_sensor(sockets, wire, link, which, since):
    """All records that have arrived."""
    descriptor, received = sockets.descriptors[which] & 0xFFFFFFFF, BATCH
    while received == BATCH:
        received = receive(wire, descriptor)
        now = look_at_clocks(wire)
        for i in range(received):
            if _is_peer(sockets, wire, i, which):
                sockets.counts[which, RECEIVED] += 1
                arrival = arrival_of(wire, i, since, now)
                hear_records(link, wire.data[i], size_of(wire, i), arrival)


@compiled
def _is_silent(sockets, robots, begun, now, silence_ns):
    """Whether any robot has not been heard for too long."""
    for i in range(ROBOTS):
        if sockets.descriptors[i] & ABSENT == ABSENT:
            continue
        if now - max(begun, robots[i].whole[ARRIVED_NS]) > silence_ns:
            return True
    return False


@door
def serve(sockets, wire, program, robots, sensors, stop, until_ns, silence_ns):
    """The loop, until it ends: why. `robots`: two RobLink, `sensors`: two RecordLink."""
    begun = monotonic_ns(wire)
    params = prepare_program(program)
    while stop[0] == 0:
        now = monotonic_ns(wire)
        if now >= until_ns:
            return IN_TIME
        if _is_silent(sockets, robots, begun, now, silence_ns):
            return SILENT
        if watch(program, params, robots, sensors, now) != 0:
            return BY_PROGRAM
        since, wire.wall[EMPTIED_NS] = wire.wall[EMPTIED_NS], now
        # what waits now, the last call of poll had not seen: it is not older than that call
        if wait_for(wire, sockets.descriptors, sockets.address[0], LONGEST_WAIT_NS) <= 0:
            continue
        for i in range(SENSORS):
            if is_ready(sockets.descriptors[ROBOTS + i]):
                _hear_sensor(sockets, wire, sensors[i], ROBOTS + i, since)
        for i in range(ROBOTS):
            if is_ready(sockets.descriptors[i]):
                _hear_robot(sockets, wire, program, params, robots, sensors, i, since)
    return TOLD
