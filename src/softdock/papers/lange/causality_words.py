"""What the runs of Lange IV-F say."""

from __future__ import annotations

from typing import Any

from softdock.papers.frame import Said

SAME = 1e-9  # a rig that is a bare loop of mass and spring


def _worst(rows: list[dict[str, Any]], keys: tuple[str, ...]) -> float:
    return max(abs(row[key] - 1.0) for row in rows for key in keys)


def causality_said(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Said:
    at = {(row["means"], row["cycle_ms"], row["stiffness_N_per_mm"]): row for row in rows}
    soft, hard = at["nothing", 4.0, 50.0], at["nothing", 4.0, 500.0]
    held = ("held_least", "held_most")
    worst, worst_hard, worst_coarse = (
        _worst([at[means, *place] for means in ("lead", "rewind")], held)
        for place in ((4.0, 50.0), (4.0, 500.0), (12.0, 500.0))
    )
    anew = [row for row in rows if row["means"] in ("rewind", "both")]
    fine = _worst(anew, ("fine_least", "fine_most"))
    coarse = at["rewind", 12.0, 500.0]
    verdict = (
        f"Nothing against the lag: e = {soft['held_mean']:.2f} at 4 ms ({soft['held_least']:.2f} "
        f"to {soft['held_most']:.2f} over the sampling phase), {hard['held_mean']:.2f} "
        f"({hard['held_least']:.2f} to {hard['held_most']:.2f}) at ten times the stiffness. Lead "
        f"or rewind, force held, 4 ms: within {100 * worst:.2f} % at 50 N/mm and "
        f"{100 * worst_hard:.1f} % at 500 N/mm; 12 ms and 500 N/mm, a contact of "
        f"{coarse['contact_cycles']:.1f} cycles: up to {100 * worst_coarse:.0f} %. Rewind in "
        f"sub-steps: within {fine:.0e} in every row."
    )
    return Said(
        verdict, [_hard(hard, numbers), _coarse(coarse), _lead_alone(at["lead", 12.0, 500.0])]
    )


def _hard(hard: dict[str, Any], n: dict[str, Any]) -> str:
    low, high, apart = (
        n["expected_least"],
        n["expected_most"],
        n["largest_difference_from_the_bare_loop"],
    )
    inside = low <= hard["held_least"] and hard["held_most"] <= high
    mean = low <= hard["held_mean"] <= high
    return (
        f"Ten times the stiffness, 4 ms, nothing: expected were {low:g} to {high:g}, which "
        + (
            "hold every phase"
            if inside
            else "hold the mean, not every phase"
            if mean
            else "do not hold even the mean"
        )
        + ". The first sample comes 20 to 24 ms after the touch, and e grows with that: a bare "
        f"loop of one mass and one spring gives {n['bare_loop_least']:.2f} to "
        f"{n['bare_loop_most']:.2f}, {n['bare_loop_mean']:.2f} on average, and the whole rig is "
        f"{apart:.0e} away from it in {n['phases']} phases"
        + (
            f": {hard['held_most']:.2f} is the sampling, not the robots."
            if apart < SAME
            else ": so it is not the sampling alone."
        )
    )


def _coarse(row: dict[str, Any]) -> str:
    broken = _worst([row], ("held_least", "held_most")) > 0.05
    holds = _worst([row], ("fine_least", "fine_most")) < 0.01
    return (
        f"A contact of {row['contact_cycles']:.1f} cycles (500 N/mm, 12 ms) "
        + ("breaks" if broken else "does not break")
        + f" a held force with rewind: {row['held_least']:.2f} to {row['held_most']:.2f}"
        + ("; the paper names this limit" if broken else "")
        + f". Sub-steps {'hold' if holds else 'do NOT hold'}: {row['fine_least']:.5f} to "
        f"{row['fine_most']:.5f}."
    )


def _lead_alone(row: dict[str, Any]) -> str:
    return (
        "Lead alone with sub-steps: the first sample still comes up to a cycle after the touch, "
        f"and its overlap is energy from nowhere ({row['fine_most']:.2f} at worst in this table; "
        f"with a held force {row['held_mean']:.2f} on average)."
    )
