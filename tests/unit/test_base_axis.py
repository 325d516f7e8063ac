"""A rail or a turntable under an arm as a seventh axis: where it is during a run, and what it needs
of its limits. Through the compiled sweep that every check uses."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from arm_cases import bump
from arms_rows import poses_of, preset_tables

from softdock.errors import BadInput
from softdock.loop.arms import load_arm
from softdock.loop.arms.base_axis import base_axis_rows
from softdock.loop.arms.facility import Facility, Frame, Mount, facility_tables, read_facility
from softdock.loop.arms.sources import arm_of
from softdock.results.simulation import run_loop
from softdock.scenario.build import build
from softdock.studies.placement.check import check_run
from softdock.studies.placement.motion import make_motion

RAIL = {
    "kind": "rail",
    "direction": [0.0, 1.0, 0.0],
    "range_m": [-2.0, 10.0],
    "speed_m_per_s": 0.5,
    "acceleration_m_per_s2": 1.0,
    "mass_kg": 300.0,
}
TURNTABLE = {
    "kind": "turntable",
    "direction": [0.0, 0.0, 1.0],
    "range_deg": [-170.0, 170.0],
    "speed_deg_per_s": 40.0,
}
START = np.array([0.0, 0.2, -1.6, 1.7, 0.3, 0.9, -0.4])
ROWS, T = 501, 0.02  # s
TIME = T * np.arange(ROWS)
TOOL = Frame((0.1, 0.02, 0.05), (math.cos(0.3), 0.0, math.sin(0.3), 0.0))


def going(way, mount):
    """A motion whose flange goes along the base's y axis, from the start of START."""
    arm = arm_of(mount)
    flange = poses_of(arm, START[None, :])[0]
    rows = []
    for y in way:
        place = Frame((flange[0], flange[1] + y, flange[2]), tuple(flange[3:]))
        rows.append(place.then(mount.satellite).seven())
    target = np.tile(np.array([30.0, 0, 0, 1, 0, 0, 0]), (len(way), 1))
    return make_motion(TIME[: len(way)], np.array(rows), target)


def standing(**more):
    keys = {"joints": tuple(START[1:]), "under": RAIL, "mock_up": TOOL} | more
    return Mount(arm="kr16", base=Frame(), **keys)


def paths(way, mount):
    return check_run(Facility(chaser=mount), going(way, mount)).paths["chaser"]


def test_a_rail_that_stands_still_cannot_reach_what_one_that_follows_can():
    """An approach of 5 m: held, it ends with the arm stretched out; followed, the arm stays as it
    was and the rail goes the way, at the speed of the approach."""
    way = 0.5 * TIME
    held, followed = paths(way, standing()), paths(way, standing(follows=1.0))
    assert held.ended is not None
    assert followed.ended is None
    assert followed.joints[:, 0] == pytest.approx(way, abs=1e-9)
    assert np.abs(followed.joints[:, 1:] - START[1:]).max() < 1e-9
    assert followed.uses["speed"].use == pytest.approx(1.0, rel=1e-6)
    assert followed.uses["speed"].joint == "rail"


def test_the_rail_takes_the_slow_part_and_the_joints_the_bounce():
    """A bounce after 5 s: the rail's speed changes with its lag, at no more acceleration than that
    asks for; rail and joints together are on the path."""
    way = 0.06 * np.minimum(TIME, 10.0 - TIME)
    mount = standing(follows=1.0, follow_lag=2.0)
    path = paths(way, mount)
    speed = np.diff(path.joints[:, 0]) / T
    assert speed[:249] == pytest.approx(np.full(249, 0.06), abs=1e-9)
    later = speed[250:] + 0.06
    assert later == pytest.approx(0.12 * np.exp(-T * np.arange(1, 251) / 2.0), abs=1e-6)
    assert np.abs(np.diff(speed)).max() / T == pytest.approx(0.12 / 2.0, rel=0.02)
    arm = arm_of(mount)
    found = poses_of(arm, path.joints)[:, 1] - poses_of(arm, START[None, :])[0, 1]
    assert found == pytest.approx(way, abs=1e-9)


def test_half_of_the_way_and_where_it_starts():
    """A share of 0.5 leaves the other half to the joints; a rail beyond its range is named."""
    path = paths(0.1 * TIME, standing(follows=0.5))
    assert path.joints[-1, 0] == pytest.approx(0.5, abs=1e-9)
    far = paths(0.4 * TIME, standing(follows=1.0, under=RAIL | {"range_m": [-2.0, 2.0]}))
    assert far.uses["range"].use > 1.0
    assert far.uses["range"].joint == "rail"


