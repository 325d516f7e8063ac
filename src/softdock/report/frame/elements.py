"""What stands on a page: numbers, tiles, tables, folded text. Everything given as text is escaped
here.

A number is shown with `data-key` (its path in the page's JSON) and `data-value` (the number
itself), so that a reader, or a test, can hold the page against the JSON. There is one formatter,
`number`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

MOST_WIDE, MOST_MIDDLE = 7, 4  # tiles in a row, on a wide page and on one of a tablet
UNDEFINED = "\N{EN DASH}"
MINUS = "\N{MINUS SIGN}"

# Longest first: "_m_per_s" before "_s".
UNITS = {
    "_Ns_per_m": "Ns/m",
    "_rad_per_s": "rad/s",
    "_m_per_s": "m/s",
    "_N_per_m": "N/m",
    "_Nms": "Nms",
    "_Ns": "Ns",
    "_Nm": "Nm",
    "_ms": "ms",
    "_ns": "ns",
    "_us": "µs",
    "_J": "J",
    "_N": "N",
    "_m": "m",
    "_s": "s",
}


def unit_of(key: str) -> str:
    """The unit that a key's last part ends in; empty for a plain number."""
    last = key.rpartition(".")[2]
    return next((unit for suffix, unit in UNITS.items() if last.endswith(suffix)), "")


def number(value: Any, digits: int = 4) -> str:
    """The one way a number is written: some significant digits, a real minus, whole numbers
    whole."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return UNDEFINED
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return str(value).replace("-", MINUS)
    if not isinstance(value, float):
        return str(value)
    size = abs(value)
    if value.is_integer() and size < 1e6:
        return f"{value:.0f}".replace("-0", "0").replace("-", MINUS)
    if 1e-4 <= size < 1e6:
        places = max(0, digits - 1 - math.floor(math.log10(float(f"{size:.{digits - 1}e}"))))
        text = f"{value:.{places}f}"
    else:
        text = f"{value:.{digits - 1}e}".replace("e-0", "e-").replace("e+0", "e")
    return text.replace("-", MINUS)


def look_up(data: Any, key: str) -> Any:
    """The value at a dotted path; numbers index lists, and a name may have dots itself. None where
    there is nothing."""
    if isinstance(data, Mapping) and key in data:
        return data[key]
    first, dot, rest = key.partition(".")
    while dot:
        if isinstance(data, Mapping) and first in data:
            return look_up(data[first], rest)
        if isinstance(data, list) and first.isdigit() and int(first) < len(data):
            return look_up(data[int(first)], rest)
        more, dot, rest = rest.partition(".")
        first = f"{first}.{more}"
    return (
        data[int(key)]
        if isinstance(data, list) and key.isdigit() and int(key) < len(data)
        else None
    )


def shown(data: Any, key: str, unit: str | None = None, block: str = "") -> str:
    """A number of the page's JSON with its unit, the key's own if none is given. `block`: id of the
    JSON block, where it is not `metrics`."""
    value = look_up(data, key)
    unit = "" if value is None else unit_of(key) if unit is None else unit
    inside = escape(number(value)) + (f'<span class="unit"> {unit}</span>' if unit else "")
    source = f' data-block="{escape(block)}"' if block else ""
    return (
        f'<span class="number" data-key="{escape(key)}" '
        f'data-value="{escape(json.dumps(value))}"{source}>{inside}</span>'
    )


def tile(label: str, value_html: str, beside_html: str = "", meaning: str = "") -> str:
    """A key number: what it is, the number large, and what it is held against."""
    beside = f'<div class="beside">{beside_html}</div>' if beside_html else ""
    return (
        f'<div class="tile" title="{escape(meaning)}"><div '
        f'class="label">{escape(label)}</div><div class="value">{value_html}</div>{beside}</div>'
    )


def tiles(items: Iterable[str]) -> str:
    """In rows of equal length, or nearly: no tile stands alone below the others."""
    made = list(items)
    wide, middle = columns(len(made), MOST_WIDE), columns(len(made), MOST_MIDDLE)
    style = f"--wide:{wide};--middle:{middle}"
    return f'<div class="tiles" style="{style}">{"".join(made)}</div>'


def columns(count: int, most: int) -> int:
    """Into how many columns so many tiles go: few rows, none of one tile alone, as even as may
    be."""

    def unevenness(width: int) -> tuple[bool, int, int]:
        rest = count % width
        return rest == 1 and width > 1, -(-count // width), (width - rest) % width

    return min(range(min(count, most) or 1, 0, -1), key=unevenness)


def verdict(sentence: str) -> str:
    """The answer in a sentence, large."""
    return f'<p class="verdict">{escape(sentence)}</p>'


def text_with_command(before: str, command: str, after: str = "") -> str:
    """A sentence around a command to type."""
    return (
        f'<p class="try">{escape(before)} <code>{escape(command)}</code> '
        f"<small>{escape(after)}</small></p>"
    )


def judgement(judged: Mapping[str, Any]) -> str:
    """The word in its colour, why, the bounds, and one next step: the first thing on a page."""
    sentence, word = str(judged["sentence"]), str(judged["word"])
    kind = word.replace(" ", "-")
    return (
        f'<p class="verdict {escape(kind)}"><strong>{escape(sentence[: len(word)])}</strong>'
        f"{escape(sentence[len(word) :])}</p>"
        f'<p class="next">{escape(str(judged["next_step"]))}</p>'
        + "".join(
            f'<p class="doubt">{escape(f"Doubt: {one}")}</p>' for one in judged.get("doubts", ())
        )
    )


def text(words: str, kind: str = "note") -> str:
    return f'<p class="{kind}">{escape(words)}</p>'


def table(
    caption: str,
    headings: Sequence[str],
    rows: Iterable[Sequence[str]],
    row_titles: bool = True,
    strong: Sequence[int] = (),
    words: Sequence[int] = (),
) -> str:
    """A table; on a narrow screen each row becomes a card of its own, every cell with its heading,
    so that nothing is clipped. Headings and caption are text, cells are HTML. `strong`: rows to
    stand out; `words`: columns of text."""
    kinds = [' class="words"' if i in words else "" for i in range(len(headings))]
    head = "".join(
        f'<th scope="col"{kind}>{escape(h)}</th>' for h, kind in zip(headings, kinds, strict=True)
    )
    body = []
    for i, row in enumerate(rows):
        first = f'<th scope="row">{row[0]}</th>' if row_titles else f"<td>{row[0]}</td>"
        cells = "".join(
            f'<td{kind} data-label="{escape(heading)}">{cell}</td>'
            for cell, kind, heading in zip(row[1:], kinds[1:], headings[1:], strict=True)
        )
        body.append(f"<tr{' class=strong' if i in strong else ''}>{first}{cells}</tr>")
    return (
        '<div class="scroll" tabindex="0" role="region" '
        f'aria-label="{escape(caption)}"><table><caption>{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table></div>"
    )


def folded(summary: str, html: str, opened: bool = False) -> str:
    return (
        f"<details{' open' if opened else ''}><summary>{escape(summary)}</summary>{html}</details>"
    )


def listing(code: str) -> str:
    return f'<pre tabindex="0"><code>{escape(code)}</code></pre>'


def bullets(items: Iterable[str], kind: str = "") -> str:
    return f'<ul class="{kind}">{"".join(f"<li>{escape(item)}</li>" for item in items)}</ul>'
