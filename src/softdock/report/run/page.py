"""The report of one run: what was run, the verdict, and everything behind it, on one page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from softdock.analysis.metrics import plain
from softdock.report.frame.charts import MOST_POINTS
from softdock.report.frame.elements import bullets, folded, judgement, listing, shown, text
from softdock.report.frame.page import page
from softdock.report.run.charts import (
    force_chart,
    kinetic_chart,
    ledger_chart,
    motion_charts,
    observed_chart,
    phases_chart,
)
from softdock.report.run.stability import stability_section
from softdock.report.run.tables import (
    contact_tables,
    fidelity_table,
    final_table,
    key_tiles,
    ledger_table,
    methods_tables,
    phases_rest,
    phases_table,
    side_by_side,
)
from softdock.report.run.why import why_section
from softdock.runs.run import Run
from softdock.scenario.files import to_toml

SHADED = "Shaded: the mock-ups touch. "
THINNED = (
    f"Lines of more than {MOST_POINTS} points are thinned for this page: peaks stay, and "
    "contacts stay whole as far as they fit. series.parquet has every row."
)
MARGIN = 0.5  # of a contact's length, shown on either side of it


def run_page(run: Run) -> str:
    """One self-contained HTML page. Its numbers are those of `run.metrics`, which it carries as
    JSON under the id `metrics`."""
    metrics, tables = plain(run.metrics), plain(run.scenario.tables)
    orbit, stable = run.orbit, stability_section(run)
    sections = {
        "verdict": ("", _first_look(run, metrics, tables)),
        **({"why": ("Why", why_section(metrics))} if metrics.get("why") else {}),
        **(
            {
                "phases": (
                    "Sampling phase",
                    side_by_side(phases_table(metrics), phases_chart(metrics))
                    + phases_rest(metrics),
                )
            }
            if "phases" in metrics
            else {}
        ),
        "motion": (
            "Motion",
            _zoom(metrics)
            + text((SHADED if metrics["contacts"] else "") + THINNED)
            + _grid(*motion_charts(run, orbit)),
        ),
        "forces": ("Forces", force_chart(run, orbit)),
        "energy": (
            "Energy",
            ledger_chart(run)
            + kinetic_chart(run, orbit)
            + observed_chart(run)
            + ledger_table(metrics),
        ),
        **(
            {"methods": ("What the methods did", methods_tables(metrics))}
            if metrics.get("method_books")
            else {}
        ),
        **({"stability": ("Stability", stable)} if stable else {}),
        "contacts": ("Contacts", contact_tables(metrics)),
        "fidelity": ("Fidelity", fidelity_table(metrics) + final_table(metrics)),
        "scenario": ("Scenario", _scenario(run)),
    }
    return page(
        run.scenario.name,
        str(tables.get("description", "")),
        sections,
        {"metrics": metrics, "scenario-tables": tables},
    )


def _first_look(run: Run, metrics: Mapping[str, Any], tables: Mapping[str, Any]) -> str:
    warnings = bullets(metrics["warnings"], "warnings") if metrics["warnings"] else ""
    return (
        what_was_run(metrics, tables)
        + judgement(metrics["judgement"])
        + text(str(metrics["verdict"]), "plain")
        + key_tiles(metrics)
        + warnings
    )


def what_was_run(metrics: Mapping[str, Any], tables: Mapping[str, Any]) -> str:
    """The rig in a line: what most decides the result."""

    def of(key: str) -> str:
        return shown(tables, key, block="scenario-tables")

    methods = [f"methods.{i}.name" for i in range(len(tables["methods"]))]
    parts = [
        f"status {shown(metrics, 'status')}",
        f"{shown(metrics, 'cycles')} cycles of {of('time.cycle_ms')}",
        f"integrator {of('satellites.integrator')}",
        *(
            f"{body}'s robot: {of(f'robots.{body}.model')}, {of(f'robots.{body}.delay_ms')}"
            for body in ("chaser", "target")
        ),
        "method " + (", ".join(of(key) for key in methods) if methods else "direct"),
    ]
    return f'<p class="facts">{"".join(f"<span>{part}</span>" for part in parts)}</p>'


def _zoom(metrics: Mapping[str, Any]) -> str:
    """Buttons that bring all time charts to one contact."""
    contacts = metrics["contacts"][:12]
    if not contacts:
        return ""
    buttons = [
        '<button type="button" data-from="" data-to="" aria-pressed="true">whole run</button>'
    ]
    for i, contact in enumerate(contacts):
        start, end = contact["start_s"], contact["end_s"]
        margin = MARGIN * (end - start) + 2e-3
        buttons.append(
            f'<button type="button" data-from="{start - margin:.6g}" '
            f'data-to="{end + margin:.6g}" aria-pressed="false">contact {i + 1}</button>'
        )
    return (
        '<div class="buttons" role="group" aria-label="Time shown in all charts">Show '
        f"{''.join(buttons)}</div>"
    )


def _grid(*parts: str) -> str:
    return f'<div class="grid">{"".join(parts)}</div>'


def _scenario(run: Run) -> str:
    toml = to_toml(run.scenario.tables)
    return text(
        "Every key with its value, defaults written out. Saved as scenario.toml this gives "
        "the same run.",
        "plain",
    ) + folded(f"{run.scenario.name}, resolved", listing(toml))
