"""A plan: variants (methods and integrators), each with the same design, as compact vectors.

plan.select_runs(variant, first, last)            # what a backend runs
plan.scenario_of(run)                      # any run again, by itself
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from softdock.compile.features import Markers
from softdock.errors import BadInput, Problem
from softdock.loop.contact.pairs import PAIR
from softdock.loop.spatial.arrays import product, rotate
from softdock.loop.spatial.rigid_body import BODY
from softdock.loop.vector import CHASER_AT, PAIRS_AT, RANDOM_AT, RANDOMS
from softdock.scenario.build import Scenario, build
from softdock.scenario.features import markers_with
from softdock.studies.campaign.batch import SparseParameters
from softdock.studies.campaign.columns import Place
from softdock.studies.campaign.draws import draw_uniforms
from softdock.studies.campaign.spec import MOST_RUNS, Spec, count_grid_points
from softdock.studies.campaign.varied_columns import WRITTEN, ApproachDraws, is_approach
from softdock.studies.campaign.vary import Vary

# The design of a campaign: the values of what varies, of any range of runs. Point g of the grids
# and draw s make run g S + s, S draws a point.

KEPT_DRAWS = 65536  # a design of so few draws is made once, not for each range of runs


class Design:
    """Runs by index. `labels`: names of the columns of `values`."""

    def __init__(self, spec: Spec):
        self.spec = spec
        self.labels = tuple(label for v in spec.vary for label in v.labels)
        self.dimensions = sum(v.dimensions for v in spec.vary)
        self.draws = spec.runs * (self.dimensions + 2 if spec.sampling == "saltelli" else 1)
        self.points = count_grid_points(spec.vary)
        self.runs = self.points * self.draws
        if self.runs > MOST_RUNS:
            raise BadInput(
                Problem(
                    "runs",
                    self.runs,
                    f"at most {MOST_RUNS} runs: {self.points} points of the grids with "
                    f"{self.draws} draws each",
                )
            )

    def values(self, first: int, last: int) -> np.ndarray:
        """What runs first .. last - 1 vary, in the user's units: (runs, columns)."""
        index = np.arange(first, last)
        point, draw = index // self.draws, index % self.draws
        axes = [v for v in self.spec.vary if not v.dimensions]
        places = np.unravel_index(point, [len(v.points) for v in axes]) if axes else ()
        drawn = self._uniforms(first, last, draw)
        columns, at, axis = [], 0, 0
        for v in self.spec.vary:
            if v.dimensions:
                columns.append(v.from_uniform(drawn[:, at : at + v.dimensions]))
                at += v.dimensions
            else:
                columns.append(v.points[places[axis]])
                axis += 1
        return np.concatenate(columns, axis=1) if columns else np.zeros((len(index), 0))

    def _uniforms(self, first: int, last: int, draw: np.ndarray) -> np.ndarray:
        """Independent from point to point where numbers are simply random; a layered or a Sobol
        design is the same at every point."""
        spec, n = self.spec, self.dimensions
        if n == 0:
            return np.zeros((last - first, 0))
        if spec.sampling == "random":
            return draw_uniforms("random", spec.seed, n, first, last - first, self.runs)
        if self.draws <= KEPT_DRAWS:
            return np.asarray(self._all[draw])
        parts, at = [], first
        while at < last:
            end = min(last, (at // self.draws + 1) * self.draws)
            parts.append(
                draw_uniforms(spec.sampling, spec.seed, n, at % self.draws, end - at, self.draws)
            )
            at = end
        return np.concatenate(parts)

    @cached_property
    def _all(self) -> np.ndarray:
        return draw_uniforms(
            self.spec.sampling, self.spec.seed, self.dimensions, 0, self.draws, self.draws
        )


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
    approach: ApproachDraws | None = None

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

    def select_runs(self, variant: int, first: int, last: int) -> SparseParameters:
        """Runs first .. last - 1 of a variant."""
        v = self.variants[variant]
        return SparseParameters(
            v.scenario.vector, v.at, fill_columns(v, self.design.values(first, last), first)
        )

    def scenario_of(self, run: int) -> Scenario:
        """One run as a scenario of its own: running it gives this run to the bit."""
        if not 0 <= run < self.runs:
            raise BadInput(Problem("run", run, f"a run from 0 to {self.runs - 1}"))
        v, index = self.variants[run // self.design.runs], run % self.design.runs
        values = self.design.values(index, index + 1)
        row = SparseParameters(v.scenario.vector, v.at, fill_columns(v, values, index)).expand()[0]
        tables = copy.deepcopy(v.scenario.tables)
        column = 0
        for vary, places in v.places:
            if is_approach(vary):
                pass  # its positions are put below
            elif vary.turn_about:
                at = places[0].at
                _set_key(tables, vary.keys[0], row[at : at + 4].tolist())
            else:
                for i, key in enumerate(vary.written):
                    value = values[0, column + min(i, len(vary.keys) - 1)].item()
                    _set_key(
                        tables, key, int(value) if places[i].parameter.kind == "integer" else value
                    )
            column += len(vary.keys)
        if any(vary.keep_tip for vary, _ in v.places):
            at = CHASER_AT + BODY.at.position
            _set_key(tables, "chaser.position_m", row[at : at + 3].tolist())
        for key, (at, n) in WRITTEN.items() if v.approach is not None else ():
            _set_key(tables, key, row[at : at + n].tolist())
        tables["random"]["run"] = index
        tables["name"] = f"{self.spec.name}, run {run}"
        return build(tables)


def fill_columns(variant: Variant, values: np.ndarray, first: int) -> np.ndarray:
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
    if variant.approach is not None:
        variant.approach.fill(filled, index, values)
    column = 0
    for vary, places in variant.places:
        if vary.turn_about:
            _turn_body(variant, vary, places[0].at, values[:, column], filled, index)
        column += len(vary.keys)
    return filled


def _turn_body(
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
    attitude = product(turn, np.broadcast_to(base, turn.shape))
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
        moved = rotate(base[None, :], tip) - rotate(attitude, tip)
        for j in range(3):
            filled[:, index[CHASER_AT + BODY.at.position + j]] += moved[:, j]


def _set_key(tables: dict[str, Any], key: str, value: Any) -> None:
    """Set a key of resolved tables; a number behind a vector's key is one of its components."""
    *parents, last = key.split(".")
    here: Any = tables
    for part in parents:
        here = here[int(part)] if isinstance(here, list) else here[part]
    if isinstance(here, list):
        here[int(last)] = value
    else:
        here[last] = value
