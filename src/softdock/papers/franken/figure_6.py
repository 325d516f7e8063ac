"""Fig. 6: relaxation at 100 Hz; the energies of all elements while the hand pushes and holds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from softdock.networks import wall_step
from softdock.networks.published_net import IN_BOOKS, STORES_AT
from softdock.networks.walls import Rendered, published_residual, render_better, render_published
from softdock.output.pages.frame.charts import Line, chart
from softdock.papers.frame import Column, Exhibit, Findings
from softdock.papers.franken.parameters import EXPERIMENT, push, solid

T, DURATION, CONTROLLER = 0.01, 10.0, 20.0  # s, s, Ns/m
FED, DISSIPATED, VIRTUAL, PAID = IN_BOOKS.fed, IN_BOOKS.dissipated, IN_BOOKS.virtual, IN_BOOKS.paid
H_S1, H_S2 = range(STORES_AT, STORES_AT + 2)  # the solid's springs, behind the books


def effective_relaxation(tau: float, period: float) -> float:
    """Relaxation time of the published algorithm: S2's energy falls by 2T/tau in a sample."""
    return -2.0 * period / math.log(1.0 - 2.0 * period / tau)


def measured_relaxation(force: np.ndarray, first: int = 100, last: int = 300) -> float:
    """Relaxation time from the decay of the force's change from sample to sample [s]."""
    k = np.arange(first, last)
    return float(-T / np.polyfit(k, np.log(-np.diff(force)[k]), 1)[0])


def _render() -> tuple[np.ndarray, Rendered, Rendered, Rendered]:
    """The motion, and the force with the controller off, with it on, and of the better step."""
    q, wall = push(np.arange(round(DURATION / T) + 1) * T), solid(EXPERIMENT)
    return (
        q,
        render_published(wall, T, q),
        render_published(wall, T, q, controller_Ns_per_m=CONTROLLER),
        render_better(wall, T, q),
    )


def balance_gaps() -> tuple[float, float]:
    """H_I less H_S1 + H_S2 + H_B1 at the end, of H_I; with the controller off and on."""
    _, off, on, _ = _render()
    gaps = []
    for found in (off, on):
        b = found.books[-1]
        crossed = b[FED] + b[PAID]
        gaps.append(float((crossed - b[H_S1] - b[H_S2] - b[DISSIPATED]) / crossed))
    return gaps[0], gaps[1]


def _energies(off: Rendered, on: Rendered, better: Rendered) -> list[dict[str, Any]]:
    """Energies of all elements at the end [mJ], one row for each rendering."""
    rows = []
    for name, found in (("controller off", off), ("controller on", on)):
        b = 1e3 * found.books[-1]
        rows.append(
            {
                "run": name,
                "H_I_mJ": b[FED] + b[PAID],
                "H_S1_mJ": b[H_S1],
                "H_S2_mJ": b[H_S2],
                "H_B1_mJ": b[DISSIPATED],
                "virtual_mJ": b[VIRTUAL],
                "paid_mJ": b[PAID],
                "open_mJ": b[VIRTUAL] - b[PAID],
                "tank_mJ": None,
                "lowest_tank_mJ": None,
            }
        )
    bb, at = 1e3 * better.books[-1], wall_step.IN_BOOKS
    rows.append(
        {
            "run": "better step, uncapped",
            "H_I_mJ": bb[at.fed],
            "H_S1_mJ": bb[at.stored],
            "H_S2_mJ": None,
            "H_B1_mJ": bb[at.put_in] - bb[at.stored],
            "virtual_mJ": 0.0,
            "paid_mJ": 0.0,
            "open_mJ": 0.0,
            "tank_mJ": bb[at.tank],
            "lowest_tank_mJ": 1e3 * float(better.books[:, at.tank].min()),
        }
    )
    return rows


def _charts(off: Rendered, better: Rendered) -> list[str]:
    t = np.arange(len(off.force)) * T
    names, at = ("H_I", "H_S1", "H_S2", "H_B1"), wall_step.IN_BOOKS
    energy = [
        Line(n, f"c{i + 1}", t, 1e3 * v)
        for i, (n, v) in enumerate(
            zip(names, (off.books[:, k] for k in (FED, H_S1, H_S2, DISSIPATED)))
        )
    ]
    force = [
        Line("published, controller off", "c1", t, off.force, steps=True),
        Line("better step, uncapped", "c5", t, better.force, steps=True),
    ]
    return [
        chart(
            "figure_6_force",
            "Force at 100 Hz",
            force,
            "time [s]",
            "force [N]",
            x_range=(0.0, 5.0),
        ),
        chart(
            "figure_6_energy",
            "Energies, controller off",
            energy,
            "time [s]",
            "energy [mJ]",
            x_range=(0.0, 5.0),
        ),
        chart(
            "figure_6_better",
            "Energies of the better step, with its tank",
            [
                Line("H_I", "c1", t, 1e3 * better.books[:, at.fed]),
                Line("stored", "c2", t, 1e3 * better.books[:, at.stored]),
                Line("dissipated", "c4", t, 1e3 * better.dissipated),
                Line("tank", "c5", t, 1e3 * better.books[:, at.tank], second=True),
            ],
            "time [s]",
            "energy [mJ]",
            second_title="tank [mJ]",
            x_range=(0.0, 5.0),
        ),
    ]


