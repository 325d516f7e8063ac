"""The flat float64 layout of an arm, and of the memory that its calculations need.

One declaration each: compiled code reads `arm[ARM.at.speed + i]`, the host (softdock.loop.arms) writes
the same places. Slot 0 of the seven axes is the base axis, slots 1 to 6 are the joints.

With all joints at zero every link's axes are parallel to the base's, so an axis is a direction and
an offset in base axes: p_i = p_(i-1) + R_(i-1) offset_i, R_i = R_(i-1) exp(direction_i q_i). The
origins of joints 4, 5, 6 (spherical wrist) or 5, 6 (three parallel axes) stand where those axes
meet: the host moves them there, which changes no motion.
"""

from __future__ import annotations

from softdock.compile.jit import compiled
from softdock.loop.parameters import Group, Parameter
from softdock.loop.spatial.vectors import load3

AXES = 7  # slot 0: rail or turntable; 1 to 6: the joints
JOINTS = 6
SPHERICAL_WRIST, THREE_PARALLEL = 0, 1
FAMILIES = ("spherical_wrist", "three_parallel")
NO_BASE_AXIS, RAIL, TURNTABLE = 0, 1, 2
BASE_AXES = ("none", "rail", "turntable")


def _each(name: str, meaning: str, unit: str, width: int = 1, count: int = AXES) -> Parameter:
    """Numbers of all axes in a row."""
    return Parameter(name, name, meaning, 0.0, unit=unit, size=width * count)


ARM = Group(
    "arm",
    "One arm. Directions and offsets in base axes with all joints at zero; links in their own.",
    Parameter("family", "family", "which closed-form inverse holds", 0.0, choices=FAMILIES),
    Parameter("base_axis", "base_axis", "what slot 0 is", 0.0, choices=BASE_AXES),
    Parameter("reach", "reach", "upper arm and forearm stretched out", 0.0, unit="m"),
    _each("directions", "unit vector of each axis", "-", 3),
    _each("offsets", "from origin to origin, the last one to the flange", "m", 3, AXES + 1),
    Parameter("flange", "flange", "axes of the flange, in link 6", 0.0, size=4, kind="quaternion"),
    _each("low", "lower end of each axis's range", "rad or m"),
    _each("high", "upper end of each axis's range", "rad or m"),
    _each("speed", "largest speed", "rad/s or m/s"),
    _each("acceleration", "largest acceleration", "rad/s^2 or m/s^2"),
    _each("torque", "largest torque or force", "Nm or N"),
    _each("stiffness", "of each joint's gear", "Nm/rad or N/m"),
    _each("damping", "of each joint's gear", "Nms/rad or Ns/m"),
    _each("rotor", "inertia of the motor, seen behind its gear", "kg m^2 or kg"),
    _each("mass", "of each link", "kg"),
    _each("centre", "centre of mass of each link, from its origin", "m", 3),
    _each("inertia", "of each link about its centre (xx, yy, zz, xy, xz, yz)", "kg m^2", 6),
)
AT = ARM.at


@compiled
def direction(arm, slot):
    """Unit vector of an axis, in base axes."""
    return load3(arm, AT.directions + 3 * slot)


@compiled
def offset(arm, slot):
    """Vector from the origin before to an axis's own, in base axes [m]; behind the last axis: to
    the flange."""
    return load3(arm, AT.offsets + 3 * slot)


@compiled
def load7(array, at):
    """Numbers of all seven axes: the base axis, then the joints."""
    return (
        array[at],
        array[at + 1],
        array[at + 2],
        array[at + 3],
        array[at + 4],
        array[at + 5],
        array[at + 6],
    )


@compiled
def on_base(base, q):
    """The same joints with the base axis elsewhere."""
    return (base, q[1], q[2], q[3], q[4], q[5], q[6])


WORK = Group(
    "arm_work",
    "What one calculation on an arm keeps between its sweeps along the links.",
    _each("turns", "attitude of each link, from the base or from the link before", "-", 4),
    _each("origins", "origin of each axis", "m", 3),
    _each("directions", "direction of each axis", "-", 3),
    _each("forces", "force that moves each link", "N", 3),
    _each("moments", "moment that moves each link, about its origin", "Nm", 3),
)
WORK_AT = WORK.at
