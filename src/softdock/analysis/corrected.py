"""The satellites as a method that recomputes their past has it by now; of any other run, as they
were moved at the time.

In: the series of a run, or of orbit. The channels `corrected.*` are there if a listed method can
recompute the past (core/machine/corrected_record.py); `chaser.*`, `target.*` and `satellite.*` keep
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


def corrected_motions(series: Columns) -> np.ndarray:
    """Both satellites' motions, (rows, 2, 13): chaser, then target; position [m], attitude wxyz,
    velocity [m/s], world axes, and rate [rad/s], body axes."""
    stem = "corrected." if is_corrected(series) else ""
    bodies = [
        np.concatenate([series[f"{stem}{body}.{part}"] for part in PARTS], axis=1)
        for body in ("chaser", "target")
    ]
    return np.stack(bodies, axis=1)


def contact_forces(series: Columns) -> np.ndarray:
    """Mean force [N] on the chaser satellite over the cycle that ended at each row, (rows, 3),
    world axes. Corrected: of the contact alone. Else what was applied: hands that the sensor felt,
    noise and virtual forces of methods are in it; thrusters and other external wrenches are not."""
    return series["corrected.chaser.force" if is_corrected(series) else "satellite.chaser.force"]


def contact_peaks(series: Columns) -> np.ndarray:
    """Largest force [N] on the chaser satellite in the cycle that ended at each row. Corrected: as
    the method has it within the cycle. Else the size of `contact_forces`, held over the cycle."""
    if is_corrected(series):
        return series["corrected.chaser.peak_force"]
    return np.asarray(np.linalg.norm(contact_forces(series), axis=1))
