"""Methods whose keys are tables at the top of a scenario, in place of keys in an entry of
`[[methods]]`: part of the mission, and no remedy.

One key of the first table names the method (`guidance.controller = "glideslope"`), so a scenario
has one method of such a kind. Reader, sweeps, memory map and reference page walk this declaration
(scenario/top_tables.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class AtTop(NamedTuple):
    """What the methods of one kind share."""

    kind: str  # what such a method is called, and the key of the first table that names it
    tables: tuple[str, ...]
    meaning: str  # for the reference page, Markdown
    # keys (table.key) that are those of the first contact pair where they are not given
    from_contact: Mapping[str, str] = {}

    @property
    def key(self) -> str:
        """The key that names the method."""
        return f"{self.tables[0]}.{self.kind}"

    def named(self, tables: Mapping[str, Any]) -> str:
        """The method that a scenario's tables name; empty: none."""
        first = tables.get(self.tables[0], {})
        return str(first.get(self.kind, "")) if isinstance(first, Mapping) else ""
