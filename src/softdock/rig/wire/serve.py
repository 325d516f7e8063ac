"""Compiled loops over sockets: `serve` is the controller's end, `serve_robot` and `serve_sensor`
are emulated peers. No Python runs inside.

The controller's end receives, hears and answers. Each robot's socket is drained and only its newest
telegram is answered (the jump of IPOC says how many were skipped), and only to the port that its
first one came from (rig/wire/links.py); the sensors' records are taken before any answer is made. A
program (rig/wire/program.py) makes the answer. Ends when told (`stop[0]`), at a stated instant,
when the program says so, or when any robot has been silent for `silence_ns`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled, entry_point
from softdock.rig.wire.clocks import EMPTIED_NS
from softdock.rig.wire.emulated_robot import NEXT_NS, receive_reply, tick_robot
from softdock.rig.wire.emulated_sensor import SAMPLE_AT_NS, receive_request, take_sample
from softdock.rig.wire.links import (
    ARRIVED_NS,
    accept_sender,
    count_other,
    is_telegram,
    may_send,
    receive_records,
    receive_telegram,
)
from softdock.rig.wire.program import (
    DatagramBuffers,
    after_answer,
    answer_telegram,
    prepare_program,
    watch_program,
)
from softdock.rig.wire.sequences import FIRST, JUMPED, TAKEN
from softdock.rig.wire.system_calls import (
    BATCH,
    get_arrival,
    get_port,
    get_size,
    get_source,
    is_from,
    is_ready,
    monotonic_ns,
    read_clocks,
    receive,
    remember_source,
    send_reply,
    wait_for,
)
from softdock.rig.wire.virtual_queue import (
    ARRIVES_NS,
    NEVER,
    find_next_arrival,
    queue_datagram,
    take_datagram,
)

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
def _store_compute_time(sockets, which, spent):
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
    sender, port = sockets.senders[which], get_port(get_source(wire, i))
    if may_send(sender, port, arrival):
        return True
    if is_telegram(robots[which], wire.data[i], get_size(wire, i)):
        count_other(sender, port)
    return False


@compiled
def _receive_telegrams(sockets, wire, robots, which, descriptor, since):
    """Drain one robot's socket: the row of its newest telegram (-1: none), and when the call that
    brought it returned [ns]."""
    counts, newest, begun, received = sockets.counts[which], -1, 0, BATCH
    while received == BATCH:
        received = receive(wire, descriptor)
        now = read_clocks(wire)
        for i in range(received):
            if not _is_peer(sockets, wire, i, which):
                continue
            counts[RECEIVED] += 1
            arrival = get_arrival(wire, i, since, now)
            if not _is_sender(sockets, wire, robots, i, which, arrival):
                continue
            verdict = receive_telegram(robots[which], wire.data[i], get_size(wire, i), arrival)
            if verdict in (TAKEN, FIRST, JUMPED):
                accept_sender(sockets.senders[which], get_port(get_source(wire, i)), arrival)
                counts[SKIPPED] += 1 if newest >= 0 else 0
                newest, begun = i, now
                remember_source(wire, i)
    return newest, begun


@compiled
def _serve_robot_socket(sockets, wire, program, params, robots, sensors, which, since):
    """Drain one robot's socket and answer its newest telegram, if there is one."""
    descriptor, counts = sockets.descriptors[which] & 0xFFFFFFFF, sockets.counts[which]
    newest, begun = _receive_telegrams(sockets, wire, robots, which, descriptor, since)
    if newest < 0:
        return
    desk, size = DatagramBuffers(wire.data[newest], wire.out), get_size(wire, newest)
    length = answer_telegram(program, params, desk, robots, sensors, which, size)
    if length > 0 and send_reply(wire, descriptor, length):
        counts[ANSWERED] += 1
    spent = monotonic_ns(wire) - begun
    _store_compute_time(sockets, which, spent)
    after_answer(program, params, robots, sensors, which, spent)


@compiled
def _receive_records(sockets, wire, link, which, since):
    """All records that have arrived."""
    descriptor, received = sockets.descriptors[which] & 0xFFFFFFFF, BATCH
    while received == BATCH:
        received = receive(wire, descriptor)
        now = read_clocks(wire)
        for i in range(received):
            if _is_peer(sockets, wire, i, which):
                sockets.counts[which, RECEIVED] += 1
                arrival = get_arrival(wire, i, since, now)
                receive_records(link, wire.data[i], get_size(wire, i), arrival)


@compiled
def _is_silent(sockets, robots, begun, now, silence_ns):
    """Whether any robot has not been heard for too long."""
    for i in range(ROBOTS):
        if sockets.descriptors[i] & ABSENT == ABSENT:
            continue
        if now - max(begun, robots[i].whole[ARRIVED_NS]) > silence_ns:
            return True
    return False


