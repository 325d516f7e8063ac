"""The motion that the robots must carry out, as rows over time in the orbit frame.

From the reference's own flight (what the docking asks of a rig that is honest), or from a run of
the loop (its set-points, with what the rig's own errors add). The force is that on the chaser, and
the point where it acts the first contact's tip; the target bears the opposite force there.

`nominal`: the same as `laboratory.mapping = "nominal"` lays it into the laboratory, relative to the
target's free motion (loop/nominal.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.loop.spatial.arrays import (
    inverse,
    product,
    rotate,
    rotation_vector,
    unit_matrix,
)
from softdock.scenario.free_motion import compute_free_motion, move_to_nominal, turn_back

ORBIT, RUN, NOMINAL = "orbit", "run", "nominal"
SOURCES = (ORBIT, RUN, NOMINAL)
LEAST_ROWS = 3  # speeds and accelerations are differences


@dataclass(frozen=True)
class Motion:
    """Rows over time. Poses are position and quaternion (w, x, y, z) of each satellite's centre."""

    time: np.ndarray  # s
    poses: dict[str, np.ndarray]  # chaser, target: (rows, 7)
    force: np.ndarray  # (rows, 3) N, on the chaser
    point: np.ndarray  # (rows, 3) m, where it acts
    approach: np.ndarray  # unit vector along which the chaser comes
    source: str = "given"

    @property
    def peak_force(self) -> float:
        return float(np.linalg.norm(self.force, axis=1).max())

    @property
    def contact_row(self) -> int:
        """Row of the largest force; without contact that of the closest approach."""
        size = np.linalg.norm(self.force, axis=1)
        if size.any():
            return int(size.argmax())
        return int(np.linalg.norm(self.point - self.poses["target"][:, :3], axis=1).argmin())

    def locate_tip(self, robot: str) -> np.ndarray:
        """Where a satellite is touched: where the force acts; while there is none, the place on the
        satellite that the largest force meets."""
        if robot == "chaser":
            return self.point  # its own tip
        poses, row = self.poses[robot], self.contact_row
        place = unit_matrix(poses[row, 3:]).T @ (self.point[row] - poses[row, :3])
        own = poses[:, :3] + rotate(poses[:, 3:], np.asarray(place, float))
        pushed = np.linalg.norm(self.force, axis=1) > 0.0
        return np.ascontiguousarray(np.where(pushed[:, None], self.point, own))

    def measure_workspace(self, robot: str) -> tuple[float, float]:
        """How far apart the places of its tip are, along the diagonal of their box [m], and how far
        it turns from its first attitude [rad]."""
        tip, attitude = self.locate_tip(robot), self.poses[robot][:, 3:]
        turned = rotation_vector(product(inverse(attitude), attitude[0]))
        largest = float(np.linalg.norm(turned, axis=1).max())
        return float(np.linalg.norm(np.ptp(tip, axis=0))), largest

    def thin(self, most: int) -> Motion:
        """At most about so many rows: evenly in time, ends and peak force among them."""
        if len(self.time) <= most:
            return self
        even = np.linspace(0, len(self.time) - 1, most).astype(int)
        keep = np.unique(np.append(even, self.contact_row))
        return Motion(
            time=self.time[keep],
            poses={name: np.ascontiguousarray(rows[keep]) for name, rows in self.poses.items()},
            force=np.ascontiguousarray(self.force[keep]),
            point=np.ascontiguousarray(self.point[keep]),
            approach=self.approach,
            source=self.source,
        )


def make_motion(
    time: np.ndarray,
    chaser: np.ndarray,
    target: np.ndarray,
    force: np.ndarray | None = None,
    tip: Any = (0.0, 0.0, 0.0),
    source: str = "given",
) -> Motion:
    """A motion from arrays. `tip`: where the force acts on the chaser, in its body's axes [m]."""
    time = np.asarray(time, float)
    poses = {"chaser": _check_poses(chaser, "chaser"), "target": _check_poses(target, "target")}
    if len(time) < LEAST_ROWS or not (np.diff(time) > 0.0).all():
        raise BadInput(Problem("time", len(time), f"at least {LEAST_ROWS} instants, rising [s]"))
    for name, rows in poses.items():
        if len(rows) != len(time):
            raise BadInput(Problem(name, len(rows), f"{len(time)} poses, one an instant"))
    force = np.zeros((len(time), 3)) if force is None else np.ascontiguousarray(force, float)
    point = poses["chaser"][:, :3] + rotate(poses["chaser"][:, 3:], np.asarray(tip, float))
    return Motion(
        time=time,
        poses=poses,
        force=force,
        point=point,
        approach=_compute_approach(time, poses, force),
        source=source,
    )


