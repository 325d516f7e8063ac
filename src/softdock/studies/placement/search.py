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
from softdock.loop.arms.layout import AT
from softdock.loop.arms.mounted import loaded, mock_up_load
from softdock.loop.arms.sources import arm_of
from softdock.loop.arms.sweep import IN_WORST, REACH, STIFFNESS, WORST
from softdock.studies.placement.collisions import find_nearest_parts
from softdock.studies.placement.motion import Motion
from softdock.studies.placement.mounting import Place, Stage, make_mount, make_stage
from softdock.studies.placement.robot_path import RobotPath, Sweeper

# One robot tried at one place: the cost of a place, and what limits it.
#
# The cost is the largest use of a limit over the nominal motion and, where that fits, over a spread
# of others (a campaign's approaches): all on the branch that is best for the nominal one.

THIN_ROWS = 60  # of the path on which a branch is chosen
OUT_OF_REACH = 100.0  # cost from which a path is not reached to its end
DEFLECTION = 1e-3  # m along the approach at peak force; a choice, said wherever it counts
SIDE, TILT = 0.6, math.radians(60.0)


@dataclass(frozen=True)
class TriedPlace:
    """One place and its cost: 1 is at a limit."""

    place: Place
    cost: float
    limit: str  # what costs most


@dataclass(frozen=True)
class BestPlace:
    """One of the best places, checked in full."""

    place: Place
    mount: Mount
    path: RobotPath  # of the nominal motion
    cost: float
    limit: str
    limiting: RobotPath  # of the motion that costs most
    distance: float = math.inf  # m, least of the volumes; inf: none compared


class Searcher:
    """Tries places of one robot on one motion, and on a spread of others."""

    def __init__(
        self,
        facility: Facility,
        robot: str,
        named: Any,
        motion: Motion,
        tables: Mapping[str, Any] | None = None,
        folder: Path | None = None,
        deflection: float = DEFLECTION,
        spread: Sequence[Motion] = (),
    ) -> None:
        self.facility, self.robot, self.named = facility, robot, named
        self.like = facility.robots().get(robot)
        self.stage: Stage = make_stage(facility, motion, robot)
        under = None if self.like is None else self.like.under
        self.bare = arm_of(Mount(arm=named, base=facility.orbit, under=under), folder)
        self.load = mock_up_load(tables or {}, robot)
        self.deflection, self.has_stiffness = deflection, self.bare.knows("stiffness")
        first = loaded(self.bare, self.mount(Place(1.0, 0.0, 1.0, 0.0)), self.load)
        self.thin = Sweeper(robot, first, motion.thin(THIN_ROWS))
        self.sweepers = [Sweeper(robot, first, each) for each in (motion, *spread)]

    def mount(self, place: Place) -> Mount:
        return make_mount(self.stage, self.bare, self.named, place, self.like)

    def set_up(self, place: Place) -> tuple[Mount, int]:
        """The robot at a place and its best branch; the arm carries its load as tilted there."""
        mount = self.mount(place)
        if self.load is not None or mount.load is not None:
            arm = loaded(self.bare, mount, self.load)
            for sweeper in (self.thin, *self.sweepers):
                sweeper.arm = arm
        branch, _ = self.thin.best_branch(self.facility, mount)
        return mount, branch

    def try_place(self, place: Place) -> TriedPlace:
        mount, branch = self.set_up(place)
        return TriedPlace(place, *self.find_dearest(mount, branch)[:2])

    def find_dearest(self, mount: Mount, branch: int) -> tuple[float, str, Sweeper]:
        """The largest cost over the motions, what it is, and on which; the first too dear ends."""
        worst, limit, which = -1.0, "", self.sweepers[0]
        for sweeper in self.sweepers:
            rows = sweeper.run(self.facility, mount, branch)
            dearest, what = self.cost(sweeper, rows)
            if dearest > worst:
                worst, limit, which = dearest, what, sweeper
            if worst > 1.0:
                break
        return worst, limit, which

    def cost(self, sweeper: Sweeper, rows: int) -> tuple[float, str]:
        """Of a sweep just made: the largest use, and which it is."""
        if rows < len(sweeper.motion.time):
            return sweeper.cost(rows), "reach"
        uses = sweeper.worst[:REACH, IN_WORST.use]
        k = int(uses.argmax())
        cost, limit = float(uses[k]), WORST[k]
        if self.has_stiffness:
            allowed = float(sweeper.worst[STIFFNESS, IN_WORST.use]) * self.deflection
            bent = sweeper.motion.peak_force / allowed
            if bent > cost:
                return bent, "stiffness"
        return cost, limit

    def best(self, place: Place) -> BestPlace:
        """A place with everything that is to be said of it."""
        mount, branch = self.set_up(place)
        cost, limit, which = self.find_dearest(mount, branch)
        limiting = which.path(self.facility, mount, branch)
        nominal = self.sweepers[0]
        path = limiting if which is nominal else nominal.path(self.facility, mount, branch)
        start = tuple(path.joints[0, 1:].tolist()) if path.rows else None
        return BestPlace(
            place=place,
            mount=replace(mount, joints=start),
            path=path,
            cost=cost,
            limit=limit,
            limiting=limiting,
        )


def make_search_box(arm: Arm) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest distance, side, height and tilt that are worth trying for an arm."""
    v = arm.vector
    reach = float(v[AT.reach])
    whole = reach + float(np.linalg.norm(v[AT.offsets + 6 : AT.offsets + 9])) + 0.5
    low = np.array([0.25 * whole, -SIDE * reach, -0.4 * reach, -TILT])
    return low, np.array([whole, SIDE * reach, 1.6 * reach, TILT])


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
    numbers = np.zeros(count)
    for i in range(count):
        n, part = i + 1, 1.0
        while n:
            part /= base
            numbers[i] += part * (n % base)
            n //= base
    return numbers


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
    places = []
    for each in best:
        mounts = {name: mount for name, (mount, _) in others.items()} | {robot: each.mount}
        paths = {name: path for name, (_, path) in others.items()} | {robot: each.path}
        pairs = find_nearest_parts(facility, mounts, paths, motion.time)
        distance = pairs[0].distance if pairs else math.inf
        if distance > 0.0:
            places.append(replace(each, distance=distance))
        if len(places) == KEPT:
            break
    return places


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
