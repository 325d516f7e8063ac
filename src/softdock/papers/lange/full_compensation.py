"""Lange IV-C, which the paper only outlines: a wanted restitution behind elastic joints and a
damped contact, by the filter and by simpler means.

Series contact 50 N/mm, joints 500 N/mm with 50 kg behind each, both with a damping ratio of 0.1,
robots of 2.3 m/s^2, 125 m/s^3 and 20 ms with an equal lead, T = 4 ms, force noise 0.5 N, motor
noise 2 um, threshold 2 N, rewind, an unknown gap. Four ways to find the environment: `ignored`
takes force over stiffness, without joints and damping (18); `exact` knows the contact's damping,
with the motors' rate (24); `replaced` has the joints in series with the stiffness (16); `filter` is
the Kalman filter. Each seed has its own sampling phase.

Table in the terminal: python -m softdock.papers.lange.full_compensation [seeds]
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from softdock.output.pages.frame.charts import Line, chart
from softdock.papers.frame import Column, Exhibit, Findings
from softdock.results.run import Run
from softdock.results.simulation import run_loop
from softdock.scenario.build import build
from softdock.scenario.restitution import damping_of_restitution, restitution_of_lambda
from softdock.studies.campaign.batch import run_cpu
from softdock.studies.campaign.columns import make_columns

SPEED, T = 0.1, 0.004  # m/s, s
MASS, STIFFNESS, RATIO = 50.0, 5e4, 0.1  # kg effective, N/m, damping ratio of the contact on it
DAMPING = 2.0 * RATIO * float(np.sqrt(STIFFNESS * MASS))  # Ns/m
GAP = 1e-3  # m, still open where the motors' poses say that the parts touch
LAMBDA = 6.35  # s/m
GOLDEN = 0.6180339887498949  # phases spread evenly, however many
ENVIRONMENTS: dict[str, dict[str, Any]] = {
    "ignored": {"environment": "exact", "stiffness_N_per_m": STIFFNESS},
    "exact": {"environment": "exact"},
    "replaced": {"environment": "replaced_stiffness", "stiffness_N_per_m": STIFFNESS},
    "filter": {"environment": "filter"},
}


class WantedContact(NamedTuple):
    restitution: float
    law: str
    contact: dict[str, Any]  # the scenario's wanted contact


class Row(NamedTuple):
    """Statistics over all seeds."""

    law: str
    wanted: float
    environment: str
    seeds: int
    mean: float
    bias: float
    deviation: float
    median: float
    least: float
    most: float


def list_wanted_contacts() -> list[WantedContact]:
    """Three restitutions by a damper whose force is cut off at zero, one by Hunt and Crossley's
    law."""
    contacts = []
    for e in (1.0, 0.7, 0.3):
        damping = damping_of_restitution(STIFFNESS, e, MASS)
        contacts.append(
            WantedContact(
                e,
                "damper",
                {
                    "law": "spring_damper",
                    "stiffness_N_per_m": STIFFNESS,
                    "damping_Ns_per_m": damping,
                },
            )
        )
    hunt = {
        "law": "hunt_crossley",
        "stiffness_N_per_m": 1e6,
        "exponent": 1.5,
        "lambda_s_per_m": LAMBDA,
    }
    return [*contacts, WantedContact(restitution_of_lambda(LAMBDA, SPEED), "hunt_crossley", hunt)]


def start_position(seed: Any) -> Any:
    """Start position of the chaser [m]: a sampling phase for each seed."""
    return 0.32 + SPEED * T * np.mod(seed * GOLDEN, 1.0)


def scenario_tables(wanted: dict[str, Any], gap_m: float = GAP, **method: Any) -> dict[str, Any]:
    """Scenario tables of the rig. `method`: keys of the re-mapping."""
    robot = {
        "model": "limited",
        "delay_ms": 20.0,
        "max_acceleration_m_per_s2": 2.3,
        "max_jerk_m_per_s3": 125.0,
        "joint_stiffness_N_per_m": 5e5,
        "joint_damping_ratio": 0.1,
        "moving_mass_kg": 50.0,
    }
    body = {"mass_kg": 100.0, "inertia_kg_m2": [10.0, 10.0, 10.0]}
    return {
        "time": {"cycle_ms": 1e3 * T, "duration_s": 0.6, "plant_steps": 8},
        "chaser": body | {"position_m": [0.32, 0.0, 0.0], "velocity_m_per_s": [-SPEED, 0.0, 0.0]},
        "target": dict(body),
        "robots": {"chaser": dict(robot), "target": dict(robot)},
        "sensor": {"noise_N": 0.5},
        "pose": {"noise_m": 2e-6, "chaser_offset_m": [-gap_m, 0.0, 0.0]},
        "contact": [
            {
                "geometry": "wall",
                "tip_m": [-0.3, 0.0, 0.0],
                "real": {"stiffness_N_per_m": STIFFNESS, "damping_Ns_per_m": DAMPING},
                "wanted": wanted,
            }
        ],
        "methods": [{"name": "remapping", "threshold_N": 2.0, "lead_ms": 20.0, **method}],
    }


def compute_restitutions(
    wanted: WantedContact, environment: str, seeds: int, first: int = 1, gap_m: float = GAP
) -> np.ndarray:
    """One restitution for each seed, from `first` on; the sampling phase changes with it."""
    scenario = build(scenario_tables(wanted.contact, gap_m, **ENVIRONMENTS[environment]))
    number = np.arange(first, first + seeds)
    swept = {
        "random.seed": number,
        "random.run": np.zeros(seeds),
        "chaser.position_m.0": start_position(number),
    }  # as single runs of these seeds
    return run_cpu(*make_columns(scenario, swept)).column("restitution")


def tabulate_restitutions(
    seeds: int = 50,
    environments: Sequence[str] = tuple(ENVIRONMENTS),
    progress: Callable[[str], None] = lambda what: None,
) -> list[Row]:
    """One row for each wanted restitution and each way to find the environment."""
    rows = []
    for wanted in list_wanted_contacts():
        for name in environments:
            progress(f"{wanted.law} {wanted.restitution:.2f}, {name}")
            e = compute_restitutions(wanted, name, seeds)
            mean, deviation = float(e.mean()), float(e.std(ddof=1))
            rows.append(
                Row(
                    law=wanted.law,
                    wanted=wanted.restitution,
                    environment=name,
                    seeds=seeds,
                    mean=mean,
                    bias=mean - wanted.restitution,
                    deviation=deviation,
                    median=float(np.median(e)),
                    least=float(e.min()),
                    most=float(e.max()),
                )
            )
    return rows


def format_table(rows: Sequence[Row]) -> str:
    """The table as text."""
    lines = [
        f"{'law':14} {'wanted':>7} {'environment':12} {'mean':>8} {'bias':>8} {'sd':>7} "
        f"{'median':>8} {'least':>8} {'most':>8}"
    ]
    for r in rows:
        numbers = (
            f"{r.mean:8.4f} {r.bias:+8.4f} {r.deviation:7.4f} {r.median:8.4f} {r.least:8.4f} "
            f"{r.most:8.4f}"
        )
        lines.append(f"{r.law:14} {r.wanted:7.4f} {r.environment:12} {numbers}")
    return "\n".join(lines)


SEEDS = 50
DESIGN_FILTER, DESIGN_IGNORED = (
    (0.999, 0.699, 0.299, None),
    (0.68, 0.45, 0.17, None),
)  # by an independent calculation
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
    table = tabulate_restitutions(seeds)
    rows: list[dict[str, Any]] = []
    for i, wanted in enumerate(list_wanted_contacts()):
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
            "no_gap": float(compute_restitutions(wanted, "ignored", seeds, gap_m=0.0).mean()),
            "design_ignored": DESIGN_IGNORED[i],
        }
        rows.append(row)
    bias = max(abs(row["filter_bias"]) for row in rows)
    spread = max(row["filter_deviation"] for row in rows)
    return Exhibit(
        key="restitution",
        title="IV-C: a wanted restitution behind elastic joints",
        says=_summarise,
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
            "2.3 m/s², 125 m/s³, 20 ms of delay and led by as much; T = 4 ms; 0.5 N of noise on "
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
        charts=[_means_chart(rows), _speed_chart()],
    )


def _summarise(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Findings:
    bias, spread = numbers["largest_bias"], numbers["largest_deviation"]
    first = rows[0]
    gap = max(abs(row["ignored"] - row["no_gap"]) for row in rows)
    gained = abs(first["ignored"] - first["wanted"]) - abs(first["replaced"] - first["wanted"])
    return Findings(
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


def _means_chart(rows: list[dict[str, Any]]) -> str:
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


def run_one(wanted: WantedContact, environment: str, seed: int = 1, gap_m: float = GAP) -> Run:
    tables = scenario_tables(wanted.contact, gap_m, **ENVIRONMENTS[environment]) | {
        "random": {"seed": seed}
    }
    tables["chaser"]["position_m"] = [float(start_position(seed)), 0.0, 0.0]
    return run_loop(tables)


def _speed_chart() -> str:
    """Relative speed of the satellites for three restitutions."""
    lines: list[Line] = []
    for i, wanted in enumerate(list_wanted_contacts()[:3]):
        role = ("c1", "c3", "c5")[i]
        for name, dash, width in (("filter", "solid", 2.2), ("ignored", "dot", 1.6)):
            series = run_one(wanted, name).series
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


if __name__ == "__main__":
    print(format_table(tabulate_restitutions(int(sys.argv[1]) if len(sys.argv) > 1 else 50)))
