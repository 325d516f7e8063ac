"""Lange's central impact under the re-mapping, as the golden tests of it fly it."""

from __future__ import annotations

from scenarios import lange_impact

from softdock import simulate

K = 50000.0  # N/m
JERK = {"model": "limited", "max_acceleration_m_per_s2": 2.3, "max_jerk_m_per_s3": 9.63}
LAG = {
    "model": "limited",
    "max_acceleration_m_per_s2": 2.3,
    "max_jerk_m_per_s3": 125.0,
    "delay_ms": 20.0,
}
IN_TIME = LAG | {"delay_ms": 0.0}


def impact(phase=0.57, cycle_ms=4.0, robot=JERK, stiffness=K, tables=None, **method):
    """The central impact; `phase`: of the cycle in which the contact falls; `tables`: in place of
    the scenario's own; the rest: keys of the method."""
    scenario = lange_impact(0.0, cycle_ms, **robot)
    step = 0.1 * 1e-3 * cycle_ms  # m in a cycle
    scenario["chaser"]["position_m"] = [-step * (round(0.05 / step) + phase), 0.0, 0.0]
    scenario["contact"][0]["real"]["stiffness_N_per_m"] = stiffness
    scenario["time"]["plant_steps"] = 4
    scenario["methods"] = [{"name": "remapping", **method}]
    run = simulate({**scenario, **(tables or {})})
    assert run.status == "completed"
    return run
