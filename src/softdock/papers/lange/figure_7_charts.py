"""The pictures of Fig. 7."""

from __future__ import annotations

from typing import Any

import numpy as np

from softdock.papers.lange.cone import (
    NEITHER,
    OURS,
    Tools,
    cone_run,
    instants,
    tip_in_cone,
    tools,
    turned,
)
from softdock.report.frame.charts import Line, chart
from softdock.runs.run import Run

CONTACT_ROLES = ("c1", "c2", "c3", "c5")


def figure_7_charts() -> list[str]:
    ours = cone_run(OURS)
    return [_scene(ours), _tips(), _forces(ours), _distance(ours), _turns(ours), _energies()]


def _path(name: str, role: str, points: np.ndarray, **look: Any) -> Line:
    return Line(name, role, 1e3 * points[:, 0], 1e3 * points[:, 1], **look)


def _scene(run: Run) -> str:
    """Both satellites, and their tools at each contact."""
    here, robots = tools(run), tools(run, "mock_up.")
    under: dict[str, Any] = {"opacity": 0.45}
    lines = [
        _path("robots", "mock_up", robots.servicer, width=6.0, extra=under),
        _path(
            "robots", "mock_up", robots.cone[:, 1], width=6.0, extra=under | {"showlegend": False}
        ),
        _path("servicer", "satellite", here.servicer, width=1.4),
        _path("client", "orbit", here.cone[:, 1], width=1.4),
    ]
    for i, row in enumerate(instants(run)):
        lines += _drawn(
            here,
            row,
            CONTACT_ROLES[i % 4],
            f"contact {i + 1}, peak at {run.series['time'][row]:.2f} s",
        )
    caption = (
        "Bar of the servicer (tool 1) and cone of the client (tool 2) at the four contacts; "
        "paths of the servicer's centre of mass and the cone's apex."
    )
    return chart(
        "figure_7_scene",
        "Fig. 7: positions, with the tools at each contact",
        lines,
        "x [mm]",
        "y [mm]",
        caption=caption,
        time_axis=False,
        equal=True,
        height=560,
    )


def _drawn(at: Tools, row: int, role: str, name: str) -> list[Line]:
    marks = {"mode": "lines+markers", "marker": {"size": [11, 6], "symbol": ["circle", "diamond"]}}
    bar = _path(name, role, at.bar[row], width=3.0, extra=marks | {"legendgroup": name})
    return [
        bar,
        _path(
            name, role, at.cone[row], width=2.4, extra={"legendgroup": name, "showlegend": False}
        ),
    ]


def _tips() -> str:
    """The tip as the client sees it."""
    run = cone_run(OURS)
    pair = run.scenario.tables["contact"][0]
    mouth, depth = (
        1e3 * pair["mouth_radius_m"],
        1e3 * pair["mouth_radius_m"] / np.tan(np.radians(pair["half_angle_deg"])),
    )
    wall = Line(
        "cone", "orbit", np.array([0.0, depth, 0.0]), np.array([mouth, 0.0, -mouth]), width=3.0
    )
    lines = [wall]
    for name, role, dash, width in (
        (OURS, "satellite", "solid", 2.4),
        (NEITHER, "c3", "dash", 1.6),
        ("naive", "c4", "dash", 1.6),
    ):
        path = tip_in_cone(cone_run(name))
        inside = (path[:, 0] > -0.08) & (np.abs(path[:, 1]) < 0.2)
        lines.append(_path(name, role, path[inside], dash=dash, width=width))
    tip = tip_in_cone(run)[instants(run)]
    marks: dict[str, Any] = {
        "mode": "markers+text",
        "marker": {"size": 10},
        "text": ["1", "2", "3", "4"],
    }
    marks |= {
        "textposition": ["top right", "bottom right", "top right", "bottom right"],
        "textfont": {"size": 16},
    }
    lines.append(_path("contacts", "satellite", tip, extra=marks))
    caption = (
        "The bar's tip in the cone's axes. The naive loop leaves the cone after three contacts."
    )
    return chart(
        "figure_7_tips",
        "The tip as the client sees it",
        lines,
        "into the cone [mm]",
        "across [mm]",
        caption=caption,
        time_axis=False,
        equal=True,
        height=520,
    )


def _over_time(
    key: str,
    title: str,
    lines: list[Line],
    y_title: str,
    run: Run,
    caption: str = "",
    **layout: Any,
) -> str:
    """Against this figure's own time: charts of the other figure do not zoom with it."""
    shade = [
        {
            "type": "rect",
            "xref": "x",
            "yref": "paper",
            "x0": c["start_s"],
            "x1": c["end_s"],
            "y0": 0,
            "y1": 1,
            "layer": "below",
            "line": {"width": 0},
        }
        | {"name": "contact"}
        for c in run.contacts
    ]
    return chart(
        key,
        title,
        lines,
        "time [s]",
        y_title,
        caption=caption,
        time_axis=False,
        layout={"shapes": shade, "hovermode": "x unified"} | layout,
    )


def _forces(run: Run) -> str:
    t = run.series["time"]
    lines = [
        Line("robots", "mock_up", t, np.linalg.norm(run.series["true.chaser.force"], axis=1)),
        Line(
            "satellites",
            "satellite",
            t,
            np.linalg.norm(run.series["satellite.chaser.force"], axis=1),
            width=2.2,
        ),
    ]
    return _over_time(
        "figure_7_forces", "Force in the four contacts, lead and rewind", lines, "force [N]", run
    )


def _distance(run: Run) -> str:
    t = run.series["time"]
    lines = []
    for body, name, role in (("chaser", "servicer", "satellite"), ("target", "client", "orbit")):
        off = np.linalg.norm(
            run.series[f"mock_up.{body}.position"] - run.series[f"{body}.position"], axis=1
        )
        lines.append(Line(name, role, t, 1e3 * off))
    caption = (
        "Visible only close to the contacts, as the paper says; at the start the robots catch up "
        "with the lead."
    )
    return _over_time(
        "figure_7_distance",
        "How far the robots are from the satellites",
        lines,
        "distance [mm]",
        run,
        caption,
    )


def _turns(run: Run) -> str:
    t = run.series["time"]
    lines = [
        Line("servicer", "satellite", t, turned(run, "chaser")),
        Line("its robot", "satellite", t, turned(run, "mock_up.chaser"), dash="dot"),
        Line("client", "orbit", t, turned(run, "target")),
        Line("its robot", "orbit", t, turned(run, "mock_up.target"), dash="dot"),
    ]
    return _over_time("figure_7_turns", "Small rotations", lines, "angle [deg]", run)


def _energies() -> str:
    run = cone_run(OURS)
    lines = []
    for name, role in ((OURS, "satellite"), ("lead", "c5"), (NEITHER, "c3"), ("naive", "c4")):
        series = cone_run(name).series
        lines.append(
            Line(name, role, series["time"], series["energy.kinetic"] / series["energy.kinetic"][0])
        )
    axis = {"title": {"text": "kinetic energy over the first [-]"}, "type": "log"}
    caption = "It dips while a contact holds it."
    return _over_time("figure_7_energy", "Kinetic energy", lines, "", run, caption, yaxis=axis)
