"""`run.plot()`: gap, forces and invented energy over time, for a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softdock.runs.joint_rows import rows_over_time

if TYPE_CHECKING:
    from softdock.runs.run import Run


def run_figure(run: Run) -> Any:
    """A plotly figure of three charts over one time axis; orbit beside the rig."""
    from plotly.subplots import make_subplots

    figure = make_subplots(rows=3, cols=1, shared_xaxes=True, vertical_spacing=0.05)
    series, orbit = run.series, run.fly_orbit().series
    time = series["time"]

    def line(row: int, name: str, x: np.ndarray, y: np.ndarray, dash: str = "solid") -> None:
        figure.add_scatter(
            row=row,
            col=1,
            x=x,
            y=y,
            name=name,
            mode="lines",
            line={"dash": dash},
            legend=f"legend{row}" if row > 1 else "legend",
        )

    line(1, "gap of the mock-ups", time, -1e3 * series["contact.depth"])
    line(1, "gap in orbit", orbit["time"], -1e3 * orbit["contact.depth"], "dash")
    line(2, "contact on the mock-up", time, np.linalg.norm(series["true.chaser.force"], axis=1))
    line(2, "on the satellite", time, np.linalg.norm(series["satellite.chaser.force"], axis=1))
    line(2, "in orbit", orbit["time"], np.linalg.norm(orbit["true.chaser.force"], axis=1), "dash")
    rows = rows_over_time(series)
    for name, energy in rows.items():
        if np.any(energy):
            line(3, name, time, energy)
    line(3, "invented in all", time, np.sum(list(rows.values()), axis=0), "dot")
    for row, title in enumerate(("gap [mm]", "force [N]", "energy [J]"), start=1):
        figure.update_yaxes(title_text=title, row=row, col=1)
        top = 1.0 - (row - 1) / 3.0
        figure.update_layout(
            {f"legend{row}" if row > 1 else "legend": {"y": top, "yanchor": "top", "x": 1.01}}
        )
    figure.update_xaxes(title_text="time [s]", row=3, col=1)
    figure.update_layout(
        title={"text": run.scenario.name, "subtitle": {"text": run.metrics["verdict"]}}, height=760
    )
    return figure
