"""`[guidance]`, `[navigation]` and `[thrusters]`: the keys of a method whose tables are at the top
of a scenario (`Method.at_top`), which is listed by `guidance.controller`.

Whatever else `[[methods]]` lists, the controller stays: it is part of the mission and no remedy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from softdock.core.adaptation.registry import METHODS, Method
from softdock.errors import closest

GUIDANCE = "guidance"
TOP = (GUIDANCE, "navigation", "thrusters")
CONTROLLER = "controller"
FROM_CONTACT = {"tip_m": "tip_m", "port_m": "origin_m", "axis": "axis"}
Refuse = Callable[..., None]


def controllers() -> list[str]:
    """Names of the methods that guide."""
    return [name for name, method in METHODS.items() if method.at_top]


def prefix_of(method: Method, index: int) -> str:
    """What stands before a method's keys in the path of a scenario."""
    return "" if method.at_top else f"methods.{index}."


def with_controller(
    tables: Mapping[str, Any], listed: list[Mapping[str, Any]], refuse: Refuse
) -> list[Mapping[str, Any]]:
    """The listed methods, and the controller where `[guidance]` names one."""
    guiding = [m["name"] for m in listed if m.get("name") in controllers()]
    if not any(part in tables for part in TOP):
        return listed
    wrong = [part for part in TOP if not isinstance(tables.get(part, {}), Mapping)]
    for part in wrong:
        refuse(part, tables[part], "a table")
    if wrong:
        return listed
    given = tables.get(GUIDANCE, {})
    name = given.get(CONTROLLER, guiding[0] if guiding else None)
    key = f"{GUIDANCE}.{CONTROLLER}"
    if not isinstance(name, str) or name not in controllers():
        allowed = "one of " + ", ".join(controllers())
        refuse(key, name, allowed, closest(str(name), controllers()))
        return listed
    if guiding and guiding != [name]:
        refuse(key, name, f"the one controller that [[methods]] lists: {', '.join(guiding)}")
        return listed
    return listed if guiding else [*listed, {"name": name}]


def written_tables(given: Mapping[str, Any], contacts: list[Mapping[str, Any]]) -> dict[str, Any]:
    """The tables of a controller as its group reads them; tip, port and axis that are not given are
    those of the first contact pair."""
    guidance, navigation, thrusters = (dict(given.get(part, {})) for part in TOP)
    guidance.pop(CONTROLLER, None)
    pair = contacts[0] if contacts else {}
    known = {to: pair[key] for to, key in FROM_CONTACT.items() if key in pair}
    return dict(zip(TOP, (guidance, known | navigation, thrusters), strict=True))
