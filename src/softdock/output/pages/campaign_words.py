"""Results of a campaign in sentences, for its page and its command."""

from __future__ import annotations

from typing import Any

from softdock.methods.registry import RAW
from softdock.results.quantities import format_percent
from softdock.studies.campaign.outcome import ACTIVE

BLOCK = "campaign"  # id of the page's JSON
FEW = 3  # variants that have a sentence each
RATES = {
    "capture": "captured",
    "no_contact": "no contact",
    "within_limit": "within limit",
    "no_statement": "no error defined",
    "active": "adds energy",
    "stopped": "stopped",
}
ADDED_NOTE = (
    "Energy that virtual damping removes again counts as added, so a run can add energy and be "
    "within the limit."
)


def list_rates(r: dict[str, Any]) -> list[str]:
    """Rates to show in a table of variants: those known, and `no_contact` only if it occurs."""
    known = [name for name in RATES if any(v[f"{name}_rate"] is not None for v in r["variants"])]
    return [
        name
        for name in known
        if name != "no_contact" or any(v["no_contact_rate"] for v in r["variants"])
    ]


def summarise(r: dict[str, Any]) -> str:
    """The result in one or two sentences."""
    if len(r["variants"]) > FEW:
        return _summarise_ranges(r)
    parts = []
    for v in r["variants"]:
        whose = f"{v['label']}: " if len(r["variants"]) > 1 else ""
        of = f"of {v['runs']} runs" if r["is_sample"] else f"of the grid's {v['runs']} runs"
        parts.append(
            f"{whose or ''}{of if whose else of.capitalize()} "
            f"{', '.join(_summarise_variant(r, v))}."
        )
    return " ".join([*parts, *_added_note(r)])


RANKED = (  # rates that tell variants apart, the first that is known decides; +1: more is better
    ("within_limit", 1.0, "have an error of at most {bound}"),
    ("capture", 1.0, "capture"),
    ("active", -1.0, "add more than {active} of their energy"),
)


def compare_variants(r: dict[str, Any]) -> str:
    """Best and worst variant, and by which rate."""
    bound = "" if r["error_limit"] is None else format_percent(r["error_limit"])
    for name, sign, words in RANKED:
        rates = [(v[f"{name}_rate"], v["label"]) for v in r["variants"]]
        if any(rate is None for rate, _ in rates):
            continue
        what = words.format(bound=bound, active=format_percent(ACTIVE))
        best = max(rates, key=lambda one: sign * one[0])
        worst = min(rates, key=lambda one: sign * one[0])
        if best[0] == worst[0]:
            return f"In all {len(rates)} variants {format_percent(best[0])} of the runs {what}."
        return (
            f"The best of {len(rates)} variants is {best[1]}: {format_percent(best[0])} of its "
            f"runs {what}. The worst is {worst[1]} with {format_percent(worst[0])}."
        )
    return f"{len(r['variants'])} variants of {r['variants'][0]['runs']} runs each."


def _summarise_variant(r: dict[str, Any], v: dict[str, Any]) -> list[str]:
    """Parts of the sentence on one variant."""
    parts = []
    if v["capture_rate"] is not None:
        orbit = f" ({text})" if (text := describe_orbit_capture(v)) else ""
        captured = f"{format_percent(v['capture_rate'])} capture"
        parts.append(f"{captured}{format_brackets(v, 'capture')}{orbit}")
    if v["no_contact_rate"]:
        parts.append(f"{format_percent(v['no_contact_rate'])} never touch")
    if v["within_limit_rate"] is not None and v["no_statement_rate"] < 1.0:
        parts.append(
            f"{format_percent(v['within_limit_rate'])} have an error of at most "
            f"{format_percent(r['error_limit'])}{format_brackets(v, 'within_limit')}"
        )
    if v["no_statement_rate"]:
        alone, all_silent = v["no_statement_untouched_rate"], v["no_statement_rate"]
        if alone:
            parts.append(
                f"in {format_percent(alone)} no error is defined, because nothing approached or "
                "touched"
            )
        if all_silent > alone:
            parts.append(
                f"in {format_percent(all_silent - alone)} no error is defined, because a contact "
                "was under way at the end or the reference stopped"
            )
    parts.append(
        f"{format_percent(v['active_rate'])} add more than {format_percent(ACTIVE)} of their "
        f"energy{format_brackets(v, 'active')}"
    )
    if v["stopped_rate"]:
        parts.append(f"{format_percent(v['stopped_rate'])} stop early")
    return parts


def describe_orbit_capture(v: dict[str, Any]) -> str:
    """What the reference captures; empty: it was not simulated, or no capture is asked."""
    if v["orbit_capture_rate"] is None:
        return ""
    differ = v["different_capture_rate"]
    same = f"the outcome differs in {format_percent(differ)}" if differ else "in the same runs"
    return f"on orbit {format_percent(v['orbit_capture_rate'])}, {same}"


def _added_note(r: dict[str, Any]) -> list[str]:
    """Note on runs that are active and within the limit, if a method may be the reason."""
    return (
        [ADDED_NOTE]
        if any(
            v["method"] != RAW and v["active_rate"] and v["within_limit_rate"]
            for v in r["variants"]
        )
        else []
    )


def format_interval(v: dict[str, Any], rate: str) -> str:
    """Confidence interval in words; empty if runs are not independent draws."""
    found = v[f"{rate}_interval"]
    return (
        f"{format_percent(found[0])} to {format_percent(found[1])}, each with "
        f"{format_percent(v['interval_confidence'])} confidence"
        if found is not None
        else ""
    )


def format_brackets(v: dict[str, Any], rate: str) -> str:
    """The confidence interval in brackets."""
    text = format_interval(v, rate)
    return f" ({text})" if text else ""


def _summarise_ranges(r: dict[str, Any]) -> str:
    """Least and largest of each rate over many variants, with the variants' names."""
    parts = []
    within = (
        f"error of at most {format_percent(r['error_limit'])}"
        if r["error_limit"] is not None
        else ""
    )
    active = f"more than {format_percent(ACTIVE)} of their energy added"
    rate_words = (
        ("capture", "captured"),
        ("no_contact", "never touched"),
        ("within_limit", within),
        ("active", active),
        ("stopped", "stopped early"),
    )
    for name, words in rate_words:
        rates = [
            (v[f"{name}_rate"], v["label"]) for v in r["variants"] if v[f"{name}_rate"] is not None
        ]
        if not rates or max(rates)[0] == 0.0:
            continue
        least, most = min(rates)[0], max(rates)[0]
        if least == most:
            parts.append(f"{words}: {format_percent(most)} with each")
        else:
            whose = [
                "; ".join(label for rate, label in rates if rate == end) for end in (least, most)
            ]
            parts.append(
                f"{words}: from {format_percent(least)} ({whose[0]}) to {format_percent(most)} "
                f"({whose[1]})"
            )
    begin = f"{len(r['variants'])} variants of {r['variants'][0]['runs']} runs each. "
    return " ".join(
        [begin + ". ".join(one[0].upper() + one[1:] for one in parts) + ".", *_added_note(r)]
    )
