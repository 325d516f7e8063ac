"""Motion of chosen runs, thinned: each run again by itself, as a Parquet file of time series. Runs
are those asked for, and the worst."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from softdock._version import __version__
from softdock.analysis.simulation import fly
from softdock.campaign.shards import TRAJECTORIES
from softdock.campaign.variants import Plan
from softdock.core.machine.vector import TIME_AT, TIMES
from softdock.files.atomic import write_whole
from softdock.runs.parquet import to_parquet
from softdock.runs.series import Series
from softdock.scene import Scene, scene_of


def chosen(plan: Plan, worst: Iterable[int]) -> list[int]:
    """Run numbers, each once."""
    asked = plan.spec.trajectories
    return sorted({*asked["runs"], *list(worst)[: asked["worst"]]})


def write_trajectories(plan: Plan, folder: Path, runs: Iterable[int]) -> dict[int, Scene]:
    """A file a run; every `every_ms` one row. Returns the scenes of these runs, for the page."""
    scenes = {}
    for run in runs:
        scenario = plan.scenario_of(run)
        made = fly(scenario)
        step = max(
            1,
            round(
                1e-3
                * plan.spec.trajectories["every_ms"]
                / float(scenario.vector[TIME_AT + TIMES.cycle])
            ),
        )
        data = to_parquet(
            Series(made.series.rows[::step], made.series.channels),
            {"softdock": __version__, "run": str(run)},
        )
        path = folder / TRAJECTORIES / f"run-{run:09d}.parquet"
        path.parent.mkdir(exist_ok=True)
        write_whole(path, data)
        scenes[run] = scene_of(made, name=f"run {run}", orbit=False)
    return scenes
