"""What the re-mapping refuses before a run, and says after it. Plain Python."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from softdock.adaptation.remapping_keys import (
    RING,
    ROW_FLOATS,
)


def history_rows(rewind: float, T: float) -> int:
    """Rows of the history: a stamp for every cycle that may be computed anew, and one before; 1: no rewind."""
    return math.ceil(rewind / T - 1e-9) + 2 if rewind > 0.0 else 1


def memory(values: Mapping[str, Any], T: float) -> int:
    return RING + ROW_FLOATS * history_rows(1e-3 * values["rewind_ms"], T)
