"""Numbers as people read them, the same on a page and in the terminal: three significant digits,
mm, mm/s, mJ and mNm where they read better, 0 below the noise floor, "diverged" for what has no
size.

In: SI numbers. Out: text, with a real minus sign.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

MINUS = "\N{MINUS SIGN}"
UNDEFINED = "\N{EN DASH}"
DIGITS = 3
DIVERGED = 1e9  # SI; what is larger is the end of a run that diverged
DIVERGED_SHARE = 10.0  # of the approach energy or speed
# SI; smaller values are shown as 0: rounding errors, far below a docking of 10 mJ and 10 mm/s.
NOISE = {"J": 5e-7, "m": 1e-7, "m/s": 1e-7, "N": 1e-6, "Nm": 1e-6, "Ns": 1e-6, "Nms": 1e-6}
SMALLER = {
    "J": "mJ",
    "m": "mm",
    "m/s": "mm/s",
    "Nm": "mNm",
}  # a thousandth, where the number reads better so
READABLE = 0.5  # SI; below it the smaller unit is taken


def _choose_unit(values: Iterable[float | None], unit: str) -> tuple[float, str]:
    """Factor and unit in which the largest of some SI values reads best."""
    known = [abs(x) for x in values if x is not None and math.isfinite(x)]
    largest = max(known, default=0.0)
    if unit in SMALLER and NOISE[unit] < largest < READABLE:
        return 1e3, SMALLER[unit]
    return 1.0, unit


def format_number(value: Any, digits: int = DIGITS) -> str:
    """A number without a unit, to significant digits; whole numbers without decimals."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return UNDEFINED
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return str(value).replace("-", MINUS)
    if not isinstance(value, float):
        return str(value)
    size = abs(value)
    if size >= DIVERGED:
        return "diverged"
    if size == 0.0 or (value.is_integer() and size < 1e6):
        return f"{value:.0f}".replace("-0", "0").replace("-", MINUS)
    if 1e-4 <= size < 1e6:
        places = max(0, digits - 1 - math.floor(math.log10(float(f"{size:.{digits - 1}e}"))))
        text = f"{value:.{places}f}"
    else:
        text = f"{value:.{digits - 1}e}".replace("e-0", "e-").replace("e+0", "e").replace("+", "")
    return text.replace("-", MINUS)


def split_quantity(value: Any, unit: str = "", digits: int = DIGITS) -> tuple[str, str]:
    """An SI number as text and its unit, which is empty where there is no number. A share with the
    unit % is given in percent."""
    if unit == "%" and value is not None:
        text, _, shown = format_percent(float(value), UNDEFINED).partition(" ")
        return text, shown
    if not isinstance(value, float):
        text = format_number(value, digits)
        return text, "" if value is None or isinstance(value, bool) else unit
    if not math.isfinite(value):
        return UNDEFINED, ""
    if abs(value) >= DIVERGED:
        return "diverged", ""
    if abs(value) <= NOISE.get(unit, 0.0):
        return "0", unit
    if unit == "ns" and abs(value) >= 1e3:
        return format_number(1e-3 * value, digits), "µs"
    factor, shown = _choose_unit([value], unit)
    if unit == "s":
        digits = max(digits, 4)  # an instant within a run
    return format_number(factor * value, digits), shown


def format_quantity(value: Any, unit: str = "", digits: int = DIGITS, if_none: str = "-") -> str:
    """An SI number with its unit; `if_none` where it is not defined."""
    if value is None:
        return if_none
    text, shown = split_quantity(value, unit, digits)
    return f"{text} {shown}".strip()


def format_percent(share: float | None, if_none: str = "-") -> str:
    """A share in percent: 0 below 0.001 %, "diverged" above ten times."""
    if share is None or not math.isfinite(share):
        return if_none
    if abs(share) >= DIVERGED_SHARE:
        return "diverged"
    if abs(share) < 1e-5:
        return "0 %"
    percent = 100.0 * float(share)
    text = f"{percent:.{DIGITS}g}" if abs(percent) < 999.5 else f"{percent:.0f}"
    return f"{text.replace('-', MINUS)} %"
