"""The facility's frames, the check of a run, distances of volumes, and the search for a place."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from arms_rows import poses_of, torques_of
from scipy.spatial import KDTree

from softdock.errors import BadInput
from softdock.loop.arms import load_arm
from softdock.loop.arms.facility import Facility, Frame, Load, Mount, facility_tables, read_facility
from softdock.loop.arms.layout import ARM, WORK
from softdock.loop.arms.volumes import BOX, CAPSULE, VOLUME, nearest_pairs
from softdock.studies.placement.check import check_run
from softdock.studies.placement.motion import make_motion
from softdock.studies.placement.search import search

ROWS = 201
BASE = Frame((-1.0, 0.4, -0.6), (math.cos(0.2), 0.0, 0.0, math.sin(0.2)))
TOOL = Frame((0.1, 0.02, 0.05), (math.cos(0.3), 0.0, math.sin(0.3), 0.0))
ORBIT = Frame((0.2, 0.1, 0.9), (math.cos(0.1), math.sin(0.1), 0.0, 0.0))
START = np.array([0.0, 0.2, -1.6, 1.7, 0.3, 0.9, -0.4])
SWING = np.array([0.0, 0.1, 0.05, -0.07, 0.2, 0.1, 0.3])
CENTRE = (0.03, -0.2, 0.11)
TABLE = {
    "chaser": {"arm": "kr16", "base_m": [0, 0, 0]},
    "target": {"arm": "ur10e", "base_m": [3, 0, 0], "joints_deg": [0, -90, 90, 0, 90, 0]},
    "obstacles": [{"shape": "box", "centre_m": [1, 0, -1], "half_m": [2, 1, 0.1], "name": "table"}],
}


def swung(name="kr16", base=BASE):
    """A motion whose joints are known, made by the forward kinematics through all the frames."""
    arm, time = load_arm(name), np.linspace(0.0, 2.0, ROWS)
    q = START + np.sin(2.0 * time)[:, None] * SWING
    mount = Mount(arm=name, base=base, mock_up=TOOL, centre_of_mass=CENTRE, joints=tuple(START[1:]))
    facility = Facility(orbit=ORBIT, chaser=mount)
    inward = ORBIT.back().then(base)
    rows = []
    for pose in poses_of(arm, q):
        flange = Frame(tuple(pose[:3]), tuple(pose[3:]))
        rows.append(inward.then(flange).then(mount.satellite).seven())
    chaser = np.array(rows)
    target = np.tile(np.array([2.0, 0, 0, 1, 0, 0, 0]), (ROWS, 1))
    return facility, make_motion(time, chaser, target), q, arm


@pytest.mark.parametrize("name", ["kr16", "ur10e"])
def test_joints_of_a_known_motion_come_back(name):
    """Through orbit, laboratory, base, flange, mock-up and centre of mass: joints to 1e-9, and the
    largest speed, acceleration and range are those of the joints that made the motion."""
    facility, motion, q, arm = swung(name)
    path = check_run(facility, motion).paths["chaser"]
    assert np.abs(path.joints - q).max() < 1e-9
    speed = np.abs(2.0 * SWING)[1:] / arm.of_axes("speed")[1:]
    assert path.uses["speed"].use == pytest.approx(speed.max(), rel=1e-3)
    assert path.uses["speed"].joint == arm.axis_names[1 + int(speed.argmax())]
    acceleration = np.abs(4.0 * SWING)[1:] / arm.of_axes("acceleration")[1:]
    assert path.uses["acceleration"].use == pytest.approx(acceleration.max(), rel=1e-3)
    low, high = arm.of_axes("low"), arm.of_axes("high")
    use = np.abs(q - 0.5 * (low + high))[:, 1:] / (0.5 * (high - low))[1:]
    assert path.uses["range"].use == pytest.approx(use.max(), abs=1e-9)
    assert path.uses["range"].time == motion.time[int(use.max(axis=1).argmax())]


def test_torques_hold_weight_force_and_load():
    """Torques of the check are those of Newton-Euler with the load, in a tilted laboratory."""
    facility, motion, q, arm = swung()
    load = Load(10.0, (0.1, 0.0, 0.05), (0.2, 0.3, 0.3, 0.0, 0.0, 0.0))
    mount = replace(facility.chaser, load=load)
    force = np.tile(np.array([-50.0, 20.0, 5.0]), (ROWS, 1))
    motion = make_motion(motion.time, motion.poses["chaser"], motion.poses["target"], force)
    path = check_run(replace(facility, chaser=mount), motion).paths["chaser"]
    gravity = BASE.back().turned((0.0, 0.0, -9.81))
    frame = BASE.back().then(ORBIT)
    pushed = np.zeros((ROWS, 6))
    pushed[:, :3] = frame.turned(force[0])
    for n, pose in enumerate(poses_of(arm, q)):
        point = np.add(frame.p, frame.turned(motion.point[n]))
        pushed[n, 3:] = np.cross(point - pose[:3], pushed[n, :3])
    v, a = 2.0 * np.cos(2.0 * motion.time)[:, None], -4.0 * np.sin(2.0 * motion.time)[:, None]
    expected = torques_of(path.arm, q, v * SWING, a * SWING, gravity, pushed)
    assert np.abs(path.torques - expected)[2:-2].max() < 2e-3 * np.abs(expected).max()
    bare = check_run(facility, motion).paths["chaser"]
    assert np.abs(path.torques - bare.torques).max() > 10.0  # 10 kg at the end of the arm


def test_a_motion_out_of_reach_is_refused_with_what_would_help():
    """At the start and on the way: joint, instant, and by how much the base is too far."""
    facility, motion, _, _ = swung()
    away = replace(facility, chaser=replace(facility.chaser, base=Frame((-4.0, 0.4, -0.6))))
    check = check_run(away, motion)
    message = str(check.problems()[0])
    assert not check.fits
    assert "unreachable at the start, joint A3" in message
    assert "mm nearer" in message
    poses = motion.poses["chaser"].copy()
    poses[:, 0] += np.linspace(0.0, 3.0, ROWS)
    leaving = make_motion(motion.time, poses, motion.poses["target"])
    end = check_run(facility, leaving).paths["chaser"].ended
    assert 0.1 < end.time < 1.9
    assert f"at {end.time:.4g} s" in str(check_run(facility, leaving).problems()[0])


def test_limits_passed_are_named():
    """A motion ten times as fast breaks the speed limits, and the refusal says which joint."""
    facility, motion, _, _ = swung()
    fast = replace(motion, time=motion.time / 40.0)
    check = check_run(facility, fast)
    assert check.paths["chaser"].uses["speed"].use > 1.0
    assert any("joint speed" in str(p) and "joint A" in str(p) for p in check.problems())


def test_facility_tables_go_there_and_back():
    """What is written is what is read; angles in degrees outside, radians inside."""
    facility = read_facility(TABLE)
    assert facility.target.joints[1] == pytest.approx(-math.pi / 2)
    assert read_facility(facility_tables(facility)["facility"]) == facility
    there = BASE.then(TOOL)
    assert np.allclose(there.then(TOOL.back()).seven(), BASE.seven(), atol=1e-15)


def test_every_problem_of_a_facility_is_found_at_once():
    """Missing places, misspelt keys, bad volumes: one refusal names them all."""
    bad = {
        "chaser": {"arm": 3, "base_m": [0, 0], "mok_up_m": [0, 0, 0]},
        "obstacles": [{"shape": "box", "centre_m": [0, 0, 0], "half_m": [1, 1, 0]}],
        "gravity": 9.81,
    }
    with pytest.raises(BadInput) as error:
        read_facility(bad)
    message = str(error.value)
    for part in ("chaser.arm", "chaser.base_m", "did you mean 'mock_up_m'", "half_m", "gravity"):
        assert part in message
    with pytest.raises(BadInput, match="a robot"):
        read_facility({})


def test_two_robots_in_the_same_place_are_refused():
    """In the table, and again by the check of a facility made in Python."""
    table = TABLE | {"target": {"arm": "kr16", "base_m": [0.0, 0.01, 0.0]}}
    with pytest.raises(BadInput, match="from the chaser's base"):
        read_facility(table)
    facility, motion, _, _ = swung()
    with pytest.raises(BadInput, match="from the chaser's base"):
        check_run(replace(facility, target=facility.chaser), motion)


def test_robots_that_hit_each_other_are_found():
    """Two arms that stand in each other's way: the parts, the instant and the overlap."""
    facility, motion, _, _ = swung()
    beside = Frame(tuple(np.add(BASE.p, (0.3, 0.0, 0.0))), BASE.q)
    both = replace(facility, target=replace(facility.chaser, base=beside))
    poses = motion.poses | {"target": motion.poses["chaser"] + np.array([0.3, 0, 0, 0, 0, 0, 0])}
    check = check_run(both, replace(motion, poses=poses))
    assert check.nearest[0].distance < 0.0
    assert any("overlap by" in str(problem) for problem in check.problems())


