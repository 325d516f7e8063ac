"""`[[capture.latch]]`, or one as `[capture.latch]`, into the parameter vector."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from softdock.loop.contact.latch_keys import LATCH, MOST_LATCHES
from softdock.loop.vector import MEMORY, MEMORY_AT
from softdock.scenario.schema import LATCH_TABLE, latch_base
from softdock.scenario.table_reader import TableReader

OUTER, _, LATCHES = LATCH_TABLE.partition(".")


def without_latches(path: str, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """A table as its own group reads it: `[capture]` without its latches."""
    if path != OUTER:
        return given
    return {key: value for key, value in given.items() if key != LATCHES}


def read_latches(reader: TableReader) -> None:
    """All latches of a scenario into the reader's vector and resolved tables."""
    given = reader.dig(OUTER).get(LATCHES, [])
    given = [given] if isinstance(given, Mapping) else given
    if (
        not isinstance(given, list)
        or not all(isinstance(one, Mapping) for one in given)
        or len(given) > MOST_LATCHES
    ):
        allowed = f"an array of up to {MOST_LATCHES} tables, [[{LATCH_TABLE}]]"
        reader.refuse(LATCH_TABLE, given, allowed)
        return
    if not given:
        return
    reader.resolved[OUTER][LATCHES] = [{} for _ in given]
    for i, latch in enumerate(given):
        reader.fill(f"{LATCH_TABLE}.{i}", latch, LATCH, reader.vector, latch_base(i))
    reader.vector[MEMORY_AT + MEMORY.at.latch_count] = len(given)
