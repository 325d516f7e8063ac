"""Random valid scenarios of rigs as they are built: arms, latches, guidance, two robots, chained
methods, sensor faults. No traceback, no hang, no NaN in a completed run, books that close.

A preset that has the part, one of a few chains of methods, faults of sensors and robots, and some
keys around their own values. What is refused is counted; what is accepted must run.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.hostile.scenarios import random_changes, try_one, value_of
from softdock.errors import BadInput
from softdock.loop.parameters import Parameter
from softdock.scenario.candidates import JOIN
from softdock.scenario.files import load_scenario
from softdock.scenario.schema import TABLES

RIGS = ("epos_1d", "epos_3d", "epos_3d_arms", "one_robot_wall", "soft_dock", "three_petals")
RIGS += ("vbar_docking", "vbar_drift", "lange_cone", "oos_sim")
CHAINS = ("direct", "energy_ledger", "delay_passivity", "model_mediated", "adaptive_damping")
CHAINS += ("adaptive_damping+energy_ledger", "adaptive_damping+delay_passivity")
NEEDED = {"adaptive_damping": {"stiffness_N_per_m": 1000.0}}  # keys without a default
OWN = 0.4  # of scenarios keep the methods of their preset, with guidance where it has it
NEAR = 0.7  # of numbers stay within a factor of two of what the preset says
LIMITS = ("max_speed_m_per_s", "max_acceleration_m_per_s2", "max_rate_rad_per_s")
LIMITS += ("max_angular_acceleration_rad_per_s2",)
FAULTS = ("sensor", "pose", "robots.chaser", "robots.target")


def _keys(tables: tuple[str, ...]) -> list[tuple[str, Parameter]]:
    return [(f"{t.path}.{p.key}", p) for t in TABLES if t.path in tables for p in t.group]


def _robot(rng: np.random.Generator) -> dict[str, Any]:
    """Another model for a robot, with the keys that it needs."""
    at = f"robots.{rng.choice(['chaser', 'target'])}"
    if rng.random() < 0.5:
        lag = {
            "lag_Hz": 10.0 ** rng.uniform(0.0, 4.0),
            "lag_damping_ratio": 10.0 ** rng.uniform(-1.0, 2.0),
        }
        return {f"{at}.model": "lag", **{f"{at}.{key}": float(v) for key, v in lag.items()}}
    limits = {key: float(10.0 ** rng.uniform(-0.5, 1.5)) for key in LIMITS}
    return {f"{at}.model": "limited", **{f"{at}.{key}": v for key, v in limits.items()}}


def valid_changes(rng: np.random.Generator) -> tuple[str, dict[str, Any]]:
    """A preset's name, and changes that a user may make: of those drawn, each that the scenario
    still takes."""
    preset = str(rng.choice(RIGS))
    tables = load_scenario(preset).tables
    drawn: list[dict[str, Any]] = []
    if rng.random() > OWN:
        chain = str(rng.choice(CHAINS)).split(JOIN)
        drawn.append({"methods": [{"name": name, **NEEDED.get(name, {})} for name in chain]})
    if rng.random() < 0.4:
        drawn.append(_robot(rng))
    faults = _keys(FAULTS)
    for i in rng.choice(len(faults), size=int(rng.integers(2, 9)), replace=False):
        value = value_of(rng, faults[i][1])
        drawn.append({faults[i][0]: _near(rng, tables, faults[i][0], value)})
    _, others = random_changes(rng)
    drawn += [{key: _near(rng, tables, key, value)} for key, value in list(others.items())[1:]]
    changes: dict[str, Any] = {"random.seed": int(rng.integers(2**31))}
    for one in drawn:
        if None in one.values():
            continue
        try:
            load_scenario(preset, changes | one)
        except BadInput:
            continue
        changes |= one
    return preset, changes


def _near(rng: np.random.Generator, tables: Any, key: str, value: Any) -> Any:
    """Most numbers stay near what the preset says."""
    here: Any = tables
    for part in key.split("."):
        here = here.get(part) if isinstance(here, dict) else None
    number = isinstance(here, int | float) and not isinstance(here, bool) and here != 0
    if number and isinstance(value, float) and rng.random() < NEAR:
        return float(here) * float(2.0 ** rng.uniform(-1.0, 1.0))
    return value


def valid_scenarios(count: int, seed: int) -> dict[str, Any]:
    """Counts by what became of them, and every failure with what makes it again."""
    rng, counts, failures = np.random.default_rng(seed), {}, []
    for i in range(count):
        preset, changes = valid_changes(rng)
        status, wrong = try_one(preset, changes)
        counts[status] = counts.get(status, 0) + 1
        if wrong:
            failures.append({"index": i, "preset": preset, "changes": changes, "wrong": wrong})
    return {"count": count, "seed": seed, "outcomes": counts, "failures": failures}
