"""The folder of a campaign, written as it goes.

    campaign.toml, scenario.toml    what runs, every default written out;
                                    `softdock campaign DIR` reads them again
    methods.json, methods/          the files of the user's own methods as they ran, and hashes
    campaign.json                   the manifest: version, sources, size of a shard;
                                    written before the first run
    runs/part-000000.parquet ...    the table of outcomes, one file per shard:
                                    `pandas.read_parquet("DIR/runs")`
    sums/part-000000.json ...       checksum and place in the plan of each shard
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

import numba

from softdock._version import __version__
from softdock.compile.sources import source_hash
from softdock.errors import BadInput, Problem
from softdock.files.atomic import write_whole
from softdock.files.folders import leave_folder, make_folder
from softdock.files.reading import LARGEST_FILE, Unreadable, read_bytes, read_text
from softdock.scenario.build import build
from softdock.scenario.files import to_toml
from softdock.scenario.method_file import load_method_sources
from softdock.scenario.method_sources import (
    OPTION,
    MethodFile,
    files_of,
    kept,
    listed_methods,
    read_listed,
)
from softdock.studies.campaign.plan import make_plan
from softdock.studies.campaign.spec import read_spec
from softdock.studies.campaign.variants import Plan

# Which core has run something, in words: said where runs of two cores would be mixed.
#
# What is compared is the hash of the core's sources and of Numba's version
# (compile/sources.py: source_hash). The package's version is told beside it, and alone says
# nothing: between two of them the core changes with many commits.


def describe_core(version: str, core: str) -> str:
    """A version and its core."""
    return f"softdock {version} (core {core})"


def describe_own_core(version: str, core: str) -> str:
    """What runs here beside another core, and what differs where the version does not."""
    here = f"this is {describe_core(__version__, source_hash())}"
    if version != __version__ or core == source_hash():
        return here
    other = f"other sources of the core or another Numba than {numba.__version__}"
    return f"{here}, the same version with {other}"


# Whether a shard is what was written: its checksum and its place in the plan, in a file beside it.
#
#     sums/part-000000.json    sha256 and bytes of runs/part-000000.parquet, plan, number, runs
#
# A shard without its sum, of another plan, copied under another number or with a flipped bit is
# damaged: `--resume` makes its runs again, and no summary is made of it.

SUMS = "sums"
LARGEST_SUM = 10_000  # bytes of such a file


def locate_checksum(shard_file: Path) -> Path:
    """Where the sum of a shard's file is."""
    return shard_file.parent.parent / SUMS / f"{shard_file.stem}.json"