def _check_poses(poses: np.ndarray, name: str) -> np.ndarray:
    rows = np.ascontiguousarray(poses, float)
    if rows.ndim != 2 or rows.shape[1] != 7 or not np.isfinite(rows).all():
        allowed = "rows of seven finite numbers: x, y, z, w, x, y, z"
        raise BadInput(Problem(name, f"an array of shape {rows.shape}", allowed))
    return rows


def _compute_approach(
    time: np.ndarray, poses: dict[str, np.ndarray], force: np.ndarray
) -> np.ndarray:
    """The chaser's way relative to the target at the start; else the line between them."""
    relative = poses["chaser"][:, :3] - poses["target"][:, :3]
    step = (relative[1] - relative[0]) / (time[1] - time[0])
    for candidate in (step, -relative[0], -force[np.linalg.norm(force, axis=1).argmax()]):
        size = float(np.linalg.norm(candidate))
        if size > 1e-6:
            return np.asarray(candidate / size)
    return np.array([1.0, 0.0, 0.0])


def load_motion(scenario: Any, source: str = ORBIT) -> Motion:
    """The motion of a scenario: the reference's own, the set-points of a run of the loop, or the
    reference's relative to the target's free motion."""
    if source == RUN:
        from softdock.results.simulation import simulate

        series: Any = simulate(scenario).series
        names = {"chaser": "command.chaser", "target": "command.target"}
    else:
        from softdock.reference import run_reference

        series = run_reference(scenario).series
        names = {"chaser": "chaser", "target": "target"}
    poses = {
        robot: np.hstack([series[f"{name}.position"], series[f"{name}.attitude"]])
        for robot, name in names.items()
    }
    time, force = np.array(series["time"]), np.array(series["true.chaser.force"])
    mapping = scenario.tables["laboratory"]["mapping"]
    if source == NOMINAL or (source == ORBIT and mapping == "nominal"):
        nominal = compute_free_motion(scenario.tables["target"], time)
        poses = {robot: move_to_nominal(rows, nominal) for robot, rows in poses.items()}
        force = rotate(turn_back(nominal), force)
    elif source == ORBIT:
        _share_motion(scenario.tables, poses)
    contacts = scenario.tables.get("contact") or [{}]
    return make_motion(
        time=time,
        chaser=poses["chaser"],
        target=poses["target"],
        force=force,
        tip=contacts[0].get("tip_m", (0.0, 0.0, 0.0)),
        source=source,
    )


def list_campaign_motions(campaign: str, most: int, source: str = "orbit") -> list[Motion]:
    """Motions of some runs of a campaign, evenly over it."""
    from softdock.studies.campaign.plan import load_plan

    plan = load_plan(campaign)
    chosen = np.unique(np.linspace(0, plan.runs - 1, min(most, plan.runs)).astype(int))
    return [load_motion(plan.scenario_of(int(run)), source) for run in chosen]


def _share_motion(tables: Any, poses: dict[str, np.ndarray]) -> None:
    """As stage 2 of the loop does it: a point between both satellites rests in the laboratory."""
    laboratory = tables.get("laboratory", {})
    if laboratory.get("mapping") != "shared":
        return
    share = float(laboratory["chaser_share"])
    shift = (1.0 - share) * poses["chaser"][:, :3] + share * poses["target"][:, :3]
    for rows in poses.values():
        rows[:, :3] -= shift


def compute_facing_axis(motion: Motion, robot: str) -> np.ndarray:
    """The direction in a satellite's own axes, at the start, in which it faces the other one."""
    toward = motion.approach if robot == "chaser" else -motion.approach
    return np.asarray(unit_matrix(motion.poses[robot][0, 3:]).T @ toward)
