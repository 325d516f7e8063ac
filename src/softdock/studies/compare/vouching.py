"""Does a method vouch for its own runs? One that identifies what it needs says in its books whether
it could (`Method.vouches`), and is advised first where it did.

It holds if, at every phase, the method learned what it needs, the satellites part with at most
`ALLOWED` of the relative kinetic energy that they had and that came from outside, and the verdict
is "faithful".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from softdock.loop.method.method import Method
from softdock.results.judgement import FAITHFUL
from softdock.results.momenta import compute_kinetic_energy, read_mass_properties, read_motions
from softdock.results.run import Run

ALLOWED = 1.01  # of relative kinetic energy before and external work
Row = dict[str, Any]


def collect_vouching(chain: Sequence[Method], runs: Sequence[Run], word: str) -> Row | None:
    """Whether the methods of a chain vouch for these runs, and else why not; None: none of them
    says anything of itself."""
    sure = [method for method in chain if method.vouches is not None]
    if not sure:
        return None
    reasons: list[str] = []
    for run in runs:
        for method in sure:
            assert method.vouches is not None
            reasons += method.vouches(run.method_books.get(method.name, {}))
    ratio = max(compute_energy_ratio(run) for run in runs)
    if ratio > ALLOWED:
        reasons.append(f"the satellites part with {ratio:.4g} of the energy that they had")
    if word != FAITHFUL:
        reasons.append(f"the verdict is {word}")
    reasons = list(dict.fromkeys(reasons))
    return {"holds": not reasons, "reasons": reasons, "energy_ratio": ratio}


def compute_energy_ratio(run: Run) -> float:
    """Kinetic energy relative to the pair's common motion at the end, over that at the start and
    what external wrenches gave."""
    bodies = read_mass_properties(run.scenario.vector)
    start, end = (compute_kinetic_energy(bodies, read_motions(run.series, row)) for row in (0, -1))
    given = max(float(run.metrics["ledger"]["external_J"]), 0.0)
    return end / (start + given) if start + given > 0.0 else 0.0


def describe_vouching(row: Row) -> str:
    """What a row's own report adds to advice to use it."""
    vouch = row.get("vouch")
    if not vouch or not vouch["holds"]:
        return ""
    return (
        "By its own report it learned what it needs at every phase, and the satellites part with "
        f"at most {vouch['energy_ratio']:.4g} of the relative kinetic energy that they had: that "
        "is why it is advised before methods that must be told."
    )


def explain_no_vouching(rows: Sequence[Row]) -> str:
    """Of rows that could have vouched and did not: the first one's reasons."""
    for row in rows:
        vouch = row.get("vouch")
        if vouch and not vouch["holds"]:
            return f"{row['method']} is not advised first here: {'; '.join(vouch['reasons'])}."
    return ""
