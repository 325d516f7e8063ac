"""Franken's Table I, and the motions of Figs. 5 and 6."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softdock.networks.models import standard_linear_solid
from softdock.networks.network import Network


class Column(NamedTuple):
    """One column of Table I; N/m, N/m, Ns/m, m."""

    k1: float
    k2: float
    b1: float
    wall: float


SIMULATION = Column(500.0, 50.0, 100.0, -0.2)
EXPERIMENT = Column(50.0, 50.0, 40.0, -0.11)
AMPLITUDE, FREQUENCY = 0.21, 0.5  # m, Hz; of Fig. 5's motion
RATES = (100, 200, 500, 1000, 2000, 5000, 10000)  # Hz


def solid(column: Column) -> Network:
    return standard_linear_solid(column.k1, column.k2, column.b1)


def sine(t: np.ndarray) -> np.ndarray:
    """Fig. 5's motion relative to the wall, phase sin(t = 0) [m]."""
    return AMPLITUDE * np.sin(2.0 * np.pi * FREQUENCY * t) - SIMULATION.wall


def sine_velocity(t: np.ndarray) -> np.ndarray:
    return 2.0 * np.pi * FREQUENCY * AMPLITUDE * np.cos(2.0 * np.pi * FREQUENCY * t)


def push(
    t: np.ndarray, start: float = 0.02, depth: float = 0.04, duration: float = 0.5
) -> np.ndarray:
    """Fig. 6: from 20 mm before the wall to 40 mm inside it in 0.5 s, minimum jerk, then held;
    relative to the wall [m]. Assumed: not published."""
    s = np.clip(t / duration, 0.0, 1.0)
    return start - (start + depth) * s**3 * (10.0 - 15.0 * s + 6.0 * s * s)
