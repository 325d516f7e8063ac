"""What is compared: every method, or chain of methods, with every integrator. What cannot run says
why.

In: a scenario, names of methods and integrators. Out: candidates, each a scenario of its own that
differs in these two things alone.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from softdock.errors import BadInput, Problem, closest
from softdock.loop.satellites import INTEGRATORS
from softdock.methods.registry import METHODS
from softdock.scenario.build import Scenario, build_variant
from softdock.scenario.method_sources import OPTION
from softdock.scenario.own_models import is_own_method

ALL = "all"
Advised = Callable[[str, Scenario], dict[str, Any]]
OF_A_FILE = f"; a method of your own with {OPTION} FILE"
JOIN = "+"  # a chain of methods, in the order in which they apply: "lead+hybrid"


@dataclass(frozen=True)
class Candidate:
    """One way to run the rig."""

    methods: tuple[str, ...]
    integrator: str
    scenario: Scenario

    @property
    def method(self) -> str:
        return JOIN.join(self.methods)

    @property
    def entries(self) -> list[dict[str, Any]]:
        """Its methods with every key they have, as a scenario lists them."""
        return [entry for entry in self.scenario.tables["methods"] if entry["name"] in self.methods]


@dataclass(frozen=True)
class Refused:
    """A combination that cannot run, and why, in words."""

    method: str
    integrator: str
    reason: str


def chains(scenario: Scenario, chosen: str | Sequence[str] = ALL) -> list[tuple[str, ...]]:
    """The methods to compare. `all`: every registered one by itself, and the scenario's own list if
    that is a chain."""
    names = [m for m in METHODS if not METHODS[m].is_plug_in and not is_own_method(m)]
    if chosen == ALL or list(chosen) == [ALL]:
        listed = tuple(
            e["name"] for e in scenario.tables["methods"] if not METHODS[e["name"]].is_plug_in
        )
        own = [listed] if len(listed) > 1 else []
        return [*own, *((name,) for name in names)]
    asked = chosen.split(",") if isinstance(chosen, str) else list(chosen)
    found = [tuple(part.strip() for part in chain.split(JOIN)) for chain in asked]
    refuse_unknown("--methods", [name for chain in found for name in chain], names, OF_A_FILE)
    for chain in found:
        if len(set(chain)) < len(chain):
            raise BadInput(Problem("--methods", JOIN.join(chain), "each method once in a chain"))
    return list(dict.fromkeys(found))


def integrator_names(chosen: str | Sequence[str] = ALL) -> list[str]:
    """The integrators to compare."""
    names = [i.name for i in INTEGRATORS]
    if chosen == ALL or list(chosen) == [ALL]:
        return names
    asked = [name.strip() for name in (chosen.split(",") if isinstance(chosen, str) else chosen)]
    refuse_unknown("--integrators", asked, names)
    return list(dict.fromkeys(asked))


def refuse_unknown(option: str, given: Iterable[str], known: Sequence[str], more: str = "") -> None:
    """All names that do not exist, at once; `more`: what else is allowed."""
    problems = [
        Problem(
            option,
            name,
            f"'{ALL}', or some of {', '.join(known)}{more}",
            suggestion=closest(name, known),
        )
        for name in given
        if name not in known
    ]
    if problems:
        raise BadInput(problems)


def candidates(
    scenario: Scenario,
    methods: str | Sequence[str] = ALL,
    integrators: str | Sequence[str] = ALL,
    advised: Advised | None = lambda name, scenario: {},
) -> tuple[list[Candidate], list[Refused]]:
    """Everything that can run on the scenario, and what cannot. `advised`: keys of a method that
    the scenario does not list, in place of those that it suggests itself; None: a method is told
    nothing, not even what it would suggest, and has its defaults."""
    able: list[Candidate] = []
    unable: list[Refused] = []
    chosen, listed = _all_problems(
        lambda: integrator_names(integrators), lambda: chains(scenario, methods)
    )
    for chain in listed:
        for integrator in chosen:
            candidate = _candidate(scenario, chain, integrator, advised)
            if isinstance(candidate, Candidate):
                able.append(candidate)
            else:
                unable.append(Refused(JOIN.join(chain), integrator, candidate))
    return able, _merged(unable, len(chosen))


def _all_problems(*choices: Callable[[], Any]) -> list[Any]:
    """The results of all, or everything that is wrong with any of them."""
    results, problems = [], []
    for choose in choices:
        try:
            results.append(choose())
        except BadInput as error:
            problems += error.problems
    if problems:
        raise BadInput(problems)
    return results


def _candidate(
    scenario: Scenario, chain: tuple[str, ...], integrator: str, advised: Advised | None
) -> Candidate | str:
    """The scenario with these methods and this integrator, or why that cannot be."""
    tables = copy.deepcopy(scenario.tables)
    tables["satellites"]["integrator"] = integrator
    base = build_variant(scenario, tables)
    try:
        for name in chain:
            why = METHODS[name].refuses(base)
            if why:
                return str(why)
        kept = [entry for entry in tables["methods"] if METHODS[entry["name"]].is_plug_in]
        tables["methods"] = [*(_entry(name, base, advised) for name in chain), *kept]
        return Candidate(chain, integrator, build_variant(base, tables))
    except BadInput as error:
        return "; ".join(_in_words(problem) for problem in error.problems)
    except Exception as error:  # a method's own `refuses` or `suggest`
        return f"its registry entry failed on this scenario: {type(error).__name__}: {error}"


def _entry(name: str, scenario: Scenario, advised: Advised | None) -> dict[str, Any]:
    """A method's table: as the scenario lists it, or with what is advised and what it suggests; its
    group's defaults fill the rest."""
    if advised is None:
        return {"name": name}
    for listed in scenario.tables["methods"]:
        if listed["name"] == name:
            return dict(listed)
    return {"name": name, **METHODS[name].suggest(scenario), **advised(name, scenario)}


def _in_words(problem: Problem) -> str:
    if problem.value is None:
        return (
            f"it needs {problem.key.rpartition('.')[2]} ({problem.allowed}), and the "
            "scenario does not list it"
        )
    return str(problem)


def _merged(refused: list[Refused], integrators: int) -> list[Refused]:
    """One row for a method that no integrator helps."""
    merged: list[Refused] = []
    for one in refused:
        same = [
            other for other in refused if (other.method, other.reason) == (one.method, one.reason)
        ]
        row = Refused(one.method, "any" if len(same) == integrators else one.integrator, one.reason)
        if row not in merged:
            merged.append(row)
    return merged
