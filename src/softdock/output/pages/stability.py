"""Stability charts: a section for any page, a page of its own, or a picture by matplotlib (extra
`figures`)."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from softdock.errors import SoftdockError
from softdock.files.atomic import write_whole
from softdock.output.pages.frame.charts import ROLES, Line, chart
from softdock.output.pages.frame.elements import headline, text, verdict
from softdock.output.pages.frame.page import page
from softdock.studies.stability.chart import AXES, MS, Curve, Panel, convert_to_data
from softdock.studies.stability.dead_band import Sweep, describe_dead_band

COLOURS = ("#1f5fa8", "#b3541e", "#2f7d4f", "#7a4b9a", "#8a6d1d", "#444444")
STABLE, ACTIVE = "#2f7d4f", "#b3262e"
DEAD_BAND = "What the sensor's dead band does to the bounce"


def write_picture(
    panels: list[Panel], file: Path, title: str, dead_band: Sweep | None = None
) -> None:
    """Draw the panels to a PNG or SVG file."""
    try:
        from matplotlib.figure import Figure
    except ImportError as missing:
        raise SoftdockError(
            "a chart as PNG or SVG needs matplotlib: pip install 'softdock[figures]'; a "
            "chart as .html needs nothing more"
        ) from missing
    count = len(panels) + (dead_band is not None)
    columns = min(count, 3 if count == 3 else 2)
    rows = math.ceil(count / columns)
    figure = Figure(figsize=(4.9 * columns, 3.9 * rows), layout="constrained")
    figure.suptitle(title, fontsize=10)
    for i, panel in enumerate(panels):
        _draw_panel(figure.add_subplot(rows, columns, i + 1), panel)
    if dead_band is not None:
        _draw_dead_band(figure.add_subplot(rows, columns, count), dead_band)
    image = io.BytesIO()
    figure.savefig(image, dpi=160, format=file.suffix[1:] or "png")
    write_whole(file, image.getvalue(), "chart")


def _draw_panel(axes: Any, panel: Panel) -> None:
    colour = -1
    for curve in panel.curves:
        colour += 0 if curve.sampled else 1
        axes.plot(
            curve.delay_ms,
            curve.value,
            "--" if curve.sampled else "-",
            color=COLOURS[colour % len(COLOURS)],
            label=curve.label,
            linewidth=1.4,
        )
    first = panel.curves[0]
    if len([c for c in panel.curves if not c.sampled]) == 1:
        axes.fill_betweenx(
            first.value, 0.0, first.delay_ms, color=STABLE, alpha=0.10, linewidth=0.0
        )
        axes.annotate("stable", (0.04, 0.9), xycoords="axes fraction", color=STABLE, fontsize=8)
    for dot in panel.dots:
        active = dot.restitution is not None and dot.restitution > 1.0
        axes.plot(
            [MS * dot.delay], [dot.value], "o", color=ACTIVE if active else STABLE, markersize=4.5
        )
        if dot.restitution is not None:
            axes.annotate(
                f"{dot.restitution:.3g}",
                (MS * dot.delay, dot.value),
                textcoords="offset points",
                xytext=(6, -3),
                fontsize=7,
            )
    axes.plot(
        [panel.operating_point[0]],
        [panel.operating_point[1]],
        "x",
        color="black",
        markersize=7,
        label="operating point",
        zorder=5,
    )
    axes.set_xlim(0.0, panel.limits[0])
    axes.set_ylim(0.0, panel.limits[1])
    axes.set_xlabel("delay [ms]")
    axes.set_ylabel(AXES[panel.axis])
    axes.set_title(panel.title, fontsize=9)
    axes.grid(alpha=0.25)
    axes.legend(fontsize=7, loc="best")


def _draw_dead_band(axes: Any, sweep: Sweep) -> None:
    axes.plot(sweep.threshold_N, sweep.restitution, "-", color=COLOURS[0], linewidth=1.4)
    here = [math.nan if sweep.found.restitution is None else sweep.found.restitution]
    axes.plot(
        [sweep.found.threshold_N], here, "x", color="black", markersize=7, label="threshold_N"
    )
    axes.set_xlabel("dead band [N]")
    axes.set_ylabel("restitution")
    axes.set_title(DEAD_BAND, fontsize=9)
    axes.grid(alpha=0.25)
    axes.legend(fontsize=7, loc="best")


def draw_chart(
    panels: list[Panel],
    file: Path,
    title: str,
    judged: Mapping[str, Any] | None = None,
    dead_band: Sweep | None = None,
) -> None:
    """Write a stability chart, in the format of the file's ending: .html, .png or .svg. `judged`:
    the verdict of the rig's runs, for a page."""
    if file.suffix.lower() == ".html":
        write_page(panels, file, title, judged, dead_band)
    else:
        write_picture(panels, file, title, dead_band)


