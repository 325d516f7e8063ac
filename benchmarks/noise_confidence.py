"""Does `confidence` keep what it says? EPOS 1-D, lossless, robots 16 ms late, 0.25 N of noise: in
how many runs the satellites leave faster than they came.

For both methods that are told the noise, with and without a sensor's threshold of four standard
deviations. Target: no share above 1 - confidence by more than chance explains (binomial, 1 in 1000
for each of the shares).
"""

from __future__ import annotations

from typing import Any

from softdock.results.simulation import run_loop
from softdock.scenario.files import load_scenario

RUNS, SEED = 1500, 5000
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


def count_runs_above_one(method: str, case: str, confidence: float, runs: int, seed: int) -> int:
    """Of `runs` runs from this seed on, how many end with a restitution above 1."""
    keys, noise = CASES[case]
    keys_of_method = {
        "name": method,
        "noise_N": noise,
        "confidence": confidence,
        "threshold_N": 4.0 * noise,
    }
    scenario = load_scenario("epos_1d").replace(
        keys | {"time.duration_s": ENDS_S, "sensor.noise_N": NOISE, "methods": [keys_of_method]}
    )
    return sum(
        run_loop(scenario.replace({"random.seed": seed + i})).restitution > 1.0 for i in range(runs)
    )


def largest_count_by_chance(runs: int, share: float, doubt: float = 1e-3) -> int:
    """The most of `runs` that have something of this probability, unless by a chance below
    `doubt`."""
    from scipy.stats import binom

    return int(binom.isf(doubt, runs, share))


def run() -> dict[str, Any]:
    found: dict[str, Any] = {}
    met = True
    for case in CASES:
        for method in METHODS:
            counts = [
                count_runs_above_one(method, case, confidence, RUNS, SEED)
                for confidence in CONFIDENCES
            ]
            met = met and all(
                count <= largest_count_by_chance(RUNS, 1.0 - confidence)
                for count, confidence in zip(counts, CONFIDENCES, strict=True)
            )
            found[f"{method}, {case}"] = ", ".join(
                f"{100.0 * count / RUNS:.2f} %" for count in counts
            )
    return {
        **found,
        "runs_each": RUNS,
        "target": "restitution above 1 in at most 10, 1 and 0.1 % of the runs, within chance",
        "met": met,
    }
