"""What the batches of the parity tests sweep."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(
    0, str(Path(__file__).parents[2])
)  # for `benchmarks`, which is no part of the package

from benchmarks.scenarios import epos_1d
from softdock.scenario.build import build

SWEPT = {
    "robots.chaser.delay_ms": np.linspace(0.0, 38.0, 24),
    "robots.target.delay_ms": np.linspace(0.0, 38.0, 24),
    "contact.0.real.stiffness_N_per_m": np.linspace(800.0, 2500.0, 24),
    "chaser.mass_kg": np.linspace(40.0, 90.0, 24),
    "chaser.velocity_m_per_s.0": -np.linspace(0.01, 0.04, 24),
}


def noisy_wall():
    tables = epos_1d()
    tables["sensor"] = {"noise_N": 0.05}  # so that the order of random numbers would show
    return build(tables)
