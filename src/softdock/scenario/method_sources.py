"""Where a user's methods came from: their files' texts and hashes, kept beside what was run with
them.

    methods/force_lead.py   the file as it ran, and modules beside it that it imports
    methods.json            which methods come from which file, and its SHA-256

A recording (MCAP) has them among its attachments, by the same names. A folder or a file never
runs code by being opened: what is kept is text. To run or open it again the user names the file
(`--method-file`, or `softdock.load_method_file`); without it the refusal says which file, which
hash and which option.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from softdock.errors import BadInput, Problem
from softdock.files.reading import Unreadable, read_text

OPTION = "--method-file"
FORMAT, LISTED, FOLDER = "softdock methods", "methods.json", "methods"


@dataclass(frozen=True)
class MethodFile:
    """A file that was imported, as it was then."""

    path: str  # as the user gave it
    methods: tuple[str, ...]  # what it brought
    sources: Mapping[str, str]  # its own name first, then modules beside it that it imports: texts

    @property
    def name(self) -> str:
        return next(iter(self.sources))

    @property
    def sha256(self) -> str:
        """Of the file itself, as `sha256sum` gives it."""
        return hashlib.sha256(self.sources[self.name].encode()).hexdigest()

    @property
    def digest(self) -> str:
        """Of everything that it imports from its own folder too."""
        return digest_of(self.sources)


FILES: dict[str, MethodFile] = {}  # by method, as loaded in this process


def digest_of(sources: Mapping[str, str]) -> str:
    """Of some files' names and texts, in the order of their names."""
    digest = hashlib.sha256()
    for name in sorted(sources):
        digest.update(name.encode())
        digest.update(sources[name].encode())
    return digest.hexdigest()


def files_of(names: Iterable[str]) -> list[MethodFile]:
    """The files that some methods came from; none for softdock's own."""
    found = {id(FILES[name]): FILES[name] for name in names if name in FILES}
    return list(found.values())


def listed_methods(tables: Mapping[str, Any]) -> list[str]:
    """Of a scenario's tables."""
    return [entry["name"] for entry in tables["methods"]]


def kept(files: Iterable[MethodFile]) -> dict[str, bytes]:
    """What a folder keeps of them: contents by path. Empty where there are none."""
    contents: dict[str, bytes] = {}
    listed = []
    for file in files:
        for name, text in file.sources.items():
            contents[f"{FOLDER}/{name}"] = text.encode()
        listed.append(
            {
                "file": f"{FOLDER}/{file.name}",
                "given": file.path,
                "sha256": file.sha256,
                "digest": file.digest,
                "methods": list(file.methods),
                "sources": list(file.sources),
            }
        )
    if listed:
        text = json.dumps({"format": FORMAT, "files": listed}, indent=1) + "\n"
        contents[LISTED] = text.encode()
    return contents


def attached_methods(tables: Mapping[str, Any]) -> dict[str, str]:
    """What a recording of a scenario keeps of the user's files among its attachments: texts."""
    files = files_of(listed_methods(tables))
    return {name: data.decode() for name, data in kept(files).items()}


def read_listed(folder: Path) -> list[dict[str, Any]]:
    """What a folder says of the files it was made with; empty: nothing, or nothing readable."""
    try:
        return listed_in(read_text(folder / LISTED))
    except Unreadable:
        return []


def listed_in(text: str) -> list[dict[str, Any]]:
    """The same of a `methods.json`'s text, of a folder or attached to a recording."""
    try:
        found = json.loads(text)
        files = found["files"] if found["format"] == FORMAT else []
        return [
            one
            for one in files
            if isinstance(one["file"], str)
            and isinstance(one["sha256"], str)
            and isinstance(one["digest"], str)
            and all(isinstance(name, str) for name in one["methods"])
        ]
    except (ValueError, KeyError, TypeError, RecursionError):
        return []


def explained(error: BadInput, folder: Path) -> BadInput:
    """A refusal of unknown methods, with the file they came from: it is run only if it is named."""
    return _explained(error, read_listed(folder), lambda file: f"kept in {folder / file}")


def explained_attached(error: BadInput, attachments: Mapping[str, str]) -> BadInput:
    """The same of a recording, which has the files among its attachments."""
    listed = listed_in(attachments.get(LISTED, ""))
    return _explained(error, listed, lambda file: f"attached as {file}")


def _explained(
    error: BadInput, listed: Iterable[Mapping[str, Any]], place: Callable[[str], str]
) -> BadInput:
    from_file = {name: one for one in listed for name in one["methods"]}

    def say(problem: Problem) -> Problem:
        one = from_file.get(problem.value) if isinstance(problem.value, str) else None
        # of a scenario's list, or of a campaign's
        if one is None or not (problem.key.endswith(".name") or problem.key == "methods"):
            return problem
        allowed = (
            f"a method that is loaded; this one is from a file, which runs only if you name it: "
            f"{OPTION} FILE (or softdock.load_method_file). As it ran it is "
            f"{place(one['file'])} (sha256 {one['sha256']})"
        )
        return Problem(problem.key, problem.value, allowed, problem.where)

    return BadInput([say(problem) for problem in error.problems])


def differing(tables: Mapping[str, Any], folder: Path) -> list[str]:
    """Methods whose file is not the one that a folder was made with, in words."""
    return _differing(tables, read_listed(folder), str(folder))


def differing_attached(tables: Mapping[str, Any], attachments: Mapping[str, str]) -> list[str]:
    """The same of a recording."""
    return _differing(tables, listed_in(attachments.get(LISTED, "")), "this recording")


def _differing(
    tables: Mapping[str, Any], listed: Iterable[Mapping[str, Any]], made: str
) -> list[str]:
    found = []
    for one in listed:
        for name in one["methods"]:
            here = FILES.get(name)
            if name in listed_methods(tables) and here is not None and here.digest != one["digest"]:
                found.append(
                    f"method {name}: {here.path} (sha256 {here.sha256}) is not the file that "
                    f"{made} was made with (sha256 {one['sha256']})"
                )
    return found
