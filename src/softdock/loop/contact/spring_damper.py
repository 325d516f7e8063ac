"""Linear law: f = k d + b d', clamped at zero, since a contact never pulls. The papers' unclamped
law is there by its own name. In: depth d [m] and rate [m/s]. Out: force [N]; stored energy k d^2 /
2 [J].
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softdock.compile.jit import compiled
from softdock.loop.contact.law import ContactLaw, Tangent

if TYPE_CHECKING:
    from softdock.loop.contact.law import Law


@compiled
def linear_elastic(vector, law: Law, depth):
    return law.stiffness * depth


@compiled
def linear_continued(vector, law: Law, row, depth):
    return law.stiffness * depth


@compiled
def linear_damped(law: Law, elastic, rate):
    return elastic + law.damping * rate


@compiled
def linear_stored(vector, law: Law, depth):
    return 0.5 * law.stiffness * depth * depth


@compiled
def no_row(vector, law: Law, depth):
    return 0


@compiled
def own_stiffness(vector, law: Law):
    return law.stiffness


@compiled
def linear_pace(vector, law: Law, steepest, depth, speed, mobility, outside):
    """Frequency squared [1/s^2] of a touch on its effective mass, and its rate of damping [1/s].

    `steepest`: slope of the law [N/m]; `outside`: force that may press on the touch from outside
    [N].
    """
    return steepest * mobility, law.damping * mobility


def _tangent(law: Mapping[str, Any], mass: float, speed: float, depth: float | None) -> Tangent:
    return Tangent(float(law["stiffness_N_per_m"]), float(law["damping_Ns_per_m"]), math.nan)


def _lasting(vector: np.ndarray, stiffness: float, table: int) -> float:
    return stiffness


SPRING_DAMPER_LAW = ContactLaw(
    "spring_damper",
    keys=("stiffness", "damping"),
    numbers=("stiffness", "damping", ""),
    elastic=linear_elastic,
    damped=linear_damped,
    stored=linear_stored,
    continued=linear_continued,
    row=no_row,
    steepest=own_stiffness,
    pace=linear_pace,
    is_linear=True,
    tangent=_tangent,
    lasting=_lasting,
)
PULLING_LAW = replace(SPRING_DAMPER_LAW, name="spring_damper_pull", pulls=True)
