"""Metrics that methods declare (`Method.shown`): numbers of a run with such a method, and None for
every other run.

In: a run and the registry of methods. Out: a `Metric` for each declaration, and one for each of its
numbers that stand first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from softdock.loop.method.memory import numbered
from softdock.loop.method.shown import Flown, Number, Shown
from softdock.methods.registry import METHODS, methods_with_numbers
from softdock.results.metric import METRICS, Metric, Row, declare
from softdock.results.run import Run
from softdock.scenario.orbit_frame import PATH, has_orbit, turning_axes


def list_declarations() -> list[Shown]:
    """What the registered methods show, each once, in their order."""
    found = {m.shown.key: m.shown for m in methods_with_numbers().values() if m.shown}
    return list(found.values())


def select_run(shown: Shown, run: Run) -> Flown | None:
    """The run as the method sees it that shows this; None: none that does is listed."""
    tables = run.scenario.tables
    name = _name_method(shown, tables)
    if not name:
        return None
    turning = turning_axes(tables[PATH]) if has_orbit(tables) else None
    return Flown(name=name, tables=tables, series=run.series, turning=turning)


def _name_method(shown: Shown, tables: Mapping[str, Any]) -> str:
    names = [entry["name"] for entry in tables.get("methods", [])]
    for name, channels in zip(names, numbered(names), strict=True):
        if name in METHODS and METHODS[name].shown == shown:
            return channels
    return ""


def make_metrics(shown: Shown) -> list[Metric]:
    """Its numbers as metrics: those that stand first, then all of them under its key."""

    def numbers(run: Run) -> dict[str, Any] | None:
        flown = select_run(shown, run)
        return None if flown is None else shown.numbers(flown)

    def one(number: Number) -> Metric:
        return Metric(
            name=number.name,
            meaning=number.meaning,
            value=lambda j: (numbers(j.run) or {number.name: None})[number.name],
            label=number.label,
            row=Row(number.words, number.form, number.unit, only_if=number.name),
            tile=number.tile,
        )

    whole = Metric(name=shown.key, meaning=shown.meaning, value=lambda j: numbers(j.run))
    return [*(one(number) for number in shown.first), whole]


def declare_new() -> None:
    """Metrics of methods that were registered since (a method file)."""
    for shown in list_declarations():
        if shown.key not in METRICS:
            declare(*make_metrics(shown))
