"""The candidates of a comparison as bars: mean distance from the reference, with a whisker to the
worst sampling phase and a mark for wrong knowledge; peak force beside the reference's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from softdock.output.pages.frame.charts import ROLES, Line, Window, chart, choose_unit
from softdock.results import quantities
from softdock.studies.compare.compare import Comparison
from softdock.studies.compare.ranking import find_worst_distance

# colour role of each verdict
VERDICT_ROLES = {"faithful": "c3", "distorted": "c2", "unsafe": "c4", "no verdict": "c1"}
ROW, FRAME = 30, 110  # pixels: height of a bar, and of the rest of the chart
Format = Callable[[float], str]
ROOM = 1.55  # length of the axis over the longest bar: space for its number
INSIDE = 1.15  # place of the number of a bar that is longer than the axis
MOST_BOUNDS = 6.0  # length of the axis in bounds; larger values are written, not drawn


def shorten_labels(candidates: Sequence[dict[str, Any]]) -> dict[str, str]:
    """Name of each candidate by its label: the method alone where it occurs once."""
    methods = [c["method"] for c in candidates]
    return {
        c["label"]: c["method"] if methods.count(c["method"]) == 1 else c["label"]
        for c in candidates
    }


def bar_charts(r: dict[str, Any]) -> str:
    """Both charts; empty if no candidate reached its end."""
    rows = [c for c in r["candidates"] if c["error_against_orbit"] is not None]
    if not rows:
        return ""
    names = shorten_labels(r["candidates"])
    rows = [{**c, "label": names[c["label"]]} for c in rows]
    charts = [_distance_bars(rows)]
    if r["orbit"].get("peak_force_N") is not None:
        charts.append(_force_bars(rows, float(r["orbit"]["peak_force_N"])))
    return f'<div class="grid">{"".join(charts)}</div>'


def _distance_bars(rows: list[dict[str, Any]]) -> str:
    mean = [100.0 * c["error_against_orbit"] for c in rows]
    most = [100.0 * (c["error_against_orbit_worst"] or c["error_against_orbit"]) for c in rows]
    wrong = [
        100.0 * worst
        if c["worst"] and (worst := find_worst_distance(c["worst"])) is not None
        else None
        for c in rows
    ]
    bound = 100.0 * rows[0]["verdict"]["bounds"]["faithful_distance"]
    end = min(max([*most, *(w for w in wrong if w is not None), 1.2 * bound]), MOST_BOUNDS * bound)
    beyond = [c["label"] for c, m in zip(rows, most, strict=True) if m > ROOM * end]
    lines = [_bars("mean; whisker: worst of the phases", rows, mean, most)]
    lines.append(_bar_labels(rows, most, end, _format_percent))
    if any(w is not None for w in wrong):
        marks = {
            "mode": "markers",
            "x": [w if w is not None and w <= end else None for w in wrong],
            "y": [c["label"] for c in rows],
            "marker": {"symbol": "diamond-open", "size": 10},
            "hovertemplate": "%{x:.4g} % with wrong knowledge<extra></extra>",
        }
        lines.append(Line("with wrong parameters", "total", *_empty_points(), extra=marks))
    caption = (
        f"In percent of the approach speed. Line: {bound:.3g} %, up to which a rig is "
        "faithful. Colours: the verdict."
    )
    if beyond:
        caption += f" Longer than the chart: {'; '.join(beyond)}."
    return _bar_chart(
        "distance",
        "Error against the on-orbit reference",
        lines,
        x_title="error [%]",
        caption=caption,
        rows=rows,
        bound=bound,
        end=end,
    )


def _force_bars(rows: list[dict[str, Any]], orbit: float) -> str:
    force = [float(c["peak_force_satellite_N"] or 0.0) for c in rows]
    end = min(max([*force, 1.2 * orbit]), MOST_BOUNDS * orbit) or 1.0
    lines = [_bars("peak force on the satellite", rows, force, force)]
    lines.append(_bar_labels(rows, force, end, _format_newton))
    caption = f"Line: on orbit, {_format_newton(orbit)}."
    beyond = [c["label"] for c, f in zip(rows, force, strict=True) if f > ROOM * end]
    if beyond:
        caption += f" Longer than the chart: {'; '.join(beyond)}."
    return _bar_chart(
        "force",
        "Peak contact force",
        lines,
        x_title="peak force [N]",
        caption=caption,
        rows=rows,
        bound=orbit,
        end=end,
    )


def _format_percent(value: float) -> str:
    return quantities.format_percent(0.01 * value)


def _format_newton(value: float) -> str:
    return quantities.format_quantity(value, "N")


def _bar_labels(rows: list[dict[str, Any]], most: list[float], end: float, say: Format) -> Line:
    """The number of each bar, right of its whisker."""
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
    return Line("value", "total", *_empty_points(), extra=extra)


def _bars(name: str, rows: list[dict[str, Any]], to: list[float], most: list[float]) -> Line:
    extra = {
        "type": "bar",
        "orientation": "h",
        "x": to,
        "y": [c["label"] for c in rows],
        "meta": {"role": "c1", "roles": [VERDICT_ROLES[c["verdict"]["word"]] for c in rows]},
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [max(0.0, b - a) for a, b in zip(to, most, strict=True)],
            "arrayminus": [0.0 for _ in to],
            "thickness": 1.4,
        },
        "hovertemplate": "%{x:.4g}<extra>%{y}</extra>",
    }
    return Line(name, "c1", *_empty_points(), extra=extra)


def _empty_points() -> tuple[np.ndarray, np.ndarray]:
    return np.zeros(1), np.zeros(1)


def _bar_chart(
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


MOST_SHOWN = 5  # curves drawn at once; the others wait in the legend


AXES = {"gap": "gap", "off": "distance", "force": "force", "energy": "energy"}


def choose_shown(candidates: Sequence[dict[str, Any]]) -> set[str]:
    """Labels of the curves drawn at first: the best of each method, then the next in rank."""
    candidates = [c for c in candidates if c["status"] == "completed"] or candidates
    best = {c["method"]: c["label"] for c in reversed(candidates)}
    order = [c["label"] for c in candidates if c["label"] in best.values()]
    order += [c["label"] for c in candidates if c["label"] not in order]
    return set(order[:MOST_SHOWN])


def curve_charts(comparison: Comparison) -> str:
    r = comparison.results
    orbit, *others = comparison.curves
    shown, names = choose_shown(r["candidates"]), shorten_labels(r["candidates"])
    windows: list[Window] = [(c["start_s"], c["end_s"]) for c in r["orbit"]["contacts"]]

    def lines(attribute: str, factor: float) -> list[Line]:
        found = [
            Line(
                "orbit",
                "orbit",
                orbit.time_s,
                factor * getattr(orbit, attribute),
                dash="dash",
                width=2.4,
            )
        ]
        for i, curve in enumerate(others):
            found.append(
                Line(
                    names[curve.label],
                    ROLES[i % len(ROLES)],
                    curve.time_s,
                    factor * getattr(curve, attribute),
                    shown=curve.label in shown,
                )
            )
        return found

    drawn_curves = [c for c in others if c.label in shown] or others
    few = (
        ""
        if len(others) <= MOST_SHOWN
        else f" The best are drawn; choose others in the legend ({len(others)} in all)."
    )
    shade = " Shaded: contact on orbit." if windows else ""
    touching = bool(comparison.scenario.tables["contact"])
    gap = (
        "gap",
        "Gap between the parts that touch",
        "gap_m",
        f"Below zero they are in contact.{few}{shade}",
    )
    off = (
        "off",
        "Distance of the chaser from its place on orbit",
        "off_m",
        f"Seen from the target.{few}",
    )
    force = (
        "force",
        "Force on the chaser satellite",
        "force_N",
        "Force on the satellite; on orbit the contact's own force.",
    )
    energy = (
        "energy",
        "Energy added so far",
        "energy_added_J",
        "Above zero: energy that the loop added. On orbit: zero.",
    )
    charts = []
    for key, title, attribute, caption in ((gap if touching else off), force, energy):
        factor, unit = choose_unit(
            [_first_half(getattr(c, attribute)) for c in [orbit, *drawn_curves]],
            attribute.rpartition("_")[2],
        )
        charts.append(
            chart(
                key,
                title,
                lines(attribute, factor),
                "time [s]",
                f"{AXES[key]} [{unit}]",
                windows=windows,
                caption=caption,
            )
        )
    return "".join(charts)


def _first_half(values: Any) -> Any:
    """First half of a series, which determines the unit: the second half is mostly free flight."""
    return values[: len(values) // 2 + 1]
