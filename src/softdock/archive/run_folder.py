"""The run folder: a run on disk, for people and for other programs.

    scenario.toml    the resolved scenario, every default written out: running it again gives the same run
    series.parquet   the time series; unit, frame and meaning of each channel in its field's metadata
    metrics.json     the metrics (docs/metrics.md)
    report.html      the page
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

import numpy as np

from softdock._version import __version__
from softdock.analysis.metrics import metrics_json
from softdock.analysis.simulation import judge
from softdock.core.contact_log import LOG_COLUMNS
from softdock.errors import BadInput, BadRunFolder
from softdock.files.atomic import write_whole
from softdock.files.folders import make_folder
from softdock.report.run.page import run_page
from softdock.runs.parquet import from_parquet, to_parquet
from softdock.runs.run import Reached, Run
from softdock.scenario.build import build
from softdock.scenario.files import to_toml

FORMAT, VERSION = "softdock run", 1
MANIFEST, SCENARIO, SERIES, METRICS, REPORT = (
    "run.json",
    "scenario.toml",
    "series.parquet",
    "metrics.json",
    "report.html",
)
READ = (SCENARIO, SERIES, METRICS)  # what a run is made from again


def save_run(run: Run, folder: str | Path, force: bool = False) -> Path:
    """Write a run to a folder. With `force`, over the run that is there; other files in the folder
    stay as they are. A run that was flown alone, or read from a folder, has orbit flown here."""
    path = make_folder(folder, force)
    judge(run)
    contents = {
        SCENARIO: to_toml(run.scenario.tables).encode(),
        SERIES: to_parquet(run.series, {"softdock": __version__, "scenario": run.scenario.name}),
        METRICS: metrics_json(run.metrics).encode(),
        REPORT: run_page(run).encode(),
    }
    (path / MANIFEST).unlink(missing_ok=True)  # from here until the end this is no run
    for name, data in contents.items():
        write_whole(path / name, data)
    files = {
        name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        for name, data in contents.items()
    }
    manifest = {"format": FORMAT, "schema": VERSION, "softdock": __version__, "files": files}
    write_whole(path / MANIFEST, (json.dumps(manifest, indent=1) + "\n").encode())
    return path


def open_run(folder: str | Path) -> Run:
    """A run from its folder. Raises `BadRunFolder` if the folder is missing, cut, changed or of a
    newer version."""
    path = Path(folder)
    _check_manifest(path)
    try:
        metrics = json.loads((path / METRICS).read_text(encoding="utf-8"))
        series = from_parquet((path / SERIES).read_bytes())
        scenario = build(tomllib.loads((path / SCENARIO).read_text(encoding="utf-8")))
    except BadInput as error:
        raise BadRunFolder(f"{folder}: its scenario cannot be built here: {error}") from None
    except (OSError, ValueError) as error:
        raise BadRunFolder(f"{folder}: cannot be read: {error}") from None
    contacts = [
        {name: math.nan if c[name] is None else c[name] for name in LOG_COLUMNS}
        for c in metrics["contacts"]
    ]
    reached = {
        name: math.nan if metrics.get(name) is None else metrics[name] for name in Reached._fields
    }
    run = Run(
        scenario=scenario,
        series=series,
        contacts=contacts,
        contact_count=metrics["contact_count"],
        cycles=metrics["cycles"],
        status=metrics["status"],
        state=np.zeros(0),
        warnings=list(metrics["warnings"]),
        method_books=metrics.get("method_books", {}),  # not in folders of early versions
        events=metrics.get("events", []),
        reached=Reached(**reached),
    )
    run.metrics = metrics  # those saved, not computed again
    return run


def _check_manifest(path: Path) -> None:
    if not path.is_dir():
        raise BadRunFolder(f"{path}: no such folder")
    try:
        manifest = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadRunFolder(
            f"{path}: no run: there is no {MANIFEST} (it is written last, so a run cut short "
            "has none)"
        ) from None
    except (OSError, ValueError) as error:
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
    for name in READ:
        listed = manifest.get("files", {}).get(name, {})
        try:
            data = (path / name).read_bytes()
        except OSError as error:
            raise BadRunFolder(f"{path}: {name} cannot be read ({error.strerror})") from None
        if len(data) != listed.get("bytes"):
            raise BadRunFolder(
                f"{path}: {name} has {len(data)} bytes, written were {listed.get('bytes')}: "
                "it was cut or changed"
            )
        if hashlib.sha256(data).hexdigest() != listed.get("sha256"):
            raise BadRunFolder(f"{path}: {name} is not what was written: it was changed")
