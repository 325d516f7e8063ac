"""The shape of a scenario: which tables there are, and which group of definitions each one holds.

Everything a user may write derives from here: loading, checks, the reference page, the sweeps of a
campaign.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from softdock.files.schema import file_key, version_key
from softdock.loop.contact.latch_keys import LATCH, MOST_LATCHES
from softdock.loop.contact.pairs import MOST_PAIRS, PAIR
from softdock.loop.parameters import Group
from softdock.loop.vector import BASES, LATCHES_AT, PAIRS_AT, PARTS

SCHEMA_VERSION = 1


class Table(NamedTuple):
    """A table of a scenario file and where its numbers stand in the vector."""

    path: str  # dotted
    group: Group
    base: int


TABLES = tuple(Table(path, group, BASES[path]) for path, group in PARTS)
PAIR_TABLE = "contact"  # an array of tables, one per pair
METHOD_TABLE = "methods"  # an array of tables, in the order in which they apply
LATCH_TABLE = "capture.latch"  # an array of tables, one per latch
FACILITY_TABLE = "facility"  # arms and their places (docs/arms.md); the loop does not read it

# A body that never moves: nothing in the loop reads these, so nobody has to state them.
OF_A_FIXED_BODY = {"mass_kg": 1000.0, "inertia_kg_m2": [100.0, 100.0, 100.0]}

TOP_LEVEL = (
    replace(version_key(SCHEMA_VERSION, SCHEMA_VERSION), meaning="version of the scenario format"),
    file_key("name", "short name", "unnamed", kind="text"),
    file_key("description", "what this scenario shows", "", kind="text"),
    file_key(
        "allow_unresolved",
        "true: run although a contact is shorter than 1.6 cycles",
        False,
        kind="flag",
    ),
)


def latch_base(index: int) -> int:
    """First number of a latch in the vector."""
    if not 0 <= index < MOST_LATCHES:
        raise IndexError(index)
    return LATCHES_AT + index * LATCH.size


def pair_base(index: int) -> int:
    """First number of a contact pair in the vector."""
    if not 0 <= index < MOST_PAIRS:
        raise IndexError(index)
    return PAIRS_AT + index * PAIR.size
