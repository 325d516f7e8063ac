"""De Stefano's Figs. 9 and 10: energies that the observers measure."""

from __future__ import annotations

from typing import Any

import numpy as np

from softdock.output.pages.frame.charts import Line, chart
from softdock.papers.de_stefano.axis_scheme import (
    BARE,
    MASS,
    T1,
    T2,
    drop_rounding,
    exact_position,
    integrate_axis,
    pushes,
)
from softdock.papers.frame import Column, Exhibit, Findings


def _observer_rows(T: float) -> list[dict[str, Any]]:
    rows = []
    for form in (BARE, "published", "previous_force", "bounded"):
        motion = integrate_axis(form, pushes(T), MASS, T)
        tank = motion.left[0]
        rows.append(
            {
                "scheme": "without controller" if form == BARE else form,
                "lowest_before_J": drop_rounding(motion.observed.min(), motion),
                "lowest_after_J": drop_rounding(motion.left.min(), motion),
                "end_J": drop_rounding(motion.left[-1], motion),
                "tank_J": float(tank),
                "largest_correction_m_per_s": float(np.abs(motion.correction).max()),
                "largest_drift_m": float(
                    np.abs(motion.position - exact_position(motion.force, MASS, T)).max()
                ),
            }
        )
    return rows


def _observer_exhibit(key: str, figure: str, T: float) -> Exhibit:
    rows = _observer_rows(T)
    bare, with_pc = (
        integrate_axis(BARE, pushes(T), MASS, T),
        integrate_axis("published", pushes(T), MASS, T),
    )
    return Exhibit(
        key=key,
        title=f"{figure}: observed energy and correction at T = {T:g} s",
        says=_summarise,
        columns=(
            Column("scheme", "scheme"),
            Column("lowest_before_J", "lowest E_obs of (16) [J]"),
            Column("lowest_after_J", "lowest, damper booked [J]"),
            Column("end_J", "at the end [J]"),
            Column("tank_J", "tank [J]"),
            Column("largest_correction_m_per_s", "largest v_pc [m/s]"),
            Column("largest_drift_m", "largest drift [m]"),
        ),
        rows=rows,
        numbers={},
        assumptions=("The force profile of figure_3.",),
        remarks=(
            "The paper shows E_obs >= 0 with the controller. By (16) itself E_obs(k) = "
            "-dH(k) < 0 while there is force. After a push -dH of the last sample stays, "
            "because (17) has no answer at F = 0.",
        ),
        charts=[
            chart(
                key,
                "Observed energy",
                [
                    Line("without controller", "c1", bare.time, bare.left),
                    Line("with, as in (16)", "c2", with_pc.time, with_pc.observed),
                    Line("with, damper booked in the same step", "c3", with_pc.time, with_pc.left),
                    Line("v_pc", "c4", with_pc.time, with_pc.correction, second=True),
                ],
                "time [s]",
                "energy [J]",
                second_title="v_pc [m/s]",
            ),
            chart(
                f"{key}_with",
                "With controller, larger",
                [
                    Line("as in (16)", "c2", with_pc.time, with_pc.observed),
                    Line("damper booked in the same step", "c3", with_pc.time, with_pc.left),
                ],
                "time [s]",
                "energy [J]",
                height=260,
            ),
        ],
    )


def make_figure_9() -> Exhibit:
    return _observer_exhibit("figure_9", "Fig. 9", T1)


def make_figure_10() -> Exhibit:
    return _observer_exhibit("figure_10", "Fig. 10", T2)


def _summarise(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Findings:
    at = {row["scheme"]: row for row in rows}
    bare, mended, bounded = at["without controller"], at["published"], at["bounded"]
    before, after = mended["lowest_before_J"], mended["lowest_after_J"]
    tank, left = bounded["tank_J"], bounded["lowest_after_J"]
    return Findings(
        f"Without controller the observed energy ends at {bare['end_J']:.3f} J. With it, it falls "
        f"to {before:.4f} J as (16) counts it"
        + (", below zero," if before < 0.0 else ", never below zero,")
        + f" and to {after:.4f} J where the damper's part is booked in the same step.",
        [
            f"The bounded form starts with a full tank, T^2 F_max^2 / 2m = {tank:.2g} J, and "
            + ("never empties it" if left >= 0.0 else "EMPTIES it")
            + f" ({left:.2g} J left at the lowest)."
        ],
    )
