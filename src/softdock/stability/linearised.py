"""A contact law as a spring and a damper at a depth: itself for the linear laws, the tangent at a
stated depth for the others."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

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
    kind = law["law"]
    if kind in ("spring_damper", "spring_damper_pull"):
        found = Linear(float(law["stiffness_N_per_m"]), float(law["damping_Ns_per_m"]), kind, "")
    elif kind == "hunt_crossley":
        found = _hunt_crossley(law, mass, speed, depth)
    elif kind == "table":
        found = _table(law, mass, speed, depth)
    else:
        raise BadInput(
            Problem(
                f"{key}.law",
                kind,
                "a law that can be linearised: spring_damper, spring_damper_pull, "
                "hunt_crossley or table",
            )
        )
    if not found.stiffness > 0.0:
        raise BadInput(
            Problem(
                f"{key}.stiffness_N_per_m",
                found.stiffness,
                "a number > 0 [N/m]; without stiffness there is no contact to be stable",
            )
        )
    return found


def _hunt_crossley(law: dict[str, Any], mass: float, speed: float, depth: float | None) -> Linear:
    k, n = float(law["stiffness_N_per_m"]), float(law["exponent"])
    if not k > 0.0:
        return Linear(0.0, 0.0, "spring_damper", "")
    d = (
        ((n + 1.0) * mass * speed * speed / (2.0 * k)) ** (1.0 / (n + 1.0))
        if depth is None
        else depth
    )
    stiffness, damping = k * n * d ** (n - 1.0), float(law["lambda_s_per_m"]) * k * d**n
    return Linear(
        stiffness,
        damping,
        "spring_damper",
        f"hunt_crossley, linearised at a depth of {1e3 * d:.4g} mm{_why(depth, speed)}",
    )


def _table(law: dict[str, Any], mass: float, speed: float, depth: float | None) -> Linear:
    rows = np.asarray(law["table_m_N"], float)
    if depth is None:
        d = rows[-1, 0] * np.linspace(0.0, 1.0, 2001)
        force = np.interp(d, rows[:, 0], rows[:, 1])
        energy = np.concatenate([[0.0], np.cumsum(0.5 * (force[1:] + force[:-1]) * np.diff(d))])
        reached = float(np.interp(0.5 * mass * speed * speed, energy, d))
    else:
        reached = depth
    slopes = np.diff(rows[:, 1]) / np.diff(rows[:, 0])
    steepest = float(slopes[rows[:-1, 0] < max(reached, 1e-12)].max())
    note = (
        f"table, linearised as its steepest slope down to a depth of {1e3 * reached:.4g} "
        f"mm{_why(depth, speed)}"
    )
    return Linear(steepest, float(law["damping_Ns_per_m"]), "spring_damper", note)


def _why(depth: float | None, speed: float) -> str:
    return "" if depth is not None else f", where an approach at {1e3 * speed:.4g} mm/s would stop"


def approach_speed(velocity: np.ndarray, normal: np.ndarray) -> float:
    """Speed along the normal [m/s], or all of it, or the slowest assumed."""
    along = abs(float(velocity @ normal))
    for speed in (along, float(np.linalg.norm(velocity))):
        if speed > 1e-9 and math.isfinite(speed):
            return speed
    return SLOWEST
