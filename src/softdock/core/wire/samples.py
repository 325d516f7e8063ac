"""Stamped samples of a sensor in a ring, and which of them counts at an instant.

A sample counts at t if it is the newest one not after t: a sample that came between a robot's
packet and its answer belongs to the next cycle, or no run could be repeated. Stamps in ns on our
clock (int64), six values a sample (float64), the number pushed in `head[0]`.
"""

from __future__ import annotations

from softdock.core.machine.compiled import compiled

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
def newest_not_after(stamps, head, t):
    """The slot of the newest sample stamped at or before `t`, or NO_SAMPLE."""
    slots = stamps.shape[0]
    for back in range(1, min(head[0], slots) + 1):
        slot = (head[0] - back) % slots
        if stamps[slot] <= t:
            return slot
    return NO_SAMPLE
