"""Recordings opened: a simulated run is a `Run` again, a rig's is a `Recording`."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

from softdock._arguments import FLAG, PATH, checked
from softdock.archive.run_folder import run_from
from softdock.errors import BadInput, BadRecording, printable
from softdock.recorder.read import Contents, read_contents
from softdock.recorder.recording import Recording, recording_of
from softdock.recorder.simulated import METRICS, SCENARIO
from softdock.recorder.streams import CYCLE
from softdock.runs.run import Run
from softdock.runs.series import Series
from softdock.scenario.build import build
from softdock.scenario.method_sources import explained_attached

RECORDED = "recording.mcap"  # in the folder of an imported log


def recording_file(source: str | Path) -> Path:
    """The file of a recording: itself, or the one in a folder that an import wrote."""
    path = Path(source)
    return path / RECORDED if (path / RECORDED).is_file() else path


@checked(file=PATH, as_rig=FLAG)
def open_recording(file: str | Path, *, as_rig: bool = False) -> Run | Recording:
    """What an MCAP file of softdock's holds. A simulated run comes back as the `Run` that it was;
    `as_rig`: with what a rig would know of it. Raises `BadRecording` if the file is cut (`softdock
    rig recover` makes it whole), foreign, or of a newer version."""
    contents = read_contents(recording_file(file))
    attached = contents.about.attachments
    if as_rig or METRICS not in attached or SCENARIO not in attached:
        return recording_of(contents, as_rig=as_rig)
    try:
        return _run(contents)
    except BadInput as error:
        why = explained_attached(error, attached)
        raise BadRecording(f"{file}: its scenario cannot be built here: {why}") from None
    except KeyError as error:
        raise BadRecording(f"{file}: its metrics have no {error}") from None
    except (AttributeError, IndexError, RecursionError, TypeError, ValueError) as error:
        raise BadRecording(f"{file}: cannot be read: {printable(str(error))}") from None


def _run(contents: Contents) -> Run:
    stream, attached = contents.stream(CYCLE), contents.about.attachments
    if stream is None:
        raise ValueError("it has no rows of cycles")
    series = Series(contents.rows[CYCLE], stream.channels)
    scenario = build(tomllib.loads(attached[SCENARIO]))
    return run_from(scenario, series, json.loads(attached[METRICS]))
