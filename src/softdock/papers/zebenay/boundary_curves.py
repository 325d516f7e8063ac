"""Curves of Zebenay's Fig. 5: the boundary of stability against delay."""

from __future__ import annotations

import numpy as np

from softdock.papers.zebenay.loops import critical_delay_of_the_loop
from softdock.papers.zebenay.models import Chaser
from softdock.report.frame.charts import Line
from softdock.stability import (
    critical_dampings,
    critical_delay,
    critical_stiffness,
    nose,
)


def simulated_critical_delay(mass: float, damping: float, stiffness: float) -> float:
    """By bisection on the growth of simulated runs [s]."""
    chaser = Chaser(
        mass=mass,
        inertia=10.0 * np.eye(3),
        lever=np.zeros(3),
        stiffness=stiffness,
        damping=damping,
        normal=np.array([1.0, 0.0, 0.0]),
    )
    guess = critical_delay(mass, damping, stiffness)
    return critical_delay_of_the_loop(chaser, guess, tolerance=1e-4)


def damping_against_delay(mass: float, stiffness: float, name: str, role: str) -> list[Line]:
    """Both branches, joined at the nose: Fig. 5a."""
    longest, _ = nose(mass, stiffness)
    h = longest * np.sin(np.linspace(0.02, 0.5 * np.pi, 300))
    lower, upper = critical_dampings(mass, stiffness, h)
    return [
        Line(
            name,
            role,
            1e3 * np.concatenate([h, h[::-1]]),
            np.concatenate([lower, upper[::-1]]),
            extra={"mode": "lines"},
        )
    ]


def stiffness_against_delay(mass: float, damping: float, name: str, role: str) -> list[Line]:
    """Fig. 5b."""
    h = np.linspace(0.002, 0.3, 400)
    return [Line(name, role, 1e3 * h, np.asarray(critical_stiffness(mass, damping, h)))]


def delay_against_mass(damping: float, stiffness: float, name: str, role: str) -> list[Line]:
    """Fig. 5c."""
    m = np.geomspace(0.3, 300.0, 300)
    return [Line(name, role, m, 1e3 * np.asarray(critical_delay(m, damping, stiffness)))]
