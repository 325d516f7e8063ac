"""The scenarios that the benchmarks time, as plain tables."""

from __future__ import annotations

import math
from typing import Any

CYCLE_S = 0.004
CHASER_INERTIA = [[22.0, 1.5, -0.8], [1.5, 25.0, 2.1], [-0.8, 2.1, 18.0]]  # kg m^2
TARGET_INERTIA = [[60.0, -3.0, 1.2], [-3.0, 55.0, 4.0], [1.2, 4.0, 70.0]]
TIP_RADIUS, MOUTH, BOTTOM, HALF_ANGLE_DEG = (
    0.005,
    0.05,
    0.02,
    20.0,
)  # m, m, m; the cone of the EPOS 3-D preset


def epos_1d(duration_s: float = 3.0) -> dict[str, Any]:
    """A mass against a fixed wall, 16 ms late."""
    return {
        "name": "EPOS 1-D",
        "time": {"cycle_ms": 1e3 * CYCLE_S, "duration_s": duration_s},
        "chaser": {
            "mass_kg": 63.0,
            "inertia_kg_m2": [10.0, 10.0, 10.0],
            "position_m": [0.01, 0.0, 0.0],
            "velocity_m_per_s": [-0.02, 0.0, 0.0],
        },
        "target": {"fixed": True, "mass_kg": 100.0, "inertia_kg_m2": [10.0, 10.0, 10.0]},
        "robots": {"chaser": {"delay_ms": 16.0}, "target": {"delay_ms": 16.0}},
        "contact": [
            {"geometry": "wall", "axis": [1.0, 0.0, 0.0], "real": {"stiffness_N_per_m": 1000.0}}
        ],
    }


def cone(
    duration_s: float,
    stiffness: float = 4000.0,
    gap: float = 0.01,
    offset: float = 0.035,
    speed: float = 0.015,
) -> dict[str, Any]:
    """Two free bodies with full inertia, a probe into a closed cone, 16 ms late. `gap`: of the
    tip's centre to the mouth."""
    return {
        "name": "probe in cone",
        "time": {"cycle_ms": 1e3 * CYCLE_S, "duration_s": duration_s},
        "chaser": {
            "mass_kg": 60.0,
            "inertia_kg_m2": CHASER_INERTIA,
            "position_m": [offset, 0.0, 2.0 + gap],
            "velocity_m_per_s": [0.0, 0.0, -speed],
            "rate_rad_per_s": [0.0004, -0.0003, 0.001],
        },
        "target": {
            "mass_kg": 100.0,
            "inertia_kg_m2": TARGET_INERTIA,
            "rate_rad_per_s": [-0.0002, 0.0003, 0.0005],
        },
        "robots": {"chaser": {"delay_ms": 16.0}, "target": {"delay_ms": 16.0}},
        "contact": [
            {
                "geometry": "cone",
                "tip_m": [0.0, 0.0, -1.0],
                "tip_radius_m": TIP_RADIUS,
                "origin_m": [0.0, 0.0, 1.0],
                "axis": [0.0, 0.0, 1.0],
                "mouth_radius_m": MOUTH,
                "bottom_radius_m": BOTTOM,
                "half_angle_deg": HALF_ANGLE_DEG,
                "closed_bottom": True,
                "real": {"stiffness_N_per_m": stiffness},
            }
        ],
    }


def pressed(duration_s: float, noisy: bool = False) -> dict[str, Any]:
    """The cone with a spring so soft that the contact outlasts 40 s: every cycle after the first
    few is in contact."""
    depth = (MOUTH - BOTTOM) / math.tan(math.radians(HALF_ANGLE_DEG))
    tables = cone(
        duration_s, stiffness=0.2, gap=TIP_RADIUS + 1e-5 - depth, offset=0.004, speed=0.01
    )
    if noisy:
        tables["sensor"] = {"noise_N": 1e-4, "noise_Nm": 1e-4}  # too small to part the bodies
    return tables