def placed(shape, *numbers):
    row = np.zeros(VOLUME.size)
    row[VOLUME.at.owner], row[VOLUME.at.shape] = 2, shape
    row[VOLUME.at.first : VOLUME.at.first + len(numbers)] = numbers
    return row


def distance(one, other):
    volumes, least = np.array([one, other]), np.zeros((1, 2))
    arms = np.zeros((2, ARM.size))
    bases = np.tile(np.array([0.0, 0, 0, 1, 0, 0, 0]), (2, 1))
    pairs, joints = np.array([[0, 1]]), np.zeros((2, 1, 7))
    nearest_pairs(arms, bases, joints, volumes, pairs, np.zeros(WORK.size), 0 * volumes, least)
    return least[0, 0]


def points_of(row, rng, count=40):
    """Points all over a volume without its radius."""
    at = VOLUME.at
    first, second = row[at.first : at.first + 3], row[at.second : at.second + 4]
    if row[at.shape] == CAPSULE:
        return first + np.linspace(0.0, 1.0, count**2)[:, None] * (second[:3] - first)
    half = row[at.half : at.half + 3]
    unit = np.stack(np.meshgrid(*[np.linspace(-1, 1, 14)] * 3), -1).reshape(-1, 3) * half
    return np.array([np.add(first, Frame(q=tuple(second)).turned(p)) for p in unit])


