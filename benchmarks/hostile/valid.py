"""Random valid scenarios of rigs as they are built: arms, latches, guidance, two robots, chained
methods, sensor faults. No traceback, no hang, no NaN in a completed run, books that close.

A preset that has the part, one of a few chains of methods, faults of sensors and robots, and some
keys around their own values. What is refused is counted; what is accepted must run.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.hostile.scenarios import random_changes, try_one, value_of
from softdock.core.machine.parameters import Parameter
from softdock.scenario.candidates import JOIN
from softdock.scenario.files import load_scenario
from softdock.scenario.schema import TABLES

RIGS = ("epos_1d", "epos_3d", "epos_3d_arms", "one_robot_wall", "soft_dock", "three_petals")
RIGS += ("vbar_docking", "vbar_drift", "lange_cone", "oos_sim")
CHAINS = ("direct", "energy_ledger", "delay_passivity", "faithful", "adaptive_damping")
CHAINS += ("delay_passivity+energy_ledger", "adaptive_damping+energy_ledger")
OWN = 0.4  # of scenarios keep the methods of their preset, with guidance where it has it
NEAR = 0.7  # of numbers stay within a factor of two of what the preset says
FAULTS = ("sensor", "pose", "robots.chaser", "robots.target")


def _keys(tables: tuple[str, ...]) -> list[tuple[str, Parameter]]:
    return [(f"{t.path}.{p.key}", p) for t in TABLES if t.path in tables for p in t.group]


def valid_changes(rng: np.random.Generator) -> tuple[str, dict[str, Any]]:
    """A preset's name, and changes that a user may make."""
    preset = str(rng.choice(RIGS))
    tables = load_scenario(preset).tables
    changes: dict[str, Any] = {"random.seed": int(rng.integers(2**31))}
    if rng.random() > OWN:
        chain = str(rng.choice(CHAINS))
        changes["methods"] = [{"name": name} for name in chain.split(JOIN)]
    faults = _keys(FAULTS)
    for i in rng.choice(len(faults), size=int(rng.integers(0, 4)), replace=False):
        value = value_of(rng, faults[i][1])
        if value is not None:
            changes[faults[i][0]] = value
    _, others = random_changes(rng)
    for key, value in list(others.items())[1:4]:
        changes[key] = _near(rng, tables, key, value)
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
