"""The comparison page: recommendation, candidates ranked, their curves over the reference's, what
each must know and what an error in that costs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from html import escape
from typing import Any

from softdock.methods.registry import RAW
from softdock.output.pages.comparison_charts import (
    bar_charts,
    choose_shown,
    curve_charts,
    shorten_labels,
)
from softdock.output.pages.frame import elements as e
from softdock.output.pages.frame.page import page
from softdock.output.pages.frame.replay import replay
from softdock.results.quantities import format_percent
from softdock.results.verdict import name_method
from softdock.scenario.files import to_toml
from softdock.studies.compare.compare import Comparison
from softdock.studies.compare.knowledge import ERRORS_PERCENT, WORDS
from softdock.studies.compare.settings import drop_defaults

MINUS = "\N{MINUS SIGN}"


BLOCK = "comparison"  # id of the page's JSON


def _show_number(r: Any, key: str) -> str:
    return e.show_number(r, key, block=BLOCK)


def _show_cost(r: Any, key: str) -> str:
    return e.show_number(r, key, "ns", BLOCK)


def _show_percent(r: Any, key: str) -> str:
    """Error against the reference in percent of the approach speed."""
    return e.show_share(r, key, BLOCK)


def _name_error(error: dict[str, Any]) -> str:
    return f"{WORDS[error['kind']]} {error['error_percent']:+g} %".replace("-", MINUS)


def knowledge_section(r: Any) -> str:
    by_method: dict[str, Any] = {}
    for c in r["candidates"]:
        by_method.setdefault(c["method"], c)
    rows = [
        [escape(name), escape(c["summary"]), escape(c["knows"]), _settings(c)]
        for name, c in by_method.items()
    ]
    parts = [
        e.table(
            "Methods",
            ["method", "what it does", "what it needs", "set here"],
            rows,
            words=(1, 2, 3),
        )
    ]
    for kind, percents in ERRORS_PERCENT.items():
        having = [
            i
            for i, c in enumerate(r["candidates"])
            if any(error["kind"] == kind for error in c["knowledge_errors"])
        ]
        if having:
            parts.append(_errors_table(r, kind, percents, having))
    if len(parts) == 1:
        parts.append(
            e.text(
                "No candidate has a parameter of the rig that could be wrong.",
                "note",
            )
        )
    else:
        parts.append(
            e.text(
                "Only the methods' parameters are wrong in these runs, one kind of error at a "
                "time; the rig is the same.",
                "note",
            )
        )
    return "".join(parts)


def _settings(candidate: dict[str, Any]) -> str:
    items = [
        f"{key} = {e.format_number(value, 6)}"
        for entry in map(drop_defaults, candidate["settings"])
        for key, value in entry.items()
        if key != "name"
    ]
    return "<br>".join(escape(item) for item in items) or "defaults"


def _errors_table(r: Any, kind: str, percents: Sequence[float], having: Sequence[int]) -> str:
    columns = sorted([*percents, 0.0])
    rows = []
    for i in having:
        errors = r["candidates"][i]["knowledge_errors"]
        cells = [escape(r["candidates"][i]["label"])]
        for percent in columns:
            j = next(
                (
                    j
                    for j, error in enumerate(errors)
                    if (error["kind"], error["error_percent"]) == (kind, percent)
                ),
                None,
            )
            if j is None:
                cells.append(_show_percent(r, f"candidates.{i}.error_against_orbit"))
            elif errors[j]["status"] != "completed":
                cells.append(
                    "<span "
                    f'title="{escape(errors[j]["reason"])}">{escape(errors[j]["status"])}</span>'
                )
            else:
                cells.append(
                    _show_percent(r, f"candidates.{i}.knowledge_errors.{j}.error_against_orbit")
                )
        rows.append(cells)
    headings = ["candidate", *(f"{p:+g} %".replace("-", MINUS) if p else "right" for p in columns)]
    return e.table(f"Error against the reference with a wrong {WORDS[kind]}", headings, rows)


CODE_WARNING = "This comparison ran your own code: "


MOST_PANELS = 4  # of the replay, orbit among them
WORST = "error_against_orbit_worst"  # over the phases, after the contacts or at the end


def comparison_page(comparison: Comparison) -> str:
    """The whole page."""
    r = comparison.results
    sections = {
        "answer": ("", _answer(comparison)),
        "replay": ("Replay", _replay(comparison)),
        "ranking": ("Ranking", bar_charts(r) + _ranking(r)),
        "curves": ("Curves", curve_charts(comparison)),
        "knowledge": ("Wrong parameters", knowledge_section(r)),
        "costs": ("Cost per cycle", _cost_table(r)),
        "not-run": ("What could not run", _refused_table(r)),
        "scenario": ("Scenario", _scenario(comparison)),
    }
    if not r["refused"]:
        del sections["not-run"]
    if not sections["replay"][1]:
        del sections["replay"]
    count = f"{len(r['candidates'])} candidate" + ("" if len(r["candidates"]) == 1 else "s")
    phases = f", means over {r['phases']} sampling phases" if r["phases"] > 1 else ""
    lead = f"{r['description'] or r['scenario']}. {count} against the on-orbit reference{phases}."
    return page(f"Comparison: {r['scenario']}", lead, sections, {BLOCK: r})


def _replay(comparison: Comparison) -> str:
    """The reference and the best candidates, synchronised."""
    shown = choose_shown(comparison.results["candidates"])
    orbit, *others = comparison.curves
    by_label = {c["label"]: c for c in comparison.results["candidates"]}
    names = shorten_labels(comparison.results["candidates"])
    scenes = [
        replace(curve.scene, name=_name_panel(names[curve.label], by_label[curve.label]))
        for curve in others
        if curve.label in shown and curve.scene is not None
    ]
    if orbit.scene is not None:
        e_orbit = format_percent(comparison.results["orbit"].get("restitution"))
        scenes.insert(0, replace(orbit.scene, name=f"on orbit: rebound {e_orbit}"))
    title = "On orbit and the best candidates, side by side"
    caption = (
        "Arrows of all panels are in one scale. A line in the charts below is the replay's time; "
        "a click there takes it to that time."
    )
    return replay("comparison", scenes[:MOST_PANELS], title, caption)


def _name_panel(label: str, row: Any) -> str:
    """What tells the panels of a replay apart: verdict and rebound."""
    return f"{label}: {row['verdict']['word']}, rebound {format_percent(row['restitution'])}"


def _worst_key(row: Any) -> str:
    """Key of the distance by which a row is ranked."""
    return WORST if row.get(WORST) is not None else "error_against_orbit"


def _answer(comparison: Comparison) -> str:
    r = comparison.results
    first, *rest = re.split(r"(?<=\.) (?=[A-Z])", r["recommendation"])
    parts = [e.headline(first), e.text(" ".join(rest), "plain") if rest else ""]
    if r["candidates"] and r.get("paste"):
        best = r["candidates"][0]
        named = name_method(best["verdict"], best["method"])
        parts = [e.verdict({**named, "next_step": ""}), e.text(r["recommendation"], "plain")]
        parts.append(e.details("Paste this into the scenario", e.listing(r["paste"]), opened=True))
    if r["method_file"]:
        parts.append(
            e.bullets(
                [
                    f"{CODE_WARNING}{r['method_file']} was imported and run with the rights "
                    "of whoever started softdock."
                ],
                "warnings",
            )
        )
    if r["candidates"]:
        orbit = _show_number(r, "orbit.restitution")
        best = r["candidates"][0]
        raw = next(
            (f"candidates.{i}" for i, c in enumerate(r["candidates"]) if c["method"] == RAW),
            "",
        )
        known = raw not in ("", "candidates.0") and e.look_up(r, f"{raw}.{WORST}") is not None
        beside = f"{_show_percent(r, f'{raw}.{WORST}')} with the raw loop" if known else ""
        at = "candidates.0"
        tiles = [
            e.tile(
                "Error against the reference, worst phase",
                _show_percent(r, f"{at}.{WORST}"),
                beside,
                "100 % is an error as large as the approach speed",
            ),
            e.tile("Restitution", _show_number(r, f"{at}.restitution"), f"{orbit} on orbit"),
            e.tile("Energy added", _show_number(r, f"{at}.energy_added_J"), "0 on orbit"),
            e.tile("Cost", _show_cost(r, f"{at}.cost_ns_per_cycle"), "a cycle"),
        ]
        if best["worst"]:
            tiles.insert(
                1,
                e.tile(
                    "Error with wrong parameters",
                    _show_percent(r, f"{at}.worst.{_worst_key(best['worst'])}"),
                    escape(_name_error(best["worst"])),
                ),
            )
        parts.append(e.tiles(tiles))
    return "".join(parts)


def _ranking(r: Any) -> str:
    ended = all(c["status"] == "completed" for c in r["candidates"])
    headings = ["", "method", "verdict", "error, mean", "worst phase", "wrong parameters"]
    headings += ["restitution", "energy added", "contacts", "peak force"]
    headings += [] if ended else ["outcome"]
    rows = []
    for i, c in enumerate(r["candidates"]):
        at = f"candidates.{i}"
        worst = (
            f"{_show_worst(r, f'{at}.worst')} <small>({escape(_name_error(c['worst']))})</small>"
            if c["worst"]
            else "has none"
        )
        cells = [
            _show_number(r, f"{at}.rank"),
            f"{escape(c['method'])}<br><small>{escape(c['integrator'])}</small>",
            escape(c["verdict"]["word"]),
            _show_percent(r, f"{at}.error_against_orbit") if c["status"] == "completed" else "",
            _show_worst(r, at),
            worst,
        ]
        cells += [
            _show_number(r, f"{at}.{key}")
            for key in (
                "restitution",
                "energy_added_J",
                "contact_count",
                "peak_force_satellite_N",
            )
        ]
        rows.append([*cells, *([] if ended else [escape(c["status"])])])
    orbit = ["", "on orbit", "", "0", "0", "", _show_number(r, "orbit.restitution"), "0"]
    orbit += [_show_number(r, "orbit.contact_count"), _show_number(r, "orbit.peak_force_N")]
    rows.append([*orbit, *([] if ended else [""])])
    note = (
        "Best first: runs that reached their end, by verdict, by its largest excess over a limit, "
        "then by the energy added. The error is the difference of both "
    )
    note += (
        "satellites' motion from the on-orbit reference, in percent of the approach speed; a run "
        "that stopped early ranks last."
    )
    return e.table(
        "Candidates, best first",
        headings,
        rows,
        strong=[0] if r["candidates"] else [],
        words=(1, 2),
    ) + e.text(note)


def _show_worst(r: Any, at: str) -> str:
    """The worst distance, or the status of a run that stopped."""
    row = e.look_up(r, at)
    if row["status"] != "completed":
        return escape(str(row["status"]))
    return _show_percent(r, f"{at}.{_worst_key(row)}")


def _cost_table(r: Any) -> str:
    order = sorted(
        range(len(r["candidates"])), key=lambda i: r["candidates"][i]["cost_ns_per_cycle"] or 0.0
    )
    rows = [
        [
            escape(r["candidates"][i]["label"]),
            _show_cost(r, f"candidates.{i}.cost_ns_per_cycle"),
            _show_number(r, f"candidates.{i}.cost_ratio_to_direct"),
        ]
        for i in order
    ]
    note = (
        "One cycle of the whole simulated loop on this machine, without recording: the best of "
        "short batches of this scenario's cycles, all "
    )
    note += "candidates in turn. The ratio is to the raw loop with the same integrator."
    return e.table("Cheapest first", ["candidate", "a cycle", f"times {RAW}"], rows) + e.text(note)


def _refused_table(r: Any) -> str:
    rows = [
        [escape(one["method"]), escape(one["integrator"]), escape(one["reason"])]
        for one in r["refused"]
    ]
    return e.table("Could not run", ["method", "integrator", "why"], rows, words=(1, 2))


def _scenario(comparison: Comparison) -> str:
    found = list(
        dict.fromkeys(
            [
                *comparison.results["warnings"],
                *(
                    f"{c['label']}: {w}"
                    for c in comparison.results["candidates"]
                    for w in c["warnings"]
                ),
            ]
        )
    )
    warnings = e.bullets(found, "warnings") if found else ""
    return warnings + e.details(
        "The scenario as compared, every default written out",
        e.listing(to_toml(comparison.scenario.tables)),
    )
