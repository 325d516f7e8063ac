"""What is known of each peer after every datagram: newest values, counts, clock, samples.

One compiled call a datagram, for a robot (`receive_telegram`) and for a force sensor
(`receive_records`). In: bytes and when they arrived on our clock [ns]. Out: a verdict; everything
else stands in the link's arrays. A datagram that is malformed, comes again or comes late changes
nothing but its count; a record whose status says error or saturation is counted and kept out of the
ring.

Also here: the ring of a sensor's samples, and the sender that is answered for each robot.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import cold, compiled, noinline
from softdock.loop.instants import SECOND
from softdock.rig.wire.clocks import convert_stamp, reset_peer_clock, update_peer_clock
from softdock.rig.wire.rdt import (
    FT_SEQUENCE,
    RDT_SEQUENCE,
    STATUS,
    WORD,
    convert_counts,
    count_records,
    is_fault,
    read_record,
)
from softdock.rig.wire.sequences import (
    FIRST,
    JITTER_NS,
    JUMPED,
    LAST,
    LAST_NS,
    LOST,
    STEP_FIRST_NS,
    STEP_HEARD,
    TAKEN,
    compute_difference,
    follow_count,
    learn_step,
)
from softdock.rig.wire.telegram import BAD_NUMBER, OK, scan_telegram

# Stamped samples of a sensor in a ring, and which of them counts at an instant.
#
# A sample counts at t if it is the newest one not after t: a sample that came between a robot's
# packet and its answer belongs to the next cycle, or no run could be repeated. Stamps in ns on our
# clock (int64), six values a sample (float64), the number pushed in `head[0]`.

SAMPLE_VALUES = 6
NO_SAMPLE = -1


@compiled
def push_sample(stamps, values, head, stamp, sample):
    slot = head[0] % stamps.shape[0]
    stamps[slot] = stamp
    for i in range(SAMPLE_VALUES):
        values[slot, i] = sample[i]
    head[0] += 1


@compiled
def find_sample(stamps, head, t):
    """The slot of the newest sample stamped at or before `t`, or NO_SAMPLE."""
    slots = stamps.shape[0]
    for back in range(1, min(head[0], slots) + 1):
        slot = (head[0] - back) % slots
        if stamps[slot] <= t:
            return slot
    return NO_SAMPLE


# Who sends a robot's telegrams: the first port of its address that sent a valid one.
#
# The robot's controller sends from one port for as long as RSI is on. Another program at the same
# address (a second emulator, a forgotten one, a forger) is not answered, or one of the two robots'
# clocks would run twice; it is counted, and its port is kept. Another port takes the place of the
# first when that one has sent nothing for SILENT_NS, as after a restart of the controller.

SENDER = Cells(
    "robot_sender",
    Cell("port", 1, "-", "that is answered; 0: none yet"),
    Cell("heard_ns", 1, "ns", "when its newest telegram arrived"),
    Cell("others", 1, "-", "telegrams from other ports of the same address"),
    Cell("other", 1, "-", "the port of the last of them"),
)
SENDER_PORT, SENDER_HEARD_NS, OTHER_SENDERS, OTHER_PORT = SENDER.at
SENDER_COLUMNS = SENDER.size
SILENT_NS = 1 * SECOND


@compiled
def may_send(sender, port, arrival):
    """Whether telegrams from a port are this robot's."""
    if sender[SENDER_PORT] in (0, port):
        return True
    return arrival - sender[SENDER_HEARD_NS] > SILENT_NS


@compiled
def accept_sender(sender, port, arrival):
    """A valid telegram from a port that may send."""
    sender[SENDER_PORT], sender[SENDER_HEARD_NS] = port, arrival


@compiled
def count_other(sender, port):
    """A valid telegram from a port that may not."""
    sender[OTHER_SENDERS] += 1
    sender[OTHER_PORT] = port


