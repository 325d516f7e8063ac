"""Energies that are zero but for rounding, as zero."""

from __future__ import annotations

import numpy as np

from softdock.core.energy.axis_scheme import Motion

ROUNDING = 1e-12  # of the largest energy observed


def without_rounding(energy: float, motion: Motion) -> float:
    """`energy` [J] of a motion; 0 where it is the rounding of its sums."""
    return 0.0 if abs(energy) <= ROUNDING * float(np.abs(motion.observed).max()) else float(energy)
