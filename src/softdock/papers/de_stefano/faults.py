"""Beyond the paper: bad input. Effect of a faulty sensor, a growing delay and missed cycles on each
method that limits energy, on EPOS 1-D at 16 ms."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from softdock.papers.frame import Column, Exhibit, Findings
from softdock.results.run import Run
from softdock.results.simulation import run_loop
from softdock.scenario.files import load_scenario

SPEED, CYCLE, MASS, DURATION = 0.02, 0.004, 63.0, 10.0  # m/s, s, kg, s
FOR_GOOD = 1e9  # s
# name -> keys of the scenario, and what the run's log must have of it
FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "force exactly zero": ({"chaser.velocity_m_per_s": [SPEED, 0.0, 0.0]}, "no force"),
    "sensor freezes for 150 ms": (
        {"sensor.freeze_at_s": 0.9, "sensor.freeze_for_s": 0.15},
        "froze",
    ),
    "sensor freezes for good, in compression": (
        {"sensor.freeze_at_s": 0.75, "sensor.freeze_for_s": FOR_GOOD},
        "froze",
    ),
    "sensor freezes for good, at the deepest": (
        {"sensor.freeze_at_s": 0.9, "sensor.freeze_for_s": FOR_GOOD},
        "froze",
    ),
    "the same, quantised to 1 N": (
        {"sensor.freeze_at_s": 0.9, "sensor.freeze_for_s": FOR_GOOD, "sensor.resolution_N": 1.0},
        "froze",
    ),
    "sensor saturates at 2 N": ({"sensor.range_N": 2.0}, "saturated"),
    "sensor saturates at 0.5 N": ({"sensor.range_N": 0.5}, "saturated"),
    "sensor jumps by 3 N for 100 ms": (
        {"sensor.jump_at_s": 0.7, "sensor.jump_for_s": 0.1, "sensor.jump_N": [3.0, 0.0, 0.0]},
        "jumped",
    ),
    "sensor jumps by +3 N for good": (
        {"sensor.jump_at_s": 0.7, "sensor.jump_N": [3.0, 0.0, 0.0]},
        "jumped",
    ),
    "sensor jumps by -3 N for good": (
        {"sensor.jump_at_s": 0.7, "sensor.jump_N": [-3.0, 0.0, 0.0]},
        "jumped",
    ),
    "one cycle of +30 N, near the parting": (
        {"sensor.jump_at_s": 1.2, "sensor.jump_for_s": CYCLE, "sensor.jump_N": [30.0, 0.0, 0.0]},
        "jumped",
    ),
    "one cycle of +1000 N, at the deepest": (
        {"sensor.jump_at_s": 0.9, "sensor.jump_for_s": CYCLE, "sensor.jump_N": [1000.0, 0.0, 0.0]},
        "jumped",
    ),
    "sensor jumps by +1000 N for good": (
        {"sensor.jump_at_s": 0.7, "sensor.jump_N": [1000.0, 0.0, 0.0]},
        "jumped",
    ),
    "sensor jumps by 30 N sideways, for good": (
        {"sensor.jump_at_s": 0.7, "sensor.jump_N": [0.0, 30.0, 0.0]},
        "jumped",
    ),
    "+3 N for good, with noise of 0.05 N": (
        {"sensor.jump_at_s": 0.7, "sensor.jump_N": [3.0, 0.0, 0.0], "sensor.noise_N": 0.05},
        "jumped",
    ),
    "delay grows by 40 ms a second": (
        {"robots.chaser.delay_ramp_ms_per_s": 40.0, "robots.target.delay_ramp_ms_per_s": 40.0},
        "delay grew",
    ),
    "three set-points in ten lost": (
        {"robots.chaser.dropout_probability": 0.3, "robots.target.dropout_probability": 0.3},
        "lost",
    ),
    "two forces in three missed": ({"sensor.period_ms": 12.0}, "no new reading"),
}
BOUNDED = {"name": "passive_integrator", "form": "bounded", "largest_force_N": 10.0}
METHODS: dict[str, dict[str, Any]] = {
    "raw": {"name": "direct"},
    "integrator": BOUNDED,
    "guarded": BOUNDED | {"frozen_ms": 200.0},
    "coupled": {"name": "delay_passivity"},
    "per_axis": {"name": "delay_passivity", "coupling": "per_axis"},
    "ledger": {"name": "energy_ledger"},
}
HEADINGS = {
    "raw": "raw loop",
    "integrator": "passive integrator",
    "guarded": "with frozen_ms",
    "coupled": "delay passivity",
    "per_axis": "per axis",
    "ledger": "energy ledger",
}


@functools.cache
def run_with_fault(fault: str, method: str) -> Run:
    """One run of ten seconds."""
    keys = FAULTS[fault][0] | {"time.duration_s": DURATION, "methods": [METHODS[method]]}
    return run_loop(
        load_scenario(
            "epos_1d", {"robots.chaser.delay_ms": 16.0, "robots.target.delay_ms": 16.0}
        ).replace(keys)
    )


def largest_speed(run: Run) -> float:
    """Largest speed of the satellite, as a share of the approach speed."""
    return float(np.linalg.norm(run.series["chaser.velocity"], axis=1).max() / SPEED)


def end_speed(run: Run) -> float:
    """Speed after ten seconds, as a share of the approach speed."""
    return float(np.linalg.norm(run.series["chaser.velocity"][-1]) / SPEED)


def over_bound(run: Run) -> float:
    """The passive integrator's largest correction over T F / 2m of the largest force."""
    force = float(np.abs(run.series["satellite.chaser.force"]).max())
    largest = float(np.abs(run.series["passive_integrator.correction.chaser"]).max())
    return largest / (0.5 * CYCLE * force / MASS) if force > 0.0 else 0.0


