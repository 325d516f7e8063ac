"""Figs. 4, 5, 6, 9, 10, 11: the energies of the simulated mass, with and without the correction."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from softdock.output.pages.frame.charts import Line, chart
from softdock.papers.de_stefano.axis_scheme import (
    BARE,
    MASS,
    T1,
    T2,
    T3,
    Motion,
    integrate_axis,
    pushes,
)
from softdock.papers.de_stefano.drift import smooth_drift
from softdock.papers.frame import Column, Exhibit, Findings

EXACT = 1e-9  # relative


def _is_exact(rows: list[dict[str, Any]]) -> bool:
    """Whether m v^2 / 2 equals the continuous energy at both instants of every row."""
    return all(
        abs(row[f"kinetic_{at}_J"] - row[f"continuous_{at}_J"])
        <= EXACT * abs(row[f"continuous_{at}_J"])
        for row in rows
        for at in ("first", "second")
    )


def summarise_figure_4(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Findings:
    slow, exact = rows[0], _is_exact(rows)
    larger = all(
        row[f"port_{at}_J"] > row[f"continuous_{at}_J"]
        for row in rows
        for at in ("first", "second")
    )
    return Findings(
        f"m v^2 / 2 is {'exact' if exact else 'NOT exact'} at the samples "
        f"({slow['kinetic_first_J']:.1f} and {slow['kinetic_second_J']:.1f} J); the sum of "
        f"T F(k-1) v(k) is {'too large' if larger else 'not too large'}: "
        f"{slow['port_first_J']:.1f} and {slow['port_second_J']:.1f} J at T1.",
        [
            "H_T1 above H_c, as the printed figure has it, "
            + (
                "cannot be for a held force: m v(k)^2 / 2 is H_c at every sample."
                if exact
                else "is found here."
            )
        ],
    )


def summarise_figure_11(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Findings:
    slow = rows[0]
    off = max(
        abs(row[f"port_{at}_J"] / row[f"continuous_{at}_J"] - 1.0)
        for row in rows
        for at in ("first", "second")
    )
    return Findings(
        f"The port's sum with the corrected velocity comes to {slow['port_first_J']:.3f} and "
        f"{slow['port_second_J']:.3f} J at T1, H_c to {slow['continuous_first_J']:.1f} and "
        f"{slow['continuous_second_J']:.1f} J: {100 * off:.2g} % apart at most.",
        [
            "The energies that the paper shows corrected were "
            + ("exact to begin with" if _is_exact(rows) else "wrong to begin with")
            + " (figure_4). What the correction changes is the port's sum, and the position."
        ],
    )


def summarise_figure_5(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Findings:
    held, extra = max(row["held_J"] for row in rows), numbers["largest_extra_J"]
    zero = held < EXACT * abs(extra)
    by_T = sorted(rows, key=lambda row: row["cycle_ms"])
    falls = all(a["rate_W"] < b["rate_W"] for a, b in itertools.pairwise(by_T))
    bare = numbers["smooth_drift_uncorrected_m"]
    mended = numbers["smooth_drift_previous_force_m"]
    return Findings(
        f"For a held force dE is {'zero' if zero else f'up to {held:.2g} J'}, not dH (up to "
        f"{extra:.2g} J). For a smooth force and its samples |dE - dH| / T "
        f"{'falls' if falls else 'does NOT fall'} with T: "
        + ", ".join(f"{row['rate_W']:.2g} W at {row['cycle_ms']:g} ms" for row in by_T[::-1])
        + ".",
        [
            "With a smooth force the statement about drift "
            + ("turns round" if abs(bare) < 0.1 * abs(mended) else "does not turn round")
            + f": (5) ends {bare:+.2g} m off and the corrected scheme {mended:+.2g} m."
        ],
    )


def summarise_figure_6(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Findings:
    gap = numbers["largest_gap_of_rectangle_and_triangle_J"]
    most = max(abs(row["gain_J"]) for row in rows)
    same = gap <= EXACT * most
    return Findings(
        "In each cycle the rectangle T F v(k-1) plus the triangle dH is "
        + (
            "the gain of energy, to rounding"
            if same
            else f"up to {gap:.2g} J away from the gain of energy"
        )
        + (": the triangle is work, not an error." if same else ".")
    )


AFTER_FIRST, AT_END = 30.0, 50.0  # s
SMOOTH_PEAK, SMOOTH_PERIOD = 6.0, 10.0  # N, s: the smooth force of Figs. 5 and 6


def continuous_energy(T: float) -> np.ndarray:
    """H_c at the samples, from the exact velocity of the held force [J]."""
    v = np.concatenate([[0.0], np.cumsum(T * pushes(T)[:-1] / MASS)])
    return 0.5 * MASS * v**2


def port_sum(motion: Motion, T: float) -> np.ndarray:
    """Sum of T F(k-1) v(k) [J]: the energy of a port that takes the new velocity for the whole
    cycle."""
    return np.concatenate([[0.0], np.cumsum(T * motion.force[:-1] * motion.velocity[1:])])


def output_energy(motion: Motion, T: float) -> np.ndarray:
    """The same with the corrected velocity [J]."""
    return np.concatenate(
        [[0.0], np.cumsum(T * motion.force[:-1] * (motion.velocity[1:] - motion.correction[1:]))]
    )


def _energies_at(values: np.ndarray, t: float, T: float) -> float:
    return float(values[round(t / T)])


def _energy_rows(form: str, port: Any) -> list[dict[str, Any]]:
    rows = []
    for T in (T1, T2):
        motion = integrate_axis(form, pushes(T), MASS, T)
        kinetic, summed, exact = (
            0.5 * MASS * motion.velocity**2,
            port(motion, T),
            continuous_energy(T),
        )
        rows.append({"cycle_ms": 1e3 * T})
        for name, series in (("kinetic", kinetic), ("port", summed), ("continuous", exact)):
            rows[-1] |= {
                f"{name}_first_J": _energies_at(series, AFTER_FIRST, T),
                f"{name}_second_J": _energies_at(series, AT_END, T),
            }
    return rows


_COLUMNS = (
    Column("cycle_ms", "T [ms]"),
    Column("continuous_first_J", "H_c after the first push [J]"),
    Column("continuous_second_J", "H_c at the end [J]"),
    Column("kinetic_first_J", "m v(k)^2 / 2, first push [J]"),
    Column("kinetic_second_J", "at the end [J]"),
    Column("port_first_J", "port sum, first push [J]"),
    Column("port_second_J", "at the end [J]"),
)


def _energy_chart(key: str, form: str, port: Any) -> str:
    lines = [Line("H_c", "orbit", np.arange(len(pushes(T1))) * T1, continuous_energy(T1))]
    for role, T in (("c1", T1), ("c2", T2)):
        motion = integrate_axis(form, pushes(T), MASS, T)
        summed = port(motion, T)
        lines.append(Line(f"port sum, T = {T:g} s", role, motion.time, summed, dash="dash"))
        lines.append(
            Line(
                f"less H_c, T = {T:g} s",
                role,
                motion.time,
                summed - continuous_energy(T),
                second=True,
            )
        )
    caption = (
        "Below: by how much the port's sum is above H_c; on the scale of the energies the lines "
        "cover each other."
    )
    return chart(
        key,
        "Energy of the mass",
        lines,
        "time [s]",
        "energy [J]",
        caption=caption,
        second_title="less H_c [J]",
        height=420,
    )


def make_figure_4() -> Exhibit:
    rows = _energy_rows(BARE, port_sum)
    return Exhibit(
        key="figure_4",
        title="Fig. 4: mechanical energy without correction",
        says=summarise_figure_4,
        columns=_COLUMNS,
        rows=rows,
        numbers={},
        assumptions=(
            "The force profile of figure_3. The figure's numbers are not readable from the "
            "text: nothing is set beside them.",
        ),
        remarks=(
            "The printed figure shows H_T1 above H_c. For a held force (6) gives the exact "
            "velocity. dH of (9) and (10) is part of the true work of the held force, T F "
            "(v(k-1) + "
            "v(k)) / 2, and not created. What can be above H_c is the port's "
            "sum with the new velocity, shown here.",
        ),
        charts=[_energy_chart("figure_4", BARE, port_sum)],
    )


def make_figure_11() -> Exhibit:
    rows = _energy_rows("published", output_energy)
    return Exhibit(
        key="figure_11",
        title="Fig. 11: mechanical energy with correction",
        says=summarise_figure_11,
        columns=_COLUMNS,
        rows=rows,
        numbers={},
        assumptions=("As figure_4.",),
        remarks=(),
        charts=[_energy_chart("figure_11", "published", output_energy)],
    )


def smooth_difference(T: float) -> np.ndarray:
    """dE - dH [J per cycle] for a smooth force against its samples. dE: energy gain of the sampled
    step less that of the continuous one."""
    t = np.arange(round(SMOOTH_PERIOD / T) + 1) * T
    w = 2.0 * np.pi / SMOOTH_PERIOD
    force = SMOOTH_PEAK * np.sin(w * t)
    exact = SMOOTH_PEAK / (MASS * w) * (1.0 - np.cos(w * t))
    sampled = np.concatenate([[0.0], np.cumsum(T * force[:-1] / MASS)])
    gain = np.diff(0.5 * MASS * sampled**2) - np.diff(0.5 * MASS * exact**2)
    return np.asarray(gain - 0.5 * T**2 * force[:-1] ** 2 / MASS)


def held_difference(T: float) -> float:
    """The largest |dE| for the held profile: sampled against continuous [J]."""
    motion = integrate_axis(BARE, pushes(T), MASS, T)
    return float(np.abs(0.5 * MASS * motion.velocity**2 - continuous_energy(T)).max())


def make_figure_5() -> Exhibit:
    rows, lines = [], []
    for role, T in (("c1", T1), ("c2", T2), ("c3", T3)):
        off = smooth_difference(T)
        rows.append(
            {
                "cycle_ms": 1e3 * T,
                "largest_J": float(np.abs(off).max()),
                "rate_W": float(np.abs(off).max() / T),
                "held_J": held_difference(T),
            }
        )
        lines.append(Line(f"T = {T:g} s", role, np.arange(len(off)) * T, off / T))
        if T < T1:
            lines.append(
                Line(f"T = {T:g} s, larger", role, np.arange(len(off)) * T, off / T, second=True)
            )
    return Exhibit(
        key="figure_5",
        title="Fig. 5: dE against dH",
        says=summarise_figure_5,
        columns=(
            Column("cycle_ms", "T [ms]"),
            Column("largest_J", "largest |dE - dH|, smooth force [J a cycle]"),
            Column("rate_W", "the same over T [W]"),
            Column("held_J", "largest |dE|, held force [J]"),
        ),
        rows=rows,
        numbers={
            "smooth_drift_uncorrected_m": smooth_drift(T1, BARE),
            "smooth_drift_previous_force_m": smooth_drift(T1, "previous_force"),
            "largest_extra_J": float(0.5 * T1**2 * np.abs(pushes(T1)).max() ** 2 / MASS),
        },
        assumptions=(
            f"The force of the figure is not printed: {SMOOTH_PEAK:g} N sin(2 pi t / "
            f"{SMOOTH_PERIOD:g} s) on {MASS:g} kg.",
        ),
        remarks=(
            "The paper compares with the continuous mass under the same held force; then dE - "
            "dH = -dH, whatever (12) says. The printed picture can only come from a force that "
            "changes between samples.",
        ),
        charts=[
            chart(
                "figure_5",
                "dE - dH over T",
                lines,
                "time [s]",
                "power [W]",
                second_title="[W]",
                caption="Below: the two shorter cycles, larger.",
                height=420,
            )
        ],
    )


def make_figure_6() -> Exhibit:
    T = 1.0  # s: coarse, to be seen
    t, fine = np.arange(0.0, 5.0 + T, T), np.linspace(0.0, 5.0, 501)
    w = 2.0 * np.pi / SMOOTH_PERIOD
    force = SMOOTH_PEAK * np.sin(w * t)
    v = np.concatenate([[0.0], np.cumsum(T * force[:-1] / MASS)])
    cell = np.minimum((fine / T).astype(int), len(t) - 2)
    held, velocity = force[cell], v[cell] + (fine - t[cell]) * force[cell] / MASS
    areas = np.array(
        [np.trapezoid((held * velocity)[cell == k], fine[cell == k]) for k in range(len(t) - 1)]
    )
    rows = [
        {
            "cycle": k + 1,
            "start_J": T * force[k] * v[k],
            "extra_J": 0.5 * T**2 * force[k] ** 2 / MASS,
            "end_J": T * force[k] * v[k + 1],
            "gain_J": 0.5 * MASS * (v[k + 1] ** 2 - v[k] ** 2),
        }
        for k in range(len(t) - 1)
    ]
    smooth = SMOOTH_PEAK * np.sin(w * fine) * SMOOTH_PEAK / (MASS * w) * (1.0 - np.cos(w * fine))
    return Exhibit(
        key="figure_6",
        title="Fig. 6: power in continuous and discrete time",
        says=summarise_figure_6,
        columns=(
            Column("cycle", "cycle"),
            Column("start_J", "T F(k-1) v(k-1) [J]"),
            Column("extra_J", "dH [J]"),
            Column("gain_J", "H(k) - H(k-1) [J]"),
            Column("end_J", "T F(k-1) v(k) [J]"),
        ),
        rows=rows,
        numbers={
            "largest_gap_of_rectangle_and_triangle_J": float(
                max(abs(r["start_J"] + r["extra_J"] - r["gain_J"]) for r in rows)
            ),
            "energy_by_area_J": float(areas.sum()),
        },
        assumptions=("T = 1 s, so that the areas can be seen; the smooth force of figure_5.",),
        remarks=(
            "(13) is printed with a wrong sign; rightly, (12) and (13) are one statement: T "
            "F v(k) and T F v(k-1) lie dH above and below the true gain.",
        ),
        charts=[
            chart(
                "figure_6",
                "Power",
                [
                    Line("held force, true velocity", "c1", fine, held * velocity),
                    Line("smooth force", "orbit", fine, smooth, dash="dash"),
                    Line("F(k-1) v(k-1)", "c2", t[:-1], force[:-1] * v[:-1], steps=True),
                    Line("F(k-1) v(k)", "c3", t[:-1], force[:-1] * v[1:], steps=True),
                ],
                "time [s]",
                "power [W]",
            )
        ],
    )
