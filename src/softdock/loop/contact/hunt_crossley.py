"""f = k d^n (1 + lambda d'), clamped at zero (Hunt and Crossley 1975). In: depth d [m], rate [m/s].
Out: force [N]; stored energy k d^(n+1) / (n+1) [J].
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from softdock.compile.jit import compiled
from softdock.loop.contact.law import ContactLaw, Tangent
from softdock.loop.contact.spring_damper import no_row, own_stiffness

if TYPE_CHECKING:
    from softdock.loop.contact.law import Law


@compiled
def hunt_elastic(vector, law: Law, depth):
    if law.exponent == 1.0:
        return law.stiffness * depth
    return law.stiffness * math.pow(depth, law.exponent)


@compiled
def hunt_continued(vector, law: Law, row, depth):
    return hunt_elastic(vector, law, max(depth, 0.0))


@compiled
def hunt_damped(law: Law, elastic, rate):
    return elastic * (1.0 + law.damping * rate)


@compiled
def hunt_stored(vector, law: Law, depth):
    return law.stiffness * math.pow(depth, law.exponent + 1.0) / (law.exponent + 1.0)


@compiled
def hunt_pace(vector, law: Law, steepest, depth, speed, mobility, outside):
    """Pace as of a spring with the slope at the deepest point that the touch may reach."""
    if law.stiffness == 0.0 or mobility == 0.0:
        return 0.0, 0.0
    energy = hunt_stored(vector, law, max(depth, 0.0)) + 0.5 * speed * speed / mobility
    deepest = math.pow((law.exponent + 1.0) * energy / law.stiffness, 1.0 / (law.exponent + 1.0))
    deepest += 2.0 * math.pow(outside / law.stiffness, 1.0 / law.exponent)
    if deepest <= 0.0:
        return 0.0, 0.0
    force = hunt_elastic(vector, law, deepest)
    return law.exponent * force / deepest * mobility, law.damping * force * mobility


def _tangent(law: Mapping[str, Any], mass: float, speed: float, depth: float | None) -> Tangent:
    k, n = float(law["stiffness_N_per_m"]), float(law["exponent"])
    if not k > 0.0:
        return Tangent(0.0, 0.0, math.nan)
    d = (
        ((n + 1.0) * mass * speed * speed / (2.0 * k)) ** (1.0 / (n + 1.0))
        if depth is None
        else depth
    )
    return Tangent(k * n * d ** (n - 1.0), float(law["lambda_s_per_m"]) * k * d**n, d)


def _lasting(vector: np.ndarray, stiffness: float, table: int) -> float:
    """None: its stiffness is no N/m, and how long a touch lasts depends on its speed."""
    return 0.0


HUNT_CROSSLEY_LAW = ContactLaw(
    "hunt_crossley",
    keys=("stiffness", "exponent", "lambda"),
    numbers=("stiffness", "lambda", "exponent"),
    elastic=hunt_elastic,
    damped=hunt_damped,
    stored=hunt_stored,
    continued=hunt_continued,
    row=no_row,
    steepest=own_stiffness,  # which is not a slope: hunt_pace does not use it
    pace=hunt_pace,
    graded=True,
    tangent=_tangent,
    lasting=_lasting,
)