NAMES = {
    False: "continuous loop (closed form)",
    True: "sampled loop (cycle and hold)",
}
UNITS = {"damping": "Ns/m", "stiffness": "N/m", "mass": "kg"}


class BoundaryMargin(NamedTuple):
    """Margins of an operating point against one boundary curve."""

    stable: bool
    borne_ms: float  # critical delay at its value on the panel's axis
    crossings: tuple[float, ...]  # values on the panel's axis that are on the boundary at its delay


def deciding_curve(panel: Panel) -> Curve | None:
    """The curve that decides on stability; None if a panel has several pairs of curves."""
    if len([c for c in panel.curves if not c.sampled]) != 1:
        return None
    return next((c for c in panel.curves if c.sampled and len(c.value)), panel.curves[0])


def find_margin(panel: Panel, curve: Curve) -> BoundaryMargin:
    """Margins by interpolation between the curve's points."""
    delay, value = panel.operating_point
    order = np.argsort(curve.value, kind="stable")
    longest_delay = float(np.interp(value, curve.value[order], curve.delay_ms[order]))
    side = curve.delay_ms - delay
    found = []
    for i in np.flatnonzero(side[:-1] * side[1:] < 0.0):
        share = side[i] / (side[i] - side[i + 1])
        found.append(float(curve.value[i] + share * (curve.value[i + 1] - curve.value[i])))
    return BoundaryMargin(delay < longest_delay, longest_delay, tuple(sorted(found)))


def is_empty(panel: Panel) -> bool:
    """Whether the chart has no stable area and shows no run."""
    return not panel.dots and all(
        float(np.max(c.delay_ms, initial=0.0)) <= 0.0 for c in panel.curves
    )


def describe_margin(panel: Panel) -> str:
    """The margins in sentences; empty for a panel in which a parameter is varied."""
    curve = deciding_curve(panel)
    if curve is None or not len(curve.value):
        return ""
    here, unit = find_margin(panel, curve), UNITS[panel.axis]
    delay, value = panel.operating_point
    where = "inside the stable area" if here.stable else "outside the stable area"
    words = [f"Cross: {delay:.4g} ms and {value:.4g} {unit}, {where}."]
    words.append(
        f"With {value:.4g} {unit} the loop is stable up to {here.borne_ms:.3g} ms of delay."
    )
    if here.crossings:
        ends = " and ".join(f"{one:.3g}" for one in here.crossings)
        words.append(f"At {delay:.4g} ms the boundary is at {ends} {unit}.")
    elif float(curve.delay_ms.max()) <= 0.0:
        words.append(
            "Without damping any delay makes it unstable: no area of this chart is stable."
        )
    elif not here.stable:
        most = int(np.argmax(curve.delay_ms))
        words.append(
            f"At {delay:.4g} ms no point of this chart is stable; the longest stable delay is "
            f"{curve.delay_ms[most]:.3g} ms, at {curve.value[most]:.3g} {unit}."
        )
    return " ".join(words)


def margin_arrows(panel: Panel) -> list[dict[str, object]]:
    """Arrows from the operating point to the boundary with their lengths, as plotly annotations."""
    curve = deciding_curve(panel)
    if curve is None or not len(curve.value):
        return []
    here, (delay, value) = find_margin(panel, curve), panel.operating_point
    arrows = []
    if here.crossings:
        to = min(here.crossings, key=lambda one: abs(one - value))
        arrows.append((delay, to, f"{to - value:+.3g} {UNITS[panel.axis]}"))
    if 0.0 < here.borne_ms <= panel.limits[0]:
        arrows.append((here.borne_ms, value, f"{here.borne_ms - delay:+.3g} ms"))
    return [
        {
            "x": x,
            "y": y,
            "ax": delay,
            "ay": value,
            "xref": "x",
            "yref": "y",
            "axref": "x",
            "ayref": "y",
            "showarrow": True,
            "arrowhead": 2,
            "text": "",
            "hovertext": words,
        }
        for x, y, words in arrows
    ] + [
        {
            "x": 0.5 * (x + delay),
            "y": 0.5 * (y + value),
            "xref": "x",
            "yref": "y",
            "showarrow": False,
            "text": words,
            "xanchor": "left" if x == delay else "center",
            "xshift": 14 if x == delay else 0,
            "yshift": 12 if y == value else 0,
        }
        for x, y, words in arrows
    ]


