"""Scenarios that the tests share, as the tables a user would write. Every builder returns a fresh
dict."""

from __future__ import annotations

import copy
from typing import Any

# Inertia with all products, principal moments well apart: nothing in a test may depend on a body
# being symmetric.
CHASER_INERTIA = [[30.0, 2.0, -1.5], [2.0, 40.0, 3.0], [-1.5, 3.0, 55.0]]  # kg m^2
TARGET_INERTIA = [[80.0, -6.0, 4.0], [-6.0, 95.0, 5.0], [4.0, 5.0, 60.0]]  # kg m^2


def epos_wall(
    delay_ms: float = 16.0,
    integrator: str = "exact_hold",
    mass_kg: float = 63.0,
    stiffness: float = 1000.0,
    phase: float = 0.0,
    interpolation: str = "hermite",
    speed: float = 0.02,
) -> dict[str, Any]:
    """EPOS in one dimension (Zebenay, section 5): a mass on a robot meets a wall. `phase`: fraction
    of a cycle by which the touch is later."""
    return {
        "time": {"cycle_ms": 4.0, "duration_s": 3.0},
        "satellites": {"integrator": integrator},
        "chaser": {
            "mass_kg": mass_kg,
            "inertia_kg_m2": [10.0, 10.0, 10.0],
            "position_m": [0.01 + speed * 0.004 * phase, 0.0, 0.0],
            "velocity_m_per_s": [-speed, 0.0, 0.0],
        },
        "target": {"fixed": True, "mass_kg": 100.0, "inertia_kg_m2": [10.0, 10.0, 10.0]},
        "robots": {
            "chaser": {"delay_ms": delay_ms, "interpolation": interpolation},
            "target": {"delay_ms": delay_ms, "interpolation": interpolation},
        },
        "contact": [
            {"geometry": "wall", "axis": [1.0, 0.0, 0.0], "real": {"stiffness_N_per_m": stiffness}}
        ],
    }


# an arm of three joints on 60 kg, its probe towards -x: keys of `servicer_arm`
ARM_ON_A_SERVICER = {
    "joints": [
        [-0.8, 0.0, 0.0, 0.0, 0.0, 1.0, 200.0, 1.0],
        [-0.6, 0.0, 0.0, 0.0, 1.0, 0.0, 300.0, 2.0],
        [-0.4, 0.02, 0.0, 1.0, 0.0, 1.0, 400.0, 0.0],
    ],
    "links": [
        [2.0, -0.9, 0.0, 0.0, 0.01, 0.03, 0.03, 0.0, 0.0, 0.0],
        [1.5, -0.7, 0.0, 0.01, 0.01, 0.02, 0.02, 0.001, 0.0, 0.0],
        [2.5, -0.5, 0.01, 0.0, 0.02, 0.04, 0.04, 0.0, 0.002, 0.0],
    ],
}


def cone_docking(
    integrator: str = "exact_hold",
    delay_ms: float = 0.0,
    duration_s: float = 4.0,
    damping: float = 0.0,
) -> dict[str, Any]:
    """A probe in a closed cone, off centre, both bodies free, turning, with full inertia: several
    contacts with wall and bottom.

    The cone is that of the EPOS 3-D preset; masses, speed and rates are
    ours, chosen to touch often in a few seconds.
    """
    return {
        "time": {"cycle_ms": 4.0, "duration_s": duration_s},
        "satellites": {"integrator": integrator},
        "chaser": {
            "mass_kg": 60.0,
            "inertia_kg_m2": copy.deepcopy(CHASER_INERTIA),
            "position_m": [2.01, 0.028, 0.012],
            "velocity_m_per_s": [-0.05, 0.002, 0.0],
            "rate_rad_per_s": [0.05, -0.004, 0.006],
        },
        "target": {
            "mass_kg": 150.0,
            "inertia_kg_m2": copy.deepcopy(TARGET_INERTIA),
            "velocity_m_per_s": [0.003, 0.0, -0.001],
            "rate_rad_per_s": [-0.03, 0.002, 0.001],
        },
        "robots": {"chaser": {"delay_ms": delay_ms}, "target": {"delay_ms": delay_ms}},
        "contact": [
            {
                "geometry": "cone",
                "tip_m": [-1.0, 0.0, 0.0],
                "tip_radius_m": 0.01,
                "origin_m": [1.0, 0.0, 0.0],
                "axis": [1.0, 0.0, 0.0],
                "mouth_radius_m": 0.05,
                "bottom_radius_m": 0.02,
                "half_angle_deg": 20.0,
                "closed_bottom": True,
                "real": {"stiffness_N_per_m": 4000.0, "damping_Ns_per_m": damping},
            }
        ],
    }


