"""The section of a run's page that says what takes the rig away from orbit, cause by cause."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from softdock.report.frame.elements import shown, table, text

COLUMNS = {
    "share": "share",
    "alone": "with it alone",
    "without": "without it",
    "left": "without it and all above",
    "of_sensor_row_J": "in the row sensor [J]",
}
EXPLAINED = (
    "Causes are switched off one by one and together. A share is the mean of what a cause adds, "
    "over all orders of switching them on. The ledger's row sensor is split by difference: "
    "the row of this rig less the row without the cause."
)


def why_section(metrics: Mapping[str, Any]) -> str:
    """The sentence, and the table behind it."""
    found = metrics["why"]
    rows = [
        [
            escape(row["what"]),
            *(shown(metrics, f"why.rows.{i}.{key}", unit="") for key in COLUMNS),
        ]
        for i, row in enumerate(found["rows"])
    ]
    return (
        text(found["sentence"], "plain")
        + _advice(found["advice"])
        + table(f"Causes of {found['of']}, the largest first", ["", *COLUMNS.values()], rows)
        + text(EXPLAINED)
    )


def _advice(advice: Mapping[str, Any]) -> str:
    """Lines to paste, with the verdict that each gets."""
    if not advice["lines"]:
        return text(advice["sentence"], "plain") if advice["sentence"] else ""
    rows = [
        [f"<code>{escape(one['line'])}</code>", escape(one["word"]), escape(one["said"])]
        for one in advice["lines"]
    ]
    headings = ["line to paste", "verdict", "what failed"]
    return table("Settings that were tried and help", headings, rows, words=(0, 1, 2))
