"""Faults of sensors and robots for random contacts (docs/bad_input.md), drawn as columns: a sensor
that freezes, saturates or jumps, for a while or for good; a delay that grows; set-points and
readings that are lost."""

from __future__ import annotations

import numpy as np

FAULTS = (
    "none",
    "freezes for a while",
    "freezes for good",
    "saturates",
    "jumps for a while",
    "jumps for good",
    "one wild reading",
    "delay grows",
    "set-points lost",
)
CYCLE = 0.004  # s, of the draws that these go with
LARGEST = 1e6  # N; what a scenario takes as a jump


def faults(
    runs: int, random: np.random.Generator, touch: np.ndarray, peak: np.ndarray
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Swept keys, and which of FAULTS each run has. `touch`: when the first touch comes [s];
    `peak`: its force [N]. A fault comes from 0.1 s before the touch to 0.6 s after it."""
    kind = random.integers(0, len(FAULTS), runs)
    when = np.maximum(touch + random.uniform(-0.1, 0.6, runs), CYCLE)
    size = peak * np.exp(random.uniform(np.log(0.1), np.log(10.0), runs))
    way = random.normal(size=(runs, 3))
    way /= np.linalg.norm(way, axis=1)[:, None]
    wild = np.where(kind == 6, 30.0, 1.0) * size

    def of(*kinds: int) -> np.ndarray:
        return np.isin(kind, kinds)

    jumps = of(4, 5, 6)
    return {
        "sensor.freeze_at_s": np.where(of(1, 2), when, 0.0),
        "sensor.freeze_for_s": np.select([of(1), of(2)], [0.15, 1e6], 0.0),
        "sensor.range_N": np.where(of(3), peak * random.uniform(0.1, 0.9, runs), 0.0),
        "sensor.jump_at_s": np.where(jumps, when, 0.0),
        "sensor.jump_for_s": np.select([of(4), of(6)], [0.1, CYCLE], 0.0),
        "sensor.jump_N": np.where(
            jumps[:, None], np.clip(wild[:, None] * way, -LARGEST, LARGEST), 0.0
        ),
        "robots.chaser.delay_ramp_ms_per_s": np.where(of(7), 40.0, 0.0),
        "robots.chaser.dropout_probability": np.where(of(8), 0.3, 0.0),
    }, kind
