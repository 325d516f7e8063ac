"""Which of the things that vary matter: Sobol's indices of every outcome.

First order: the share of an outcome's variance that goes away when one number is known, Var(E[y |
x]) / Var(y). From a `saltelli` design by Saltelli's estimator, with the total indices (interactions
included) by Jansen's; else from any design by grouping runs of like x: the correlation ratio, less
what as many groups of pure noise would show.
"""

from __future__ import annotations

from typing import Any

import numpy as np

MOST_GROUPS = 32
FEWEST_IN_GROUP = 8  # runs


def first_order(x: np.ndarray, y: np.ndarray) -> float:
    """The correlation ratio of y on x, corrected for the number of groups; NaN if y does not vary.
    Below 0 is noise about 0."""
    fine = np.isfinite(x) & np.isfinite(y)
    x, y = x[fine], y[fine]
    spread = float(np.sum((y - y.mean()) ** 2)) if len(y) else 0.0
    if len(y) < 2 * FEWEST_IN_GROUP or spread <= 1e-24 * float(np.sum(y * y)):
        return float("nan")
    group, count = _groups(x)
    if count < 2:
        return float("nan")
    number = np.bincount(group, minlength=count)
    means = np.bincount(group, weights=y, minlength=count) / np.maximum(number, 1)
    within = float(np.sum((y - means[group]) ** 2)) / max(len(y) - count, 1)
    return 1.0 - within / (spread / (len(y) - 1))


def _groups(x: np.ndarray) -> tuple[np.ndarray, int]:
    """Equal values together, as on a grid; or as many in each group."""
    values, group = np.unique(x, return_inverse=True)
    if len(values) <= MOST_GROUPS:
        return group, len(values)
    count = int(min(MOST_GROUPS, len(x) // FEWEST_IN_GROUP))
    order = np.argsort(np.argsort(x, kind="stable"), kind="stable")
    return order * count // len(x), count


def saltelli_indices(y: np.ndarray, dimensions: int) -> tuple[np.ndarray, np.ndarray]:
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


def ranking(
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
            {"key": label, "first_order": first_order(columns[label], y), "total": None}
            for label in labels
        ]
        if saltelli is not None and len(y) % (saltelli[1] + 2) == 0:
            first, total = saltelli_indices(y, saltelli[1])
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
