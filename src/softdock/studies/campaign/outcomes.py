"""What is kept of every run: a row of a Parquet table, at most 200 bytes. Every outcome is declared
here, once (`outcome.py` says what a declaration holds); meanings: docs/campaigns.md.

The run's number and what varied stand in front, in the user's units; outcomes of the user's own
behind.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from softdock.loop.cycle import STATUSES
from softdock.studies.campaign.arrow_arrays import make_number_column, make_word_column
from softdock.studies.campaign.outcome import (
    ACTIVE,
    OUTCOMES,
    Map,
    Outcome,
    Quantile,
    ShardResult,
    compute_invented_share,
    compute_reference_results,
    declare,
    find_runs_within_limit,
    from_loop,
    from_metrics,
    from_reference,
    get_heading,
    list_columns,
    list_page_outcomes,
    list_run_numbers,
    make_activity_column,
    read_activity,
    read_captures,
    read_cycles_s,
    read_latched,
    read_observed_energy,
    read_reference_captures,
    read_statuses,
    repeat_word,
)
from softdock.studies.campaign.variants import Plan
from softdock.studies.campaign.verdicts import get_table_word, make_verdict_column

# Outcomes of runs that are compared with the reference, declared as those of outcomes.py.


def compute_later_distance(shard: ShardResult) -> np.ndarray:
    """Distance from the reference some time after the last contact, or at the end of the run."""
    reference = compute_reference_results(shard)
    return np.where(np.isnan(reference.watched.after.at), reference.at_end, reference.later)


def replay_later_distance(metrics: Mapping[str, Any]) -> float | None:
    if metrics["reference"]["status"] != "completed":
        return None
    still = metrics["error_against_orbit"] is None
    return metrics["error_against_orbit_at_end" if still else "error_against_orbit_later"]


ORBIT_OUTCOMES = (
    Outcome(
        name="error_against_orbit",
        meaning="after the last contact; 1 is an error as large as the approach speed; NaN: a "
        "contact was on at the end, or nothing approached",
        column=lambda made: make_number_column(compute_reference_results(made).distance),
        replayed=from_metrics("error_against_orbit"),
        of_orbit=True,
        heading="error against the reference",
        place=90,
        has_distribution=True,
        quantile=Quantile("error 95 %", is_share=True),
        map=Map("Error against the on-orbit reference, with its limit", "error", place=30),
    ),
    Outcome(
        name="error_against_orbit_later",
        meaning="the same `verdict.settle_s` later, where a push after the last contact shows; the "
        "worse one judges. Of a pair that still touches: at the end of the run",
        column=lambda made: make_number_column(compute_later_distance(made)),
        replayed=replay_later_distance,
        of_orbit=True,
        heading="error against the reference, later",
        place=91,
        has_distribution=True,
    ),
    Outcome(
        name="verdict",
        meaning="faithful, distorted or unsafe, by the bounds of the scenario's [verdict]",
        column=make_verdict_column,
        replayed=get_table_word,
        of_orbit=True,
        is_number=False,
    ),
    Outcome(
        name="orbit_contacts",
        meaning="number of contacts on orbit",
        column=from_reference("contacts", np.int32),
        replayed=from_metrics("reference", "contact_count"),
        of_orbit=True,
    ),
    Outcome(
        name="orbit_captured",
        meaning="whether the probe would be captured on orbit; null: no capture is asked",
        column=read_reference_captures,
        replayed=from_metrics("reference", "captured"),
        of_orbit=True,
        heading="captured on orbit",
        is_number=False,
        place=11,
        map=Map("Captured on orbit", "good", (0.0, 1.0), place=11, yes_or_no=("no", "yes")),
    ),
    Outcome(
        name="orbit_restitution",
        meaning="of the first contact on orbit",
        column=lambda made: make_number_column(compute_reference_results(made).orbits.restitution),
        replayed=from_metrics("reference", "restitution"),
        of_orbit=True,
    ),
    Outcome(
        name="orbit_peak_force_N",
        meaning="peak force on orbit",
        column=from_reference("peak_force_N"),
        replayed=from_metrics("fidelity", "peak_force_orbit_N"),
        unit="N",
        of_orbit=True,
    ),
)


# Outcomes of runs with latches, declared as those of outcomes.py.

LATCH_OUTCOMES = (
    Outcome(
        name="latched",
        meaning="every latch went hard and held to the end; null: there is none",
        column=read_latched,
        replayed=from_metrics("latched"),
        heading="latched",
        is_number=False,
        place=12,
        map=Map("Latched", "good", (0.0, 1.0), place=12),
    ),
    Outcome(
        name="latched_at_s",
        meaning="when the last latch went hard; NaN: one did not",
        column=from_loop("latched_at_s"),
        replayed=from_metrics("latched_at_s"),
        unit="s",
        heading="time of hard dock",
        place=82,
        has_distribution=True,
    ),
    Outcome(
        name="latch_peak_force_N",
        meaning="largest force through a latch; NaN: there is none",
        column=from_loop("latch_peak_force_N"),
        replayed=lambda metrics: metrics["latch"]["peak_force_N"] if metrics["latch"] else None,
        unit="N",
        heading="largest force through a latch",
        place=84,
        has_distribution=True,
    ),
)


__all__ = ["OUTCOMES", "Outcome", "declare", "get_heading", "list_columns", "list_page_outcomes"]

declare(
    Outcome(
        name="run",
        meaning="number of the run, from 0: the key of its replay",
        column=list_run_numbers,
        is_number=False,
    ),
    Outcome(
        name="method",
        meaning="methods, in the order in which they apply",
        column=lambda made: repeat_word(made.plan.variants[made.variant].method, made.count),
        is_number=False,
    ),
    Outcome(
        name="integrator",
        meaning="integrator of the satellites",
        column=lambda made: repeat_word(made.plan.variants[made.variant].integrator, made.count),
        is_number=False,
    ),
    Outcome(
        name="status",
        meaning="completed, or why the run stopped",
        column=lambda made: make_word_column(read_statuses(made), STATUSES),
        replayed=lambda metrics: STATUSES.index(metrics["status"]),
        is_number=False,
    ),
    Outcome(
        name="activity",
        meaning=f"passive; active: it added more than {100 * ACTIVE:g} % of the energy at the "
        "start; stopped: it did not complete",
        column=make_activity_column,
        replayed=read_activity,
        is_number=False,
    ),
    Outcome(
        name="captured",
        meaning="the probe was at its seat and slow for the stated time; null: no capture is asked",
        column=read_captures,
        replayed=from_metrics("captured"),
        heading="captured",
        is_number=False,
        place=10,
        map=Map("Captured", "good", (0.0, 1.0), place=10, yes_or_no=("no", "yes")),
    ),
    Outcome(
        name="captured_at_s",
        meaning="when that time was over; NaN: not captured",
        column=from_loop("captured_at_s"),
        replayed=from_metrics("captured_at_s"),
        unit="s",
        heading="time of capture",
        place=80,
        has_distribution=True,
    ),
    *LATCH_OUTCOMES,
    Outcome(
        name="contacts",
        meaning="number of real contacts",
        column=from_loop("contacts", np.int32),
        replayed=from_metrics("contact_count"),
        heading="contacts",
        place=70,
        has_distribution=True,
        is_among_worst=True,
    ),
    Outcome(
        name="restitution",
        meaning="of the first contact; NaN: none, or not over",
        column=from_loop("restitution"),
        replayed=from_metrics("restitution"),
        heading="restitution of the first contact",
        place=60,
        has_distribution=True,
        is_among_worst=True,
    ),
    Outcome(
        name="peak_force_real_N",
        meaning="largest true force of a contact pair",
        column=from_loop("peak_force_real_N"),
        replayed=from_metrics("peak_force_real_N"),
        unit="N",
        heading="peak force",
        place=40,
        has_distribution=True,
        is_among_worst=True,
        quantile=Quantile("peak force 95 %", "force [N]", "Peak force, 95 %"),
        map=Map("Peak force [N]", "force", place=50, needs_contact=True),
    ),
    Outcome(
        name="peak_torque_real_Nm",
        meaning="largest true torque about either centre of mass",
        column=from_loop("peak_torque_real_Nm"),
        replayed=from_metrics("peak_torque_real_Nm"),
        unit="Nm",
        heading="peak torque",
        place=50,
        has_distribution=True,
        is_among_worst=True,
        quantile=Quantile("peak torque 95 %", "torque [Nm]"),
    ),
    Outcome(
        name="energy_added_J",
        meaning="energy that the loop added",
        column=from_loop("energy_added_J"),
        replayed=from_metrics("energy_added_J"),
        unit="J",
        heading="energy added",
        place=55,
        is_among_worst=True,
        quantile=Quantile("energy added 95 %", "energy added [J]", "Energy added, 95 %"),
    ),
    Outcome(
        name="observed_J",
        meaning="energy observed at the rig's port; above 0 it is active; NaN: force and pose "
        "differ in age by more than half a cycle",
        column=read_observed_energy,
        replayed=from_metrics("ledger", "observed_J"),
        paired_by_age=True,
        unit="J",
        heading="energy observed",
        place=56,
    ),
    Outcome(
        name="kinetic_start_J",
        meaning="kinetic energy of both satellites at the start",
        column=from_loop("kinetic_start_J"),
        replayed=from_metrics("ledger", "kinetic_start_J"),
        unit="J",
        heading="energy at the start",
    ),
    Outcome(
        name="kinetic_end_J",
        meaning="and at the end",
        column=from_loop("kinetic_end_J"),
        replayed=from_metrics("ledger", "kinetic_end_J"),
        unit="J",
        heading="energy at the end",
        place=57,
    ),
    Outcome(
        name="ended_at_s",
        meaning="time at which the run ended",
        column=lambda made: make_number_column(
            made.batch.column("cycles") * read_cycles_s(made.runs)
        ),
        replayed=from_metrics("ended_at_s"),
        unit="s",
    ),
    *ORBIT_OUTCOMES,
    Outcome(
        name="active",
        meaning="whether the run adds energy, and whether it stopped",
        derived=lambda plan, columns: (columns["activity"] == 1).astype(float),
        place=100,
        map=Map(
            f"Share of runs that add more than {100 * ACTIVE:g} % of their energy",
            "bad",
            (0.0, 1.0),
            is_share=True,
            place=60,
        ),
    ),
    Outcome(
        name="energy_added_share",
        meaning="energy that the loop added, as a share of that at the start",
        derived=compute_invented_share,
        heading="energy added, share",
        place=65,
        has_distribution=True,
        map=Map("Energy added, share of that at the start", "energy", about_zero=True, place=40),
    ),
    Outcome(
        name="within_limit",
        meaning="whether the error against the on-orbit reference is within error_limit",
        derived=find_runs_within_limit,
        of_orbit=True,
        place=20,
        map=Map(
            "Share of runs within the limit of the error",
            "good",
            (0.0, 1.0),
            is_share=True,
            place=20,
        ),
    ),
)


# The outcomes of some runs as a table: the run's number, what varied, every declared outcome, and
# the user's own behind.


def list_column_names(plan: Plan) -> list[str]:
    """Of every table of a campaign."""
    names = [outcome.name for outcome in list_columns(plan.spec.reference)]
    return [names[0], *plan.design.labels, *names[1:]]


def make_outcome_table(shard: ShardResult, own: Mapping[str, np.ndarray]) -> Any:
    """Runs of a variant as an Arrow table; `own`: the user's outcomes."""
    import pyarrow as pa

    first, *others = list_columns(shard.reference_results is not None)
    values = shard.plan.design.values(shard.first, shard.first + shard.count)
    columns = {first.name: first.column(shard)} if first.column else {}
    columns |= {
        label: make_number_column(values[:, i]) for i, label in enumerate(shard.plan.design.labels)
    }
    columns |= {outcome.name: outcome.column(shard) for outcome in others if outcome.column}
    return pa.table(columns | {name: make_number_column(x) for name, x in own.items()})
