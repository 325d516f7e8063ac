"""What a campaign file says: a base scenario, what varies, which methods and integrators, what is
looked at. See docs/campaigns.md.

Read strictly, all problems at once with file and line. Values of the scenario's keys are checked
later, draw by draw (checking.py).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from softdock.errors import BadInput, Problem, closest
from softdock.files.reading import Unreadable, read_text
from softdock.files.tables import Locate
from softdock.files.toml_text import parse_toml
from softdock.studies.campaign.draws import MOST_SOBOL, SAMPLINGS
from softdock.studies.campaign.requirement import read_requirement
from softdock.studies.campaign.spec_tables import read_names, read_report, read_trajectories
from softdock.studies.campaign.varied_key import Vary
from softdock.studies.campaign.vary import read_vary

SCHEMA_VERSION = 1
MOST_RUNS = 2**32  # the run's index is half the key of its random numbers
KEYS = {
    "schema": "version of the campaign format",
    "name": "short name",
    "description": "what this campaign shows",
    "scenario": "the base: a preset, or a scenario file beside this one",
    "set": "keys of the base to change",
    "runs": "draws, at each point of the grids",
    "seed": "of every draw, and of the scenario's noise",
    "sampling": "how numbers are drawn: " + ", ".join(SAMPLINGS),
    "methods": "methods to run everything with: names, chains A+B, or all",
    "integrators": "integrators to run everything with, or all",
    "vary": "what varies",
    "reference": "true: orbit beside every run",
    "honest_below": "distance from orbit below which a run is honest",
    "outcome_file": "Python file with outcomes of your own",
    "trajectories": "runs whose motion is kept",
    "report": "what the page maps",
    "require": "probabilities that must be shown: captured, faithful, unsafe, confidence",
}


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
    honest_below: float
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


class _Reader:
    """The keys of a campaign's tables, one by one; problems are gathered."""

    def __init__(self, tables: Mapping[str, Any], locate: Locate) -> None:
        self.tables, self.locate = tables, locate
        self.problems: list[Problem] = []

    def refuse(self, key: str, value: Any, allowed: str, suggestion: str = "") -> None:
        self.problems.append(Problem(key, value, allowed, self.locate(key), suggestion=suggestion))

    def given(
        self, key: str, kinds: Any, default: Any, allowed: str, fits: Any = lambda value: True
    ) -> Any:
        value = self.tables.get(key, default)
        right = isinstance(value, kinds) and not (isinstance(value, bool) and kinds is not bool)
        if value is not default and not (right and fits(value)):
            self.refuse(key, value, allowed)
            return default
        return value

    def chosen(self, key: str, default: str, choices: Sequence[str]) -> Any:
        allowed = "one of " + ", ".join(choices)
        return self.given(key, str, default, allowed, lambda name: name in choices)

    def table(self, key: str, allowed: str = "a table") -> Any:
        return self.given(key, dict, {}, allowed)


def read_spec(
    tables: Mapping[str, Any], locate: Locate = lambda path: "", folder: Path | None = None
) -> Spec:
    """Check what can be checked without the scenario. Raises `BadInput` with everything that is
    wrong."""
    reader = _Reader(tables, locate)
    given, refuse = reader.given, reader.refuse
    _check_keys(reader)
    scenario = given("scenario", str, "", "a preset's name or a scenario file")
    if not scenario and "scenario" not in tables:
        refuse("scenario", None, "a preset's name or a scenario file")
    sampling = reader.chosen("sampling", "random", SAMPLINGS)
    runs = given(
        "runs", int, None, f"a whole number from 1 to {MOST_RUNS}", lambda n: 1 <= n <= MOST_RUNS
    )
    seed = given("seed", int, 0, "a whole number from 0 to 2^32 - 1", lambda n: 0 <= n < 2**32)
    found = _read_varied(reader)
    _check_sampling(reader, sampling, runs, found)
    methods, integrators = (read_names(tables, key, refuse) for key in ("methods", "integrators"))
    reference = given("reference", bool, False, "true or false")
    above = "a number above 0"
    below = given("honest_below", (int, float), 0.05, above, lambda x: x > 0.0 and math.isfinite(x))
    trajectories = read_trajectories(reader.table("trajectories"), refuse)
    labels = [label for v in found for label in v.labels]
    report = read_report(reader.table("report"), labels, refuse)
    all_drawn = all(v.dimensions for v in found)
    require = read_requirement(
        reader.table("require"), bool(reference), sampling, all_drawn, refuse
    )
    spec = Spec(
        name=given("name", str, "unnamed", "a text"),
        description=given("description", str, "", "a text"),
        scenario=scenario,
        changes=reader.table("set", "a table of the scenario's keys"),
        runs=1 if runs is None else runs,
        seed=seed,
        sampling=sampling,
        methods=methods,
        integrators=integrators,
        vary=found,
        reference=reference,
        honest_below=float(below),
        outcome_file=given("outcome_file", str, "", "the name of a Python file"),
        trajectories=trajectories,
        report=report,
        require=require,
        folder=folder or Path(),
        tables=dict(tables),
        locate=locate,
    )
    if not found and runs is None and methods is None and integrators is None:
        what = "something that varies: a [[vary]], runs, methods or integrators; this campaign "
        refuse("vary", None, what + "is empty")
    if reader.problems:
        raise BadInput(reader.problems)
    return spec


def _check_keys(reader: _Reader) -> None:
    """Keys that there are, and the version of the format."""
    for key, value in reader.tables.items():
        if key not in KEYS:
            allowed = "one of " + ", ".join(KEYS)
            reader.refuse(str(key), value, allowed, closest(str(key), KEYS))
    version = reader.tables.get("schema", SCHEMA_VERSION)
    if version != SCHEMA_VERSION or isinstance(version, bool):
        reader.refuse("schema", version, f"{SCHEMA_VERSION}, the version this softdock reads")


def _read_varied(reader: _Reader) -> tuple[Vary, ...]:
    """What varies, each key once."""
    listed = reader.given(
        "vary",
        list,
        [],
        "an array of tables, [[vary]]",
        lambda v: all(isinstance(t, Mapping) for t in v),
    )
    vary = [read_vary(table, f"vary.{i}", reader.refuse) for i, table in enumerate(listed)]
    return tuple(v for v in vary if v is not None)


def _check_sampling(
    reader: _Reader, sampling: str, runs: int | None, found: tuple[Vary, ...]
) -> None:
    """Whether what varies can be drawn that way, and how often."""
    refuse, dimensions = reader.refuse, sum(v.dimensions for v in found)
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
