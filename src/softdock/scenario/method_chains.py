"""Lists of methods that cannot work together, by what each method declares of itself
(loop/method/method.py): once, settles_energy, is_last_on_wrench."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from softdock.methods.registry import METHODS


def chain_problems(names: Sequence[Any]) -> list[tuple[int, str]]:
    """Place in the list, and what is allowed there."""
    found = []
    for i, name in enumerate(names):
        method = METHODS.get(name) if isinstance(name, str) else None
        if method is None:
            continue  # refused elsewhere
        if method.once and name in names[:i]:
            found.append((i, f"'{name}' once: {method.once}"))
        if method.is_last_on_wrench:
            later = _next_on_wrench(name, names[i + 1 :])
            if later:
                found.append((i, f"'{name}' after '{later}': {method.is_last_on_wrench}"))
        if method.settles_energy:
            rivals = _settling(names[: i + 1])
            if len(rivals) > 1:
                both = " or ".join(f"'{one}'" for one in rivals)
                found.append((i, f"either {both}: both would take the same energy"))
    return found


def _next_on_wrench(name: str, later: Sequence[Any]) -> str:
    """The next method of another name that changes the wrench; empty: none."""
    others = [other for other in later if isinstance(other, str) and other != name]
    return next((one for one in others if one in METHODS and METHODS[one].acts_on_wrench), "")


def _settling(names: Sequence[Any]) -> list[str]:
    """Those that settle the energy of the whole loop, in the registry's order."""
    listed = {name for name in names if isinstance(name, str)}
    return [name for name in METHODS if name in listed and METHODS[name].settles_energy]
