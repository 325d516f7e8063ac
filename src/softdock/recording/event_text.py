"""The text of an event or a reason, with what was found put in; and the status word of a sensor in
words.

A text holds `{who}` and `{a}`, `{b}`, which may say how they are written: `{a:.4g}`, `{a:.0f}`, or
in words: `{a:status}` a sensor's status word, `{b:axis}` an axis, `{a:set}` by how many seconds a
clock was set. Texts come from files as well, so nothing else of Python's formats is taken.
"""

from __future__ import annotations

import math
import re

# The status word of a Net F/T record in words, bit by bit, as ATI's manual names them.

STATUS_ERROR, STATUS_SATURATED = 1 << 31, 1 << 17
STATUS_LATCHED = 0x80010000  # a monitor condition, a warning though bit 31 is set
BITS = {
    30: "CPU or RAM error",
    29: "digital board error",
    28: "analog board error",
    27: "serial link communication error",
    26: "program memory verify error",
    25: "halted due to configuration errors",
    24: "settings validation error",
    23: "configuration incompatible with calibration",
    22: "network communication failure",
    21: "CAN communication error",
    20: "RDT communication error",
    19: "EtherNet/IP protocol failure",
    18: "DeviceNet protocol failure",
    17: "transducer saturated, or A/D error",
    16: "monitor condition latched",
    14: "watchdog timeout",
    13: "stack check error",
    12: "serial EEPROM failure",
    11: "serial flash failure",
    10: "analog board watchdog timeout",
    9: "excessive strain gage excitation current",
    8: "insufficient strain gage excitation current",
    7: "artificial analog ground out of range",
    6: "analog board power supply too high",
    5: "analog board power supply too low",
    4: "serial link data unavailable",
    3: "reference voltage or power monitoring error",
    2: "internal temperature error",
    1: "HTTP protocol failure",
}


def describe_status(word: int) -> str:
    """What a status word says; the word itself in hexadecimal behind it."""
    if word == 0:
        return "no error (0x00000000)"
    names = [BITS.get(bit, f"bit {bit}") for bit in range(30, -1, -1) if word >> bit & 1]
    if word & STATUS_ERROR and not names:
        names = ["an error without its kind"]
    if word == STATUS_LATCHED:
        names = [f"{BITS[16]} (a warning)"]
    return f"{', '.join(names)} (0x{word & 0xFFFFFFFF:08x})"


NOBODY = -1  # whose it is: neither the chaser's nor the target's
WHO = ("chaser", "target")
FIELD = re.compile(r"\{(a|b|who)(?::(\.[0-9]{1,2}[gf]|status|axis|set))?\}")


def _format_step(seconds: float) -> str:
    way = "forward" if seconds > 0.0 else "back"
    return f"{way} by {1e3 * abs(seconds):.4g} ms"


def _format_number(kind: str, value: float) -> str:
    if not math.isfinite(value):
        return f"{value:g}"
    if kind == "status":
        return describe_status(int(value))
    if kind == "axis":
        return "XYZ"[int(value)] if 0 <= value < len("XYZ") else f"axis {value:g}"
    return _format_step(value) if kind == "set" else format(value, kind or ".6g")


def fill_text(text: str, a: float, b: float, who: float = NOBODY) -> str:
    """A text with its numbers. `who`: 0 the chaser's, 1 the target's, else nobody's."""

    def put(found: re.Match[str]) -> str:
        name, kind = found.groups()
        if name == "who":
            return WHO[int(who)] if who in (0, 1) else "rig"
        return _format_number(kind or "", a if name == "a" else b)

    return FIELD.sub(put, text)