WHOLES = Cells(
    "link_wholes",
    Cell("refused", 1, "-", "datagrams that were malformed"),
    Cell("last_reason", 1, "-", "status of the last refusal"),
    Cell("newest", 1, "", "IPOC [ms] of the newest Rob; the sensor's count without wrapping"),
    Cell("stamp_ns", 1, "ns", "when that was, on our clock, without the path's jitter"),
    Cell("arrived_ns", 1, "ns", "when it arrived"),
    Cell("lost_now", 1, "-", "lost just before it"),
    Cell("late_replies", 1, "-", "Delay D, as the controller counts them"),
    Cell("learnt_step", 1, "ms", "0: not yet known"),
    Cell("counts_telegrams", 1, "-", "1: IPOC counts telegrams, not ms, as some simulators do"),
    Cell("faulty", 1, "-", "records with an error status"),
    Cell("last_word", 1, "-", "status word of the newest record"),
    Cell("rdt_last", 1, "-", "rdt_sequence of the newest record"),
    Cell("rdt_lost", 1, "-", "records that never came"),
)
REFUSED, LAST_REASON, NEWEST, STAMP_NS, ARRIVED_NS, LOST_NOW, LATE_REPLIES, *_AFTER = WHOLES.at
LEARNT_STEP, COUNTS_TELEGRAMS, FAULTY, LAST_WORD, RDT_LAST, RDT_LOST = _AFTER
LINK_WHOLES = WHOLES.size
SETTINGS = Cells(
    "link_settings",
    Cell("step", 1, "", "from stamp to stamp: of IPOC, or of a sensor's samples"),
    Cell("most_ahead", 1, "-", "steps ahead that are believed where time allows them"),
    Cell("jump_ns", 1, "ns", "beyond, the peer's clock has jumped"),
    Cell("rate", 1, "Hz", "of a sensor's samples; of a robot's IPOC 1000, or its telegrams'"),
)
STEP, MOST_AHEAD, JUMP_NS, RATE = SETTINGS.at
LINK_SETTINGS = SETTINGS.size
NEW_COUNT_NS = 2_000_000  # that a sensor's new count must last until it is believed
NEAR_CYCLE = 0.25  # of the stated cycle, by which telegrams may be apart that IPOC counts
NO_DATAGRAM = -1  # verdict on what is malformed; the others are those of sequences.py
LARGEST_IPOC = 9_000_000_000_000  # ms; in ns it is still an int64


SAMPLE_COUNTS = Cells(  # of each sample in a sensor's ring, int64
    "sample_counts",
    Cell("sequence", 1, "-", "the sensor's own count"),
    Cell("status", 1, "-", "its status word"),
)
COUNTED = SAMPLE_COUNTS.at


class RobLink(NamedTuple):
    """One robot, as heard."""

    names: Any  # of Rob
    table: Any
    values: Any  # float64, of the newest telegram that was taken
    scratch: Any  # float64, of the one being read
    seen: Any
    delay_row: Any  # int64, one: row of Delay D, 0: not there
    settings: Any
    whole: Any
    sequence: Any  # int64, sequences.SEQUENCE_COLUMNS
    step: Any  # int64, sequences.STEP_COLUMNS
    clock: Any  # int64, peer_clock.CLOCK_WHOLES
    line: Any  # float64, peer_clock.CLOCK_NUMBERS


class RecordLink(NamedTuple):
    """One force sensor, as heard."""

    settings: Any
    scale: Any  # float64: counts per N, counts per Nm
    whole: Any
    sequence: Any
    clock: Any
    line: Any
    record: Any  # int64, rdt.RECORD_COLUMNS
    wrench: Any  # float64, of the newest record
    stamps: Any  # int64, ring
    samples: Any  # float64, ring
    counted: Any  # int64, ring of SAMPLE_COUNTS
    head: Any  # int64, one


@compiled
def _is_new(verdict):
    return verdict in (TAKEN, FIRST, JUMPED)


@compiled
def _update_stamp(link, verdict, stamp, arrival, lost):
    """A datagram that was taken, on our clock; a count that begins again restarts the clock. A
    number that leaves others out may be spoilt: it does not move the clock."""
    if verdict == JUMPED:
        reset_peer_clock(link.clock, link.line)
    if verdict != TAKEN or lost == 0:
        update_peer_clock(link.clock, link.line, stamp, arrival, link.settings[JUMP_NS])
    link.whole[STAMP_NS] = convert_stamp(link.clock, link.line, stamp)
    link.whole[ARRIVED_NS] = arrival


@cold
def is_telegram(link, data, size):
    """Whether a datagram could be this robot's; nothing is taken from it."""
    status, _ = scan_telegram(data, size, link.names, link.table, link.scratch, link.seen)
    return status == OK


