"""Short runs whose scenes the tests look at."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
from scenarios import cone_docking

from softdock.loop.cycle import STATUSES
from softdock.loop.record import CHANNELS
from softdock.results.run import Series
from softdock.results.scene import Scene, build_scene
from softdock.scenario.build import build


def drifting(
    tables: dict[str, Any], rows: int = 400, status: str = "completed", **changes: Any
) -> Any:
    """A run that never ran: bodies drift as their first state says, and a force grows and falls.

    What a scene makes of series needs no compiled loop.
    """
    scenario = build(tables | changes)
    series = Series(np.zeros((rows, len(CHANNELS))))
    names = list(series)
    time = 0.004 * np.arange(rows)
    series.rows[:, names.index("time")] = time
    for prefix in ("", "mock_up.", "command."):
        for body in ("chaser", "target"):
            given = scenario.tables[body]
            at = names.index(f"{prefix}{body}.position.x")
            way = np.outer(time, np.array(given["velocity_m_per_s"]))
            series.rows[:, at : at + 3] = np.array(given["position_m"]) + way
            series.rows[:, at + 3] = 1.0
    at = names.index("true.chaser.force.x")
    series.rows[150:251, at] = 30.0 * np.sin(np.linspace(0.0, np.pi, 101))
    contact = {"start_s": time[150], "end_s": time[250], "pair": 0}
    flown = SimpleNamespace(series={}, contacts=[contact], status="completed")
    flown.series = {name: np.asarray(series[name]).copy() for name in ("time", "true.chaser.force")}
    for body in ("chaser", "target"):
        for key in ("position", "attitude"):
            flown.series[f"{body}.{key}"] = np.asarray(series[f"{body}.{key}"]).copy()
    flown.series["chaser.position"][:, 1] += 0.0004  # orbit is 0.4 mm beside the rig
    assert status in STATUSES
    return SimpleNamespace(
        scenario=scenario, series=series, contacts=[contact], status=status, reference=flown
    )


@cache
def docking() -> Scene:
    return build_scene(drifting(cone_docking()))