def sphere_on_sphere(
    integrator: str = "exact_hold",
    delay_ms: float = 0.0,
    duration_s: float = 1.5,
    damping: float = 0.0,
) -> dict[str, Any]:
    """Two balls on arms hit off centre, both bodies free and turning, with full inertia: one
    contact with a normal along no axis."""
    return {
        "time": {"cycle_ms": 4.0, "duration_s": duration_s},
        "satellites": {"integrator": integrator},
        "chaser": {
            "mass_kg": 80.0,
            "inertia_kg_m2": copy.deepcopy(CHASER_INERTIA),
            "position_m": [0.9, 0.05, -0.03],
            "attitude_wxyz": [0.9, 0.1, -0.3, 0.2],
            "velocity_m_per_s": [-0.1, 0.01, 0.02],
            "rate_rad_per_s": [0.1, 0.05, -0.08],
        },
        "target": {
            "mass_kg": 120.0,
            "inertia_kg_m2": copy.deepcopy(TARGET_INERTIA),
            "attitude_wxyz": [0.8, 0.2, 0.1, -0.4],
            "velocity_m_per_s": [0.02, 0.0, 0.01],
            "rate_rad_per_s": [-0.06, 0.04, 0.02],
        },
        "robots": {"chaser": {"delay_ms": delay_ms}, "target": {"delay_ms": delay_ms}},
        "contact": [
            {
                "geometry": "sphere",
                "tip_m": [-0.1, 0.1, 0.05],
                "tip_radius_m": 0.3,
                "origin_m": [0.1, 0.05, -0.05],
                "sphere_radius_m": 0.35,
                "real": {"stiffness_N_per_m": 2000.0, "damping_Ns_per_m": damping},
            }
        ],
    }


def hard_for_the_core(integrator: str = "exact_hold", duration_s: float = 4.0) -> dict[str, Any]:
    """Everything at once: cone, full inertia, damping, fractional delays that differ, a 1 kHz
    sensor with noise, two plant steps a cycle."""
    tables = cone_docking(integrator, duration_s=duration_s, damping=15.0)
    tables["time"]["plant_steps"] = 2
    tables["robots"] = {
        "chaser": {"delay_ms": 14.3},
        "target": {"delay_ms": 9.0, "delay_wobble_ms": 1.0, "delay_wobble_Hz": 3.0},
    }
    tables["sensor"] = {"period_ms": 1.0, "handover": "mean", "noise_N": 0.25, "noise_Nm": 0.02}
    tables["random"] = {"seed": 2024, "run": 7}
    return tables


def whole_facility(integrator: str = "exact_hold", duration_s: float = 4.0) -> dict[str, Any]:
    """`hard_for_the_core` with all the facility has: a robot that lags and one with limits, losses
    and jitter, heavy mock-ups believed a little wrong, sensors on both with all their electronics,
    late poses, a hand, a thruster, a shared laboratory, a tabulated law with friction."""
    tables = hard_for_the_core(integrator, duration_s)
    tables["robots"] = {
        "chaser": {
            "model": "lag",
            "delay_ms": 5.0,
            "lag_Hz": 9.0,
            "lag_damping_ratio": 0.7,
            "dropout_probability": 0.05,
        },
        "target": {
            "model": "limited",
            "delay_ms": 4.0,
            "delay_jitter_ms": 1.0,
            "max_acceleration_m_per_s2": 0.8,
            "max_jerk_m_per_s3": 15.0,
        },
    }
    heavy = {
        "mass_kg": 10.0,
        "centre_m": [0.1, -0.05, 0.2],
        "inertia_kg_m2": [0.3, 0.4, 0.5],
        "sensor_m": [-0.1, 0.0, 0.05],
    }
    tables["mock_up"] = {
        "chaser": heavy | {"believed": {"mass_kg": 9.99, "acceleration": "measured"}},
        "target": dict(heavy),
    }
    tables["sensor"] |= {
        "on": "both",
        "delay_ms": 2.0,
        "bias_N": [0.01, 0.0, -0.01],
        "lowpass_Hz": 60.0,
        "range_N": 100.0,
    }
    tables["pose"] = {
        "delay_ms": 16.0,
        "period_ms": 10.0,
        "noise_m": 1e-4,
        "noise_rad": 1e-4,
        "dropout_probability": 0.1,
    }
    tables["hand"] = {
        "chaser": {
            "rows": [[0.2, 0.1, 0.0, 0.2, 0.0, 0.0, 0.01], [0.6, 0.0, 0.1, 0.0, 0.01, 0.0, 0.0]],
            "frame": "body",
        }
    }
    tables["external"] = {
        "target": {
            "rows": [[0.0, 0.0, 0.1, 0.0, 0.0, 0.01, 0.0], [2.0, -0.1, 0.0, 0.0, 0.0, 0.0, 0.02]]
        }
    }
    tables["laboratory"] = {
        "mapping": "shared",
        "chaser_share": 0.7,
        "attitude_wxyz": [0.8, 0.1, 0.5, -0.2],
    }
    tables["contact"][0]["real"] = {
        "law": "table",
        "table_m_N": [[0.0, 0.0], [0.001, 2.0], [0.01, 50.0]],
        "damping_Ns_per_m": 15.0,
        "friction": 0.2,
    }
    return tables


