"""The campaign page: what came out in a sentence, distributions, maps, the envelope of honest
operation, what matters most, the worst cases."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from softdock.analysis.judgement import ALL_WORDS
from softdock.campaign.outcome_columns import ACTIVE
from softdock.campaign.outcomes import Outcome, heading, on_page
from softdock.campaign.precision import said as said_of_precision
from softdock.campaign.variants import Plan
from softdock.report.campaign.charts import distribution_charts
from softdock.report.campaign.maps import map_charts
from softdock.report.campaign.rankings import sensitivity_section, worst_section
from softdock.report.campaign.words import (
    BLOCK,
    FEW,
    INVENTED,
    RATES,
    answer,
    headline,
    interval,
    percent,
    rates_of,
)
from softdock.report.frame import elements as e
from softdock.report.frame.page import page
from softdock.report.frame.replay import replay
from softdock.scenario.files import to_toml
from softdock.scene import Scene

MOST_PANELS = 4  # of the replay


def campaign_page(
    plan: Plan, summary: dict[str, Any], folder: str, scenes: Mapping[int, Scene] | None = None
) -> str:
    """The whole page. `folder`: where the campaign lies, for the commands. `scenes`: of runs whose
    motion was kept, for the replay."""
    r = summary
    sections = {
        "answer": ("", _answer(r)),
        "variants": ("Methods and integrators", _variants(r)),
        "maps": ("Maps", map_charts(r)),
        "distributions": ("Distributions", distribution_charts(r)),
        "sensitivity": ("What matters most", sensitivity_section(r)),
        "worst": ("Worst cases", worst_section(r, folder) + _replay(r, scenes or {})),
        "precision": ("Single precision", _precision(r)),
        "campaign": ("Campaign", _campaign(plan, r)),
    }
    if "precision" not in r:
        del sections["precision"]
    if not r["maps"]:
        del sections["maps"]
    lead = f"{r['description'] or r['scenario']}. {r['runs']} runs of {r['scenario']}."
    return page(
        f"Campaign: {r['name']}",
        lead,
        sections,
        {BLOCK: {key: value for key, value in r.items() if key not in ("maps", "distributions")}},
    )


def _shown(r: Any, key: str, unit: str | None = None) -> str:
    return e.shown(r, key, unit, BLOCK)


def _answer(r: dict[str, Any]) -> str:
    several = len(r["variants"]) > 1
    parts = [e.judgement(r["judgement"])] if r.get("judgement") else []
    if several and not parts:
        parts.append(e.verdict(headline(r)))
    if several and any(v.get("judged") for v in r["variants"]):
        parts.append(_by_variant(r))
    else:
        for v in r["variants"]:
            if v.get("requirement"):
                whose = f"{v['label']}: " if several else ""
                parts.append(e.text(whose + v["requirement"]["sentence"], "plain"))
        parts.append(e.text(answer(r), "plain") if several or parts else e.verdict(answer(r)))
    tiles = [e.tile("Runs", _shown(r, "runs"), "")]
    if r["spent"]:
        tiles.append(
            e.tile(
                "Runs a second", _shown(r, "spent.runs_per_s", ""), escape(r["spent"]["machine"])
            )
        )
    if not several:
        return "".join(parts) + e.tiles([tiles[0], *_tiles(r, 0), *tiles[1:]]) + _read(r)
    parts.append(e.tiles(tiles))
    if len(r["variants"]) <= FEW:  # else the table of variants says it
        parts += [
            f"<h3>{escape(v['label'])}</h3>{e.tiles(_tiles(r, i))}"
            for i, v in enumerate(r["variants"])
        ]
    return "".join(parts) + _read(r)


def _by_variant(r: dict[str, Any]) -> str:
    """Verdicts and requirement of every variant, a row each."""
    required = any(v.get("requirement") for v in r["variants"])
    headings = ["variant", "verdict", *ALL_WORDS, *(["requirement"] if required else [])]
    said = {one["variant"]: one["word"] for one in r["judgement"]["variants"]}
    rows = []
    for i, v in enumerate(r["variants"]):
        counts = [_shown(r, f"variants.{i}.judged.{word}", "") for word in ALL_WORDS]
        row = [escape(v["label"]), escape(said[v["label"]]), *counts]
        if required:
            row.append(escape(v["requirement"]["sentence"].removeprefix("Requirement: ")))
        rows.append(row)
    words = (1, len(headings) - 1) if required else (1,)
    return e.table("Runs of each variant", headings, rows, words=words)


def _read(r: dict[str, Any]) -> str:
    if r["runs_read"] >= r["runs"]:
        return ""
    return e.text(
        "Rates and worst cases are of all runs; distributions, maps and sensitivity of "
        f"{r['runs_read']} picked evenly.",
        "note",
    )


def _tiles(r: dict[str, Any], variant: int) -> list[str]:
    """The key numbers of one variant."""
    v, at, tiles = r["variants"][variant], f"variants.{variant}", []
    if v["capture_rate"] is not None:
        tiles.append(
            e.tile(
                "Captured",
                _share(r, f"{at}.capture_rate"),
                interval(v, "capture") or "share of the design's runs",
            )
        )
    if v["honest_rate"] is not None:
        beside = [f"within {percent(r['honest_below'])} of orbit", interval(v, "honest")]
        beside.append(
            f"{percent(v['no_contact_rate'])} never touched" if v["no_contact_rate"] else ""
        )
        tiles.append(
            e.tile(
                "Honest", _share(r, f"{at}.honest_rate"), "; ".join(one for one in beside if one)
            )
        )
    for one in _quantiles(r):
        if one.quantile and one.quantile.tile:
            most = f"{_shown(r, f'{at}.{one.name}_most', one.unit)} at most"
            tiles.append(e.tile(one.quantile.tile, _quantile(r, at, one), most))
    return tiles


def _quantiles(r: dict[str, Any]) -> list[Outcome]:
    """Outcomes whose 95 % quantile is shown; orbit's where it was flown."""
    flown = r["honest_below"] is not None
    return on_page(lambda one: one.quantile and (flown or not one.of_orbit))


