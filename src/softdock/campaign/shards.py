"""The folder of a campaign, written as it goes.

    campaign.toml, scenario.toml    what runs, every default written out; `softdock campaign DIR` reads them again
    campaign.json                   the manifest: version, sources, size of a shard; written before the first run
    runs/part-000000.parquet ...    the table of outcomes, a file a shard: `pandas.read_parquet("DIR/runs")`
    trajectories/                   motion of chosen runs
    summary.json, report.html       when all is done

A shard is there whole or not at all, under a name that says which runs it holds: after an
interruption, or `kill -9`, what is missing is run again and nothing is counted twice.
"""

from __future__ import annotations

import hashlib
import json
import shlex
import shutil
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from softdock._version import __version__
from softdock.archive.run_folder import make_folder
from softdock.campaign.plan import Plan, make_plan
from softdock.campaign.spec import read_spec
from softdock.core.machine.compiled import source_hash
from softdock.errors import BadInput, Problem
from softdock.files.atomic import write_whole
from softdock.scenario.build import build
from softdock.scenario.files import to_toml

FORMAT, VERSION = "softdock campaign", 1
MANIFEST, CAMPAIGN, SCENARIO, RUNS, OWN = (
    "campaign.json",
    "campaign.toml",
    "scenario.toml",
    "runs",
    "outcomes.py",
)
PARQUET = b"PAR1"  # at both ends of such a file
TRAJECTORIES, SUMMARY, REPORT = "trajectories", "summary.json", "report.html"


def again(path: Path) -> str:
    """The command that goes on with a campaign."""
    return f"softdock campaign {shlex.quote(str(path))} --resume"


class Shard(NamedTuple):
    """Runs first .. last - 1 of a variant."""

    number: int
    variant: int
    first: int
    last: int

    @property
    def runs(self) -> int:
        return self.last - self.first


class Texts(NamedTuple):
    """A plan as text: enough to make it again anywhere."""

    campaign: str
    scenario: str

    @property
    def fingerprint(self) -> str:
        return hashlib.sha256("\0".join(self).encode()).hexdigest()


def plan_texts(plan: Plan) -> Texts:
    tables = {key: value for key, value in plan.spec.tables.items() if key != "set"} | {
        "scenario": SCENARIO
    }
    if plan.spec.outcome_file:
        tables["outcome_file"] = OWN
    return Texts(to_toml(tables), to_toml(plan.base.tables))


def outcomes_hash(plan: Plan) -> str:
    """Of the file with the user's own outcomes; empty where there is none, or none that can be
    read."""
    try:
        return (
            hashlib.sha256((plan.spec.folder / plan.spec.outcome_file).read_bytes()).hexdigest()
            if plan.spec.outcome_file
            else ""
        )
    except OSError:
        return ""


def plan_from(texts: Texts, folder: Path | None = None) -> Plan:
    """The same plan from its texts."""
    return make_plan(
        read_spec(tomllib.loads(texts.campaign), folder=folder),
        build(tomllib.loads(texts.scenario)),
    )


@dataclass
class Folder:
    """Where a campaign's results go."""

    path: Path
    shard_runs: int

    def file(self, shard: Shard) -> Path:
        return self.path / RUNS / f"part-{shard.number:06d}.parquet"

    def write(self, shard: Shard, data: bytes) -> None:
        write_whole(self.file(shard), data)

    def missing(self, plan: Plan) -> list[Shard]:
        return [shard for shard in shards(plan, self.shard_runs) if not self.file(shard).exists()]


def shards(plan: Plan, size: int) -> Iterator[Shard]:
    """All shards of a campaign, in order; none holds runs of two variants."""
    number = 0
    for variant in range(len(plan.variants)):
        for first in range(0, plan.design.runs, size):
            yield Shard(number, variant, first, min(first + size, plan.design.runs))
            number += 1


