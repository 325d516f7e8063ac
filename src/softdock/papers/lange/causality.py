"""Causality (Lange IV-F): robots that are 20 ms late, with nothing against it, set-points led, the
past recomputed, or both."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from softdock.papers.frame import Column, Exhibit
from softdock.papers.lange.causality_words import causality_said
from softdock.papers.lange.impact import (
    HELD,
    MASS,
    OURS,
    STIFFNESS,
    plain_impact,
    restitution,
    shares,
)
from softdock.report.frame.charts import Line, chart

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
EXPECTED = (2.1, 2.4)  # ten times the stiffness, 4 ms, nothing: design/physics.md 5
LEADS_MS = np.arange(0.0, 44.0, 4.0)


@functools.cache
def restitutions(
    means: str, cycle_ms: float, stiffer: float, held: bool, number: int = PHASES
) -> np.ndarray:
    """Over the sampling phase."""
    lead, rewind = MEANS[means]
    return _over_the_phase(lead, rewind, cycle_ms, stiffer, held, number)


def _over_the_phase(
    lead: float, rewind: float, cycle_ms: float, stiffer: float, held: bool, number: int
) -> np.ndarray:
    method = OURS | {"lead_ms": lead, "rewind_ms": rewind} | (HELD if held else {})
    return np.array(
        [
            restitution(plain_impact(ROBOT, method, cycle_ms, float(share), stiffer * STIFFNESS))
            for share in shares(number)
        ]
    )


def lagging(stiffer: float = 1.0) -> float:
    """Restitution of a contact that acts from `LAG` after the touch on: sqrt(1 + (w tau)^2)."""
    return math.sqrt(1.0 + stiffer * STIFFNESS / (0.5 * MASS) * LAG**2)


def bare_loop(stiffer: float, cycle_ms: float, share: float) -> float:
    """Restitution of one mass on a spring, no robots and no sensor: flown on for the lag and a
    share of a cycle, then the force of each sample held."""
    T, w_squared = 1e-3 * cycle_ms, stiffer * STIFFNESS / (0.5 * MASS)
    x, v = LAG + share * T, 1.0
    while x > 0.0:
        v -= T * w_squared * x
        x += T * v
    return -v


def _row(means: str, cycle_ms: float, stiffer: float) -> dict[str, Any]:
    held, fine = (restitutions(means, cycle_ms, stiffer, is_held) for is_held in (True, False))
    return {
        "stiffness_N_per_mm": 1e-3 * stiffer * STIFFNESS,
        "cycle_ms": cycle_ms,
        "contact_cycles": math.pi
        / math.sqrt(stiffer * STIFFNESS / (0.5 * MASS))
        / (1e-3 * cycle_ms),
        "means": means,
        "theory": lagging(stiffer) if means == "nothing" else 1.0,
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
    bare = np.array([bare_loop(10.0, 4.0, float(share)) for share in shares(64)])
    alone = np.array([bare_loop(10.0, 4.0, float(share)) for share in shares(PHASES)])
    apart = float(np.abs(alone - restitutions("nothing", 4.0, 10.0, True)).max())
    return Exhibit(
        key="causality",
        title="IV-F: causality, robots 20 ms late",
        says=causality_said,
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
            "The central impact of Fig. 6; robots of 2.3 m/s², 125 m/s³, 20 ms late; over "
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
        charts=[_bars(rows), _leads()],
    )


def _bars(rows: list[dict[str, Any]]) -> str:
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


def _leads() -> str:
    """What a lead that is not the delay does, with and without rewind."""
    lines = []
    for name, role, rewind in (("lead alone", "c1", 0.0), ("lead and rewind", "c3", 100.0)):
        means = np.array(
            [_over_the_phase(float(lead), rewind, 4.0, 1.0, True, 2).mean() for lead in LEADS_MS]
        )
        lines.append(Line(name, role, LEADS_MS, means, extra={"mode": "lines+markers"}))
    caption = "Robots 20 ms late, 50 N/mm, T = 4 ms, force held."
    return chart(
        "causality_lead",
        "A lead that is not the delay",
        lines,
        "lead [ms]",
        "restitution [-]",
        caption=caption,
        time_axis=False,
    )
