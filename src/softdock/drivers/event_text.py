"""The text of an event or a reason, with what was found put in.

A text holds `{who}` and `{a}`, `{b}`, which may say how they are written: `{a:.4g}`, `{a:.0f}`, or
in words: `{a:status}` a sensor's status word, `{b:axis}` an axis, `{a:set}` by how many seconds a
clock was set. Texts come from files as well, so nothing else of Python's formats is taken.
"""

from __future__ import annotations

import math
import re

from softdock.core.rig.reasons import REASONS
from softdock.drivers.net_ft_status import status_words

WHO = ("chaser", "target")
FIELD = re.compile(r"\{(a|b|who)(?::(\.[0-9]{1,2}[gf]|status|axis|set))?\}")


def _set_by(seconds: float) -> str:
    way = "forward" if seconds > 0.0 else "back"
    return f"{way} by {1e3 * abs(seconds):.4g} ms"


def _number(kind: str, value: float) -> str:
    if not math.isfinite(value):
        return f"{value:g}"
    if kind == "status":
        return status_words(int(value))
    if kind == "axis":
        return "XYZ"[int(value)] if 0 <= value < len("XYZ") else f"axis {value:g}"
    return _set_by(value) if kind == "set" else format(value, kind or ".6g")


def filled(text: str, a: float, b: float, who: float = -1.0) -> str:
    """A text with its numbers. `who`: 0 the chaser's, 1 the target's, else nobody's."""

    def put(found: re.Match[str]) -> str:
        name, kind = found.groups()
        if name == "who":
            return WHO[int(who)] if who in (0, 1) else "rig"
        return _number(kind or "", a if name == "a" else b)

    return FIELD.sub(put, text)


def sentence(code: int, a: float, b: float, who: float = -1.0) -> str:
    """A reason in words, with what was found, the limit and whose it is."""
    return filled(REASONS[code].text, a, b, who)
