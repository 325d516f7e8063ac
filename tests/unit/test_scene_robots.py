"""Robots in a scene: links where the kinematics have them, the flange where it holds the mock-up,
limits said, and what cannot be drawn said as well."""

from __future__ import annotations

import copy
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from drifting_scenes import drifting

import softdock
from softdock.loop.arms.entry_points import flange_rows
from softdock.loop.arms.sources import load_arm
from softdock.loop.record import Channel
from softdock.loop.spatial.arrays import product, rotate
from softdock.results.run import Series
from softdock.results.scene import Scene, build_reference_scene, build_scene
from softdock.results.scene.cameras import compute_world_vertices, place_camera, project
from softdock.results.scene.pack import pack_scenes, synchronise
from softdock.results.scene.raster import draw_picture
from softdock.results.scene.robots import (
    find_robots,
    list_arm_volumes,
    make_link_meshes,
    make_link_tracks,
)


def tables() -> dict[str, Any]:
    return copy.deepcopy(softdock.load_scenario("epos_3d").tables)


@cache
def run() -> Any:
    """Two satellites that drift for 1.6 s, on the robots of EPOS 3-D."""
    return drifting(tables())


@cache
def scene() -> Scene:
    return build_scene(run())


def test_flange_holds_the_mock_up_where_its_pose_says() -> None:
    """Forward kinematics of the joints drawn gives back every pose of both mock-ups, through base,
    flange and mount: to a micrometre and a microradian."""
    robots, refused = find_robots(run().scenario.tables, run().series, np.arange(400))
    assert refused == []
    assert [robot.body for robot in robots] == ["chaser", "target"]
    for robot in robots:
        poses = np.zeros((400, 7))
        flange_rows(robot.arm.vector, robot.joints, poses)
        base_p, base_q = np.array(robot.base.p), np.array(robot.base.q)
        flange_p, flange_q = base_p + rotate(base_q, poses[:, :3]), product(base_q, poses[:, 3:])
        held = robot.flange.back()  # the satellite in the flange
        place = flange_p + rotate(flange_q, np.array(held.p))
        turn = product(flange_q, np.broadcast_to(held.q, flange_q.shape))
        wanted = run().series[f"mock_up.{robot.body}.position"]
        assert np.abs(place - wanted).max() < 1e-6
        attitude = run().series[f"mock_up.{robot.body}.attitude"]
        assert np.abs(np.abs(np.sum(turn * attitude, axis=1)) - 1.0).max() < 1e-12


def test_links_hang_together_and_the_last_ends_in_the_flange() -> None:
    """The end of each link is the beginning of the next at every frame, whatever the joints do."""
    robot = find_robots(run().scenario.tables, run().series, np.arange(400))[0][0]
    volumes = list_arm_volumes(robot.arm)
    ways = make_link_tracks(robot, robot.joints + np.linspace(0.0, 0.4, 400)[:, None])

    def place(slot: int, point: Any) -> np.ndarray:
        track = ways[f"robot.chaser.{slot}"]
        return track.position + rotate(track.attitude, np.array(point))

    for one, after in pairwise(volumes):
        assert np.allclose(place(one.slot, one.end), place(after.slot, after.start), atol=1e-9)
    parts = {part.track for part in scene().parts if part.layer == "robots"}
    bodies, slots = ("chaser", "target"), (0, 1, 2, 3, 6)
    assert {f"robot.{body}.{slot}" for body in bodies for slot in slots} == parts


