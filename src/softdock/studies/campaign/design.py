"""The design of a campaign: the values of what varies, of any range of runs. Point g of the grids
and draw s make run g S + s, S draws a point."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.studies.campaign.draws import draw_uniforms
from softdock.studies.campaign.spec import MOST_RUNS, Spec, count_grid_points

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
