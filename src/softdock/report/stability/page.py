"""A chart as HTML: a section for any report, or one page of its own that needs nothing and loads
nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from softdock.report.frame.charts import ROLES, Line, chart
from softdock.report.frame.page import page
from softdock.stability.panels import AXES, MS, Panel, as_data

EXPLAINED = (
    "Solid: the continuous loop, closed form. Dashed: the sampled loop. Left of a curve the loop "
    "is stable. Cross: operating point."
)


def chart_section(panels: list[Panel], key: str = "stability") -> str:
    """The panels as HTML for a page of the report."""
    return "\n".join(_figure(panel, f"{key}-{i}") for i, panel in enumerate(panels))


def write_page(panels: list[Panel], file: Path, title: str) -> None:
    sections = {
        "charts": ("Where the loop is stable", f"<p>{EXPLAINED}</p>\n" + chart_section(panels))
    }
    file.write_text(
        page("Stability", title, sections, {"stability": as_data(panels)}), encoding="utf-8"
    )


def _figure(panel: Panel, key: str) -> str:
    lines = []
    colour = -1
    for curve in panel.curves:
        colour += 0 if curve.sampled else 1
        lines.append(
            Line(
                curve.label,
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
        time_axis=False,
        x_range=(0.0, panel.limits[0]),
        y_range=(0.0, panel.limits[1]),
    )
