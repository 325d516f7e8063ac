"""Outcomes of runs that are compared with orbit, declared as those of outcomes.py."""

from __future__ import annotations

import numpy as np

from softdock.campaign.arrow_arrays import numbers
from softdock.campaign.outcome import Made, Map, Outcome, Quantile
from softdock.campaign.outcome_columns import from_metrics, of_orbits, orbit_beside
from softdock.campaign.verdicts import word_in_table, words_of_runs


def later(made: Made) -> np.ndarray:
    """Distance from orbit some time after the last contact, or at the end of the run."""
    beside = orbit_beside(made)
    return np.where(np.isnan(beside.watched.after.at), beside.at_end, beside.later)


ORBIT_OUTCOMES = (
    Outcome(
        name="distance_from_orbit",
        meaning="after the last contact; 0 is orbit, 1 as far as the approach itself; NaN: a "
        "contact was on at the end, or nothing approached",
        column=lambda made: numbers(orbit_beside(made).distance),
        replayed=from_metrics("distance_from_orbit"),
        of_orbit=True,
        heading="distance from orbit",
        place=90,
        has_distribution=True,
        quantile=Quantile("from orbit 95 %", is_share=True),
        map=Map("Distance from orbit, with the envelope of honest operation", "Cividis", place=30),
        relative_to="",
    ),
    Outcome(
        name="distance_from_orbit_later",
        meaning="the same `verdict.settle_s` later, where a push after the last contact shows; the "
        "worse one judges. Of a pair that still touches: at the end of the run",
        column=lambda made: numbers(later(made)),
        replayed=lambda metrics: metrics[
            "distance_from_orbit_at_end"
            if metrics["distance_from_orbit"] is None
            else "distance_from_orbit_later"
        ],
        of_orbit=True,
        heading="distance from orbit later",
        place=91,
        has_distribution=True,
        relative_to="",
    ),
    Outcome(
        name="judged",
        meaning="faithful, distorted or unsafe, by the bounds of the scenario's [verdict]",
        column=words_of_runs,
        replayed=word_in_table,
        of_orbit=True,
        is_number=False,
    ),
    Outcome(
        name="orbit_contacts",
        meaning="number of contacts in orbit",
        column=of_orbits("contacts", np.int32),
        replayed=from_metrics("reference", "contact_count"),
        of_orbit=True,
    ),
    Outcome(
        name="orbit_restitution",
        meaning="of orbit's first contact",
        column=lambda made: numbers(orbit_beside(made).orbits.restitution),
        replayed=from_metrics("reference", "restitution"),
        of_orbit=True,
    ),
    Outcome(
        name="orbit_peak_force_N",
        meaning="largest force in orbit",
        column=of_orbits("peak_force_N"),
        replayed=from_metrics("fidelity", "peak_force_orbit_N"),
        unit="N",
        of_orbit=True,
    ),
)
