"""What a campaign's page and its command say in words: what came out in a sentence or two."""

from __future__ import annotations

from typing import Any

from softdock.campaign.outcome_columns import ACTIVE
from softdock.core.adaptation.registry import RAW

BLOCK = "campaign"  # id of the page's JSON
FEW = 3  # variants that have a sentence each
RATES = {
    "capture": "captured",
    "no_contact": "no contact",
    "honest": "honest",
    "no_statement": "no statement",
    "active": "active",
    "stopped": "stopped",
}
INVENTED = (
    "What was invented counts although virtual damping may take it out again: a run can be both "
    "active and honest."
)


def rates_of(r: dict[str, Any]) -> list[str]:
    """The rates that a table of variants has: those with something to say."""
    known = [name for name in RATES if any(v[f"{name}_rate"] is not None for v in r["variants"])]
    return [
        name
        for name in known
        if name != "no_contact" or any(v["no_contact_rate"] for v in r["variants"])
    ]


def answer(r: dict[str, Any]) -> str:
    """What came out, in a sentence or two."""
    if len(r["variants"]) > FEW:
        return _ranges(r)
    parts = []
    for v in r["variants"]:
        whose = f"{v['label']}: " if len(r["variants"]) > 1 else ""
        of = f"of {v['runs']} runs" if r["is_sample"] else f"of the grid's {v['runs']} runs"
        parts.append(f"{whose or ''}{of if whose else of.capitalize()} {', '.join(_said(r, v))}.")
    return " ".join([*parts, *_taken_out(r)])


RANKED = (  # rates that tell variants apart, the first that is known decides; +1: more is better
    ("honest", 1.0, "within {bound} of orbit"),
    ("capture", 1.0, "captured"),
    ("active", -1.0, "invented more than {active} of their energy"),
)


def headline(r: dict[str, Any]) -> str:
    """Of several variants: which is best, which is worst, by what."""
    bound = "" if r["honest_below"] is None else percent(r["honest_below"])
    for name, sign, words in RANKED:
        rates = [(v[f"{name}_rate"], v["label"]) for v in r["variants"]]
        if any(rate is None for rate, _ in rates):
            continue
        what = words.format(bound=bound, active=percent(ACTIVE))
        best = max(rates, key=lambda one: sign * one[0])
        worst = min(rates, key=lambda one: sign * one[0])
        if best[0] == worst[0]:
            return f"All {len(rates)} variants alike: {percent(best[0])} of the runs {what}."
        return (
            f"Best of {len(rates)} variants is {best[1]}: {percent(best[0])} of the runs {what}; "
            f"worst is {worst[1]} with {percent(worst[0])}."
        )
    return f"{len(r['variants'])} variants of {r['variants'][0]['runs']} runs each."


def _said(r: dict[str, Any], v: dict[str, Any]) -> list[str]:
    """Of one variant."""
    said = []
    if v["capture_rate"] is not None:
        said.append(f"{percent(v['capture_rate'])} captured{in_brackets(v, 'capture')}")
    if v["no_contact_rate"]:
        said.append(f"{percent(v['no_contact_rate'])} never touched")
    if v["honest_rate"] is not None and v["no_statement_rate"] < 1.0:
        said.append(
            f"{percent(v['honest_rate'])} within {percent(r['honest_below'])} of "
            f"orbit{in_brackets(v, 'honest')}"
        )
    if v["no_statement_rate"]:
        alone, all_silent = v["no_statement_untouched_rate"], v["no_statement_rate"]
        if alone:
            said.append(
                f"{percent(alone)} no statement on the distance from orbit, because nothing "
                "approached or touched"
            )
        if all_silent > alone:
            said.append(
                f"{percent(all_silent - alone)} no statement on the distance from orbit, "
                "because a contact was on at the end or orbit stopped"
            )
    said.append(
        f"{percent(v['active_rate'])} invented more than {percent(ACTIVE)} of their "
        f"energy{in_brackets(v, 'active')}"
    )
    if v["stopped_rate"]:
        said.append(f"{percent(v['stopped_rate'])} stopped early")
    return said


def _taken_out(r: dict[str, Any]) -> list[str]:
    """A word on runs that are active and honest, where a method may be why."""
    return (
        [INVENTED]
        if any(v["method"] != RAW and v["active_rate"] and v["honest_rate"] for v in r["variants"])
        else []
    )


def interval(v: dict[str, Any], rate: str) -> str:
    """In words; empty where runs are no independent draws."""
    found = v[f"{rate}_interval"]
    return (
        f"{percent(found[0])} to {percent(found[1])}, each with "
        f"{percent(v['interval_confidence'])} confidence"
        if found is not None
        else ""
    )


def in_brackets(v: dict[str, Any], rate: str) -> str:
    said = interval(v, rate)
    return f" ({said})" if said else ""


def _ranges(r: dict[str, Any]) -> str:
    """Of many variants: the least and the most of each rate, and whose they are."""
    said = []
    honest = (
        f"within {percent(r['honest_below'])} of orbit" if r["honest_below"] is not None else ""
    )
    active = f"invented more than {percent(ACTIVE)} of their energy"
    spoken = (
        ("capture", "captured"),
        ("no_contact", "never touched"),
        ("honest", honest),
        ("active", active),
        ("stopped", "stopped early"),
    )
    for name, words in spoken:
        rates = [
            (v[f"{name}_rate"], v["label"]) for v in r["variants"] if v[f"{name}_rate"] is not None
        ]
        if not rates or max(rates)[0] == 0.0:
            continue
        least, most = min(rates)[0], max(rates)[0]
        if least == most:
            said.append(f"{words}: {percent(most)} with each")
        else:
            whose = [
                "; ".join(label for rate, label in rates if rate == end) for end in (least, most)
            ]
            said.append(
                f"{words}: from {percent(least)} ({whose[0]}) to {percent(most)} ({whose[1]})"
            )
    begin = f"{len(r['variants'])} variants of {r['variants'][0]['runs']} runs each. "
    return " ".join(
        [begin + ". ".join(one[0].upper() + one[1:] for one in said) + ".", *_taken_out(r)]
    )


def percent(share: float) -> str:
    return f"{100.0 * share:.3g} %"
