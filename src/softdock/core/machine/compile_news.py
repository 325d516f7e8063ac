"""News of what is being compiled, by name, for whoever shows progress. Imports nothing heavy."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

BEGINS, WAITS, ENDS = "begins", "waits", "ends"


class Compiling(NamedTuple):
    """A door that is being compiled."""

    door: str
    classes: frozenset[type]  # NamedTuple classes among its arguments: features and methods
    what: str  # BEGINS, WAITS (for another process that compiles the same) or ENDS
    seconds: float  # since it began


listeners: list[Callable[[Compiling], None]] = []


def tell(door: str, classes: frozenset[type], what: str, began: float) -> None:
    """To all listeners; `began`: time.perf_counter() at the begin."""
    for listener in list(listeners):
        listener(Compiling(door, classes, what, time.perf_counter() - began))
