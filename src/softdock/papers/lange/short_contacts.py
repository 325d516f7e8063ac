"""The limit that the conclusion names, a desired contact of about one sampling time, for the
paper's method and for today's."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from softdock.output.pages.frame.charts import Line, chart
from softdock.papers.frame import Column, Exhibit, Findings
from softdock.papers.lange.impact import (
    MASS,
    NAIVE,
    OURS,
    PUBLISHED,
    restitution,
    run_plain_impact,
    spread_shares,
)

CYCLE_MS = 4.0
CYCLES = (10.0, 5.0, 2.5, 1.0, 0.5)  # duration of the satellites' contact, in cycles
LAGS_MS = (0.0, 20.0)  # of robots without limits
PHASES = 4
PLANT_STEPS = 32  # a contact of half a cycle has sixteen
WITHIN = 0.01  # of a restitution of 1
METHODS: dict[str, dict[str, Any]] = {
    "direct": NAIVE,
    "remapping, held": PUBLISHED,
    "remapping": OURS,
    "delay_passivity": {"name": "delay_passivity"},
    "energy_ledger": {"name": "energy_ledger"},
    "model_mediated": {"name": "model_mediated"},
}
WORDS = {
    "direct": "the measured force straight to the satellites",
    "remapping, held": "re-mapped, set-points ahead by the delay, the force held over a cycle",
    "remapping": "re-mapped in sub-steps, with rewind, given the stiffness",
    "delay_passivity": "no parameter given",
    "energy_ledger": "no parameter given",
    "model_mediated": "given the mock-ups' shapes",
}


def stiffness_of(cycles: float) -> float:
    """Stiffness [N/m] with which the satellites' contact lasts so many cycles: pi sqrt(mu / k)."""
    return float(0.5 * MASS * (np.pi / (1e-3 * CYCLE_MS * cycles)) ** 2)


@functools.cache
def compute_restitutions_of(name: str, lag_ms: float, cycles: float) -> tuple[float, ...]:
    """Restitutions of one method over the sampling phase."""
    method = METHODS[name] | ({"lead_ms": lag_ms} if name == "remapping, held" else {})
    return tuple(
        restitution(
            run_plain_impact(
                {"delay_ms": lag_ms},
                method,
                CYCLE_MS,
                float(share),
                stiffness_of(cycles),
                **{"time.plant_steps": PLANT_STEPS},
            )
        )
        for share in spread_shares(PHASES)
    )


def _key(cycles: float) -> str:
    return f"cycles_{cycles:g}".replace(".", "_")


def _row(name: str, lag_ms: float) -> dict[str, Any]:
    row: dict[str, Any] = {"method": name, "lag_ms": lag_ms}
    for cycles in CYCLES:
        row[_key(cycles)] = max(
            compute_restitutions_of(name, lag_ms, cycles), key=lambda e: abs(e - 1.0)
        )
    return row


def shortest_contact(row: dict[str, Any]) -> float | None:
    """The shortest contact [cycles] down to which every longer one is within 1 %, if any."""
    found = None
    for cycles in CYCLES:
        if not abs(row[_key(cycles)] - 1.0) <= WITHIN:
            break
        found = cycles
    return found


def _summarise(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Findings:
    said = []
    for lag in LAGS_MS:
        parts = []
        for row in rows:
            if row["lag_ms"] == lag:
                least = shortest_contact(row)
                to = f"{least:g} cycles" if least is not None else "at none of these"
                parts.append(f"{row['method']}: {to}")
        late = f"robots with {lag:g} ms of delay" if lag else "robots without delay"
        said.append(f"With {late}: {'; '.join(parts)}.")
    at = {(row["method"], row["lag_ms"]): row for row in rows}
    held, through = at["remapping, held", 0.0], at["model_mediated", 0.0]
    passed = [cycles for cycles in CYCLES if through[_key(cycles)] < 0.0]
    differences = [
        "The force held over a cycle, the form that is printed, gives e = "
        f"{held[_key(2.5)]:.3f} at 2.5 cycles and {held[_key(1.0)]:.2f} at one: the paper's limit "
        + ("is found here too." if abs(held[_key(1.0)] - 1.0) > WITHIN else "is NOT found here.")
    ]
    if passed:
        differences.append(
            "model_mediated lets the satellites go through each other (e < 0) at "
            + " and ".join(f"{c:g}" for c in passed)
            + " cycles: a contact of so few samples is never identified."
        )
    return Findings(
        "The shortest contact, in cycles, down to which e is within "
        f"{100 * WITHIN:g} % of 1 at each sampling phase. " + " ".join(said),
        differences,
    )


def _draw(rows: list[dict[str, Any]]) -> str:
    lines = []
    for i, name in enumerate(METHODS):
        for lag, dash in zip(LAGS_MS, ("solid", "dash"), strict=True):
            row = next(r for r in rows if (r["method"], r["lag_ms"]) == (name, lag))
            worst = np.array([abs(row[_key(cycles)] - 1.0) for cycles in CYCLES])
            lines.append(
                Line(
                    f"{name}, {lag:g} ms of delay",
                    f"c{i + 1}",
                    np.array(CYCLES),
                    np.maximum(worst, 1e-6),
                    dash=dash,
                    extra={"mode": "lines+markers"},
                )
            )
    return chart(
        "short_contacts",
        "Error of the restitution over the length of the contact",
        lines,
        "the satellites' contact [cycles]",
        "largest |e - 1|",
        time_axis=False,
        height=420,
        caption="Errors below 1e-6 are drawn at 1e-6.",
        layout={
            "xaxis": {"type": "log", "title": {"text": "the satellites' contact [cycles]"}},
            "yaxis": {"type": "log", "title": {"text": "largest |e - 1|"}},
        },
    )


def make_short_contacts() -> Exhibit:
    rows = [_row(name, lag) for name in METHODS for lag in LAGS_MS]
    return Exhibit(
        key="short_contacts",
        title="The limit of section VI: a contact of about one sampling time",
        says=_summarise,
        columns=(
            Column("method", "method"),
            Column("lag_ms", "robot delay [ms]"),
            *(Column(_key(c), f"{c:g} cycle{'s' if c > 1 else ''}") for c in CYCLES),
        ),
        rows=rows,
        numbers={"phases": PHASES, "cycle_time_ms": CYCLE_MS},
        assumptions=(
            "The central impact of Fig. 6 with robots without limits of acceleration, lossless; "
            "the stiffness is chosen for the length of the contact, pi sqrt(mu / k); orbit: e = 1. "
            f"T = {CYCLE_MS:g} ms, {PHASES} sampling phases, the restitution farthest from 1. "
            "Contacts shorter than 1.6 cycles need `allow_unresolved = true`: softdock refuses "
            "them otherwise.",
            "Methods. " + "; ".join(f"{name}: {words}" for name, words in WORDS.items()) + ".",
        ),
        remarks=(
            "The paper names the limit and prints no number. Its other limit, robots still in "
            "contact when the satellites already collide at another point, is not in a central "
            "impact.",
        ),
        charts=[_draw(rows)],
    )
