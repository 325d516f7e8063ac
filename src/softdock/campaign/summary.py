"""What a campaign says, from its tables: rates, distributions, maps, sensitivity, worst cases. One plain dict: `summary.json`, and the page's numbers.

Counts and rates are those of all runs. Distributions, maps and sensitivity read at most `digest.MOST_ROWS` runs, evenly picked, and say so.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from softdock._version import __version__
from softdock.campaign.digest import digest
from softdock.campaign.execute import Spent
from softdock.campaign.plan import Plan
from softdock.campaign.sensitivity import ranking
from softdock.metrics import plain

MAP_CELLS = 24  # along each side, where what varies is drawn and not on a grid
SAME = 1e-9  # of the larger: values no farther apart are one
QUANTILES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
SHOWN = ("peak_force_real_N", "peak_torque_real_Nm", "restitution", "energy_invented_share", "contacts", "captured_at_s", "distance_from_orbit")


def summarise(plan: Plan, folder: Path, spent: Spent | None = None) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The summary, and the columns it was made from."""
    has_orbit = plan.spec.reference
    worst_by = plan.spec.report["worst_by"] or ("distance_from_orbit" if has_orbit else "energy_invented_J")
    columns, counts, worst = digest(plan, folder, worst_by)
    shown = [name for name in (*SHOWN, *_own(plan, columns)) if name in columns and np.isfinite(columns[name]).any()]
    saltelli = ([label for v in plan.spec.vary if v.dimensions for label in v.labels], plan.design.dimensions) if plan.spec.sampling == "saltelli" else None
    by_variant = [_of_variant(plan, i, columns, counts[i]) for i in range(len(plan.variants))]
    outcomes = [name for name in (*shown, "captured") if name in columns and np.isfinite(columns[name]).any()]
    one = {name: x[columns["variant"] == 0] for name, x in columns.items()}
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
        "honest_below": plan.spec.honest_below if has_orbit else None,
        "refused": plan.refused,
        "variants": by_variant,
        "distributions": {name: [distribution(columns[name][columns["variant"] == i]) for i in range(len(plan.variants))] for name in shown},
        "sensitivity": ranking(one, list(plan.design.labels), outcomes, saltelli if len(one["run"]) == plan.design.runs else None),
        "maps": _maps(plan, columns),
        "worst_by": worst_by,
        "worst": worst,
        "spent": _spent(spent),
    }
    return plain(result), columns


def _own(plan: Plan, columns: dict[str, np.ndarray]) -> list[str]:
    from softdock.campaign.outcomes import column_names

    known = {*column_names(plan), "energy_invented_share", "variant"}
    return [name for name in columns if name not in known]


def _of_variant(plan: Plan, i: int, columns: dict[str, np.ndarray], counts: dict[str, Any]) -> dict[str, Any]:
    v, n = plan.variants[i], counts["runs"]
    mine = columns["variant"] == i
    row: dict[str, Any] = {"label": v.label, "method": v.method, "integrator": v.integrator, "runs": n}
    row |= {"status": counts["status"], "verdicts": counts["verdicts"]}
    row["capture_rate"] = counts["captured"] / counts["asked"] if counts["asked"] else None
    row["capture_interval"] = wilson(counts["captured"], counts["asked"]) if counts["asked"] else None
    row["active_rate"] = counts["verdicts"]["active"] / n if n else None
    row["stopped_rate"] = counts["verdicts"]["stopped"] / n if n else None
    row["honest_rate"] = counts["honest"] / n if plan.spec.reference and n else None
    for name in ("peak_force_real_N", "peak_torque_real_Nm", "energy_invented_J", "distance_from_orbit"):
        x = columns[name][mine] if name in columns else np.zeros(0)
        x = x[np.isfinite(x)]
        row[f"{name}_95"] = float(np.quantile(x, 0.95)) if len(x) else None
        row[f"{name}_most"] = float(x.max()) if len(x) else None
    return row


def wilson(hits: int, of: int, z: float = 1.959963984540054) -> list[float]:
    """The 95 % interval of a rate (Wilson, 1927)."""
    p, n = hits / of, float(of)
    middle, half = p + z * z / (2.0 * n), z * math.sqrt(p * (1.0 - p) / n + z * z / (4.0 * n * n))
    scale = 1.0 + z * z / n
    return [(middle - half) / scale if hits else 0.0, (middle + half) / scale if hits < of else 1.0]


