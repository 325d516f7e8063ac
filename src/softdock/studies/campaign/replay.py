"""A run of a campaign again by itself, and whether it is the row that the campaign's table has of
it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from softdock.studies.campaign.arrow_arrays import to_numbers
from softdock.studies.campaign.digest import read_plan_tables
from softdock.studies.campaign.outcomes import OUTCOMES
from softdock.studies.campaign.variants import Plan

ROUNDING = 1e-6  # of a value: runs of a GPU differ from this machine's by less than this
SMALLEST = 1e-12  # J, N, s: less is nothing


def extract_outcomes(metrics: Mapping[str, Any]) -> dict[str, float]:
    """The columns of a campaign's table from the metrics of a single run; words as numbers, what is
    not defined as NaN."""
    found = {o.name: o.replayed(metrics) for o in OUTCOMES.values() if o.replayed}
    return {name: math.nan if value is None else float(value) for name, value in found.items()}


def find_row(plan: Plan, folder: Path, run: int) -> dict[str, float] | None:
    """What the campaign in a folder has of a run; None: not run yet. A table that is damaged is
    named and not believed."""
    for table in read_plan_tables(plan, folder):
        at = np.flatnonzero(to_numbers(table["run"]) == run)
        if len(at):
            return {name: float(to_numbers(table[name])[at[0]]) for name in table.column_names}
    return None


def list_differences(row: Mapping[str, float], single: Mapping[str, float]) -> list[str]:
    """What differs by more than rounding, in words."""
    held = {
        name: value
        for name, value in single.items()
        if name in row and not OUTCOMES[name].paired_by_age
    }
    return [
        f"{name} {value:.6g} ({row[name]:.6g} in the table)"
        for name, value in held.items()
        if not _is_same(value, row[name])
    ]


def _is_same(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=ROUNDING, abs_tol=SMALLEST) or (
        math.isnan(a) and math.isnan(b)
    )
