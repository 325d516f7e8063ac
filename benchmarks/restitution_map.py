"""How long does a map of simulated restitution take? 200 x 200 runs of EPOS on one axis, delay
against virtual damping. Target: 60 s on two cores."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from softdock.papers.zebenay.figure_10 import compute_restitution_map
from softdock.studies.campaign.batch import count_cores

MASS, STIFFNESS = 63.0, 1000.0  # kg, N/m
POINTS = 200
TARGET_S = 60.0


def run() -> dict[str, Any]:
    compute_restitution_map(
        MASS, STIFFNESS, np.linspace(0.0, 0.04, 4), np.linspace(0.0, 120.0, 4), threads=2
    )  # compile
    began = time.perf_counter()
    found = compute_restitution_map(
        MASS, STIFFNESS, np.linspace(0.0, 0.04, POINTS), np.linspace(0.0, 120.0, POINTS), threads=2
    )
    took = time.perf_counter() - began
    # the run at no damping and 16 ms bounces as theory says: exp(pi w (h + T/2) / 2), to 0.2 %
    undamped = float(np.interp(0.016, found.delays, found.restitution[0]))
    theory = float(np.exp(0.5 * np.pi * np.sqrt(STIFFNESS / MASS) * 0.018))
    right = abs(undamped / theory - 1.0) < 2e-3 and not np.isnan(found.restitution).any()
    return {
        "seconds": took,
        "runs": POINTS * POINTS,
        "threads": 2,
        "cores": count_cores(),
        "undamped_at_16_ms": undamped,
        "theory": theory,
        "target": f"{POINTS} x {POINTS} in under {TARGET_S:g} s on two threads",
        "met": took < TARGET_S and right,
    }
