"""Where to put one robot: places tried over a box of distance, side, height and tilt of the tool.

Each place is a sweep of the whole path on its best branch. Its cost is the largest use of a limit:
range, speed, acceleration, torque, singularity, and the tip's deflection along the approach under
the motion's peak force over the one allowed. (A stretched arm counts as a singular one: the reach
itself costs nothing before.) Places are a Halton sequence, the same ones every time. The best are
checked with all volumes; those that hit something are left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from softdock.arms.arm import Arm
from softdock.core.arms.layout import AT
from softdock.core.arms.sweep import REACH, STIFFNESS, WORST
from softdock.errors import BadInput, Problem
from softdock.facility_table import Facility, Mount
from softdock.placement.collisions import nearest_parts
from softdock.placement.motion import Motion
from softdock.placement.mounting import Place, Stage, mount_at, stage_of
from softdock.placement.robot_path import RobotPath, Sweeper, arm_of, loaded, mock_up_load

CANDIDATES = 600
THIN_ROWS = 60  # of the path on which a branch is chosen
KEPT = 6  # best places that are reported
TRIED = 24  # best places whose volumes are compared
MARGIN = 0.8  # of a limit: a place that keeps a margin of a fifth
DEFLECTION = 1e-3  # m along the approach at peak force; a choice, said wherever it counts
SIDE, TILT = 0.6, math.radians(60.0)
PRIMES = (2, 3, 5, 7)
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Tried:
    """One place and its cost: 1 is at a limit."""

    place: Place
    cost: float
    limit: str  # what costs most
    fits: bool


@dataclass(frozen=True)
class Best:
    """One of the best places, checked in full."""

    place: Place
    mount: Mount
    path: RobotPath
    cost: float
    limit: str
    distance: float  # m, least of the volumes; inf: none compared


@dataclass(frozen=True)
class Found:
    """What a search found for one robot."""

    robot: str
    arm: Arm
    tried: list[Tried]
    best: list[Best]
    grid: tuple[np.ndarray, np.ndarray, np.ndarray] | None  # distance, height, cost at the best
    deflection: float  # m, allowed

    @property
    def share_with_margin(self) -> float:
        return float(np.mean([t.cost <= MARGIN for t in self.tried]))

    @property
    def share_fitting(self) -> float:
        return float(np.mean([t.cost <= 1.0 for t in self.tried]))


class Searcher:
    """Tries places of one robot on one motion."""

    def __init__(
        self,
        facility: Facility,
        robot: str,
        named: Any,
        motion: Motion,
        tables: Mapping[str, Any] | None = None,
        folder: Path | None = None,
        deflection: float = DEFLECTION,
    ) -> None:
        self.facility, self.robot, self.named, self.motion = facility, robot, named, motion
        self.like = facility.robots().get(robot)
        self.stage: Stage = stage_of(facility, motion, robot)
        self.bare = arm_of(Mount(arm=named, base=facility.orbit), folder)
        self.load = mock_up_load(tables or {}, robot)
        self.deflection, self.peak = deflection, motion.peak_force
        first = loaded(self.bare, self.mount(Place(1.0, 0.0, 1.0, 0.0)), self.load)
        self.thin = Sweeper(robot, first, motion.thinned(THIN_ROWS))
        self.whole = Sweeper(robot, first, motion)

    def mount(self, place: Place) -> Mount:
        return mount_at(self.stage, self.bare, self.named, place, self.like)

    def sweep(self, place: Place) -> tuple[Mount, int]:
        """The robot at a place, on its best branch; the arm carries its load as tilted there."""
        mount = self.mount(place)
        if self.load is not None or mount.load is not None:
            self.thin.arm = self.whole.arm = loaded(self.bare, mount, self.load)
        branch, _ = self.thin.best_branch(self.facility, mount)
        return mount, branch

    def try_place(self, place: Place) -> Tried:
        mount, branch = self.sweep(place)
        rows = self.whole.run(self.facility, mount, branch)
        if rows < len(self.motion.time):
            return Tried(place, self.whole.cost(rows), "reach", False)
        cost, limit = self._cost()
        return Tried(place, cost, limit, cost <= 1.0)

    def _cost(self) -> tuple[float, str]:
        """Of the last sweep: the largest use, and which it is."""
        uses = self.whole.worst[:REACH, 0]
        k = int(uses.argmax())
        cost, limit = float(uses[k]), WORST[k]
        stiffness = float(self.whole.worst[STIFFNESS, 0])
        bent = self.peak / (stiffness * self.deflection) if math.isfinite(stiffness) else 0.0
        return (bent, "stiffness") if bent > cost else (cost, limit)

    def best(self, place: Place) -> Best:
        mount, branch = self.sweep(place)
        path = self.whole.path(self.facility, mount, branch)
        cost, limit = self._cost()
        path = replace(path, arm=self.whole.arm)
        mount = replace(mount, joints=tuple(path.joints[0, 1:].tolist()) if path.rows else None)
        return Best(place, mount, path, cost, limit, math.inf)


def box_of(arm: Arm) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest distance, side, height and tilt that are worth trying for an arm."""
    v = arm.vector
    reach = float(v[AT.reach])
    whole = reach + abs(float(v[AT.offsets + 6])) + 0.5
    low = np.array([0.25 * whole, -SIDE * reach, -0.4 * reach, -TILT])
    return low, np.array([whole, SIDE * reach, 1.6 * reach, TILT])


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
) -> Found:
    """Places for one robot. `others`: robots that stand already. `grid`: cells of a map's side."""
    if candidates < 1:
        raise BadInput(Problem("candidates", candidates, "at least 1"))
    searcher = Searcher(facility, robot, named, motion, tables, folder, deflection)
    low, high = box_of(searcher.bare)
    unit = np.column_stack([halton(candidates, base) for base in PRIMES])
    tried, total = [], candidates + grid * grid
    for i, row in enumerate(low + unit * (high - low)):
        tried.append(searcher.try_place(Place(*row.tolist())))
        progress(i + 1, total)
    order = sorted((t for t in tried if t.cost < 100.0), key=lambda t: t.cost)
    best = [searcher.best(t.place) for t in order[:TRIED]]
    best = _kept(facility, robot, motion, best, others or {})
    made = None
    if grid and best:
        made = _grid(searcher, best[0].place, low, high, grid, candidates, progress)
    return Found(robot, searcher.whole.arm, tried, best, made, deflection)


def _kept(
    facility: Facility,
    robot: str,
    motion: Motion,
    best: list[Best],
    others: Mapping[str, tuple[Mount, RobotPath]],
) -> list[Best]:
    """The best places at which nothing hits anything."""
    found = []
    for each in best:
        mounts = {name: mount for name, (mount, _) in others.items()} | {robot: each.mount}
        paths = {name: path for name, (_, path) in others.items()} | {robot: each.path}
        pairs = nearest_parts(facility, mounts, paths, motion.time)
        distance = pairs[0].distance if pairs else math.inf
        if distance > 0.0:
            found.append(replace(each, distance=distance))
        if len(found) == KEPT:
            break
    return found


def _grid(
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
