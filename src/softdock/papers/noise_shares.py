"""Beyond the papers: how often noise makes a contact return more than it took, for methods that
keep some of the noise's work back (`confidence`)."""

from __future__ import annotations

from typing import Any

from softdock.analysis.simulation import fly
from softdock.scenario.files import load_scenario

NOISE = 0.25  # N, of a sample
ENDS_S = 2.0  # the only contact is over after 1.4 s
MEAN = {"sensor.period_ms": 1.0, "sensor.handover": "mean"}  # of four samples: half the noise
# name -> keys of the scenario, and the noise that is delivered [N]
CASES: dict[str, tuple[dict[str, Any], float]] = {
    "250 Hz": ({}, NOISE),
    "250 Hz, threshold": ({"sensor.threshold_N": 4.0 * NOISE}, NOISE),
    "mean of four": (MEAN, 0.5 * NOISE),
    "mean of four, threshold": (MEAN | {"sensor.threshold_N": 2.0 * NOISE}, 0.5 * NOISE),
}
METHODS = ("energy_ledger", "delay_passivity")
CONFIDENCES = (0.9, 0.99, 0.999)


def runs_above_one(method: str, case: str, confidence: float, runs: int, seed: int) -> int:
    """Of `runs` runs from this seed on, how many end with a restitution above 1."""
    keys, noise = CASES[case]
    told = {"name": method, "noise_N": noise, "confidence": confidence, "threshold_N": 4.0 * noise}
    scenario = load_scenario("epos_1d").with_keys(
        keys | {"time.duration_s": ENDS_S, "sensor.noise_N": NOISE, "methods": [told]}
    )
    return sum(
        fly(scenario.with_keys({"random.seed": seed + i})).restitution > 1.0 for i in range(runs)
    )


def most_by_chance(runs: int, share: float, doubt: float = 1e-3) -> int:
    """The most of `runs` that have something of this probability, unless by a chance below
    `doubt`."""
    from scipy.stats import binom

    return int(binom.isf(doubt, runs, share))
