"""What a method is told of a rig: nothing, everything with errors of 10 %, or everything exactly.

In: a case and an entry. Out: scenarios in which the entry runs, or why it cannot.

- **nothing**: the method's defaults, not even what it suggests for the scenario. A method that must
  be told something (`Method.needs`, or one that puts a wanted contact in the real one's place) does
  not take part.
- **exactly**: as `softdock compare` sets it, by the advice for the whole loop and by what the
  method suggests from the scenario's truth.
- **wrong**: the same, with one kind of belief at a time wrong by 10 % either way, the wanted law
  among them (studies/compare/knowledge.py). The tool's believed mass is the case's own and stays.

An error of the wanted law is told to the method and not to the scenario, so that orbit keeps the
true one and `softdock run` gives the same number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from softdock.errors import BadInput
from softdock.loop.method.method import nothing_replaced
from softdock.methods.registry import METHODS
from softdock.scenario.build import Scenario
from softdock.scenario.candidates import candidates
from softdock.studies.benchmark.entries import Entry
from softdock.studies.compare.knowledge import WrongBelief, list_wrong_beliefs
from softdock.studies.compare.settings import advise_settings

NOTHING, WRONG, EXACTLY = "nothing", "wrong", "exactly"
TELLINGS = (NOTHING, WRONG, EXACTLY)
WORDS = {
    NOTHING: "told nothing",
    WRONG: "told with 10 % errors",
    EXACTLY: "told exactly",
}
ERRORS = {kind: (-10.0, 10.0) for kind in ("delay", "stiffness", "damping", "wanted")}
IN_METHOD = "spring_damper"  # the wanted law that a method can be told by itself


@dataclass(frozen=True)
class PreparedEntry:
    """An entry on a case, ready to run."""

    scenario: Scenario
    kind: str = ""  # of the belief that is wrong; empty: none is
    percent: float = 0.0


def prepare_entries(case: Scenario, entry: Entry, telling: str) -> list[PreparedEntry] | str:
    """Every scenario of a telling, or why the entry cannot run on the case."""
    if telling == NOTHING:
        must = [METHODS[name] for name in entry.methods if _needs_knowledge(name)]
        if must:
            return "it must be told " + "; ".join(method.knows for method in must)
    integrator = case.tables["satellites"]["integrator"]
    advice = None if telling == NOTHING else advise_settings
    able, unable = candidates(case, ["+".join(entry.methods)], [integrator], advice)
    if not able:
        return unable[0].reason
    scenario = able[0].scenario
    if entry.settings:
        try:
            scenario = scenario.with_keys({f"methods.0.{k}": v for k, v in entry.settings.items()})
        except BadInput as error:
            return str(error)
    return prepare_with_errors(scenario) if telling == WRONG else [PreparedEntry(scenario)]


def _needs_knowledge(name: str) -> bool:
    """Whether it has beliefs, or a key for a wanted contact to put in the real one's place."""
    method = METHODS[name]
    wants = any(parameter.key.startswith("wanted.") for parameter in method.group)
    return bool(method.needs) or (method.replaced is not nothing_replaced and wants)


def prepare_with_errors(scenario: Scenario) -> list[PreparedEntry]:
    """Each error once; none where nothing is believed that could be wrong."""
    found: list[PreparedEntry] = []
    seen: list[dict[str, Any]] = []
    for wrong in list_wrong_beliefs(scenario, ERRORS):
        changes = _set_in_method(scenario, wrong)
        if changes in seen:  # a key that stands for two beliefs, a damping for stiffness and delay
            continue
        seen.append(changes)
        if changes == wrong.believed and wrong.scenario is None:
            continue  # outside the range of its key: nobody can be told that
        built = wrong.scenario if changes == wrong.believed else scenario.with_keys(changes)
        if built is not None:
            found.append(PreparedEntry(built, wrong.kind, wrong.percent))
    return found


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
