"""How much of a noisy work is kept back, so that with a chosen confidence noise adds no energy;
and the noise that a data sheet promises.

A force with white noise of standard deviation s, held over steps dx_k, does a work that is wrong by
s sqrt(sum dx_k^2), one standard deviation.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from softdock.compile.jit import noinline

HALVINGS = 60  # of the bisection


@noinline
def compute_deviations(confidence):
    """Standard deviations below which a Gaussian stays with this probability; by bisection."""
    low, high = 0.0, 8.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if 1.0 - 0.5 * math.erfc(middle / math.sqrt(2.0)) < confidence:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high) if confidence > 0.5 else 0.0


def compute_handed_over_noise(scenario: Any) -> tuple[float, float]:
    """Standard deviations of what a scenario's sensor delivers, force [N] and torque [Nm]: of a
    mean, less than of a sample."""
    sensor, T = scenario.tables["sensor"], scenario.tables["time"]["cycle_ms"]
    period = sensor["period_ms"] or T
    samples = max(1, round(T / period)) if sensor["handover"] == "mean" else 1
    return sensor["noise_N"] / math.sqrt(samples), sensor["noise_Nm"] / math.sqrt(samples)


def find_idle_confidence(values: dict[str, Any]) -> list[str]:
    """A confidence that was asked for and does nothing."""
    noisy = values["noise_N"] != 0.0 or values["noise_Nm"] != 0.0
    if noisy or values["confidence"] <= 0.5:
        return []
    return [
        f"confidence = {values['confidence']:g} does nothing without noise_N or noise_Nm: nothing "
        "is kept back"
    ]


def find_claim_warnings(values: dict[str, Any], tables: Mapping[str, Any]) -> list[str]:
    """Where a claim of passivity does not hold in full, said before the run."""
    sensor, found = tables["sensor"], []
    if values["claim"] != "passive":
        return []
    if sensor["noise_N"] > 0.0 and (values["confidence"] <= 0.5 or values["noise_N"] == 0.0):
        found.append(
            "claim = passive holds up to the noise's work only: give noise_N and a "
            "confidence above 0.5"
        )
    if any(any(sensor[key]) for key in ("bias_N", "drift_N_per_s")) or sensor["lowpass_Hz"] > 0.0:
        found.append(
            "claim = passive does not hold for a sensor with a bias, a drift or a low-pass: "
            "their work is taken for the contact's"
        )
    return found
