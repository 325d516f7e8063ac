"""Where to put one robot: places tried over a box of distance, side, height and tilt of the tool.

Each place is a sweep of the whole path on its best branch. Its cost is the largest use of a limit:
range, speed, acceleration, torque, singularity, and the tip's deflection along the approach under
the motion's peak force over the one allowed. (A stretched arm counts as a singular one: the reach
itself costs nothing before.) Places are a Halton sequence, the same ones every time. The best are
checked with all volumes; those that hit something are left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.loop.arms.arm import Arm
from softdock.loop.arms.facility import Facility, Mount
from softdock.studies.placement.collisions import find_nearest_parts
from softdock.studies.placement.motion import Motion
from softdock.studies.placement.mounting import Place
from softdock.studies.placement.robot_path import RobotPath
from softdock.studies.placement.searcher import (
    DEFLECTION,
    OUT_OF_REACH,
    BestPlace,
    Searcher,
    TriedPlace,
    make_search_box,
)

CANDIDATES = 600
KEPT = 6  # best places that are reported
TRIED = 24  # best places whose volumes are compared
MARGIN = 0.8  # of a limit: a place that keeps a margin of a fifth
PRIMES = (2, 3, 5, 7)
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class SearchResult:
    """What a search found for one robot."""

    robot: str
    arm: Arm
    tried: list[TriedPlace]
    best: list[BestPlace]
    grid: tuple[np.ndarray, np.ndarray, np.ndarray] | None  # distance, height, cost at the best
    deflection: float  # m, allowed
    spread: int = 0  # motions beside the nominal one

    @property
    def share_with_margin(self) -> float:
        return float(np.mean([t.cost <= MARGIN for t in self.tried]))

    @property
    def share_fitting(self) -> float:
        return float(np.mean([t.cost <= 1.0 for t in self.tried]))


def halton(count: int, base: int) -> np.ndarray:
    """The first numbers of van der Corput's sequence, in (0, 1)."""
    found = np.zeros(count)
    for i in range(count):
        n, part = i + 1, 1.0
        while n:
            part /= base
            found[i] += part * (n % base)
            n //= base
    return found


def search(
    facility: Facility,
    robot: str,
    named: Any,
    motion: Motion,
    tables: Mapping[str, Any] | None = None,
    folder: Path | None = None,
    candidates: int = CANDIDATES,
    deflection: float = DEFLECTION,
    progress: Progress = lambda done, of: None,
    others: Mapping[str, tuple[Mount, RobotPath]] | None = None,
    grid: int = 0,
    spread: Sequence[Motion] = (),
) -> SearchResult:
    """Places for one robot.

    `others`: robots that stand already. `grid`: cells of a map's side. `spread`: more motions that
    a place must serve.
    """
    if candidates < 1:
        raise BadInput(Problem("candidates", candidates, "at least 1"))
    searcher = Searcher(
        facility=facility,
        robot=robot,
        named=named,
        motion=motion,
        tables=tables,
        folder=folder,
        deflection=deflection,
        spread=spread,
    )
    low, high = make_search_box(searcher.bare)
    unit = np.column_stack([halton(candidates, base) for base in PRIMES])
    tried, total = [], candidates + grid * grid
    for i, row in enumerate(low + unit * (high - low)):
        tried.append(searcher.try_place(Place(*row.tolist())))
        progress(i + 1, total)
    order = sorted((t for t in tried if t.cost < OUT_OF_REACH), key=lambda t: t.cost)
    best = [searcher.best(t.place) for t in order[:TRIED]]
    best = _select_free_places(facility, robot, motion, best, others or {})
    made = None
    if grid and best:
        made = _compute_grid(searcher, best[0].place, low, high, grid, candidates, progress)
    return SearchResult(
        robot=robot,
        arm=searcher.bare,
        tried=tried,
        best=best,
        grid=made,
        deflection=deflection,
        spread=len(spread),
    )


def _select_free_places(
    facility: Facility,
    robot: str,
    motion: Motion,
    best: list[BestPlace],
    others: Mapping[str, tuple[Mount, RobotPath]],
) -> list[BestPlace]:
    """The best places at which nothing hits anything."""
    found = []
    for each in best:
        mounts = {name: mount for name, (mount, _) in others.items()} | {robot: each.mount}
        paths = {name: path for name, (_, path) in others.items()} | {robot: each.path}
        pairs = find_nearest_parts(facility, mounts, paths, motion.time)
        distance = pairs[0].distance if pairs else math.inf
        if distance > 0.0:
            found.append(replace(each, distance=distance))
        if len(found) == KEPT:
            break
    return found


def _compute_grid(
    searcher: Searcher,
    place: Place,
    low: np.ndarray,
    high: np.ndarray,
    cells: int,
    done: int,
    progress: Progress,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Cost over distance and height, side and tilt as at a place."""
    across, up = np.linspace(low[0], high[0], cells), np.linspace(low[2], high[2], cells)
    cost = np.zeros((cells, cells))
    for k in range(cells):
        for i in range(cells):
            at = Place(float(across[i]), place.side, float(up[k]), place.tilt)
            cost[k, i] = searcher.try_place(at).cost
        progress(done + cells * (k + 1), done + cells * cells)
    return across, up, cost
