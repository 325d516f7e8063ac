"""The campaign page: result in a sentence, distributions, maps, sensitivity, worst cases."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from html import escape
from typing import Any

from softdock.output.pages.campaign_charts import distribution_charts, map_charts
from softdock.output.pages.campaign_words import (
    ADDED_NOTE,
    BLOCK,
    FEW,
    RATES,
    compare_variants,
    describe_orbit_capture,
    format_interval,
    list_rates,
    summarise,
)
from softdock.output.pages.frame import elements as e
from softdock.output.pages.frame.page import page
from softdock.output.pages.frame.replay import replay
from softdock.results.quantities import format_percent
from softdock.results.scene import Scene
from softdock.results.verdict import ALL_WORDS
from softdock.scenario.files import to_toml
from softdock.studies.campaign.outcome import ACTIVE
from softdock.studies.campaign.outcomes import Outcome, get_heading, list_page_outcomes
from softdock.studies.campaign.variants import Plan

SHOWN_WORST, SHOWN_OF_MANY = 10, 3  # worst cases of each variant; where there are many variants


def _join_variants(r: dict[str, Any], sections: list[str]) -> str:
    """One section for each variant under its name; foldable if there are many."""
    if len(sections) == 1:
        return sections[0]
    named = [(v["label"], html) for v, html in zip(r["variants"], sections, strict=True)]
    return "".join(
        e.details(label, html) if len(named) > FEW else f"<h3>{escape(label)}</h3>{html}"
        for label, html in named
    )


def sensitivity_section(r: dict[str, Any]) -> str:
    if not any(r["sensitivity"]):
        return e.text("Nothing that varies has enough runs to say what matters.", "note")
    note = (
        "Sobol's first-order index: the share of an outcome's variance that goes away when this "
        "one number is known (below zero: noise about zero). "
    )
    note += 'The total index counts interactions too; it needs sampling = "saltelli".'
    return _join_variants(r, [_index_tables(r, i) for i in range(len(r["variants"]))]) + e.text(
        note
    )


def _index_tables(r: dict[str, Any], variant: int) -> str:
    tables, parts = r["sensitivity"][variant], []
    if not tables:
        return e.text(
            "Nothing that varies changes an outcome, or there are too few runs to say.", "note"
        )
    of = f"{r['variants'][variant]['label']}: " if len(r["variants"]) > 1 else ""
    outcomes = list(tables)
    keys = list(dict.fromkeys(row["key"] for rows in tables.values() for row in rows))
    for which, caption in (
        ("first_order", "First-order index: what varies, by outcome"),
        ("total", "Total index: what varies, by outcome"),
    ):
        if which == "total" and all(
            row["total"] is None for rows in tables.values() for row in rows
        ):
            continue
        cells = [
            [
                escape(_name_key(key)),
                *(_format_index(r, variant, outcome, key, which) for outcome in outcomes),
            ]
            for key in keys
        ]
        parts.append(
            e.table(
                f"{of}{caption}",
                ["what varies", *(get_heading(outcome) for outcome in outcomes)],
                cells,
            )
        )
    return "".join(parts)


def _format_index(r: dict[str, Any], variant: int, outcome: str, key: str, which: str) -> str:
    """One sensitivity index with two digits."""
    for i, row in enumerate(r["sensitivity"][variant][outcome]):
        if row["key"] == key and row[which] is not None:
            at, shown = (
                escape(f"sensitivity.{variant}.{outcome}.{i}.{which}"),
                f"{row[which]:.2f}".replace("-0.00", "0.00").replace("-", e.MINUS),
            )
            return (
                f'<span class="number" data-key="{at}" data-value="{row[which]!r}" '
                f'data-block="{BLOCK}">{shown}</span>'
            )
    return e.UNDEFINED


def worst_section(r: dict[str, Any], folder: str) -> str:
    if not r["worst"]:
        return e.text("There are none.", "note")
    return _join_variants(r, [_worst_table(r, v["label"], folder) for v in r["variants"]])


def _worst_table(r: dict[str, Any], label: str, folder: str) -> str:
    several = len(r["variants"]) > FEW
    own = [(i, row) for i, row in enumerate(r["worst"]) if row["variant"] == label][
        : SHOWN_OF_MANY if several else SHOWN_WORST
    ]
    if not own:
        return e.text("There are none.", "note")
    keys = [key for key in own[0][1] if key not in ("run", "variant", "status")]
    rows = []
    for i, row in own:
        at = f"worst.{i}"
        rows.append(
            [
                e.show_number(r, f"{at}.run", block=BLOCK),
                escape(row["status"]),
                *(e.show_number(r, f"{at}.{key}", _unit_of(key), BLOCK) for key in keys),
            ]
        )
    commands = "\n".join(
        f"softdock campaign {shlex.quote(folder)} --replay {row['run']}" for _, row in own
    )
    of = f"{label}: worst" if len(r["variants"]) > 1 else "Worst"
    caption = f"{of} by {get_heading(r['worst_by'])}; runs that stopped come first"
    table = e.table(caption, ["run", "status", *(_name_key(k) for k in keys)], rows, words=(1,))
    return (
        table
        + e.text("Each again by itself, with its page and its series:", "note")
        + e.listing(commands)
    )


def _name_key(key: str) -> str:
    """What an outcome or a parameter that varies is called in a table."""
    heading = get_heading(key)
    return heading if heading != key else e.axis_title(key).partition(" [")[0]


def _unit_of(key: str) -> str | None:
    """Unit of a parameter that varies; None: an outcome, whose key ends in it."""
    if get_heading(key) != key:
        return None
    return e.axis_title(key).partition(" [")[2].removesuffix("]")


MOST_PANELS = 4  # of the replay


def campaign_page(
    plan: Plan, summary: dict[str, Any], folder: str, scenes: Mapping[int, Scene] | None = None
) -> str:
    """The whole page. `folder`: path of the campaign, for the commands. `scenes`: by run, of runs
    whose motion was stored, for the replay."""
    r = summary
    sections = {
        "answer": ("", _answer(r)),
        "variants": ("Methods and integrators", _rates_table(r)),
        "maps": ("Maps", map_charts(r)),
        "distributions": ("Distributions", distribution_charts(r)),
        "sensitivity": ("What matters most", sensitivity_section(r)),
        "worst": ("Worst cases", worst_section(r, folder) + _replay(r, scenes or {})),
        "campaign": ("Campaign", _origin(plan, r)),
    }
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
    return e.show_number(r, key, unit, BLOCK)


def _answer(r: dict[str, Any]) -> str:
    several = len(r["variants"]) > 1
    parts = [e.verdict(r["verdict"])] if r.get("verdict") else []
    if several and not parts:
        parts.append(e.text(compare_variants(r), "plain"))
    if several and any(v.get("verdicts") for v in r["variants"]):
        parts.append(_verdict_table(r))
    else:
        for v in r["variants"]:
            if v.get("requirement"):
                whose = f"{v['label']}: " if several else ""
                parts.append(e.text(whose + v["requirement"]["sentence"], "plain"))
        parts.append(
            e.text(summarise(r), "plain") if several or parts else e.headline(summarise(r))
        )
    tiles = [e.tile("Runs", _shown(r, "runs"), "")]
    if not several:
        return "".join(parts) + e.tiles([*tiles, *_tiles(r, 0)]) + _sample_note(r)
    parts.append(e.tiles(tiles))
    if len(r["variants"]) <= FEW:  # else the table of variants says it
        parts += [
            f"<h3>{escape(v['label'])}</h3>{e.tiles(_tiles(r, i))}"
            for i, v in enumerate(r["variants"])
        ]
    return "".join(parts) + _sample_note(r)


def _verdict_table(r: dict[str, Any]) -> str:
    """Verdicts and requirement of every variant, one row each."""
    required = any(v.get("requirement") for v in r["variants"])
    headings = ["variant", "verdict", *ALL_WORDS, *(["requirement"] if required else [])]
    words_by_variant = {one["variant"]: one["word"] for one in r["verdict"]["variants"]}
    rows = []
    for i, v in enumerate(r["variants"]):
        counts = [_shown(r, f"variants.{i}.verdicts.{word}", "") for word in ALL_WORDS]
        row = [escape(v["label"]), escape(words_by_variant[v["label"]]), *counts]
        if required:
            row.append(escape(v["requirement"]["sentence"].removeprefix("Requirement: ")))
        rows.append(row)
    words = (1, len(headings) - 1) if required else (1,)
    return e.table("Runs of each variant", headings, rows, words=words)


def _sample_note(r: dict[str, Any]) -> str:
    if r["runs_read"] >= r["runs"]:
        return ""
    return e.text(
        "Rates and worst cases are of all runs; distributions, maps and sensitivity of "
        f"{r['runs_read']} picked evenly.",
        "note",
    )


def _tiles(r: dict[str, Any], variant: int) -> list[str]:
    """Key numbers of one variant."""
    v, at, tiles = r["variants"][variant], f"variants.{variant}", []
    if v["capture_rate"] is not None:
        tiles.append(
            e.tile(
                "Captured",
                _format_share(r, f"{at}.capture_rate"),
                "; ".join(
                    one for one in (format_interval(v, "capture"), describe_orbit_capture(v)) if one
                )
                or "of all runs",
            )
        )
    if v["within_limit_rate"] is not None:
        beside = [
            f"error of at most {format_percent(r['error_limit'])}",
            format_interval(v, "within_limit"),
        ]
        beside.append(
            f"{format_percent(v['no_contact_rate'])} never touch" if v["no_contact_rate"] else ""
        )
        tiles.append(
            e.tile(
                "Within limit",
                _format_share(r, f"{at}.within_limit_rate"),
                "; ".join(one for one in beside if one),
            )
        )
    for one in _list_quantiles(r):
        if one.quantile and one.quantile.tile:
            most = f"{_shown(r, f'{at}.{one.name}_most', one.unit)} at most"
            tiles.append(e.tile(one.quantile.tile, _format_quantile(r, at, one), most))
    return tiles


def _list_quantiles(r: dict[str, Any]) -> list[Outcome]:
    """Outcomes whose 95 % quantile is shown; those relative to the reference only if it was
    simulated."""
    has_reference = r["error_limit"] is not None
    return list_page_outcomes(lambda one: one.quantile and (has_reference or not one.of_orbit))


def _format_quantile(r: dict[str, Any], at: str, one: Outcome) -> str:
    key = f"{at}.{one.name}_95"
    return (
        _format_share(r, key)
        if one.quantile and one.quantile.is_share
        else _shown(r, key, one.unit)
    )


def _format_share(r: Any, key: str) -> str:
    value = e.look_up(r, key)
    if value is None:
        return e.UNDEFINED
    return (
        f'<span class="number" data-key="{escape(key)}" data-value="{value!r}" '
        f'data-block="{BLOCK}">{e.format_number(100.0 * value, 3)} %</span>'
    )


def _rates_table(r: dict[str, Any]) -> str:
    rates = list_rates(r)
    headings = ["variant", "runs", *(RATES[name] for name in rates)]
    headings += [one.quantile.heading for one in _list_quantiles(r) if one.quantile]
    rows = []
    for i, v in enumerate(r["variants"]):
        at = f"variants.{i}"
        shares = [_format_share(r, f"{at}.{name}_rate") for name in rates]
        numbers = [_format_quantile(r, at, one) for one in _list_quantiles(r)]
        rows.append([escape(v["label"]), _shown(r, f"{at}.runs"), *shares, *numbers])
    parts = [e.table("Rates and 95 % quantiles", headings, rows)]
    if r["refused"]:
        parts.append(e.bullets([f"Could not run: {one}" for one in r["refused"]], "warnings"))
    note = (
        f"Adds energy: more than {format_percent(ACTIVE)} of the energy at its start. "
        "Stopped: it diverged, or a limit ended it. "
    )
    note += (
        ADDED_NOTE
        + " Intervals are given for independent draws; grids and evenly spread designs have none."
    )
    if r["error_limit"] is None:
        note += (
            " Fidelity was not evaluated: set `reference = true` to simulate the on-orbit case for "
            "every run."
        )
    else:
        note += (
            f" Within limit: an error of at most {format_percent(r['error_limit'])} after the last "
            "contact; runs without a contact count, too."
        )
        note += " No error defined: a contact was under way at the end, the reference stopped, or "
        note += "nothing approached."
    return "".join(parts) + e.text(note)


def _replay(r: dict[str, Any], scenes: Mapping[int, Scene]) -> str:
    """Replay of the worst stored runs, side by side; if none are stored, how to store some."""
    worst = [scenes[row["run"]] for row in r["worst"] if row["run"] in scenes]
    panels = (worst or list(scenes.values()))[:MOST_PANELS]
    if not panels:
        how = (
            "With `worst = 4` under [trajectories] in the campaign file, the worst runs are "
            "replayed here."
        )
        return e.text(how) if r["worst"] else ""
    title = "The worst cases, side by side" if worst else "Runs whose motion was stored"
    caption = "Arrows of all panels are in one scale."
    if r.get("flown_again"):
        title = "The worst cases, simulated again for this page"
        runs = ", ".join(str(run) for run in r["flown_again"])
        caption = (
            f"Runs {runs}, each simulated once more; the numbers above are the campaign's own. "
            f"{caption} `worst = 0` under [trajectories] in the campaign file leaves them out."
        )
    return replay("campaign", panels, title, caption, charts=False)


def _origin(plan: Plan, r: dict[str, Any]) -> str:
    parts = []
    spent = r["spent"]
    if spent:
        sentence = (
            f"{spent['runs']} runs in {spent['wall_s']:.3g} s on {spent['machine']}, "
            f"{spent['cycles_per_s']:.3g} cycles a second."
        )
        if spent["runs_per_s_without_orbit"]:
            sentence += (
                f" {spent['runs_per_s']:.3g} runs a second with the on-orbit reference, "
                f"{spent['runs_per_s_without_orbit']:.3g} without it"
            )
            sentence += f" ({spent['orbits_flown']} different references)."
        parts.append(e.text(sentence, "plain"))
    parts.append(e.details("The campaign file", e.listing(to_toml(plan.spec.tables))))
    parts.append(
        e.details(
            "The base scenario, every default written out", e.listing(to_toml(plan.base.tables))
        )
    )
    return "".join(parts)
