"""The comparison page: what to use, the candidates ranked, their curves over orbit's, what each
must know and what an error in that costs."""

from __future__ import annotations

import re
from html import escape
from typing import Any

from softdock.comparison.result import Comparison
from softdock.core.adaptation.registry import RAW
from softdock.report.comparison.bars import bars
from softdock.report.comparison.charts import curve_charts, shown_first
from softdock.report.comparison.knowledge import knowledge_section
from softdock.report.comparison.numbers import (
    BLOCK,
    cost_at,
    error_name,
    number_at,
    percent_at,
)
from softdock.report.frame import elements as e
from softdock.report.frame.page import page
from softdock.report.frame.replay import replay
from softdock.scenario.files import to_toml

CODE_WARNING = "This comparison ran the user's own code: "


MOST_PANELS = 4  # of the replay, orbit among them
WORST = "distance_from_orbit_worst"  # over the phases, after the contacts or at the end


def comparison_page(comparison: Comparison) -> str:
    """The whole page."""
    r = comparison.results
    sections = {
        "answer": ("", _answer(comparison)),
        "replay": ("Replay", _replay(comparison)),
        "ranking": ("Ranking", bars(r) + _ranking(r)),
        "curves": ("Curves", curve_charts(comparison)),
        "knowledge": ("What each must know", knowledge_section(r)),
        "costs": ("Cost per cycle", _costs(r)),
        "not-run": ("What could not run", _refused(r)),
        "scenario": ("Scenario", _scenario(comparison)),
    }
    if not r["refused"]:
        del sections["not-run"]
    if not sections["replay"][1]:
        del sections["replay"]
    count = f"{len(r['candidates'])} candidate" + ("" if len(r["candidates"]) == 1 else "s")
    phases = f", means over {r['phases']} sampling phases" if r["phases"] > 1 else ""
    lead = f"{r['description'] or r['scenario']}. {count} against orbit{phases}."
    return page(f"Comparison: {r['scenario']}", lead, sections, {BLOCK: r})


def _replay(comparison: Comparison) -> str:
    """Orbit and the best of the methods, in step."""
    shown = shown_first(comparison.results["candidates"])
    orbit, *others = comparison.curves
    best = [curve.scene for curve in others if curve.label in shown and curve.scene is not None]
    scenes = [orbit.scene, *best] if orbit.scene is not None else best
    title = "Orbit and the best candidates, side by side"
    caption = (
        "Arrows of all panels are in one scale. A line in the charts below is the replay's time; "
        "a click there takes it to that time."
    )
    return replay("comparison", scenes[:MOST_PANELS], title, caption)


def _worst_key(row: Any) -> str:
    """The distance by which a row is ranked."""
    return WORST if row.get(WORST) is not None else "distance_from_orbit"


def _answer(comparison: Comparison) -> str:
    r = comparison.results
    first, *rest = re.split(r"(?<=\.) (?=[A-Z])", r["recommendation"])
    parts = [e.verdict(first), e.text(" ".join(rest), "plain") if rest else ""]
    if r["candidates"] and r.get("paste"):
        best = r["candidates"][0]["judgement"]
        parts = [e.judgement({**best, "next_step": ""}), e.text(r["recommendation"], "plain")]
        parts.append(e.folded("Paste this into the scenario", e.listing(r["paste"]), opened=True))
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
        orbit = number_at(r, "orbit.restitution")
        best = r["candidates"][0]
        raw = next(
            (f"candidates.{i}" for i, c in enumerate(r["candidates"]) if c["method"] == RAW),
            "",
        )
        known = raw not in ("", "candidates.0") and e.look_up(r, f"{raw}.{WORST}") is not None
        beside = f"{percent_at(r, f'{raw}.{WORST}')} with the raw loop" if known else ""
        at = "candidates.0"
        tiles = [
            e.tile(
                "Best: distance from orbit, worst phase",
                percent_at(r, f"{at}.{WORST}"),
                beside,
                "0 is orbit, 100 % is as far as the approach itself",
            ),
            e.tile("Restitution", number_at(r, f"{at}.restitution"), f"{orbit} in orbit"),
            e.tile("Energy invented", number_at(r, f"{at}.energy_invented_J"), "0 in orbit"),
            e.tile("Cost", cost_at(r, f"{at}.cost_ns_per_cycle"), "a cycle"),
        ]
        if best["worst"]:
            tiles.insert(
                1,
                e.tile(
                    "Worst with wrong knowledge",
                    percent_at(r, f"{at}.worst.{_worst_key(best['worst'])}"),
                    escape(error_name(best["worst"])),
                ),
            )
        parts.append(e.tiles(tiles))
    return "".join(parts)


def _ranking(r: Any) -> str:
    ended = all(c["status"] == "completed" for c in r["candidates"])
    headings = ["", "method", "verdict", "from orbit, mean", "worst phase", "with wrong knowledge"]
    headings += ["restitution", "energy invented", "contacts", "peak force"]
    headings += [] if ended else ["outcome"]
    rows = []
    for i, c in enumerate(r["candidates"]):
        at = f"candidates.{i}"
        worst = (
            f"{_far_at(r, f'{at}.worst')} <small>({escape(error_name(c['worst']))})</small>"
            if c["worst"]
            else "needs none"
        )
        cells = [
            number_at(r, f"{at}.rank"),
            f"{escape(c['method'])}<br><small>{escape(c['integrator'])}</small>",
            escape(c["judgement"]["word"]),
            percent_at(r, f"{at}.distance_from_orbit") if c["status"] == "completed" else "",
            _far_at(r, at),
            worst,
        ]
        cells += [
            number_at(r, f"{at}.{key}")
            for key in (
                "restitution",
                "energy_invented_J",
                "contact_count",
                "peak_force_satellite_N",
            )
        ]
        rows.append([*cells, *([] if ended else [escape(c["status"])])])
    orbit = ["", "orbit", "", "0", "0", "", number_at(r, "orbit.restitution"), "0"]
    orbit += [number_at(r, "orbit.contact_count"), number_at(r, "orbit.peak_force_N")]
    rows.append([*orbit, *([] if ended else [""])])
    note = (
        "Best first: runs that reached their end, by verdict, by its largest excess over a bound, "
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
        words=(1, 2),
    ) + e.text(note)


def _far_at(r: Any, at: str) -> str:
    """The worst distance, or why the run stopped."""
    row = e.look_up(r, at)
    if row["status"] != "completed":
        return escape(str(row["status"]))
    return percent_at(r, f"{at}.{_worst_key(row)}")


def _costs(r: Any) -> str:
    order = sorted(
        range(len(r["candidates"])), key=lambda i: r["candidates"][i]["cost_ns_per_cycle"] or 0.0
    )
    rows = [
        [
            escape(r["candidates"][i]["label"]),
            cost_at(r, f"candidates.{i}.cost_ns_per_cycle"),
            number_at(r, f"candidates.{i}.cost_ratio_to_direct"),
        ]
        for i in order
    ]
    note = (
        "One cycle of the whole simulated loop on this machine, without recording: the best of "
        "short batches of this scenario's cycles, all "
    )
    note += "candidates in turn. The ratio is to the raw loop with the same integrator."
    return e.table("Cheapest first", ["candidate", "a cycle", f"times {RAW}"], rows) + e.text(note)


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