def distribution(x: np.ndarray, bins: int = 60) -> dict[str, Any]:
    """Histogram and quantiles; the histogram between the 0.1 and 99.9 % quantiles, with what lies beyond counted."""
    fine = x[np.isfinite(x)]
    if not len(fine):
        return {"runs": 0, "undefined": len(x)}
    low, high = np.quantile(fine, [0.001, 0.999])
    if high - low <= SAME * max(abs(low), abs(high)):  # all the same but for rounding
        low, high = low - 0.5 * abs(low or 1.0), high + 0.5 * abs(high or 1.0)
    inside = fine[(fine >= low) & (fine <= high)]
    counts, edges = np.histogram(inside, bins=bins, range=(low, high))
    quantiles = {f"{100 * q:g}": value for q, value in zip(QUANTILES, np.quantile(fine, QUANTILES).tolist(), strict=True)}
    spread = {"mean": fine.mean(), "deviation": fine.std(), "least": fine.min(), "most": fine.max()}
    seen = {"runs": len(fine), "undefined": len(x) - len(fine), "beyond": len(fine) - len(inside)}
    return {**seen, **spread, "quantiles": quantiles, "counts": counts, "edges": edges}


def _maps(plan: Plan, columns: dict[str, np.ndarray]) -> dict[str, Any] | None:
    """Over the two chosen keys: rates and means in each cell, a map a variant."""
    axes = plan.spec.report["map"]
    if len(axes) != 2:
        return None
    sides = [cells(plan, axis, columns[axis]) for axis in axes]
    shape = tuple(len(side["centres"]) for side in sides)
    found: dict[str, Any] = {"axes": axes, "centres": [side["centres"] for side in sides], "outcomes": {}}
    values = {"captured": columns["captured"], "active": (columns["verdict"] == 1).astype(float), "peak_force_real_N": columns["peak_force_real_N"]}
    values["energy_invented_share"] = columns["energy_invented_share"]
    if "distance_from_orbit" in columns:
        values["distance_from_orbit"] = columns["distance_from_orbit"]
        values["honest"] = np.where(np.isfinite(columns["distance_from_orbit"]), columns["distance_from_orbit"] <= plan.spec.honest_below, 0.0).astype(float)
    for name, value in values.items():
        if not np.isfinite(value).any():
            continue
        maps = []
        for v in range(len(plan.variants)):
            fine = (columns["variant"] == v) & np.isfinite(value)
            flat = np.ravel_multi_index(tuple(side["index"][fine] for side in sides), shape)
            number = np.bincount(flat, minlength=shape[0] * shape[1])
            total = np.bincount(flat, weights=value[fine], minlength=len(number))
            with np.errstate(divide="ignore", invalid="ignore"):
                maps.append(np.where(number > 0, total / number, np.nan).reshape(shape))
        found["outcomes"][name] = maps
    return found


def cells(plan: Plan, label: str, x: np.ndarray) -> dict[str, np.ndarray]:
    """Which cell of a map's side each run is in: the values of a grid or list themselves, else even cells."""
    vary = next(v for v in plan.spec.vary if label in v.labels)
    if not vary.dimensions:
        values = np.unique(vary.points[:, vary.labels.index(label)])
        return {"centres": values, "index": np.searchsorted(values, x).clip(0, len(values) - 1)}
    low, high = np.quantile(x, [0.001, 0.999])
    edges = np.linspace(low, high, MAP_CELLS + 1)
    return {"centres": 0.5 * (edges[1:] + edges[:-1]), "index": (np.searchsorted(edges, x) - 1).clip(0, MAP_CELLS - 1)}


def _spent(spent: Spent | None) -> dict[str, Any] | None:
    if spent is None or spent.runs == 0:
        return None
    per: dict[str, Any] = {"runs": spent.runs, "cycles": spent.cycles, "orbits_flown": spent.orbits}
    per |= {"wall_s": spent.wall_s, "loop_s": spent.loop_s, "orbit_s": spent.orbit_s}
    per["runs_per_s"] = spent.runs / spent.wall_s if spent.wall_s else None
    per["cycles_per_s"] = spent.cycles / spent.wall_s if spent.wall_s else None
    per["cycles_per_s_loop"] = spent.cycles / spent.loop_s if spent.loop_s else None
    per["runs_per_s_without_orbit"] = spent.runs / (spent.wall_s - spent.orbit_s) if spent.orbits and spent.wall_s > spent.orbit_s else None
    return per | {"machine": spent.words}
