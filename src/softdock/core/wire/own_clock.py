"""The clock of an emulated peer: when it ticks next, with its own drift.

A peer whose clock is d ppm fast ticks every T / (1 + d 1e-6) of our time. Instants are whole ns;
what is cut off is carried along, so that nothing accumulates.
"""

from __future__ import annotations

import math

from softdock.core.machine.compiled import compiled
from softdock.core.wire.faults import DRIFT, VALUE, in_window

PPM = 1e-6


@compiled
def next_instant(instant, rest, period_ns, drift_ppm, windows, who):
    """The next tick [ns] and the fraction of a ns that is carried along."""
    window = in_window(windows, DRIFT, who, instant)
    extra = windows[window, VALUE] if window >= 0 else 0
    ahead = rest + period_ns / (1.0 + PPM * (drift_ppm + extra))
    whole = math.floor(ahead + 0.5)
    return instant + int(whole), ahead - whole
