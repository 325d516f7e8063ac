"""How many cases are how near: for each entry the share of cases whose distance from orbit is at
most x, over x."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from softdock.benchmark.scores import distance, leaderboard
from softdock.benchmark.tellings import WORDS
from softdock.report.frame.charts import ROLES, Line, chart

LEAST, MOST = 1e-6, 10.0  # of the approach; what is nearer, or farther, stands at the edge
TICKS = [1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1000.0]  # percent
Results = Mapping[str, Any]


def profile_charts(results: Results) -> str:
    """A chart for each telling."""
    return "".join(_chart(results, telling) for telling in results["tellings"])


def _chart(results: Results, telling: str) -> str:
    rows = leaderboard(results, telling)
    if not rows:
        return ""
    lines = []
    for i, row in enumerate(rows):
        far = sorted(
            distance(c["tellings"][telling]) for c in results["cells"] if c["entry"] == row["label"]
        )
        x, y = profile(far)
        dash = "solid" if i < len(ROLES) else "dot"
        lines.append(Line(row["label"], ROLES[i % len(ROLES)], x, y, steps=True, dash=dash))
    axis = {
        "title": {"text": "distance from orbit [% of the approach]"},
        "type": "log",
        "range": [math.log10(100.0 * LEAST), math.log10(100.0 * MOST)],
        "tickvals": TICKS,
        "ticktext": [f"{x:g}" for x in TICKS],
    }
    return chart(
        f"profile-{telling}",
        f"Share of the cases that are at most so far from orbit, {WORDS[telling]}",
        lines,
        "",
        "cases [%]",
        time_axis=False,
        y_range=[0.0, 101.0],
        layout={"xaxis": axis},
        caption="At the worst phase or seed. Higher is better; where a line ends below 100 % the "
        "rest could not run, stopped, or is more than ten times the approach away.",
    )


def profile(far: list[float]) -> tuple[np.ndarray, np.ndarray]:
    """Steps: distances in percent, rising, and the share of cases [%] that are at most so far."""
    count = len(far)
    known = [min(max(d, LEAST), MOST) for d in far if d <= MOST]
    x = [LEAST, *known, MOST]
    y = [0.0, *((i + 1) / count for i in range(len(known))), len(known) / count]
    return 100.0 * np.array(x), 100.0 * np.array(y)
