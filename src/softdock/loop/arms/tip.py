"""The mock-up from the joints: pose by forward kinematics, twist by the Jacobian's columns.

In: an arm, seven joint coordinates and rates in `mem`. Out: `Motion` of the satellite's centre of
mass in the orbit frame, as every robot model gives it. The frames of the links stay in the arm's
room of `mem`, for whoever needs a Jacobian at the same joints (Lange eqs. 8, 11).
"""

from __future__ import annotations

from softdock.compile.jit import compiled, noinline
from softdock.loop.arms.forward import first_axis, jacobian_column, link_frames
from softdock.loop.arms.layout import AXES
from softdock.loop.arms.robot_layout import WORK_FLOATS, P, work_at
from softdock.loop.spatial.motion import Motion, Pose, load_pose
from softdock.loop.spatial.rotations import inverse, normalise, product, rotate, rotate_back
from softdock.loop.spatial.vectors import ZERO, add, add_scaled, subtract


@compiled
def joined(a, b):
    """The pose b as seen from where a is given."""
    return Pose(add(a.p, rotate(a.q, b.p)), product(a.q, b.q))


@compiled
def flange_wanted(arm, motion):
    """Pose of the flange in the base that brings the satellite to a motion's pose."""
    satellite = joined(load_pose(arm, P.orbit), Pose(motion.p, motion.q))
    return joined(satellite, load_pose(arm, P.grip))


@compiled
def twist_in_base(arm, motion):
    """Velocity and angular velocity of a motion, base axes."""
    turn = load_pose(arm, P.orbit).q
    return rotate(turn, motion.v), rotate(turn, rotate(motion.q, motion.w))


@compiled
def centre_in_base(arm, motion):
    """The satellite's centre of mass in the base."""
    orbit = load_pose(arm, P.orbit)
    return add(orbit.p, rotate(orbit.q, motion.p))


@compiled
def body_in_base(arm, flange):
    """Pose of the satellite in the base, from the flange's."""
    return joined(flange, load_pose(arm, P.held))


@noinline
def mock_up_at(arm, mem, state, q_at, rate_at):
    """The mock-up of joints and rates that stand in `mem`; `state`: of the robot's part of it."""
    room = work_at(state)
    work, q = mem[room : room + WORK_FLOATS], mem[q_at : q_at + AXES]
    body = body_in_base(arm, link_frames(arm, q, work))
    v, w = ZERO, ZERO
    for i in range(first_axis(arm), AXES):
        along, about = jacobian_column(arm, work, i, body.p)  # Lange eq. 11
        v, w = add_scaled(v, mem[rate_at + i], along), add_scaled(w, mem[rate_at + i], about)
    orbit = load_pose(arm, P.orbit)
    return Motion(
        rotate_back(orbit.q, subtract(body.p, orbit.p)),
        normalise(product(inverse(orbit.q), body.q)),
        rotate_back(orbit.q, v),
        rotate_back(body.q, w),
    )
