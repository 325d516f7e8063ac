"""IV-C, which the paper only outlines: a wanted restitution behind elastic joints and a damped
contact, by the filter and by simpler means."""

from __future__ import annotations

from typing import Any

import numpy as np

from softdock.analysis.simulation import fly
from softdock.papers.frame import Column, Exhibit, Said
from softdock.papers.lange.compensation import (
    ENVIRONMENTS,
    GAP,
    Wanted,
    restitution_table,
    restitutions,
    scenario_tables,
    start_of,
    wanted_contacts,
)
from softdock.report.frame.charts import Line, chart
from softdock.runs.run import Run

SEEDS = 50
DESIGN_FILTER, DESIGN_IGNORED = (
    (0.999, 0.699, 0.299, None),
    (0.68, 0.45, 0.17, None),
)  # design/physics.md 5
WORDS = {
    "filter": "Kalman filter for the environment, from motor positions and the sensor",
    "replaced stiffness": "the joints in series with the contact's stiffness (16)",
    "damping known": "that of the contact, with the motors' rate (24); the joints ignored",
    "ignored": "force over stiffness (18)",
}
LOOKS = {  # name in the chart, colour, mark
    "filter": ("filter", "c1", "circle"),
    "replaced": ("replaced stiffness", "c3", "square"),
    "exact": ("damping known", "c5", "diamond"),
    "ignored": ("ignored", "c4", "x"),
}


def make_restitution(seeds: int = SEEDS) -> Exhibit:
    table = restitution_table(seeds)
    rows: list[dict[str, Any]] = []
    for i, wanted in enumerate(wanted_contacts()):
        found = {
            row.environment: row
            for row in table
            if (row.law, row.wanted) == (wanted.law, wanted.restitution)
        }
        row: dict[str, Any] = {
            "law": wanted.law.replace("_", "-"),
            "wanted": wanted.restitution,
            "design_filter": DESIGN_FILTER[i],
        }
        for name in ENVIRONMENTS:
            row |= {
                name: found[name].mean,
                f"{name}_bias": found[name].bias,
                f"{name}_deviation": found[name].deviation,
            }
        row |= {
            "no_gap": float(restitutions(wanted, "ignored", seeds, gap_m=0.0).mean()),
            "design_ignored": DESIGN_IGNORED[i],
        }
        rows.append(row)
    bias = max(abs(row["filter_bias"]) for row in rows)
    spread = max(row["filter_deviation"] for row in rows)
    return Exhibit(
        key="restitution",
        title="IV-C: a wanted restitution behind elastic joints",
        says=_said,
        columns=(
            Column("law", "wanted law"),
            Column("wanted", "wanted e"),
            Column("filter", "filter"),
            Column("filter_deviation", "std. dev."),
            Column("design_filter", "filter, expected"),
            Column("replaced", "replaced stiffness"),
            Column("exact", "damping known"),
            Column("ignored", "ignored"),
            Column("no_gap", "ignored, no gap"),
            Column("design_ignored", "expected"),
        ),
        rows=rows,
        numbers={"seeds": seeds, "largest_bias": bias, "largest_deviation": spread},
        assumptions=(
            "Nothing of this is published. Assumed: joints of 500 N/mm with 50 kg behind "
            "each, contact of 50 N/mm, both with a damping ratio of 0.1; robots of "
            "2.3 m/s², 125 m/s³, 20 ms late and led by as much; T = 4 ms; 0.5 N of noise on "
            "the force, 2 µm on the motors, threshold 2 N; 1 mm of gap that "
            "no pose shows; rewind. Each seed has its own sampling phase. Expected: by an "
            "independent calculation.",
            "; ".join(f"{name}: {words}" for name, words in WORDS.items()) + ".",
        ),
        remarks=(
            "The real contact is damped; the satellites are to bounce as if it were not, or were "
            "more so. Ignored, the real damping and the joints' motion pass for a place of the "
            "environment.",
        ),
        charts=[_means(rows), _speeds()],
    )


