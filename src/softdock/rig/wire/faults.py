"""Faults of a network and of peers, from a seed: one function between any two peers.

In: a datagram on a link, its number there, and when it was sent [ns]. Out: how many copies arrive,
when, and with how many bytes; the datagram itself may be spoilt. The numbers come from Philox with
the key (seed, link) and the datagram's number as the counter: the same schedule in virtual time,
over sockets and on every machine. What happens at stated times (a stall, a frozen or saturated
sensor, a clock that drifts) is a window: kind, who, begin and end [ns], value.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled, noinline
from softdock.loop.chance import philox, uniform, word

RATES = Cells(
    "link_rates",
    Cell("loss", 1, "-", "probability that a datagram is lost"),
    Cell("duplicate", 1, "-", "that it comes twice"),
    Cell("reorder", 1, "-", "that it comes later than the next"),
    Cell("malformed", 1, "-", "that it is cut short or spoilt"),
    Cell("reorder_ns", 1, "ns", "how much later"),
    Cell("latency_ns", 1, "ns", "of every datagram"),
    Cell("jitter_ns", 1, "ns", "at most, on top"),
)
LOSS, DUPLICATE, REORDER, MALFORMED, REORDER_NS, LATENCY_NS, JITTER_NS = RATES.at
RATE_COLUMNS = RATES.size
WINDOW = Cells(
    "fault_window",
    Cell("kind", 1, "-", "stall, freeze, saturate or drift"),
    Cell("who", 1, "-", "a link for a stall, else a peer; -1: everyone"),
    Cell("begin_ns", 1, "ns", "from when"),
    Cell("end_ns", 1, "ns", "until when"),
    Cell("value", 1, "", "of a drift: parts per million"),
)
WINDOW_KIND, WHO, BEGIN_NS, END_NS, VALUE = WINDOW.at
WINDOW_COLUMNS = WINDOW.size
WINDOWS = ("stall", "freeze", "saturate", "drift")
STALL, FREEZE, SATURATE, DRIFT = range(len(WINDOWS))
EVERYONE = -1
FAULTS = 7001  # source of chance, apart from those of a simulated run


class Fate(NamedTuple):
    """What becomes of a datagram."""

    copies: int  # 0: lost
    size: int  # bytes that arrive
    first: int  # ns, when the first copy arrives
    second: int  # ns


@compiled
def find_window(windows, kind, who, now):
    """The row of an open window, or -1."""
    for i in range(windows.shape[0]):
        w = windows[i]
        meant = w[WHO] == who or w[WHO] == EVERYONE
        if w[WINDOW_KIND] == kind and meant and w[BEGIN_NS] <= now < w[END_NS]:
            return i
    return -1


@compiled
def _spoil(data, size, a, b):
    """Cut a datagram short, or flip bits of one byte: the size that is left."""
    if size == 0:
        return 0
    at = int(uniform(a) * size)
    if int(b) & 1 == 0:
        return at
    data[at] = int(data[at]) ^ (1 + (int(b) >> 1) % 255)
    return size


@noinline
def apply_faults(rates, windows, seed, link, number, now, data, size):
    """The fate of one datagram; `data` may be spoilt."""
    r = philox(word(seed), word(link), word(number), word(number >> 32), word(FAULTS), word(0))
    s = philox(word(seed), word(link), word(number), word(number >> 32), word(FAULTS), word(1))
    arrival = now + int(rates[LATENCY_NS] + rates[JITTER_NS] * uniform(s[0]))
    if uniform(r[0]) < rates[LOSS]:
        return Fate(0, size, arrival, arrival)
    if uniform(r[1]) < rates[REORDER]:
        arrival += int(rates[REORDER_NS])
    copies = 2 if uniform(r[2]) < rates[DUPLICATE] else 1
    if uniform(r[3]) < rates[MALFORMED]:
        size = _spoil(data, size, s[1], s[2])
    second = arrival + int(rates[LATENCY_NS] + rates[JITTER_NS] * uniform(s[3]))
    stalled = find_window(windows, STALL, link, arrival)
    if stalled >= 0:  # held back, and all that was held arrives at once
        arrival = windows[stalled, END_NS]
        second = max(second, arrival)
    return Fate(copies, size, arrival, second)


# The clock of an emulated peer: when it ticks next, with its own drift.
#
# A peer whose clock is d ppm fast ticks every T / (1 + d 1e-6) of our time. Instants are whole ns;
# what is cut off is carried along, so that nothing accumulates.

PPM = 1e-6


@compiled
def compute_next_tick(instant, rest, period_ns, drift_ppm, windows, who):
    """The next tick [ns] and the fraction of a ns that is carried along."""
    window = find_window(windows, DRIFT, who, instant)
    extra = windows[window, VALUE] if window >= 0 else 0
    ahead = rest + period_ns / (1.0 + PPM * (drift_ppm + extra))
    whole = math.floor(ahead + 0.5)
    return instant + int(whole), ahead - whole