@entry_point
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
        if watch_program(program, params, robots, sensors, now) != 0:
            return BY_PROGRAM
        since, wire.wall[EMPTIED_NS] = wire.wall[EMPTIED_NS], now
        # what waits now, the last call of poll had not seen: it is not older than that call
        if wait_for(wire, sockets.descriptors, sockets.address[0], LONGEST_WAIT_NS) <= 0:
            continue
        for i in range(SENSORS):
            if is_ready(sockets.descriptors[ROBOTS + i]):
                _receive_records(sockets, wire, sensors[i], ROBOTS + i, since)
        for i in range(ROBOTS):
            if is_ready(sockets.descriptors[i]):
                _serve_robot_socket(sockets, wire, program, params, robots, sensors, i, since=since)
    return TOLD


# An emulated peer over a socket as one compiled loop: its clock, its datagrams, its faults.
#
# Datagrams in both directions go through the same table and the same faults as in virtual time
# (rig/wire/virtual_queue.py), with arrival times of the kernel. The loop returns at a stated
# instant and may be called again: all state stands in arrays.

DESCRIPTOR = 0xFFFFFFFF  # the part of a struct pollfd
BURST = 64  # samples before requests are looked at again


@compiled
def _receive_datagrams(queue, wire, sockets, link, follows):
    """Everything that has arrived from the peer, onto the line in."""
    received = BATCH
    while received == BATCH:
        received = receive(wire, sockets.descriptors[0] & DESCRIPTOR)
        now = read_clocks(wire)
        for i in range(received):
            if not is_from(wire, i, sockets.peers[0]):
                continue
            if follows:  # a sensor answers whoever asked last
                remember_source(wire, i)
            queue_datagram(
                queue, link, get_arrival(wire, i, 0, now), wire.data[i], get_size(wire, i)
            )


@compiled
def _find_due(queue, by):
    """The row that is due by an instant, or -1."""
    row = find_next_arrival(queue)
    return row if row >= 0 and queue.flights[row, ARRIVES_NS] <= by else -1


@compiled
def _wait(queue, wire, sockets, due, until_ns):
    """Until a datagram comes or something is due."""
    row = find_next_arrival(queue)
    flying = queue.flights[row, ARRIVES_NS] if row >= 0 else NEVER
    left = min(due, flying, until_ns) - monotonic_ns(wire)
    wait_for(wire, sockets.descriptors, sockets.address[0], left)


@entry_point
def serve_robot(features, robot, which, queue, wire, sockets, until_ns):
    """A robot controller until an instant; `wire.reply` holds the PC's address."""
    now = monotonic_ns(wire)
    while now < until_ns:
        _receive_datagrams(queue, wire, sockets, 2 * which + 1, False)
        by = min(monotonic_ns(wire), robot.whole[NEXT_NS])  # what is later than the tick is late
        row = _find_due(queue, by)
        while row >= 0:
            link, size = take_datagram(queue, row, wire.data[0])
            if link == 2 * which:
                _send_landed(wire, sockets, size)
            else:
                receive_reply(robot, wire.data[0], size)
            row = _find_due(queue, by)
        now = monotonic_ns(wire)
        if robot.whole[NEXT_NS] <= now:
            size = tick_robot(features, robot, wire.out)
            if size > 0:
                queue_datagram(queue, 2 * which, now, wire.out, size)
            continue
        _wait(queue, wire, sockets, robot.whole[NEXT_NS], until_ns)


@compiled
def _send_landed(wire, sockets, size):
    """Send what has just landed in the first row of `wire.data`."""
    for i in range(size):
        wire.out[i] = wire.data[0, i]
    send_reply(wire, sockets.descriptors[0] & DESCRIPTOR, size)


@entry_point
def serve_sensor(features, sensor, chaser, target, link, queue, wire, sockets, until_ns):
    """A force sensor until an instant; it answers whoever asked last."""
    now = monotonic_ns(wire)
    while now < until_ns:
        _receive_datagrams(queue, wire, sockets, link + 1, True)
        now = monotonic_ns(wire)
        row = _find_due(queue, now)
        while row >= 0:
            landed, size = take_datagram(queue, row, wire.data[0])
            if landed == link:
                _send_landed(wire, sockets, size)
            else:
                receive_request(sensor, wire.data[0], size)
            row = _find_due(queue, now)
        burst = 0
        while sensor.whole[SAMPLE_AT_NS] <= now and burst < BURST:
            size = take_sample(features, sensor, chaser, target, wire.out)
            if size > 0:
                queue_datagram(queue, link, now, wire.out, size)
            burst += 1
        if burst == 0:
            _wait(queue, wire, sockets, sensor.whole[SAMPLE_AT_NS], until_ns)
