"""Whether a touch dies down or buzzes: by how its motion grows while the hand rests, not by how
large it is.

In: speeds [m/s] sampled at times [s], from when the hand rests on. The stretch is cut in three;
a motion dies down if its RMS speed falls from each part to the next by more than `LEAST_DECAY` a
second would make it fall, or if nothing is left of it. One that keeps its size is a limit cycle,
and buzzes, however small it is.
"""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np

LEAST_DECAY = 0.05  # 1/s: an oscillation that loses less than 5 % a second is sustained
NOTHING_LEFT = 1e-9  # m/s: rounding of a device at rest
PARTS = 3


class Settling(NamedTuple):
    dies_down: bool
    growth_per_s: float  # of the RMS speed from the first part to the last; nan: nothing is left
    rms_speed: float  # m/s, of the whole stretch


def settling(time: np.ndarray, speed: np.ndarray) -> Settling:
    """Judged over the whole stretch. A speed that is no number, or grew beyond all, buzzes."""
    with np.errstate(over="ignore", invalid="ignore"):
        parts = [float(np.sqrt(np.mean(part**2))) for part in np.array_split(speed, PARTS)]
        whole = float(np.sqrt(np.mean(speed**2)))
    if not all(math.isfinite(rms) for rms in parts):
        return Settling(False, math.inf, whole)
    if parts[-1] <= NOTHING_LEFT:
        return Settling(True, math.nan, whole)
    step = float(time[-1] - time[0]) / PARTS
    falls = all(
        later < earlier * math.exp(-LEAST_DECAY * step)
        for earlier, later in itertools.pairwise(parts)
    )
    span = (PARTS - 1) * step
    growth = math.log(parts[-1] / parts[0]) / span if parts[0] > 0.0 else math.inf
    return Settling(falls, growth, whole)
