"""What a benchmark runs: cases, entries, tellings, phases. As plain data it is what workers get and
what a folder is known by."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from softdock.errors import BadInput, Problem, closest
from softdock.files.reading import LARGEST_FILE, read_text
from softdock.results.worst_phase import reseed
from softdock.scenario.benchmark_set import (
    PREFIX,
    case_set,
    case_text,
    digest_of,
    reason_of,
)
from softdock.scenario.build import Scenario, build
from softdock.scenario.files import load_scenario, to_toml
from softdock.scenario.method_sources import files_of
from softdock.studies.benchmark.draws import draw_case
from softdock.studies.benchmark.entries import Entry
from softdock.studies.benchmark.tellings import TELLINGS

RANDOM, OWN = "random", "own"  # groups of cases that are none of the list's
MOST_RANDOM = 100_000


class Case(NamedTuple):
    """A scenario file."""

    name: str
    group: str
    text: str
    source: str  # as a command takes it; of a drawn case, from the folder of the results

    @property
    def scenario(self) -> Scenario:
        return build(tomllib.loads(self.text))

    def to_json(self) -> dict[str, Any]:
        scenario = self.scenario
        return {
            "name": self.name,
            "group": self.group,
            "source": self.source,
            "description": scenario.tables["description"],
            "reason": reason_of(self.text),
            "digest": digest_of(self.text),
            "is_random": reseed(scenario, 1) is not scenario,
        }


class CellPlace(NamedTuple):
    """Where a cell stands in the plan."""

    number: int
    entry: Entry
    case: Case


@dataclass(frozen=True)
class Plan:
    """All cells: every entry on every case."""

    cases: tuple[Case, ...]
    entries: tuple[Entry, ...]
    tellings: tuple[str, ...] = TELLINGS
    phases: int | None = None  # None: each case's own number
    seed: int | None = None  # of random cases; None: there are none
    drawn: int = 0

    def cells(self) -> Iterator[CellPlace]:
        """By entry, so that a process that has loaded one's machine code goes on with it."""
        places = ((entry, case) for entry in self.entries for case in self.cases)
        for number, (entry, case) in enumerate(places):
            yield CellPlace(number, entry, case)

    @property
    def size(self) -> int:
        return len(self.entries) * len(self.cases)

    def identity(self) -> dict[str, Any]:
        """What must be the same for two runs to be of one benchmark, in words a person knows."""
        files = files_of(name for entry in self.entries for name in entry.methods)
        return {
            "--seed": self.seed,
            "--random": self.drawn,
            "--cases": [[case.name, digest_of(case.text)] for case in self.cases],
            "--methods": [[e.label, list(e.methods), e.settings] for e in self.entries],
            "--method-file": sorted(file.digest for file in files),
            "--tellings": list(self.tellings),
            "--phases": self.phases,
        }

    @property
    def fingerprint(self) -> str:
        text = json.dumps(self.identity(), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


def choose_cases(
    chosen: str = "all", quick: bool = False, drawn: int = 0, seed: int = 0
) -> tuple[Case, ...]:
    """The cases that were asked for. `chosen`: all, none, or names and scenario files with commas;
    `quick`: of the list's only the small part; `drawn`: so many random ones beside them."""
    listed = case_set()
    names = list(listed.quick if quick else listed.names)
    if chosen == "none":
        names = []
    elif chosen != "all":
        names = [part.strip() for part in chosen.split(",")]
    found = [
        _load_listed_case(name) if name in listed.names else _load_own_case(name) for name in names
    ]
    for i in range(drawn):
        name, text = draw_case(seed, i)
        found.append(Case(name, RANDOM, text, f"cases/{name}.toml"))
    known = [case.name for case in found]
    for name in known:
        if known.count(name) > 1:
            raise BadInput(Problem("--cases", name, "each case once"))
    if not found:
        raise BadInput(Problem("--cases", chosen, "at least one case, or --random N"))
    return tuple(found)


def _load_listed_case(name: str) -> Case:
    return Case(name, case_set().group_of(name), case_text(name), PREFIX + name)


def _load_own_case(name: str) -> Case:
    """A scenario file of the user's."""
    path = Path(name)
    if path.suffix != ".toml":
        known = case_set().names
        allowed = "all, none, a scenario file (.toml), or some of " + ", ".join(known)
        raise BadInput(Problem("--cases", name, allowed, suggestion=closest(name, known)))
    scenario = load_scenario(path)
    reason = reason_of(read_text(path, LARGEST_FILE, "scenario file"))
    tables = scenario.tables | {"name": path.stem}
    text = f"# {reason or scenario.name}\n{to_toml(tables)}"  # rows of CSV files are in it
    return Case(path.stem, OWN, text, f"cases/{path.stem}.toml")


def check_tellings(chosen: str) -> tuple[str, ...]:
    """`all`, or names with commas, in the order in which pages have them."""
    asked = list(TELLINGS) if chosen == "all" else [part.strip() for part in chosen.split(",")]
    for one in asked:
        if one not in TELLINGS:
            allowed = "all, or some of " + ", ".join(TELLINGS)
            raise BadInput(Problem("--tellings", one, allowed, suggestion=closest(one, TELLINGS)))
    return tuple(telling for telling in TELLINGS if telling in asked)
