"""What a campaign says, from its tables: rates, distributions, maps, sensitivity, worst cases. One
plain dict: `summary.json`, and the page's numbers.

Counts and rates are those of all runs. Distributions, maps and sensitivity read at most
`digest.MOST_ROWS` runs, evenly picked, and say so.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from softdock._version import __version__
from softdock.results.metrics import convert_to_plain
from softdock.studies.campaign.digest import read_digest
from softdock.studies.campaign.execute import Effort
from softdock.studies.campaign.maps import make_maps
from softdock.studies.campaign.outcomes import OUTCOMES, list_column_names, list_page_outcomes
from softdock.studies.campaign.requirement import (
    CONFIDENCE,
    check_requirement,
    compute_share_interval,
)
from softdock.studies.campaign.variants import Plan
from softdock.studies.campaign.verdicts import judge_campaign

# Which of the things that vary matter: Sobol's indices of every outcome.
#
# First order: the share of an outcome's variance that goes away when one number is known, Var(E[y |
# x]) / Var(y). From a `saltelli` design by Saltelli's estimator, with the total indices
# (interactions included) by Jansen's; else from any design by grouping runs of like x: the
# correlation ratio, less what as many groups of pure noise would show.

MOST_GROUPS = 32
FEWEST_IN_GROUP = 8  # runs


def compute_first_order(x: np.ndarray, y: np.ndarray) -> float:
    """The correlation ratio of y on x, corrected for the number of groups; NaN if y does not vary.
    Below 0 is noise about 0."""
    fine = np.isfinite(x) & np.isfinite(y)
    x, y = x[fine], y[fine]
    spread = float(np.sum((y - y.mean()) ** 2)) if len(y) else 0.0
    if len(y) < 2 * FEWEST_IN_GROUP or spread <= 1e-24 * float(np.sum(y * y)):
        return float("nan")
    group, count = _make_groups(x)
    if count < 2:
        return float("nan")
    number = np.bincount(group, minlength=count)
    means = np.bincount(group, weights=y, minlength=count) / np.maximum(number, 1)
    within = float(np.sum((y - means[group]) ** 2)) / max(len(y) - count, 1)
    return 1.0 - within / (spread / (len(y) - 1))


def _make_groups(x: np.ndarray) -> tuple[np.ndarray, int]:
    """Equal values together, as on a grid; or as many in each group."""
    values, group = np.unique(x, return_inverse=True)
    if len(values) <= MOST_GROUPS:
        return group, len(values)
    count = int(min(MOST_GROUPS, len(x) // FEWEST_IN_GROUP))
    order = np.argsort(np.argsort(x, kind="stable"), kind="stable")
    return order * count // len(x), count


def compute_saltelli_indices(y: np.ndarray, dimensions: int) -> tuple[np.ndarray, np.ndarray]:
    """First-order and total indices from the outcomes of a `saltelli` design, in the order of its
    runs. NaN where y does not vary."""
    table = y.reshape(-1, dimensions + 2)
    table = table[np.isfinite(table).all(axis=1)]
    none = np.full(dimensions, np.nan)
    if len(table) < 2:
        return none, none
    a, mixed, b = table[:, :1], table[:, 1:-1], table[:, -1:]
    variance = float(np.var(np.concatenate([a, b])))
    if variance <= 1e-24 * float(np.mean(a * a)):
        return none, none
    first = (
        np.mean((b - 0.5 * (a.mean() + b.mean())) * (mixed - a), axis=0) / variance
    )  # Saltelli et al. (2010), centred
    total = 0.5 * np.mean((a - mixed) ** 2, axis=0) / variance  # Jansen (1999)
    return first, total


def rank_influences(
    columns: dict[str, np.ndarray],
    labels: list[str],
    outcomes: list[str],
    saltelli: tuple[list[str], int] | None,
) -> dict[str, list[dict[str, Any]]]:
    """For each outcome, what varies and its indices, the strongest first. `saltelli`: labels drawn
    by such a design, in order, and how many."""
    result: dict[str, list[dict[str, Any]]] = {}
    for outcome in outcomes:
        y = columns[outcome].astype(float)
        rows: list[dict[str, Any]] = [
            {"key": label, "first_order": compute_first_order(columns[label], y), "total": None}
            for label in labels
        ]
        if saltelli is not None and len(y) % (saltelli[1] + 2) == 0:
            first, total = compute_saltelli_indices(y, saltelli[1])
            for row in rows:
                if row["key"] in saltelli[0]:
                    i = saltelli[0].index(row["key"])
                    row |= {"first_order": float(first[i]), "total": float(total[i])}
        rows = [row for row in rows if np.isfinite(row["first_order"])]
        if rows:
            result[outcome] = sorted(
                rows,
                key=lambda row: -(row["total"] if row["total"] is not None else row["first_order"]),
            )
    return result


SAME = 1e-9  # of the larger: values no farther apart are one
FEWEST_BINS, MOST_BINS = 12, 60  # of a histogram
QUANTILES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)


def summarise(
    plan: Plan, folder: Path, spent: Effort | None = None
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The summary, and the columns it was made from."""
    has_reference = plan.spec.reference
    worst_by = plan.spec.report["worst_by"] or (
        "error_against_orbit" if has_reference else "energy_added_J"
    )
    columns, counts, worst = read_digest(plan, folder, worst_by)
    distributed = [outcome.name for outcome in list_page_outcomes(lambda one: one.has_distribution)]
    shown = [
        name
        for name in (*distributed, *_list_own_outcomes(plan, columns))
        if name in columns and np.isfinite(columns[name]).any()
    ]
    saltelli = (
        (
            [label for v in plan.spec.vary if v.dimensions for label in v.labels],
            plan.design.dimensions,
        )
        if plan.spec.sampling == "saltelli"
        else None
    )
    by_variant = [
        _summarise_variant(plan, i, columns, counts[i]) for i in range(len(plan.variants))
    ]
    outcomes = [
        name
        for name in (*shown, "captured")
        if name in columns and np.isfinite(columns[name]).any()
    ]
    each = (
        {name: x[columns["variant"] == i] for name, x in columns.items()}
        for i in range(len(plan.variants))
    )
    result = {
        "schema": 1,
        "softdock": __version__,
        "name": plan.spec.name,
        "description": plan.spec.description,
        "scenario": plan.base.name,
        "runs": plan.runs,
        "runs_read": len(columns["run"]),
        "vary": [{"key": label, "how": v.how} for v in plan.spec.vary for label in v.labels],
        "sampling": plan.spec.sampling,
        "seed": plan.spec.seed,
        "is_sample": plan.design.draws > 1,
        "error_limit": plan.spec.error_limit if has_reference else None,
        "refused": plan.refused,
        "variants": by_variant,
        "distributions": {
            name: [
                summarise_distribution(columns[name][columns["variant"] == i], columns[name])
                for i in range(len(plan.variants))
            ]
            for name in shown
        },
        "sensitivity": [
            rank_influences(one, list(plan.design.labels), outcomes, saltelli) for one in each
        ],
        "maps": make_maps(plan, columns),
        "worst_by": worst_by,
        "worst": worst,
        "spent": _summarise_effort(spent),
    }
    result["verdict"] = judge_campaign(result)
    return convert_to_plain(result), columns


