"""What Python calls: the kinematics and dynamics of an arm on rows of configurations or poses.

Rows of joints are (n, 7): slot 0, then joints 1 to 6. Rows of poses are (n, 7): x, y, z, w, x, y, z
of the flange in the base frame. Results go into arrays that the caller brings.
"""

from __future__ import annotations

from softdock.compile.jit import compiled, entry_point
from softdock.loop.arms.dynamics import mass_matrix, torques
from softdock.loop.arms.follow import BRANCHES, branch_of, follow, nearest_branch
from softdock.loop.arms.forward import flange_pose, jacobian, link_frames
from softdock.loop.arms.inverse import solve
from softdock.loop.arms.layout import AXES, load7
from softdock.loop.arms.stiffness import stiffness_along
from softdock.loop.spatial.motion import load_pose, store_pose
from softdock.loop.spatial.vectors import load3, store3


@compiled
def store7(array, q):
    for k in range(AXES):
        array[k] = q[k]


@entry_point
def flange_rows(arm, q, poses):
    """Poses of the flange."""
    for i in range(len(q)):
        store_pose(poses[i], 0, flange_pose(arm, load7(q[i], 0)))


@entry_point
def link_rows(arm, q, work):
    """Frames of all links: a row of `layout.WORK` each."""
    for i in range(len(q)):
        link_frames(arm, load7(q[i], 0), work[i])


@entry_point
def jacobian_rows(arm, q, work, into):
    """Jacobians of the flange's origin, (n, 42): row-major 6 x 7, base axes."""
    for i in range(len(q)):
        jacobian(arm, work, link_frames(arm, load7(q[i], 0), work).p, into[i])


@entry_point
def torque_rows(arm, q, speed, acceleration, gravity, pushed, work, into):
    """Torques; `pushed`: (n, 6) force and moment of the outside on the flange, base axes."""
    g = load3(gravity, 0)
    for i in range(len(q)):
        force, moment = load3(pushed[i], 0), load3(pushed[i], 3)
        motion = load7(q[i], 0), load7(speed[i], 0), load7(acceleration[i], 0)
        torques(
            arm,
            q=motion[0],
            speed=motion[1],
            acceleration=motion[2],
            gravity=g,
            pushed=force,
            twisted=moment,
            work=work,
            into=into[i],
        )


@entry_point
def mass_rows(arm, q, work, into):
    """Mass matrices, (n, 49)."""
    for i in range(len(q)):
        link_frames(arm, load7(q[i], 0), work)
        mass_matrix(arm, work, into[i])


@entry_point
def stiffness_rows(arm, q, points, directions, work, into):
    """Stiffness [N/m] at points of the base frame along unit vectors."""
    for i in range(len(q)):
        link_frames(arm, load7(q[i], 0), work)
        into[i] = stiffness_along(arm, work, load3(points[i], 0), load3(directions[i], 0))


@entry_point
def inverse_rows(arm, poses, base, joints, refused):
    """All eight branches: joints (n, 8, 7), refused (n, 8) the joint out of reach, 0 if none is.

    `base` (n): coordinate of the base axis.
    """
    for i in range(len(poses)):
        pose = load_pose(poses[i], 0)
        for branch in range(BRANCHES):
            found = solve(arm, pose, (base[i], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), branch)
            store7(joints[i, branch], found.q)
            refused[i, branch] = found.joint


@entry_point
def branch_rows(arm, q, into):
    """The branch of each configuration."""
    for i in range(len(q)):
        into[i] = branch_of(arm, load7(q[i], 0))


@entry_point
def follow_rows(arm, poses, start, branch, joints, status, clearance):
    """One branch followed through a path of poses, from the joints before its first pose.

    `branch` -1: the one nearest to the start. Returns the branch, -1 where none is in reach.
    """
    before = load7(start, 0)
    if branch < 0:
        branch = nearest_branch(arm, load_pose(poses[0], 0), before)
    if branch < 0:
        return -1
    for i in range(len(poses)):
        found = follow(arm, load_pose(poses[i], 0), before, branch)
        before = found.q
        store7(joints[i], found.q)
        status[i] = found.status
        store3(clearance[i], 0, found.clearance)
    return branch
