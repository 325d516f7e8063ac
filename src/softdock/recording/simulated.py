"""A simulated run as a recording: the same topics as a rig's, and the truth beside them.

Scenario and metrics are attached, so that the run can be read back whole. A run that is known from
reports alone (`softdock.drive` with a rig of one's own) has neither truth nor metrics: it is read
back as what a rig recorded. Time begins at 1970 plus the stated start: a file made twice from one
run has the same bytes.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from softdock._arguments import FLAG, PATH, TEXT, check_arguments
from softdock.errors import BadInput, Problem
from softdock.files.atomic import refuse_unwritable, replacement_file
from softdock.loop.instants import SECOND
from softdock.recording.layouts import write_layouts
from softdock.recording.mcap_file import LEVELS, McapFile, Sink
from softdock.recording.robot_description import list_joints, write_robot_description
from softdock.recording.streams import (
    CYCLE,
    PROVENANCE,
    SENSOR_ON,
    URDF,
    About,
    Stream,
    describe_provenance,
)
from softdock.results.metrics import format_metrics_json
from softdock.results.run import Run
from softdock.results.simulation import judge
from softdock.scenario.files import to_toml
from softdock.scenario.method_sources import attached_methods
from softdock.scenario.own_models import UNSAVED, refuse_own_models

SCENARIO, RIG, METRICS = "scenario.toml", "rig.toml", "metrics.json"
ROWS_AT_ONCE = 2000  # between two chunks
KIND = "kind"  # in the metadata record `run`: simulated, reported or rig


def make_run_stream(run: Run) -> Stream:
    """All channels of a run."""
    channels = tuple(run.series.channels)
    return Stream(
        name=CYCLE,
        kind="rows",
        width=len(channels),
        channels=channels,
        places=tuple(range(len(channels))),
    )


@check_arguments(path=PATH, note=TEXT, force=FLAG)
def save_mcap(run: Run, path: str | Path, *, note: str = "", force: bool = False) -> Path:
    """Write a run as MCAP with ROS 2 messages, for Foxglove, PlotJuggler and rosbags. Judges a run
    that was flown alone; one known from reports alone is judged when it is read. Refuses a file
    that exists, unless `force`. Layouts for Foxglove and PlotJuggler are written beside it
    (layouts.py)."""
    refuse_own_models(run.scenario, "a recording", UNSAVED)
    target = Path(path)
    refuse_unwritable(target, "mcap")
    if run.has_truth:
        judge(run)
    if target.exists() and not force:
        raise BadInput(Problem("mcap", str(path), "a new file; this one exists (--force)"))
    streams = [make_run_stream(run)]
    urdf = write_robot_description(run.scenario.tables, list_joints(streams))
    about = About(
        name=run.scenario.name,
        attachments={
            SCENARIO: to_toml(run.scenario.tables),
            **({METRICS: format_metrics_json(run.metrics)} if run.has_truth else {}),
            **attached_methods(run.scenario.tables),
            **({URDF: urdf} if urdf else {}),
        },
        tables={
            "run": {
                KIND: "simulated" if run.has_truth else "reported",
                "status": run.status,
                **find_sensor(run),
            },
            PROVENANCE: describe_provenance(note),
        },
    )
    with replacement_file(target, "mcap") as part:
        sink = Sink(part)
        _fill(McapFile(sink, about, streams), run)
        if sink.error is not None:
            raise sink.error
    write_layouts(target, about, streams, force)
    return target


def find_sensor(run: Run) -> dict[str, str]:
    """The body that has the sensor, where only one has."""
    on = str(run.scenario.tables["sensor"]["on"])
    return {SENSOR_ON: on} if on in ("chaser", "target") else {}


def _fill(file: McapFile, run: Run) -> None:
    stream, rows = file.streams[0], np.ascontiguousarray(run.series.rows)
    for first in range(0, len(rows), ROWS_AT_ONCE):
        part = rows[first : first + ROWS_AT_ONCE]
        file.add(stream, part, np.arange(first, first + len(part)))
        file.flush()
    ended = round(float(run.series["time"][-1]) * SECOND) if len(rows) else 0
    for event in run.events:
        at = event.get("start_s", event.get("time_s"))
        when = round(float(at) * SECOND) if isinstance(at, int | float) else ended
        file.say(max(when, 0), LEVELS[2], str(event["text"]))
    for contact in run.contacts:
        text = f"contact until {contact['end_s']:.4f} s, restitution {contact['restitution']:.6g}"
        file.say(max(round(contact["start_s"] * SECOND), 0), LEVELS[1], text)
    end = {"why": run.status, f"rows.{CYCLE}": str(len(rows)), f"lost.{CYCLE}": "0"}
    file.finish(end)
