"""The folder of a benchmark, written as it goes.

    plan.json         what runs: sources, cases, entries, seed; written before the first cell
    cases/NAME.toml   every case as it ran, drawn ones among them: `softdock run cases/NAME.toml`
    methods/          the user's own files of methods as they ran, and methods.json
    cells.jsonl       one line per cell as it comes: its checksum, then its JSON
    benchmark.json    the results (results.py), when all is done; report.html, the page

A line that was cut by an interruption, or changed, has a wrong checksum: its cell is measured again
and nothing is counted twice.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from softdock._version import __version__
from softdock.compile.sources import source_hash
from softdock.errors import BadInput, Problem
from softdock.files.atomic import write_whole
from softdock.files.folders import leave_folder, make_folder
from softdock.files.reading import Unreadable, read_text
from softdock.scenario.method_sources import files_of, kept
from softdock.studies.benchmark.plan import CellPlace, Plan
from softdock.studies.campaign.shards import describe_core, describe_own_core

FORMAT, VERSION = "softdock benchmark plan", 1
PLAN, CASES, CELLS = "plan.json", "cases", "cells.jsonl"
RESULTS, PAGE = "benchmark.json", "report.html"
LARGEST_PLAN = 100_000_000  # bytes
Cell = dict[str, Any]


@dataclass
class Folder:
    """Where cells go."""

    path: Path
    plan: Plan
    cells: dict[int, Cell] = field(default_factory=dict)  # by number
    notes: list[str] = field(default_factory=list)  # what was found damaged, in words

    def list_missing(self) -> list[CellPlace]:
        return [at for at in self.plan.cells() if at.number not in self.cells]

    def add(self, at: CellPlace, cell: Cell) -> None:
        """Keep a cell: on disk before it counts."""
        text = json.dumps({**_describe_place(self.plan, at), "cell": cell}, allow_nan=False)
        line = f"{hashlib.sha256(text.encode()).hexdigest()} {text}\n"
        with (self.path / CELLS).open("a", encoding="utf-8") as file:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())
        self.cells[at.number] = cell


def _describe_place(plan: Plan, at: CellPlace) -> dict[str, Any]:
    return {"plan": plan.fingerprint, "number": at.number}


def format_resume_option(path: Path) -> str:
    """The option that goes on with a benchmark."""
    return f"--out {shlex.quote(str(path))} --resume"


def check_free(path: Path) -> None:
    """`BadInput` if there is something in the folder, with the way on where it is a benchmark."""
    if path.is_dir() and any(path.iterdir()):
        allowed = "a new or an empty folder; this one holds something"
        if (path / PLAN).exists():
            allowed = (
                f"a new or an empty folder; {format_resume_option(path)} goes on with the "
                "benchmark in it"
            )
        raise BadInput(Problem("out", str(path), allowed))


def begin_folder(plan: Plan, path: Path) -> Folder:
    """A new folder; `BadInput` if there is something in it."""
    check_free(path)
    make_folder(path)
    (path / CASES).mkdir()
    for case in plan.cases:
        write_whole(path / CASES / f"{case.name}.toml", case.text.encode())
    for name, data in kept(files_of(n for e in plan.entries for n in e.methods)).items():
        (path / name).parent.mkdir(exist_ok=True)
        write_whole(path / name, data)
    manifest = {
        "format": FORMAT,
        "schema": VERSION,
        "softdock": __version__,
        "core": source_hash(),
        "plan": plan.fingerprint,
        "identity": plan.identity(),
    }
    write_whole(path / PLAN, (json.dumps(manifest, indent=1) + "\n").encode())
    leave_folder(path)
    return Folder(path, plan)


def resume_folder(plan: Plan, path: Path) -> Folder:
    """A folder with the cells it has; `BadInput` if it is of another benchmark or other sources."""
    manifest = _read_manifest(path)
    now = json.loads(json.dumps(plan.identity()))
    before = manifest["identity"]
    for option, value in now.items():
        if before.get(option) != value:
            raise BadInput(
                Problem("--resume", str(path), _describe_difference(option, value, before))
            )
    if manifest["core"] != source_hash():
        made = manifest["softdock"], manifest["core"]
        allowed = (
            f"cells of one core; this folder's are of {describe_core(*made)}, "
            f"{describe_own_core(*made)}: "
            "begin in a new folder"
        )
        raise BadInput(Problem("--resume", str(path), allowed))
    folder = Folder(path, plan)
    for number, (cell, damage) in enumerate(_read_lines(path, plan)):
        if damage:
            folder.notes.append(
                f"line {number + 1} of {CELLS} {damage}; its cell is measured again"
            )
        else:
            folder.cells[cell["number"]] = cell["cell"]
    _rewrite_journal(folder)
    return folder


def _describe_difference(option: str, ours: Any, theirs: dict[str, Any]) -> str:
    """What a folder differs in, in words."""
    what = f"the folder of this very benchmark; it was begun with another {option}"
    if isinstance(ours, int | None) and isinstance(theirs.get(option), int | None):
        what += f" ({theirs.get(option)}, not {ours})"
    return f"{what}: give the same, or begin in a new folder"


def _read_lines(path: Path, plan: Plan) -> Iterator[tuple[Cell, str]]:
    """Every line of the journal: what it holds, or what is wrong with it."""
    if not (path / CELLS).exists():
        return
    for line in (path / CELLS).read_bytes().split(b"\n"):
        if not line:
            continue
        digest, _, data = line.partition(b" ")
        if hashlib.sha256(data).hexdigest().encode() != digest:
            yield {}, "was cut or changed"
            continue
        found = json.loads(data)
        if found.get("plan") != plan.fingerprint or not 0 <= found["number"] < plan.size:
            yield {}, "is of another benchmark"
        else:
            yield found, ""


def _rewrite_journal(folder: Folder) -> None:
    """The journal without what was damaged, so that the next line begins on its own."""
    if not folder.notes:
        return
    cells, folder.cells = folder.cells, {}
    (folder.path / CELLS).unlink(missing_ok=True)
    for at in folder.plan.cells():
        if at.number in cells:
            folder.add(at, cells[at.number])


def _read_manifest(path: Path) -> dict[str, Any]:
    try:
        manifest = json.loads(read_text(path / PLAN, LARGEST_PLAN, "plan"))
        if manifest["format"] != FORMAT or not isinstance(manifest["identity"], dict):
            raise ValueError
        if not all(isinstance(manifest[key], str) for key in ("core", "softdock", "plan")):
            raise ValueError
        schema = int(manifest["schema"])
    except (Unreadable, ValueError, KeyError, TypeError, RecursionError):
        allowed = f"the folder of a benchmark that has begun; it has no {PLAN} that can be read"
        raise BadInput(Problem("--resume", str(path), allowed)) from None
    if schema > VERSION:
        allowed = f"a benchmark of version {VERSION} or older"
        raise BadInput(Problem("--resume", str(path), allowed))
    return dict(manifest)
