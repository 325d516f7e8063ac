"""What a sensor's threshold does to an impact: forces below it are read as zero, against drift,
and that is a dead band in the loop.

It is not linear, so one impact at the scenario's approach speed is simulated step by step, with the
dead band and without (impact_restitution.py). It acts both ways, as Li 2026 says. A late spring
gives back more: what is cut at the beginning would have braked, and the end of the larger swing
back loses less. A contact with losses gives back less: its force falls below the threshold while it
still has way to push. A virtual damper that acts while a force is read begins late, ends early, and
absorbs less.

Where the contact both pushes and pulls (a latch) the describing function of the dead band is a real
number below 1: the growth is scaled by it and keeps its sign, and what swings below the threshold
neither grows nor decays.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from softdock.studies.stability.from_scenario import (
    OperatingPoint,
    compute_approach_speed,
    compute_tip_motion,
    loops_of,
)
from softdock.studies.stability.impact_restitution import simulate_impacts
from softdock.studies.stability.loop import Loop

PHASES = 16
STEPS = 41  # of a chart
WORTH_SAYING = 0.01  # of the approach speed


class DeadBand(NamedTuple):
    """One contact pair's impact."""

    point: str
    threshold_N: float
    speed_m_per_s: float
    # largest force of the undamped impact without delay
    peak_N: float
    restitution: float | None  # mean over the sampling phases; None: the contact does not end
    restitution_without: float | None
    left_out: tuple[str, ...]  # methods that the analysis does not know

    def as_dict(self) -> dict[str, Any]:
        return {**self._asdict(), "left_out": list(self.left_out)}


class Sweep(NamedTuple):
    """The restitution of an impact over the dead band, for a chart."""

    threshold_N: np.ndarray
    restitution: np.ndarray  # NaN: the contact does not end
    found: DeadBand

    @property
    def point(self) -> tuple[np.ndarray, np.ndarray]:
        """The scenario's own, as arrays of one."""
        return np.array([self.found.threshold_N]), np.array([self.found.restitution], float)


def sweep_dead_band(loop: Loop, found: DeadBand) -> Sweep:
    """From none to the impact's largest force, or to twice the sensor's threshold if that is more;
    `loop`: that of the contact pair."""
    most = max(found.peak_N, 2.0 * found.threshold_N)
    thresholds = np.linspace(0.0, most, STEPS)
    each = [compute_dead_band_restitution(loop, one / found.speed_m_per_s) for one in thresholds]
    return Sweep(thresholds, np.array(each, float), found)


def compute_dead_band_restitution(loop: Loop, ratio: float) -> float | None:
    """Mean over the sampling phases; `ratio`: threshold over approach speed [Ns/m]. None: the
    contact does not end."""
    found = simulate_impacts(loop, loop.pattern * np.arange(PHASES) / PHASES, dead_band=ratio)
    mean = float(np.mean(found))
    return mean if math.isfinite(mean) else None


def find_dead_bands(scenario: Any, points: list[OperatingPoint] | None = None) -> list[DeadBand]:
    """Of every pair, where the sensor has a threshold; empty without one."""
    threshold = float(scenario.tables["sensor"]["threshold_N"])
    if threshold == 0.0:
        return []
    pairs, found = scenario.tables["contact"], []
    for point, pair in zip(loops_of(scenario) if points is None else points, pairs, strict=False):
        velocity = compute_tip_motion(scenario.tables, pair)[1]
        speed = compute_approach_speed(velocity, np.asarray(point.normal))
        loop = point.loop
        found.append(
            DeadBand(
                point=point.name,
                threshold_N=threshold,
                speed_m_per_s=speed,
                peak_N=speed * math.sqrt(loop.stiffness * loop.mass),
                restitution=compute_dead_band_restitution(loop, threshold / speed),
                restitution_without=compute_dead_band_restitution(loop, 0.0),
                left_out=tuple(one["name"] for one in _list_left_out(scenario)),
            )
        )
    return found


def _list_left_out(scenario: Any) -> list[dict[str, Any]]:
    from softdock.methods.registry import METHODS

    listed = scenario.tables["methods"]
    return [entry for entry in listed if METHODS[entry["name"]].linear_part is None]


def describe_dead_band(found: DeadBand) -> str:
    """One sentence: how large it is, and what it does to the impact."""
    share = found.threshold_N / found.peak_N
    without = f" (without {', '.join(found.left_out)})" if found.left_out else ""
    begins = (
        f"{found.point}: sensor.threshold_N = {found.threshold_N:g} N is a dead band of "
        f"{100.0 * share:.{0 if share >= 0.1 else 1}f} % of the largest force of an impact at "
        f"{1e3 * found.speed_m_per_s:.3g} mm/s, about {found.peak_N:.3g} N"
    )
    e, raw = found.restitution, found.restitution_without
    if share >= 1.0:
        begins += (
            "; nothing is felt before the mock-ups are deeper than the whole impact without it"
        )
    if e is None:
        return f"{begins}: the contact does not end{without}."
    if raw is None:
        return f"{begins}: restitution {e:.4f}{without}; without the dead band it never ends."
    return f"{begins}: restitution {e:.4f}, {raw:.4f} without it{without}; {_judge(e, raw)}."


def _judge(e: float, raw: float) -> str:
    if abs(e - raw) <= WORTH_SAYING:
        return f"it changes the bounce by less than {100.0 * WORTH_SAYING:g} % of the approach"
    if e > raw:
        if e <= 1.0:
            return "the bounce keeps energy that it would lose"
        return "it makes the bounce diverge" + (" more" if raw > 1.0 + WORTH_SAYING else "")
    return "it makes the bounce converge" + (" more" if raw < 1.0 else ", which hides energy added")


def list_dead_band_warnings(scenario: Any) -> list[str]:
    """For `softdock check`: dead bands that change the bounce; none where the contact cannot be
    analysed."""
    from softdock.errors import BadInput

    if not scenario.tables["contact"]:
        return []
    try:
        found = find_dead_bands(scenario)
    except BadInput:
        return []  # a law without a tangent: `stability` says so
    return [describe_dead_band(one) for one in found if is_worth_saying(one)]


def is_worth_saying(found: DeadBand) -> bool:
    e, raw = found.restitution, found.restitution_without
    return e is None or raw is None or abs(e - raw) > WORTH_SAYING
