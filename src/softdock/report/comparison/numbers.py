"""Numbers of a comparison's page, keyed to its JSON."""

from __future__ import annotations

import json
from html import escape
from typing import Any

from softdock.comparison.knowledge import WORDS
from softdock.report.frame import elements as e

MINUS = "\N{MINUS SIGN}"


BLOCK = "comparison"  # id of the page's JSON


def number_at(r: Any, key: str) -> str:
    return e.shown(r, key, block=BLOCK)


def cost_at(r: Any, key: str) -> str:
    return e.shown(r, key, "ns", BLOCK)


def percent_at(r: Any, key: str) -> str:
    """A distance from orbit, in percent of the approach; the attribute holds the number itself."""
    value = e.look_up(r, key)
    if value is None:
        return e.UNDEFINED
    return (
        f'<span class="number" data-key="{escape(key)}" data-value="{json.dumps(value)}" '
        f'data-block="{BLOCK}">{e.number(100.0 * value, 3)} %</span>'
    )


def error_name(error: dict[str, Any]) -> str:
    return f"{WORDS[error['kind']]} {error['error_percent']:+g} %".replace("-", MINUS)
