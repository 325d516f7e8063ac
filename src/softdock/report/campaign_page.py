"""The campaign page: what came out in a sentence, distributions, maps, the envelope of honest operation, what matters most, the worst cases."""

from __future__ import annotations

import shlex
from html import escape
from typing import TYPE_CHECKING, Any

from softdock.campaign.outcomes import ACTIVE
from softdock.report import elements as e
from softdock.report.campaign_charts import distribution_charts
from softdock.report.campaign_maps import map_charts
from softdock.report.page import page
from softdock.scenario.files import to_toml

if TYPE_CHECKING:
    from softdock.campaign.plan import Plan

BLOCK = "campaign"  # id of the page's JSON
FEW = 3  # variants that have a sentence each
RATES = {"capture": "captured", "honest": "honest", "no_statement": "no statement", "active": "active", "stopped": "stopped"}
HEADINGS = {
    "peak_force_real_N": "peak force",
    "peak_torque_real_Nm": "peak torque",
    "restitution": "restitution of the first contact",
    "energy_invented_share": "energy invented, of that at the start",
    "energy_invented_J": "energy invented",
    "observed_J": "energy observed",
    "kinetic_start_J": "energy at the start",
    "kinetic_end_J": "energy at the end",
    "contacts": "contacts",
    "captured": "captured",
    "captured_at_s": "time of capture",
    "distance_from_orbit": "distance from orbit",
}


def campaign_page(plan: Plan, summary: dict[str, Any], folder: str) -> str:
    """The whole page. `folder`: where the campaign lies, for the commands."""
    r = summary
    sections = {
        "answer": ("", _answer(r)),
        "variants": ("Methods and integrators", _variants(r)),
        "maps": ("Maps", map_charts(r)),
        "distributions": ("Distributions", distribution_charts(r, HEADINGS)),
        "sensitivity": ("What matters most", _sensitivity(r)),
        "worst": ("Worst cases", _worst(r, folder)),
        "precision": ("Single precision", _precision(r)),
        "campaign": ("Campaign", _campaign(plan, r)),
    }
    if "precision" not in r:
        del sections["precision"]
    if not r["maps"]:
        del sections["maps"]
    lead = f"{r['description'] or r['scenario']}. {r['runs']} runs of {r['scenario']}."
    return page(f"Campaign: {r['name']}", lead, sections, {BLOCK: {key: value for key, value in r.items() if key not in ("maps", "distributions")}})


def answer(r: dict[str, Any]) -> str:
    """What came out, in a sentence or two."""
    if len(r["variants"]) > FEW:
        return _ranges(r)
    parts = []
    for v in r["variants"]:
        said = []
        if v["capture_rate"] is not None:
            said.append(f"{_percent(v['capture_rate'])} captured{_interval(v)}")
        if v["honest_rate"] is not None:
            said.append(f"{_percent(v['honest_rate'])} within {_percent(r['honest_below'])} of orbit")
        if v["no_statement_rate"]:
            said.append(f"{_percent(v['no_statement_rate'])} no statement on that, because a contact was on at the end")
        said.append(f"{_percent(v['active_rate'])} invented more than {_percent(ACTIVE)} of their energy")
        if v["stopped_rate"]:
            said.append(f"{_percent(v['stopped_rate'])} stopped early")
        whose = f"{v['label']}: " if len(r["variants"]) > 1 else ""
        of = f"of {v['runs']} runs" if r["is_sample"] else f"of the grid's {v['runs']} runs"
        parts.append(f"{whose or ''}{of if whose else of.capitalize()} {', '.join(said)}.")
    return " ".join(parts)


def _interval(v: dict[str, Any]) -> str:
    if v["capture_interval"] is None:
        return ""
    low, high = v["capture_interval"]
    return f" ({_percent(low)} to {_percent(high)} with 95 % confidence)"


def _ranges(r: dict[str, Any]) -> str:
    """Of many variants: the least and the most of each rate, and whose they are."""
    said = []
    honest = f"within {_percent(r['honest_below'])} of orbit" if r["honest_below"] is not None else ""
    active = f"invented more than {_percent(ACTIVE)} of their energy"
    for name, words in (("capture", "captured"), ("honest", honest), ("active", active), ("stopped", "stopped early")):
        rates = [(v[f"{name}_rate"], v["label"]) for v in r["variants"] if v[f"{name}_rate"] is not None]
        if not rates or max(rates)[0] == 0.0:
            continue
        least, most = min(rates)[0], max(rates)[0]
        if least == most:
            said.append(f"{words}: {_percent(most)} with each")
        else:
            whose = [", ".join(label for rate, label in rates if rate == end) for end in (least, most)]
            said.append(f"{words}: from {_percent(least)} ({whose[0]}) to {_percent(most)} ({whose[1]})")
    return f"{len(r['variants'])} variants of {r['variants'][0]['runs']} runs each. " + ". ".join(one[0].upper() + one[1:] for one in said) + "."


