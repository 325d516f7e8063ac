"""What Python calls: the kinematics and dynamics of an arm on rows of configurations or poses.

Rows of joints are (n, 7): slot 0, then joints 1 to 6. Rows of poses are (n, 7): x, y, z, w, x, y, z
of the flange in the base frame. Results go into arrays that the caller brings.
"""

from __future__ import annotations

from softdock.compile.jit import entry_point
from softdock.loop.arms.dynamics import mass_matrix, torques
from softdock.loop.arms.follow import BRANCHES, branch_of, follow, nearest_branch
from softdock.loop.arms.forward import flange_pose, jacobian, link_frames
from softdock.loop.arms.inverse import solve
from softdock.loop.arms.layout import ARM, AXIS_VALUES, WORK
from softdock.loop.arms.stiffness import stiffness_along
from softdock.loop.spatial.motion import POSE, WRENCH
from softdock.loop.spatial.vectors import VECTOR


@entry_point
def flange_rows(arm, q, poses):
    """Poses of the flange."""
    for i in range(len(q)):
        POSE(poses, i).whole = flange_pose(ARM(arm), AXIS_VALUES(q, i).values)


@entry_point
def link_rows(arm, q, work):
    """Frames of all links: a row of `layout.WORK` each."""
    for i in range(len(q)):
        link_frames(ARM(arm), AXIS_VALUES(q, i).values, WORK(work, i))


@entry_point
def jacobian_rows(arm, q, work, into):
    """Jacobians of the flange's origin, (n, 42): row-major 6 x 7, base axes."""
    for i in range(len(q)):
        flange = link_frames(ARM(arm), AXIS_VALUES(q, i).values, WORK(work))
        jacobian(ARM(arm), WORK(work), flange.p, into[i])


@entry_point
def torque_rows(arm, q, speed, acceleration, gravity, pushed, work, into):
    """Torques; `pushed`: (n, 6) force and moment of the outside on the flange, base axes."""
    g = VECTOR(gravity).value
    for i in range(len(q)):
        outside = WRENCH(pushed, i)
        torques(
            ARM(arm),
            q=AXIS_VALUES(q, i).values,
            speed=AXIS_VALUES(speed, i).values,
            acceleration=AXIS_VALUES(acceleration, i).values,
            gravity=g,
            pushed=outside.force,
            twisted=outside.torque,
            work=WORK(work),
            into=into[i],
        )


@entry_point
def mass_rows(arm, q, work, into):
    """Mass matrices, (n, 49)."""
    for i in range(len(q)):
        link_frames(ARM(arm), AXIS_VALUES(q, i).values, WORK(work))
        mass_matrix(ARM(arm), WORK(work), into[i])


@entry_point
def stiffness_rows(arm, q, points, directions, work, into):
    """Stiffness [N/m] at points of the base frame along unit vectors."""
    for i in range(len(q)):
        link_frames(ARM(arm), AXIS_VALUES(q, i).values, WORK(work))
        point, direction = VECTOR(points, i).value, VECTOR(directions, i).value
        into[i] = stiffness_along(ARM(arm), WORK(work), point, direction)


@entry_point
def inverse_rows(arm, poses, base, joints, refused):
    """All eight branches: joints (n, 8, 7), refused (n, 8) the joint out of reach, 0 if none is.

    `base` (n): coordinate of the base axis.
    """
    for i in range(len(poses)):
        pose = POSE(poses, i).whole
        for branch in range(BRANCHES):
            found = solve(ARM(arm), pose, (base[i], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), branch)
            AXIS_VALUES(joints[i], branch).values = found.q
            refused[i, branch] = found.joint


@entry_point
def branch_rows(arm, q, into):
    """The branch of each configuration."""
    for i in range(len(q)):
        into[i] = branch_of(ARM(arm), AXIS_VALUES(q, i).values)


@entry_point
def follow_rows(arm, poses, start, branch, joints, status, clearance):
    """One branch followed through a path of poses, from the joints before its first pose.

    `branch` -1: the one nearest to the start. Returns the branch, -1 where none is in reach.
    """
    before = AXIS_VALUES(start).values
    if branch < 0:
        branch = nearest_branch(ARM(arm), POSE(poses, 0).whole, before)
    if branch < 0:
        return -1
    for i in range(len(poses)):
        found = follow(ARM(arm), POSE(poses, i).whole, before, branch)
        before = found.q
        AXIS_VALUES(joints, i).values = found.q
        status[i] = found.status
        VECTOR(clearance, i).value = found.clearance
    return branch
