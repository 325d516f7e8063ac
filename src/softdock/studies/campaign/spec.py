"""What a campaign file says: a base scenario, what varies, which methods and integrators, what is
looked at. See docs/campaigns.md.

Read strictly, all problems at once with file and line. Values of the scenario's keys are checked
later, draw by draw (checking.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from softdock.errors import BadInput, Problem, closest
from softdock.files.reading import Unreadable, read_text
from softdock.files.schema import OPTIONAL, Own, file_key, own_key, version_key
from softdock.files.tables import Locate, Reader, nowhere
from softdock.files.toml_text import parse_toml
from softdock.studies.campaign.draws import MOST_SOBOL, SAMPLINGS
from softdock.studies.campaign.requirement import read_requirement
from softdock.studies.campaign.vary import Vary, read_vary


def _are_runs(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(run, int) and not isinstance(run, bool) and run >= 0 for run in value
    )


TRAJECTORIES = (
    own_key("runs", "of which", "a list of run numbers, from 0", _are_runs, []),
    file_key("worst", "how many of the worst", 0, kind="integer", low=0, high=1000),
    file_key("every_ms", "between two rows", 20.0, unit="ms", low=0, open_low=True),
)
WORST_BY = own_key(
    "worst_by", "which runs are worst", "the name of an outcome", lambda v: isinstance(v, str), ""
)


def read_trajectories(table: Reader) -> dict[str, Any]:
    """Which runs' motion is kept, and how densely."""
    trajectories = table.read(TRAJECTORIES)
    table.done()
    return trajectories


def read_report(table: Reader, labels: list[str]) -> dict[str, Any]:
    """What the page maps. `labels`: of what varies."""

    def are_axes(axes: Any) -> bool:
        listed = isinstance(axes, list) and len(axes) in (0, 2) and all(a in labels for a in axes)
        return listed and len(set(axes)) == len(axes)

    allowed = "two of what varies, not the same twice: " + ", ".join(labels)
    axes = own_key("map", "axes", allowed, are_axes, labels[:2] if len(labels) > 1 else [])
    report = table.read((axes, WORST_BY))
    table.done()
    return report


SCHEMA_VERSION = 1
MOST_RUNS = 2**32  # the run's index is half the key of its random numbers


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_names(value: Any) -> bool:
    listed = isinstance(value, list) and bool(value)
    return value == "all" or (listed and all(isinstance(name, str) for name in value))


_NAMES = 'a list of names, or "all"'
SPEC = (
    version_key(SCHEMA_VERSION, SCHEMA_VERSION),
    file_key("name", "short name", "unnamed", kind="text"),
    file_key("description", "what this campaign shows", "", kind="text"),
    own_key(
        "scenario",
        "the base: a preset, or a scenario file beside this one",
        "a preset's name or a scenario file",
        _is_text,
    ),
    file_key(
        "set",
        "keys of the base to change",
        {},
        "changes",
        kind="own",
        own=Own("a table of the scenario's keys", lambda value: isinstance(value, dict)),
    ),
    file_key(
        "runs",
        "draws, at each point of the grids",
        OPTIONAL,
        kind="integer",
        low=1,
        high=MOST_RUNS,
    ),
    file_key(
        "seed",
        "of every draw, and of the scenario's noise",
        0,
        kind="integer",
        low=0,
        high=2**32 - 1,
    ),
    file_key(
        "sampling",
        "how numbers are drawn: " + ", ".join(SAMPLINGS),
        "random",
        choices=tuple(SAMPLINGS),
    ),
    own_key(
        "methods",
        "methods to run everything with: names, chains A+B, or all",
        _NAMES,
        _is_names,
        OPTIONAL,
    ),
    own_key(
        "integrators", "integrators to run everything with, or all", _NAMES, _is_names, OPTIONAL
    ),
    own_key(
        "vary",
        "what varies",
        "an array of tables, [[vary]]",
        lambda value: isinstance(value, list) and all(isinstance(t, Mapping) for t in value),
        [],
    ),
    file_key("reference", "true: orbit beside every run", False, kind="flag"),
    file_key(
        "error_limit",
        "error against the on-orbit reference that a run may have",
        0.05,
        low=0,
        open_low=True,
    ),
    own_key(
        "outcome_file",
        "Python file with outcomes of your own",
        "the name of a Python file",
        _is_text,
        "",
    ),
)
TABLES = {
    "trajectories": "runs whose motion is kept",
    "report": "what the page maps",
    "require": "probabilities that must be shown: captured, faithful, unsafe, confidence",
}
KEYS = {**{parameter.key: parameter.meaning for parameter in SPEC}, **TABLES}


