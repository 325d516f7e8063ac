"""What a benchmark runs: cases, entries, levels of knowledge, phases. As plain data it is what
workers get and what a folder is known by."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from softdock.errors import BadInput, Problem, closest
from softdock.files.reading import LARGEST_FILE, read_text
from softdock.loop.method.method import nothing_replaced
from softdock.methods.registry import METHODS
from softdock.results.phases import reseed
from softdock.scenario.benchmark_set import (
    PREFIX,
    case_set,
    case_text,
    digest_of,
    reason_of,
)
from softdock.scenario.build import Scenario, build
from softdock.scenario.candidates import ALL, JOIN, OF_A_FILE, candidates, refuse_unknown
from softdock.scenario.files import load_scenario, parse_changes, to_toml
from softdock.scenario.method_sources import files_of
from softdock.studies.benchmark.draws import draw_case
from softdock.studies.compare.knowledge import WrongBelief, list_wrong_beliefs
from softdock.studies.compare.settings import advise_settings

# Who takes part: methods, chains of methods, and variants of one method with some of its keys set,
# as for an ablation.
#
#     energy_ledger                                a method, its keys as they are advised or default
#     force_lead+energy_ledger                     a chain, in this order
#     clamped=energy_ledger:form=clamp;loan=0.0    a variant, called `clamped` in tables and files

VARIANT = "--variant"
LONGEST_LABEL = 60  # characters


@dataclass(frozen=True)
class Entry:
    """One row of the leaderboard."""

    label: str
    methods: tuple[str, ...]
    settings: dict[str, Any] = field(default_factory=dict)  # keys of its one method

    def to_json(self) -> dict[str, Any]:
        return {
            "label": self.label,
            "methods": list(self.methods),
            "settings": self.settings,
            "summary": ", then ".join(METHODS[name].summary for name in self.methods),
            "knows": "; ".join(dict.fromkeys(METHODS[name].knows for name in self.methods)),
        }


def parse_entry(row: dict[str, Any]) -> Entry:
    return Entry(row["label"], tuple(row["methods"]), dict(row["settings"]))


def list_entries(
    methods: str = ALL, variants: Sequence[str] = (), mine: Sequence[str] = ()
) -> list[Entry]:
    """All that was asked for, each label once. `mine`: methods of the user's own files, which are
    in whatever was asked for."""
    names = [name for name in METHODS if not METHODS[name].is_plug_in]
    asked = names if methods == ALL else [part.strip() for part in methods.split(",")]
    asked = list(dict.fromkeys([*asked, *mine]))
    chains = [tuple(part.strip() for part in chain.split(JOIN)) for chain in asked]
    refuse_unknown("--methods", [name for chain in chains for name in chain], names, OF_A_FILE)
    for chain in chains:
        if len(set(chain)) < len(chain):
            raise BadInput(Problem("--methods", JOIN.join(chain), "each method once in a chain"))
    entries = [Entry(JOIN.join(chain), chain) for chain in chains]
    entries += [_parse_variant(text, names) for text in variants]
    labels = [entry.label for entry in entries]
    for label in labels:
        if labels.count(label) > 1:
            raise BadInput(Problem(VARIANT, label, "a label that no method or variant has"))
    return entries


def _parse_variant(text: str, names: Sequence[str]) -> Entry:
    label, equals, rest = text.partition("=")
    name, colon, settings = rest.partition(":")
    label, name = label.strip(), name.strip()
    if not (equals and colon and label and settings.strip()) or len(label) > LONGEST_LABEL:
        raise BadInput(Problem(VARIANT, text, "LABEL=METHOD:KEY=VALUE[;KEY=VALUE]"))
    if not all(c.isalnum() or c in "_-+." for c in label):
        raise BadInput(Problem(VARIANT, label, "a label of letters, digits and _ - + ."))
    refuse_unknown(VARIANT, [name], names)
    return Entry(label, (name,), parse_changes(settings.split(";")))


# What a method knows of a rig: nothing, every parameter with errors of 10 %, or exact parameters.
#
# In: a case and an entry. Out: scenarios in which the entry runs, or why it cannot.
#
# - **none**: the method's defaults, not even what it suggests for the scenario. A method that
#   needs a parameter (`Method.needs`, or one that puts a wanted contact in the real one's
#   place) does not take part.
# - **exact**: as `softdock compare` sets it, by the advice for the whole loop and by what the
#   method suggests from the scenario's truth.
# - **wrong**: the same, with one kind of belief at a time wrong by 10 % either way, the wanted law
#   among them (studies/compare/knowledge.py). The tool's believed mass is the case's own and stays.
#
# An error of the wanted law is given to the method and not to the scenario, so that the reference
# keeps the true one and `softdock run` gives the same number.

NONE, WRONG, EXACT = "none", "wrong", "exact"
LEVELS = (NONE, WRONG, EXACT)
WORDS = {
    NONE: "with no prior knowledge",
    WRONG: "with 10 % errors",
    EXACT: "with exact parameters",
}
ERRORS = {kind: (-10.0, 10.0) for kind in ("delay", "stiffness", "damping", "wanted")}
IN_METHOD = "spring_damper"  # the wanted law that a method can have by itself


@dataclass(frozen=True)
class PreparedEntry:
    """An entry on a case, ready to run."""

    scenario: Scenario
    kind: str = ""  # of the belief that is wrong; empty: none is
    percent: float = 0.0


def prepare_entries(case: Scenario, entry: Entry, level: str) -> list[PreparedEntry] | str:
    """Every scenario of a level, or why the entry cannot run on the case."""
    if level == NONE:
        must = [METHODS[name] for name in entry.methods if _needs_knowledge(name)]
        if must:
            return "it needs " + "; ".join(method.knows for method in must)
    integrator = case.tables["satellites"]["integrator"]
    advice = None if level == NONE else advise_settings
    able, unable = candidates(case, ["+".join(entry.methods)], [integrator], advice)
    if not able:
        return unable[0].reason
    scenario = able[0].scenario
    if entry.settings:
        try:
            scenario = scenario.replace({f"methods.0.{k}": v for k, v in entry.settings.items()})
        except BadInput as error:
            return str(error)
    return prepare_with_errors(scenario) if level == WRONG else [PreparedEntry(scenario)]


def _needs_knowledge(name: str) -> bool:
    """Whether it has beliefs, or a key for a wanted contact to put in the real one's place."""
    method = METHODS[name]
    wants = any(parameter.key.startswith("wanted.") for parameter in method.group)
    return bool(method.needs) or (method.replaced is not nothing_replaced and wants)