def make_figure_6() -> Exhibit:
    _, off, on, better = _render()
    tau = EXPERIMENT.b1 / EXPERIMENT.k2
    residual = float(np.abs(published_residual(off.books)).max())
    return Exhibit(
        key="figure_6",
        title="Fig. 6: relaxation",
        says=_summarise,
        columns=(
            Column("run", "run"),
            Column("H_I_mJ", "H_I [mJ]"),
            Column("H_S1_mJ", "H_S1 [mJ]"),
            Column("H_S2_mJ", "H_S2 [mJ]"),
            Column("H_B1_mJ", "H_B1 [mJ]"),
            Column("virtual_mJ", "virtual [mJ]"),
            Column("paid_mJ", "paid back [mJ]"),
            Column("tank_mJ", "tank at the end [mJ]"),
            Column("lowest_tank_mJ", "lowest [mJ]"),
        ),
        rows=_energies(off, on, better),
        numbers={
            "relaxation_s": measured_relaxation(off.force),
            "relaxation_predicted_s": effective_relaxation(tau, T),
            "relaxation_of_the_model_s": tau,
            "residual_J": residual,
            "tank_at_start_mJ": 1e3 * float(better.books[0, wall_step.IN_BOOKS.tank]),
        },
        assumptions=(
            "The hand's motion is not published: from 20 mm before the wall to 40 mm inside "
            "it in 0.5 s along a "
            "minimum-jerk curve, then held. alpha = 1; b_max = 20 Ns/m.",
        ),
        remarks=(
            "The experiment's data are not printed: nothing of it can be confirmed or denied.",
            "(23) takes 2T/tau of S2's energy a sample, not 1 - exp(-2T/tau): tau_eff = "
            "-2T / ln(1 - 2T/tau).",
        ),
        charts=_charts(off, better),
    )


def _summarise(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Findings:
    found, model = numbers["relaxation_s"], numbers["relaxation_of_the_model_s"]
    predicted = numbers["relaxation_predicted_s"]
    at = {row["run"]: row for row in rows}
    off, on = at["controller off"], at["controller on"]
    short = off["H_S1_mJ"] + off["H_S2_mJ"] + off["H_B1_mJ"] - off["H_I_mJ"]
    short_on = on["H_S1_mJ"] + on["H_S2_mJ"] + on["H_B1_mJ"] - on["H_I_mJ"]
    closes = abs(short_on) < 0.1 * abs(short)
    relaxes = (
        f"the force relaxes with {1e3 * found:.1f} ms, the model's time is {1e3 * model:.0f} ms"
        if math.isfinite(found) and found > 0.0
        else "the force does not relax"
    )
    balance = f"H_I is {short:.4f} mJ short of H_S1 + H_S2 + H_B1 with the controller off" + (
        ", and not with it on" if closes else f", and {short_on:.4f} mJ with it on"
    )
    quicker = (
        f"The relaxation is {'quicker' if found < model else 'not quicker'} than the model's; "
        f"tau_eff gives {1e3 * predicted:.1f} ms, "
        + ("as found." if abs(found / predicted - 1.0) < 1e-3 else "which is not what was found.")
    )
    virtual = off["virtual_mJ"]
    owed = (
        f"What is missing with the controller off is the virtual energy of the deadlock (25), "
        f"{virtual:.4f} mJ: the statement that both sides are equal needs the controller."
        if abs(short - virtual) < 0.02 * abs(virtual)
        else f"What is missing with the controller off, {short:.4f} mJ, is not the virtual energy "
        f"of the deadlock (25), {virtual:.4f} mJ."
    )
    step = at["better step, uncapped"]
    left = step["H_I_mJ"] + numbers["tank_at_start_mJ"]
    left -= step["H_S1_mJ"] + step["H_B1_mJ"] + step["tank_mJ"]
    tank = (
        f"The better step takes {step['H_I_mJ']:.2f} mJ; its tank of "
        f"{numbers['tank_at_start_mJ']:g} mJ has {step['tank_mJ']:.3g} mJ at the end and "
        f"{step['lowest_tank_mJ']:.3g} mJ at the lowest, and H_I and tank at the start are "
        f"{abs(left):.1g} mJ from stored, dissipated and tank at the end."
    )
    return Findings(f"In our simulation {relaxes}. {balance}.", [quicker, owed, tank])
