"""What a verdict cannot be sure of: shown with it, and never part of it.

In: the metrics of the runs that were judged. Out: sentences, each computed from those runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from softdock.core.adaptation.registry import METHODS

HARDER = 1.1  # times what orbit and the delay explain: below, it is not said


def doubts_of(runs: Sequence[Mapping[str, Any]], unjudged: str = "") -> list[str]:
    """Of all runs. `unjudged`: why some of them have no verdict of their own."""
    found = [f"Some runs have no verdict: {unjudged}."] if unjudged else []
    if len(runs) == 1:
        found.append("Only one sampling phase was judged.")
    for m in runs:
        for name, books in (m.get("method_books") or {}).items():
            vouches = METHODS[name.rstrip("_0123456789")].vouches if _is_method(name) else None
            found += [f"{name}: {reason}." for reason in (vouches(books) if vouches else [])]
    found += _loaded(runs)
    return list(dict.fromkeys(found))


def _is_method(name: str) -> bool:
    return name.rstrip("_0123456789") in METHODS


def _loaded(runs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Mock-ups that are hit harder than the contact on orbit and the delay alone explain."""
    found = []
    for m in runs:
        n = m["criteria"]
        force, orbits = n["mock_up_force_N"], n["mock_up_force_on_orbit_N"]
        if force and orbits and force > HARDER * max(orbits, n["mock_up_force_by_delay_N"] or 0.0):
            found.append((force / orbits, force, orbits))
    if not found:
        return []
    ratio, force, orbits = max(found)
    return [f"Mock-ups loaded {ratio:.2g} times: {force:.3g} N, on orbit {orbits:.3g} N."]
