"""Maps of a campaign over two of the keys that vary: rates and means in each cell, per variant.

What varies on a grid or list has a cell for each of its values; what is drawn has even cells (even
in the logarithm for log_uniform) over its range, a normal's over 99.8 % of it with the tails in the
outermost; fewer cells where there are few runs. A cell without a number is None.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softdock.studies.campaign.outcome import BEHIND
from softdock.studies.campaign.outcomes import OUTCOMES, Outcome
from softdock.studies.campaign.variants import Plan
from softdock.studies.campaign.vary import Vary

MOST_CELLS, FEWEST_CELLS = 24, 5  # along a side, where what varies is drawn
MOST_VALUES = 100  # of a grid or list, each with a cell of its own
RUNS_PER_CELL = 5  # wanted
TAIL = 0.001  # of a normal, beyond the map's sides


class Side(NamedTuple):
    """One side of the maps: how it is to be drawn ("values", "linear" or "log"), its cells, and the
    cell of every run."""

    scale: str
    centres: np.ndarray
    edges: np.ndarray  # empty for values
    cell: np.ndarray


def make_cells(vary: Vary, label: str, x: np.ndarray, most: int = MOST_CELLS) -> Side:
    """The cells of one key, and which of them each run is in."""
    if not vary.dimensions:
        values = np.unique(vary.points[:, vary.labels.index(label)])
        if len(values) <= MOST_VALUES:
            return Side(
                "linear" if vary.how == "grid" else "values",
                values,
                np.zeros(0),
                np.searchsorted(values, x).clip(0, len(values) - 1),
            )
        low, high = values[0], values[-1]
    elif vary.how == "normal":
        low, high = np.quantile(x, [TAIL, 1.0 - TAIL])
    else:
        low, high = vary.low, vary.high
    edges = (
        np.geomspace(low, high, most + 1)
        if vary.how == "log_uniform"
        else np.linspace(low, high, most + 1)
    )
    centres = (
        np.sqrt(edges[1:] * edges[:-1])
        if vary.how == "log_uniform"
        else 0.5 * (edges[1:] + edges[:-1])
    )
    return Side(
        "log" if vary.how == "log_uniform" else "linear",
        centres,
        edges,
        (np.searchsorted(edges, x, side="right") - 1).clip(0, most - 1),
    )


def make_maps(plan: Plan, columns: dict[str, np.ndarray]) -> dict[str, Any] | None:
    """Over the two chosen keys; None: none are chosen."""
    axes = plan.spec.report["map"]
    if len(axes) != 2:
        return None
    of = [next(v for v in plan.spec.vary if axis in v.labels) for axis in axes]
    sides = [
        make_cells(v, axis, columns[axis], most)
        for v, axis, most in zip(
            of, axes, _choose_cell_counts(plan, of, len(columns["run"])), strict=True
        )
    ]
    shape = len(sides[0].centres), len(sides[1].centres)
    maps: dict[str, Any] = {
        "axes": axes,
        "scales": [s.scale for s in sides],
        "centres": [s.centres for s in sides],
        "edges": [s.edges for s in sides],
    }
    cell = np.ravel_multi_index((sides[0].cell, sides[1].cell), shape)
    maps["runs"] = [
        np.bincount(cell[columns["variant"] == v], minlength=shape[0] * shape[1]).reshape(shape)
        for v in range(len(plan.variants))
    ]
    maps["outcomes"] = {}
    for outcome in list_mapped_outcomes():
        name, value = outcome.name, columns.get(outcome.name, np.zeros(0))
        if outcome.map and outcome.map.needs_contact and len(value):
            value = np.where(columns.get("contacts", np.ones(1)) > 0, value, np.nan)
        if np.isfinite(value).any():
            maps["outcomes"][name] = [
                _compute_means(cell, value, (columns["variant"] == v) & np.isfinite(value), shape)
                for v in range(len(plan.variants))
            ]
    return maps


def _choose_cell_counts(plan: Plan, of: list[Vary], read: int) -> list[int]:
    """Cells along each side where what varies there is drawn: as many as leave some runs in
    each."""
    drawn = [v for v in of if v.dimensions]
    values = np.prod([min(len(v.points), MOST_VALUES) for v in of if not v.dimensions], initial=1.0)
    runs = read / len(plan.variants) / values / RUNS_PER_CELL
    return [int(np.clip(runs ** (1.0 / max(len(drawn), 1)), FEWEST_CELLS, MOST_CELLS))] * 2


def list_mapped_outcomes() -> list[Outcome]:
    """Outcomes that are drawn as maps, in the order of the page."""
    outcomes = [outcome for outcome in OUTCOMES.values() if outcome.map]
    return sorted(outcomes, key=lambda outcome: outcome.map.place if outcome.map else BEHIND)


def _compute_means(
    cell: np.ndarray, value: np.ndarray, of: np.ndarray, shape: tuple[int, int]
) -> np.ndarray:
    """In each cell; NaN where there is nothing."""
    number = np.bincount(cell[of], minlength=shape[0] * shape[1])
    total = np.bincount(cell[of], weights=value[of], minlength=len(number))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(number > 0, total / number, np.nan).reshape(shape)
