"""From a campaign file to runs that can be made: variants (methods and integrators), each with the
same design, as thin vectors.

plan = load_plan("my_campaign.toml")       # checked: every draw of every run
plan.thin(variant, first, last)            # what a backend runs
plan.scenario_of(run)                      # any run again, by itself
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from softdock.campaign.columns import Place, resolved, sweepable
from softdock.campaign.design import Design
from softdock.campaign.spec import Spec, load_spec
from softdock.campaign.thin import Thin
from softdock.campaign.vary import Vary
from softdock.comparison.candidates import Candidate, candidates, is_plug_in
from softdock.core.adaptation.registry import METHODS
from softdock.core.contact.pairs import PAIR
from softdock.core.machine.features import Markers
from softdock.core.machine.vector import CHASER_AT, PAIRS_AT, RANDOM_AT, RANDOMS
from softdock.core.spatial.rigid_body import BODY
from softdock.errors import BadInput, Problem, closest
from softdock.scenario.build import Scenario, build
from softdock.scenario.features import markers_with
from softdock.scenario.files import load_scenario


@dataclass
class Variant:
    """One method and integrator. `scenario`: the base with them, its vector laid out for every
    run."""

    method: str
    integrator: str
    scenario: Scenario
    places: list[tuple[Vary, list[Place]]]
    at: np.ndarray  # columns of the vector that differ from run to run
    mem_floats: int = 0

    @property
    def label(self) -> str:
        return f"{self.method}, {self.integrator}"

    @property
    def markers(self) -> Markers:
        """What its loop is compiled with: the features of any of its runs."""
        return markers_with(self.scenario.vector, self.at, self.scenario.markers.methods)


@dataclass
class Plan:
    """A campaign, ready to run. Run r is run r - v R of variant v, R the runs of the design."""

    spec: Spec
    base: Scenario
    design: Design
    variants: list[Variant]
    refused: list[str]  # methods that cannot run here, with the reason

    def label(self, variant: int) -> str:
        """What tells a variant from the others: its method, its integrator, or both."""
        v = self.variants[variant]
        if len({one.integrator for one in self.variants}) == 1:
            return v.method
        return v.integrator if len({one.method for one in self.variants}) == 1 else v.label

    @property
    def runs(self) -> int:
        return len(self.variants) * self.design.runs

    def thin(self, variant: int, first: int, last: int) -> Thin:
        """Runs first .. last - 1 of a variant."""
        v = self.variants[variant]
        return Thin(v.scenario.vector, v.at, fill(v, self.design.values(first, last), first))

    def scenario_of(self, run: int) -> Scenario:
        """One run as a scenario of its own: running it gives this run to the bit."""
        if not 0 <= run < self.runs:
            raise BadInput(Problem("run", run, f"a run from 0 to {self.runs - 1}"))
        v, index = self.variants[run // self.design.runs], run % self.design.runs
        values = self.design.values(index, index + 1)
        row = Thin(v.scenario.vector, v.at, fill(v, values, index)).expand()[0]
        tables = copy.deepcopy(v.scenario.tables)
        column = 0
        for vary, places in v.places:
            if vary.turn_about:
                at = places[0].at
                _put(tables, vary.keys[0], row[at : at + 4].tolist())
            else:
                for i, key in enumerate(vary.written):
                    value = values[0, column + min(i, len(vary.keys) - 1)].item()
                    _put(
                        tables, key, int(value) if places[i].parameter.kind == "integer" else value
                    )
            column += len(vary.keys)
        if any(vary.keep_tip for vary, _ in v.places):
            at = CHASER_AT + BODY.at.position
            _put(tables, "chaser.position_m", row[at : at + 3].tolist())
        tables["random"]["run"] = index
        tables["name"] = f"{self.spec.name}, run {run}"
        return build(tables)


def load_plan(source: str | Path) -> Plan:
    """A campaign from a file, a preset or a folder; every draw checked. Raises `BadInput`."""
    return make_plan(load_spec(source))


def make_plan(
    spec: Spec, base: Scenario | None = None, say: Callable[[int, int], None] | None = None
) -> Plan:
    """`base`: the scenario, where it is at hand already, changes and seed included. `say`: told how
    many draws are checked, of how many."""
    from softdock.campaign.checking import check_plan

    base = (_base(spec) if base is None else base).with_keys({"capture.peak_torque": True})
    own, integrator = (
        tuple(e["name"] for e in base.tables["methods"]),
        base.tables["satellites"]["integrator"],
    )
    if spec.methods or spec.integrators:
        remedies = "+".join(name for name in own if not is_plug_in(METHODS[name]))
        able, unable = candidates(
            base, spec.methods or [remedies or "direct"], spec.integrators or [integrator]
        )
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
                )
                for one in unable
            ]
        )
    design = Design(spec)
    _check_names(spec, design)
    variants = []
    for one in able:
        places = find_places(spec, one.scenario)
        variants.append(Variant(one.method, one.integrator, one.scenario, places, _columns(places)))
    plan = Plan(spec, base, design, variants, refused)
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


def _check_names(spec: Spec, design: Design) -> None:
    """What varies is a column of the tables beside the outcomes: no name twice."""
    from softdock.campaign.outcomes import COLUMNS, ORBIT_COLUMNS

    taken = {*COLUMNS, *ORBIT_COLUMNS}
    for i, vary in enumerate(spec.vary):
        for label in vary.labels:
            if label in taken:
                allowed = "a name that no outcome and no other key that varies has"
                raise BadInput(
                    Problem(f"vary.{i}.name", label, allowed, spec.locate(f"vary.{i}.name"))
                )
            taken.add(label)


def _base(spec: Spec) -> Scenario:
    named = (
        spec.scenario
        if "/" not in spec.scenario and not spec.scenario.endswith(".toml")
        else spec.folder / spec.scenario
    )
    changes = {"random.seed": spec.seed} | flat(spec.changes)
    try:
        base = load_scenario(named, changes)
    except BadInput as error:
        at = spec.locate("set")
        raise BadInput(
            [
                Problem(
                    p.key, p.value, p.allowed, at if p.where == "--set" else p.where, p.suggestion
                )
                for p in error.problems
            ]
        ) from None
    capture = base.tables["capture"]
    if capture["for_s"] > 0.0 and capture["pair"] >= len(base.tables["contact"]):
        raise BadInput(
            Problem(
                "capture.pair",
                capture["pair"],
                f"a contact pair that is there, below {len(base.tables['contact'])}",
                spec.locate("set"),
            )
        )
    return base


def flat(tables: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested tables to dotted keys."""
    found: dict[str, Any] = {}
    for key, value in tables.items():
        found |= (
            flat(value, f"{prefix}{key}.")
            if isinstance(value, Mapping)
            else {f"{prefix}{key}": value}
        )
    return found


