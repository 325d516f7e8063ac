"""Runs and recordings from any source: a scenario, a preset, a run folder, a recording (MCAP), a
log of another program.

A log is imported as a recording into a folder of its own; nothing is written until everything is
read and checked:

recording.mcap (with map and scenario attached, docs/recording.md), metrics.json (the numbers that a
rig can know; None: not known), report.html, map.toml. A run known from reports alone (a rig over
UDP, a facility of one's own) has the same but the map.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from pathlib import Path

from softdock._arguments import FLAG, PATH, check_arguments, optional
from softdock.errors import BadInput, BadRecording, BadRunFolder, Problem, printable
from softdock.files.atomic import write_whole
from softdock.files.folders import leave_folder, make_folder
from softdock.output.folders.run_folder import build_run, open_run
from softdock.output.pages.recording import build_recording_scene
from softdock.recording.logs.importing import import_contents
from softdock.recording.logs.map_parts import Map
from softdock.recording.read import Contents, read_contents, write_contents
from softdock.recording.recording import Recording, make_recording
from softdock.recording.simulated import METRICS, SCENARIO, save_mcap
from softdock.recording.streams import CYCLE
from softdock.results.run import Run
from softdock.results.scene import Scene, build_scene
from softdock.results.series import Series
from softdock.results.simulation import simulate
from softdock.scenario.build import build
from softdock.scenario.files import load_scenario, parse_changes, to_toml
from softdock.scenario.method_sources import explained_attached


@check_arguments(
    log=PATH,
    mapped=lambda value: "" if isinstance(value, Map) or not PATH(value) else "a map, or its file",
    scenario=optional(PATH),
)
def import_log(
    log: str | Path, mapped: Map | str | Path, *, scenario: str | Path | None = None
) -> Recording:
    """Read a log (CSV, Parquet, MCAP) as a recording. `mapped`: MAP.toml, which says what its
    columns are. `scenario`: a file or a preset to attach, for shapes and for orbit. Raises
    `BadInput`."""
    return make_recording(read_log_contents(log, mapped, scenario))


def read_log_contents(
    log: str | Path, mapped: Map | str | Path, scenario: str | Path | None = None
) -> Contents:
    """Contents of the recording's file."""
    attached = "" if scenario is None else to_toml(load_scenario(scenario).tables)
    return import_contents(log, mapped, attached)


def save_imported(contents: Contents, folder: str | Path, force: bool = False) -> Recording:
    """Write recording, metrics, page and map to a folder."""
    recording = make_recording(contents)
    files = _describe(recording, folder)
    path = make_folder(folder, force)
    write_contents(contents, path / RECORDED)
    _write_files(path, files | {"map.toml": contents.about.attachments["map.toml"]})
    return recording


def save_reported(run: Run, folder: Path) -> Path:
    """Write recording, metrics and page of a run that is known from reports alone."""
    save_mcap(run, folder / RECORDED, force=True)
    _write_files(folder, _describe(make_recording(read_contents(folder / RECORDED)), folder))
    return folder


def _describe(recording: Recording, folder: str | Path) -> dict[str, str]:
    """Metrics and page of a recording, judged."""
    recording.source = str(folder)
    recording.judge()
    metrics = json.dumps(recording.metrics, indent=1, allow_nan=False) + "\n"
    return {"metrics.json": metrics, "report.html": recording.page()}


def _write_files(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        write_whole(folder / name, text.encode())
    leave_folder(folder)


RECORDED = "recording.mcap"  # in the folder of an imported log


def find_recording(source: str | Path) -> Path:
    """File of a recording: the path itself, or the file in a folder that an import wrote."""
    path = Path(source)
    return path / RECORDED if (path / RECORDED).is_file() else path


@check_arguments(file=PATH, as_rig=FLAG)
def open_recording(file: str | Path, *, as_rig: bool = False) -> Run | Recording:
    """What an MCAP file of softdock's holds. A simulated run comes back as the `Run` that it was;
    `as_rig`: with what a rig would know of it. Raises `BadRecording` if the file is cut (`softdock
    rig recover` makes it whole), foreign, or of a newer version."""
    contents = read_contents(find_recording(file))
    attached = contents.about.attachments
    if as_rig or METRICS not in attached or SCENARIO not in attached:
        return make_recording(contents, as_rig=as_rig)
    try:
        return _rebuild_run(contents)
    except BadInput as error:
        why = explained_attached(error, attached)
        raise BadRecording(f"{file}: its scenario cannot be built here: {why}") from None
    except KeyError as error:
        raise BadRecording(f"{file}: its metrics have no {error}") from None
    except (AttributeError, IndexError, RecursionError, TypeError, ValueError) as error:
        raise BadRecording(f"{file}: cannot be read: {printable(str(error))}") from None


def _rebuild_run(contents: Contents) -> Run:
    stream, attached = contents.stream(CYCLE), contents.about.attachments
    if stream is None:
        raise ValueError("it has no rows of cycles")
    series = Series(contents.rows[CYCLE], stream.channels)
    scenario = build(tomllib.loads(attached[SCENARIO]))
    return build_run(scenario, series, json.loads(attached[METRICS]))


RECORDING, RING = ".mcap", ".ring"
FOREIGN = (".bag", ".db3")


def open_folder_run(folder: str | Path) -> Run:
    """Read the run of a folder; refuse one without rows."""
    run = open_run(folder)
    if len(run.series["time"]) == 0:
        raise BadRunFolder(f"{folder}: its series have no rows: there is nothing to show")
    return run


def is_recording(source: str) -> bool:
    """Whether a source is a recording by its name, or the folder of an imported one; recordings of
    other programs are refused."""
    ending = Path(source).suffix.lower()
    if ending in FOREIGN:
        allowed = "a scenario, a preset, a run folder or a recording of softdock's (MCAP)"
        raise BadInput(Problem("source", source, allowed))
    if ending == RING:
        raise BadInput(Problem("source", source, f"a recording: softdock rig recover {source}"))
    return ending == RECORDING or find_recording(source) != Path(source)


def open_recorded_run(source: str) -> Run | Recording:
    """Read a recording; refuse one without rows."""
    run = open_recording(source)
    if len(run.series.rows) == 0:
        raise BadRecording(f"{source}: has no rows: there is nothing to show")
    return run


def load_scene(source: str, changes: Sequence[str] = ()) -> Scene:
    """Scene of any source."""
    if not is_recording(source):
        return _scene_with_reference(load_run(source, changes))
    run = open_recorded_run(source)
    if changes:
        if run.scenario is None:
            raise BadInput(Problem("set", changes[0], "nothing: no scenario is attached to it"))
        return _scene_with_reference(simulate(run.scenario.replace(dict(parse_changes(changes)))))
    return build_recording_scene(run) if isinstance(run, Recording) else _scene_with_reference(run)


def _scene_with_reference(run: Run) -> Scene:
    run.simulate_reference()
    return build_scene(run)


def load_run(source: str, changes: Sequence[str] = ()) -> Run:
    """Run of a folder, or a new run of a scenario. With changed keys a folder's scenario is run
    again."""
    if Path(source).is_dir():
        run = open_folder_run(source)
        return simulate(run.scenario.replace(dict(parse_changes(changes)))) if changes else run
    return simulate(load_scenario(source, changes))
