"""Random valid scenarios: no traceback, no hang, books that close, attitudes that are rotations.

A preset with some of its keys at random values of their own ranges. What is refused is counted;
what is accepted must run.
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

import softdock
from softdock.loop.parameters import Parameter
from softdock.loop.record import CHANNELS
from softdock.scenario.files import preset_names
from softdock.scenario.schema import TABLES

MOST_CYCLES = 3000
BOOKS_TO = 1e-12  # of the sum of |work|, and J
PATIENCE_S = 10.0  # of CPU beyond what the cycles themselves cost
CYCLE_S = 2e-3  # of CPU, the dearest cycle: a thousand samples in it
AGES = ("force_age", "pose_age")  # channels that are NaN before there is an age
KEPT_WHOLE = ("time.duration_s", "time.cycle_ms", "random.seed", "random.run")


def value_of(rng: np.random.Generator, p: Parameter) -> Any:
    """A random value that the parameter's own definition allows; None: left as it is."""
    if p.choices:
        return str(rng.choice(p.choices))
    if p.kind == "flag":
        return bool(rng.integers(2))
    if p.kind == "integer":
        low, high = max(p.low, 0), min(p.high, 64)
        return int(rng.integers(int(low), int(max(low, high)) + 1))
    if p.kind == "number":
        numbers = [_number(rng, p) for _ in range(p.size)]
        return numbers[0] if p.size == 1 else numbers
    if p.kind == "quaternion":
        return rng.normal(size=4).tolist()
    if p.kind == "direction":
        return rng.normal(size=3).tolist()
    if p.kind in ("mass", "stiffness"):
        return float(10.0 ** rng.uniform(0.0, 4.0))
    if p.kind == "inertia":
        return (10.0 ** rng.uniform(0.0, 3.5) * rng.uniform(0.5, 1.0, size=3)).tolist()
    return None


def _number(rng: np.random.Generator, p: Parameter) -> float:
    """Around the default over some decades, or anywhere in the range."""
    default = p.default if isinstance(p.default, int | float) else 1.0
    around = abs(float(default)) or 1.0
    value = around * 10.0 ** rng.uniform(-3.0, 1.5) * float(rng.choice([-1.0, 1.0, 1.0, 1.0]))
    if rng.random() < 0.1 and math.isfinite(p.low) and math.isfinite(p.high):
        value = float(rng.uniform(p.low, p.high))
    return float(min(max(value, p.low), p.high))


def random_changes(rng: np.random.Generator) -> tuple[str, dict[str, Any]]:
    """A preset's name, and keys with random values."""
    preset = str(rng.choice(preset_names()))
    keys = [
        (f"{table.path}.{p.key}", p)
        for table in TABLES
        for p in table.group
        if f"{table.path}.{p.key}" not in KEPT_WHOLE
    ]
    changes: dict[str, Any] = {"random.seed": int(rng.integers(2**31))}
    for i in rng.choice(len(keys), size=int(rng.integers(1, 9)), replace=False):
        value = value_of(rng, keys[i][1])
        if value is not None:
            changes[keys[i][0]] = value
    return preset, changes


def books_error(run: Any) -> float:
    """By how much the ledger's rows miss the invented energy, in units of what is allowed."""
    rows, invented = run.ledger_rows, run.energy_added_J
    scale = sum(abs(value) for value in run.ledger.values())
    return abs(sum(rows.values()) - invented) / (BOOKS_TO * scale + BOOKS_TO)


def attitude_error(run: Any) -> float:
    """By how much the squared length of a recorded attitude misses 1, at its worst."""
    worst = 0.0
    for name in {c.name.rpartition(".")[0] for c in CHANNELS if ".attitude." in c.name}:
        q = run.series[name]
        worst = max(worst, float(np.abs(np.sum(q * q, axis=1) - 1.0).max()))
    return worst


def unknown(run: Any) -> str:
    """The channels of a completed run that have NaN or infinity, but for ages that are NaN."""
    rows = run.series.rows
    if np.isfinite(rows).all():
        return ""
    bad = ~np.isfinite(rows)
    for i, channel in enumerate(run.series.channels):
        if channel.name in AGES:
            bad[:, i] = np.isinf(rows[:, i])
    return ", ".join(run.series.channels[i].name for i in np.flatnonzero(bad.any(axis=0)))


def try_one(preset: str, changes: dict[str, Any]) -> tuple[str, str]:
    """What became of a scenario: refused, a status, or what is wrong with it."""
    began = time.process_time()
    try:
        scenario = softdock.load_scenario(preset, changes)
        tables = scenario.tables
        most = MOST_CYCLES * tables["time"]["cycle_ms"] * 1e-3
        if tables["time"]["duration_s"] > most:
            scenario = softdock.load_scenario(preset, changes | {"time.duration_s": most})
        softdock.Stepper(scenario).step(0)  # compiling is not counted
        began = time.process_time()
        run = softdock.simulate(scenario)
    except softdock.BadInput as error:
        return "refused", "" if error.problems[0].key else "a refusal without a key"
    except Exception as error:
        return "failed", f"{type(error).__name__}: {error}"
    spent = time.process_time() - began
    if spent > PATIENCE_S + CYCLE_S * run.cycles:
        return run.status, f"{spent:.1f} s of CPU for {run.cycles} cycles"
    if run.status == "completed":
        if books_error(run) > 1.0:
            return run.status, f"books miss by {books_error(run):.3g} of what is allowed"
        if unknown(run):
            return run.status, f"NaN in {unknown(run)}"
        if not attitude_error(run) < 1e-6:
            return run.status, f"an attitude misses its length by {attitude_error(run):.3g}"
    return run.status, ""


def random_scenarios(count: int, seed: int) -> dict[str, Any]:
    """Counts by what became of them, and every failure with what makes it again."""
    rng, counts, failures = np.random.default_rng(seed), {}, []
    for i in range(count):
        preset, changes = random_changes(rng)
        status, wrong = try_one(preset, changes)
        counts[status] = counts.get(status, 0) + 1
        if wrong:
            failures.append({"index": i, "preset": preset, "changes": changes, "wrong": wrong})
    return {"count": count, "seed": seed, "outcomes": counts, "failures": failures}