def compute_checksum(data: bytes, place: dict[str, Any]) -> bytes:
    """The sum of a shard; `place`: plan, number, variant, first and last run."""
    digest = {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
    return (json.dumps(place | digest, indent=1) + "\n").encode()


def describe_damage(shard_file: Path, data: bytes, place: dict[str, Any]) -> str:
    """What is wrong with a shard's file, in words; empty: nothing."""
    try:
        known = dict(json.loads(read_text(locate_checksum(shard_file), LARGEST_SUM, "checksum")))
    except Unreadable:
        return "there is no checksum of it"
    except (ValueError, TypeError, RecursionError):
        return "its checksum cannot be read"
    if {key: known.get(key) for key in place} != place:
        return "its checksum is of other runs"
    if known.get("sha256") != hashlib.sha256(data).hexdigest():
        return "its checksum differs"
    return ""


FORMAT, VERSION = "softdock campaign", 1
MANIFEST, CAMPAIGN, SCENARIO, RUNS, OWN = (
    "campaign.json",
    "campaign.toml",
    "scenario.toml",
    "runs",
    "outcomes.py",
)
LARGEST_MANIFEST = 10_000_000  # bytes
TRAJECTORIES, SUMMARY, REPORT = "trajectories", "summary.json", "report.html"


def format_resume_command(path: Path) -> str:
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


class PlanTexts(NamedTuple):
    """A plan as text: enough to make it again anywhere."""

    campaign: str
    scenario: str
    methods: str = ""  # JSON: the user's files of methods, each a list of (name, text)

    @property
    def fingerprint(self) -> str:
        parts = self if self.methods else self[:2]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def make_plan_texts(plan: Plan) -> PlanTexts:
    tables = {key: value for key, value in plan.spec.tables.items() if key != "set"} | {
        "scenario": SCENARIO
    }
    if plan.spec.outcome_file:
        tables["outcome_file"] = OWN
    files = [list(file.sources.items()) for file in list_method_files(plan)]
    methods = json.dumps(files) if files else ""
    return PlanTexts(to_toml(tables), to_toml(plan.base.tables), methods)


def list_method_files(plan: Plan) -> list[MethodFile]:
    """The files that the user's own methods came from."""
    names = listed_methods(plan.base.tables)
    for variant in plan.variants:
        names += listed_methods(variant.scenario.tables)
    return files_of(dict.fromkeys(names))


def hash_outcomes(plan: Plan) -> str:
    """Of the file with the user's own outcomes; empty where there is none, or none that can be
    read."""
    if not plan.spec.outcome_file:
        return ""
    try:
        file = plan.spec.folder / plan.spec.outcome_file
        return hashlib.sha256(read_bytes(file, LARGEST_FILE)).hexdigest()
    except Unreadable:
        return ""


def make_plan_from_texts(texts: PlanTexts, folder: Path | None = None) -> Plan:
    """The same plan from its texts. The user's methods in them are loaded, which runs them: these
    are the texts of a plan that its user made, not of a folder."""
    for sources in json.loads(texts.methods or "[]"):
        load_method_sources(dict(sources))
    return make_plan(
        read_spec(tomllib.loads(texts.campaign), folder=folder),
        build(tomllib.loads(texts.scenario)),
    )


@dataclass
class Folder:
    """Where a campaign's results go."""

    path: Path
    shard_runs: int
    plan: str  # fingerprint

    def locate(self, shard: Shard) -> Path:
        return self.path / RUNS / f"part-{shard.number:06d}.parquet"

    def write(self, shard: Shard, data: bytes) -> None:
        """Its sum, then the shard: whatever is killed in between, a shard that is there has one."""
        file = self.locate(shard)
        write_whole(locate_checksum(file), compute_checksum(data, self._describe_place(shard)))
        write_whole(file, data)

    def describe_damage(self, shard: Shard, data: bytes) -> str:
        """What is wrong with the bytes of a shard's file; empty: nothing."""
        return describe_damage(self.locate(shard), data, self._describe_place(shard))

    def _describe_place(self, shard: Shard) -> dict[str, Any]:
        return {"plan": self.plan, **shard._asdict()}

    def list_strays(self, plan: Plan) -> list[Path]:
        """Files among the shards that are none of this plan's."""
        known = {self.locate(shard) for shard in list_shards(plan, self.shard_runs)}
        return [file for file in sorted((self.path / RUNS).glob("*")) if file not in known]

    def list_missing(self, plan: Plan) -> list[Shard]:
        return [
            shard for shard in list_shards(plan, self.shard_runs) if not self.locate(shard).exists()
        ]


def list_shards(plan: Plan, size: int) -> Iterator[Shard]:
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
        same = manifest.get("plan") == make_plan_texts(plan).fingerprint and manifest.get(
            "outcomes", ""
        ) == hash_outcomes(plan)
        allowed = "a new or an empty folder; this one holds " + (
            f"this very campaign: {format_resume_command(path)} goes on with it"
            if same
            else "another campaign"
        )
    except BadInput:
        allowed = "a new or an empty folder; this one holds something"
    raise BadInput(Problem("out", str(path), allowed))


def begin_folder(plan: Plan, path: Path, shard_runs: int) -> Folder:
    """A new folder, its manifest written; `BadInput` if there is something in it."""
    check_free(plan, path)
    make_folder(path)
    texts = make_plan_texts(plan)
    if plan.spec.outcome_file:
        shutil.copyfile(plan.spec.folder / plan.spec.outcome_file, path / OWN)
    (path / RUNS).mkdir()
    (path / SUMS).mkdir()
    for name, text in ((CAMPAIGN, texts.campaign), (SCENARIO, texts.scenario)):
        write_whole(path / name, text.encode())
    for name, data in kept(list_method_files(plan)).items():
        (path / name).parent.mkdir(exist_ok=True)
        write_whole(path / name, data)
    manifest = {
        "format": FORMAT,
        "schema": VERSION,
        "softdock": __version__,
        "core": source_hash(),
        "plan": texts.fingerprint,
    }
    manifest |= {"outcomes": hash_outcomes(plan)} if plan.spec.outcome_file else {}
    manifest |= {
        "runs": plan.runs,
        "shard_runs": shard_runs,
        "variants": [v.label for v in plan.variants],
    }
    write_whole(path / MANIFEST, (json.dumps(manifest, indent=1) + "\n").encode())
    leave_folder(path)
    return Folder(path, shard_runs, texts.fingerprint)


def open_folder(path: Path) -> Folder:
    """The folder of a campaign that has begun, to be read."""
    manifest = read_manifest(path)
    return Folder(path, manifest["shard_runs"], manifest["plan"])


def read_manifest(path: Path) -> dict[str, Any]:
    try:
        manifest = json.loads(read_text(path / MANIFEST, LARGEST_MANIFEST, "manifest"))
    except (Unreadable, ValueError, RecursionError):
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
    numbers = (manifest.get("shard_runs"), manifest.get("runs"))
    if any(isinstance(n, bool) or not isinstance(n, int) or n < 1 for n in numbers) or not all(
        isinstance(manifest.get(key), str) for key in ("plan", "core", "softdock")
    ):
        raise BadInput(
            Problem("campaign", str(path), f"the folder of a campaign; its {MANIFEST} is damaged")
        )
    if manifest["schema"] != VERSION:
        raise BadInput(
            Problem(
                "campaign",
                str(path),
                f"a campaign of version {VERSION}; this one was written by softdock "
                f"{manifest['softdock']}",
            )
        )
    return manifest


# Going on with a campaign that has begun: only with the same one, and without what is damaged.


def check_resumable(plan: Plan, path: Path) -> dict[str, Any]:
    """The manifest of a campaign that has begun; `BadInput` if it is not this one, or was run by
    other sources. An outcome file is compared here, before anything of it is executed."""

    def refuse(value: Any, allowed: str) -> BadInput:
        return BadInput(Problem("--resume", value, allowed))

    manifest = read_manifest(path)
    other = [f"{one['file']} (sha256 {one['sha256']})" for one in find_differing_files(plan, path)]
    if other:
        raise BadInput(
            Problem(
                OPTION,
                ", ".join(file.path for file in list_method_files(plan)) or None,
                f"the file that this campaign began with, kept in {path} as {', '.join(other)}; "
                "runs of two versions are not mixed: begin in a new folder",
            )
        )
    if manifest["core"] != source_hash():
        made = manifest["softdock"], manifest["core"]
        raise refuse(
            f"written by {describe_core(*made)}",
            f"runs of one core; {describe_own_core(*made)}: begin in a new folder",
        )
    if manifest["plan"] != make_plan_texts(plan).fingerprint:
        raise refuse(
            str(path),
            "the folder of this very campaign; the one in it differs (give the folder itself "
            "in place of the file to go on with that one)",
        )
    if manifest.get("outcomes", "") != hash_outcomes(plan):
        allowed = (
            f"the outcome file that this campaign began with (a copy is {path / OWN}); rows of "
            "two versions are not mixed: begin in a new folder"
        )
        raise refuse(plan.spec.outcome_file, allowed)
    return manifest


def find_differing_files(plan: Plan, path: Path) -> list[dict[str, Any]]:
    """Files of methods that a campaign began with, where the ones that are loaded differ."""
    here = {file.digest for file in list_method_files(plan)}
    return [one for one in read_listed(path) if one["digest"] not in here]


def resume(plan: Plan, path: Path) -> tuple[Folder, list[str]]:
    """The folder of a campaign that has begun, without what is damaged in it, and what that was in
    words: those runs are made again."""
    check_resumable(plan, path)
    folder, notes = open_folder(path), []
    (path / RUNS).mkdir(exist_ok=True)
    (path / SUMS).mkdir(exist_ok=True)
    for stray in folder.list_strays(plan):
        if stray.is_file():
            if not (stray.name.startswith(".") and stray.suffix == ".part"):  # else: cut short
                notes.append(f"{stray.name} belongs to no part of this campaign and was removed")
            stray.unlink()
    for shard in list_shards(plan, folder.shard_runs):
        file = folder.locate(shard)
        if not file.exists():
            continue
        damage = (
            folder.describe_damage(shard, file.read_bytes()) if file.is_file() else "it is no file"
        )
        if damage:
            notes.append(f"{file.name} is damaged ({damage}); its runs are made again")
            shutil.rmtree(file) if file.is_dir() else file.unlink()
    return folder, notes
