"""What the numbers of Zebenay's Figs. 5 and 6 say."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from softdock.papers.frame import Said

AGREE = 1e-3  # relative: closed form and simulated runs
MASS, STIFFNESS, DAMPING = "mass_kg", "stiffness_N_per_m", "damping_Ns_per_m"


def figure_5_said(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Said:
    worst = numbers["largest_departure_of_the_simulation"]
    agree = "agree" if worst < AGREE else "DO NOT agree"
    printed = next(row for row in rows if row["published_ms"] is not None)
    met = abs(printed["ours_ms"] / printed["published_ms"] - 1.0) < 0.05
    return Said(
        "At m = 60 kg, k = 1000 N/m, b = 50 Ns/m the loop bears "
        f"{numbers['critical_delay_ms']:.5f} ms; no damping bears more than "
        f"{numbers['nose_delay_ms']:.1f} ms. Closed forms and simulated runs {agree} (worst "
        f"{100 * worst:.2g} %). The one printed number, {printed['published_ms']:g} ms at "
        f"{printed[DAMPING]:g} Ns/m, is {'met' if met else 'NOT met'}: "
        f"{printed['ours_ms']:.2f} ms."
    )


def _falls(values: list[float]) -> bool:
    return all(b < a for a, b in pairwise(values))


def _swept(rows: list[dict[str, Any]], key: str) -> list[dict[str, Any]]:
    """The rows in which `key` varies, in its order: the point that all sweeps share is one."""
    others = [k for k in (MASS, STIFFNESS, DAMPING) if k != key]
    values = {k: sorted(row[k] for row in rows)[len(rows) // 2] for k in others}
    unique = {row[key]: row for row in rows if all(row[k] == values[k] for k in others)}
    return [unique[value] for value in sorted(unique)]


def figure_6_said(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Said:
    by_k, by_m, by_b = (_swept(rows, key) for key in (STIFFNESS, MASS, DAMPING))
    shrinks = _falls([r["critical_delay_ms"] for r in by_k]) and _falls(
        [r["nose_delay_ms"] for r in by_k]
    )
    widens = _falls([-r["nose_delay_ms"] for r in by_m])
    low, high = numbers["light_least_ms"], numbers["light_most_ms"]
    hardly = high / low - 1.0 < 0.05
    stated = [
        f"more stiffness {'shrinks' if shrinks else 'does NOT shrink'} the stable region",
        f"more mass {'widens' if widens else 'does NOT widen'} it",
        f"with 20 Ns/m the critical delay {'hardly depends' if hardly else 'DEPENDS'} on the mass "
        f"({low:.2f} to {high:.2f} ms)",
    ]
    published = "As published" if shrinks and widens and hardly else "Not all as published"
    most = max(row[DAMPING] for row in by_b)
    nose = by_b[0]["nose_damping_Ns_per_m"]
    grows = _falls([-r["critical_delay_ms"] for r in by_b])
    return Said(
        f"{published}: {', '.join(stated)}.",
        [
            '"An increasing damping enlarges the stable region" '
            + (f"holds up to {most:g} Ns/m here" if grows else f"fails up to {most:g} Ns/m here")
            + f", and can hold only below the nose's damping, {nose:.0f} Ns/m: above it more "
            "damping costs delay."
        ],
    )
