"""The docking that the recipes of conformance are tried on."""

from __future__ import annotations


def scenario(contact: dict) -> dict:
    """A chaser that flies against the target along x."""
    return {
        "name": "recipe",
        "time": {"cycle_ms": 4.0, "duration_s": 1.6},
        "chaser": {
            "mass_kg": 60.0,
            "inertia_kg_m2": [20.0, 20.0, 20.0],
            "position_m": [0.004, 0.0, 0.0],
            "velocity_m_per_s": [-0.02, 0.0, 0.0],
        },
        "target": {"mass_kg": 60.0, "inertia_kg_m2": [20.0, 20.0, 20.0]},
        "contact": [contact],
    }
