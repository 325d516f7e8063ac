"""The run folder: a run on disk, for people and for other programs.

    scenario.toml    the resolved scenario, every default written out: running it again gives the
                     same run
    series.parquet   the time series; unit, frame and meaning of each channel in its field's
                     metadata
    metrics.json     the metrics (docs/metrics.md)
    report.html      the page
    methods.json     with methods of the user's own: which file they came from, and its hash
    methods/         those files as they ran; text, which nothing here runs
    phases/          with `softdock run --keep-phases`: of every sampling phase that was judged (00
                     is the run itself) scenario.toml, series.parquet, metrics.json, and
                     reference.parquet, the series of the reference at the same instants
    run.json         the manifest: version of the format, size and hash of every file; written last

Every file is written whole or not at all, and the manifest last: a folder without a manifest is one
whose writing did not end.
"""

from __future__ import annotations

import hashlib
import json
import math
import tomllib
from pathlib import Path
from typing import Any

import numpy as np

from softdock._arguments import FLAG, PATH, check_arguments
from softdock._version import __version__
from softdock.errors import BadInput, BadRunFolder, printable
from softdock.files.atomic import write_whole
from softdock.files.folders import leave_folder, make_folder
from softdock.files.reading import Unreadable, read_bytes, read_text
from softdock.loop.contact.log import LOG_COLUMNS
from softdock.loop.record import CHANNELS, Channel
from softdock.output.pages.run.page import run_page
from softdock.results.metrics import format_metrics_json
from softdock.results.run import LoopSummary, Run
from softdock.results.series import Series, from_parquet, to_parquet
from softdock.results.simulation import judge
from softdock.scenario.build import Scenario, build
from softdock.scenario.files import to_toml
from softdock.scenario.method_sources import LISTED, explained, files_of, kept, listed_methods
from softdock.scenario.own_models import UNSAVED, refuse_own_models

FORMAT, VERSION = "softdock run", 1
MANIFEST, SCENARIO, SERIES, METRICS, REPORT = (
    "run.json",
    "scenario.toml",
    "series.parquet",
    "metrics.json",
    "report.html",
)
READ_FILES = (SCENARIO, SERIES, METRICS)  # what a run is made from again


@check_arguments(folder=PATH, force=FLAG)
def save_run(run: Run, folder: str | Path, force: bool = False) -> Path:
    """Write a run to a folder. With `force`, over the run that is there; other files in the folder
    stay as they are. Simulates the reference if that was not done. A run known from reports alone
    becomes a recording, as an imported log does (sources.py)."""
    refuse_own_models(run.scenario, "a run folder", UNSAVED)
    path = make_folder(folder, force)
    if not run.has_truth:
        from softdock.output.folders.sources import save_reported

        return save_reported(run, path)
    judge(run)
    contents = {
        SCENARIO: to_toml(run.scenario.tables).encode(),
        SERIES: to_parquet(run.series, {"softdock": __version__, "scenario": run.scenario.name}),
        METRICS: format_metrics_json(run.metrics).encode(),
        REPORT: run_page(run).encode(),
        **kept(files_of(listed_methods(run.scenario.tables))),
        **_phase_files(run),
    }
    (path / MANIFEST).unlink(missing_ok=True)  # from here until the end this is no run
    (path / LISTED).unlink(missing_ok=True)  # of a run that was here before
    for name, data in contents.items():
        (path / name).parent.mkdir(exist_ok=True, parents=True)
        write_whole(path / name, data)
    files = {
        name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        for name, data in contents.items()
    }
    manifest = {"format": FORMAT, "schema": VERSION, "softdock": __version__, "files": files}
    write_whole(path / MANIFEST, (json.dumps(manifest, indent=1) + "\n").encode())
    leave_folder(path)
    return path


def _phase_files(run: Run) -> dict[str, bytes]:
    """Files of every sampling phase that was judged, if they were kept."""
    files, note = {}, {"softdock": __version__, "scenario": run.scenario.name}
    for i, one in enumerate(run.judged_runs):
        at = f"phases/{i:02d}"
        files[f"{at}/{SCENARIO}"] = to_toml(one.scenario.tables).encode()
        files[f"{at}/{SERIES}"] = to_parquet(one.series, note)
        files[f"{at}/reference.parquet"] = to_parquet(_reference_series(one), note)
        files[f"{at}/{METRICS}"] = format_metrics_json(one.metrics).encode()
    return files


