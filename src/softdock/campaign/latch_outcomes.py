"""Outcomes of runs with latches, declared as those of outcomes.py."""

from __future__ import annotations

from softdock.campaign.outcome import Map, Outcome
from softdock.campaign.outcome_columns import from_loop, from_metrics, latched

LATCH_OUTCOMES = (
    Outcome(
        name="latched",
        meaning="every latch went hard and held to the end; null: there is none",
        column=latched,
        replayed=from_metrics("latched"),
        heading="latched",
        is_number=False,
        decides=True,
        place=12,
        map=Map("Latched", "Viridis", (0.0, 1.0), place=12),
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
        relative_to="",
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
        relative_to="",
    ),
)
