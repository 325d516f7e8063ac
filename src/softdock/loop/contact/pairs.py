"""Contact pairs, as the other packages know them: a spherical tip of the chaser against a shape of
the target, each pair with its own law. Up to four at once. The vocabulary is in shape.py and
law.py."""

from __future__ import annotations

from softdock.loop.contact.keys import MOST_PAIRS, PAIR, SAME_AS_REAL
from softdock.loop.contact.law import Law
from softdock.loop.contact.models import CONE, GEOMETRIES, SPHERE, WALL
from softdock.loop.contact.pair import (
    KIND_BITS,
    LATCH,
    PAIR_FLOATS,
    KnownPair,
    Pair,
    Pairs,
    kind_in,
    load_pair,
    pair_here,
)
from softdock.loop.contact.prepare import device_compliance, kind_of_pair, store_pair
from softdock.loop.contact.shape import Shape

__all__ = [
    "CONE",
    "GEOMETRIES",
    "KIND_BITS",
    "LATCH",
    "MOST_PAIRS",
    "PAIR",
    "PAIR_FLOATS",
    "SAME_AS_REAL",
    "SPHERE",
    "WALL",
    "KnownPair",
    "Law",
    "Pair",
    "Pairs",
    "Shape",
    "device_compliance",
    "kind_in",
    "kind_of_pair",
    "load_pair",
    "pair_here",
    "store_pair",
]
