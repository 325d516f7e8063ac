"""A scene that is moved row by row, beside a running rig.

Bodies, shapes, robots and cameras are made once, from the planned motion (the reference's); then
each new row moves every body to its measured pose. In: the planned run and rows of series as a
recording has them. Out: scenes of one frame. No row is kept, except for the contact's trail.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from softdock.loop.arms.entry_points import branch_rows, follow_rows
from softdock.loop.arms.layout import AXES
from softdock.loop.spatial.arrays import inverse, product, rotate
from softdock.results.scene import motions
from softdock.results.scene.build import RunLike, build_scene, read_tracks
from softdock.results.scene.model import RobotJoints, Scene, Track, Trail
from softdock.results.scene.motions import interpolate_track, place_at, relative_to
from softdock.results.scene.robots import (
    Robot,
    find_robots,
    make_link_tracks,
    read_joints,
    summarise_joints,
)

MOST_POINTS = 4000  # of the trail


class _FollowingArm:
    """A robot whose joints follow its mock-up from row to row."""

    def __init__(self, robot: Robot) -> None:
        self.robot, self.joints = robot, robot.joints[:1].copy()
        into = np.zeros(1, np.int64)
        branch_rows(robot.arm.vector, self.joints, into)
        self.branch = int(into[0])

    def follow(self, mock_up: Track, series: Any) -> dict[str, Track]:
        """Tracks of the links; out of reach the robot stays where it is."""
        given = read_joints(self.robot.body, float(self.joints[0, 0]), series)
        if given is not None:
            self.joints = given[-1:]
            return make_link_tracks(self.robot, self.joints)
        base, flange = self.robot.base, self.robot.flange
        q = mock_up.attitude[-1]
        place = mock_up.position[-1] + rotate(q, np.array(flange.p)) - np.array(base.p)
        back = inverse(np.array(base.q))
        turn = product(back, product(q, np.array(flange.q)))
        pose = np.concatenate([rotate(back, place), turn])[None]
        joints, status = np.zeros((1, AXES)), np.zeros(1, np.int64)
        arm = self.robot.arm.vector
        follow_rows(arm, pose, self.joints[0], self.branch, joints, status, np.zeros((1, 3)))
        if np.isfinite(joints).all() and status[0] != 1:  # 1: unreachable
            self.joints = joints
        return make_link_tracks(self.robot, self.joints)


class MovingScene:
    """One scene, moved."""

    def __init__(
        self, plan: RunLike, facility: Mapping[str, Any] | None = None, touch_N: float = 0.0
    ) -> None:
        tables = dict(plan.scenario.tables)
        if facility:
            tables["facility"] = facility
        self.tables, self.reference, self.touch_N = tables, plan.reference, touch_N
        self.scene = build_scene(plan, facility=tables.get("facility"), exaggerate=False)
        robots, _ = find_robots(tables, plan.series, np.arange(len(plan.series["time"])))
        self.arms = [_FollowingArm(robot) for robot in robots]
        self.top = motions.largest_norm(np.asarray(plan.reference.series["true.chaser.force"]))
        self.points: list[np.ndarray] = []

    def at(self, series: Any) -> Scene:
        """The scene at the newest row of some series."""
        rows = np.array([len(series["time"]) - 1])
        time = np.asarray(series["time"], float)[rows]
        tracks = read_tracks(self.tables, series, rows)
        target, chaser = tracks["mock_up.target"], tracks["mock_up.chaser"]
        there = {
            key: interpolate_track(self.reference.series, key, time) for key in ("chaser", "target")
        }
        tracks["orbit.chaser"] = place_at(relative_to(there["chaser"], there["target"]), target)
        for arm in self.arms:
            tracks |= arm.follow(tracks[f"mock_up.{arm.robot.body}"], series)
        still = {key: _take_first_frame(track) for key, track in self.scene.tracks.items()}
        force = np.nan_to_num(np.asarray(series["true.chaser.force"], float)[rows])
        points = motions.locate_touches(chaser, force, self.tables["contact"], np.array([0]))
        self.top = max(self.top, motions.largest_norm(force))
        longest = motions.LONGEST * self.scene.scale
        arrow = motions.make_arrow("contact force", "force", "c4", points, force, longest, self.top)
        return replace(
            self.scene,
            time=time,
            tracks={key: tracks.get(key, still[key]) for key in still},
            arrows=(arrow,) if self.top > 0.0 else (),
            trails=self._trail(points[0], force[0], target),
            contacts=(),
            readings=(),
            robots=self._joint_states(),
        )

    def _trail(self, point: np.ndarray, force: np.ndarray, target: Track) -> tuple[Trail, ...]:
        if float(np.linalg.norm(force)) > self.touch_N:
            back = inverse(target.attitude[-1])
            self.points.append(rotate(back, point - target.position[-1]))
            del self.points[:-MOST_POINTS]
        if not self.points:
            return ()
        return (
            Trail(
                name="contact trail",
                role="c6",
                layer="trail",
                track="mock_up.target",
                points=np.array(self.points),
                frames=np.arange(len(self.points)),
            ),
        )

    def _joint_states(self) -> tuple[RobotJoints, ...]:
        moved = [replace(arm.robot, joints=arm.joints, usage="") for arm in self.arms]
        return tuple(summarise_joints(robot) for robot in moved)


def _take_first_frame(track: Track) -> Track:
    return Track(track.position[:1], track.attitude[:1])
