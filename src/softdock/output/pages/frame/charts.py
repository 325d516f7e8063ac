"""Charts as plain data for plotly.js. Each line has a role; the page's style gives the role's
colour in light and dark.

Long series are thinned without losing peaks: of every group of neighbours the lowest and the
highest point stay, and all rows inside the given windows (the contacts) as far as they fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np

from softdock.output.pages.frame.elements import inline, json_block

MOST_POINTS = 1600  # of a line on a page
ROLES = ("c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8")  # for lines that have no role of their own

Window = tuple[float, float]


@dataclass
class Line:
    """One line of a chart. `role` names a colour of the style's palette: satellite, mock_up, orbit,
    measured, total, a row of the energy balance, or c1 to c8."""

    name: str
    role: str
    x: np.ndarray
    y: np.ndarray
    dash: str = "solid"
    width: float = 1.8
    second: bool = False  # on the lower, small chart
    shown: bool = True  # False: only in the legend until it is chosen
    steps: bool = False
    extra: dict[str, Any] = field(default_factory=dict)


def thin(
    x: np.ndarray, y: np.ndarray, windows: Sequence[Window] = (), most: int = MOST_POINTS
) -> np.ndarray:
    """Indices of about `most` points to draw: both ends, the lowest and highest of every group, and
    all points inside the windows if they fit."""
    if len(y) <= most:
        return np.arange(len(y))
    close = np.zeros(len(y), dtype=bool)
    for start, end in windows:
        close |= (x >= start) & (x <= end)
    whole = np.flatnonzero(close)
    if len(whole) > most // 2:  # too much to keep whole: thin it too
        whole, close = whole[:0], np.zeros_like(close)
    rest = np.flatnonzero(~close)
    groups = max(1, (most - len(whole)) // 2)
    size = -(-len(rest) // groups)
    padded = np.append(rest, np.full(-len(rest) % size, rest[-1])).reshape(-1, size)
    values = np.nan_to_num(y[padded])
    each = np.arange(len(padded))
    indices = [
        whole,
        padded[each, values.argmin(axis=1)],
        padded[each, values.argmax(axis=1)],
        np.array([0, len(y) - 1]),
    ]
    return np.unique(np.concatenate(indices))


def thin_path(x: np.ndarray, y: np.ndarray, most: int = MOST_POINTS) -> np.ndarray:
    """Indices of about `most` points of a path in space: half at even distances along the path,
    half at even rows, so that neither slow nor far parts are lost."""
    if len(y) <= most:
        return np.arange(len(y))
    way = np.concatenate([[0.0], np.cumsum(np.nan_to_num(np.hypot(np.diff(x), np.diff(y))))])
    along = np.searchsorted(way, np.linspace(0.0, way[-1], most // 2)).clip(0, len(y) - 1)
    return np.unique(np.concatenate([along, np.linspace(0, len(y) - 1, most // 2).astype(int)]))


def choose_unit(values: Sequence[np.ndarray], unit: str) -> tuple[float, str]:
    """Factor and SI prefix that make the largest of some series readable: mJ instead of 0.003 J."""
    finite = [np.abs(v[np.isfinite(v)]) for v in values]
    largest = max((float(v.max()) for v in finite if len(v)), default=0.0)
    for factor, prefix in ((1.0, ""), (1e3, "m"), (1e6, "µ")):
        if largest * factor >= 0.5 or largest == 0.0:
            return factor, prefix + unit
    return 1e6, f"µ{unit}"


def chart(
    key: str,
    title: str,
    lines: Sequence[Line],
    x_title: str,
    y_title: str,
    *,
    caption: str = "",
    windows: Sequence[Window] = (),
    second_title: str = "",
    time_axis: bool = True,
    equal: bool = False,
    height: int = 370,
    markers: bool = False,
    x_range: Sequence[float] | None = None,
    y_range: Sequence[float] | None = None,
    layout: dict[str, Any] | None = None,
) -> str:
    """A chart as HTML. `windows`: times to shade and keep whole. `time_axis`: zooms with the page's
    other time charts. `equal`: same scale both ways.

    `x_range`, `y_range`: shown at first; all that there is otherwise.
    """
    traces = [_trace(line, windows, markers, time_axis) for line in lines]
    figure_layout = _layout(
        x_title, y_title, windows if time_axis else (), second_title, equal, time_axis
    )
    for axis, limits in (("xaxis", x_range), ("yaxis", y_range)):
        if limits is not None:
            figure_layout[axis]["range"] = list(limits)
    if (layout or {}).get("showlegend") is False:
        figure_layout["margin"]["t"] = 34
    figure = {"data": traces, "layout": figure_layout | (layout or {})}
    under = f"<p>{inline(caption)}</p>" if caption else ""
    return (
        "<figure "
        f'class="chart-frame"><figcaption><strong>{escape(title)}</strong>{under}</figcaption>'
        f'<div class="chart" id="chart-{escape(key)}" role="img" '
        f'aria-label="{escape(title)}" style="height:{height}px"'
        f' data-time="{"yes" if time_axis else "no"}"></div>'
        + json_block(figure, f'data-chart="chart-{escape(key)}"')
        + "</figure>"
    )


def _trace(line: Line, windows: Sequence[Window], markers: bool, timed: bool) -> dict[str, Any]:
    keep = thin(line.x, line.y, windows) if timed else thin_path(line.x, line.y)
    trace: dict[str, Any] = {
        "type": "scatter",
        "mode": "lines+markers" if markers else "lines",
        "name": line.name,
        "meta": {"role": line.role},
        "x": np.round(line.x[keep], 7),
        "y": np.array([float(f"{v:.7g}") for v in line.y[keep].tolist()]),
        "line": {"dash": line.dash, "width": line.width, "simplify": False},
        "hovertemplate": "%{y:.5g}" if timed else "%{x:.5g}, %{y:.5g}",
    }
    if line.steps:
        trace["line"]["shape"] = "hv"
    if line.second:
        trace["yaxis"] = "y2"
    if not line.shown:
        trace["visible"] = "legendonly"
    return trace | line.extra


def _layout(
    x_title: str,
    y_title: str,
    windows: Sequence[Window],
    second_title: str,
    equal: bool,
    unified: bool,
) -> dict[str, Any]:
    layout: dict[str, Any] = {
        "margin": {"l": 76, "r": 14, "t": 70, "b": 48},  # above: the buttons, then the legend
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        "hovermode": "closest" if not unified else "x unified",
        "xaxis": {"title": {"text": x_title}},
        "yaxis": {"title": {"text": y_title}},
        "shapes": [
            {
                "type": "rect",
                "xref": "x",
                "yref": "paper",
                "x0": a,
                "x1": b,
                "y0": 0,
                "y1": 1,
                "layer": "below",
                "line": {"width": 0},
                "name": "contact",
            }
            for a, b in windows
        ],
    }
    if equal:
        layout["yaxis"] |= {"scaleanchor": "x", "scaleratio": 1}
    if second_title:
        layout["xaxis"]["anchor"] = "y2"
        layout["yaxis"]["domain"] = [0.3, 1.0]
        layout["yaxis2"] = {
            "title": {"text": second_title},
            "domain": [0.0, 0.2],
            "nticks": 3,
            "exponentformat": "e",
        }
    return layout