def _said(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Said:
    bias, spread = numbers["largest_bias"], numbers["largest_deviation"]
    first = rows[0]
    gap = max(abs(row["ignored"] - row["no_gap"]) for row in rows)
    gained = abs(first["ignored"] - first["wanted"]) - abs(first["replaced"] - first["wanted"])
    return Said(
        "The filter gives "
        + ", ".join(f"{row['filter']:.4f}" for row in rows[:3])
        + " for "
        + ", ".join(f"{row['wanted']:.1f}" for row in rows[:3])
        + f" (bias at most {bias:.4f}, standard deviation at most {spread:.4f}, "
        f"{numbers['seeds']} seeds); ignoring joints and damping gives "
        + ", ".join(f"{row['ignored']:.2f}" for row in rows[:3])
        + ".",
        [
            f"The unknown gap moves the result without the filter by up to {gap:.2f}.",
            "Replacing the stiffness mends the joints' static yield only: it brings a lossless "
            f"bounce {gained:+.3f} nearer ({first['replaced']:.3f} against {first['ignored']:.3f} "
            f"for {first['wanted']:.1f}). Where the contact's damping is known and the joints are "
            f"not, it is {first['exact']:.3f}.",
        ],
    )


def _means(rows: list[dict[str, Any]]) -> str:
    lines = []
    places = np.arange(len(rows))
    for i, (name, (label, role, symbol)) in enumerate(LOOKS.items()):
        error = {"type": "data", "array": [row[f"{name}_deviation"] for row in rows]}
        marks = {"mode": "markers", "marker": {"size": 11, "symbol": symbol}, "error_y": error}
        lines.append(
            Line(
                label,
                role,
                places + 0.1 * (i - 1.5),
                np.array([row[name] for row in rows]),
                extra=marks,
            )
        )
    for i, row in enumerate(rows):
        look: dict[str, Any] = {"showlegend": i == 0}
        lines.append(
            Line(
                "wanted",
                "orbit",
                np.array([i - 0.35, i + 0.35]),
                np.full(2, row["wanted"]),
                dash="dash",
                extra=look,
            )
        )
    ticks = {
        "title": {"text": ""},
        "tickvals": places.tolist(),
        "ticktext": [f"{row['law']}, {row['wanted']:.1f}" for row in rows],
    }
    caption = "Means and standard deviations over the seeds."
    title = "Restitution wanted and got"
    return chart(
        "restitution",
        title,
        lines,
        "",
        "restitution [-]",
        caption=caption,
        time_axis=False,
        layout={"xaxis": ticks},
        height=400,
    )


def one_run(wanted: Wanted, environment: str, seed: int = 1, gap_m: float = GAP) -> Run:
    tables = scenario_tables(wanted.contact, gap_m, **ENVIRONMENTS[environment]) | {
        "random": {"seed": seed}
    }
    tables["chaser"]["position_m"] = [float(start_of(seed)), 0.0, 0.0]
    return fly(tables)


def _speeds() -> str:
    """How fast the satellites part, of three restitutions."""
    lines: list[Line] = []
    for i, wanted in enumerate(wanted_contacts()[:3]):
        role = ("c1", "c3", "c5")[i]
        for name, dash, width in (("filter", "solid", 2.2), ("ignored", "dot", 1.6)):
            series = one_run(wanted, name).series
            parting = series["corrected.chaser.velocity.x"] - series["corrected.target.velocity.x"]
            lines.append(
                Line(
                    f"{wanted.restitution:g}, {name}",
                    role,
                    series["time"],
                    1e3 * parting,
                    dash=dash,
                    width=width,
                )
            )
    caption = (
        "One seed, the past corrected where it was computed anew; solid: by the filter, dotted: "
        "joints and damping ignored."
    )
    span = (0.15, 0.4)
    title, y_title = "The satellites' relative velocity", "parting [mm/s]"
    return chart(
        "restitution_speeds",
        title,
        lines,
        "time [s]",
        y_title,
        caption=caption,
        time_axis=False,
        x_range=span,
        layout={"hovermode": "x unified"},
    )
