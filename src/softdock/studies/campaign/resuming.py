"""Going on with a campaign that has begun: only with the same one, and without what is damaged."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from softdock.compile.sources import source_hash
from softdock.errors import BadInput, Problem
from softdock.scenario.method_sources import OPTION, read_listed
from softdock.studies.campaign.cores import describe_core, describe_own_core
from softdock.studies.campaign.shards import (
    OWN,
    RUNS,
    SUMS,
    Folder,
    hash_outcomes,
    list_method_files,
    list_shards,
    make_plan_texts,
    open_folder,
    read_manifest,
)
from softdock.studies.campaign.variants import Plan


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
    folder, said = open_folder(path), []
    (path / RUNS).mkdir(exist_ok=True)
    (path / SUMS).mkdir(exist_ok=True)
    for stray in folder.strays(plan):
        if stray.is_file():
            if not (stray.name.startswith(".") and stray.suffix == ".part"):  # else: cut short
                said.append(f"{stray.name} belongs to no part of this campaign and was removed")
            stray.unlink()
    for shard in list_shards(plan, folder.shard_runs):
        file = folder.file(shard)
        if not file.exists():
            continue
        damage = folder.damage(shard, file.read_bytes()) if file.is_file() else "it is no file"
        if damage:
            said.append(f"{file.name} is damaged ({damage}); its runs are made again")
            shutil.rmtree(file) if file.is_dir() else file.unlink()
    return folder, said
