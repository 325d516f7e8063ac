"""The motion after the last contact, kept while a batch runs: what is compared with orbit.
analysis/fidelity.py finds the same instant in the series of a single run.

A cycle is quiet when orbit's contacts are over, the mock-ups are apart, and every reading taken
while they touched has ceased to act. The motion at the first quiet cycle since the last touch is
kept. With a method that replaces the real contact by a wanted one, that one must be over too. The
motion goes into the last rows of the contact log, for which a batch that is compared has room.
"""

from __future__ import annotations

import math

from softdock.core.instants import SAME_CYCLE
from softdock.core.machine.cells import Cell, Cells
from softdock.core.machine.compiled import compiled
from softdock.core.machine.vector import MAP, MEMORY_AT, SENSOR_AT
from softdock.core.sensor.force_torque import MEAN, SENSOR
from softdock.core.spatial.motion import MOTION, MOTION_FLOATS

LOWPASS = SENSOR.at.lowpass
FILTER_TAIL = 1e-6  # share of a filtered force below which it has ceased to act
FILTER_TIMES = -math.log(FILTER_TAIL) / (2.0 * math.pi)  # how long that takes, times the cut-off
SETTLED_ROWS = 3  # of the log: pose and velocity of each body, a row each, then `SETTLED_REST`
SETTLED_PART = MOTION.at.w  # columns of one of the first two: all of a motion but its rate
SETTLED_REST = Cells(
    "settled_rest",
    Cell("rates", 2 * (MOTION_FLOATS - SETTLED_PART), "rad/s", "the chaser's, the target's"),
    Cell("time", 1, "s", "when the motion settled; NaN: it never did"),
)
RATE, REST = MOTION_FLOATS - SETTLED_PART, SETTLED_REST.at


@compiled
def is_quiet(vector, handover, T, facility, t, last_touch):
    """Whether nothing of a contact acts at time t any more, neither here nor in orbit.
    `last_touch`: of the mock-ups so far [s]."""
    stale = 0.5 * T if handover == MEAN else 0.0  # its oldest sample: the stamp is of its middle
    cut_off = vector[SENSOR_AT + LOWPASS]
    tail = FILTER_TIMES / cut_off if cut_off > 0.0 else 0.0
    oldest = min(facility.reading_time - stale, facility.seen_time)
    apart = SAME_CYCLE * T
    return (
        t - vector[MEMORY_AT + MAP.orbit_done] > apart
        and t - last_touch > apart
        and oldest - last_touch > tail + apart
    )


@compiled
def keep_settled(log, outcome, at, settled_at):
    """Both motions, from `outcome` at `at`, into the last rows of the log; the time beside them,
    NaN: it never settled."""
    first = log.shape[0] - SETTLED_ROWS
    if first < 0:
        return
    last = log.shape[0] - 1
    for body in range(2):
        for j in range(SETTLED_PART):
            log[first + body, j] = outcome[at + MOTION_FLOATS * body + j]
        for j in range(RATE):
            log[last, REST.rates + RATE * body + j] = outcome[
                at + MOTION_FLOATS * body + SETTLED_PART + j
            ]
    log[last, REST.time] = settled_at
