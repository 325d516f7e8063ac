"""What is kept of every run: a row of a Parquet table, at most 200 bytes. Every outcome is declared
here, once (`outcome.py` says what a declaration holds); meanings: docs/campaigns.md.

The run's number and what varied stand in front, in the user's units; outcomes of the user's own
behind.
"""

from __future__ import annotations

import numpy as np

from softdock.campaign.arrow_arrays import numbers, words
from softdock.campaign.latch_outcomes import LATCH_OUTCOMES
from softdock.campaign.orbit_outcomes import ORBIT_OUTCOMES
from softdock.campaign.outcome import (
    OUTCOMES,
    Map,
    Outcome,
    Quantile,
    columns_of,
    declare,
    heading,
    on_page,
)
from softdock.campaign.outcome_columns import (
    ACTIVE,
    captures,
    cycles_s,
    from_loop,
    from_metrics,
    honest_runs,
    invented_share,
    observed_energy,
    one_word,
    run_numbers,
    statuses,
    verdict_of_one,
    verdicts,
)
from softdock.core.cycle import STATUSES

__all__ = ["OUTCOMES", "Outcome", "columns_of", "declare", "heading", "on_page"]

declare(
    Outcome(
        name="run",
        meaning="number of the run, from 0: the key of its replay",
        column=run_numbers,
        is_number=False,
    ),
    Outcome(
        name="method",
        meaning="methods, in the order in which they apply",
        column=lambda made: one_word(made.plan.variants[made.variant].method, made.count),
        is_number=False,
    ),
    Outcome(
        name="integrator",
        meaning="integrator of the satellites",
        column=lambda made: one_word(made.plan.variants[made.variant].integrator, made.count),
        is_number=False,
    ),
    Outcome(
        name="status",
        meaning="completed, or why the run stopped",
        column=lambda made: words(statuses(made), STATUSES),
        replayed=lambda metrics: STATUSES.index(metrics["status"]),
        is_number=False,
        decides=True,
    ),
    Outcome(
        name="verdict",
        meaning=f"passive; active: it invented more than {100 * ACTIVE:g} % of the energy at the "
        "start; stopped: it did not complete",
        column=verdicts,
        replayed=verdict_of_one,
        is_number=False,
        decides=True,
    ),
    Outcome(
        name="captured",
        meaning="the probe was at its seat and slow for the stated time; null: nobody asked",
        column=captures,
        replayed=from_metrics("captured"),
        heading="captured",
        is_number=False,
        decides=True,
        place=10,
        map=Map("Captured", "Viridis", (0.0, 1.0), place=10, yes_or_no=("not", "captured")),
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
        relative_to="",
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
        decides=True,
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
        relative_to="",
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
        map=Map("Peak force [N]", "Cividis", place=50),
        relative_to="peak_force_real_N",
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
        relative_to="peak_torque_real_Nm",
    ),
    Outcome(
        name="energy_invented_J",
        meaning="energy from nothing",
        column=from_loop("energy_invented_J"),
        replayed=from_metrics("energy_invented_J"),
        unit="J",
        heading="energy invented",
        place=55,
        is_among_worst=True,
        quantile=Quantile("invented 95 %", "invented [J]", "Energy invented, 95 %"),
        relative_to="kinetic_start_J",
    ),
    Outcome(
        name="observed_J",
        meaning="energy observed at the rig's port; above 0 it is active; NaN: force and pose "
        "differ in age by more than half a cycle",
        column=observed_energy,
        replayed=from_metrics("ledger", "observed_J"),
        paired_by_age=True,
        unit="J",
        heading="energy observed",
        place=56,
        relative_to="kinetic_start_J",
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
        relative_to="kinetic_start_J",
    ),
    Outcome(
        name="ended_at_s",
        meaning="time at which the run ended",
        column=lambda made: numbers(made.batch.column("cycles") * cycles_s(made.runs)),
        replayed=from_metrics("ended_at_s"),
        unit="s",
    ),
    *ORBIT_OUTCOMES,
    Outcome(
        name="active",
        meaning="whether the verdict is active",
        derived=lambda plan, columns: (columns["verdict"] == 1).astype(float),
        place=100,
        map=Map(
            "Active: share of runs that invented energy",
            "Viridis",
            (0.0, 1.0),
            is_share=True,
            place=60,
        ),
    ),
    Outcome(
        name="energy_invented_share",
        meaning="energy from nothing, of that at the start",
        derived=invented_share,
        heading="energy invented, of that at the start",
        place=65,
        has_distribution=True,
        map=Map("Energy invented, of that at the start", "RdBu", about_zero=True, place=40),
    ),
    Outcome(
        name="honest",
        meaning="whether the distance from orbit is within the bound of honest operation",
        derived=honest_runs,
        of_orbit=True,
        place=20,
        map=Map(
            "Honest: share of runs within the bound of orbit",
            "Viridis",
            (0.0, 1.0),
            is_share=True,
            place=20,
        ),
    ),
)