def test_a_robots_link_is_drawn_where_its_corners_are() -> None:
    """Pixels of the forearm span what the projection of its corners says, within two pixels."""
    whole = scene()
    part = next(part for part in whole.parts if part.mesh == "robot.chaser.3.link")
    seen = {k: replace(v, floor=False, layers=("robots",)) for k, v in whole.views.items()}
    alone = replace(whole, parts=(part,), arrows=(), trails=(), views=seen)
    size, frame, view = (480, 320), 20, "rig"
    image = draw_picture(alone, frame, size, view, text=False).astype(int)
    drawn = np.abs(image - image[0, 0]).sum(axis=2) > 40
    flat, _ = project(
        place_camera(alone, alone.views[view], frame, size),
        compute_world_vertices(alone, part, frame),
    )
    rows, columns = np.flatnonzero(drawn.any(axis=1)), np.flatnonzero(drawn.any(axis=0))
    found = np.array([columns[0], rows[0], columns[-1] + 1, rows[-1] + 1])
    assert np.abs(found - np.concatenate([flat.min(axis=0), flat.max(axis=0)])).max() < 2.0


def test_limits_are_said_and_shown() -> None:
    """A sentence says what of its range, speed and reach a robot used; a ball of its reach can be
    switched on, about its shoulder; joints are there beside their ranges."""
    found = scene()
    assert found.first_view == "contact"
    assert "limits" in found.layers
    assert "limits" not in found.views["rig"].layers
    for robot in found.robots:
        use = np.abs(robot.joints - 0.5 * (robot.low + robot.high)) / (
            0.5 * (robot.high - robot.low)
        )
        assert f"{100.0 * use.max():.2g} % of a joint's range" in robot.usage
        assert robot.usage in found.notes
        assert robot.joints.shape == (len(found.time), 6)


def test_a_robot_that_cannot_follow_says_when_and_why() -> None:
    """Out of reach at a later time: it stands from there on. Out of reach at once, or an arm that
    is not there: it is not drawn, and the scene is whole without it."""
    far = tables()
    far["chaser"]["velocity_m_per_s"] = [0.0, 0.0, 2.0]
    leaving = build_scene(drifting(far))
    (chaser, target) = leaving.robots
    assert "stands from" in chaser.usage
    assert "unreachable" in chaser.usage
    assert np.ptp(chaser.joints[-5:], axis=0).max() == 0.0
    assert "uses" in target.usage
    nowhere = tables()
    nowhere["facility"]["chaser"]["base_m"] = [-9.0, 0.0, 0.0]
    nowhere["facility"]["target"]["arm"] = "no_such_arm.toml"
    without = build_scene(drifting(tables()), facility=nowhere["facility"])
    assert without.robots == ()
    assert sum("is not drawn" in note for note in without.notes) == 2
    assert without.first_view == "contact"


def test_recorded_joints_are_drawn_as_they_are() -> None:
    """A run or a recording that has joint series is shown with them, not with an inverse."""
    plain = run()
    given = np.tile([0.0, 0.1, -1.2, 1.3, 0.2, 0.4, 0.3], (400, 1))
    names = [Channel(f"joints.chaser.{i}", "rad", "-", "joint") for i in range(7)]
    series = Series(np.hstack([plain.series.rows, given]), [*plain.series.channels, *names])
    robots, _ = find_robots(plain.scenario.tables, series, np.arange(400))
    assert np.array_equal(robots[0].joints, given)
    assert "recorded" in robots[0].usage
    assert "uses" in robots[1].usage


@pytest.mark.parametrize("name", ["kr16", "kr120", "ur10e"])
def test_every_preset_has_a_look(name: str) -> None:
    """Each arm is drawn from its foot to its flange, with and without volumes of its own."""
    arm = load_arm(name)
    for one in (arm, replace(arm, capsules=())):
        made = make_link_meshes(one)
        assert min(made) == 0
        assert len(made) >= 5
        for meshes in made.values():
            for mesh in meshes.values():
                assert np.isfinite(mesh.vertices).all()


def test_orbit_beside_a_rig_takes_its_cameras_and_has_no_floor() -> None:
    """Side by side, the panel with robots needs most room: its cameras and its first view hold for
    both; orbit has no ground, and what is packed says so."""
    both = synchronise([build_reference_scene(run()), scene()])
    assert both[0].views is scene().views
    assert {one.first_view for one in both} == {"contact"}
    assert [panel["grounded"] for panel in pack_scenes(both)["panels"]] == [False, True]
