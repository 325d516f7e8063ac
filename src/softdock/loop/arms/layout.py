"""The flat float64 layout of an arm, and of the memory that its calculations need.

One declaration each: compiled code reads `arm.speed[i]` of a view, `arm = ARM(vector, at)`; the
host (softdock.loop.arms) writes the same places. Slot 0 of the seven axes is the base axis, slots 1
to 6 are the joints.

With all joints at zero every link's axes are parallel to the base's, so an axis is a direction and
an offset in base axes: p_i = p_(i-1) + R_(i-1) offset_i, R_i = R_(i-1) exp(direction_i q_i). The
origins of joints 4, 5, 6 (spherical wrist) or 5, 6 (three parallel axes) stand where those axes
meet: the host moves them there, which changes no motion.
"""

from __future__ import annotations

from softdock.compile.cells import Cell, Cells, many
from softdock.compile.jit import compiled

AXES = 7  # slot 0: rail or turntable; 1 to 6: the joints
JOINTS = 6
SPHERICAL_WRIST, THREE_PARALLEL = 0, 1
FAMILIES = ("spherical_wrist", "three_parallel")
NO_BASE_AXIS, RAIL, TURNTABLE = 0, 1, 2
BASE_AXES = ("none", "rail", "turntable")


ARM = Cells(  # directions and offsets in base axes with all joints at zero; links in their own
    "arm",
    Cell("family", int, "-", "which closed-form inverse holds, an index of FAMILIES"),
    Cell("base_axis", int, "-", "what slot 0 is, an index of BASE_AXES"),
    Cell("reach", float, "m", "upper arm and forearm stretched out"),
    Cell("directions", many(AXES, 3), "-", "unit vector of each axis"),
    Cell(
        "offsets", many(AXES + 1, 3), "m", "to each origin from the one before, then to the flange"
    ),
    Cell("flange", 4, "-", "axes of the flange, in link 6"),
    Cell("low", many(AXES), "rad or m", "lower end of each axis's range"),
    Cell("high", many(AXES), "rad or m", "upper end of each axis's range"),
    Cell("speed", many(AXES), "rad/s or m/s", "largest speed"),
    Cell("acceleration", many(AXES), "rad/s^2 or m/s^2", "largest acceleration"),
    Cell("torque", many(AXES), "Nm or N", "largest torque or force"),
    Cell("stiffness", many(AXES), "Nm/rad or N/m", "of each joint's gear"),
    Cell("damping", many(AXES), "Nms/rad or Ns/m", "of each joint's gear"),
    Cell("rotor", many(AXES), "kg m^2 or kg", "inertia of the motor, seen behind its gear"),
    Cell("mass", many(AXES), "kg", "of each link"),
    Cell("centre", many(AXES, 3), "m", "centre of mass of each link, from its origin"),
    Cell(
        "inertia", many(AXES, 6), "kg m^2", "of each link about its centre: xx, yy, zz, xy, xz, yz"
    ),
)
AT = ARM.at
AXIS_VALUES = Cells(  # a row of numbers, one for each axis
    "axis_values", Cell("values", AXES, "", "of the base axis, then of the joints")
)


@compiled
def on_base(base, q):
    """The same joints with the base axis elsewhere."""
    return (base, q[1], q[2], q[3], q[4], q[5], q[6])


WORK = Cells(
    "arm_work",
    Cell("turns", many(AXES, 4), "-", "attitude of each link, from the base or the link before"),
    Cell("origins", many(AXES, 3), "m", "origin of each axis"),
    Cell("directions", many(AXES, 3), "-", "direction of each axis"),
    Cell("forces", many(AXES, 3), "N", "force that moves each link"),
    Cell("moments", many(AXES, 3), "Nm", "moment that moves each link, about its origin"),
)  # what one calculation on an arm keeps between its sweeps along the links
WORK_AT = WORK.at
