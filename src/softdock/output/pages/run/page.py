"""The report of one run: what was run, the verdict, and everything behind it, on one page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape
from typing import Any, NamedTuple

import numpy as np

from softdock.errors import BadInput
from softdock.loop.method.shown import Flown, Shown, ShownChart
from softdock.methods.registry import METHODS, RAW
from softdock.output.pages.frame.charts import MOST_POINTS, Line, chart, choose_unit, thin
from softdock.output.pages.frame.elements import (
    bullets,
    details,
    listing,
    show_number,
    show_share,
    table,
    text,
    verdict,
)
from softdock.output.pages.frame.page import page
from softdock.output.pages.frame.replay import replay
from softdock.output.pages.run.charts import (
    force_chart,
    kinetic_chart,
    ledger_chart,
    observed_chart,
    phases_chart,
)
from softdock.output.pages.run.mechanism_charts import joint_section, latch_section
from softdock.output.pages.run.motion_charts import contact_windows, lvlh_charts, motion_charts
from softdock.output.pages.run.tables import (
    contact_tables,
    fidelity_table,
    final_table,
    key_tiles,
    ledger_table,
    methods_tables,
    other_phases_table,
    phases_table,
    side_by_side,
)
from softdock.output.pages.stability import EXPLANATION as CHART_EXPLAINED
from softdock.output.pages.stability import chart_section
from softdock.reference import Reference
from softdock.results.method_reports import list_declarations, select_run
from softdock.results.metrics import convert_to_plain
from softdock.results.run import Run
from softdock.results.scene import build_scene
from softdock.results.verdict import is_rebound
from softdock.scenario.files import to_toml
from softdock.scenario.moving_robots import fixed_bodies, moving_robots
from softdock.studies.stability import Dot, loops_of
from softdock.studies.stability.analysis import total_delay
from softdock.studies.stability.chart import chart_of
from softdock.studies.stability.latched import describe_latched_modes, find_latched_modes
from softdock.studies.stability.loop import Loop, Robot


def stability_section(run: Run) -> str:
    """Stability chart at the first contact's operating point; empty for a scenario without one.

    The boundary is that of the continuous loop with the whole delay, in closed form; `softdock
    stability` draws the sampled one too, which takes longer than a run.
    """
    try:
        point = loops_of(run.scenario)[0]
    except (BadInput, IndexError):
        return ""
    loop = point.loop
    alike = Loop(
        loop.mass,
        loop.stiffness,
        loop.damping + loop.virtual_damping,
        (Robot(delay=total_delay(loop)),),
    )
    if alike.stiffness <= 0.0:
        return ""
    dots = (
        [Dot(total_delay(loop), alike.damping, run.restitution, "this run")] if run.contacts else []
    )
    panels = chart_of(alike, figure="5", dots=dots)[:1]
    late = f"{1e3 * total_delay(loop):.3g} ms of delay: sensor, hold, integrator and robots"
    facts = f"{point.name}: effective mass {loop.mass:.4g} kg, {loop.stiffness:.4g} N/m, {late}."
    methods = [
        method["name"]
        for method in run.scenario.tables["methods"]
        if METHODS[method["name"]].linear_part is None
    ]
    raw = (
        f" The chart is of the loop without {', '.join(methods)}: the measured force acts on the "
        "satellites unchanged."
        if methods
        else ""
    )
    once_latched = " ".join(describe_latched_modes(find_latched_modes(run.scenario)))
    return (
        (text(once_latched, "plain") if once_latched else "")
        + text(facts)
        + text(f"{CHART_EXPLAINED}{raw} The sampled loop: softdock stability.")
        + chart_section(panels)
    )


SECONDS = "time [s]"


def method_section(shown: Shown, run: Run, metrics: Mapping[str, Any]) -> str:
    """Text and charts that a method declares (`Method.shown`); empty for a run without it."""
    flown, parts = select_run(shown, run), metrics.get(shown.key)
    if flown is None or parts is None:
        return ""
    charts = "".join(_method_chart(shown.key, one, flown) for one in shown.charts)
    return text(shown.words(parts), "plain") + charts


def _method_chart(key: str, one: ShownChart, run: Flown) -> str:
    factor, unit = 1.0, one.unit
    if one.unit:
        channels = dict.fromkeys(line.channel for line in one.lines)
        factor, unit = choose_unit(
            [run.series[f"{run.name}.{name}"] for name in channels], one.unit
        )
    lines = _method_lines(one, run, factor)
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


def _method_lines(one: ShownChart, run: Flown, factor: float) -> list[Line]:
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


COLUMNS = {
    "share": "share",
    "alone": "with it alone",
    "without": "without it",
    "left": "without it and all above",
    "of_sensor_row_J": "sensor contribution",
}
EXPLANATION = (
    "Causes are switched off one by one and together. A share is the mean of what a cause adds, "
    "over all orders of switching them on (Shapley value). Sensor contributions are differences "
    "between the run with and without each cause."
)


def why_section(metrics: Mapping[str, Any]) -> str:
    """Causes of the distance from the reference: sentence and table."""
    explanation = metrics["why"]
    rows = [
        [
            escape(row["what"]),
            *(
                show_number(metrics, f"why.rows.{i}.{key}")
                if key.endswith("_J")
                else show_share(metrics, f"why.rows.{i}.{key}")
                for key in COLUMNS
            ),
        ]
        for i, row in enumerate(explanation["rows"])
    ]
    return (
        text(explanation["sentence"], "plain")
        + _advice(explanation["advice"])
        + table(f"Causes of {explanation['of']}, the largest first", ["", *COLUMNS.values()], rows)
        + text(EXPLANATION)
    )


def _advice(advice: Mapping[str, Any]) -> str:
    """Lines to paste with the verdict that each gives."""
    if not advice["lines"]:
        return ""  # the verdict's next step says so
    rows = [
        [f"<code>{escape(one['line'])}</code>", escape(one["word"]), escape(one["text"])]
        for one in advice["lines"]
    ]
    headings = ["line to paste", "verdict", "what failed"]
    return table("Settings that were tried and help", headings, rows, words=(0, 1, 2))


MOST, HEIGHT = 600, 100.0  # points of the line; height of the drawing, in its own units


def overview_strip(run: Run) -> str:
    """The whole run as a strip above the charts (SVG, seconds across): force, contacts, and a
    window that marks what the charts show. A click moves the charts there."""
    t = run.series["time"]
    force = np.nan_to_num(np.linalg.norm(run.series["true.chaser.force"], axis=1))
    keep = thin(t, force, most=MOST)
    begin, whole = float(t[0]), float(t[-1] - t[0])
    most = float(force.max()) or 1.0
    points = " ".join(
        f"{x - begin:.5g},{HEIGHT * (0.94 - 0.86 * y / most):.4g}"
        for x, y in zip(t[keep].tolist(), force[keep].tolist(), strict=True)
    )
    touches = "".join(
        f'<rect class="touch" x="{a - begin:.6g}" y="0" width="{b - a:.6g}" height="{HEIGHT:g}"/>'
        for a, b in contact_windows(run.contacts)
    )
    return (
        f'<svg class="strip" viewBox="0 0 {whole:.6g} {HEIGHT:g}" preserveAspectRatio="none" '
        f'data-begin="{begin:.6g}" role="img" aria-label="The whole run: force over '
        f'{whole:.4g} s; the framed part is what the charts show"><title>The whole run, force over '
        f"{whole:.4g} s. Framed: what the charts show. A click takes them there.</title>"
        f'{touches}<polyline points="{points}"/>'
        f'<rect class="window" x="0" y="0" width="{whole:.6g}" height="{HEIGHT:g}"/></svg>'
    )


SHADED = "Shaded: the mock-ups touch. "
THINNED = (
    f"Lines of more than {MOST_POINTS} points are thinned for this page: peaks stay, and "
    "contacts stay whole as far as they fit. series.parquet has every row."
)
BEHIND_METHODS = "latch"  # section before which those of methods stand
MARGIN = 0.5  # of a contact's length, shown on either side of it


class PageInput(NamedTuple):
    """What the sections of a page are made from."""

    run: Run
    orbit: Reference
    metrics: Mapping[str, Any]
    tables: Mapping[str, Any]


class Section(NamedTuple):
    """A section of the page: key, heading and HTML; empty HTML omits it."""

    key: str
    heading: str
    html: Callable[[PageInput], str]


def run_page(run: Run) -> str:
    """One self-contained HTML page. Its numbers are those of `run.metrics`, which it carries as
    JSON under the id `metrics`. Simulates the reference if that was not done (a run read from a
    folder)."""
    source = PageInput(
        run,
        run.simulate_reference(),
        convert_to_plain(run.metrics),
        convert_to_plain(run.scenario.tables),
    )
    candidates = {one.key: (one.heading, one.html(source)) for one in all_sections()}
    return page(
        run.scenario.name,
        str(source.tables.get("description", "")),
        {key: section for key, section in candidates.items() if section[1]},
        {"metrics": source.metrics, "scenario-tables": source.tables},
    )


def all_sections() -> list[Section]:
    """The page's own sections and those that methods declare (also methods of a user's file)."""
    at = [one.key for one in SECTIONS].index(BEHIND_METHODS)
    of_methods = [_make_section(one) for one in list_declarations()]
    return [*SECTIONS[:at], *of_methods, *SECTIONS[at:]]


def _make_section(what: Shown) -> Section:
    return Section(
        what.key, what.heading, lambda source: method_section(what, source.run, source.metrics)
    )


def _summary(source: PageInput) -> str:
    metrics = source.metrics
    warnings = bullets(metrics["warnings"], "warnings") if metrics["warnings"] else ""
    return (
        facts_line(metrics, source.tables)
        + verdict(metrics["verdict"])
        + ("" if is_rebound(metrics["verdict"]) else text(str(metrics["summary"]), "plain"))
        + key_tiles(metrics)
        + warnings
    )


def facts_line(metrics: Mapping[str, Any], tables: Mapping[str, Any]) -> str:
    """The rig in one line: the settings that most determine the result."""

    def of(key: str) -> str:
        return show_number(tables, key, block="scenario-tables")

    methods = [f"methods.{i}.name" for i in range(len(tables["methods"]))]
    parts = [
        f"status {show_number(metrics, 'status')}",
        f"{show_number(metrics, 'cycles')} cycles of {of('time.cycle_ms')}",
        f"integrator {of('satellites.integrator')}",
        *(
            f"{body}'s robot: {of(f'robots.{body}.model')}, {of(f'robots.{body}.delay_ms')}"
            for body in moving_robots(tables)
        ),
        "method " + (", ".join(of(key) for key in methods) if methods else RAW),
    ]
    return f'<p class="facts">{"".join(f"<span>{part}</span>" for part in parts)}</p>'


def _zoom(run: Run, metrics: Mapping[str, Any]) -> str:
    """The overview strip, and buttons that zoom all time charts to one contact; at first the one
    with the largest force."""
    contacts = metrics["contacts"][:12]
    if not contacts:
        return ""
    force = [contact["peak_force_real_N"] or 0.0 for contact in contacts]
    hardest = force.index(max(force))
    buttons = [_button("whole run", "", "", False)]
    for i, contact in enumerate(contacts):
        start, end = contact["start_s"], contact["end_s"]
        margin = MARGIN * (end - start) + 2e-3
        first, last = max(start - margin, 0.0), min(end + margin, float(run.series["time"][-1]))
        buttons.append(_button(f"contact {i + 1}", f"{first:.6g}", f"{last:.6g}", i == hardest))
    return (
        '<div class="buttons" role="group" aria-label="Time shown in all charts">Show '
        f"{''.join(buttons)}</div>{overview_strip(run)}"
    )


def _button(name: str, begin: str, end: str, pressed: bool) -> str:
    return (
        f'<button type="button" data-from="{begin}" data-to="{end}" '
        f'aria-pressed="{str(pressed).lower()}">{name}</button>'
    )


def _grid(*parts: str) -> str:
    return f'<div class="grid">{"".join(parts)}</div>'


def _replay(source: PageInput) -> str:
    return replay("run", [build_scene(source.run)], "What happened, in three dimensions")


def _phases(source: PageInput) -> str:
    if "phases" not in source.metrics:
        return ""
    table, chart = phases_table(source.metrics), phases_chart(source.metrics)
    return side_by_side(table, chart) + other_phases_table(source.metrics)


def _motion(source: PageInput) -> str:
    shaded = SHADED if source.metrics["contacts"] else ""
    charts = _grid(*motion_charts(source.run, source.orbit))
    return _zoom(source.run, source.metrics) + text(shaded + THINNED) + charts


def _energy(source: PageInput) -> str:
    charts = (
        ledger_chart(source.run),
        kinetic_chart(source.run, source.orbit),
        observed_chart(source.run),
    )
    return "".join(charts) + ledger_table(source.metrics)


def _methods(source: PageInput) -> str:
    return (
        methods_tables(source.metrics, fixed_bodies(source.tables))
        if source.metrics.get("method_books")
        else ""
    )


def _scenario(source: PageInput) -> str:
    run = source.run
    toml = to_toml(run.scenario.tables)
    return text(
        "Every key with its value, defaults written out. Saved as scenario.toml this gives "
        "the same run.",
        "plain",
    ) + details(f"{run.scenario.name}, resolved", listing(toml))


SECTIONS = [  # in the order of the page
    Section("verdict", "", _summary),
    Section(
        "why",
        "Why",
        lambda source: why_section(source.metrics) if source.metrics.get("why") else "",
    ),
    Section("replay", "Replay", _replay),
    Section("phases", "Sampling phase", _phases),
    Section("motion", "Motion", _motion),
    Section(
        "lvlh", "In the orbit's turning axes", lambda source: lvlh_charts(source.run, source.orbit)
    ),
    Section(
        "latch",
        "Latched",
        lambda source: latch_section(source.run, source.orbit, source.metrics),
    ),
    Section("joints", "Joints of the arms", lambda source: joint_section(source.run)),
    Section("forces", "Forces", lambda source: force_chart(source.run, source.orbit)),
    Section("energy", "Energy", _energy),
    Section("methods", "What the methods did", _methods),
    Section("stability", "Stability", lambda source: stability_section(source.run)),
    Section("contacts", "Contacts", lambda source: contact_tables(source.metrics)),
    Section(
        "fidelity",
        "Fidelity",
        lambda source: (
            fidelity_table(source.metrics, fixed_bodies(source.tables))
            + final_table(source.metrics, fixed_bodies(source.tables))
        ),
    ),
    Section("scenario", "Scenario", _scenario),
]
