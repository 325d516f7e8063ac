"""What is kept of every run: a row of a Parquet table, at most 200 bytes. Columns and their
meanings: `COLUMNS`, docs/campaigns.md.

The run's number and what varied stand in front, in the user's units; outcomes of the user's own
behind.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softdock.analysis.judgement import WORDS
from softdock.campaign.arrow_arrays import numbers, truths, words
from softdock.campaign.batch import Batch
from softdock.campaign.compact_vectors import Thin
from softdock.campaign.distances import column
from softdock.campaign.judged import judged
from softdock.campaign.orbits import Orbits
from softdock.campaign.variants import Plan
from softdock.core.contact.seat import CAPTURES
from softdock.core.cycle import STATUSES
from softdock.core.machine.vector import CAPTURE_AT, POSE_AT, SENSOR_AT, TIME_AT, TIMES
from softdock.core.orbit import OUTCOME_COLUMNS as ORBITS
from softdock.core.sensor.force_torque import SENSOR
from softdock.core.sensor.pose import POSE

ACTIVE = 0.01  # of the energy at the start: a run that invents more is active
VERDICTS = ("passive", "active", "stopped")
COLUMNS = {
    "run": "number of the run, from 0: the key of its replay",
    "method": "methods, in the order in which they apply",
    "integrator": "integrator of the satellites",
    "status": "completed, or why the run stopped",
    "verdict": f"passive; active: it invented more than {100 * ACTIVE:g} % of the energy at the start; "
    "stopped: it did not complete",
    "captured": "the probe was at its seat and slow for the stated time; null: nobody asked",
    "captured_at_s": "when that time was over; NaN: not captured",
    "contacts": "number of real contacts",
    "restitution": "of the first contact; NaN: none, or not over",
    "peak_force_real_N": "largest true force of a contact pair",
    "peak_torque_real_Nm": "largest true torque about either centre of mass",
    "energy_invented_J": "energy from nothing",
    "observed_J": "energy observed at the rig's port; above 0 it is active; NaN: force and pose differ in "
    "age by more than half a cycle",
    "kinetic_start_J": "kinetic energy of both satellites at the start",
    "kinetic_end_J": "and at the end",
    "ended_at_s": "time at which the run ended",
}
NO_NUMBERS = ("run", "method", "integrator", "status", "verdict", "judged")
ORBIT_COLUMNS = {
    "distance_from_orbit": "after the last contact; 0 is orbit, 1 as far as the approach itself; "
    "NaN: a contact was on at the end, or nothing approached",
    "distance_from_orbit_at_end": "the same at the end of the run, where a push after the last "
    "contact shows; the worse one judges. NaN: the run stopped early",
    "judged": "faithful, off or unsafe, by the bounds of the scenario's [verdict]: docs/verdict.md",
    "orbit_contacts": "number of contacts in orbit",
    "orbit_restitution": "of orbit's first contact",
    "orbit_peak_force_N": "largest force in orbit",
}


class Beside(NamedTuple):
    """Orbit's side of some runs."""

    orbits: Orbits
    distance: np.ndarray
    at_end: np.ndarray


def column_names(plan: Plan) -> list[str]:
    """Of every table of a campaign."""
    names = [*COLUMNS, *(ORBIT_COLUMNS if plan.spec.reference else {})]
    return [names[0], *plan.design.labels, *names[1:]]


def outcome_table(
    plan: Plan,
    variant: int,
    first: int,
    runs: Thin,
    batch: Batch,
    beside: Beside | None,
    own: dict[str, np.ndarray],
) -> Any:
    """Runs first .. of a variant as an Arrow table."""
    import pyarrow as pa

    v, count = plan.variants[variant], len(batch)
    columns: dict[str, Any] = {
        "run": numbers(
            np.arange(count, dtype=np.uint32) + np.uint32(variant * plan.design.runs + first)
        )
    }
    values = plan.design.values(first, first + count)
    columns |= {label: numbers(values[:, i]) for i, label in enumerate(plan.design.labels)}
    status = batch.column("status").astype(np.int8)
    invented, start = batch.column("energy_invented_J"), batch.column("kinetic_start_J")
    verdict = np.where(status != 0, 2, np.where(invented > ACTIVE * start, 1, 0)).astype(np.int8)
    captured_at = batch.column("captured_at_s")
    asked = column(runs, CAPTURE_AT + CAPTURES.hold, 1)[:, 0] > 0.0
    columns |= {
        "method": _one(v.method, count),
        "integrator": _one(v.integrator, count),
        "status": words(status, STATUSES),
        "verdict": words(verdict, VERDICTS),
        "captured": truths(np.isfinite(captured_at), asked),
        "captured_at_s": numbers(captured_at),
        "contacts": numbers(batch.column("contacts").astype(np.int32)),
        "restitution": numbers(batch.column("restitution")),
    }
    for name in (
        "peak_force_real_N",
        "peak_torque_real_Nm",
        "energy_invented_J",
        "observed_J",
        "kinetic_start_J",
        "kinetic_end_J",
    ):
        columns[name] = numbers(batch.column(name))
    T = column(runs, TIME_AT + TIMES.cycle, 1)[:, 0]
    columns["observed_J"] = numbers(np.where(_one_age(runs, T), batch.column("observed_J"), np.nan))
    columns["ended_at_s"] = numbers(batch.column("cycles") * T)
    if beside is not None:
        worst = np.fmax(beside.distance, beside.at_end)
        word = judged(v.scenario.tables, runs, batch, beside.orbits, worst)
        columns |= _orbit_columns(*beside, word)
    return pa.table(columns | {name: numbers(x) for name, x in own.items()})


def _orbit_columns(
    orbits: Orbits, distance: np.ndarray, at_end: np.ndarray, word: np.ndarray
) -> dict[str, Any]:
    return {
        "distance_from_orbit": numbers(distance),
        "distance_from_orbit_at_end": numbers(at_end),
        "judged": words(word, WORDS),
        "orbit_contacts": numbers(orbits.outcomes[:, ORBITS.index("contacts")].astype(np.int32)),
        "orbit_restitution": numbers(orbits.restitution),
        "orbit_peak_force_N": numbers(orbits.outcomes[:, ORBITS.index("peak_force_N")]),
    }


def _one_age(runs: Thin, T: np.ndarray) -> np.ndarray:
    """Whether the newest force and the newest pose are of about one instant: a batch has no record
    in which to pair others."""
    at = (
        SENSOR_AT + SENSOR.at.delay,
        POSE_AT + POSE.at.delay,
        SENSOR_AT + SENSOR.at.period,
        POSE_AT + POSE.at.period,
    )
    force, pose, *periods = (column(runs, one, 1)[:, 0] for one in at)
    return np.asarray(
        (np.abs(force - pose) <= 0.5 * T) & (np.maximum(*periods) <= T * (1.0 + 1e-9))
    )


def _one(word: str, count: int) -> Any:
    return words(np.zeros(count, dtype=np.int8), (word,))
