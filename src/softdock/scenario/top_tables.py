"""Tables at the top of a scenario that are the keys of a method (`Method.at_top`), which a key of
the first of them lists: `[guidance]` with `guidance.controller`, and what belongs to it.

Whatever else `[[methods]]` lists, such a method stays: it is part of the mission and no remedy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from softdock.errors import closest
from softdock.loop.method.declaration import AtTop
from softdock.methods.registry import Method, find_tables_at_top

Refuse = Callable[..., None]


def kinds() -> dict[str, AtTop]:
    """What methods declare, by kind."""
    return {top.kind: top for top in find_tables_at_top().values()}


def top_tables() -> tuple[str, ...]:
    """Names of all such tables."""
    return tuple(table for top in kinds().values() for table in top.tables)


def named_by(top: AtTop) -> list[str]:
    """Names of the methods of a kind."""
    return [name for name, own in find_tables_at_top().items() if own == top]


def prefix_of(method: Method, index: int) -> str:
    """What stands before a method's keys in the path of a scenario."""
    return "" if method.at_top else f"methods.{index}."


def with_those_at_top(
    tables: Mapping[str, Any], listed: list[Mapping[str, Any]], refuse: Refuse
) -> list[Mapping[str, Any]]:
    """The listed methods, and those that tables at the top name."""
    for top in kinds().values():
        listed = _with(top, tables, listed, refuse)
    return listed


def _with(
    top: AtTop, tables: Mapping[str, Any], listed: list[Mapping[str, Any]], refuse: Refuse
) -> list[Mapping[str, Any]]:
    known = named_by(top)
    there = [m["name"] for m in listed if m.get("name") in known]
    if not any(part in tables for part in top.tables):
        return listed
    wrong = [part for part in top.tables if not isinstance(tables.get(part, {}), Mapping)]
    for part in wrong:
        refuse(part, tables[part], "a table")
    if wrong:
        return listed
    name = tables.get(top.tables[0], {}).get(top.kind, there[0] if there else None)
    if not isinstance(name, str) or name not in known:
        allowed = "one of " + ", ".join(known)
        refuse(top.key, name, allowed, closest(str(name), known))
        return listed
    if there and there != [name]:
        refuse(top.key, name, f"the one {top.kind} that [[methods]] lists: {', '.join(there)}")
        return listed
    return listed if there else [*listed, {"name": name}]


def written_tables(
    top: AtTop, given: Mapping[str, Any], contacts: list[Mapping[str, Any]]
) -> dict[str, Any]:
    """The tables of a method as its group reads them; keys that the first contact pair has too are
    its own where they are not given."""
    found = {part: dict(given.get(part, {})) for part in top.tables}
    found[top.tables[0]].pop(top.kind, None)
    pair = contacts[0] if contacts else {}
    for path, key in top.from_contact.items():
        part, _, own = path.partition(".")
        if key in pair:
            found[part].setdefault(own, pair[key])
    return found
