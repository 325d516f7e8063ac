"""The benchmark page: leaderboards, distance from the reference by method and case, and the command
that reproduces each cell."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

import numpy as np

from softdock.output.pages.frame import elements as e
from softdock.output.pages.frame.charts import ROLES, Line, chart
from softdock.output.pages.frame.page import page
from softdock.studies.benchmark.cell import CANNOT, COMPLETED
from softdock.studies.benchmark.plan import NONE, WORDS
from softdock.studies.benchmark.replay import format_command
from softdock.studies.benchmark.results import describe_changes
from softdock.studies.benchmark.scores import (
    NEAR,
    VERY_NEAR,
    count_by_group,
    describe_winner,
    format_percent,
    get_distance,
    list_groups,
    list_remarks,
    make_leaderboard,
)
from softdock.studies.compare.knowledge import WORDS as BELIEFS

LEAST, MOST = 1e-6, 10.0  # of the approach; what is nearer, or farther, stands at the edge
TICKS = [1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1000.0]  # percent


def profile_charts(results: Mapping[str, Any]) -> str:
    """One chart for each level: share of cases within a distance, over the distance."""
    return "".join(_profile_chart(results, level) for level in results["knowledge"])


def _profile_chart(results: Mapping[str, Any], level: str) -> str:
    rows = make_leaderboard(results, level)
    if not rows:
        return ""
    lines = []
    for i, row in enumerate(rows):
        far = sorted(
            get_distance(c["knowledge"][level])
            for c in results["cells"]
            if c["entry"] == row["label"]
        )
        x, y = cumulative_shares(far)
        dash = "solid" if i < len(ROLES) else "dot"
        lines.append(Line(row["label"], ROLES[i % len(ROLES)], x, y, steps=True, dash=dash))
    axis = {
        "title": {"text": "error [% of the approach speed]"},
        "type": "log",
        "range": [math.log10(100.0 * LEAST), math.log10(100.0 * MOST)],
        "tickvals": TICKS,
        "ticktext": [f"{x:g}" for x in TICKS],
        "tickangle": 0,
        "tickfont": {"size": 10},
    }
    return chart(
        f"profile-{level}",
        f"Share of the cases with at most this error, {WORDS[level]}",
        lines,
        "",
        "cases [%]",
        time_axis=False,
        y_range=[0.0, 101.0],
        layout={"xaxis": axis},
        caption="At the worst phase or seed. Higher is better; where a line ends below 100 % the "
        "rest could not run, stopped, or diverged (over ten times the approach speed).",
    )


def cumulative_shares(far: list[float]) -> tuple[np.ndarray, np.ndarray]:
    """Distances [%], rising, and the share of cases [%] within each."""
    count = len(far)
    known = [min(max(d, LEAST), MOST) for d in far if d <= MOST]
    x = [LEAST, *known, MOST]
    y = [0.0, *((i + 1) / count for i in range(len(known))), len(known) / count]
    return 100.0 * np.array(x), 100.0 * np.array(y)


FAR = 0.05  # of the approach: beyond, the verdict is distorted
CLASSES = (
    ("d0", "within 0.1 %"),
    ("d1", "within 1 %"),
    ("d2", "within 5 %"),
    ("d3", "beyond"),
    ("d4", "stopped, or no error defined"),
    ("d5", "cannot run"),
)


def colour_class(row: Mapping[str, Any]) -> str:
    """CSS class of a result's colour."""
    if row["status"] == CANNOT:
        return "d5"
    if row["status"] != COMPLETED or row["distance"] is None:
        return "d4"
    bounds = (VERY_NEAR, NEAR, FAR)
    return f"d{sum(row['distance'] > bound for bound in bounds)}"


def format_result(row: Mapping[str, Any]) -> str:
    """A result as text: distance, status, or a dash."""
    if row["status"] == COMPLETED:
        return format_percent(row["distance"])
    return "-" if row["status"] == CANNOT else str(row["status"])


