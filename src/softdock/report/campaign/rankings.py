"""What matters most, and the worst cases, of a campaign's page: for each variant, by name."""

from __future__ import annotations

import shlex
from html import escape
from typing import Any

from softdock.campaign.outcomes import heading
from softdock.report.campaign.words import BLOCK, FEW
from softdock.report.frame import elements as e

SHOWN_WORST, SHOWN_OF_MANY = 10, 3  # worst cases of each variant; where there are many variants


def _of_each(r: dict[str, Any], sections: list[str]) -> str:
    """A section for each variant, under its name; folded where there are many."""
    if len(sections) == 1:
        return sections[0]
    named = [(v["label"], html) for v, html in zip(r["variants"], sections, strict=True)]
    return "".join(
        e.folded(label, html) if len(named) > FEW else f"<h3>{escape(label)}</h3>{html}"
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
    return _of_each(r, [_indices(r, i) for i in range(len(r["variants"]))]) + e.text(note)


def _indices(r: dict[str, Any], variant: int) -> str:
    found, parts = r["sensitivity"][variant], []
    if not found:
        return e.text(
            "Nothing that varies changes an outcome, or there are too few runs to say.", "note"
        )
    of = f"{r['variants'][variant]['label']}: " if len(r["variants"]) > 1 else ""
    outcomes = list(found)
    keys = list(dict.fromkeys(row["key"] for rows in found.values() for row in rows))
    for which, caption in (
        ("first_order", "First-order index: what varies, by outcome"),
        ("total", "Total index: what varies, by outcome"),
    ):
        if which == "total" and all(
            row["total"] is None for rows in found.values() for row in rows
        ):
            continue
        cells = [
            [escape(key), *(_index(r, variant, outcome, key, which) for outcome in outcomes)]
            for key in keys
        ]
        parts.append(
            e.table(
                f"{of}{caption}",
                ["what varies", *(heading(outcome) for outcome in outcomes)],
                cells,
            )
        )
    return "".join(parts)


def _index(r: dict[str, Any], variant: int, outcome: str, key: str, which: str) -> str:
    """One index to two digits: more would be noise."""
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
    return _of_each(r, [_worst(r, v["label"], folder) for v in r["variants"]])


def _worst(r: dict[str, Any], label: str, folder: str) -> str:
    several = len(r["variants"]) > FEW
    mine = [(i, row) for i, row in enumerate(r["worst"]) if row["variant"] == label][
        : SHOWN_OF_MANY if several else SHOWN_WORST
    ]
    if not mine:
        return e.text("There are none.", "note")
    keys = [key for key in mine[0][1] if key not in ("run", "variant", "status")]
    rows = []
    for i, row in mine:
        at = f"worst.{i}"
        rows.append(
            [
                e.shown(r, f"{at}.run", block=BLOCK),
                escape(row["status"]),
                *(e.shown(r, f"{at}.{key}", block=BLOCK) for key in keys),
            ]
        )
    commands = "\n".join(
        f"softdock campaign {shlex.quote(folder)} --replay {row['run']}" for _, row in mine
    )
    of = f"{label}: worst" if len(r["variants"]) > 1 else "Worst"
    caption = f"{of} by {heading(r['worst_by'])}; runs that stopped come first"
    table = e.table(caption, ["run", "status", *(heading(k) for k in keys)], rows, words=(1,))
    return (
        table
        + e.text("Each again by itself, with its page and its series:", "note")
        + e.listing(commands)
    )