def _quantile(r: dict[str, Any], at: str, one: Outcome) -> str:
    key = f"{at}.{one.name}_95"
    return _share(r, key) if one.quantile and one.quantile.is_share else _shown(r, key, one.unit)


def _share(r: Any, key: str) -> str:
    value = e.look_up(r, key)
    if value is None:
        return e.UNDEFINED
    return (
        f'<span class="number" data-key="{escape(key)}" data-value="{value!r}" '
        f'data-block="{BLOCK}">{e.number(100.0 * value, 3)} %</span>'
    )


def _variants(r: dict[str, Any]) -> str:
    rates = rates_of(r)
    headings = ["variant", "runs", *(RATES[name] for name in rates)]
    headings += [one.quantile.heading for one in _quantiles(r) if one.quantile]
    rows = []
    for i, v in enumerate(r["variants"]):
        at = f"variants.{i}"
        shares = [_share(r, f"{at}.{name}_rate") for name in rates]
        numbers = [_quantile(r, at, one) for one in _quantiles(r)]
        rows.append([escape(v["label"]), _shown(r, f"{at}.runs"), *shares, *numbers])
    parts = [e.table("Rates and 95 % quantiles", headings, rows)]
    if r["refused"]:
        parts.append(e.bullets([f"could not run: {one}" for one in r["refused"]], "warnings"))
    note = (
        f"Active: a run that invented more than {percent(ACTIVE)} of the energy at its start. "
        "Stopped: it diverged, or a limit ended it. "
    )
    note += (
        INVENTED + " Intervals are given where runs are independent draws; shares of grids and of "
        "evenly spread designs have none."
    )
    if r["honest_below"] is None:
        note += " Honest, from orbit: orbit was not flown beside these runs (reference = true)."
    else:
        note += (
            f" Honest: within {percent(r['honest_below'])} of orbit after the last contact; runs "
            "without a contact count, too."
        )
        note += " No statement: a contact was on at the end, orbit stopped, or nothing approached."
    return "".join(parts) + e.text(note)


