"""The pictures of Fig. 6."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from softdock.papers.lange.impact import (
    FAMILIES,
    MASS,
    PUBLISHED_ROBOT_N,
    PUBLISHED_SATELLITE_N,
    SEEN_AT,
    STIFFNESS,
)
from softdock.report.frame.charts import Line, chart
from softdock.runs.run import Run

BEFORE, AFTER = 0.08, 0.36  # s around the contact
SERVICER, CLIENT = "c1", "c4"  # blue and red, as in the paper


def figure_6_charts(
    run_of: Callable[..., Run], phases: dict[float, list[dict[str, float]]]
) -> list[str]:
    ours, naive = run_of("jerk", "published"), run_of("jerk", "naive")
    return [
        _forces(run_of, ours),
        _positions(
            ours,
            "figure_6_positions",
            "Positions: satellites solid, robots dotted",
            "Forces act between the two intersections of red and blue.",
        ),
        _momentum(ours),
        _energy(run_of("jerk", "softdock"), naive),
        _positions(
            naive,
            "figure_6_naive",
            "The naive loop: the measured force straight to the satellites",
            "The same robots. The force of 364 N lasts as long as the robots overlap; the "
            "satellites are thrown apart.",
        ),
        _over_the_phase(phases),
    ]


def _near(run: Run, *names: str) -> list[np.ndarray]:
    t = run.series["time"]
    shown = (t >= SEEN_AT - BEFORE) & (t <= SEEN_AT + AFTER)
    return [t[shown], *(run.series[name][shown] for name in names)]


def _windows(run: Run) -> list[tuple[float, float]]:
    return [(c["start_s"], c["end_s"]) for c in run.contacts]


def _forces(run_of: Callable[..., Run], run: Run) -> str:
    t, satellite = _near(run, "satellite.target.force.x")
    lines = [Line("satellites", "satellite", t, satellite, width=2.6)]
    dashes = {"jerk": "solid", "acceleration": "dash", "delay": "dot"}
    for family in FAMILIES:
        t, real = _near(run_of(family, "published"), "true.chaser.force.x")
        lines.append(
            Line(f"robots, {FAMILIES[family].words}", "mock_up", t, -real, dash=dashes[family])
        )
    for value in (PUBLISHED_SATELLITE_N, PUBLISHED_ROBOT_N):
        ends = t[[0, -1]]
        lines.append(
            Line(
                f"published, {value:g} N",
                "measured",
                ends,
                np.full(2, value),
                dash="dot",
                width=1.0,
            )
        )
    caption = (
        "What the satellites feel ends long before the robots have turned round. All three "
        "families of robots give both published peaks."
    )
    return chart(
        "figure_6_forces",
        "Force at the satellites and at the robots",
        lines,
        "time [s]",
        "force [N]",
        caption=caption,
        height=380,
    )


def _positions(run: Run, key: str, title: str, caption: str) -> str:
    names = (
        "chaser.position.x",
        "mock_up.chaser.position.x",
        "target.position.x",
        "mock_up.target.position.x",
    )
    t, servicer, servicer_robot, client, client_robot = _near(run, *names)
    lines = [
        Line("servicer", SERVICER, t, 1e3 * servicer),
        Line("its robot", SERVICER, t, 1e3 * servicer_robot, dash="dot"),
        Line("client", CLIENT, t, 1e3 * client),
        Line("its robot", CLIENT, t, 1e3 * client_robot, dash="dot"),
    ]
    return chart(
        key,
        title,
        lines,
        "time [s]",
        "position of the contact surface [mm]",
        caption=caption,
        windows=_windows(run),
        height=380,
    )


def _momentum(run: Run) -> str:
    t, servicer, client = _near(run, "chaser.velocity.x", "target.velocity.x")
    lines = [
        Line("servicer", SERVICER, t, MASS * servicer),
        Line("client", CLIENT, t, MASS * client),
        Line("together", "total", t, MASS * (servicer + client), dash="dash"),
    ]
    return chart("figure_6_momentum", "Momentum", lines, "time [s]", "momentum [Ns]")


def elastic_energy(run: Run) -> np.ndarray:
    """In the contact that the satellites feel [J]."""
    return np.asarray(0.5 * STIFFNESS * np.maximum(run.series["remapping.overlap"], 0.0) ** 2)


def _energy(run: Run, naive: Run) -> str:
    t, servicer, client = _near(run, "chaser.velocity.x", "target.velocity.x")
    stored = elastic_energy(run)[(run.series["time"] >= t[0]) & (run.series["time"] <= t[-1])]
    kinetic = [0.5 * MASS * v**2 for v in (servicer, client)]
    thrown_t, *thrown = _near(naive, "chaser.velocity.x", "target.velocity.x")
    total = sum(kinetic) + stored
    lines = [
        Line("servicer", SERVICER, t, kinetic[0]),
        Line("client", CLIENT, t, kinetic[1]),
        Line("in the contact", "c3", t, stored),
        Line("together", "total", t, total, dash="dash"),
        Line(
            "naive loop, kinetic",
            "measured",
            thrown_t,
            0.5 * MASS * (thrown[0] ** 2 + thrown[1] ** 2),
            second=True,
        ),
    ]
    caption = "Re-mapped in sub-steps above, the naive loop below on its own scale."
    return chart(
        "figure_6_energy",
        "Energy",
        lines,
        "time [s]",
        "energy [J]",
        caption=caption,
        second_title="naive [J]",
        height=400,
    )


def _over_the_phase(phases: dict[float, list[dict[str, float]]]) -> str:
    lines: list[Line] = []
    for cycle_ms, dash in ((12.0, "solid"), (4.0, "dash")):
        share = np.array([row["share"] for row in phases[cycle_ms]])
        for name, role, key in (
            ("robots", "mock_up", "robot_N"),
            ("satellites", "satellite", "satellite_N"),
        ):
            values = np.array([row[key] for row in phases[cycle_ms]])
            lines.append(
                Line(
                    f"{name}, T = {cycle_ms:g} ms",
                    role,
                    share,
                    values,
                    dash=dash,
                    extra={"mode": "lines+markers"},
                )
            )
    marks: dict[str, Any] = {"mode": "markers", "marker": {"size": 12, "symbol": "x"}}
    lines.append(
        Line(
            "published",
            "c4",
            np.array([0.43, 0.43]),
            np.array([PUBLISHED_SATELLITE_N, PUBLISHED_ROBOT_N]),
            extra=marks,
        )
    )
    caption = (
        "How old the touch is at the first sample that shows it decides over some newtons; "
        "jerk-limited robots, re-mapped as published."
    )
    x_title = "touch before the first sample [cycles]"
    return chart(
        "figure_6_phase",
        "Both peaks over the sampling phase",
        lines,
        x_title,
        "peak force [N]",
        caption=caption,
        time_axis=False,
        height=380,
    )