def _list_own_outcomes(plan: Plan, columns: dict[str, np.ndarray]) -> list[str]:
    known = {*list_column_names(plan), *OUTCOMES, "variant"}
    return [name for name in columns if name not in known]


def _summarise_variant(
    plan: Plan, i: int, columns: dict[str, np.ndarray], counts: dict[str, Any]
) -> dict[str, Any]:
    v, n = plan.variants[i], counts["runs"]
    mine = columns["variant"] == i
    row: dict[str, Any] = {
        "label": plan.label(i),
        "method": v.method,
        "integrator": v.integrator,
        "runs": n,
    }
    row |= {name: counts[name] for name in ("status", "activities", "verdicts")}
    row["capture_rate"] = counts["captured"] / counts["asked"] if counts["asked"] else None
    asked = counts["orbit_asked"]
    for name, count in (
        ("orbit_capture", "orbit_captured"),
        ("different_capture", "captured_differently"),
    ):
        row[f"{name}_rate"] = counts[count] / asked if asked else None
    row["active_rate"] = counts["activities"]["active"] / n if n else None
    row["stopped_rate"] = counts["activities"]["stopped"] / n if n else None
    row["within_limit_rate"] = counts["within_limit"] / n if plan.spec.reference and n else None
    row["no_contact_rate"] = counts["untouched"] / n if n else None
    row["no_statement_rate"] = counts["silent"] / n if plan.spec.reference and n else None
    row["no_statement_untouched_rate"] = (
        counts["silent_untouched"] / n if plan.spec.reference and n else None
    )
    chance, hits = (
        _are_draws(plan, columns, mine),
        (counts["captured"], counts["within_limit"], counts["activities"]["active"]),
    )
    confidence = row["interval_confidence"] = plan.spec.require.get("confidence", CONFIDENCE)
    for name, hit, of in zip(
        ("capture", "within_limit", "active"),
        hits,
        (counts["asked"], n if counts["silent"] < n else 0, n),
        strict=True,
    ):
        row[f"{name}_interval"] = (
            list(compute_share_interval(hit, of, confidence))
            if chance and of and row[f"{name}_rate"] is not None
            else None
        )
    row["requirement"] = check_requirement(plan.spec.require, counts, plan.spec.sampling)
    for name in (outcome.name for outcome in list_page_outcomes(lambda one: one.quantile)):
        x = columns[name][mine] if name in columns else np.zeros(0)
        x = x[np.isfinite(x)]
        row[f"{name}_95"] = float(np.quantile(x, 0.95)) if len(x) else None
        row[f"{name}_most"] = float(x.max()) if len(x) else None
    return row