def _percent(share: float) -> str:
    return f"{100.0 * share:.3g} %"


def _shown(r: Any, key: str, unit: str | None = None) -> str:
    return e.shown(r, key, unit, BLOCK)


def _answer(r: dict[str, Any]) -> str:
    v = r["variants"][0]
    parts = [e.verdict(answer({**r, "variants": [v]})) if len(r["variants"]) == 1 else e.text(answer(r), "plain")]
    tiles = [e.tile("Runs", _shown(r, "runs"), "")]
    of = f"{escape(v['label'])}: " if len(r["variants"]) > 1 else ""  # the tiles are the first variant's
    if v["capture_rate"] is not None:
        beside = f"{of}{_interval(v).strip(' ()') or 'share of the grid'}"
        tiles.append(e.tile("Captured", _share(r, "variants.0.capture_rate"), beside))
    if v["honest_rate"] is not None:
        tiles.append(e.tile("Honest", _share(r, "variants.0.honest_rate"), f"{of}within {_percent(r['honest_below'])} of orbit"))
    hardest = f"{of}{_shown(r, 'variants.0.peak_force_real_N_most', 'N')} at most"
    tiles.append(e.tile("Peak force, 95 %", _shown(r, "variants.0.peak_force_real_N_95", "N"), hardest))
    invented = f"{of}{_shown(r, 'variants.0.energy_invented_J_most', 'J')} at most"
    tiles.append(e.tile("Energy invented, 95 %", _shown(r, "variants.0.energy_invented_J_95", "J"), invented))
    if r["spent"]:
        tiles.append(e.tile("Runs a second", _shown(r, "spent.runs_per_s", ""), escape(r["spent"]["machine"])))
    parts.append(e.tiles(tiles))
    if r["runs_read"] < r["runs"]:
        parts.append(e.text(f"Rates and worst cases are of all runs; distributions, maps and sensitivity of {r['runs_read']} picked evenly.", "note"))
    return "".join(parts)


def _share(r: Any, key: str) -> str:
    value = e.look_up(r, key)
    if value is None:
        return e.UNDEFINED
    return f'<span class="number" data-key="{escape(key)}" data-value="{value!r}" data-block="{BLOCK}">{e.number(100.0 * value, 3)} %</span>'


def _variants(r: dict[str, Any]) -> str:
    rates = [name for name in ("capture", "honest", "no_statement", "active", "stopped") if any(v[f"{name}_rate"] is not None for v in r["variants"])]
    headings = ["variant", "runs", *(RATES[name] for name in rates)]
    headings += ["peak force 95 %", "peak torque 95 %", "invented 95 %", *(["from orbit 95 %"] if r["honest_below"] is not None else [])]
    rows = []
    for i, v in enumerate(r["variants"]):
        at = f"variants.{i}"
        shares = [_share(r, f"{at}.{name}_rate") for name in rates]
        numbers = [_shown(r, f"{at}.peak_force_real_N_95", "N"), _shown(r, f"{at}.peak_torque_real_Nm_95", "Nm"), _shown(r, f"{at}.energy_invented_J_95", "J")]
        rows.append([escape(v["label"]), _shown(r, f"{at}.runs"), *shares, *numbers])
        if r["honest_below"] is not None:
            rows[-1].append(_share(r, f"{at}.distance_from_orbit_95"))
    parts = [e.table("Rates and 95 % quantiles", headings, rows)]
    if r["refused"]:
        parts.append(e.bullets([f"could not run: {one}" for one in r["refused"]], "warnings"))
    note = f"Active: a run that invented more than {_percent(ACTIVE)} of the energy at its start. Stopped: it diverged, or a limit ended it."
    if r["honest_below"] is None:
        note += " Honest, from orbit: orbit was not flown beside these runs (reference = true)."
    else:
        note += f" Honest: within {_percent(r['honest_below'])} of orbit after the last contact. No statement: a contact was on at the end."
    return "".join(parts) + e.text(note)


