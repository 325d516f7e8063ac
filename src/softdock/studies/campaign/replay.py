"""A run of a campaign again by itself, and whether it is the row that the campaign's table has of
it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from softdock._version import __version__
from softdock.errors import SoftdockError
from softdock.files.atomic import write_whole
from softdock.loop.vector import TIME_AT, TIMES
from softdock.results.scene import Scene, build_scene
from softdock.results.series import Series, to_parquet
from softdock.results.simulation import run_loop
from softdock.studies.campaign.arrow_arrays import to_numbers
from softdock.studies.campaign.digest import read_plan_tables
from softdock.studies.campaign.outcomes import OUTCOMES
from softdock.studies.campaign.shards import TRAJECTORIES
from softdock.studies.campaign.variants import Plan

ROUNDING = 1e-6  # of a value: runs of a GPU differ from this machine's by less than this
SMALLEST = 1e-12  # J, N, s: less is nothing


def extract_outcomes(metrics: Mapping[str, Any]) -> dict[str, float]:
    """The columns of a campaign's table from the metrics of a single run; words as numbers, what is
    not defined as NaN."""
    outcomes = {o.name: o.replayed(metrics) for o in OUTCOMES.values() if o.replayed}
    return {name: math.nan if value is None else float(value) for name, value in outcomes.items()}


def find_row(plan: Plan, folder: Path, run: int) -> dict[str, float] | None:
    """What the campaign in a folder has of a run; None: not run yet. A table that is damaged is
    named and not believed."""
    for table in read_plan_tables(plan, folder):
        at = np.flatnonzero(to_numbers(table["run"]) == run)
        if len(at):
            return {name: float(to_numbers(table[name])[at[0]]) for name in table.column_names}
    return None


def list_differences(row: Mapping[str, float], single: Mapping[str, float]) -> list[str]:
    """What differs by more than rounding, in words."""
    held = {
        name: value
        for name, value in single.items()
        if name in row and not OUTCOMES[name].paired_by_age
    }
    return [
        f"{name} {value:.6g} ({row[name]:.6g} in the table)"
        for name, value in held.items()
        if not _is_same(value, row[name])
    ]


def _is_same(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=ROUNDING, abs_tol=SMALLEST) or (
        math.isnan(a) and math.isnan(b)
    )


# Motion of chosen runs, thinned: each run again by itself, as a Parquet file of time series. Runs
# are those asked for, and the worst. A campaign that says nothing of trajectories has a few of its
# worst simulated again for its page alone, which says so.

AGAIN = 3  # runs run again for a page


def is_silent(plan: Plan) -> bool:
    """Whether the campaign file says nothing of trajectories: then a page has the worst of it."""
    return "trajectories" not in plan.spec.tables


def rerun_worst(
    plan: Plan, worst: Sequence[Mapping[str, Any]], say: Callable[[str], None] | None = None
) -> dict[int, Scene]:
    """Scenes of the few worst runs, each run again by itself. `say` is told while it goes on.

    Of one variant only, that of the worst: other methods would have to be compiled for a picture. A
    run that cannot be simulated by itself is left out.
    """
    mine = [row for row in worst if row["variant"] == worst[0]["variant"]][:AGAIN]
    scenes = {}
    for i, row in enumerate(mine):
        if say is not None:
            say(f"simulating worst case {i + 1} of {len(mine)} again, for the replay on the page")
        run = int(row["run"])
        try:
            scenes[run] = build_scene(
                run_loop(plan.scenario_of(run)), name=f"run {run}", reference=False
            )
        except SoftdockError:
            continue
    if say is not None and mine:
        say("")
    return scenes


def choose_runs(plan: Plan, worst: Iterable[int]) -> list[int]:
    """Run numbers, each once."""
    chosen = plan.spec.trajectories
    return sorted({*chosen["runs"], *list(worst)[: chosen["worst"]]})


def write_trajectories(plan: Plan, folder: Path, runs: Iterable[int]) -> dict[int, Scene]:
    """One file per run; every `every_ms` one row. Returns the scenes of these runs, for the
    page."""
    scenes = {}
    for run in runs:
        scenario = plan.scenario_of(run)
        made = run_loop(scenario)
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
        scenes[run] = build_scene(made, name=f"run {run}", reference=False)
    return scenes
