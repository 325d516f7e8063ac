"""An emulated peer over a socket as one compiled loop: its clock, its datagrams, its faults.

Datagrams in both directions go through the same table and the same faults as in virtual time
(core/wire/virtual_queue.py), with arrival times of the kernel. The loop returns at a stated instant
and may be called again: all state stands in arrays.
"""

from __future__ import annotations

from softdock.core.machine.compiled import compiled, door
from softdock.core.realtime.system_calls import (
    BATCH,
    answer,
    arrival_of,
    is_from,
    look_at_clocks,
    monotonic_ns,
    receive,
    remember_source,
    size_of,
    wait_for,
)
from softdock.core.wire.emulated_robot import hear_reply, tick
from softdock.core.wire.emulated_sensor import SAMPLE_AT_NS, hear_request, sample
from softdock.core.wire.robot_cells import NEXT_NS
from softdock.core.wire.virtual_queue import ARRIVES_NS, NEVER, first_to_arrive, land, send

DESCRIPTOR = 0xFFFFFFFF  # the part of a struct pollfd
BURST = 64  # samples before requests are looked at again


@compiled
def _take_in(queue, wire, sockets, link, follows):
    """Everything that has arrived from the peer, onto the line in."""
    received = BATCH
    while received == BATCH:
        received = receive(wire, sockets.descriptors[0] & DESCRIPTOR)
        now = look_at_clocks(wire)
        for i in range(received):
            if not is_from(wire, i, sockets.peers[0]):
                continue
            if follows:  # a sensor answers whoever asked last
                remember_source(wire, i)
            send(queue, link, arrival_of(wire, i, 0, now), wire.data[i], size_of(wire, i))


@compiled
def _next_due(queue, by):
    """The row that is due by an instant, or -1."""
    row = first_to_arrive(queue)
    return row if row >= 0 and queue.flights[row, ARRIVES_NS] <= by else -1


@compiled
def _wait(queue, wire, sockets, due, until_ns):
    """Until a datagram comes or something is due."""
    row = first_to_arrive(queue)
    flying = queue.flights[row, ARRIVES_NS] if row >= 0 else NEVER
    left = min(due, flying, until_ns) - monotonic_ns(wire)
    wait_for(wire, sockets.descriptors, sockets.address[0], left)


@door
def serve_robot(features, robot, which, queue, wire, sockets, until_ns):
    """A robot controller until an instant; `wire.reply` holds the PC's address."""
    now = monotonic_ns(wire)
    while now < until_ns:
        _take_in(queue, wire, sockets, 2 * which + 1, False)
        by = min(monotonic_ns(wire), robot.whole[NEXT_NS])  # what is later than the tick is late
        row = _next_due(queue, by)
        while row >= 0:
            link, size = land(queue, row, wire.data[0])
            if link == 2 * which:
                _send_landed(wire, sockets, size)
            else:
                hear_reply(robot, wire.data[0], size)
            row = _next_due(queue, by)
        now = monotonic_ns(wire)
        if robot.whole[NEXT_NS] <= now:
            size = tick(features, robot, wire.out)
            if size > 0:
                send(queue, 2 * which, now, wire.out, size)
            continue
        _wait(queue, wire, sockets, robot.whole[NEXT_NS], until_ns)


@compiled
def _send_landed(wire, sockets, size):
    """Send what has just landed in the first row of `wire.data`."""
    for i in range(size):
        wire.out[i] = wire.data[0, i]
    answer(wire, sockets.descriptors[0] & DESCRIPTOR, size)


@door
def serve_sensor(features, sensor, chaser, target, link, queue, wire, sockets, until_ns):
    """A force sensor until an instant; it answers whoever asked last."""
    now = monotonic_ns(wire)
    while now < until_ns:
        _take_in(queue, wire, sockets, link + 1, True)
        now = monotonic_ns(wire)
        row = _next_due(queue, now)
        while row >= 0:
            landed, size = land(queue, row, wire.data[0])
            if landed == link:
                _send_landed(wire, sockets, size)
            else:
                hear_request(sensor, wire.data[0], size)
            row = _next_due(queue, now)
        burst = 0
        while sensor.whole[SAMPLE_AT_NS] <= now and burst < BURST:
            size = sample(features, sensor, chaser, target, wire.out)
            if size > 0:
                send(queue, link, now, wire.out, size)
            burst += 1
        if burst == 0:
            _wait(queue, wire, sockets, sensor.whole[SAMPLE_AT_NS], until_ns)