def test_a_turntable_turns_with_the_flange():
    """The flange on a circle about the turntable's axis: the table turns, the arm stays."""
    mount = standing(follows=1.0, under=TURNTABLE)
    arm, angle = arm_of(mount), 0.1 * TIME
    flange = poses_of(arm, START[None, :])[0]
    place, rows = Frame(tuple(flange[:3]), tuple(flange[3:])), []
    for a in angle:
        turn = Frame((0.0, 0.0, 0.0), (math.cos(a / 2), 0.0, 0.0, math.sin(a / 2)))
        rows.append(turn.then(place).then(mount.satellite).seven())
    target = np.tile(np.array([30.0, 0, 0, 1, 0, 0, 0]), (ROWS, 1))
    path = check_run(Facility(chaser=mount), make_motion(TIME, np.array(rows), target))
    joints = path.paths["chaser"].joints
    assert joints[:, 0] == pytest.approx(angle, abs=1e-9)
    assert np.abs(joints[:, 1:] - START[1:]).max() < 1e-9


def test_the_keys_are_read_and_written():
    """In a scenario's table, and back; what cannot be is refused by its key."""
    table = {"arm": "kr16", "base_m": [0, 0, 0], "base_axis": RAIL, "base_axis_follows": 0.8}
    facility = read_facility({"chaser": table | {"base_axis_lag_s": 3.0, "base_axis_m": 1.5}})
    mount = facility.chaser
    assert (mount.follows, mount.follow_lag, mount.base_axis) == (0.8, 3.0, 1.5)
    again = read_facility(facility_tables(facility)["facility"])
    assert replace(again.chaser, base=mount.base, mock_up=mount.mock_up) == mount
    assert arm_of(mount).base_axis == "rail"
    for key, value in (("base_axis_follows", 1.5), ("base_axis_lag_s", 0.0)):
        with pytest.raises(BadInput, match=key):
            read_facility({"chaser": table | {key: value}})
    with pytest.raises(BadInput, match="base_axis"):
        arm_of(replace(mount, under={"kind": "rail"}))
    with pytest.raises(BadInput, match="itself"):
        arm_of(replace(mount, arm=preset_tables("kr16") | {"base_axis": RAIL}))
    assert load_arm("kr16").base_axis == "none"


def on_rails(follows, kind="rail"):
    """Two arms of the loop, the chaser's on a rail along the approach, through a bounce."""
    tables = bump({"model": "arm", "delay_ms": 4.0}, seconds=0.3)
    under = RAIL | {"direction": [1.0, 0.0, 0.0]} if kind == "rail" else TURNTABLE
    mount = {"base_axis": under, "base_axis_follows": follows, "base_axis_lag_s": 0.05}
    tables["facility"]["chaser"] |= mount
    return tables


@pytest.mark.parametrize("kind", ["rail", "turntable"])
def test_an_arm_of_the_loop_rides_on_its_base_axis(kind):
    """Rail and turntable follow the set-points by the rule that the check has, and the mock-up is
    where the arm on an axis that stands puts it; on a rail along the approach the joints stand
    still before the contact."""
    riding, still = run_loop(build(on_rails(1.0, kind))), run_loop(build(on_rails(0.0, kind)))
    assert riding.status == still.status == "completed"
    for name in ("mock_up.chaser.position", "chaser.velocity"):
        assert riding.series[name] == pytest.approx(still.series[name], abs=1e-9)
    facility = read_facility(on_rails(1.0, kind)["facility"])
    mount, s = facility.chaser, riding.series
    poses = np.hstack([s["command.chaser.position"], s["command.chaser.attitude"]])
    orbit = mount.base.back().then(facility.orbit).seven()
    wanted = base_axis_rows(arm_of(mount), mount, np.asarray(s["time"]), poses, orbit)
    rail, late = np.asarray(s[f"joints.chaser.position.{kind}"]), 1
    first = int(riding.contacts[0]["start_s"] / 0.004)
    assert rail[late:] == pytest.approx(wanted[:-late] - wanted[0] + rail[late], abs=1e-6)
    assert np.ptp(rail) > 1e-4
    if kind == "turntable":  # the approach is no circle about it: the joints do the rest
        return
    joints = np.stack([s[f"joints.chaser.position.A{i}"] for i in range(1, 7)], axis=1)
    assert np.abs(np.diff(joints[:first], axis=0)).max() < 1e-9
    assert np.abs(np.diff(joints[first:], axis=0)).max() > 1e-6


def test_what_cannot_follow_in_the_loop_is_refused():
    """An arm without any base axis, by the key that asks for it."""
    tables = on_rails(1.0)
    del tables["facility"]["chaser"]["base_axis"]
    with pytest.raises(BadInput, match="base_axis_follows"):
        build(tables)
