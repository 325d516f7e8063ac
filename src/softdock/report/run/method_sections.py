"""Sections of the page that methods declare (`Method.shown`): words from their numbers, and charts
of their channels over time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from softdock.analysis.shown_by_methods import flown_with
from softdock.core.adaptation.shown import Flown, Shown, ShownChart
from softdock.report.frame.charts import Line, chart, scaled
from softdock.report.frame.elements import text
from softdock.runs.run import Run

SECONDS = "time [s]"


def method_section(shown: Shown, run: Run, metrics: Mapping[str, Any]) -> str:
    """Empty for a run without such a method."""
    flown, found = flown_with(shown, run), metrics.get(shown.key)
    if flown is None or found is None:
        return ""
    charts = "".join(_chart(shown.key, one, flown) for one in shown.charts)
    return text(shown.words(found), "plain") + charts


def _chart(key: str, one: ShownChart, run: Flown) -> str:
    factor, unit = 1.0, one.unit
    if one.unit:
        channels = dict.fromkeys(line.channel for line in one.lines)
        factor, unit = scaled([run.series[f"{run.name}.{name}"] for name in channels], one.unit)
    lines = _lines(one, run, factor)
    if not lines:
        return ""
    return chart(
        f"{key}-{one.key}",
        one.title,
        lines,
        SECONDS,
        one.axis.format(unit=unit),
        caption=one.caption,
        second_title=one.second_axis,
    )


def _lines(one: ShownChart, run: Flown, factor: float) -> list[Line]:
    if one.curves is not None:
        return [Line(c.label, c.role, c.time, c.values) for c in one.curves(run)]
    s = run.series
    first = int(np.argmax(s[f"{run.name}.{one.since}"] != 0.0)) if one.since else 0
    found = []
    for line in one.lines:
        values = s[f"{run.name}.{line.channel}"]
        if line.part is not None:
            values = values[:, line.part]
        if one.unit:
            values = factor * values
        found.append(
            Line(
                line.label,
                line.role,
                s["time"][first:],
                values[first:],
                second=line.second,
                steps=line.steps,
            )
        )
    return found
