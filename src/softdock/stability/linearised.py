"""A contact law as a spring and a damper at a depth: itself for the linear laws, the tangent at a
stated depth for the others."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from softdock.core.shapes.laws import LAW_MODELS, law_named
from softdock.errors import BadInput, Problem

SLOWEST = 0.01  # m/s; the approach that is assumed where a scenario has none


class Linear(NamedTuple):
    stiffness: float  # N/m
    damping: float  # Ns/m
    law: str  # of a one-sided impact
    note: str  # what was linearised, and where; empty: nothing


def linearise(
    law: dict[str, Any], key: str, mass: float, speed: float, depth: float | None
) -> Linear:
    """Spring and damper of a law. Non-linear ones at `depth` [m], or at the depth where the
    approach at `speed` [m/s] would stop without losses."""
    chosen = law_named(law["law"])
    if chosen.tangent is None:
        able = ", ".join(one.name for one in LAW_MODELS if one.tangent is not None)
        raise BadInput(Problem(f"{key}.law", law["law"], f"a law that can be linearised: {able}"))
    stiffness, damping, reached = chosen.tangent(law, mass, speed, depth)
    if math.isnan(reached):  # a spring and a damper at every depth
        one_sided = chosen.name if chosen.pulls else "spring_damper"
        found = Linear(stiffness, damping, one_sided, "")
    else:
        note = f"{chosen.name}, {chosen.linearised} {1e3 * reached:.4g} mm{_why(depth, speed)}"
        found = Linear(stiffness, damping, "spring_damper", note)
    if not found.stiffness > 0.0:
        raise BadInput(
            Problem(
                f"{key}.stiffness_N_per_m",
                found.stiffness,
                "a number > 0 [N/m]; without stiffness there is no contact to be stable",
            )
        )
    return found


def _why(depth: float | None, speed: float) -> str:
    return "" if depth is not None else f", where an approach at {1e3 * speed:.4g} mm/s would stop"


def approach_speed(velocity: np.ndarray, normal: np.ndarray) -> float:
    """Speed along the normal [m/s], or all of it, or the slowest assumed."""
    along = abs(float(velocity @ normal))
    for speed in (along, float(np.linalg.norm(velocity))):
        if speed > 1e-9 and math.isfinite(speed):
            return speed
    return SLOWEST