def nearest(one, other):
    """The least distance between two clouds of points."""
    return KDTree(one).query(other)[0].min()


@pytest.mark.parametrize("seed", range(6))
def test_distances_are_those_of_the_points(seed):
    """Capsules and boxes against the nearest of many points; two boxes: a bound from below."""
    rng = np.random.default_rng(seed)
    capsules = [placed(CAPSULE, *rng.normal(size=6), 0.1) for _ in range(2)]
    boxes = []
    for shift in (0.0, 4.0):
        q = rng.normal(size=4)
        centre = rng.normal(size=3) + shift
        boxes.append(placed(BOX, *centre, *(q / np.linalg.norm(q)), *rng.uniform(0.2, 0.8, 3)))
    for one, other in ((capsules[0], capsules[1]), (capsules[0], boxes[1])):
        radius = 0.1 * (2 if other[VOLUME.at.shape] == CAPSULE else 1)
        least = nearest(points_of(one, rng), points_of(other, rng)) - radius
        assert distance(one, other) <= least + 1e-9
        assert distance(one, other) > least - 0.1
        assert distance(one, other) == pytest.approx(distance(other, one), abs=1e-8)
    least = nearest(points_of(boxes[0], rng), points_of(boxes[1], rng))
    assert 0.0 < distance(*boxes) <= least + 1e-9
    moved = boxes[1].copy()
    moved[VOLUME.at.first : VOLUME.at.first + 3] = boxes[0][VOLUME.at.first : VOLUME.at.first + 3]
    assert distance(boxes[0], moved) < 0.0


