"""One robot tried at one place: the cost of a place, and what limits it.

The cost is the largest use of a limit over the nominal motion and, where that fits, over a spread
of others (a campaign's approaches): all on the branch that is best for the nominal one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from softdock.loop.arms.arm import Arm
from softdock.loop.arms.facility import Facility, Mount
from softdock.loop.arms.layout import AT
from softdock.loop.arms.mounted import loaded, mock_up_load
from softdock.loop.arms.sources import arm_of
from softdock.loop.arms.sweep import IN_WORST, REACH, STIFFNESS, WORST
from softdock.studies.placement.motion import Motion
from softdock.studies.placement.mounting import Place, Stage, make_mount, make_stage
from softdock.studies.placement.robot_path import RobotPath, Sweeper

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
        self.thin = Sweeper(robot, first, motion.thinned(THIN_ROWS))
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
        return TriedPlace(place, *self.dearest(mount, branch)[:2])

    def dearest(self, mount: Mount, branch: int) -> tuple[float, str, Sweeper]:
        """The largest cost over the motions, what it is, and on which; the first too dear ends."""
        worst, limit, which = -1.0, "", self.sweepers[0]
        for sweeper in self.sweepers:
            rows = sweeper.run(self.facility, mount, branch)
            found, what = self.cost(sweeper, rows)
            if found > worst:
                worst, limit, which = found, what, sweeper
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
        cost, limit, which = self.dearest(mount, branch)
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
