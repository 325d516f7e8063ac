"""The satellites as a method that recomputes their past has it by now; of any other run, as they
were moved at the time.

In: the series of a run, or of orbit. The channels `corrected.*` are there if a listed method can
recompute the past (loop/corrected_record.py); `chaser.*`, `target.*` and `satellite.*` keep
what was applied.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

PARTS = ("position", "attitude", "velocity", "rate")
Columns = Mapping[str, np.ndarray]


def is_corrected(series: Columns) -> bool:
    """Whether the run has a corrected past."""
    return "corrected.chaser.peak_force" in series


def read_corrected_motions(series: Columns) -> np.ndarray:
    """Both satellites' motions, (rows, 2, 13): chaser, then target; position [m], attitude wxyz,
    velocity [m/s], world axes, and rate [rad/s], body axes."""
    stem = "corrected." if is_corrected(series) else ""
    bodies = [
        np.concatenate([series[f"{stem}{body}.{part}"] for part in PARTS], axis=1)
        for body in ("chaser", "target")
    ]
    return np.stack(bodies, axis=1)
