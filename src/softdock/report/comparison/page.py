"""The comparison page: what to use, the candidates ranked, their curves over orbit's, what each
must know and what an error in that costs."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from softdock.comparison.knowledge import ERRORS_PERCENT, WORDS
from softdock.report.frame import elements as e
from softdock.report.frame.charts import ROLES, Line, Window, chart, scaled
from softdock.report.frame.page import page
from softdock.scenario.files import to_toml

if TYPE_CHECKING:
    from softdock.comparison.result import Comparison

MINUS = "\N{MINUS SIGN}"
BLOCK = "comparison"  # id of the page's JSON
MOST_SHOWN = 5  # curves drawn at once; the others wait in the legend
AXES = {"gap": "gap", "off": "distance", "force": "force", "energy": "energy"}
CODE_WARNING = "This comparison ran the user's own code: "


def comparison_page(comparison: Comparison) -> str:
    """The whole page."""
    r = comparison.results
    sections = {
        "answer": ("", _answer(comparison)),
        "ranking": ("Ranking", _ranking(r)),
        "curves": ("Curves", _charts(comparison)),
        "knowledge": ("What each must know", _knowledge(r)),
        "costs": ("Cost per cycle", _costs(r)),
        "not-run": ("What could not run", _refused(r)),
        "scenario": ("Scenario", _scenario(comparison)),
    }
    if not r["refused"]:
        del sections["not-run"]
    count = f"{len(r['candidates'])} candidate" + ("" if len(r["candidates"]) == 1 else "s")
    phases = f", means over {r['phases']} sampling phases" if r["phases"] > 1 else ""
    lead = f"{r['description'] or r['scenario']}. {count} against orbit{phases}."
    return page(f"Comparison: {r['scenario']}", lead, sections, {BLOCK: r})


def _shown(r: Any, key: str) -> str:
    return e.shown(r, key, block=BLOCK)


def _cost(r: Any, key: str) -> str:
    return e.shown(r, key, "ns", BLOCK)


def _percent(r: Any, key: str) -> str:
    """A distance from orbit, in percent of the approach; the attribute holds the number itself."""
    value = e.look_up(r, key)
    if value is None:
        return e.UNDEFINED
    return (
        f'<span class="number" data-key="{escape(key)}" data-value="{json.dumps(value)}" '
        f'data-block="{BLOCK}">{e.number(100.0 * value, 3)} %</span>'
    )


def _answer(comparison: Comparison) -> str:
    r = comparison.results
    first, *rest = re.split(r"(?<=\.) (?=[A-Z])", r["recommendation"])
    parts = [e.verdict(first), e.text(" ".join(rest), "plain") if rest else ""]
    if r["candidates"] and r.get("paste"):
        best = r["candidates"][0]["judgement"]
        parts = [e.judgement({**best, "next_step": ""}), e.text(r["recommendation"], "plain")]
        parts.append(e.folded("Paste this into the scenario", e.listing(r["paste"])))
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
        orbit = _shown(r, "orbit.restitution")
        best = r["candidates"][0]
        raw = next(
            (f"candidates.{i}" for i, c in enumerate(r["candidates"]) if c["method"] == "direct"),
            "",
        )
        known = (
            raw not in ("", "candidates.0")
            and e.look_up(r, f"{raw}.distance_from_orbit") is not None
        )
        beside = f"{_percent(r, f'{raw}.distance_from_orbit')} with the raw loop" if known else ""
        at = "candidates.0"
        tiles = [
            e.tile(
                "Best: distance from orbit",
                _percent(r, f"{at}.distance_from_orbit"),
                beside,
                "0 is orbit, 100 % is as far as the approach itself",
            ),
            e.tile("Restitution", _shown(r, f"{at}.restitution"), f"{orbit} in orbit"),
            e.tile("Energy invented", _shown(r, f"{at}.energy_invented_J"), "0 in orbit"),
            e.tile("Cost", _cost(r, f"{at}.cost_ns_per_cycle"), "a cycle"),
        ]
        if best["worst"]:
            tiles.insert(
                1,
                e.tile(
                    "Worst with wrong knowledge",
                    _percent(r, f"{at}.worst.distance_from_orbit"),
                    escape(_error_name(best["worst"])),
                ),
            )
        parts.append(e.tiles(tiles))
    return "".join(parts)


def _ranking(r: Any) -> str:
    headings = [
        "",
        "method",
        "integrator",
        "verdict",
        "distance from orbit, mean",
        "worst of the phases",
        "with wrong knowledge",
        "restitution",
        "energy invented",
        "energy ratio",
    ]
    headings += ["contacts", "peak force", "outcome"]
    rows = []
    for i, c in enumerate(r["candidates"]):
        at = f"candidates.{i}"
        worst = (
            f"{_percent(r, f'{at}.worst.distance_from_orbit')} "
            f"<small>({escape(_error_name(c['worst']))})</small>"
            if c["worst"]
            else "needs none"
        )
        cells = [
            _shown(r, f"{at}.rank"),
            escape(c["method"]),
            escape(c["integrator"]),
            escape(c["judgement"]["word"]),
            _percent(r, f"{at}.distance_from_orbit"),
            _percent(r, f"{at}.distance_from_orbit_worst"),
            worst,
        ]
        cells += [
            _shown(r, f"{at}.{key}")
            for key in (
                "restitution",
                "energy_invented_J",
                "energy_ratio",
                "contact_count",
                "peak_force_satellite_N",
            )
        ]
        rows.append([*cells, escape(c["status"])])
    orbit = ["", "orbit", "", "", "0", "0", "", _shown(r, "orbit.restitution"), "0", ""]
    rows.append([*orbit, _shown(r, "orbit.contact_count"), _shown(r, "orbit.peak_force_N"), ""])
    note = (
        "Best first: runs that reached their end, by verdict, by the worst distance from orbit, "
        "then by the size of the invented energy. Distance from orbit is that of both "
    )
    note += (
        "satellites' motion after the last contact, and the worse of that and the end of the run, "
        "in percent of the approach; a run that stopped early ranks last."
    )
    return e.table(
        "Candidates, best first",
        headings,
        rows,
        strong=[0] if r["candidates"] else [],
        words=(1, 2, 3),
    ) + e.text(note)


def _error_name(error: dict[str, Any]) -> str:
    return f"{WORDS[error['kind']]} {error['error_percent']:+g} %".replace("-", MINUS)


def shown_first(candidates: Sequence[dict[str, Any]]) -> set[str]:
    """Labels of the curves drawn at once: the best of each method, then whatever ranks next."""
    candidates = [c for c in candidates if c["status"] == "completed"] or candidates
    best = {c["method"]: c["label"] for c in reversed(candidates)}
    order = [c["label"] for c in candidates if c["label"] in best.values()]
    order += [c["label"] for c in candidates if c["label"] not in order]
    return set(order[:MOST_SHOWN])


def _charts(comparison: Comparison) -> str:
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


def _knowledge(r: Any) -> str:
    told: dict[str, Any] = {}
    for c in r["candidates"]:
        told.setdefault(c["method"], c)
    rows = [
        [escape(name), escape(c["summary"]), escape(c["knows"]), _settings(c)]
        for name, c in told.items()
    ]
    parts = [
        e.table(
            "Methods",
            ["method", "what it does", "what it must be told", "told here"],
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
                "No candidate believes anything that could be wrong: there are no errors of "
                "knowledge to show.",
                "note",
            )
        )
    else:
        parts.append(
            e.text(
                "Only what is believed changes in these runs, never the rig: one kind of "
                "error at a time, on every belief of that kind.",
                "note",
            )
        )
    return "".join(parts)


def _settings(candidate: dict[str, Any]) -> str:
    items = [
        f"{key} = {e.number(value, 6)}"
        for entry in candidate["settings"]
        for key, value in entry.items()
        if key != "name"
    ]
    return "<br>".join(escape(item) for item in items) or e.UNDEFINED


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
                cells.append(_percent(r, f"candidates.{i}.distance_from_orbit"))
            elif errors[j]["status"] != "completed":
                cells.append(
                    "<span "
                    f'title="{escape(errors[j]["reason"])}">{escape(errors[j]["status"])}</span>'
                )
            else:
                cells.append(
                    _percent(r, f"candidates.{i}.knowledge_errors.{j}.distance_from_orbit")
                )
        rows.append(cells)
    headings = ["candidate", *(f"{p:+g} %".replace("-", MINUS) if p else "right" for p in columns)]
    return e.table(f"Distance from orbit when {WORDS[kind]} is believed wrongly", headings, rows)


def _costs(r: Any) -> str:
    order = sorted(
        range(len(r["candidates"])), key=lambda i: r["candidates"][i]["cost_ns_per_cycle"] or 0.0
    )
    rows = [
        [
            escape(r["candidates"][i]["label"]),
            _cost(r, f"candidates.{i}.cost_ns_per_cycle"),
            _shown(r, f"candidates.{i}.cost_ratio_to_direct"),
        ]
        for i in order
    ]
    note = (
        "One cycle of the whole simulated loop on this machine, without recording: the best of "
        "short batches of this scenario's cycles, all "
    )
    note += "candidates in turn. The ratio is to the raw loop with the same integrator."
    return e.table("Cheapest first", ["candidate", "a cycle", "times direct"], rows) + e.text(note)


def _refused(r: Any) -> str:
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
    return warnings + e.folded(
        "The scenario as compared, every default written out",
        e.listing(to_toml(comparison.scenario.tables)),
    )
