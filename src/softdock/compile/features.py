"""What a loop is compiled with. Most rigs need neither planners nor laboratories nor heavy
mock-ups; a loop without them compiles in two thirds of the time.

A scenario's `Markers` name the features and the methods by *type*, so that compiled code holds what
the scenario uses (scenario/features.py decides). A heavy function is chosen with `by_type`:
in a `Plain` loop one that is never reached stands in its place, and the heavy one is not compiled.
Arms are heavier still, so they are a feature of their own: a loop without them has none of their
code.
"""

from __future__ import annotations

import os
from typing import NamedTuple

# Set by the tests: fewer things are compiled, and each in less time (jit.py, and
# scenario/features.py). No number depends on it.
SWITCH = "SOFTDOCK_EVERY_FEATURE"


def is_sparing() -> bool:
    """Whether compiling is to be spared, at the price of slower loops."""
    return os.environ.get(SWITCH, "0") not in ("", "0")


class Plain(NamedTuple):
    """Robots that are late and nothing else, sensors that feel the contact alone, rigid tips."""

    nothing: int


class Every(NamedTuple):
    """All that the facility can do."""

    nothing: int


class Arms(NamedTuple):
    """All of that, and robots that are arms of six joints (robots/arm)."""

    nothing: int


def is_full(cls: type) -> bool:
    """Whether a loop of these features has all that the facility can do; with arms or without."""
    return cls is Every or cls is Arms


class Markers(NamedTuple):
    """Types that choose the code: the features, and one marker per method
    (methods/registry.py)."""

    features: Plain | Every | Arms
    methods: tuple
