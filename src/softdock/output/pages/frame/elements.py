"""HTML elements of the pages: numbers, tiles, tables, foldable text. All text is escaped here.

A number carries `data-key` (its path in the page's JSON) and `data-value` (the number itself), so
that a reader or a test can compare the page with the JSON. `results/quantities.py` writes them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from softdock.results.metrics import METRICS, convert_to_plain
from softdock.results.quantities import (
    DIGITS,
    MINUS,
    UNDEFINED,
    format_number,
    format_percent,
    split_quantity,
)

__all__ = ["MINUS", "UNDEFINED", "format_number"]

# Labels of the metrics' keys on pages. A key that is not listed is spelled from its own words.

LABELS = {  # of keys below the top level; those at the top are declared (results/metrics.py)
    "energy_ratio_at_end": "Energy ratio at the end of the run",
    "error_against_orbit_later": "Error against the reference, settle_s later",
    "error_against_orbit_worst": "Error against the reference, the worse of both",
    "compared_from_s": "Compared from",
    "compared_at_s": "Compared at",
    "peak_force_N": "Peak force on the satellite",
    "kinetic_start_J": "Kinetic energy at the start",
    "kinetic_end_J": "Kinetic energy at the end",
    "external_J": "Work of thrusters and hands on the satellites",
    "real_J": "Absorbed by the real contact",
    "virtual_J": "Absorbed by virtual elements",
    "designed_J": "Work that a method is designed to do",
    "observed_J": "Observed energy (as a rig can measure it)",
    "stored_J": "Still stored in the contact",
    "dissipated_J": "Dissipated by the contact",
    "residual_J": "Check of the balance: rows less total",
    "physics_residual": "Check of the contact: its work against stored and dissipated",
    "kinetic_energy_relative_J": "Kinetic energy without the pair's common drift",
    "turnover_J": "All work, absolute values added",
    "linear_momentum_error_Ns": "Change of the pair's linear momentum",
    "angular_momentum_error_Nms": "Change of the pair's angular momentum",
    "impulse_Ns": "Impulse",
    "contact_time_s": "Time in contact",
    "driven_J": "Work of the latches' drives",
    "lost_J": "Lost in the latches",
}

METHOD_LABELS = {
    "designed_J": "Work that it is designed to do, as it measured it"
}  # in a method's own books

BALANCE_ROWS = {
    "integrator": "the integration step of the simulated satellites",
    "correction": "corrections of the satellites' state by methods",
    "adaptation": "changes of the measured force by methods",
    "sensor": "sampling, hold, noise and age of the measured force",
    "command": "set-points that differ from the satellites' motion",
    "robot": "robots that are away from their set-points: delay, lag, limits",
    "rewound": "a past motion that a method recomputed",
    "joints_stored": "stored in elastic joints",
    "joints_moving": "kinetic energy behind elastic joints",
    "joints_dissipated": "dissipated by elastic joints",
    "joints_step": "integration error of an elastic joint",
}


def label(key: str) -> str:
    """Label of a key, without its unit."""
    last = key.rpartition(".")[2]
    if "." in key and last in LABELS:  # below the top level a name may mean something else
        return LABELS[last]
    if last in METRICS and METRICS[last].label:
        return METRICS[last].label
    if last in LABELS:
        return LABELS[last]
    suffix = next((s for s in UNITS if last.endswith(s)), "")
    words = last.removesuffix(suffix).replace("_", " ")
    return words[:1].upper() + words[1:]


AXES = ("x", "y", "z")
MORE_UNITS = {  # of keys of a scenario, longest first; those of metrics are in UNITS
    "_kg_m2": "kg m\N{SUPERSCRIPT TWO}",
    "_deg_per_s": "deg/s",
    "_m_per_s2": "m/s\N{SUPERSCRIPT TWO}",
    "_rad": "rad",
    "_deg": "deg",
    "_kg": "kg",
    "_Hz": "Hz",
}


def axis_title(key: str) -> str:
    """Axis title for a key of a scenario or a campaign: chaser.position_m.1 -> chaser position, y
    [m]."""
    path, _, index = key.rpartition(".")
    name, which = (path, int(index)) if path and index.isdigit() else (key, -1)
    known = MORE_UNITS | UNITS
    suffix = next((s for s in known if name.endswith(s)), "")
    words = name.removesuffix(suffix).replace(".", " ").replace("_", " ")
    part = f", {AXES[which]}" if 0 <= which < len(AXES) else f", {which}" if which >= 0 else ""
    return f"{words}{part}" + (f" [{known[suffix]}]" if suffix else "")


def reference_key(key: str) -> str:
    """Key of the reference's value of the same quantity: impulse_Ns -> impulse_orbit_Ns."""
    suffix = next((s for s in UNITS if key.endswith(s)), "")
    return f"{key.removesuffix(suffix)}_orbit{suffix}"


def json_block(value: Any, attributes: str) -> str:
    """Data for the page's script, as a JSON block that the browser does not run. NaN and infinities
    become null."""
    text = json.dumps(
        convert_to_plain(value), allow_nan=False, separators=(",", ":"), ensure_ascii=True
    )
    return (
        '<script type="application/json" '
        f"{attributes}>{text.replace('<', chr(92) + 'u003c')}</script>"
    )


MOST_WIDE, MOST_MIDDLE = 7, 4  # tiles in a row, on a wide page and on one of a tablet

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


SHARES = ("error_against_orbit", "energy_added_share", "physics_residual")  # how such keys begin


def unit_of(key: str) -> str:
    """Unit given by the last part of a key; empty for a plain number."""
    last = key.rpartition(".")[2]
    return next((unit for suffix, unit in UNITS.items() if last.endswith(suffix)), "")