def _replay(r: dict[str, Any], scenes: Mapping[int, Scene]) -> str:
    """The worst of the runs whose motion is there, side by side; how to keep some where there are
    none."""
    worst = [scenes[row["run"]] for row in r["worst"] if row["run"] in scenes]
    shown = (worst or list(scenes.values()))[:MOST_PANELS]
    if not shown:
        how = (
            "With `worst = 4` under [trajectories] in the campaign file, the worst runs are "
            "replayed here."
        )
        return e.text(how) if r["worst"] else ""
    title = "The worst cases, side by side" if worst else "Runs whose motion was kept"
    said = "Arrows of all panels are in one scale."
    if r.get("flown_again"):
        title = "The worst cases, flown again for this page"
        runs = ", ".join(str(run) for run in r["flown_again"])
        said = (
            f"Runs {runs}, each flown once more by itself, in double precision; the numbers above "
            f"are the campaign's own. {said} [trajectories] in the campaign file says otherwise: "
            "`worst = 0` flies none."
        )
    return replay("campaign", shown, title, said, charts=False)


def _precision(r: dict[str, Any]) -> str:
    """How far the runs in single precision are from double, of those made again."""
    if "precision" not in r:
        return ""
    found, rows = r["precision"], []
    for i, row in enumerate(found["rows"]):
        at = f"precision.rows.{i}"
        unit = e.unit_of(row["outcome"])
        of = (
            heading(row["relative_to"])
            if row["relative_to"]
            else f"as it is{f' [{unit}]' if unit else ''}"
        )
        numbers = [_shown(r, f"{at}.{name}", "") for name in ("median", "quantile_95", "most")]
        rows.append(
            [
                escape(heading(row["outcome"])),
                escape(of),
                _shown(r, f"{at}.runs"),
                *numbers,
            ]
        )
    parts = [e.text(said_of_precision(found), "plain")]
    if found["decided_runs"]:
        listed = ", ".join(str(run) for run in found["decided_runs"])
        more = " ..." if found["decided_by_rounding"] > len(found["decided_runs"]) else ""
        parts.append(e.text(f"Runs that rounding decided otherwise: {listed}{more}."))
    headings = ["outcome", "difference relative to", "runs", "median", "95 %", "largest"]
    parts.append(
        e.table(
            "Differences between single and double precision, of runs with equal status, "
            "contacts and capture",
            headings,
            rows,
            words=(1,),
        )
    )
    return "".join(parts) + e.text(
        "Replays and kept trajectories are made in double precision.", "note"
    )


def _campaign(plan: Plan, r: dict[str, Any]) -> str:
    parts = []
    spent = r["spent"]
    if spent:
        said = (
            f"{spent['runs']} runs, {spent['cycles']:.4g} cycles in {spent['wall_s']:.4g} s on "
            f"{spent['machine']}: "
        )
        said += f"{spent['cycles_per_s']:.3g} cycles a second."
        if spent["runs_per_s_without_orbit"]:
            said += (
                f" {spent['runs_per_s']:.4g} runs a second with orbit's reference, "
                f"{spent['runs_per_s_without_orbit']:.4g} without it"
            )
            said += f" ({spent['orbits_flown']} different orbits)."
        parts.append(e.text(said, "plain"))
    parts.append(e.folded("The campaign file", e.listing(to_toml(plan.spec.tables))))
    parts.append(
        e.folded(
            "The base scenario, every default written out", e.listing(to_toml(plan.base.tables))
        )
    )
    return "".join(parts)