NO_NUMBER = (
    "a number of the scenario; this one is a word, a table, a direction or an attitude (methods "
    "and integrators have keys of their own; turn_about)"
)


def find_places(spec: Spec, scenario: Scenario) -> list[tuple[Vary, list[Place]]]:
    """Where each key stands in the vector; everything that is no numeric key is refused."""
    known = sweepable(scenario)
    problems: list[Problem] = []
    found = []
    for i, vary in enumerate(spec.vary):
        for key in vary.written:
            place, where = known.get(key), spec.locate(f"vary.{i}.key")
            if key == "random.run":
                allowed = (
                    "another key: a campaign numbers its runs with this one, and each has noise "
                    "of its own already"
                )
                problems.append(Problem(key, "in vary", allowed, where))
            elif place is None and resolved(scenario.tables, key) is not None:
                problems.append(Problem(key, "in vary", NO_NUMBER, where))
            elif place is None:
                problems.append(
                    Problem(
                        key,
                        "in vary",
                        "a key of this scenario with a numeric value",
                        where,
                        closest(key, known),
                    )
                )
            elif place.size > 1 and place.parameter.kind != "mass" and not vary.turn_about:
                hint = (
                    "one of its numbers: " + ", ".join(k for k in known if k.startswith(f"{key}."))
                    if f"{key}.0" in known
                    else "a key with a single number"
                )
                problems.append(Problem(key, "in vary", hint, where))
        if not problems:
            found.append((vary, [known[key] for key in vary.written]))
        if vary.keep_tip and not scenario.tables["contact"]:
            problems.append(
                Problem(
                    f"vary.{i}.keep_tip",
                    True,
                    "a scenario with a contact, whose tip it is",
                    spec.locate(f"vary.{i}"),
                )
            )
    if problems:
        raise BadInput(problems)
    return found