def straight(force=-100.0):
    """A chaser that comes along x by 0.4 m and pushes at the end."""
    time = np.linspace(0.0, 4.0, 81)
    chaser = np.tile(np.array([0.0, 0, 0, 1, 0, 0, 0]), (81, 1))
    chaser[:, 0] = -0.5 + 0.1 * time
    target = np.tile(np.array([0.8, 0, 0, 1, 0, 0, 0]), (81, 1))
    push = np.zeros((81, 3))
    push[-1, 0] = force
    return make_motion(time, chaser, target, push, tip=(0.3, 0.0, 0.0))


def test_a_search_finds_places_that_fit_and_says_what_limits_them():
    """Best first, the same every time, and the check of the best place agrees with the search."""
    motion = straight()
    found = search(Facility(), "chaser", "kr16", motion, candidates=60)
    again = search(Facility(), "chaser", "kr16", motion, candidates=60)
    costs = [best.cost for best in found.best]
    assert costs == sorted(costs)
    assert costs == [best.cost for best in again.best]
    assert costs[0] < 0.8
    best = found.best[0]
    check = check_run(Facility(chaser=best.mount), motion)
    assert check.fits
    path = check.paths["chaser"]
    bent = motion.peak_force / (path.stiffness * found.deflection)
    assert max(path.worst.use, bent) == pytest.approx(best.cost, rel=1e-9)
    assert min(t.cost for t in found.tried) <= costs[0]


def test_stiffness_is_part_of_the_cost():
    """With a deflection too small for any place, the tip's stiffness is what limits all of them."""
    found = search(Facility(), "chaser", "kr16", straight(), candidates=30, deflection=1e-6)
    assert found.best
    assert all(best.limit == "stiffness" and best.cost > 1.0 for best in found.best)
    stiff = [best.path.stiffness for best in found.best]
    assert stiff == sorted(stiff, reverse=True)


def test_a_place_serves_the_whole_spread():
    """With a spread that reaches farther to the side, the best place costs no less than for the
    nominal motion, and every motion of the spread fits there."""
    motion = straight()
    spread = []
    for side in (-0.3, 0.3):
        poses = motion.poses["chaser"].copy()
        poses[:, 1] += np.linspace(0.0, side, len(poses))
        spread.append(make_motion(motion.time, poses, motion.poses["target"], motion.force))
    alone = search(Facility(), "chaser", "kr16", motion, candidates=60)
    found = search(Facility(), "chaser", "kr16", motion, candidates=60, spread=spread)
    assert alone.best[0].cost <= found.best[0].cost <= 1.0
    for each in (motion, *spread):
        assert check_run(Facility(chaser=found.best[0].mount), each).fits


def test_the_targets_tip_stays_on_the_target():
    """A chaser that has left does not take the place of the target's stiffness with it."""
    motion = straight()
    poses, push = motion.poses["chaser"].copy(), np.zeros((81, 3))
    poses[40:, 0] -= 0.2 * np.arange(41)
    push[40, 0] = -100.0
    left = make_motion(motion.time, poses, motion.poses["target"], push, (0.3, 0.0, 0.0))
    assert np.ptp(left.point[:, 0]) > 5.0
    assert np.ptp(left.locate_tip("target"), axis=0).max() == 0.0
    assert np.array_equal(left.locate_tip("target")[40], left.point[40])
    assert left.locate_tip("chaser") is left.point


def test_no_place_is_said():
    """A motion longer than the arm has no place, and the search says so with an empty list."""
    motion = straight()
    poses = motion.poses["chaser"].copy()
    poses[:, 0] *= 20.0
    far = make_motion(motion.time, poses, motion.poses["target"], motion.force)
    found = search(Facility(), "chaser", "ur10e", far, candidates=20)
    assert found.best == []
    assert found.share_fitting == 0.0
