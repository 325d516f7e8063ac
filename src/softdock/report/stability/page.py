"""A chart as HTML: a section for any report, or one page of its own that needs nothing and loads
nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from softdock.files.atomic import write_whole
from softdock.report.frame.charts import ROLES, Line, chart
from softdock.report.frame.elements import text
from softdock.report.frame.page import page
from softdock.report.stability.words import NAMES, is_empty, judging, moves, said
from softdock.stability.panels import AXES, MS, Curve, Panel, as_data

EXPLAINED = (
    "Solid: the continuous loop, closed form. Dashed: the sampled loop. Left of a curve the loop "
    "is stable, shaded where one curve decides. Cross: operating point; arrows: what would bring "
    "it to the boundary."
)
ROOM = 0.05  # of the axis, below zero, so that a point at zero is seen whole


def chart_section(panels: list[Panel], key: str = "stability") -> str:
    """The panels as HTML for a page of the report; those without any stable area in a sentence."""
    drawn = [panel for panel in panels if not is_empty(panel)] or panels[:1]
    empty = [panel.title for panel in panels if is_empty(panel) and panel not in drawn]
    note = f"Not drawn, since no area of it is stable: {'; '.join(empty)}." if empty else ""
    figures = "\n".join(_figure(panel, f"{key}-{i}") for i, panel in enumerate(drawn))
    return figures + (text(note) if note else "")


def write_page(panels: list[Panel], file: Path, title: str) -> None:
    sections = {
        "charts": ("Where the loop is stable", f"<p>{EXPLAINED}</p>\n" + chart_section(panels))
    }
    made = page("Stability", title, sections, {"stability": as_data(panels)})
    write_whole(file, made.encode(), "chart")


def _area(panel: Panel, curve: Curve) -> Line:
    """What is stable, shaded; below the lowest stiffness of the curve everything drawn is."""
    order = np.argsort(curve.value, kind="stable")
    x, y = curve.delay_ms[order], curve.value[order]
    if panel.axis == "stiffness":
        x, y = np.append([panel.limits[0]] * 2, x), np.append([0.0, y[0]], y)
    return Line("stable", "c3", x, y, width=0.0, extra={"fill": "tozerox", "hoverinfo": "skip"})


def _figure(panel: Panel, key: str) -> str:
    lines = []
    colour, decides = -1, judging(panel)
    for curve in panel.curves:
        colour += 0 if curve.sampled else 1
        if curve is decides and float(np.max(curve.delay_ms, initial=0.0)) > 0.0:
            lines.append(_area(panel, curve))
        lines.append(
            Line(
                curve.label if decides is None else NAMES[curve.sampled],
                ROLES[colour % len(ROLES)],
                curve.delay_ms,
                curve.value,
                dash="dash" if curve.sampled else "solid",
            )
        )
    x, y = panel.operating_point
    point = {"mode": "markers", "marker": {"symbol": "x", "size": 11}}
    lines.append(Line("operating point", "total", np.array([x]), np.array([y]), extra=point))
    for name, active in (("runs, restitution above 1", True), ("runs, restitution up to 1", False)):
        chosen = [
            dot
            for dot in panel.dots
            if (dot.restitution is not None and dot.restitution > 1.0) == active
        ]
        if chosen:
            words = [
                dot.label
                or (f"restitution {dot.restitution:.4g}" if dot.restitution is not None else "")
                for dot in chosen
            ]
            shape = {
                "mode": "markers",
                "marker": {"symbol": "circle" if active else "circle-open", "size": 9},
                "text": words,
            }
            lines.append(
                Line(
                    name,
                    "measured",
                    np.array([MS * dot.delay for dot in chosen]),
                    np.array([dot.value for dot in chosen]),
                    extra=shape,
                )
            )
    return chart(
        key,
        panel.title,
        lines,
        "delay [ms]",
        AXES[panel.axis],
        caption=said(panel),
        time_axis=False,
        x_range=(-0.3 * ROOM * panel.limits[0], panel.limits[0]),
        y_range=(-ROOM * panel.limits[1], panel.limits[1]),
        layout={"annotations": moves(panel)},
    )