@noinline
def receive_telegram(link, data, size, arrival):
    """A datagram from a robot: verdict of sequences.py or NO_DATAGRAM."""
    whole, s = link.whole, link.settings
    status, ipoc = scan_telegram(data, size, link.names, link.table, link.scratch, link.seen)
    if status == OK and not 0 <= ipoc <= LARGEST_IPOC:
        status = BAD_NUMBER
    if status != OK:
        whole[REFUSED] += 1
        whole[LAST_REASON] = status
        return NO_DATAGRAM
    verdict, lost = _follow_ipoc(link, ipoc, arrival)
    if not _is_new(verdict):
        return verdict
    for row in range(link.table.shape[0]):
        link.values[row] = link.scratch[row]
    whole[NEWEST], whole[LOST_NOW] = ipoc, lost
    if link.delay_row[0] > 0 and link.seen[link.delay_row[0]] != 0:
        whole[LATE_REPLIES] = int(link.values[link.delay_row[0]])
    if whole[LEARNT_STEP] == 0:
        _learn_ipoc_step(link, ipoc, arrival)
    _update_stamp(link, verdict, ipoc * (SECOND // s[RATE]), arrival, lost)
    return verdict


@compiled
def _follow_ipoc(link, ipoc, arrival):
    """The verdict on an IPOC and the telegrams lost before it. Until its step is known any step
    forward is taken: a controller that counts otherwise and waits for answers would fall silent."""
    s, state = link.settings, link.sequence
    known = link.whole[LEARNT_STEP] != 0
    step = s[STEP] if known else 1
    most, step_ns = s[MOST_AHEAD] * s[STEP] // step, step * (SECOND // s[RATE])
    verdict, lost = follow_count(
        state, ipoc, step, most, 0, arrival, step_ns, lasting_ns=0, is_timed=known
    )
    if known or not _is_new(verdict):
        return verdict, lost
    state[LOST] -= lost
    whole_steps = (lost + 1) % s[STEP] == 0
    lost = (lost + 1) // s[STEP] - 1 if whole_steps else 0
    state[LOST] += lost
    return verdict, lost


@cold
def _learn_ipoc_step(link, ipoc, arrival):
    """What IPOC steps by, and what that is a count of, before anything moves."""
    whole, s, step = link.whole, link.settings, link.step
    learnt = learn_step(step, ipoc, arrival)
    if learnt == 0:
        return
    whole[LEARNT_STEP] = learnt
    apart_s = (arrival - step[STEP_FIRST_NS]) / (step[STEP_HEARD] - 1) / SECOND
    cycle_s = s[STEP] / s[RATE]
    if learnt == 1 and s[STEP] > 1 and abs(apart_s / cycle_s - 1.0) < NEAR_CYCLE:
        whole[COUNTS_TELEGRAMS] = 1
        s[RATE], s[STEP] = s[RATE] // s[STEP], 1
        link.sequence[LOST] = 0
        reset_peer_clock(link.clock, link.line)


@compiled
def _count_lost(whole, number, most):
    """rdt_sequence counts records since the start: what is missing was lost on the way. `most`:
    records since the last one by the sensor's own count; a number beyond them is spoilt."""
    ahead = compute_difference(number, whole[RDT_LAST], WORD)
    whole[LOST_NOW] = ahead - 1 if whole[RDT_LAST] > 0 and 0 < ahead <= most else 0
    whole[RDT_LOST] += whole[LOST_NOW]
    whole[RDT_LAST] = number


@compiled
def _receive_record(link, arrival):
    """The record just read: whether it went into the ring."""
    whole, s, record = link.whole, link.settings, link.record
    before, number = link.sequence[LAST], record[FT_SEQUENCE]
    since = arrival - link.sequence[LAST_NS]
    most, sample_ns = s[MOST_AHEAD], SECOND // s[RATE]
    verdict, _ = follow_count(
        link.sequence,
        number,
        1,
        most,
        WORD,
        arrival,
        sample_ns,
        lasting_ns=NEW_COUNT_NS,
        is_timed=True,
    )
    if not _is_new(verdict):
        return False
    ahead = compute_difference(number, before, WORD)
    _count_lost(whole, record[RDT_SEQUENCE], ahead if verdict == TAKEN else 0)
    if verdict == FIRST:
        whole[NEWEST] = number
    else:
        whole[NEWEST] += ahead
    early = ahead * sample_ns - since  # a sample from after now: its number is spoilt
    left_out = ahead - 1 if early > JITTER_NS else 0
    _update_stamp(link, verdict, whole[NEWEST] * SECOND // s[RATE], arrival, left_out)
    whole[LAST_WORD] = record[STATUS]
    if is_fault(record[STATUS]):
        whole[FAULTY] += 1
        return False
    convert_counts(record, link.scale[0], link.scale[1], link.wrench)
    slot = link.head[0] % link.stamps.shape[0]
    link.counted[slot, COUNTED.sequence] = whole[NEWEST]
    link.counted[slot, COUNTED.status] = record[STATUS]
    push_sample(link.stamps, link.samples, link.head, whole[STAMP_NS], link.wrench)
    return True


@noinline
def receive_records(link, data, size, arrival):
    """A datagram from a sensor: how many samples it brought, or NO_DATAGRAM."""
    number = count_records(data, size)
    if number == 0:
        link.whole[REFUSED] += 1
        return NO_DATAGRAM
    taken = 0
    for i in range(number):
        read_record(data, size, i, link.record)
        taken += 1 if _receive_record(link, arrival) else 0
    return taken
