"""The paper's own argument, (13) to (20): with the dissipation of its reference [3], by
displacement, spring S2 never moves; with (23), by the duration of a sample, it relaxes.

The energy balances (9) to (12), (15), (16) are solved sample by sample for the standard linear
solid of Fig. 2, once with each dissipation; states and motions in m, walls at q < 0, energies in J.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from softdock.papers.frame import Column as Heading
from softdock.papers.frame import Exhibit, Findings
from softdock.papers.franken.parameters import EXPERIMENT, SIMULATION, Column, push, sine

BY_DISPLACEMENT, BY_TIME = "(14), by displacement [3]", "(23), by the sample's duration"
RULES = (BY_DISPLACEMENT, BY_TIME)
MOTIONS = {"Fig. 5, 1 kHz": (SIMULATION, 1e-3), "Fig. 6, 100 Hz": (EXPERIMENT, 1e-2)}
ROUNDING = 1e-12  # of the spring's first state: less than this is no motion


class Solid(NamedTuple):
    """States of the solid, sample by sample, while the wall is touched."""

    first: np.ndarray  # m, x_S1
    second: np.ndarray  # m, x_S2
    jumps: np.ndarray  # m, dx_S2 of each sample
    dissipated: np.ndarray  # J, dH_B1 of each sample


def smallest_root(a: float, b: float, c: float) -> float:
    """Root of a x^2 + b x + c = 0 that the paper chooses; nan if there is none."""
    inside = b * b - 4.0 * a * c
    if inside < 0.0:
        return math.nan
    larger = -0.5 * (b + math.copysign(math.sqrt(inside), b))  # without cancellation
    return c / larger if larger != 0.0 else 0.0


def solve_balances(column: Column, q: np.ndarray, T: float, rule: str) -> Solid:
    """Solve from the first sample inside the wall until S1 has no solution."""
    k1, k2, b1, _ = column
    start = int(np.argmax(q < 0.0))
    x1 = x2 = float(q[start])  # Franken eq. 25, alpha = 1
    rows: list[tuple[float, float, float, float]] = []
    for dq in np.diff(q[start:]):
        f2 = -k2 * x2  # Franken eq. 19
        given = (k1 * x1 + k2 * x2) * float(dq)  # Franken eq. 9
        dx1 = smallest_root(0.5 * k1, k1 * x1 - f2, -given)  # Franken eqs. 10 to 12
        if math.isnan(dx1) or x1 + dx1 >= 0.0:
            break
        into = -f2 * dx1  # Franken eq. 10
        if rule == BY_DISPLACEMENT:
            dx2 = smallest_root(0.5 * k2, k2 * x2 + f2, 0.0)  # Franken eq. 18
            lost = -f2 * (dx1 - dx2)  # Franken eq. 14
        else:
            lost = (k2 * x2) ** 2 * T / b1  # Franken eq. 23
            dx2 = smallest_root(0.5 * k2, k2 * x2, lost - into)  # Franken eqs. 15, 16
        if math.isnan(dx2):
            break
        rows.append((x1, x2, dx2, lost))
        x1, x2 = x1 + dx1, x2 + dx2
    return Solid(*np.array(rows).T)


def _row(name: str, rule: str) -> dict[str, Any]:
    column, T = MOTIONS[name]
    time = np.arange(round(2.0 / T) + 1) * T
    found = solve_balances(column, sine(time) if column is SIMULATION else push(time), T, rule)
    return {
        "motion": name,
        "dissipation": rule,
        "samples": len(found.first),
        "largest_jump_S2_mm": 1e3 * float(np.abs(found.jumps).max()),
        "first_state_S2_mm": 1e3 * float(found.second[0]),
        "last_state_S2_mm": 1e3 * float(found.second[-1]),
        "samples_in_which_B1_gives": int((found.dissipated < 0.0).sum()),
        "least_dissipated_mJ": 1e3 * float(found.dissipated.min()),
    }


def _summarise(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Findings:
    of = {rule: [row for row in rows if row["dissipation"] == rule] for rule in RULES}
    still = all(
        row["largest_jump_S2_mm"] <= ROUNDING * abs(row["first_state_S2_mm"])
        for row in of[BY_DISPLACEMENT]
    )
    moves = all(row["largest_jump_S2_mm"] > 0.0 for row in of[BY_TIME])
    largest = max(row["largest_jump_S2_mm"] for row in of[BY_DISPLACEMENT])
    first = (
        "(20) follows: with the dissipation of [3] S2 moves in no sample"
        if still
        else f"(20) does not follow: with the dissipation of [3] S2 moves by up to {largest:.2g} mm"
    )
    second = (
        "with (23) it does" if moves else "with (23) it does not in every motion that was tried"
    )
    gives = {row["motion"]: row["samples_in_which_B1_gives"] for row in of[BY_DISPLACEMENT]}
    kept = [row for row in of[BY_DISPLACEMENT] if abs(row["last_state_S2_mm"]) > 0.0]
    differences = [
        "The paper says that S2 is then effectively removed. "
        + (
            "It is frozen: "
            + ", ".join(f"{row['last_state_S2_mm']:.3g} mm ({row['motion']})" for row in kept)
            + " of the first touch stay in it, a constant force."
            if still and kept
            else "Here it is not frozen."
        ),
        "By (14) the damper gives energy back in "
        + ", ".join(f"{count} samples of {motion}" for motion, count in gives.items())
        + (
            ": S1 going back takes it along, so more than S2 is wrong with [3]."
            if any(gives.values())
            else "."
        ),
    ]
    return Findings(f"{first}; {second}.", differences)


def make_argument() -> Exhibit:
    return Exhibit(
        key="argument",
        title="(13) to (20): why the dissipation needs the sample's duration",
        says=_summarise,
        columns=(
            Heading("motion", "motion"),
            Heading("dissipation", "dissipation of B1"),
            Heading("samples", "samples in contact"),
            Heading("largest_jump_S2_mm", "largest |dx_S2| of a sample [mm]"),
            Heading("first_state_S2_mm", "x_S2 at the touch [mm]"),
            Heading("last_state_S2_mm", "x_S2 at the end [mm]"),
            Heading("samples_in_which_B1_gives", "samples in which B1 gives energy"),
            Heading("least_dissipated_mJ", "least dH_B1 [mJ]"),
        ),
        rows=[_row(name, rule) for name in MOTIONS for rule in RULES],
        numbers={},
        assumptions=(
            "The parameters of Table I; the motions of figure_5 and figure_6, two seconds of each; "
            "alpha = 1. A contact ends where (12) has no answer (the approximate step (26) is not "
            "part of this argument).",
        ),
    )
