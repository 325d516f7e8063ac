"""A run from wherever it lies: a scenario, a preset, a run folder, a recording."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from softdock.analysis.simulation import simulate
from softdock.archive.recordings import open_recording, recording_file
from softdock.archive.run_folder import open_run
from softdock.errors import BadInput, BadRecording, BadRunFolder, Problem
from softdock.recorder.recording import Recording
from softdock.report.recording.scene import scene_of_recording
from softdock.runs.run import Run
from softdock.scenario.files import load_scenario, parse_changes
from softdock.scene import Scene, scene_of

RECORDING, RING = ".mcap", ".ring"
FOREIGN = (".bag", ".db3")


def folder_run(folder: str | Path) -> Run:
    """The run of a folder; refused if there is nothing in it to show."""
    run = open_run(folder)
    if len(run.series["time"]) == 0:
        raise BadRunFolder(f"{folder}: its series have no rows: there is nothing to show")
    return run


def is_recording(source: str) -> bool:
    """Whether a source is a recording by its name, or the folder of an imported one; recordings of
    others are refused."""
    ending = Path(source).suffix.lower()
    if ending in FOREIGN:
        allowed = "a scenario, a preset, a run folder or a recording of softdock's (MCAP)"
        raise BadInput(Problem("source", source, allowed))
    if ending == RING:
        raise BadInput(Problem("source", source, f"a recording: softdock rig recover {source}"))
    return ending == RECORDING or recording_file(source) != Path(source)


def recorded_run(source: str) -> Run | Recording:
    """What a recording holds; refused if there is nothing to show."""
    run = open_recording(source)
    if len(run.series.rows) == 0:
        raise BadRecording(f"{source}: has no rows: there is nothing to show")
    return run


def shown_scene(source: str, changes: Sequence[str] = ()) -> Scene:
    """The scene of whatever a source names."""
    if not is_recording(source):
        return _with_orbit(opened_run(source, changes))
    run = recorded_run(source)
    if changes:
        if run.scenario is None:
            raise BadInput(Problem("set", changes[0], "nothing: no scenario is attached to it"))
        return _with_orbit(simulate(run.scenario.with_keys(dict(parse_changes(changes)))))
    return scene_of_recording(run) if isinstance(run, Recording) else _with_orbit(run)


def _with_orbit(run: Run) -> Scene:
    run.fly_orbit()
    return scene_of(run)


def opened_run(source: str, changes: Sequence[str] = ()) -> Run:
    """A folder's run as it is; a scenario is run. Changed keys run a folder's scenario again."""
    if Path(source).is_dir():
        run = folder_run(source)
        return simulate(run.scenario.with_keys(dict(parse_changes(changes)))) if changes else run
    return simulate(load_scenario(source, changes))