def format_share(share: float | None) -> str:
    """A share of the approach, or of a force, as HTML that does not wrap."""
    return f'<span class="number">{escape(format_percent(share))}</span>'


def map_tables(results: Mapping[str, Any]) -> str:
    """Distance of every case by method, one table for each level; the best entry on the left."""
    cells = {(c["entry"], c["case"]): c["knowledge"] for c in results["cells"]}
    parts = [_map_legend()]
    bound = any(case.get("bound") is not None for case in results["cases"])
    for level in results["knowledge"]:
        entries = [row["label"] for row in make_leaderboard(results, level)]
        rows = []
        for case in results["cases"]:
            name = case["name"]
            line = [f'<a href="#case-{escape(name)}">{escape(name)}</a>']
            if bound:
                line.append(
                    escape(format_percent(case["bound"])) if case["bound"] is not None else ""
                )
            for entry in entries:
                row = cells[entry, name][level]
                why = row["reason"] or f"{entry} on {name}, {WORDS[level]}"
                line.append(
                    f'<span class="cell {colour_class(row)}" title="{escape(why)}">'
                    f"{escape(format_result(row))}</span>"
                )
            rows.append(line)
        if entries:
            title = f"Error against the reference, {WORDS[level]}"
            headings = ["case", *(["bound by noise, RMS"] if bound else []), *entries]
            parts.append(e.table(title, headings, rows))
    return "".join(parts)


def _map_legend() -> str:
    keys = "".join(f'<span class="cell {key}">{escape(words)}</span> ' for key, words in CLASSES)
    return f'<p class="note">{keys}</p>'


NO_COMMAND = (
    "no command: the wrong value is in the scenario's contact, and the on-orbit reference would "
    "use it too"
)


def case_sections(results: Mapping[str, Any]) -> str:
    """One foldable section for each case: reason, numbers and commands."""
    by_case: dict[str, list[Mapping[str, Any]]] = {}
    for cell in results["cells"]:
        by_case.setdefault(cell["case"], []).append(cell)
    note = (
        "A command prints the cell's number in its verdict; commands with cases/NAME.toml are for "
        "the folder of these results. Methods of the user's own need their --method-file."
    )
    parts = [_case_section(results, case, by_case[case["name"]]) for case in results["cases"]]
    return e.text(note) + "".join(parts)


def _case_section(
    results: Mapping[str, Any], case: Mapping[str, Any], cells: list[Mapping[str, Any]]
) -> str:
    name, bound = case["name"], case.get("bound")
    parts = [
        e.text(case["reason"], "plain"),
        e.text(f"{case['description']}. softdock show {case['source']}")
        if case["source"].startswith("benchmark:")
        else e.text(f"{case['description']}. File: {case['source']}"),
    ]
    if bound is not None:
        least = f"no unbiased estimator has a root mean square below {format_percent(bound)}"
        parts.append(e.text(f"Under its noise {least}."))
    headings = ["entry", "parameters", "error", "wrong parameter", "energy", "peak force", "again"]
    rows = []
    for cell in cells:
        for level, row in _merge_equal_levels(results, cell):
            rows.append([escape(cell["entry"]), escape(level), *_case_row(results, case, row)])
    table = e.table(f"{name}, all entries", headings, rows, words=(1, 3, 6))
    inside = f'<div id="case-{escape(name)}">{"".join(parts)}{table}</div>'  # a link opens it
    return e.details(f"{name}: {case['description']}", inside)


