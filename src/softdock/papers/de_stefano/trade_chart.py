"""The trade drawn: a row for every place that schemes have, their names beside it; drift on the
left, restitution without and with delay on the right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from softdock.report.frame.charts import Line, chart

SAME_DRIFT, SAME_RESTITUTION = 0.01, 0.0006  # mm, -: schemes nearer than this lie at one place
LINE, GAP = 1.0, 0.9  # heights: of a name, and between two places
PIXELS = 19  # a unit of height
SMALL = {"textfont": {"size": 11}}
QUIET = {"mode": "lines", "showlegend": False, "hoverinfo": "skip"}


def places(rows: Sequence[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Schemes that coincide in drift and in both restitutions, together; the most honest bounce
    with delay first, then without, then the least drift."""
    found: list[list[dict[str, Any]]] = []
    for row in rows:
        for place in found:
            first = place[0]
            near = abs(row["drift_mm"] - first["drift_mm"]) < SAME_DRIFT
            if near and all(
                abs(row[key] - first[key]) < SAME_RESTITUTION
                for key in ("restitution", "restitution_16_ms")
            ):
                place.append(row)
                break
        else:
            found.append([row])
    return sorted(
        found,
        key=lambda p: (
            round(abs(p[0]["restitution_16_ms"] - 1.0), 3),
            round(abs(p[0]["restitution"] - 1.0), 3),
            abs(p[0]["drift_mm"]),
        ),
    )


def _dumbbells(x0: np.ndarray, x1: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A piece of line from x0 to x1 at every height, with gaps between."""
    blank = np.full(len(y), np.nan)
    return np.column_stack([x0, x1, blank]).ravel(), np.column_stack([y, y, blank]).ravel()


HONEST = {
    "type": "line",
    "xref": "x2",
    "yref": "paper",
    "x0": 1.0,
    "x1": 1.0,
    "y0": 0,
    "y1": 1,
    "layer": "below",
    "line": {"width": 1, "dash": "dot"},
}
CAPTION = (
    "Names that stand together lie at one place; beside the dots, restitution without delay and "
    "with it. Both dots at 1 and no drift: honest in a contact, with and without delay, and in "
    "free flight."
)


def _heights(grouped: Sequence[Sequence[Any]]) -> tuple[np.ndarray, float]:
    """Where every place stands, downwards from zero, and the height of all."""
    heights, top = [], 0.0
    for place in grouped:
        size = LINE * len(place)
        heights.append(-(top + 0.5 * size))
        top += size + GAP
    return np.array(heights), top


def _drift_lines(drift: np.ndarray, y: np.ndarray) -> list[Line]:
    """On the left, a stick from zero to every dot."""
    texts = [f"{value:+.1f}".replace("-0.0", "0").replace("+0.0", "0") for value in drift]
    stick, at = _dumbbells(np.zeros(len(y)), drift, y)
    dots = {
        "mode": "markers+text",
        "marker": {"size": 10},
        "text": texts,
        "textposition": "top center",
    }
    return [
        Line("drift", "c1", stick, at, extra=QUIET),
        Line("drift", "c1", drift, y, extra=dots | SMALL),
    ]


def _restitution_lines(bare: np.ndarray, late: np.ndarray, y: np.ndarray) -> list[Line]:
    """On the right, a bar from without delay to with it."""
    both = [f"  {a:.4f}, {b:.4f}" for a, b in zip(bare, late, strict=True)]
    right = {"xaxis": "x2", "mode": "markers", "marker": {"size": 10}}
    ring = {"marker": {"size": 13, "symbol": "circle-open", "line": {"width": 2.5}}}
    said = {"mode": "markers+text", "text": both, "textposition": "middle right"}
    bar, across = _dumbbells(bare, late, y)
    return [
        Line("from none to 16 ms", "c7", bar, across, width=1.2, extra=QUIET | {"xaxis": "x2"}),
        Line("restitution without delay", "c2", bare, y, extra=right | ring),
        Line("restitution, robots 16 ms late", "c3", late, y, extra=right | said | SMALL),
    ]


def _layout(y: np.ndarray, names: list[str], top: float) -> dict[str, Any]:
    """Two charts side by side with one axis of names."""
    return {
        "hovermode": "closest",
        "margin": {"l": 330, "r": 20, "t": 40, "b": 50},
        "xaxis": {
            "title": {"text": "drift after 60 N for 5 s [mm]"},
            "domain": [0.0, 0.42],
            "zeroline": True,
            "range": [-5.9, 3.6],
        },
        "xaxis2": {
            "title": {"text": "restitution [-]; orbit: 1"},
            "domain": [0.5, 1.0],
            "anchor": "y",
            "range": [0.985, 1.23],
        },
        "yaxis": {
            "title": {"text": ""},
            "tickvals": y.tolist(),
            "ticktext": names,
            "range": [-top, 0.4],
            "zeroline": False,
            "showgrid": True,
        },
        "shapes": [HONEST],
    }


def trade_chart(rows: Sequence[dict[str, Any]]) -> str:
    """As HTML."""
    grouped = places(rows)
    y, top = _heights(grouped)
    drift, bare, late = (
        np.array([place[0][key] for place in grouped])
        for key in ("drift_mm", "restitution", "restitution_16_ms")
    )
    names = ["<br>".join(row["scheme"] for row in place) for place in grouped]
    return chart(
        "trade",
        "Drift and restitution",
        _drift_lines(drift, y) + _restitution_lines(bare, late, y),
        "",
        "",
        caption=CAPTION,
        time_axis=False,
        height=round(PIXELS * top + 110),
        layout=_layout(y, names, top),
    )
