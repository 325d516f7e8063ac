"""From the mock-up in orbit's axes to what a robot is sent, and back.

    orbit <- base <- flange (what RIst tells) <- centre of mass of the mock-up

A correction is an offset from the pose at RSI_ON, in the robot's base: translations are added,
rotations multiply from the left (mm and degrees on the wire).
"""

from __future__ import annotations

from softdock.core.machine.compiled import compiled
from softdock.core.rig.layout import FRAME
from softdock.core.spatial.motion import Pose, load_pose
from softdock.core.spatial.rotations import inverse, product
from softdock.core.spatial.vectors import subtract
from softdock.core.wire.kuka_frame import frame_of, joined, reversed_pose

F = FRAME.at


@compiled
def to_base(frame, pose):
    """What RIst tells, in the base, where the mock-up's centre of mass is at a pose in orbit's
    axes."""
    flange = joined(Pose(pose.p, pose.q), reversed_pose(load_pose(frame, F.tool)))
    return joined(reversed_pose(load_pose(frame, F.base)), flange)


@compiled
def to_orbit(frame, pose):
    """The mock-up's centre of mass in orbit's axes, where RIst tells a pose in the base."""
    return joined(joined(load_pose(frame, F.base), pose), load_pose(frame, F.tool))


@compiled
def correction_from(zero, wanted):
    """Six numbers for the wire, mm and degrees: from the pose at RSI_ON to a pose, base."""
    return frame_of(Pose(subtract(wanted.p, zero.p), product(wanted.q, inverse(zero.q))))