def _merge_equal_levels(
    results: Mapping[str, Any], cell: Mapping[str, Any]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield each distinct result once, with all levels that gave it."""
    rows = [(level, cell["knowledge"][level]) for level in results["knowledge"]]
    while rows:
        first = rows[0][1]
        yield ", ".join(WORDS[t] for t, row in rows if row == first), first
        rows = [pair for pair in rows if pair[1] != first]


def _case_row(
    results: Mapping[str, Any], case: Mapping[str, Any], row: Mapping[str, Any]
) -> list[str]:
    """Distance, wrong belief, energy, peak force, and the command or the reason why there is
    none."""
    error = row["error"]
    words = f"{BELIEFS[error['kind']]} {error['percent']:+g} %" if error else ""
    rms = row.get("rms") if case.get("is_random") else None
    beside = f" <small>RMS {escape(format_percent(rms))}</small>" if rms is not None else ""
    line = format_command(case["source"], row["changes"], results["method_files"]) or NO_COMMAND
    return [
        f'<span class="cell {colour_class(row)}">{escape(format_result(row))}</span>{beside}',
        escape(words),
        format_share(row["energy_share"]),
        format_share(row["peak_force_error"]),
        escape(row["reason"]) if row["reason"] else e.details("command", e.listing(line)),
    ]


BLOCK = "benchmark"  # id of the page's JSON
CODE_WARNING = "This benchmark ran your own code: "
Results = Mapping[str, Any]


def benchmark_page(results: Results, since: Mapping[str, Any] | None = None) -> str:
    """The whole page. `since`: changes against earlier results
    (studies/benchmark/results.py)."""
    boards = {level: make_leaderboard(results, level) for level in results["knowledge"]}
    data: dict[str, Any] = {"leaderboard": boards}
    sections = {
        "answer": ("", _answer(results)),
        "leaderboard": ("Leaderboard", _leaderboards(data)),
        "profiles": ("Cases by error", profile_charts(results)),
        "groups": ("Where each fails", _groups(results)),
        "map": ("Case by method", map_tables(results)),
        "cases": ("Every case", case_sections(results)),
        "since": ("Since then", _changes(since) if since else ""),
        "made": ("How this was made", _origin(results)),
    }
    sections = {key: section for key, section in sections.items() if section[1]}
    count = len(results["cases"])
    lead = (
        f"{len(results['entries'])} entries on {count} case{'' if count == 1 else 's'}, each at "
        "the worst of its sampling phases or seeds, against the on-orbit reference."
    )
    return page("Benchmark of the methods", lead, sections, {BLOCK: data})


def _answer(results: Results) -> str:
    parts = [e.headline(describe_winner(results)), e.bullets(list_remarks(results))]
    if results["method_files"]:
        files = ", ".join(results["method_files"])
        warning = (
            f"{CODE_WARNING}{files} was imported and run with the rights of whoever started it."
        )
        parts.append(e.bullets([warning], "warnings"))
    return "".join(parts)


def _leaderboards(data: dict[str, Any]) -> str:
    headings = [
        "",
        "entry",
        "within 1 %",
        "within 0.1 %",
        "of cases",
        "reached an end",
        "median",
        "worst",
        "energy added, at most",
        "peak force error, median",
        "unsafe",
        "CPU per cycle, over the raw loop's",
    ]
    parts = []
    for level, rows in data["leaderboard"].items():
        if not rows:
            parts.append(e.text(f"{WORDS[level].capitalize()}: no entry can run."))
            continue
        table = []
        for i, row in enumerate(rows):
            at = f"leaderboard.{level}.{i}"
            counts = ("within_1", "within_01", "cases", "ran")
            cells = [e.show_number(data, f"{at}.rank", "", BLOCK), escape(row["label"])]
            cells += [e.show_number(data, f"{at}.{key}", "", BLOCK) for key in counts]
            shares = ("median", "worst", "energy", "peak_error")
            cells += [format_share(row[key]) for key in shares]
            cells.append(e.show_number(data, f"{at}.unsafe", "", BLOCK))
            cells.append("-" if row["cost"] is None else f"{row['cost']:.2f}")
            table.append(cells)
        title = WORDS[level].capitalize()
        parts.append(e.table(title, headings, table, strong=[0], words=(1,)))
    return "".join(parts) + e.text(_NOTE)


_NOTE = (
    "A case counts at its worst sampling phase; with noise, jitter or lost set-points each phase "
    "has a seed of its own. The error against the on-orbit reference is taken after the last "
    "contact and at the end of the run; the larger one counts, as a share of the approach speed. "
    "A case that an entry cannot run, or in which it stops, counts as a miss without an error; a "
    "dash marks a median or worst case of that kind. With 10 % errors: delay, stiffness, damping "
    "or the wanted contact is wrong by 10 % either way, one at a time, and the worst counts; an "
    "entry without such parameters has the same row as with exact parameters. Energy added: the "
    "largest share of the approach energy that consecutive contacts add. Diverged: over ten times "
    "the approach."
)


def _groups(results: Results) -> str:
    groups = list_groups(results)
    parts = []
    for level in results["knowledge"]:
        found = count_by_group(results, level)
        order = [row["label"] for row in make_leaderboard(results, level)]
        rows = []
        for label in order:
            cells = [escape(label)]
            for group in groups:
                near, of = found[label].get(group, (0, 0))
                kind = "near" if near == of else "some" if near else "none"
                cells.append(f'<span class="share {kind}">{near} of {of}</span>' if of else "-")
            rows.append(cells)
        if rows:
            title = f"Cases with an error within 1 %, {WORDS[level]}"
            parts.append(e.table(title, ["entry", *groups], rows))
    return "".join(parts)


def _changes(since: Mapping[str, Any]) -> str:
    rows = [
        [
            escape(row["label"]),
            escape(WORDS[row["level"]]),
            f"{row['within_1'][0]} to {row['within_1'][1]}",
            f"{row['within_01'][0]} to {row['within_01'][1]}",
            f"{format_percent(row['median'][0])} to {format_percent(row['median'][1])}",
        ]
        for row in since["counts"]
    ]
    headings = ["entry", "parameters", "within 1 %", "within 0.1 %", "median"]
    parts = [e.headline(describe_changes(dict(since)))]
    parts.append(e.table(f"On {since['cases']} common cases", headings, rows, words=(1,)))
    crossed = [
        [
            escape(row["case"]),
            escape(row["entry"]),
            escape(WORDS[row["level"]]),
            escape(format_percent(row["then"])),
            escape(format_percent(row["now"])),
        ]
        for row in since["crossed"]
    ]
    if crossed:
        headings = ["case", "entry", "parameters", "then", "now"]
        parts.append(e.table("Cells that crossed 1 % or 0.1 %", headings, crossed, words=(1, 2)))
    left = [*since["cases_left_out"], *since["entries_left_out"]]
    if left:
        parts.append(e.text("Not in both files, or not the same: " + ", ".join(left) + "."))
    if since["phases_differ"]:
        parts.append(e.text("The two were made with different numbers of sampling phases."))
    return "".join(parts)


def _origin(results: Results) -> str:
    v = results["versions"]
    random = (
        f"{results['random']} random cases from seed {results['seed']}"
        if results["random"]
        else "no random cases"
    )
    levels = ", ".join(WORDS[t] for t in results["knowledge"])
    phases = results["phases"] or "as each case states"
    rows = [
        ["softdock, hash of its core", f"{escape(results['softdock'])}, {escape(results['core'])}"],
        ["Python, numpy, numba", escape(f"{v['python']}, {v['numpy']}, {v['numba']}")],
        ["set of cases", f"version {results['set_version']}; {escape(random)}"],
        ["sampling phases", escape(str(phases))],
        ["parameters", escape(levels)],
        ["CPU time, wall time", f"{results['cpu_s']} s, {results['wall_s']} s"],
        ["processes", str(results["jobs"])],
    ]
    must = [row for row in results["entries"] if row["knows"] != "no parameter"]
    parameter_rows = [[escape(r["label"]), escape(r["summary"]), escape(r["knows"])] for r in must]
    headings = ["entry", "what it does", "what it needs"]
    return e.table("This benchmark", ["", ""], rows, words=(1,)) + (
        e.table("Entries with parameters of the rig", headings, parameter_rows, words=(1, 2))
        if parameter_rows and NONE in results["knowledge"]
        else ""
    )