def prepare_with_errors(scenario: Scenario) -> list[PreparedEntry]:
    """Each error once; none where nothing is believed that could be wrong."""
    entries: list[PreparedEntry] = []
    seen: list[dict[str, Any]] = []
    for wrong in list_wrong_beliefs(scenario, ERRORS):
        changes = _set_in_method(scenario, wrong)
        if changes in seen:  # a key that stands for two beliefs, a damping for stiffness and delay
            continue
        seen.append(changes)
        if changes == wrong.believed and wrong.scenario is None:
            continue  # outside the range of its key: no method can have that
        built = wrong.scenario if changes == wrong.believed else scenario.replace(changes)
        if built is not None:
            entries.append(PreparedEntry(built, wrong.kind, wrong.percent))
    return entries


def _set_in_method(scenario: Scenario, wrong: WrongBelief) -> dict[str, Any]:
    """The wrong belief, a law of the scenario's contacts as keys of the methods that replace it
    where they can have it: one linear law for all pairs."""
    laws = [value for key, value in wrong.believed.items() if key.startswith("contact.")]
    alike = bool(laws) and all(law == laws[0] for law in laws)
    if not alike or laws[0]["law"] != IN_METHOD:
        return wrong.believed
    wanted = {
        "law": IN_METHOD,
        "stiffness_N_per_m": laws[0]["stiffness_N_per_m"],
        "damping_Ns_per_m": laws[0]["damping_Ns_per_m"],
    }
    return {
        f"methods.{i}.wanted": wanted
        for i, listed in enumerate(scenario.tables["methods"])
        if METHODS[listed["name"]].replaced is not nothing_replaced
    }


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
    levels: tuple[str, ...] = LEVELS
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
            "--knowledge": list(self.levels),
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
    cases = [
        _load_listed_case(name) if name in listed.names else _load_own_case(name) for name in names
    ]
    for i in range(drawn):
        name, text = draw_case(seed, i)
        cases.append(Case(name, RANDOM, text, f"cases/{name}.toml"))
    known = [case.name for case in cases]
    for name in known:
        if known.count(name) > 1:
            raise BadInput(Problem("--cases", name, "each case once"))
    if not cases:
        raise BadInput(Problem("--cases", chosen, "at least one case, or --random N"))
    return tuple(cases)


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


def check_levels(chosen: str) -> tuple[str, ...]:
    """`all`, or names with commas, in the order in which pages have them."""
    asked = list(LEVELS) if chosen == "all" else [part.strip() for part in chosen.split(",")]
    for one in asked:
        if one not in LEVELS:
            allowed = "all, or some of " + ", ".join(LEVELS)
            raise BadInput(Problem("--knowledge", one, allowed, suggestion=closest(one, LEVELS)))
    return tuple(level for level in LEVELS if level in asked)
