"""An arm at t = 0: which of its branches it is on, and the joint set-points that led there.

Where the scenario names joints, the arm starts on their branch, as near to them as it comes. Else
it takes the branch that keeps the largest margin at the first set-point: the least of the joints'
distances from the ends of their ranges (of half a range) and of the three clearances over ten times
0.1. Where no branch reaches the pose the status says which joint, and by how much.
"""

from __future__ import annotations

from softdock.compile.jit import compiled, noinline
from softdock.loop.arms.follow import (
    BRANCHES,
    REACHED,
    UNREACHABLE,
    begin,
    branch_of,
)
from softdock.loop.arms.forward import first_axis
from softdock.loop.arms.layout import AT, AXES, load7, on_base
from softdock.loop.arms.links import settle_links
from softdock.loop.arms.motors import delayed_joints
from softdock.loop.arms.rail import base_axis_of, begin_rail
from softdock.loop.arms.robot_layout import (
    PLACED_FLOATS,
    STATE_AT,
    P,
    S,
    arm_at,
    has_elastic_joints,
    is_arm,
)
from softdock.loop.arms.set_points import followed, store_joints
from softdock.loop.arms.tip import flange_wanted, mock_up_at
from softdock.loop.robots.history import stamped
from softdock.loop.robots.keys import ROBOT
from softdock.loop.robots.prepare import prepare_robot

JOINT_ZETA = ROBOT.at.joint_zeta
WORSE = 1e3  # of the margin of a branch that is out of range, singular or out of reach, each


@compiled
def _margin(arm, found):
    """How well a branch stands at the start: 1 at best, below 0 it cannot be taken."""
    if found.status == UNREACHABLE:
        return -3.0 * WORSE - abs(found.missing)
    least = min(found.clearance[0], min(found.clearance[1], found.clearance[2]))
    for i in range(1, AXES):
        middle = 0.5 * (arm[AT.low + i] + arm[AT.high + i])
        half = 0.5 * (arm[AT.high + i] - arm[AT.low + i])
        least = min(least, 1.0 - abs(found.q[i] - middle) / half)
    return least if found.status == REACHED else least - WORSE


@noinline
def _best_branch(arm, pose, base):
    """The branch with the largest margin, and its joints."""
    best, most, q = 0, -10.0 * WORSE, (base, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for branch in range(BRANCHES):
        found = begin(arm, pose, base, branch)
        margin = _margin(arm, found)
        if margin > most:
            best, most, q = branch, margin, found.q
    return best, q


@noinline
def _choose_branch(arm, mem, at, set_point):
    """Branch and first joints of an arm into its state."""
    pose, s = flange_wanted(arm, set_point), load7(arm, P.start)
    begin_rail(arm, mem, at, set_point)
    base, _ = base_axis_of(arm, mem, at, set_point, arm[P.slot_0], True)
    if arm[P.near] != 0.0:
        branch = branch_of(arm, s)
        q = followed(arm, pose, on_base(base, s), branch).q
    else:
        branch, q = _best_branch(arm, pose, base)
    mem[at + S.branch] = float(branch)
    for i in range(AXES):
        mem[at + S.commanded + i] = q[i]


@noinline
def stand(vector, carrier, step, mem, motion):
    """The mock-up of a robot at t = 0; of an arm by its joints, which have followed the set-points
    so far. Any other robot's is `motion`. `step`: of the plant [s]."""
    base, at = carrier.follower.at, carrier.state + STATE_AT
    if not is_arm(vector, base):
        return motion
    first = arm_at(vector, base)
    arm = vector[first : first + PLACED_FLOATS]
    mem[at + S.on] = 1.0
    mem[at + S.first] = float(first_axis(arm))
    mem[at + S.elastic] = 1.0 if has_elastic_joints(vector, base) else 0.0
    newest = stamped(mem, carrier.history, carrier.slots, 0)
    _choose_branch(arm, mem, at, newest)
    for j in range(carrier.slots):  # back in time, so that the newest is stored once more at last
        store_joints(arm, carrier, mem, -j, stamped(mem, carrier.history, carrier.slots, -j))
    store_joints(arm, carrier, mem, 0, newest)
    robot = prepare_robot(vector, base, carrier.follower.which)
    delayed_joints(robot, carrier, mem, 0.0, at + S.q, at + S.rate)
    for i in range(AXES):
        mem[at + S.link + i] = mem[at + S.q + i]
        mem[at + S.link_rate + i] = mem[at + S.rate + i]
    if mem[at + S.elastic] != 0.0:
        settle_links(arm, mem, carrier.state, vector[base + JOINT_ZETA], step)
        mem[at + S.kinetic_start] = mem[at + S.kinetic]
    return mock_up_at(arm, mem, carrier.state, at + S.q, at + S.rate)