def is_share(key: str) -> bool:
    """Whether the number of a key is a share, which pages show in percent."""
    return key.rpartition(".")[2].startswith(SHARES)


def look_up(data: Any, key: str) -> Any:
    """Value at a dotted path; numbers index lists, and a name may contain dots. None if there is
    none."""
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


# digits of the numbers of a block: those of a scenario are as they were typed, those of a paper are
# compared with printed ones
BLOCK_DIGITS = {"scenario-tables": 9, "results": 4}


def show_number(data: Any, key: str, unit: str | None = None, block: str = "") -> str:
    """A number of the page's JSON with its unit (by default the key's own), mm, mJ, ... where they
    read better. `unit=""`: a heading states it. `block`: id of the JSON block, if it is not
    `metrics`."""
    if unit is None and is_share(key) and block not in BLOCK_DIGITS:
        return show_share(data, key, block)
    value = look_up(data, key)
    digits = BLOCK_DIGITS.get(block, DIGITS)
    if block in BLOCK_DIGITS or unit == "":
        shown, unit = format_number(value, digits), unit_of(key) if unit is None else unit
        unit = "" if value is None else unit
    else:
        shown, unit = split_quantity(value, unit_of(key) if unit is None else unit, digits)
    inside = escape(shown) + (f'<span class="unit"> {unit}</span>' if unit else "")
    source = f' data-block="{escape(block)}"' if block else ""
    return (
        f'<span class="number" data-key="{escape(key)}" '
        f'data-value="{escape(json.dumps(value))}"{source}>{inside}</span>'
    )


def show_share(data: Any, key: str, block: str = "") -> str:
    """A share of the page's JSON in percent; the attribute holds the share itself."""
    value = look_up(data, key)
    source = f' data-block="{escape(block)}"' if block else ""
    return (
        f'<span class="number" data-key="{escape(key)}" '
        f'data-value="{escape(json.dumps(value))}"{source}>'
        f"{escape(format_percent(value, UNDEFINED))}</span>"
    )


def tile(label: str, value_html: str, beside_html: str = "", meaning: str = "") -> str:
    """Tile with a key number: label, value in large type, and what it is compared with."""
    beside = f'<div class="beside">{beside_html}</div>' if beside_html else ""
    return (
        f'<div class="tile" title="{escape(meaning)}"><div '
        f'class="label">{escape(label)}</div><div class="value">{value_html}</div>{beside}</div>'
    )


def tiles(items: Iterable[str]) -> str:
    """Rows of tiles of equal or nearly equal length."""
    tiles_html = list(items)
    wide, middle = (
        count_columns(len(tiles_html), MOST_WIDE),
        count_columns(len(tiles_html), MOST_MIDDLE),
    )
    style = f"--wide:{wide};--middle:{middle}"
    return f'<div class="tiles" style="{style}">{"".join(tiles_html)}</div>'


def count_columns(count: int, most: int) -> int:
    """Column count for n tiles: few rows, no orphan, balanced."""

    def unevenness(width: int) -> tuple[bool, int, int]:
        rest = count % width
        return rest == 1 and width > 1, -(-count // width), (width - rest) % width

    return min(range(min(count, most) or 1, 0, -1), key=unevenness)


def inline(words: str) -> str:
    """Plain text with `commands` in it as HTML."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(words))


def headline(sentence: str) -> str:
    """The answer in one sentence, in large type."""
    return f'<p class="verdict">{escape(sentence)}</p>'


def text_with_command(before: str, command: str, after: str = "") -> str:
    """A sentence with a command to type."""
    return (
        f'<p class="try">{escape(before)} <code>{escape(command)}</code> '
        f"<small>{escape(after)}</small></p>"
    )


def verdict(judged: Mapping[str, Any]) -> str:
    """The verdict: headline in its colour, next step, details, doubts; opens every page that has
    one."""
    line, word = str(judged["headline"]), str(judged["word"])
    kind = word.replace(" ", "-")
    details = f'<p class="note">{inline(judged["details"])}</p>' if judged["details"] else ""
    step = f'<p class="next">{inline(judged["next_step"])}</p>' if judged["next_step"] else ""
    return (
        f'<p class="verdict {escape(kind)}"><strong>{escape(line[: len(word)])}</strong>'
        f"{escape(line[len(word) :])}</p>{step}{details}"
        + "".join(
            f'<p class="doubt">{inline(f"Doubt: {one}")}</p>' for one in judged.get("doubts", ())
        )
    )


def text(words: str, kind: str = "note") -> str:
    """A paragraph of plain text."""
    return f'<p class="{kind}">{inline(words)}</p>'


def table(
    caption: str,
    headings: Sequence[str],
    rows: Iterable[Sequence[str]],
    row_titles: bool = True,
    strong: Sequence[int] = (),
    words: Sequence[int] = (),
) -> str:
    """A table. On a narrow screen each row becomes a card, with the heading beside each cell.
    Headings and caption are text, cells are HTML. `strong`: rows to emphasise; `words`: columns of
    text."""
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


def details(summary: str, html: str, opened: bool = False) -> str:
    """Text that a click unfolds."""
    return (
        f"<details{' open' if opened else ''}><summary>{escape(summary)}</summary>{html}</details>"
    )


def listing(code: str) -> str:
    """A block of code."""
    return f'<pre tabindex="0"><code>{escape(code)}</code></pre>'


def bullets(items: Iterable[str], kind: str = "") -> str:
    """A list of plain text."""
    return f'<ul class="{kind}">{"".join(f"<li>{inline(item)}</li>" for item in items)}</ul>'