def _sensitivity(r: dict[str, Any]) -> str:
    if not r["sensitivity"]:
        return e.text("Nothing that varies has enough runs to say what matters.", "note")
    outcomes, parts = list(r["sensitivity"]), []
    keys = [row["key"] for row in r["sensitivity"][outcomes[0]]]
    for which, caption in (("first_order", "First-order index: what varies, by outcome"), ("total", "Total index: what varies, by outcome")):
        if which == "total" and all(row["total"] is None for rows in r["sensitivity"].values() for row in rows):
            continue
        cells = [[escape(key), *(_index(r, outcome, key, which) for outcome in outcomes)] for key in keys]
        parts.append(e.table(caption, ["what varies", *(HEADINGS.get(outcome, outcome) for outcome in outcomes)], cells))
    of = f" Of the first of the variants, {r['variants'][0]['label']}." if len(r["variants"]) > 1 else ""
    note = "Sobol's first-order index: the share of an outcome's variance that goes away when this one number is known (below zero: noise about zero). "
    note += 'The total index counts interactions too; it needs sampling = "saltelli".' + of
    return "".join(parts) + e.text(note)


def _index(r: dict[str, Any], outcome: str, key: str, which: str) -> str:
    """One index to two digits: more would be noise."""
    for i, row in enumerate(r["sensitivity"][outcome]):
        if row["key"] == key and row[which] is not None:
            at, shown = escape(f"sensitivity.{outcome}.{i}.{which}"), f"{row[which]:.2f}".replace("-0.00", "0.00").replace("-", e.MINUS)
            return f'<span class="number" data-key="{at}" data-value="{row[which]!r}" data-block="{BLOCK}">{shown}</span>'
    return e.UNDEFINED


def _worst(r: dict[str, Any], folder: str) -> str:
    if not r["worst"]:
        return e.text("There are none.", "note")
    keys, several = [key for key in r["worst"][0] if key not in ("run", "variant", "status")], len(r["variants"]) > 1
    rows = []
    for i, row in enumerate(r["worst"]):
        at = f"worst.{i}"
        whose = [escape(row["variant"])] if several else []
        rows.append([_shown(r, f"{at}.run"), *whose, escape(row["status"]), *(_shown(r, f"{at}.{key}") for key in keys)])
    commands = "\n".join(f"softdock campaign {shlex.quote(folder)} --replay {row['run']}" for row in r["worst"])
    caption = f"Worst by {HEADINGS.get(r['worst_by'], r['worst_by'])}; runs that stopped come first"
    headings = ["run", *(["variant"] if several else []), "status", *(HEADINGS.get(k, k) for k in keys)]
    table = e.table(caption, headings, rows, words=(1, 2) if several else (1,))
    return table + e.text("Each again by itself, with its page and its series:", "note") + e.listing(commands)


def _precision(r: dict[str, Any]) -> str:
    """How far the runs in single precision are from double, of those made again."""
    if "precision" not in r:
        return ""
    from softdock.campaign.precision import said

    found, rows = r["precision"], []
    for i, row in enumerate(found["rows"]):
        at = f"precision.rows.{i}"
        unit = e.unit_of(row["outcome"])
        of = HEADINGS.get(row["relative_to"], row["relative_to"]) if row["relative_to"] else f"as it is{f' [{unit}]' if unit else ''}"
        numbers = [_shown(r, f"{at}.{name}", "") for name in ("median", "quantile_95", "most")]
        rows.append([escape(HEADINGS.get(row["outcome"], row["outcome"])), escape(of), _shown(r, f"{at}.runs"), *numbers])
    parts = [e.text(said(found), "plain")]
    if found["decided_runs"]:
        listed = ", ".join(str(run) for run in found["decided_runs"])
        parts.append(e.text(f"Runs that rounding decided otherwise: {listed}{' ...' if found['decided_by_rounding'] > len(found['decided_runs']) else ''}."))
    headings = ["outcome", "difference relative to", "runs", "median", "95 %", "largest"]
    parts.append(e.table("Differences between single and double precision, of runs with equal status, contacts and capture", headings, rows, words=(1,)))
    return "".join(parts) + e.text("Replays and kept trajectories are made in double precision.", "note")


def _campaign(plan: Plan, r: dict[str, Any]) -> str:
    parts = []
    spent = r["spent"]
    if spent:
        said = f"{spent['runs']} runs, {spent['cycles']:.4g} cycles in {spent['wall_s']:.4g} s on {spent['machine']}: "
        said += f"{spent['cycles_per_s']:.3g} cycles a second."
        if spent["runs_per_s_without_orbit"]:
            said += f" {spent['runs_per_s']:.4g} runs a second with orbit's reference, {spent['runs_per_s_without_orbit']:.4g} without it"
            said += f" ({spent['orbits_flown']} different orbits)."
        parts.append(e.text(said, "plain"))
    parts.append(e.folded("The campaign file", e.listing(to_toml(plan.spec.tables))))
    parts.append(e.folded("The base scenario, every default written out", e.listing(to_toml(plan.base.tables))))
    return "".join(parts)