def virtual_elements(duration_s: float = 4.0) -> dict[str, Any]:
    """`hard_for_the_core` with late poses, the tip on four springs, and methods with virtual
    elements, all acting; in the loop of Zebenay's test in 3-D. Adaptive damping alone:
    `virtual_damping`."""
    tables = hard_for_the_core(duration_s=duration_s)
    tables["pose"] = {"delay_ms": 10.0}
    tables["contact"][0]["device"] = {
        "model": "four_springs",
        "stiffness_N_per_m": [6000.0, 5000.0, 7000.0, 4000.0],
        "direction_1": [0.0, 1.0, 0.1],
        "direction_2": [0.0, -0.5, 0.9],
        "direction_3": [0.1, -0.5, -0.8],
        "direction_4": [1.0, 0.0, 0.0],
        "lever_m": [0.1, 0.12],
    }
    damping = {"damping_Ns_per_m": [5.0, 4.0, 3.0], "rotation_damping_Nms_per_rad": [0.1, 0.2, 0.3]}
    tables["methods"] = [
        {
            "name": "hybrid",
            "frame": "target",
            "tip_m": [-1.0, 0.0, 0.0],
            "stiffness_N_per_m": [50.0, 40.0, 30.0],
            **damping,
            "contact_N": 0.6,
        }
        | {"gains": [[0.3, 80.0, 20.0, 20.0, 10.0, 1.0, 1.0]]},
        {
            "name": "monitor",
            "action": "damp",
            "bound_J": 1e-5,
            "damping_Ns_per_m": 20.0,
            "contact_N": 0.6,
            "frame": "chaser",
        },
    ]
    return tables


def virtual_damping(duration_s: float = 4.0) -> dict[str, Any]:
    """The same rig with adaptive damping in the place of the others."""
    damping = {"name": "adaptive_damping", "stiffness_N_per_m": 2000.0, "delay_ms": 12.0}
    return virtual_elements(duration_s) | {"methods": [damping | {"contact_N": 0.6}]}


def lange_impact(phase: float = 0.0, cycle_ms: float = 4.0, **robot: Any) -> dict[str, Any]:
    """Lange's central impact (Fig. 6): two free bodies of 100 kg, one at 0.1 m/s against the
    other's wall, 50 N/mm, the measured force fed straight to the satellites. `phase`: fraction of a
    cycle by which the touch is later; `robot`: keys of both robots."""
    speed = 0.1  # m/s
    return {
        "time": {"cycle_ms": cycle_ms, "duration_s": 2.0},
        "satellites": {"integrator": "symplectic_euler"},
        "chaser": {
            "mass_kg": 100.0,
            "inertia_kg_m2": [10.0, 10.0, 10.0],
            "position_m": [-0.05 - speed * 1e-3 * cycle_ms * phase, 0.0, 0.0],
            "velocity_m_per_s": [speed, 0.0, 0.0],
        },
        "target": {"mass_kg": 100.0, "inertia_kg_m2": [10.0, 10.0, 10.0]},
        "robots": {"chaser": dict(robot), "target": dict(robot)},
        "contact": [
            {"geometry": "wall", "axis": [-1.0, 0.0, 0.0], "real": {"stiffness_N_per_m": 50000.0}}
        ],
    }
