"""The candidates as bars: how far each is from orbit on average, with a whisker to the worst of the
sampling phases and a mark for wrong knowledge; and how hard it hits, beside orbit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from softdock.comparison.ranking import worst_distance
from softdock.report.frame.charts import Line, chart

# of the verdict's word
ROLES = {"faithful": "c3", "distorted": "c2", "unsafe": "c4", "no verdict": "c1"}
ROW, FRAME = 30, 110  # pixels of a bar, and around them
Say = Callable[[float], str]
ROOM = 1.35  # of the longest bar: its number stands behind it
INSIDE = 1.15  # of the longest bar: where the number of a longer one stands
MOST_BOUNDS = 6.0  # longest axis, in bounds: what is beyond is written and not drawn


def bars(r: dict[str, Any]) -> str:
    """Both charts; empty without a candidate that ended."""
    rows = [c for c in r["candidates"] if c["distance_from_orbit"] is not None]
    if not rows:
        return ""
    charts = [_distances(rows)]
    if r["orbit"].get("peak_force_N") is not None:
        charts.append(_forces(rows, float(r["orbit"]["peak_force_N"])))
    return f'<div class="grid">{"".join(charts)}</div>'


def _distances(rows: list[dict[str, Any]]) -> str:
    mean = [100.0 * c["distance_from_orbit"] for c in rows]
    most = [100.0 * (c["distance_from_orbit_worst"] or c["distance_from_orbit"]) for c in rows]
    wrong = [
        100.0 * worst if c["worst"] and (worst := worst_distance(c["worst"])) is not None else None
        for c in rows
    ]
    bound = 100.0 * rows[0]["judgement"]["bounds"]["faithful_distance"]
    end = min(max([*most, *(w for w in wrong if w is not None), 1.2 * bound]), MOST_BOUNDS * bound)
    beyond = [c["label"] for c, m in zip(rows, most, strict=True) if m > ROOM * end]
    lines = [_bars("mean; whisker: worst of the phases", rows, mean, most)]
    lines.append(_labels(rows, most, end, percent))
    if any(w is not None for w in wrong):
        marks = {
            "mode": "markers",
            "x": [w if w is not None and w <= end else None for w in wrong],
            "y": [c["label"] for c in rows],
            "marker": {"symbol": "diamond-open", "size": 10},
            "hovertemplate": "%{x:.4g} % with wrong knowledge<extra></extra>",
        }
        lines.append(Line("with wrong knowledge", "total", *_nothing(), extra=marks))
    caption = (
        f"In percent of the approach; 0 is orbit. Line: {bound:.3g} %, up to which a rig is "
        "faithful. Colours: the verdict."
    )
    if beyond:
        caption += f" Longer than the chart: {'; '.join(beyond)}."
    return _chart(
        "distance",
        "How far from orbit",
        lines,
        x_title="distance from orbit [%]",
        caption=caption,
        rows=rows,
        bound=bound,
        end=end,
    )


def _forces(rows: list[dict[str, Any]], orbit: float) -> str:
    force = [float(c["peak_force_satellite_N"] or 0.0) for c in rows]
    end = min(max([*force, 1.2 * orbit]), MOST_BOUNDS * orbit) or 1.0
    lines = [_bars("peak force on the satellite", rows, force, force)]
    lines.append(_labels(rows, force, end, newton))
    caption = f"Line: orbit's {orbit:.4g} N."
    beyond = [c["label"] for c, f in zip(rows, force, strict=True) if f > ROOM * end]
    if beyond:
        caption += f" Longer than the chart: {'; '.join(beyond)}."
    return _chart(
        "force",
        "How hard it hits",
        lines,
        x_title="peak force [N]",
        caption=caption,
        rows=rows,
        bound=orbit,
        end=end,
    )


def percent(value: float) -> str:
    return f"{value:.3g} %"


def newton(value: float) -> str:
    return f"{value:.4g} N"


def _labels(rows: list[dict[str, Any]], most: list[float], end: float, say: Say) -> Line:
    """Each bar's number behind its whisker, where neither covers the other."""
    extra = {
        "mode": "text",
        "x": [min(value, INSIDE * end) for value in most],
        "y": [c["label"] for c in rows],
        "text": [f"\u2002{say(value)}" for value in most],
        "textposition": "middle right",
        "cliponaxis": False,
        "hoverinfo": "skip",
        "showlegend": False,
    }
    return Line("value", "total", *_nothing(), extra=extra)


def _bars(name: str, rows: list[dict[str, Any]], to: list[float], most: list[float]) -> Line:
    extra = {
        "type": "bar",
        "orientation": "h",
        "x": to,
        "y": [c["label"] for c in rows],
        "meta": {"role": "c1", "roles": [ROLES[c["judgement"]["word"]] for c in rows]},
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [max(0.0, b - a) for a, b in zip(to, most, strict=True)],
            "arrayminus": [0.0 for _ in to],
            "thickness": 1.4,
        },
        "hovertemplate": "%{x:.4g}<extra>%{y}</extra>",
    }
    return Line(name, "c1", *_nothing(), extra=extra)


def _nothing() -> tuple[np.ndarray, np.ndarray]:
    return np.zeros(1), np.zeros(1)


def _chart(
    key: str,
    title: str,
    lines: list[Line],
    *,
    x_title: str,
    caption: str,
    rows: list[dict[str, Any]],
    bound: float,
    end: float,
) -> str:
    at = {"type": "line", "xref": "x", "yref": "paper", "x0": bound, "x1": bound, "y0": 0, "y1": 1}
    layout = {
        "yaxis": {"title": {"text": ""}, "autorange": "reversed", "automargin": True},
        "shapes": [at | {"name": "bound", "line": {"width": 1.5, "dash": "dash"}}],
        "bargap": 0.35,
        "showlegend": len(lines) > 2,
    }
    return chart(
        f"bars-{key}",
        title,
        lines,
        x_title,
        "",
        caption=caption,
        time_axis=False,
        x_range=(0.0, ROOM * end),
        height=FRAME + ROW * len(rows),
        layout=layout,
    )
