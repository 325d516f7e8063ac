"""From a campaign file to runs that can be made, every draw of every run checked.

plan = load_plan("my_campaign.toml")
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from softdock._arguments import PATH, PROGRESS, check_arguments, instance_of, optional
from softdock.errors import BadInput, Problem
from softdock.methods.registry import METHODS, RAW
from softdock.scenario.build import Scenario
from softdock.scenario.candidates import Candidate, candidates
from softdock.scenario.files import load_scenario
from softdock.scenario.method_sources import explained
from softdock.studies.campaign.checking import check_plan
from softdock.studies.campaign.outcomes import list_columns
from softdock.studies.campaign.spec import Spec, load_spec
from softdock.studies.campaign.variants import Design, Plan, Variant
from softdock.studies.campaign.varied_columns import (
    find_places,
    find_problems,
    find_varied_columns,
    make_approach_draws,
)


@check_arguments(source=PATH)
def load_plan(source: str | Path) -> Plan:
    """A campaign from a file, a preset or a folder; every draw checked. Raises `BadInput`."""
    return make_plan(load_spec(source))


@check_arguments(
    spec=instance_of("a Spec: softdock.studies.campaign.spec reads one", Spec),
    base=optional(instance_of("a Scenario", Scenario)),
    say=PROGRESS,
)
def make_plan(
    spec: Spec, base: Scenario | None = None, say: Callable[[int, int], None] | None = None
) -> Plan:
    """`base`: the scenario, where it is at hand already, changes and seed included. `say`: told how
    many draws are checked, of how many."""
    base = _load_base(spec) if base is None else base
    approach, base = base.approach, base.replace({"capture.peak_torque": True})
    wrong = find_problems(spec, bool(approach))
    if wrong:
        raise BadInput(wrong)
    own, integrator = (
        tuple(e["name"] for e in base.tables["methods"]),
        base.tables["satellites"]["integrator"],
    )
    if spec.methods or spec.integrators:
        remedies = "+".join(name for name in own if not METHODS[name].is_plug_in)
        try:
            able, unable = candidates(
                base, spec.methods or [remedies or RAW], spec.integrators or [integrator]
            )
        except BadInput as error:
            said = BadInput([_locate_problem(spec, p) for p in error.problems])
            raise explained(said, spec.folder) from None
    else:
        able, unable = (
            [Candidate(own, integrator, base)],
            [],
        )  # the scenario as it is, networks and all
    refused = [f"{one.method}, {one.integrator}: {one.reason}" for one in unable]
    if not able:
        raise BadInput(
            [
                Problem(
                    "methods",
                    f"{one.method}, {one.integrator}",
                    f"a method that can run here ({one.reason})",
                    spec.locate("methods"),
                )
                for one in unable
            ]
        )
    design = Design(spec)
    _check_names(spec)
    variants, drawn = [], make_approach_draws(spec, approach)
    for one in able:
        places = find_places(spec, one.scenario)
        variants.append(
            Variant(
                method=one.method,
                integrator=one.integrator,
                scenario=one.scenario,
                places=places,
                at=find_varied_columns(places, drawn),
                approach=drawn,
            )
        )
    plan = Plan(spec=spec, base=base, design=design, variants=variants, refused=refused)
    beyond = [run for run in spec.trajectories["runs"] if run >= plan.runs]
    if beyond:
        raise BadInput(
            Problem(
                "trajectories.runs",
                beyond,
                f"runs from 0 to {plan.runs - 1}",
                spec.locate("trajectories.runs"),
            )
        )
    check_plan(plan, say)
    return plan


def _locate_problem(spec: Spec, problem: Problem) -> Problem:
    """A problem of a name that the campaign's file has: with its key and line there."""
    key = problem.key.removeprefix("--")
    key = "scenario" if key == "preset" else key
    return replace(problem, key=key, where=problem.where or spec.locate(key))


def _check_names(spec: Spec) -> None:
    """What varies is a column of the tables beside the outcomes: no name twice."""
    _check_overlaps(spec)
    taken = {outcome.name for outcome in list_columns(reference=True)}
    for i, vary in enumerate(spec.vary):
        for label in vary.labels:
            if label in taken:
                allowed = "a name that no outcome and no other key that varies has"
                raise BadInput(
                    Problem(f"vary.{i}.name", label, allowed, spec.locate(f"vary.{i}.name"))
                )
            taken.add(label)


def _check_overlaps(spec: Spec) -> None:
    """No key varies twice, and none within another: which of the two would count?"""
    seen: list[str] = []
    for i, vary in enumerate(spec.vary):
        for key in vary.written:
            for other in seen:
                if f"{key}.".startswith(f"{other}.") or f"{other}.".startswith(f"{key}."):
                    at = f"vary.{i}.key"
                    allowed = f"a key that no other varies; {other} does"
                    raise BadInput(Problem(at, key, allowed, spec.locate(at)))
            seen.append(key)


def _load_base(spec: Spec) -> Scenario:
    named = (
        spec.scenario
        if "/" not in spec.scenario and not spec.scenario.endswith(".toml")
        else spec.folder / spec.scenario
    )
    changes = {"random.seed": spec.seed} | flatten(spec.changes)
    if "random.run" in changes:
        allowed = "nothing here: a campaign numbers its runs with this key"
        raise BadInput(
            Problem("set.random.run", changes["random.run"], allowed, spec.locate("set.random.run"))
        )
    try:
        base = load_scenario(named, changes)
    except BadInput as error:
        at = spec.locate("set")
        raise BadInput(
            [
                _locate_problem(
                    spec, replace(p, where=at if p.where in ("--set", "changes") else p.where)
                )
                for p in error.problems
            ]
        ) from None
    return base


def flatten(tables: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested tables to dotted keys."""
    flat: dict[str, Any] = {}
    for key, value in tables.items():
        flat |= (
            flatten(value, f"{prefix}{key}.")
            if isinstance(value, Mapping)
            else {f"{prefix}{key}": value}
        )
    return flat
