"""A chart as PNG or SVG, by matplotlib: for papers. Installed with the extra `figures`."""

from __future__ import annotations

import io
import math
from pathlib import Path
from typing import Any

from softdock.errors import SoftdockError
from softdock.files.atomic import write_whole
from softdock.stability.panels import AXES, MS, Panel

COLOURS = ("#1f5fa8", "#b3541e", "#2f7d4f", "#7a4b9a", "#8a6d1d", "#444444")
STABLE, ACTIVE = "#2f7d4f", "#b3262e"


def write_picture(panels: list[Panel], file: Path, title: str) -> None:
    """Draw the panels to a file."""
    try:
        from matplotlib.figure import Figure
    except ImportError as missing:
        raise SoftdockError(
            "a chart as PNG or SVG needs matplotlib: pip install 'softdock[figures]'; a "
            "chart as .html needs nothing more"
        ) from missing
    columns = min(len(panels), 3 if len(panels) == 3 else 2)
    rows = math.ceil(len(panels) / columns)
    figure = Figure(figsize=(4.9 * columns, 3.9 * rows), layout="constrained")
    figure.suptitle(title, fontsize=10)
    for i, panel in enumerate(panels):
        _draw(figure.add_subplot(rows, columns, i + 1), panel)
    drawn = io.BytesIO()
    figure.savefig(drawn, dpi=160, format=file.suffix[1:] or "png")
    write_whole(file, drawn.getvalue(), "chart")


def _draw(axes: Any, panel: Panel) -> None:
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