def _are_draws(plan: Plan, columns: dict[str, np.ndarray], mine: np.ndarray) -> bool:
    """Whether runs are independent of each other, as an interval needs: not on grids, nor in
    designs that spread their points evenly, nor without noise."""
    design, added = plan.design, columns.get("energy_added_J", np.zeros(len(mine)))[mine]
    one_point = design.points == 1 and design.draws > 1
    return one_point and (
        plan.spec.sampling == "random" if design.dimensions else len(np.unique(added)) > 1
    )


def summarise_distribution(x: np.ndarray, within: np.ndarray | None = None) -> dict[str, Any]:
    """Histogram and quantiles; the histogram between the 0.1 and 99.9 % quantiles, with what lies
    beyond counted. `within`: all of whom x is a part."""
    fine, every = (one[np.isfinite(one)] for one in (x, x if within is None else within))
    if not len(fine):
        return {"runs": 0, "undefined": len(x)}
    low, high = np.quantile(every, [0.001, 0.999])
    if high - low <= SAME * max(abs(low), abs(high)):  # all the same but for rounding
        low, high = low - 0.5 * abs(low or 1.0), high + 0.5 * abs(high or 1.0)
    bins = int(np.clip(2.0 * math.sqrt(len(fine)), FEWEST_BINS, MOST_BINS))
    if every.max() - every.min() < MOST_BINS and np.all(
        every == np.round(every)
    ):  # whole numbers: a bin each
        low, high = every.min() - 0.5, every.max() + 0.5
        bins = int(high - low)
    inside = fine[(fine >= low) & (fine <= high)]
    counts, edges = np.histogram(inside, bins=bins, range=(low, high))
    quantiles = {
        f"{100 * q:g}": value
        for q, value in zip(QUANTILES, np.quantile(fine, QUANTILES).tolist(), strict=True)
    }
    spread = {"mean": fine.mean(), "deviation": fine.std(), "least": fine.min(), "most": fine.max()}
    seen = {"runs": len(fine), "undefined": len(x) - len(fine), "beyond": len(fine) - len(inside)}
    return {**seen, **spread, "quantiles": quantiles, "counts": counts, "edges": edges}


def _summarise_effort(spent: Effort | None) -> dict[str, Any] | None:
    if spent is None or spent.runs == 0:
        return None
    per: dict[str, Any] = {"runs": spent.runs, "cycles": spent.cycles, "orbits_flown": spent.orbits}
    per |= {
        "wall_s": spent.wall_s,
        "compile_s": spent.compile_s,
        "loop_s": spent.loop_s,
        "orbit_s": spent.orbit_s,
    }
    per["runs_per_s"] = spent.runs / spent.wall_s if spent.wall_s else None
    per["cycles_per_s"] = spent.cycles / spent.wall_s if spent.wall_s else None
    per["cycles_per_s_loop"] = spent.cycles / spent.loop_s if spent.loop_s else None
    per["runs_per_s_without_orbit"] = (
        spent.runs / (spent.wall_s - spent.orbit_s)
        if spent.orbits and spent.wall_s > spent.orbit_s
        else None
    )
    return per | {"machine": spent.words}