def check_free(plan: Plan, path: Path) -> None:
    """`BadInput` if there is something in the folder, with the way on where it is this campaign."""
    if not path.is_dir() or not any(path.iterdir()):
        return
    try:
        manifest = read_manifest(path)
        same = manifest.get("plan") == plan_texts(plan).fingerprint and manifest.get(
            "outcomes", ""
        ) == outcomes_hash(plan)
        allowed = "a new or an empty folder; this one holds " + (
            f"this very campaign: {again(path)} goes on with it" if same else "another campaign"
        )
    except BadInput:
        allowed = "a new or an empty folder; this one holds something"
    raise BadInput(Problem("out", str(path), allowed))


def begin(plan: Plan, path: Path, shard_runs: int) -> Folder:
    """A new folder, its manifest written; `BadInput` if there is something in it."""
    check_free(plan, path)
    make_folder(path)
    texts = plan_texts(plan)
    if plan.spec.outcome_file:
        shutil.copyfile(plan.spec.folder / plan.spec.outcome_file, path / OWN)
    (path / RUNS).mkdir()
    for name, text in ((CAMPAIGN, texts.campaign), (SCENARIO, texts.scenario)):
        write_whole(path / name, text.encode())
    manifest = {
        "format": FORMAT,
        "schema": VERSION,
        "softdock": __version__,
        "core": source_hash(),
        "plan": texts.fingerprint,
    }
    manifest |= {"outcomes": outcomes_hash(plan)} if plan.spec.outcome_file else {}
    manifest |= {
        "runs": plan.runs,
        "shard_runs": shard_runs,
        "variants": [v.label for v in plan.variants],
    }
    write_whole(path / MANIFEST, (json.dumps(manifest, indent=1) + "\n").encode())
    return Folder(path, shard_runs)


def resume(plan: Plan, path: Path) -> Folder:
    """The folder of a campaign that has begun; `BadInput` if it is not this one, or was run by
    other sources."""

    def refuse(value: Any, allowed: str) -> BadInput:
        return BadInput(Problem("--resume", value, allowed))

    manifest = read_manifest(path)
    if manifest["plan"] != plan_texts(plan).fingerprint:
        raise refuse(
            str(path),
            "the folder of this very campaign; the one in it differs (give the folder itself "
            "in place of the file to go on with that one)",
        )
    if manifest.get("outcomes", "") != outcomes_hash(plan):
        allowed = (
            f"the outcome file that this campaign began with (a copy is {path / OWN}); rows of "
            "two versions are not mixed: begin in a new folder"
        )
        raise refuse(plan.spec.outcome_file, allowed)
    if manifest["core"] != source_hash():
        raise refuse(
            f"written by softdock {manifest['softdock']}",
            f"runs of one core; this one ({__version__}) differs: begin in a new folder",
        )
    for old in (path / RUNS).glob(".*.part"):  # cut short
        old.unlink()
    for file in (path / RUNS).glob("part-*.parquet"):
        if not _is_whole(
            file
        ):  # a copy cut short, a machine that lost its power: these runs are made again
            file.unlink()
    return Folder(path, int(manifest["shard_runs"]))


def _is_whole(file: Path) -> bool:
    """Whether a Parquet file begins and ends as one."""
    with file.open("rb") as data:
        begin = data.read(len(PARQUET))
        if begin != PARQUET:
            return False
        data.seek(-len(PARQUET), 2)
        return data.read() == PARQUET


def read_manifest(path: Path) -> dict[str, Any]:
    try:
        manifest = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise BadInput(
            Problem(
                "campaign",
                str(path),
                f"the folder of a campaign that has begun; there is no {MANIFEST} that can be read",
            )
        ) from None
    if (
        not isinstance(manifest, dict)
        or manifest.get("format") != FORMAT
        or not isinstance(manifest.get("schema"), int)
    ):
        raise BadInput(Problem("campaign", str(path), "the folder of a campaign"))
    if manifest["schema"] > VERSION:
        raise BadInput(
            Problem(
                "campaign",
                str(path),
                f"a campaign of version {VERSION} or older; this one was written by softdock "
                f"{manifest['softdock']}",
            )
        )
    return manifest
