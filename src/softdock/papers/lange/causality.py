"""Causality (Lange IV-F): robots with 20 ms of delay, without compensation, with led set-points,
with the past recomputed, or both."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from softdock.output.pages.frame.charts import Line, chart
from softdock.papers.frame import Column, Exhibit, Findings
from softdock.papers.lange.impact import (
    HELD,
    MASS,
    OURS,
    STIFFNESS,
    restitution,
    run_plain_impact,
    spread_shares,
)

SAME = 1e-9  # a rig that is a bare loop of mass and spring


def _worst_error(rows: list[dict[str, Any]], keys: tuple[str, ...]) -> float:
    return max(abs(row[key] - 1.0) for row in rows for key in keys)


def summarise_causality(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Findings:
    at = {(row["means"], row["cycle_ms"], row["stiffness_N_per_mm"]): row for row in rows}
    soft, hard = at["nothing", 4.0, 50.0], at["nothing", 4.0, 500.0]
    held = ("held_least", "held_most")
    worst, worst_hard, worst_coarse = (
        _worst_error([at[means, *place] for means in ("lead", "rewind")], held)
        for place in ((4.0, 50.0), (4.0, 500.0), (12.0, 500.0))
    )
    anew = [row for row in rows if row["means"] in ("rewind", "both")]
    fine = _worst_error(anew, ("fine_least", "fine_most"))
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
    return Findings(
        verdict,
        [
            _describe_stiff_contact(hard, numbers),
            _describe_coarse_cycle(coarse),
            _describe_lead_alone(at["lead", 12.0, 500.0]),
        ],
    )


def _describe_stiff_contact(hard: dict[str, Any], n: dict[str, Any]) -> str:
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


def _describe_coarse_cycle(row: dict[str, Any]) -> str:
    broken = _worst_error([row], ("held_least", "held_most")) > 0.05
    holds = _worst_error([row], ("fine_least", "fine_most")) < 0.01
    return (
        f"A contact of {row['contact_cycles']:.1f} cycles (500 N/mm, 12 ms) "
        + ("breaks" if broken else "does not break")
        + f" a held force with rewind: {row['held_least']:.2f} to {row['held_most']:.2f}"
        + ("; the paper names this limit" if broken else "")
        + f". Sub-steps {'hold' if holds else 'do NOT hold'}: {row['fine_least']:.5f} to "
        f"{row['fine_most']:.5f}."
    )


def _describe_lead_alone(row: dict[str, Any]) -> str:
    return (
        "Lead alone with sub-steps: the first sample still comes up to a cycle after the touch, "
        f"and its overlap is energy from nowhere ({row['fine_most']:.2f} at worst in this table; "
        f"with a held force {row['held_mean']:.2f} on average)."
    )


LAG = 0.020  # s
ROBOT = {
    "model": "limited",
    "max_acceleration_m_per_s2": 2.3,
    "max_jerk_m_per_s3": 125.0,
    "delay_ms": 1e3 * LAG,
}  # as physics' robots of Fig. 7
CYCLES_MS, STIFFER = (4.0, 12.0), (1.0, 10.0)
MEANS = {
    "nothing": (0.0, 0.0),
    "lead": (1e3 * LAG, 0.0),
    "rewind": (0.0, 100.0),
    "both": (1e3 * LAG, 100.0),
}  # lead, rewind [ms]
PHASES = 8
EXPECTED = (2.1, 2.4)  # ten times the stiffness, 4 ms, nothing; from an independent calculation
LEADS_MS = np.arange(0.0, 44.0, 4.0)


@functools.cache
def compute_restitutions(
    means: str, cycle_ms: float, stiffer: float, held: bool, number: int = PHASES
) -> np.ndarray:
    """Restitutions over the sampling phase."""
    lead, rewind = MEANS[means]
    return _restitutions_over_phase(lead, rewind, cycle_ms, stiffer, held, number)


def _restitutions_over_phase(
    lead: float, rewind: float, cycle_ms: float, stiffer: float, held: bool, number: int
) -> np.ndarray:
    method = OURS | {"lead_ms": lead, "rewind_ms": rewind} | (HELD if held else {})
    return np.array(
        [
            restitution(
                run_plain_impact(ROBOT, method, cycle_ms, float(share), stiffer * STIFFNESS)
            )
            for share in spread_shares(number)
        ]
    )


def lagging_restitution(stiffer: float = 1.0) -> float:
    """Restitution of a contact that acts from `LAG` after the touch on: sqrt(1 + (w tau)^2)."""
    return math.sqrt(1.0 + stiffer * STIFFNESS / (0.5 * MASS) * LAG**2)


def bare_loop_restitution(stiffer: float, cycle_ms: float, share: float) -> float:
    """Restitution of one mass on a spring, without robots and sensor: free flight for the lag and a
    share of a cycle, then the force of each sample held."""
    T, w_squared = 1e-3 * cycle_ms, stiffer * STIFFNESS / (0.5 * MASS)
    x, v = LAG + share * T, 1.0
    while x > 0.0:
        v -= T * w_squared * x
        x += T * v
    return -v


def _row(means: str, cycle_ms: float, stiffer: float) -> dict[str, Any]:
    held, fine = (
        compute_restitutions(means, cycle_ms, stiffer, is_held) for is_held in (True, False)
    )
    return {
        "stiffness_N_per_mm": 1e-3 * stiffer * STIFFNESS,
        "cycle_ms": cycle_ms,
        "contact_cycles": math.pi
        / math.sqrt(stiffer * STIFFNESS / (0.5 * MASS))
        / (1e-3 * cycle_ms),
        "means": means,
        "theory": lagging_restitution(stiffer) if means == "nothing" else 1.0,
        "held_mean": float(held.mean()),
        "held_least": float(held.min()),
        "held_most": float(held.max()),
        "fine_mean": float(fine.mean()),
        "fine_least": float(fine.min()),
        "fine_most": float(fine.max()),
    }


def make_causality() -> Exhibit:
    rows = [
        _row(means, cycle_ms, stiffer)
        for stiffer in STIFFER
        for cycle_ms in CYCLES_MS
        for means in MEANS
    ]
    bare = np.array([bare_loop_restitution(10.0, 4.0, float(share)) for share in spread_shares(64)])
    alone = np.array(
        [bare_loop_restitution(10.0, 4.0, float(share)) for share in spread_shares(PHASES)]
    )
    apart = float(np.abs(alone - compute_restitutions("nothing", 4.0, 10.0, True)).max())
    return Exhibit(
        key="causality",
        title="IV-F: causality, robots with 20 ms of delay",
        says=summarise_causality,
        columns=(
            Column("stiffness_N_per_mm", "k [N/mm]"),
            Column("cycle_ms", "T [ms]"),
            Column("contact_cycles", "contact [cycles]"),
            Column("means", "against the lag"),
            Column("theory", "theory"),
            Column("held_mean", "e, held force: mean"),
            Column("held_least", "least"),
            Column("held_most", "most"),
            Column("fine_mean", "e, sub-steps: mean"),
            Column("fine_least", "least"),
            Column("fine_most", "most"),
        ),
        rows=rows,
        numbers={
            "lag_ms": 1e3 * LAG,
            "phases": PHASES,
            "bare_loop_mean": float(bare.mean()),
            "bare_loop_least": float(bare.min()),
            "bare_loop_most": float(bare.max()),
            "largest_difference_from_the_bare_loop": apart,
            "expected_least": EXPECTED[0],
            "expected_most": EXPECTED[1],
        },
        assumptions=(
            "The central impact of Fig. 6; robots of 2.3 m/s², 125 m/s³, 20 ms of delay; over "
            f"{PHASES} sampling phases. Held: one force a cycle (published). "
            "Sub-steps: those that the method has by default. Theory: sqrt(1 + (w tau)²), "
            "the satellites' overlap at the first sample taken as stored energy.",
        ),
        remarks=(
            "The paper gives no numbers for IV-F. It asks for the lead first; rewind needs no "
            "knowledge of the delay.",
            "Too much lead: the robots touch and part before the satellites. The paper has no rule "
            "for that; here what is known of the contact is held until the satellites part as well "
            "(chart).",
        ),
        charts=[_bar_chart(rows), _lead_chart()],
    )


def _bar_chart(rows: list[dict[str, Any]]) -> str:
    lines = []
    shapes = {"nothing": "x", "lead": "circle", "rewind": "square", "both": "diamond"}
    places = [(k, T) for k in (50.0, 500.0) for T in CYCLES_MS]
    for i, means in enumerate(MEANS):
        found = [
            next(
                r
                for r in rows
                if (r["means"], r["stiffness_N_per_mm"], r["cycle_ms"]) == (means, k, T)
            )
            for k, T in places
        ]
        middle = np.array([r["held_mean"] for r in found])
        error = {
            "type": "data",
            "symmetric": False,
            "array": [r["held_most"] - r["held_mean"] for r in found],
            "arrayminus": [r["held_mean"] - r["held_least"] for r in found],
        }
        marks = {
            "mode": "markers",
            "marker": {"size": 11, "symbol": shapes[means]},
            "error_y": error,
        }
        lines.append(
            Line(
                means,
                ("c4", "c1", "c3", "c5")[i],
                np.arange(4) + 0.12 * (i - 1.5),
                middle,
                extra=marks,
            )
        )
    ticks = {
        "title": {"text": ""},
        "tickvals": [0, 1, 2, 3],
        "ticktext": [f"{k:g} N/mm, {T:g} ms" for k, T in places],
        "range": [-0.5, 3.5],
    }
    caption = (
        "As published, force held over a cycle. Marks: mean over the sampling phase; bars: least "
        "and most."
    )
    return chart(
        "causality",
        "Restitution",
        lines,
        "",
        "restitution [-]",
        caption=caption,
        time_axis=False,
        height=380,
        layout={"xaxis": ticks},
    )


def _lead_chart() -> str:
    """Effect of a lead that differs from the delay, with and without rewind."""
    lines = []
    for name, role, rewind in (("lead alone", "c1", 0.0), ("lead and rewind", "c3", 100.0)):
        means = np.array(
            [
                _restitutions_over_phase(float(lead), rewind, 4.0, 1.0, True, 2).mean()
                for lead in LEADS_MS
            ]
        )
        lines.append(Line(name, role, LEADS_MS, means, extra={"mode": "lines+markers"}))
    caption = "Robots with 20 ms of delay, 50 N/mm, T = 4 ms, force held."
    return chart(
        "causality_lead",
        "A lead that is not the delay",
        lines,
        "lead [ms]",
        "restitution [-]",
        caption=caption,
        time_axis=False,
    )
