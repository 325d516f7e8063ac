"""The contact as a rig can see it: the measured wrenches give a force f [N] along one line, and so
a direction of motion and an effective mass.

A frictionless touch pushes along its normal. Its wrench on both bodies, divided by f, is the
generalised direction n: the power of the wrenches over f is the rate at which the bodies part along
n, whatever point of the line one takes. No geometry has to be known.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from softdock.compile.jit import compiled, noinline
from softdock.loop.method.interface import Measured, Output, Rig, Satellites, Wrenches
from softdock.loop.parameters import Parameter
from softdock.loop.spatial.motion import Motion, Wrench, coasting, displacement, work
from softdock.loop.spatial.rigid_body import BodyParams, motion_of
from softdock.loop.spatial.rotations import rotate, rotate_back
from softdock.loop.spatial.vectors import (
    add,
    add_scaled,
    dot,
    multiply,
    norm,
    scale,
    symmetric_times,
)

SAME_AGE = 1e-9  # s; readings closer in age than this are of one instant
CONTACT_THRESHOLD = Parameter(
    "threshold",
    "contact_N",
    "measured force above which there is contact; set it above the sensor's noise",
    0.0,
    unit="N",
    low=0.0,
    high=1e6,
)


@compiled
def measured_force(measured: Measured):
    """f [N]."""
    return norm(measured.wrenches.chaser.force)


@compiled
def _power(wrench: Wrench, motion: Motion):
    return dot(wrench.force, motion.v) + dot(wrench.torque, rotate(motion.q, motion.w))


@compiled
def parting_rate(wrenches: Wrenches, force, motions: Output):
    """Rate at which two bodies part along the line of action [m/s]; minus the rate of the depth."""
    return (
        _power(wrenches.chaser, motions.chaser) + _power(wrenches.target, motions.target)
    ) / force


@compiled
def work_between(wrenches: Wrenches, before: Output, after: Output):
    """Work of held wrenches while both bodies move from one pair of poses to another [J]."""
    moved_chaser = displacement(before.chaser.p, before.chaser.q, after.chaser.p, after.chaser.q)
    moved_target = displacement(before.target.p, before.target.q, after.target.p, after.target.q)
    return work(wrenches.chaser, moved_chaser) + work(wrenches.target, moved_target)


@compiled
def compute_mobility(params: BodyParams, q, wrench: Wrench):
    """W . M^-1 W of a wrench on a body; for one of unit force the inverse of the mass that it feels
    [1/kg]."""
    if params.fixed:
        return 0.0
    turning = rotate_back(q, wrench.torque)
    return dot(wrench.force, multiply(params.inverse_mass, wrench.force)) + dot(
        turning, symmetric_times(params.inverse_inertia, turning)
    )


@noinline
def effective_mass(rig: Rig, satellites: Satellites, wrenches: Wrenches, force):
    """Effective mass of both satellites along the line of action [kg]."""
    mobility = compute_mobility(
        rig.chaser, satellites.chaser.q, wrenches.chaser
    ) + compute_mobility(rig.target, satellites.target.q, wrenches.target)
    return force * force / mobility


@compiled
def satellite_motions(rig: Rig, satellites: Satellites):
    return Output(
        motion_of(rig.chaser, satellites.chaser), motion_of(rig.target, satellites.target)
    )


@compiled
def mock_ups_when_felt(measured: Measured):
    """The measured mock-ups at the instant of the force sample: a pose of another age is carried
    there at its measured twist."""
    later = measured.pose_age - measured.force_age
    if abs(later) <= SAME_AGE:
        return measured.mock_ups
    return Output(
        coasting(measured.mock_ups.chaser, later), coasting(measured.mock_ups.target, later)
    )


@compiled
def plus_wrenches(a: Wrenches, factor, b: Wrenches):
    """a + factor b, on both bodies."""
    chaser = Wrench(
        add_scaled(a.chaser.force, factor, b.chaser.force),
        add_scaled(a.chaser.torque, factor, b.chaser.torque),
    )
    return Wrenches(
        chaser,
        Wrench(
            add_scaled(a.target.force, factor, b.target.force),
            add_scaled(a.target.torque, factor, b.target.torque),
        ),
    )


@compiled
def _half_sum(a: Wrench, b: Wrench):
    return Wrench(scale(0.5, add(a.force, b.force)), scale(0.5, add(a.torque, b.torque)))


@compiled
def average(a: Wrenches, b: Wrenches):
    return Wrenches(_half_sum(a.chaser, b.chaser), _half_sum(a.target, b.target))


def find_noise_warnings(values: dict[str, Any], tables: Mapping[str, Any]) -> list[str]:
    """A method that takes any measured force for a contact acts in free flight too, if the sensor
    is noisy."""
    noise = tables["sensor"]["noise_N"]
    if noise == 0.0 or values.get("contact_N", 1.0) > 0.0 or tables["sensor"]["threshold_N"] > 0.0:
        return []
    return [
        f"contact_N is 0 and the sensor's noise is {noise:g} N: noise is taken for a "
        f"contact; {4.0 * noise:g} N would be four standard deviations"
    ]
