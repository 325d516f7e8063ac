"""The curves of a comparison, over orbit's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from softdock.comparison.result import Comparison
from softdock.report.frame.charts import ROLES, Line, Window, chart, scaled

MOST_SHOWN = 5  # curves drawn at once; the others wait in the legend


AXES = {"gap": "gap", "off": "distance", "force": "force", "energy": "energy"}


def shown_first(candidates: Sequence[dict[str, Any]]) -> set[str]:
    """Labels of the curves drawn at once: the best of each method, then whatever ranks next."""
    candidates = [c for c in candidates if c["status"] == "completed"] or candidates
    best = {c["method"]: c["label"] for c in reversed(candidates)}
    order = [c["label"] for c in candidates if c["label"] in best.values()]
    order += [c["label"] for c in candidates if c["label"] not in order]
    return set(order[:MOST_SHOWN])


def curve_charts(comparison: Comparison) -> str:
    r = comparison.results
    orbit, *others = comparison.curves
    shown = shown_first(r["candidates"])
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
                    curve.label,
                    ROLES[i % len(ROLES)],
                    curve.time_s,
                    factor * getattr(curve, attribute),
                    shown=curve.label in shown,
                )
            )
        return found

    drawn = [c for c in others if c.label in shown] or others
    few = (
        ""
        if len(others) <= MOST_SHOWN
        else f" The best are drawn; choose others in the legend ({len(others)} in all)."
    )
    shade = " Shaded: contact in orbit." if windows else ""
    touching = bool(comparison.scenario.tables["contact"])
    gap = (
        "gap",
        "Gap between the parts that touch",
        "gap_m",
        f"Below zero they are in contact.{few}{shade}",
    )
    off = (
        "off",
        "Distance of the chaser from where orbit has it",
        "off_m",
        f"Seen from the target.{few}",
    )
    force = (
        "force",
        "Force on the chaser satellite",
        "force_N",
        "What the satellite was moved with; in orbit the contact's own force.",
    )
    energy = (
        "energy",
        "Energy invented so far",
        "energy_invented_J",
        "Above zero: energy that nothing paid for. Orbit: zero.",
    )
    charts = []
    for key, title, attribute, caption in ((gap if touching else off), force, energy):
        factor, unit = scaled(
            [_early(getattr(c, attribute)) for c in [orbit, *drawn]], attribute.rpartition("_")[2]
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


def _early(values: Any) -> Any:
    """The part that sets the unit: not the long flight after the contact."""
    return values[: len(values) // 2 + 1]
