"""Scenarios with arms that the tests share: two KR 16 face each other, one pushes the other's
plate. All of them run in one compiled loop."""

from __future__ import annotations

import copy
from typing import Any

HALF = 1.0  # m, from a satellite's centre of mass to where it is touched
ELASTIC = {"model": "arm", "delay_ms": 4.0, "elastic_joints": True}
HARD, HEAVY, SLOW = 2e5, 2e4, 0.005  # N/m, kg, m/s


def mounts(arm: Any = "kr16") -> dict[str, Any]:
    """Two arms, 0.3 m of tool, mock-ups that face each other along x."""
    front = {"mock_up_m": [0.3, 0.0, 0.0], "centre_of_mass_m": [-HALF, 0.0, 0.0]}
    back = {"mock_up_m": [0.3, 0.0, 0.0], "centre_of_mass_m": [HALF, 0.0, 0.0]}
    return {
        "chaser": {"arm": copy.deepcopy(arm), "base_m": [-2.6, 0.6, -1.0], **front},
        "target": {
            "arm": copy.deepcopy(arm),
            "base_m": [0.7, 0.6, -1.0],
            "base_wxyz": [0.0, 0.0, 0.0, 1.0],
            "mock_up_wxyz": [0.0, 0.0, 0.0, 1.0],
            **back,
        },
    }


def bump(
    robots: dict[str, Any], seconds: float = 0.2, arm: Any = "kr16", **tables: Any
) -> dict[str, Any]:
    """Two bodies of 60 kg meet at 0.1 m/s; `robots`: keys of both robots."""
    made = {
        "time": {"cycle_ms": 4.0, "duration_s": seconds},
        "chaser": {
            "mass_kg": 60.0,
            "inertia_kg_m2": [20.0] * 3,
            "position_m": [-2.0 * HALF - 5e-4, 0.0, 0.0],
            "velocity_m_per_s": [0.1, 0.0, 0.0],
        },
        "target": {"mass_kg": 60.0, "inertia_kg_m2": [20.0] * 3},
        "robots": {"chaser": dict(robots), "target": dict(robots)},
        "sensor": {"period_ms": 1.0},
        "contact": [
            {
                "geometry": "wall",
                "tip_m": [HALF, 0.0, 0.0],
                "origin_m": [-HALF, 0.0, 0.0],
                "axis": [-1.0, 0.0, 0.0],
                "real": {"stiffness_N_per_m": 4e4},
            }
        ],
        "facility": mounts(arm),
    }
    return made | copy.deepcopy(tables)


def slow_peak(told: dict[str, Any], seconds: float = 0.9) -> tuple[float, Any]:
    """Largest force on the satellites [N] in a contact so slow that the links follow it, and the
    run: 20 t each, 5 mm/s, 200 N/mm real and wanted; `told`: what the re-mapping is told of the
    robots."""
    from softdock.results.simulation import run_loop
    from softdock.scenario.build import build

    keys = {"name": "remapping", "lead_ms": 4.0} | told
    contact = bump({})["contact"][0] | {"real": {"stiffness_N_per_m": HARD}}
    tables = bump(ELASTIC, seconds=seconds, methods=[keys], contact=[contact])
    tables["chaser"] |= {"mass_kg": HEAVY, "velocity_m_per_s": [SLOW, 0.0, 0.0]}
    tables["target"]["mass_kg"] = HEAVY
    run = run_loop(build(tables))
    assert run.status == "completed"
    return run.contacts[0]["peak_force_satellite_N"], run


def holding(tables: dict[str, Any]) -> dict[str, Any]:
    """Two arms that hold the bodies of a scenario where they start, far from any limit."""
    places = {body: tables[body].get("position_m", [0.0] * 3) for body in ("chaser", "target")}
    return {
        body: {"arm": "kr16", "base_m": [x - 1.3, y + 0.6, z - 1.0]}
        for body, (x, y, z) in places.items()
    }
