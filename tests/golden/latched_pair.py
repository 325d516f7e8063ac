"""Pairs that a latch holds, for the tests of latches."""

from __future__ import annotations

import math


def held(k=4000.0, b=0.0, delay_ms=16.0, duration_s=30.0, speed=0.001, **tables):
    """Two 3000 kg bodies on one axis; the latch catches the tip 3 mm before it would touch."""
    body = {"mass_kg": 3000.0, "inertia_kg_m2": [500.0, 500.0, 500.0]}
    return {
        "time": {"cycle_ms": 4.0, "duration_s": duration_s},
        "chaser": {
            **body,
            "position_m": [-1.0031, 0.0, 0.0],
            "velocity_m_per_s": [speed, 0.0, 0.0],
        },
        "target": body,
        "robots": {"chaser": {"delay_ms": delay_ms}, "target": {"delay_ms": delay_ms}},
        "contact": [
            {
                "geometry": "wall",
                "axis": [-1.0, 0.0, 0.0],
                "tip_m": [1.0, 0.0, 0.0],
                "real": {"stiffness_N_per_m": 2000.0},
            }
        ],
        "capture": {
            "within_m": 0.003,
            "below_m_per_s": 0.02,
            "latch": [
                {
                    "place_m": [-0.0015, 0.0, 0.0],
                    "real": {"stiffness_N_per_m": [k, 0.0, 0.0], "damping_Ns_per_m": [b, 0.0, 0.0]},
                }
            ],
        },
        **tables,
    }


def docking(duration_s=3.0, **latch):
    """In all six axes: off the axis, turned, damped, pulled in and hardened."""
    tables = held(duration_s=duration_s, delay_ms=0.0)
    half = math.radians(2.0) / 2.0
    tables["time"]["plant_steps"] = 8
    tables["chaser"] |= {
        "mass_kg": 300.0,
        "inertia_kg_m2": [50.0, 60.0, 70.0],
        "position_m": [-1.005, 0.002, -0.001],
        "velocity_m_per_s": [0.01, 0.0005, 0.0],
        "attitude_wxyz": [math.cos(half), 0.0, 0.0, math.sin(half)],
        "rate_rad_per_s": [0.001, -0.002, 0.0005],
    }
    tables["target"] = {"mass_kg": 500.0, "inertia_kg_m2": [100.0, 90.0, 120.0]}
    tables["capture"] = {
        "within_m": 0.05,
        "below_m_per_s": 0.02,
        "for_s": 0.1,
        "latch": [
            {
                "place_m": [-0.004, 0.002, 0.0],
                "real": {
                    "stiffness_N_per_m": [4000.0, 2000.0, 3000.0],
                    "damping_Ns_per_m": [30.0, 10.0, 20.0],
                    "stiffness_Nm_per_rad": [200.0, 300.0, 500.0],
                    "damping_Nms_per_rad": [3.0, 2.0, 1.0],
                },
                "pull_in_s": 0.5,
                "soft_share": 0.3,
                **latch,
            }
        ],
    }
    return tables
