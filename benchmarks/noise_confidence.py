"""Does `confidence` keep what it says? EPOS 1-D, lossless, robots 16 ms late, 0.25 N of noise: in
how many runs the satellites leave faster than they came.

For both methods that are told the noise, with and without a sensor's threshold of four standard
deviations. Target: no share above 1 - confidence by more than chance explains (binomial, 1 in 1000
for each of the shares).
"""

from __future__ import annotations

from typing import Any

from softdock.papers.noise_shares import CASES, CONFIDENCES, METHODS, most_by_chance, runs_above_one

RUNS, SEED = 1500, 5000


def run() -> dict[str, Any]:
    found: dict[str, Any] = {}
    met = True
    for case in CASES:
        for method in METHODS:
            counts = [
                runs_above_one(method, case, confidence, RUNS, SEED) for confidence in CONFIDENCES
            ]
            met = met and all(
                count <= most_by_chance(RUNS, 1.0 - confidence)
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
