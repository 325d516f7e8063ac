"""Emulated robots, sensors and a program joined in virtual time by one compiled call.

The same events in the same order as tests/virtual_time.py: at one instant sensors sample, then
arrives what was sent, then robots tick; ties by the peers' order, then by when a datagram was sent.
Datagrams in flight stand in a table of fixed size; what does not fit is lost and counted.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled, entry_point, noinline
from softdock.rig.wire.emulated_robot import NEXT_NS, receive_reply, tick_robot
from softdock.rig.wire.emulated_sensor import SAMPLE_AT_NS, receive_request, take_sample
from softdock.rig.wire.faults import apply_faults
from softdock.rig.wire.links import receive_records, receive_telegram
from softdock.rig.wire.program import after_answer, answer_telegram, prepare_program, watch_program
from softdock.rig.wire.sequences import FIRST, JUMPED, TAKEN

ROBOT_COUNT, SENSOR_COUNT = 2, 2  # peers: the robots, then the sensors
SENSOR = ROBOT_COUNT  # the first of them
LINK_COUNT = 2 * (ROBOT_COUNT + SENSOR_COUNT)  # peer i sends on link 2 i and hears on 2 i + 1
FLIGHT = Cells(
    "datagram_in_flight",
    Cell("arrives_ns", 1, "ns", "when it arrives"),
    Cell("order", 1, "-", "by when it was sent"),
    Cell("link", 1, "-", "on which it is"),
    Cell("size", 1, "-", "its bytes"),
)
ARRIVES_NS, ORDER, LINK, SIZE = FLIGHT.at
FLIGHT_COLUMNS = FLIGHT.size
COUNTS = Cells(
    "virtual_queue_counts",
    Cell("flying", 1, "-", "datagrams under way"),
    Cell("sent", 1, "-", "datagrams sent"),
    Cell("lost", 1, "-", "lost by a fault"),
    Cell("delivered", 1, "-", "copies that arrived"),
    Cell("overflown", 1, "-", "lost for want of room"),
    Cell("events", 1, "-", "samples, ticks and arrivals"),
    Cell("reason", 1, "-", "why it ended"),
    Cell("links", LINK_COUNT, "-", "datagrams sent on each link"),
)
FLYING, SENT_ALL, LOST_ALL, DELIVERED, OVERFLOWN, EVENTS, REASON, LINK_NUMBERS = COUNTS.at
QUEUE_COUNTS = COUNTS.size
NEVER = 1 << 62


class Queue(NamedTuple):
    """Everything that is under way, and the faults of the way."""

    flights: Any  # int64, (most, FLIGHT_COLUMNS)
    bytes: Any  # uint8, (most, longest)
    counts: Any  # int64, QUEUE_COUNTS
    rates: Any  # float64
    windows: Any  # int64
    seed: Any  # int64, one


@noinline
def queue_datagram(queue, link, now, data, size):
    """A datagram on its way, as faults have it."""
    counts = queue.counts
    number = counts[LINK_NUMBERS + link]
    counts[LINK_NUMBERS + link] += 1
    counts[SENT_ALL] += 1
    fate = apply_faults(
        queue.rates, queue.windows, queue.seed[0], link, number, now, data, size=size
    )
    counts[LOST_ALL] += 1 if fate.copies == 0 else 0
    for copy in range(fate.copies):
        at = counts[FLYING]
        if at >= queue.flights.shape[0] or fate.size > queue.bytes.shape[1]:
            counts[OVERFLOWN] += 1
            continue
        flight = queue.flights[at]
        flight[ARRIVES_NS] = fate.first if copy == 0 else fate.second
        flight[ORDER], flight[LINK], flight[SIZE] = 2 * counts[SENT_ALL] + copy, link, fate.size
        for i in range(fate.size):
            queue.bytes[at, i] = data[i]
        counts[FLYING] += 1


@compiled
def find_next_arrival(queue):
    """The row of the next arrival, or -1."""
    best = -1
    for i in range(queue.counts[FLYING]):
        f = queue.flights[i]
        if best < 0:
            best = i
            continue
        b = queue.flights[best]
        if f[ARRIVES_NS] < b[ARRIVES_NS] or (
            f[ARRIVES_NS] == b[ARRIVES_NS] and f[ORDER] < b[ORDER]
        ):
            best = i
    return best


@noinline
def take_datagram(queue, row, data):
    """Take a datagram out of the table: its link and size; its bytes into `data`."""
    link, size, last = queue.flights[row, LINK], queue.flights[row, SIZE], queue.counts[FLYING] - 1
    for i in range(size):
        data[i] = queue.bytes[row, i]
    if row != last:
        for column in range(FLIGHT_COLUMNS):
            queue.flights[row, column] = queue.flights[last, column]
        for i in range(queue.flights[last, SIZE]):
            queue.bytes[row, i] = queue.bytes[last, i]
    queue.counts[FLYING] = last
    queue.counts[DELIVERED] += 1
    return link, size


@compiled
def _deliver(queue, program, params, desk, peers, sensors, links, record_links, link, size, now):
    """A datagram arrives: at a peer, or at the controller, which answers a robot."""
    peer = link // 2
    if link % 2 == 1:
        if peer >= SENSOR:
            receive_request(sensors[peer - SENSOR], desk.data, size)
        else:
            receive_reply(peers[peer], desk.data, size)
        return
    if peer >= SENSOR:
        receive_records(record_links[peer - SENSOR], desk.data, size, now)
        return
    verdict = receive_telegram(links[peer], desk.data, size, now)
    if verdict in (TAKEN, FIRST, JUMPED):
        length = answer_telegram(program, params, desk, links, record_links, peer, size)
        if length > 0:
            queue_datagram(queue, link + 1, now, desk.out, length)
        after_answer(program, params, links, record_links, peer, 0)


@entry_point
def run_queue(features, queue, program, desk, peers, sensors, links, record_links, until_ns):
    """Everything that happens before an instant, or until the program ends it (REASON): the number
    of events. A peer that there is not has its next instant NEVER."""
    events, params = 0, prepare_program(program)
    while queue.counts[REASON] == 0:
        row = find_next_arrival(queue)
        arrival = queue.flights[row, ARRIVES_NS] if row >= 0 else NEVER
        first = sensors[0].whole[SAMPLE_AT_NS] <= sensors[1].whole[SAMPLE_AT_NS]
        sampler = 0 if first else 1
        sampling = sensors[sampler].whole[SAMPLE_AT_NS]
        ticking = 0 if peers[0].whole[NEXT_NS] <= peers[1].whole[NEXT_NS] else 1
        tick_at = peers[ticking].whole[NEXT_NS]
        now = min(sampling, arrival, tick_at)
        if now >= until_ns:
            break
        events += 1
        if sampling == now:
            size = take_sample(features, sensors[sampler], peers[0], peers[1], desk.out)
            if size > 0:
                queue_datagram(queue, 2 * (SENSOR + sampler), now, desk.out, size)
        elif arrival == now:
            link, size = take_datagram(queue, row, desk.data)
            _deliver(
                queue,
                program,
                params,
                desk,
                peers,
                sensors,
                links,
                record_links=record_links,
                link=link,
                size=size,
                now=now,
            )
        else:
            size = tick_robot(features, peers[ticking], desk.out)
            if size > 0:
                queue_datagram(queue, 2 * ticking, now, desk.out, size)
        queue.counts[REASON] = watch_program(program, params, links, record_links, now)
    queue.counts[EVENTS] += events
    return events
