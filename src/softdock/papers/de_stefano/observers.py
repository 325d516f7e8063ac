"""De Stefano's Figs. 9 and 10: energies that the observers measure; and the two-port sums (14) and
(15)."""

from __future__ import annotations

from typing import Any

import numpy as np

from softdock.output.pages.frame.charts import Line, chart
from softdock.papers.de_stefano.axis_scheme import (
    BARE,
    MASS,
    T1,
    T2,
    Motion,
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


def two_port_powers(motion: Motion, mass: float, T: float) -> np.ndarray:
    """F_1 v_1 T + F_2 v_2 T of each cycle [J], the network of Fig. 7: in at port 1 the work of the
    held force on the continuous mass, out at port 2 its work on the motion that is sent."""
    force, v = motion.force[:-1], motion.velocity
    into = T * force * 0.5 * (v[:-1] + v[1:])
    out = T * force * (v[1:] - motion.correction[1:])
    return np.concatenate([[0.0], into - out])


def two_port_sums(motion: Motion, mass: float, T: float) -> tuple[np.ndarray, np.ndarray]:
    """Energy of the two-port [J] at every sample by (14) with sums to n, E(0) = 0; and by (15) as
    printed, whose recursion adds the whole sum again in each step."""
    summed = np.cumsum(two_port_powers(motion, mass, T))  # De Stefano eq. 14
    return summed, np.cumsum(summed)  # De Stefano eq. 15, as printed


def _two_port_row(form: str, T: float) -> dict[str, Any]:
    motion = integrate_axis(form, pushes(T), MASS, T)
    summed, printed = two_port_sums(motion, MASS, T)
    rounding = 1e-14 * float(np.abs(T * motion.force * motion.velocity).sum())
    if np.abs(summed).max() <= rounding:
        summed, printed = np.zeros_like(summed), np.zeros_like(printed)
    return {
        "cycle_ms": 1e3 * T,
        "scheme": "without controller" if form == BARE else form,
        "sum_J": float(summed[-1]),
        "lowest_sum_J": float(summed.min()),
        "observed_J": drop_rounding(motion.left[-1] - motion.left[0], motion),
        "as_printed_J": float(printed[-1]),
    }


def make_two_port() -> Exhibit:
    forms = (BARE, "published", "previous_force", "bounded")
    rows = [_two_port_row(form, T) for T in (T1, T2) for form in forms]
    return Exhibit(
        key="two_port",
        title="(14) and (15): the energy of the two-port of Fig. 7",
        says=_summarise_two_port,
        columns=(
            Column("cycle_ms", "T [ms]"),
            Column("scheme", "scheme"),
            Column("sum_J", "(14) at the end, sums to n [J]"),
            Column("lowest_sum_J", "lowest [J]"),
            Column("observed_J", "E_obs of (16), damper booked [J]"),
            Column("as_printed_J", "(15) as printed [J]"),
        ),
        rows=rows,
        numbers={},
        assumptions=(
            "The force profile of figure_3, E(0) = 0. Port 1: the held force F(k-1) times the mean "
            "velocity of the continuous mass over the cycle; port 2: minus F(k-1) times the "
            "velocity v_c(k) that is sent.",
        ),
        remarks=(
            "(14) and (15) are printed with sums to nT: the index counts samples, so they run to "
            "n. (15) adds the whole sum in every step, which counts each cycle again in all later "
            "ones; rightly it adds the cycle's own term, and is (14).",
        ),
        charts=[_draw_two_port()],
    )


def _draw_two_port() -> str:
    lines = []
    for i, form in enumerate((BARE, "published", "previous_force", "bounded")):
        motion = integrate_axis(form, pushes(T1), MASS, T1)
        name = "without controller" if form == BARE else form
        summed = two_port_sums(motion, MASS, T1)[0]
        lines.append(Line(name, f"c{i + 1}", motion.time, summed))
    return chart("two_port", "Energy of the two-port, T = 0.1 s", lines, "time [s]", "energy [J]")


def _summarise_two_port(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Findings:
    slow = {row["scheme"]: row for row in rows if row["cycle_ms"] == 1e3 * T1}
    bare, held, bounded = (slow[k] for k in ("without controller", "previous_force", "bounded"))
    active = [row["scheme"] for row in slow.values() if row["lowest_sum_J"] < 0.0]
    apart = max(
        abs(row["sum_J"] - row["observed_J"])
        for row in rows
        if row["scheme"] in ("without controller", "previous_force")
    )
    return Findings(
        f"Without controller (14) ends at {bare['sum_J']:.3f} J at T1, active; with F(k-1) in the "
        f"damper at {held['sum_J']:.3g} J. Below zero at some sample: "
        f"{', '.join(active) or 'none'}.",
        [
            f"The printed (15) comes to {bare['as_printed_J']:.0f} J without controller, "
            f"{bare['as_printed_J'] / bare['sum_J']:.0f} times (14).",
            f"(14) and E_obs of (16) are {apart:.1g} J apart at most where the damper takes the "
            "force that acted, F(k-1). The published and the bounded form book F(k) v_pc for what "
            "is F(k-1) v_pc at the port: a push's last cycle, "
            f"{slow['published']['sum_J']:.3f} and {bounded['sum_J']:.3f} J at the end, stays, "
            f"where (16) says {slow['published']['observed_J']:.3f} and "
            f"{bounded['observed_J']:.3f} J.",
        ],
    )
