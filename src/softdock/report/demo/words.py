"""What the demo's rows say: the sentence on top, what a delay did, what a remedy did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from softdock.core.adaptation.registry import RAW

SAME = 1e-3  # of a restitution
Rows = Sequence[Mapping[str, Any]]

_LATE = (
    "The robot is late. On the way in the spring is pressed less than it should be, so the "
    "satellite is braked too little and goes too deep. On the way out the mock-up still sits in "
    "the spring when the satellite has already left, so the satellite is pushed too long."
)


def raw_rows(rows: Rows) -> list[Mapping[str, Any]]:
    """Rows of the rig without any method."""
    return [
        row for row in rows if row.get("delay_ms") is not None and row.get("method", RAW) == RAW
    ]


def _known(rows: Rows) -> list[Mapping[str, Any]]:
    return [row for row in rows if row.get("restitution") is not None]


def _more(restitution: float) -> str:
    return f"{abs(100.0 * (restitution - 1.0)):.1f} % {'more' if restitution >= 1.0 else 'less'}"


def _orbits(rows: Rows) -> str:
    """What orbit gives back, of its own row."""
    found = [row for row in _known(rows) if row.get("delay_ms") is None]
    if not found:
        return "orbit was not flown"
    e = float(found[0]["restitution"])
    return "orbit gives back the same" if abs(e - 1.0) < SAME else f"orbit gives back {_more(e)}"


def verdict_of(rows: Rows) -> str:
    """The raw rig at its worst, beside orbit."""
    late = _known(raw_rows(rows))
    if not late:
        return f"{_orbits(rows).capitalize()}."
    worst = max(late, key=lambda row: abs(float(row["restitution"]) - 1.0))
    return (
        f"With {worst['delay_ms']:g} ms of delay this rig gives back "
        f"{_more(float(worst['restitution']))} speed than it received; {_orbits(rows)}."
    )


def why(rows: Rows) -> str:
    """What a delay does, and whether these runs show it."""
    late = sorted(_known(raw_rows(rows)), key=lambda row: float(row["delay_ms"]))
    invented = [float(row["energy_invented_J"]) for row in late if row.get("energy_invented_J")]
    if len(invented) < 2 or min(invented) <= 0.0:
        return f"{_LATE} In these runs that gave it no energy."
    grows = all(b > a for a, b in pairwise(invented))
    return (
        f"{_LATE} Both give it energy that nobody put in: the rig invents it, "
        f"{1e3 * invented[0]:.2g} to {1e3 * invented[-1]:.2g} mJ here"
        + (". The longer the delay, the more." if grows else ", not always more with more delay.")
    )


def has_remedy(rows: Rows) -> bool:
    """Whether any row is of a rig with a method."""
    return bool(_with_method(rows))


def _with_method(rows: Rows) -> list[Mapping[str, Any]]:
    """Rows of a rig with a method; orbit has neither a delay nor a method."""
    return [
        row for row in rows if row.get("delay_ms") is not None and row.get("method", RAW) != RAW
    ]


def remedy(rows: Rows) -> str:
    """What each method made of the delay it was run with."""
    said = []
    bare = {row["delay_ms"]: float(row["restitution"]) for row in _known(raw_rows(rows))}
    for row in _known(_with_method(rows)):
        e, without = float(row["restitution"]), bare.get(row["delay_ms"])
        invents = (row.get("energy_invented_J") or 0.0) > 0.0
        better = without is not None and abs(e - 1.0) < abs(without - 1.0)
        said.append(
            f"{row['method']} leaves the robots late: the rig "
            f"{'goes on inventing' if invents else 'does not go on inventing'} energy, and "
            + (
                "the remedy takes it out again before the satellite has left"
                if invents and better
                else "the satellite comes back nearer to orbit"
                if better
                else "the satellite comes back no nearer to orbit"
            )
            + f". What counts is what comes back: {e:.4f}"
            + (f", without it {without:.4f}." if without is not None else ".")
        )
    return " ".join(said)
