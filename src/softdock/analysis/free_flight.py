"""A force that acts on the satellites in free flight, before anything touches: weight that is
compensated wrongly, a bias, a drift. Found from the scenario alone, before a run.

In: a scenario. Out: force [N, world axes], what it is made of, and the relative speed that it makes
until the end of the run. Noise is not counted: its mean is nothing. A force below the sensor's
threshold is handed over as nothing, and is none.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from softdock.core.spatial.arrays import matrix
from softdock.scenario.build import Scenario

ENDS = ("chaser", "target")
SIGMAS = 4.0  # of the noise: a threshold so far above the force is seldom crossed
NOTHING = 1e-12  # N


class FreeFlight(NamedTuple):
    """What acts in free flight. All zero: nothing does."""

    force_N: float  # size of all parts together
    parts: dict[str, float]  # N, by name: weight, bias, drift
    speed_m_per_s: float  # relative speed that it makes until the end of the run
    duration_s: float
    approach_m_per_s: float  # relative speed at the start
    said: str  # for people; empty: nothing acts
    remedy: str  # what to set; empty: nothing acts


def free_flight(scenario: Scenario) -> FreeFlight:
    """The force in free flight and what it does."""
    t = scenario.tables
    parts = _parts(t)
    force = float(np.linalg.norm(sum(parts.values(), np.zeros(3))))
    duration = float(t["time"]["duration_s"])
    approach = float(
        np.linalg.norm(
            np.subtract(t["chaser"]["velocity_m_per_s"], t["target"]["velocity_m_per_s"])
        )
    )
    if force <= max(float(t["sensor"]["threshold_N"]), NOTHING):
        return FreeFlight(0.0, {}, 0.0, duration, approach, "", "")
    mobility = sum(1.0 / float(np.min(t[name]["mass_kg"])) for name in ENDS if not t[name]["fixed"])
    speed = force * mobility * duration
    sizes = {name: float(np.linalg.norm(x)) for name, x in parts.items() if np.any(x)}
    found = FreeFlight(force, sizes, speed, duration, approach, "", "")
    return found._replace(said=_said(found), remedy=_remedy(found, t))


def first_step(scenario: Scenario) -> str:
    """What to mend before anything else: a force in free flight that is not small; else nothing."""
    found = free_flight(scenario)
    small = _small(scenario.tables) * found.approach_m_per_s
    return found.remedy if found.speed_m_per_s > small else ""


def _small(t: dict[str, Any]) -> float:
    """A drift, as a share of the approach speed, that leaves half of the distance from orbit that
    is called faithful for everything else."""
    return 0.5 * float(t["verdict"]["faithful_distance"])


def allowed_force(scenario: Scenario) -> float:
    """Force in free flight that leaves half of the distance from orbit that is called faithful for
    everything else [N]; infinite where nothing is free to move."""
    t = scenario.tables
    mobility = sum(1.0 / float(np.min(t[name]["mass_kg"])) for name in ENDS if not t[name]["fixed"])
    approach = float(
        np.linalg.norm(
            np.subtract(t["chaser"]["velocity_m_per_s"], t["target"]["velocity_m_per_s"])
        )
    )
    return (
        _small(t) * approach / (mobility * float(t["time"]["duration_s"])) if mobility else math.inf
    )


def warnings(scenario: Scenario) -> list[str]:
    """For a run's list: one sentence, or none."""
    found = free_flight(scenario)
    if not found.said:
        return []
    step = first_step(scenario)
    return [f"{found.said} {f'To do: {step}' if step else 'That is little against the verdict.'}"]


def _parts(t: dict[str, Any]) -> dict[str, np.ndarray]:
    """Forces on the satellites, as the sensor hands them over, in world axes [N]. The drift as it
    is half way through the run."""
    on = t["sensor"]["on"]
    shares = {"chaser": (1.0, 0.0), "target": (0.0, -1.0), "both": (0.5, -0.5)}[on]
    gravity = _gravity(t)
    sums = {name: np.zeros(3) for name in ("weight", "bias", "drift")}
    for body, share in zip(ENDS, shares, strict=True):
        mock_up, turn = t["mock_up"][body], matrix(t[body]["attitude_wxyz"])
        off = float(mock_up["mass_kg"]) - float(mock_up["believed"]["mass_kg"])
        sums["weight"] += share * off * gravity
        sums["bias"] += share * turn @ np.asarray(t["sensor"]["bias_N"], float)
        drift = np.asarray(t["sensor"]["drift_N_per_s"], float)
        sums["drift"] += share * turn @ drift * 0.5 * float(t["time"]["duration_s"])
    return sums


def _gravity(t: dict[str, Any]) -> np.ndarray:
    laboratory = t["laboratory"]
    return matrix(laboratory["attitude_wxyz"]).T @ np.asarray(laboratory["gravity_m_per_s2"], float)


def _said(f: FreeFlight) -> str:
    words = {"weight": "of uncompensated weight", "bias": "of bias", "drift": "of drift"}
    if len(f.parts) == 1:
        what = f"{f.force_N:.3g} N {words[next(iter(f.parts))]}"
    else:
        listed = ", ".join(f"{size:.3g} N {words[name]}" for name, size in f.parts.items())
        what = f"{f.force_N:.3g} N ({listed})"
    if not f.approach_m_per_s > 0.0:
        against = "where nothing approaches"
    elif f.speed_m_per_s > f.approach_m_per_s:
        against = f"more than the approach ({1e3 * f.approach_m_per_s:.3g} mm/s)"
    else:
        against = f"{100.0 * f.speed_m_per_s / f.approach_m_per_s:.2g} % of the approach"
    return (
        f"{what} act in free flight: {1e3 * f.speed_m_per_s:.3g} mm/s in {f.duration_s:.3g} s, "
        f"{against}."
    )


def _remedy(f: FreeFlight, t: dict[str, Any]) -> str:
    """What to set, with the size that it must have."""
    largest = max(f.parts, key=lambda name: f.parts[name])
    bound = f.force_N + SIGMAS * float(t["sensor"]["noise_N"])
    digits = -math.floor(math.log10(bound)) + 1
    threshold = math.ceil(bound * 10.0**digits) / 10.0**digits
    small = _small(t) * f.approach_m_per_s / f.speed_m_per_s * f.force_N
    if largest == "weight":
        gravity = float(np.linalg.norm(_gravity(t)))
        body = max(
            ENDS,
            key=lambda b: abs(t["mock_up"][b]["mass_kg"] - t["mock_up"][b]["believed"]["mass_kg"]),
        )
        mend = (
            f"weigh the {body}'s tool (mock_up.{body}.believed.mass_kg) to within "
            f"{1e3 * small / gravity:.2g} g"
        )
    else:
        mend = f"tare the sensor (sensor.bias_N) to within {small:.2g} N"
    return (
        f"{mend}, or set sensor.threshold_N = {threshold:g}, which also "
        "hides contact forces below it."
    )
