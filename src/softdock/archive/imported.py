"""A log of another program as a recording, and the folder that it goes to.

    recording.mcap   what was logged, as a rig's recording (docs/recording.md); map and scenario
                     are attached
    metrics.json     the numbers that a rig can know; None: not known
    report.html      the page
    map.toml         the map that it was read by

Nothing is written until everything is read and checked.
"""

from __future__ import annotations

import json
from pathlib import Path

from softdock._arguments import PATH, checked, optional
from softdock.archive.recordings import RECORDED
from softdock.files.atomic import write_whole
from softdock.files.folders import leave_folder, make_folder
from softdock.logs.importing import import_contents
from softdock.logs.map_parts import Map
from softdock.recorder.read import Contents
from softdock.recorder.recording import Recording, recording_of
from softdock.recorder.written_file import write_contents
from softdock.scenario.files import load_scenario, to_toml


@checked(
    log=PATH,
    mapped=lambda value: "" if isinstance(value, Map) or not PATH(value) else "a map, or its file",
    scenario=optional(PATH),
)
def import_log(
    log: str | Path, mapped: Map | str | Path, *, scenario: str | Path | None = None
) -> Recording:
    """A log (CSV, Parquet, MCAP) as a recording. `mapped`: MAP.toml, which says what its columns
    are. `scenario`: a file or a preset to attach, for shapes and for orbit. Raises `BadInput`."""
    return recording_of(contents_of(log, mapped, scenario))


def contents_of(
    log: str | Path, mapped: Map | str | Path, scenario: str | Path | None = None
) -> Contents:
    """What the recording's file will hold."""
    attached = "" if scenario is None else to_toml(load_scenario(scenario).tables)
    return import_contents(log, mapped, attached)


def save_imported(contents: Contents, folder: str | Path, force: bool = False) -> Recording:
    """Write recording, metrics, page and map to a folder."""
    recording = recording_of(contents)
    recording.source = str(folder)
    recording.judgement()
    page = recording.page()
    metrics = json.dumps(recording.metrics, indent=1, allow_nan=False) + "\n"
    path = make_folder(folder, force)
    write_contents(contents, path / RECORDED)
    write_whole(path / "metrics.json", metrics.encode())
    write_whole(path / "report.html", page.encode())
    write_whole(path / "map.toml", contents.about.attachments["map.toml"].encode())
    leave_folder(path)
    return recording