def _reference_series(run: Run) -> Series:
    """The reference's series with units, frames and meanings."""
    known = {channel.name: channel for channel in CHANNELS}
    channels = [
        channel
        for name in run.reference.series
        for channel in ([known[name]] if name in known else _vector_channels(name))
    ]
    columns = [np.reshape(values, (len(values), -1)) for values in run.reference.series.values()]
    return Series(np.concatenate(columns, axis=1), channels)


def _vector_channels(name: str) -> list[Channel]:
    """Channels of a vector."""
    return [channel for channel in CHANNELS if channel.name.rpartition(".")[0] == name]


@check_arguments(folder=PATH)
def open_run(folder: str | Path) -> Run:
    """Read a run from its folder. Raises `BadRunFolder` if the folder is missing, cut, changed or
    of a newer version."""
    path = Path(folder)
    texts = _read_checked(path)
    try:
        metrics = json.loads(texts[METRICS])
        series = from_parquet(texts[SERIES])
        scenario = build(tomllib.loads(texts[SCENARIO].decode("utf-8")))
        return build_run(scenario, series, metrics)
    except BadInput as error:
        why = explained(error, path)
        raise BadRunFolder(f"{folder}: its scenario cannot be built here: {why}") from None
    except KeyError as error:
        raise BadRunFolder(f"{folder}: its {METRICS} has no {error}") from None
    except (AttributeError, IndexError, RecursionError, TypeError, ValueError) as error:
        raise BadRunFolder(f"{folder}: cannot be read: {printable(str(error))}") from None


def build_run(scenario: Scenario, series: Series, metrics: dict[str, Any]) -> Run:
    """A run from its parts, with the saved metrics. Raises `KeyError`, `TypeError` or `ValueError`
    if they do not fit."""
    contacts = [
        {name: math.nan if c[name] is None else float(c[name]) for name in LOG_COLUMNS}
        for c in metrics["contacts"]
    ]
    for contact in contacts:
        contact["pair"] = int(contact["pair"])
    reached = {
        name: math.nan if metrics.get(name) is None else float(metrics[name])
        for name in LoopSummary._fields
    }
    run = Run(
        scenario=scenario,
        series=series,
        contacts=contacts,
        contact_count=int(metrics["contact_count"]),
        cycles=int(metrics["cycles"]),
        status=str(metrics["status"]),
        state=np.zeros(0),
        warnings=[str(line) for line in metrics["warnings"]],
        method_books=dict(metrics.get("method_books", {})),  # not in folders of early versions
        events=list(metrics.get("events", [])),
        reached=LoopSummary(**reached),
    )
    run.metrics = metrics  # those saved, not computed again
    return run


def _read_checked(path: Path) -> dict[str, bytes]:
    """Contents of the files that a run is built from, checked against the manifest."""
    if not path.is_dir():
        raise BadRunFolder(f"{path}: no such folder")
    if not (path / MANIFEST).exists():
        raise BadRunFolder(
            f"{path}: no run: there is no {MANIFEST} (it is written last, so a run cut short "
            "has none)"
        )
    try:
        manifest = json.loads(read_text(path / MANIFEST))
    except Unreadable as error:
        raise BadRunFolder(f"{path}: its {MANIFEST} is not {error.allowed}") from None
    except (RecursionError, ValueError) as error:
        raise BadRunFolder(f"{path}: its {MANIFEST} cannot be read: {error}") from None
    if (
        not isinstance(manifest, dict)
        or manifest.get("format") != FORMAT
        or not isinstance(manifest.get("schema"), int)
    ):
        raise BadRunFolder(f"{path}: its {MANIFEST} is not that of a run")
    if manifest["schema"] > VERSION:
        newer = (
            f"written in version {manifest['schema']} of the format, by softdock "
            f"{manifest.get('softdock', 'unknown')}"
        )
        raise BadRunFolder(
            f"{path}: {newer}; this is {__version__}, which reads up to version {VERSION}"
        )
    files, content = manifest.get("files"), {}
    for name in READ_FILES:
        listed = files.get(name) if isinstance(files, dict) else None
        if not isinstance(listed, dict) or not isinstance(listed.get("bytes"), int):
            raise BadRunFolder(f"{path}: its {MANIFEST} does not list {name}")
        try:
            data = read_bytes(path / name, listed["bytes"])
        except Unreadable as error:
            raise BadRunFolder(f"{path}: {name} cannot be read: not {error.allowed}") from None
        if len(data) != listed["bytes"]:
            raise BadRunFolder(
                f"{path}: {name} has {len(data)} bytes, written were {listed['bytes']}: "
                "it was cut or changed"
            )
        if hashlib.sha256(data).hexdigest() != listed.get("sha256"):
            raise BadRunFolder(f"{path}: {name} is not what was written: it was changed")
        content[name] = data
    return content
