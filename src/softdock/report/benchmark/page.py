"""The benchmark page: who is nearest to orbit, told what; where each fails; every cell with the
command that makes its number again."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from softdock.benchmark.results_compared import sentence
from softdock.benchmark.scores import by_group, groups_of, leaderboard
from softdock.benchmark.tellings import NOTHING, WORDS
from softdock.benchmark.words import answer, beside, percent
from softdock.report.benchmark.cases import case_sections
from softdock.report.benchmark.map import map_tables, share_of
from softdock.report.benchmark.profiles import profile_charts
from softdock.report.frame import elements as e
from softdock.report.frame.page import page

BLOCK = "benchmark"  # id of the page's JSON
CODE_WARNING = "This benchmark ran the user's own code: "
Results = Mapping[str, Any]


def benchmark_page(results: Results, since: Mapping[str, Any] | None = None) -> str:
    """The whole page. `since`: what has changed against earlier results
    (benchmark/results_compared.py)."""
    boards = {telling: leaderboard(results, telling) for telling in results["tellings"]}
    data: dict[str, Any] = {"leaderboard": boards}
    sections = {
        "answer": ("", _answer(results)),
        "leaderboard": ("Leaderboard", _boards(data)),
        "profiles": ("How many cases are how near", profile_charts(results)),
        "groups": ("Where each fails", _groups(results)),
        "map": ("Case by method", map_tables(results)),
        "cases": ("Every case", case_sections(results)),
        "since": ("Since then", _since(since) if since else ""),
        "made": ("How this was made", _made(results)),
    }
    sections = {key: section for key, section in sections.items() if section[1]}
    count = len(results["cases"])
    lead = (
        f"{len(results['entries'])} entries on {count} case{'' if count == 1 else 's'}, each at "
        "the worst of its sampling phases or seeds, against orbit."
    )
    return page("Benchmark: how near to orbit", lead, sections, {BLOCK: data})


def _answer(results: Results) -> str:
    parts = [e.verdict(answer(results)), e.bullets(beside(results))]
    if results["method_files"]:
        files = ", ".join(results["method_files"])
        said = f"{CODE_WARNING}{files} was imported and run with the rights of whoever started it."
        parts.append(e.bullets([said], "warnings"))
    return "".join(parts)


def _boards(data: dict[str, Any]) -> str:
    headings = [
        "",
        "entry",
        "within 1 %",
        "within 0.1 %",
        "of cases",
        "reached an end",
        "median",
        "worst",
        "energy invented, at most",
        "peak force error, median",
        "unsafe",
        "CPU per cycle, of the raw loop's",
    ]
    parts = []
    for telling, rows in data["leaderboard"].items():
        if not rows:
            parts.append(e.text(f"{WORDS[telling].capitalize()}: no entry can run."))
            continue
        table = []
        for i, row in enumerate(rows):
            at = f"leaderboard.{telling}.{i}"
            counts = ("within_1", "within_01", "cases", "ran")
            cells = [e.shown(data, f"{at}.rank", "", BLOCK), escape(row["label"])]
            cells += [e.shown(data, f"{at}.{key}", "", BLOCK) for key in counts]
            shares = ("median", "worst", "energy", "peak_error")
            cells += [share_of(row[key]) for key in shares]
            cells.append(e.shown(data, f"{at}.unsafe", "", BLOCK))
            cells.append("-" if row["cost"] is None else f"{row['cost']:.2f}")
            table.append(cells)
        title = WORDS[telling].capitalize()
        parts.append(e.table(title, headings, table, strong=[0], words=(1,)))
    return "".join(parts) + e.text(_NOTE)


_NOTE = (
    "A case counts at its worst sampling phase; with noise, jitter or lost set-points each phase "
    "has a seed of its own. The distance from orbit is taken after the last contact and at the end "
    "of the run, and the worse one counts, as a share of the approach. A case that an entry cannot "
    "run, or on which it stops, is a miss and has no distance; where the median or the worst is "
    "such a case there is a dash. With 10 % errors: delay, stiffness, damping or the wanted "
    "contact wrong by 10 % either way, one at a time, the worst of them; an entry that believes "
    "nothing has the same row as told exactly. Energy invented: the largest share of the approach "
    "energy that consecutive contacts add."
)


def _groups(results: Results) -> str:
    groups = groups_of(results)
    parts = []
    for telling in results["tellings"]:
        found = by_group(results, telling)
        order = [row["label"] for row in leaderboard(results, telling)]
        rows = []
        for label in order:
            cells = [escape(label)]
            for group in groups:
                near, of = found[label].get(group, (0, 0))
                kind = "near" if near == of else "some" if near else "none"
                cells.append(f'<span class="share {kind}">{near} of {of}</span>' if of else "-")
            rows.append(cells)
        if rows:
            title = f"Cases within 1 % of orbit, {WORDS[telling]}"
            parts.append(e.table(title, ["entry", *groups], rows))
    return "".join(parts)


def _since(since: Mapping[str, Any]) -> str:
    rows = [
        [
            escape(row["label"]),
            escape(WORDS[row["telling"]]),
            f"{row['within_1'][0]} to {row['within_1'][1]}",
            f"{row['within_01'][0]} to {row['within_01'][1]}",
            f"{percent(row['median'][0])} to {percent(row['median'][1])}",
        ]
        for row in since["counts"]
    ]
    headings = ["entry", "told", "within 1 %", "within 0.1 %", "median"]
    parts = [e.verdict(sentence(dict(since)))]
    parts.append(e.table(f"On {since['cases']} common cases", headings, rows, words=(1,)))
    crossed = [
        [
            escape(row["case"]),
            escape(row["entry"]),
            escape(WORDS[row["telling"]]),
            escape(percent(row["then"])),
            escape(percent(row["now"])),
        ]
        for row in since["crossed"]
    ]
    if crossed:
        headings = ["case", "entry", "told", "then", "now"]
        parts.append(e.table("Cells that crossed 1 % or 0.1 %", headings, crossed, words=(1, 2)))
    left = [*since["cases_left_out"], *since["entries_left_out"]]
    if left:
        parts.append(e.text("Not in both files, or not the same: " + ", ".join(left) + "."))
    if since["phases_differ"]:
        parts.append(e.text("The two were made with different numbers of sampling phases."))
    return "".join(parts)


def _made(results: Results) -> str:
    v = results["versions"]
    drawn = (
        f"{results['random']} random cases from seed {results['seed']}"
        if results["random"]
        else "no random cases"
    )
    told = ", ".join(WORDS[t] for t in results["tellings"])
    phases = results["phases"] or "each case's own number of"
    rows = [
        ["softdock, hash of its core", f"{escape(results['softdock'])}, {escape(results['core'])}"],
        ["Python, numpy, numba", escape(f"{v['python']}, {v['numpy']}, {v['numba']}")],
        ["set of cases", f"version {results['set_version']}; {escape(drawn)}"],
        ["sampling phases", escape(str(phases))],
        ["told", escape(told)],
        ["CPU time, wall time", f"{results['cpu_s']} s, {results['wall_s']} s"],
        ["processes", str(results["jobs"])],
    ]
    must = [row for row in results["entries"] if row["knows"] != "nothing"]
    told_rows = [[escape(r["label"]), escape(r["summary"]), escape(r["knows"])] for r in must]
    headings = ["entry", "what it does", "what it must be told"]
    return e.table("This benchmark", ["", ""], rows, words=(1,)) + (
        e.table("Entries that know something", headings, told_rows, words=(1, 2))
        if told_rows and NOTHING in results["tellings"]
        else ""
    )
