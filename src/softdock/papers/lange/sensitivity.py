"""IV-G: effect of a wrong contact stiffness on the restitution."""

from __future__ import annotations

from typing import Any

import numpy as np

from softdock.output.pages.frame.charts import Line, chart
from softdock.papers.frame import Column, Exhibit, Findings
from softdock.papers.lange.impact import (
    OURS,
    PUBLISHED,
    STIFFNESS,
    restitution,
    run_plain_impact,
    spread_shares,
)

ROBOTS = {
    "jerk": {"model": "limited", "max_acceleration_m_per_s2": 2.3, "max_jerk_m_per_s3": 8.86},
    "acceleration": {"model": "limited", "max_acceleration_m_per_s2": 0.362},
    "fast": {"model": "limited", "max_acceleration_m_per_s2": 2.3, "max_jerk_m_per_s3": 125.0},
    "ideal": {"model": "limited", "max_acceleration_m_per_s2": 1000.0},
}
WORDS = {
    "jerk": "2.3 m/s², 8.86 m/s³ (Fig. 6)",
    "acceleration": "0.362 m/s² (Fig. 6)",
    "fast": "2.3 m/s², 125 m/s³",
    "ideal": "1000 m/s²",
}
CYCLE_MS = 4.0
ERRORS = (-0.1, 0.1)
FINE_ERRORS = np.linspace(-0.2, 0.2, 9)
PHASES = 4


def restitution_with_stiffness(
    robots: str, error: float, method: dict[str, Any], number: int = PHASES, **more: Any
) -> float:
    """Mean restitution if the method assumes k_e larger by this error."""
    keys = method | {"stiffness_N_per_m": (1.0 + error) * STIFFNESS} | more
    return float(
        np.mean(
            [
                restitution(run_plain_impact(ROBOTS[robots], keys, CYCLE_MS, float(share)))
                for share in spread_shares(number)
            ]
        )
    )


def restitution_with_wanted_stiffness(error: float, number: int = PHASES) -> float:
    """Mean restitution with an error of the wanted stiffness K_d."""
    wanted = {"law": "spring_damper", "stiffness_N_per_m": (1.0 + error) * STIFFNESS}
    return float(
        np.mean(
            [
                restitution(
                    run_plain_impact(
                        ROBOTS["jerk"], OURS | {"wanted": wanted}, CYCLE_MS, float(share)
                    )
                )
                for share in spread_shares(number)
            ]
        )
    )


def _row(robots: str, error: float) -> dict[str, Any]:
    held, fine = (
        restitution_with_stiffness(robots, error, PUBLISHED),
        restitution_with_stiffness(robots, error, OURS),
    )
    estimated = restitution_with_stiffness(robots, error, OURS, estimate="on_line")
    numbers = {
        "held": held,
        "held_percent": 100.0 * (held - 1.0),
        "fine": fine,
        "fine_percent": 100.0 * (fine - 1.0),
        "estimated": estimated,
    }
    return {"robots": robots, "error_percent": 100.0 * error, **numbers}


def make_wrong_stiffness() -> Exhibit:
    rows = [_row(robots, error) for robots in ROBOTS for error in ERRORS]
    on_line = max(abs(row["estimated"] - 1.0) for row in rows)
    wanted = {error: restitution_with_wanted_stiffness(error) for error in (-0.5, 1.0)}
    lines = []
    for robots, role in (("jerk", "c4"), ("acceleration", "c2"), ("fast", "c3"), ("ideal", "c1")):
        values = np.array(
            [restitution_with_stiffness(robots, float(error), OURS, 1) for error in FINE_ERRORS]
        )
        lines.append(
            Line(
                f"{robots}: {WORDS[robots]}",
                role,
                100.0 * FINE_ERRORS,
                values,
                extra={"mode": "lines+markers"},
            )
        )
    return Exhibit(
        key="wrong_stiffness",
        title="IV-G: a wrong contact stiffness",
        says=_summarise,
        columns=(
            Column("robots", "robots"),
            Column("error_percent", "k_e wrong by [%]"),
            Column("held", "e, held force"),
            Column("held_percent", "change [%]"),
            Column("fine", "e, sub-steps"),
            Column("fine_percent", "change [%]"),
            Column("estimated", "e, k_e estimated on line"),
        ),
        rows=rows,
        numbers={
            "largest_error_estimated_on_line": on_line,
            "wanted_stiffness_half": wanted[-0.5],
            "wanted_stiffness_double": wanted[1.0],
        },
        assumptions=(
            f"The central impact at T = 4 ms, no delay, means over {PHASES} sampling phases. "
            "Robots. " + "; ".join(f"{name}: {words}" for name, words in WORDS.items()) + ".",
            "On line: the stiffness is estimated in each contact from force and measured "
            "motion, beginning with the wrong one. The "
            "sensor has no noise here.",
        ),
        remarks=(
            "The paper says that the effect of inaccurate parameters is marginal, because only the "
            "part due to x_dc - x_c is affected. That part is what the method is for.",
        ),
        charts=[
            chart(
                "wrong_stiffness",
                "Restitution against the error of k_e",
                lines,
                "k_e wrong by [%]",
                "restitution [-]",
                caption="Re-mapped in sub-steps.",
                time_axis=False,
                height=380,
            )
        ],
    )


MARGINAL = 1.5  # %: as much as k_e is wrong by, less is marginal
COSTS_NOTHING = 1e-3


def _summarise(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Findings:
    at = {(row["robots"], row["error_percent"]): row for row in rows}
    slow = [at["jerk", error]["held_percent"] for error in (10.0, -10.0)]
    follow = max(abs(at["ideal", error]["fine_percent"]) for error in (-10.0, 10.0))
    half, double = numbers["wanted_stiffness_half"], numbers["wanted_stiffness_double"]
    costs = max(abs(half - 1.0), abs(double - 1.0))
    on_line = numbers["largest_error_estimated_on_line"]
    marginal = max(map(abs, slow)) < MARGINAL
    return Findings(
        f"{'Marginal' if marginal else 'Not marginal'} where robots lag much: k_e wrong by 10 % "
        f"changes e by {slow[0]:+.0f} to {slow[1]:+.0f} %. With robots that follow it is "
        f"{follow:.1f} %. A wrong wanted stiffness K_d "
        + ("costs nothing, as the paper says." if costs < COSTS_NOTHING else f"costs {costs:.0e}."),
        [
            f"Estimated on line, e is {on_line:.0e} away from 1"
            + (
                ", whatever stiffness was believed at first."
                if on_line < COSTS_NOTHING
                else ": the estimate does not repair a wrong belief."
            ),
            f"K_d half and twice as stiff: e = {half:.5f} and {double:.5f}.",
        ],
    )
