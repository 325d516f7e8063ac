"""A run on an orbit as a mission engineer draws it: the chaser seen from the target in the turning
axes, V-bar to the right and the planet below."""

from __future__ import annotations

import numpy as np

from softdock.core.orbit import Orbit
from softdock.report.frame.charts import Line, chart, scaled
from softdock.runs.run import Run
from softdock.scenario.orbit_frame import has_orbit, in_lvlh, turning_axes

SECONDS = "time [s]"


def seen_from_target(run: Run, series: object) -> tuple[np.ndarray, np.ndarray]:
    """Times, and positions of the chaser's centre of mass from the target's in LVLH axes [m]."""
    s: dict[str, np.ndarray] = series  # type: ignore[assignment]
    axes = turning_axes(run.scenario.tables["orbit"])
    apart = s["chaser.position"] - s["target.position"]
    closing = s["chaser.velocity"] - s["target.velocity"]
    return s["time"], in_lvlh(axes, s["time"], apart, closing)[0]


def orbit_charts(run: Run, orbit: Orbit) -> str:
    """Empty for a run without an orbit."""
    if not has_orbit(run.scenario.tables):
        return ""
    (time, loop), (orbit_time, reference) = (
        seen_from_target(run, run.series),
        seen_from_target(run, orbit.series),
    )
    factor, unit = scaled([loop, reference], "m")
    plane = [
        Line("rig", "satellite", factor * loop[:, 0], -factor * loop[:, 2], width=2.4),
        Line(
            "orbit",
            "orbit",
            factor * reference[:, 0],
            -factor * reference[:, 2],
            dash="dash",
            width=1.6,
        ),
    ]
    across = [
        Line(name, role, when, factor * path[:, 1], dash=dash)
        for name, role, when, path, dash in (
            ("rig", "satellite", time, loop, "solid"),
            ("orbit", "orbit", orbit_time, reference, "dash"),
        )
    ]
    return chart(
        "lvlh",
        "The chaser seen from the target, in the plane of the orbit",
        plane,
        f"along-track, V-bar [{unit}]",
        f"away from the planet, against R-bar [{unit}]",
        time_axis=False,
        caption="Turning axes (LVLH); centres of mass. The axes of all other charts do not turn.",
    ) + chart(
        "lvlh-across",
        "Across the plane",
        across,
        SECONDS,
        f"against the orbit's normal, H-bar [{unit}]",
    )
