"""A run from wherever it lies: a scenario, a preset, a run folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from softdock.analysis.simulation import simulate
from softdock.archive.run_folder import open_run
from softdock.errors import BadInput, BadRunFolder, Problem
from softdock.runs.run import Run
from softdock.scenario.files import load_scenario, parse_changes

RECORDINGS = (".mcap", ".bag", ".db3")


def folder_run(folder: str | Path) -> Run:
    """The run of a folder; refused if there is nothing in it to show."""
    run = open_run(folder)
    if len(run.series["time"]) == 0:
        raise BadRunFolder(f"{folder}: its series have no rows: there is nothing to show")
    return run


def refuse_recordings(source: str) -> None:
    if Path(source).suffix.lower() in RECORDINGS:
        allowed = "a scenario, a preset or a run folder; recordings cannot be shown yet"
        raise BadInput(Problem("source", source, allowed))


def opened_run(source: str, changes: Sequence[str] = ()) -> Run:
    """A folder's run as it is; a scenario is run. Changed keys run a folder's scenario again."""
    refuse_recordings(source)
    if Path(source).is_dir():
        run = folder_run(source)
        return simulate(run.scenario.with_keys(dict(parse_changes(changes)))) if changes else run
    return simulate(load_scenario(source, changes))
