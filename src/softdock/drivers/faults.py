"""Faults to be applied between peers: rates, and windows in time; all from one seed.

`Faults` is what a person states; `rates` and `windows` are what compiled code reads
(core/wire/faults.py). As text: `loss=0.01,stall=20ms@3s,drift=50ppm@1s`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from softdock.core.instants import MS, SECOND, US
from softdock.core.wire import faults as wire
from softdock.errors import BadInput, Problem, closest

FOR_EVER = 1 << 62  # ns
RATES = ("loss", "duplicates", "reordering", "malformed")
_WINDOW = re.compile(r"(?P<value>[-+0-9.]+)(?P<unit>ms|s|ppm)?@(?P<at>[0-9.]+)s\Z")


@dataclass(frozen=True)
class Window:
    """Something that is wrong for a while."""

    kind: str  # of core.wire.faults.WINDOWS
    begin_s: float
    end_s: float = float("inf")
    who: int = wire.EVERYONE  # a link for a stall, else a peer
    value: float = 0.0  # ppm, of a drift

    def row(self) -> list[int]:
        end = FOR_EVER if self.end_s == float("inf") else round(self.end_s * SECOND)
        kind = wire.WINDOWS.index(self.kind)
        return [kind, self.who, round(self.begin_s * SECOND), end, round(self.value)]


@dataclass(frozen=True)
class Faults:
    """What goes wrong on every link, and when else."""

    seed: int = 0
    loss: float = 0.0  # shares of all datagrams
    duplicates: float = 0.0
    reordering: float = 0.0
    malformed: float = 0.0
    reorder_ms: float = 6.0  # how long a datagram is held back
    latency_us: float = 0.0
    jitter_us: float = 0.0  # uniform, on top
    windows: tuple[Window, ...] = ()

    def __post_init__(self) -> None:
        wrong = [
            Problem(name, value, "0 to 1")
            for name in RATES
            if not 0.0 <= (value := getattr(self, name)) <= 1.0
        ]
        for name in ("reorder_ms", "latency_us", "jitter_us"):
            if not 0.0 <= getattr(self, name) <= 1e9:
                wrong.append(Problem(name, getattr(self, name), "0 to 1e9"))
        for w in self.windows:
            if w.kind not in wire.WINDOWS:
                allowed, hint = ", ".join(wire.WINDOWS), closest(w.kind, wire.WINDOWS)
                wrong.append(Problem("windows", w.kind, allowed, "", suggestion=hint))
            if not 0.0 <= w.begin_s < w.end_s:
                wrong.append(Problem(w.kind, (w.begin_s, w.end_s), "a begin before its end"))
        if wrong:
            raise BadInput(wrong)

    def rates(self) -> np.ndarray:
        """One link's rates, float64."""
        made = np.zeros(wire.RATE_COLUMNS)
        made[wire.LOSS], made[wire.DUPLICATE] = self.loss, self.duplicates
        made[wire.REORDER], made[wire.MALFORMED] = self.reordering, self.malformed
        made[wire.REORDER_NS] = self.reorder_ms * MS
        made[wire.LATENCY_NS], made[wire.JITTER_NS] = self.latency_us * US, self.jitter_us * US
        return made

    def window_rows(self, origin_ns: int = 0) -> np.ndarray:
        """All windows, int64; times count from `origin_ns`."""
        rows = np.array([w.row() for w in self.windows], dtype=np.int64)
        rows = rows.reshape(-1, wire.WINDOW_COLUMNS)
        rows[:, wire.BEGIN_NS] += origin_ns
        rows[rows[:, wire.END_NS] < FOR_EVER, wire.END_NS] += origin_ns
        return rows


def _window(kind: str, text: str) -> Window:
    found = _WINDOW.match(text)
    allowed = (
        "a duration at a time (stall=20ms@3s), or for a drift ppm from a time (drift=50ppm@1s)"
    )
    if found is None or (found["unit"] == "ppm") != (kind == "drift"):
        raise BadInput(Problem(kind, text, allowed))
    value, begin = float(found["value"]), float(found["at"])
    if kind == "drift":
        return Window(kind, begin, value=value)
    return Window(kind, begin, begin + value * (1e-3 if found["unit"] == "ms" else 1.0))


def parse_faults(text: str, seed: int = 0) -> Faults:
    """Faults from one line of text; see the top of this file."""
    found: Faults = Faults(seed=seed)
    known = (*RATES, "latency_us", "jitter_us", "reorder_ms")
    for part in filter(None, (p.strip() for p in text.split(","))):
        key, _, value = part.partition("=")
        if key in wire.WINDOWS:
            found = replace(found, windows=(*found.windows, _window(key, value)))
        elif key in known:
            try:
                number = float(value)
            except ValueError:
                raise BadInput(Problem(key, value, "a number")) from None
            changes: dict[str, Any] = {key: number}
            found = replace(found, **changes)
        else:
            names = (*known, *wire.WINDOWS)
            raise BadInput(
                Problem("faults", key, ", ".join(names), "", suggestion=closest(key, names))
            )
    return found
