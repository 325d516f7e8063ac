"""The report of one run: what was run, the verdict, and everything behind it, on one page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from softdock.analysis.metrics import plain
from softdock.analysis.shown_by_methods import declarations
from softdock.core.adaptation.registry import RAW
from softdock.core.adaptation.shown import Shown
from softdock.core.orbit import Orbit
from softdock.report.frame.charts import MOST_POINTS
from softdock.report.frame.elements import bullets, folded, judgement, listing, shown, text
from softdock.report.frame.page import page
from softdock.report.frame.replay import replay
from softdock.report.run.charts import (
    force_chart,
    kinetic_chart,
    ledger_chart,
    observed_chart,
    phases_chart,
)
from softdock.report.run.fidelity_tables import fidelity_table, final_table
from softdock.report.run.joint_charts import joint_section
from softdock.report.run.latch_charts import latch_section
from softdock.report.run.method_sections import method_section
from softdock.report.run.motion_charts import motion_charts
from softdock.report.run.orbit_charts import orbit_charts
from softdock.report.run.stability import stability_section
from softdock.report.run.strip import strip
from softdock.report.run.tables import (
    contact_tables,
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
from softdock.scenario.moving_robots import fixed_bodies, moving_robots
from softdock.scene import scene_of

SHADED = "Shaded: the mock-ups touch. "
THINNED = (
    f"Lines of more than {MOST_POINTS} points are thinned for this page: peaks stay, and "
    "contacts stay whole as far as they fit. series.parquet has every row."
)
BEHIND_METHODS = "latch"  # section before which those of methods stand
MARGIN = 0.5  # of a contact's length, shown on either side of it


class Told(NamedTuple):
    """What the sections of a page are made from."""

    run: Run
    orbit: Orbit
    metrics: Mapping[str, Any]
    tables: Mapping[str, Any]


class Section(NamedTuple):
    """A part of the page: its key, its heading, and its HTML; empty HTML leaves it out."""

    key: str
    heading: str
    html: Callable[[Told], str]


def run_page(run: Run) -> str:
    """One self-contained HTML page. Its numbers are those of `run.metrics`, which it carries as
    JSON under the id `metrics`. Flies orbit if that was not done (a run read from a folder)."""
    told = Told(run, run.fly_orbit(), plain(run.metrics), plain(run.scenario.tables))
    made = {one.key: (one.heading, one.html(told)) for one in all_sections()}
    return page(
        run.scenario.name,
        str(told.tables.get("description", "")),
        {key: section for key, section in made.items() if section[1]},
        {"metrics": told.metrics, "scenario-tables": told.tables},
    )


def all_sections() -> list[Section]:
    """The page's own, and those that methods declare (also of a method file, read since)."""
    at = [one.key for one in SECTIONS].index(BEHIND_METHODS)
    of_methods = [_section_of(one) for one in declarations()]
    return [*SECTIONS[:at], *of_methods, *SECTIONS[at:]]


def _section_of(what: Shown) -> Section:
    return Section(
        what.key, what.heading, lambda told: method_section(what, told.run, told.metrics)
    )


def _first_look(told: Told) -> str:
    metrics = told.metrics
    judged = metrics.get("judgement")  # a folder of version 0.1 has none
    warnings = bullets(metrics["warnings"], "warnings") if metrics["warnings"] else ""
    return (
        what_was_run(metrics, told.tables)
        + (judgement(judged) if judged else "")
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
            for body in moving_robots(tables)
        ),
        "method " + (", ".join(of(key) for key in methods) if methods else RAW),
    ]
    return f'<p class="facts">{"".join(f"<span>{part}</span>" for part in parts)}</p>'


def _zoom(run: Run, metrics: Mapping[str, Any]) -> str:
    """The whole run as a strip, and buttons that bring all time charts to one contact: the hardest
    of them at first."""
    contacts = metrics["contacts"][:12]
    if not contacts:
        return ""
    force = [contact["peak_force_real_N"] or 0.0 for contact in contacts]
    hardest = force.index(max(force))
    buttons = [_button("whole run", "", "", False)]
    for i, contact in enumerate(contacts):
        start, end = contact["start_s"], contact["end_s"]
        margin = MARGIN * (end - start) + 2e-3
        buttons.append(
            _button(
                f"contact {i + 1}", f"{start - margin:.6g}", f"{end + margin:.6g}", i == hardest
            )
        )
    return (
        '<div class="buttons" role="group" aria-label="Time shown in all charts">Show '
        f"{''.join(buttons)}</div>{strip(run)}"
    )


def _button(name: str, begin: str, end: str, pressed: bool) -> str:
    return (
        f'<button type="button" data-from="{begin}" data-to="{end}" '
        f'aria-pressed="{str(pressed).lower()}">{name}</button>'
    )


def _grid(*parts: str) -> str:
    return f'<div class="grid">{"".join(parts)}</div>'


def _replay(told: Told) -> str:
    return replay("run", [scene_of(told.run)], "What happened, in three dimensions")


def _phases(told: Told) -> str:
    if "phases" not in told.metrics:
        return ""
    table, chart = phases_table(told.metrics), phases_chart(told.metrics)
    return side_by_side(table, chart) + phases_rest(told.metrics)


def _motion(told: Told) -> str:
    shaded = SHADED if told.metrics["contacts"] else ""
    charts = _grid(*motion_charts(told.run, told.orbit))
    return _zoom(told.run, told.metrics) + text(shaded + THINNED) + charts


def _energy(told: Told) -> str:
    charts = (ledger_chart(told.run), kinetic_chart(told.run, told.orbit), observed_chart(told.run))
    return "".join(charts) + ledger_table(told.metrics)


def _methods(told: Told) -> str:
    return (
        methods_tables(told.metrics, fixed_bodies(told.tables))
        if told.metrics.get("method_books")
        else ""
    )


def _scenario(told: Told) -> str:
    run = told.run
    toml = to_toml(run.scenario.tables)
    return text(
        "Every key with its value, defaults written out. Saved as scenario.toml this gives "
        "the same run.",
        "plain",
    ) + folded(f"{run.scenario.name}, resolved", listing(toml))


SECTIONS = [  # in the order of the page
    Section("verdict", "", _first_look),
    Section(
        "why", "Why", lambda told: why_section(told.metrics) if told.metrics.get("why") else ""
    ),
    Section("replay", "Replay", _replay),
    Section("phases", "Sampling phase", _phases),
    Section("motion", "Motion", _motion),
    Section("lvlh", "In the orbit's turning axes", lambda told: orbit_charts(told.run, told.orbit)),
    Section(
        "latch",
        "Latched",
        lambda told: latch_section(told.run, told.orbit, told.metrics),
    ),
    Section("joints", "Joints of the arms", lambda told: joint_section(told.run)),
    Section("forces", "Forces", lambda told: force_chart(told.run, told.orbit)),
    Section("energy", "Energy", _energy),
    Section("methods", "What the methods did", _methods),
    Section("stability", "Stability", lambda told: stability_section(told.run)),
    Section("contacts", "Contacts", lambda told: contact_tables(told.metrics)),
    Section(
        "fidelity",
        "Fidelity",
        lambda told: (
            fidelity_table(told.metrics, fixed_bodies(told.tables))
            + final_table(told.metrics, fixed_bodies(told.tables))
        ),
    ),
    Section("scenario", "Scenario", _scenario),
]
