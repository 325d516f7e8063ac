"""What is kept of every run: a row of a Parquet table, at most 200 bytes. Columns and their meanings: `COLUMNS`, docs/campaigns.md.

The run's number and what varied stand in front, in the user's units; outcomes of the user's own behind.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from softdock.campaign.arrow import numbers, truths, words
from softdock.campaign.batch import Batch
from softdock.campaign.orbits import FIRST_MOTION, Orbits, distances
from softdock.campaign.plan import Plan
from softdock.campaign.thin import Thin
from softdock.contact.seat import CAPTURES
from softdock.cycle import STATUSES
from softdock.doors import OUTCOME_COLUMNS
from softdock.layout import CAPTURE_AT, POSE_AT, SENSOR_AT, TIME_AT, TIMES
from softdock.reference import OUTCOME_COLUMNS as ORBITS
from softdock.sensor.force_torque import SENSOR
from softdock.sensor.pose import POSE

ACTIVE = 0.01  # of the energy at the start: a run that invents more is active
VERDICTS = ("passive", "active", "stopped")
COLUMNS = {
    "run": "number of the run, from 0: the key of its replay",
    "method": "methods, in the order in which they apply",
    "integrator": "integrator of the satellites",
    "status": "completed, or why the run stopped",
    "verdict": f"passive; active: it invented more than {100 * ACTIVE:g} % of the energy at the start; stopped: it did not complete",
    "captured": "the probe was at its seat and slow for the stated time; null: nobody asked",
    "captured_at_s": "when that time was over; NaN: not captured",
    "contacts": "number of real contacts",
    "restitution": "of the first contact; NaN: none, or not over",
    "peak_force_real_N": "largest true force of a contact pair",
    "peak_torque_real_Nm": "largest true torque about either centre of mass",
    "energy_invented_J": "energy from nothing",
    "observed_J": "energy observed at the rig's port; above 0 it is active; NaN: force and pose differ in age by more than half a cycle",
    "kinetic_start_J": "kinetic energy of both satellites at the start",
    "kinetic_end_J": "and at the end",
    "ended_at_s": "time at which the run ended",
}
NO_NUMBERS = ("run", "method", "integrator", "status", "verdict")
ORBIT_COLUMNS = {
    "distance_from_orbit": "distance of the satellites' motion from orbit's, at the end; 0 is orbit, 1 as far as the approach itself",
    "orbit_contacts": "number of contacts in orbit",
    "orbit_restitution": "of orbit's first contact",
    "orbit_peak_force_N": "largest force in orbit",
}


def column_names(plan: Plan) -> list[str]:
    """Of every table of a campaign."""
    names = [*COLUMNS, *(ORBIT_COLUMNS if plan.spec.reference else {})]
    return [names[0], *plan.design.labels, *names[1:]]


def outcome_table(plan: Plan, variant: int, first: int, runs: Thin, batch: Batch, orbits: Orbits | None, own: dict[str, np.ndarray]) -> Any:
    """Runs first .. of a variant as an Arrow table."""
    import pyarrow as pa

    v, count = plan.variants[variant], len(batch)
    columns: dict[str, Any] = {"run": numbers(np.arange(count, dtype=np.uint32) + np.uint32(variant * plan.design.runs + first))}
    values = plan.design.values(first, first + count)
    columns |= {label: numbers(values[:, i]) for i, label in enumerate(plan.design.labels)}
    status = batch.column("status").astype(np.int8)
    invented, start = batch.column("energy_invented_J"), batch.column("kinetic_start_J")
    verdict = np.where(status != 0, 2, np.where(invented > ACTIVE * start, 1, 0)).astype(np.int8)
    captured_at = batch.column("captured_at_s")
    asked = v.scenario.vector[CAPTURE_AT + CAPTURES.hold] > 0.0 or CAPTURE_AT + CAPTURES.hold in v.at
    columns |= {
        "method": _one(v.method, count),
        "integrator": _one(v.integrator, count),
        "status": words(status, STATUSES),
        "verdict": words(verdict, VERDICTS),
        "captured": truths(np.isfinite(captured_at) if asked else None, count),
        "captured_at_s": numbers(captured_at),
        "contacts": numbers(batch.column("contacts").astype(np.int32)),
        "restitution": numbers(batch.column("restitution")),
    }
    for name in ("peak_force_real_N", "peak_torque_real_Nm", "energy_invented_J", "observed_J", "kinetic_start_J", "kinetic_end_J"):
        columns[name] = numbers(batch.column(name))
    T = _of_runs(runs, TIME_AT + TIMES.cycle)
    columns["observed_J"] = numbers(np.where(_one_age(runs, T), batch.column("observed_J"), np.nan))
    columns["ended_at_s"] = numbers(batch.column("cycles") * T)
    if orbits is not None:
        columns |= _orbit_columns(runs, batch, orbits)
    return pa.table(columns | {name: numbers(x) for name, x in own.items()})


def _orbit_columns(runs: Thin, batch: Batch, orbits: Orbits) -> dict[str, Any]:
    at = OUTCOME_COLUMNS.index("chaser.px")
    loop = batch.outcomes[:, at : at + 26].reshape(-1, 2, 13)
    orbit = orbits.outcomes[:, FIRST_MOTION : FIRST_MOTION + 26].reshape(-1, 2, 13)
    both = (batch.column("status") == 0.0) & (orbits.outcomes[:, 0] == 0.0)
    distance = np.full(len(batch), np.nan)
    distance[both] = distances(Thin(runs.base, runs.at, runs.values[both]), loop[both], orbit[both])
    return {
        "distance_from_orbit": numbers(distance),
        "orbit_contacts": numbers(orbits.outcomes[:, ORBITS.index("contacts")].astype(np.int32)),
        "orbit_restitution": numbers(orbits.restitution),
        "orbit_peak_force_N": numbers(orbits.outcomes[:, ORBITS.index("peak_force_N")]),
    }


def _of_runs(runs: Thin, column: int) -> Any:
    """What every run has in a column of its vector; one number if all have the same."""
    at = np.flatnonzero(runs.at == column)
    return runs.values[:, at[0]] if len(at) else runs.base[column]


def _one_age(runs: Thin, T: Any) -> Any:
    """Whether the newest force and the newest pose are of about one instant: a batch has no record in which to pair others."""
    force, pose = (_of_runs(runs, at) for at in (SENSOR_AT + SENSOR.at.delay, POSE_AT + POSE.at.delay))
    slow = np.maximum(_of_runs(runs, SENSOR_AT + SENSOR.at.period), _of_runs(runs, POSE_AT + POSE.at.period))
    return (np.abs(force - pose) <= 0.5 * T) & (slow <= T * (1.0 + 1e-9))


def _one(word: str, count: int) -> Any:
    return words(np.zeros(count, dtype=np.int8), (word,))
