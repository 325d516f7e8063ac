"""Events of compiling, by name, for whoever shows progress. Imports nothing heavy."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

BEGINS, WAITS, ENDS = "begins", "waits", "ends"


class Compiling(NamedTuple):
    """What is being compiled."""

    entry_point: str  # its name, or the description of a lazy function
    classes: frozenset[type]  # NamedTuple classes among its arguments: features and methods
    what: str  # BEGINS, WAITS (for another process that compiles the same) or ENDS
    seconds: float  # since it began


listeners: list[Callable[[Compiling], None]] = []


def notify(entry_point: str, classes: frozenset[type], what: str, began: float) -> None:
    """Call all listeners; `began`: time.perf_counter() at the begin."""
    for listener in list(listeners):
        listener(Compiling(entry_point, classes, what, time.perf_counter() - began))
