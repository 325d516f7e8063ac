"""Margins when parameters are not known exactly: the worst case over intervals, and the probability
of being stable over distributions.

An uncertain parameter is `Interval(low, high)` (a uniform distribution when sampled) or
`Normal(mean, deviation)` (cut at three deviations, which are also its worst case). Names: mass,
stiffness, damping, virtual_damping, delay. SI.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.studies.stability import closed_forms
from softdock.studies.stability.critical import find_critical_delay
from softdock.studies.stability.loop import Loop, is_plain
from softdock.studies.stability.roots import dominant_root, is_stable

NAMES = ("mass", "stiffness", "damping", "virtual_damping", "delay")
DEVIATIONS = 3.0
LEVELS = 3  # values of each parameter that are tried for the worst case: both ends and the middle


class Interval(NamedTuple):
    low: float
    high: float


class Normal(NamedTuple):
    mean: float
    deviation: float


def robust_margins(
    loop: Loop, uncertain: Mapping[str, Interval | Normal], samples: int = 1000, seed: int = 0
) -> dict[str, Any]:
    """Worst case and probability. `worst`: the corner of the box with the fastest growth, and its
    delay margin; probability with its standard error."""
    _check_uncertain(uncertain, samples)
    ends = {name: _get_ends(value) for name, value in uncertain.items()}
    grid = [np.linspace(low, high, LEVELS) for low, high in ends.values()]
    corners = [dict(zip(ends, map(float, values))) for values in itertools.product(*grid)]
    growths = [dominant_root(loop.changed(**corner)).real for corner in corners]
    worst = corners[int(np.argmax(growths))]
    at_worst = loop.changed(**worst)
    stable = _find_stable(loop, _draw_parameters(uncertain, samples, seed))
    share = float(np.mean(stable))
    return {
        "worst_case": worst,
        "worst_case_stable": is_stable(at_worst),
        "worst_case_growth_rate_per_s": float(max(growths)),
        "worst_case_delay_margin_s": find_critical_delay(at_worst) - at_worst.delay,
        "probability_stable": share,
        "probability_standard_error": math.sqrt(share * (1.0 - share) / samples),
        "samples": samples,
        "seed": seed,
    }


def _check_uncertain(uncertain: Mapping[str, Interval | Normal], samples: int) -> None:
    problems = [
        Problem("uncertain", name, "one of " + ", ".join(NAMES))
        for name in uncertain
        if name not in NAMES
    ]
    for name, value in uncertain.items():
        low, high = _get_ends(value)
        if not (low <= high and math.isfinite(low) and math.isfinite(high)):
            problems.append(
                Problem(f"uncertain.{name}", tuple(value), "low <= high, or a deviation >= 0")
            )
        elif low < 0.0 or (low == 0.0 and name in ("mass", "stiffness")):
            problems.append(
                Problem(
                    f"uncertain.{name}",
                    tuple(value),
                    f"values that stay above 0; this one reaches {low:.4g}",
                )
            )
    if not uncertain:
        problems.append(Problem("uncertain", None, "at least one parameter"))
    if samples < 1:
        problems.append(Problem("samples", samples, "a whole number >= 1"))
    if problems:
        raise BadInput(problems)


def _get_ends(value: Interval | Normal) -> tuple[float, float]:
    if isinstance(value, Interval):
        return value.low, value.high
    return value.mean - DEVIATIONS * value.deviation, value.mean + DEVIATIONS * value.deviation


def _draw_parameters(
    uncertain: Mapping[str, Interval | Normal], samples: int, seed: int
) -> dict[str, np.ndarray]:
    random = np.random.Generator(np.random.Philox(seed))
    found = {}
    for name, value in uncertain.items():
        if isinstance(value, Interval):
            found[name] = random.uniform(value.low, value.high, samples)
        else:  # cut at three deviations, where the worst case is: no draw leaves the box
            draws = random.standard_normal(samples)
            while np.any(np.abs(draws) > DEVIATIONS):
                far = np.abs(draws) > DEVIATIONS
                draws[far] = random.standard_normal(int(far.sum()))
            found[name] = value.mean + value.deviation * draws
    return found


def _find_stable(loop: Loop, drawn: dict[str, np.ndarray]) -> np.ndarray:
    if is_plain(loop) and "virtual_damping" not in drawn:
        m, b, k = (
            drawn.get(name, getattr(loop, name)) for name in ("mass", "damping", "stiffness")
        )
        return np.asarray(drawn.get("delay", loop.delay) < closed_forms.critical_delay(m, b, k))
    rows = zip(*drawn.values())
    return np.array([is_stable(loop.changed(**dict(zip(drawn, map(float, row))))) for row in rows])
