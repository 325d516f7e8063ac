"""An arm at t = 0: which of its branches it is on, and the joint set-points that led there.

Where the scenario names joints, the arm starts on their branch, as near to them as it comes. Else
it takes the branch that keeps the largest margin at the first set-point: the least of the joints'
distances from the ends of their ranges (of half a range) and of the three clearances over ten times
0.1. Where no branch reaches the pose the status says which joint, and by how much.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from softdock.compile.jit import compiled, noinline
from softdock.loop.arms.follow import (
    BRANCHES,
    REACHED,
    UNREACHABLE,
    begin,
    branch_of,
)
from softdock.loop.arms.forward import first_axis
from softdock.loop.arms.layout import AXES, on_base
from softdock.loop.arms.links import bend_links, settle_links
from softdock.loop.arms.motors import delay_joints
from softdock.loop.arms.rail import begin_rail, follow_with_base_axis
from softdock.loop.arms.robot_layout import arm_state, has_elastic_joints, is_arm, placed_arm
from softdock.loop.arms.set_points import follow_branch, store_joints
from softdock.loop.arms.tip import compute_mock_up, find_flange
from softdock.loop.robots.history import read_stamped
from softdock.loop.robots.keys import ROBOT
from softdock.loop.robots.prepare import prepare_robot

if TYPE_CHECKING:
    from softdock.loop.robots.prepare import Carrier
    from softdock.loop.spatial.motion import Motion, Pose

WORSE = 1e3  # of the margin of a branch that is out of range, singular or out of reach, each


@compiled
def _margin(arm, found):
    """How well a branch stands at the start: 1 at best, below 0 it cannot be taken."""
    if found.status == UNREACHABLE:
        return -3.0 * WORSE - abs(found.missing)
    least = min(found.clearance[0], min(found.clearance[1], found.clearance[2]))
    for i in range(1, AXES):
        middle = 0.5 * (arm.low[i] + arm.high[i])
        half = 0.5 * (arm.high[i] - arm.low[i])
        least = min(least, 1.0 - abs(found.q[i] - middle) / half)
    return least if found.status == REACHED else least - WORSE


@noinline
def _best_branch(arm, pose: Pose, base):
    """The branch with the largest margin, and its joints."""
    best, most, q = 0, -10.0 * WORSE, (base, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for branch in range(BRANCHES):
        found = begin(arm, pose, base, branch)
        margin = _margin(arm, found)
        if margin > most:
            best, most, q = branch, margin, found.q
    return best, q


@noinline
def _choose_branch(placed, s, set_point: Motion):
    """Branch and first joints of an arm into its state."""
    pose = find_flange(placed, set_point)
    begin_rail(placed, s, set_point)
    base, _ = follow_with_base_axis(placed, s, set_point, placed.slot_0, True)
    if placed.near:
        branch = branch_of(placed.arm, placed.start)
        q = follow_branch(placed.arm, pose, on_base(base, placed.start), branch).q
    else:
        branch, q = _best_branch(placed.arm, pose, base)
    s.branch = branch
    for i in range(AXES):
        s.commanded[i] = q[i]


@noinline
def start_robot(vector, carrier: Carrier, step, mem, motion: Motion):
    """The mock-up of a robot at t = 0; of an arm by its joints, which have followed the set-points
    so far. Any other robot's is `motion`. `step`: of the plant [s]."""
    base = carrier.follower.at
    if not is_arm(vector, base):
        return motion
    placed, s = placed_arm(vector, base), arm_state(mem, carrier.state)
    s.on = True
    s.first = first_axis(placed.arm)
    s.elastic = has_elastic_joints(vector, base)
    newest = read_stamped(mem, carrier.history, carrier.slots, 0)
    _choose_branch(placed, s, newest)
    for j in range(carrier.slots):  # back in time, so that the newest is stored once more at last
        store_joints(
            placed, carrier, mem, -j, read_stamped(mem, carrier.history, carrier.slots, -j)
        )
    store_joints(placed, carrier, mem, 0, newest)
    robot = prepare_robot(vector, base, carrier.follower.which)
    delay_joints(robot, carrier, mem, 0.0, s.q, s.rate)
    for i in range(AXES):
        s.link[i] = s.q[i]
        s.link_rate[i] = s.rate[i]
    if s.elastic:
        bend_links(placed, s)
        settle_links(placed, s, ROBOT(vector, base).joint_zeta, step)
        s.kinetic_start = s.kinetic
    return compute_mock_up(placed, s.work, s.link, s.link_rate)