def _columns(places: list[tuple[Vary, list[Place]]]) -> np.ndarray:
    at = [RANDOM_AT + RANDOMS.run]
    for vary, found in places:
        at += [place.at + j for place in found for j in range(place.size)]
        if vary.keep_tip:
            at += [CHASER_AT + BODY.at.position + j for j in range(3)]
    return np.array(list(dict.fromkeys(at)), dtype=np.int64)


def fill(variant: Variant, values: np.ndarray, first: int) -> np.ndarray:
    """Values in the user's units to the columns `variant.at` of the vectors, SI."""
    index = {int(at): i for i, at in enumerate(variant.at)}
    filled = np.empty((len(values), len(variant.at)))
    filled[:] = variant.scenario.vector[variant.at]
    filled[:, index[RANDOM_AT + RANDOMS.run]] = np.arange(first, first + len(values))
    column = 0
    for vary, places in variant.places:
        if not vary.turn_about:
            for i, place in enumerate(places):
                for j in range(place.size):
                    filled[:, index[place.at + j]] = (
                        place.parameter.scale * values[:, column + min(i, len(vary.keys) - 1)]
                    )
        column += len(vary.keys)
    column = 0
    for vary, places in variant.places:
        if vary.turn_about:
            _turn(variant, vary, places[0].at, values[:, column], filled, index)
        column += len(vary.keys)
    return filled


def _turn(
    variant: Variant,
    vary: Vary,
    at: int,
    degrees: np.ndarray,
    filled: np.ndarray,
    index: Mapping[int, int],
) -> None:
    """The body turned about a world axis; with `keep_tip` about its first tip, else about its
    centre of mass."""
    vector = variant.scenario.vector
    axis = np.array(vary.turn_about) / np.linalg.norm(vary.turn_about)
    half = np.radians(degrees) / 2.0
    turn = np.concatenate([np.cos(half)[:, None], np.sin(half)[:, None] * axis], axis=1)
    base = vector[at : at + 4] / np.linalg.norm(vector[at : at + 4])
    attitude = _product(turn, np.broadcast_to(base, turn.shape))
    for j in range(4):
        filled[:, index[at + j]] = attitude[:, j]
    if vary.keep_tip:
        at = PAIRS_AT + PAIR.at.tip
        tip = np.stack(
            [
                filled[:, index[i]] if i in index else np.full(len(filled), vector[i])
                for i in range(at, at + 3)
            ],
            axis=1,
        )  # each run's own
        moved = _rotated(base[None, :], tip) - _rotated(attitude, tip)
        for j in range(3):
            filled[:, index[CHASER_AT + BODY.at.position + j]] += moved[:, j]


def _product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Quaternions: first b, then a."""
    w, x, y, z = a.T
    s, i, j, k = b.T
    return np.stack(
        [
            w * s - x * i - y * j - z * k,
            w * i + x * s + y * k - z * j,
            w * j - x * k + y * s + z * i,
            w * k + x * j - y * i + z * s,
        ],
        axis=1,
    )


def _rotated(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    twice = 2.0 * np.cross(q[:, 1:], v)
    return np.asarray(v + q[:, :1] * twice + np.cross(q[:, 1:], twice))


def _put(tables: dict[str, Any], key: str, value: Any) -> None:
    """Set a key of resolved tables; a number behind a vector's key is one of its components."""
    *parents, last = key.split(".")
    here: Any = tables
    for part in parents:
        here = here[int(part)] if isinstance(here, list) else here[part]
    if isinstance(here, list):
        here[int(last)] = value
    else:
        here[last] = value