def _columns() -> list[Column]:
    return [
        column
        for method in METHODS
        for column in (Column(method, HEADINGS[method]), Column(f"{method}_end", "at the end"))
    ]


def make_faults() -> Exhibit:
    rows: list[dict[str, Any]] = []
    for fault, (_, event) in FAULTS.items():
        runs = {method: run_with_fault(fault, method) for method in METHODS}
        logged = all(any(e["what"] == event for e in run.events) for run in runs.values())
        finite = all(np.isfinite(run.series.rows).all() for run in runs.values())
        speeds = {method: largest_speed(run) for method, run in runs.items()} | {
            f"{method}_end": end_speed(run) for method, run in runs.items()
        }
        rows.append({"fault": fault, "event": event if logged and finite else "missing"} | speeds)
    over = max(
        over_bound(run_with_fault(fault, method))
        for fault in FAULTS
        for method in ("integrator", "guarded")
    )
    return Exhibit(
        key="faults",
        title="Beyond the paper: bad input",
        says=_summarise,
        columns=(Column("fault", "fault"), Column("event", "in the run's log"), *_columns()),
        rows=rows,
        numbers={"largest_correction_over_bound": over},
        assumptions=(
            "EPOS 1-D, lossless, robots with 16 ms of delay, 0.02 m/s, 10 s. In the table: the "
            "satellite's largest speed, and its last, over its approach speed. "
            "The passive integrator is the bounded form, as it is and with frozen_ms = 200.",
        ),
        remarks=(
            "delay_passivity and energy_ledger believe no more than that a passive contact returns "
            "what it took since touch, with the loan and the noise.",
        ),
        charts=[],
    )


def _summarise(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Findings:
    worst = {method: max(row[method] for row in rows) for method in METHODS}
    over = numbers["largest_correction_over_bound"]
    missing = [row["fault"] for row in rows if row["event"] == "missing"]
    raw = max(abs(row["integrator"] / row["raw"] - 1.0) for row in rows)
    frozen = [row for row in rows if "for good" in row["fault"]]
    grows = sum(row["raw_end"] > 1.5 for row in frozen)
    return Findings(
        f"Largest speed in any fault, of the approach speed: {worst['ledger']:.3f} with "
        f"energy_ledger, {max(worst['coupled'], worst['per_axis']):.3f} with delay_passivity, "
        f"{worst['raw']:.0f} in the raw loop. The passive integrator corrects set-points by at "
        f"most {over:.3f} of T F / 2m; its speeds are within {100 * raw:.2g} % of the raw loop's"
        + (f". NOT in the log: {', '.join(missing)}." if missing else "."),
        [
            f"A fault for good accelerates the raw loop for as long as the run lasts in {grows} of "
            f"{len(frozen)} cases (F t / m)."
        ],
    )