EXPLANATION = (
    "Solid: the continuous loop, closed form. Dashed: the sampled loop. Left of a curve the loop "
    "is stable, shaded where one curve decides. Cross: operating point; arrows: its margins."
)
ROOM = 0.05  # of the axis, below zero, so that a point at zero is seen whole


def chart_section(panels: list[Panel], key: str = "stability") -> str:
    """The panels as HTML for a section; panels without a stable area are named in a sentence."""
    drawn_panels = [panel for panel in panels if not is_empty(panel)] or panels[:1]
    empty = [panel.title for panel in panels if is_empty(panel) and panel not in drawn_panels]
    note = f"Without a stable area, and not drawn: {'; '.join(empty)}." if empty else ""
    figures = "\n".join(_figure(panel, f"{key}-{i}") for i, panel in enumerate(drawn_panels))
    return figures + (text(note) if note else "")


def describe_state(panel: Panel) -> str:
    """The headline of a page without a verdict: whether the loop is stable, and up to which
    delay."""
    curve, (delay, value) = panel.curves[0], panel.operating_point
    if not len(curve.value):
        return f"Unstable: at {value:.4g} {UNITS[panel.axis]} no delay is stable."
    here = find_margin(panel, deciding_curve(panel) or curve)
    state = "Stable" if here.stable else "Unstable"
    return f"{state} at {delay:.3g} ms of delay; the critical delay is {here.borne_ms:.3g} ms."


def write_page(
    panels: list[Panel],
    file: Path,
    title: str,
    judged: Mapping[str, Any] | None = None,
    dead_band: Sweep | None = None,
) -> None:
    state = describe_state(panels[0])
    answer = verdict(judged) + text(state, "plain") if judged else headline(state)
    sections = {
        "answer": ("", answer),
        "charts": ("Where the loop is stable", f"<p>{EXPLANATION}</p>\n" + chart_section(panels)),
    }
    data: dict[str, Any] = {"stability": convert_to_data(panels)}
    if dead_band is not None:
        sections["dead_band"] = (DEAD_BAND, _make_dead_band_figure(dead_band))
        ends = [None if math.isnan(e) else e for e in dead_band.restitution.tolist()]
        data["dead_band"] = {"threshold_N": dead_band.threshold_N.tolist(), "restitution": ends}
    html = page("Stability", title, sections, data)
    write_whole(file, html.encode(), "chart")


def _make_dead_band_figure(sweep: Sweep) -> str:
    x, y = sweep.point
    cross = {"mode": "markers", "marker": {"symbol": "x", "size": 11}}
    lines = [
        Line("restitution", ROLES[0], sweep.threshold_N, sweep.restitution),
        Line("sensor.threshold_N", "total", x, y, extra=cross),
    ]
    return chart(
        "dead-band",
        f"One impact at {1e3 * sweep.found.speed_m_per_s:.3g} mm/s, mean of the sampling phases",
        lines,
        "dead band [N]",
        "restitution",
        caption=describe_dead_band(sweep.found),
        time_axis=False,
    )


def _stable_area(panel: Panel, curve: Curve) -> Line:
    """The stable area, shaded. Below the curve's lowest stiffness everything is stable."""
    order = np.argsort(curve.value, kind="stable")
    x, y = curve.delay_ms[order], curve.value[order]
    if panel.axis == "stiffness":
        x, y = np.append([panel.limits[0]] * 2, x), np.append([0.0, y[0]], y)
    return Line("stable", "c3", x, y, width=0.0, extra={"fill": "tozerox", "hoverinfo": "skip"})


def _figure(panel: Panel, key: str) -> str:
    lines = []
    colour, decides = -1, deciding_curve(panel)
    for curve in panel.curves:
        colour += 0 if curve.sampled else 1
        if curve is decides and float(np.max(curve.delay_ms, initial=0.0)) > 0.0:
            lines.append(_stable_area(panel, curve))
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
        caption=describe_margin(panel),
        time_axis=False,
        x_range=(-0.3 * ROOM * panel.limits[0], panel.limits[0]),
        y_range=(-ROOM * panel.limits[1], panel.limits[1]),
        height=390,
        # above: the buttons, then a legend of two rows on a narrow page
        layout={
            "annotations": margin_arrows(panel),
            "margin": {"l": 76, "r": 14, "t": 90, "b": 48},
        },
    )