@dataclass(frozen=True)
class Spec:
    """A campaign as it was written, checked as far as it can be without its scenario."""

    name: str
    description: str
    scenario: str
    changes: dict[str, Any]
    runs: int
    seed: int
    sampling: str
    methods: list[str] | str | None
    integrators: list[str] | str | None
    vary: tuple[Vary, ...]
    reference: bool
    error_limit: float
    outcome_file: str
    trajectories: dict[str, Any]
    report: dict[str, Any]
    require: dict[str, float]
    folder: Path  # files named here are looked for in it
    tables: dict[str, Any] = field(repr=False)  # as written
    locate: Locate = field(repr=False, compare=False)


def list_presets() -> list[str]:
    return sorted(
        p.name.removesuffix(".toml")
        for p in files("softdock.studies.campaign").joinpath("presets").iterdir()
        if p.name.endswith(".toml")
    )


def load_spec(source: str | Path) -> Spec:
    """A campaign from a file, a preset's name, or the folder of a campaign that has begun."""
    path = Path(source)
    if path.is_dir():
        path = path / "campaign.toml"
    if path.suffix == ".toml" or "/" in str(source) or path.is_file():
        text, name, folder = _read(path), str(path), path.parent
    else:
        known = list_presets()
        if str(source) not in known:
            allowed = "a campaign file (.toml), the folder of one, or a preset: " + ", ".join(known)
            raise BadInput(
                Problem("campaign", str(source), allowed, suggestion=closest(str(source), known))
            )
        text, name, folder = (
            files("softdock.studies.campaign")
            .joinpath("presets", f"{source}.toml")
            .read_text(encoding="utf-8"),
            f"{source}.toml",
            Path(),
        )
    tables, locate, _ = parse_toml(text, name)
    return read_spec(tables, locate, folder)


def _read(path: Path) -> str:
    try:
        return read_text(path, what="campaign file")
    except Unreadable as error:
        hint = f", or a preset: {', '.join(list_presets())}" if not path.exists() else ""
        raise BadInput(
            Problem("campaign", error.given, error.allowed + hint, f"{path}:{error.line}")
        ) from None


def read_spec(
    tables: Mapping[str, Any], locate: Locate = nowhere, folder: Path | None = None
) -> Spec:
    """Check what can be checked without the scenario. Raises `BadInput` with everything that is
    wrong."""
    problems: list[Problem] = []
    top = Reader(tables, "", problems, locate)
    own = top.read(SPEC)
    own.pop("schema")
    vary = own.pop("vary")
    rows = [Reader(row, f"vary.{i}", problems, locate) for i, row in enumerate(vary)]
    keys = tuple(v for v in map(read_vary, rows) if v is not None)
    runs, sampling = own["runs"], own["sampling"]
    _check_sampling(top, sampling, runs, keys)
    labels = [label for v in keys for label in v.labels]
    trajectories = read_trajectories(top.inner("trajectories"))
    report = read_report(top.inner("report"), labels)
    all_drawn = all(v.dimensions for v in keys)
    require = read_requirement(top.inner("require"), own["reference"], sampling, all_drawn)
    top.done()
    is_empty = not vary and runs is None and own["methods"] is own["integrators"] is None
    if is_empty:
        what = "something that varies: a [[vary]], runs, methods or integrators; this campaign "
        top.refuse("vary", None, what + "is empty")
    if problems:
        raise BadInput(problems)
    return Spec(
        **own | {"runs": 1 if runs is None else runs},
        vary=keys,
        trajectories=trajectories,
        report=report,
        require=require,
        folder=folder or Path(),
        tables=dict(tables),
        locate=locate,
    )


def _check_sampling(top: Reader, sampling: str, runs: int | None, found: tuple[Vary, ...]) -> None:
    """Whether what varies can be drawn that way, and how often."""
    refuse, dimensions = top.refuse, sum(v.dimensions for v in found)
    if dimensions and runs is None:
        refuse("runs", None, "how many draws, because something is drawn")
    needed = dimensions * (2 if sampling == "saltelli" else 1)
    if needed > MOST_SOBOL and sampling in ("sobol", "saltelli"):
        allowed = f"sobol for at most {MOST_SOBOL} numbers drawn, saltelli for {MOST_SOBOL // 2}; "
        refuse("sampling", sampling, f"{allowed}this campaign draws {dimensions}")
    if sampling == "saltelli" and any(v.is_correlated for v in found):
        allowed = "another one: Sobol's indices need numbers that are drawn independently"
        refuse("sampling", sampling, allowed)
    if sampling == "saltelli" and not dimensions:
        refuse("sampling", sampling, "another one: nothing is drawn")
    names = [name for v in found for name in v.written]
    for name in sorted({n for n in names if names.count(n) > 1}):
        refuse("vary", name, "each key once")


def count_grid_points(vary: tuple[Vary, ...]) -> int:
    """Points of all grids and lists together."""
    return (
        int(np.prod([len(v.points) for v in vary if not v.dimensions], dtype=object)) if vary else 1
    )
