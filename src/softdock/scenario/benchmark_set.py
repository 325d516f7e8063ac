"""The benchmark's own cases: scenario files that ship with the package, each a small difficulty of
docking rigs with its reason in its opening comment, and the list that orders them.

`softdock run benchmark:friction_02_sticking` runs one: every command that takes a scenario takes
`benchmark:NAME`. The list (set.toml) has a version, which rises whenever a case comes, goes or
changes a number.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from softdock.errors import BadInput, Problem, closest

PREFIX = "benchmark:"
_FOLDER, _LIST = "benchmark_cases", "set.toml"


class CaseSet(NamedTuple):
    """The list of the cases."""

    version: int
    groups: dict[str, tuple[str, ...]]  # name of a group -> its cases, in the order of the pages
    quick: tuple[str, ...]  # a small part of everything

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for group in self.groups.values() for name in group)

    def group_of(self, name: str) -> str:
        """The group that a case stands in; empty: it is none of the list's."""
        return next((group for group, names in self.groups.items() if name in names), "")


def _read(name: str) -> str:
    return files("softdock.scenario").joinpath(_FOLDER, name).read_text(encoding="utf-8")


@cache
def case_set() -> CaseSet:
    """The list as it ships."""
    table = tomllib.loads(_read(_LIST))
    groups = {group: tuple(names) for group, names in table["groups"].items()}
    return CaseSet(table["version"], groups, tuple(table["quick"]))


def case_files() -> list[str]:
    """The names of all files of cases, listed or not."""
    return sorted(
        p.name.removesuffix(".toml")
        for p in files("softdock.scenario").joinpath(_FOLDER).iterdir()
        if p.name.endswith(".toml") and p.name != _LIST
    )


def case_text(name: str) -> str:
    """The file of a case, comments and all."""
    known = case_set().names
    if name not in known:
        allowed = "one of " + ", ".join(known)
        raise BadInput(Problem("case", name, allowed, suggestion=closest(name, known)))
    return _read(f"{name}.toml")


def reason_of(text: str) -> str:
    """Why a case is there: the comment that its file opens with; empty: there is none."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.lstrip("# ").strip())
    return " ".join(lines).strip()


def digest_of(text: str) -> str:
    """By which a case is known to be the same in two files of results: its keys as written,
    without comments and description."""
    tables = {k: v for k, v in tomllib.loads(text).items() if k not in ("name", "description")}
    return hashlib.sha256(json.dumps(tables, sort_keys=True).encode()).hexdigest()
