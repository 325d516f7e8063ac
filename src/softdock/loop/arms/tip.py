"""The mock-up from the joints: pose by forward kinematics, twist by the Jacobian's columns.

In: an arm as it is placed, seven joint coordinates and rates. Out: `Motion` of the satellite's
centre of mass in the orbit frame, as every robot model gives it. The frames of the links stay in
the arm's state, for whoever needs a Jacobian at the same joints (Lange eqs. 8, 11).
"""

from __future__ import annotations

from softdock.compile.jit import compiled, noinline
from softdock.loop.arms.forward import first_axis, jacobian_column, link_frames
from softdock.loop.arms.layout import AXES
from softdock.loop.spatial.motion import Motion, Pose
from softdock.loop.spatial.rotations import inverse, normalise, product, rotate, rotate_back
from softdock.loop.spatial.vectors import ZERO, add, add_scaled, subtract


@compiled
def join(a: Pose, b: Pose):
    """The pose b as seen from where a is given."""
    return Pose(add(a.p, rotate(a.q, b.p)), product(a.q, b.q))


@compiled
def find_flange(placed, motion: Motion):
    """Pose of the flange in the base that brings the satellite to a motion's pose."""
    satellite = join(placed.orbit, Pose(motion.p, motion.q))
    return join(satellite, placed.grip)


@compiled
def turn_twist_to_base(placed, motion: Motion):
    """Velocity and angular velocity of a motion, base axes."""
    turn = placed.orbit.q
    return rotate(turn, motion.v), rotate(turn, rotate(motion.q, motion.w))


@compiled
def locate_centre(placed, motion: Motion):
    """The satellite's centre of mass in the base."""
    orbit = placed.orbit
    return add(orbit.p, rotate(orbit.q, motion.p))


@compiled
def locate_body(placed, flange: Pose):
    """Pose of the satellite in the base, from the flange's."""
    return join(flange, placed.held)


@noinline
def compute_mock_up(placed, work, q, rate):
    """The mock-up for seven joints and their rates; the frames of the links are left in `work`."""
    arm = placed.arm
    body = locate_body(placed, link_frames(arm, q, work))
    v, w = ZERO, ZERO
    for i in range(first_axis(arm), AXES):
        along, about = jacobian_column(arm, work, i, body.p)  # Lange eq. 11
        v, w = add_scaled(v, rate[i], along), add_scaled(w, rate[i], about)
    orbit = placed.orbit
    return Motion(
        rotate_back(orbit.q, subtract(body.p, orbit.p)),
        normalise(product(inverse(orbit.q), body.q)),
        rotate_back(orbit.q, v),
        rotate_back(body.q, w),
    )
