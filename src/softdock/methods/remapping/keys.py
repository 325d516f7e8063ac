"""What a user tells the re-mapping: its parameters. method.py is the method; read it first."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

from softdock.compile.jit import compiled
from softdock.loop.arms.modes import MODES
from softdock.loop.parameters import Group, Parameter
from softdock.loop.robots.keys import list_limits
from softdock.methods.remapping.surface_keys import SURFACE_KEYS

# Keys of the re-mapping that belong to one choice: limits of executable set-points, the filter,
# and robots that give way as their arms do.

_EXECUTABLE = ("set_points", ("executable",))
_FILTER = ("environment", ("filter",))

LIMIT_KEYS = (
    *list_limits(_EXECUTABLE),
    Parameter(
        "turn_acceleration",
        "max_angular_acceleration_rad_per_s2",
        "angular acceleration limit",
        100.0,
        unit="rad/s^2",
        low=0.0,
        high=1e5,
        open_low=True,
        when=_EXECUTABLE,
    ),
    Parameter(
        "turn_jerk",
        "max_angular_jerk_rad_per_s3",
        "angular jerk limit per axis; 0: none",
        0.0,
        unit="rad/s^3",
        low=0.0,
        high=1e6,
        when=_EXECUTABLE,
    ),
)
COORDINATED_KEY = Parameter(
    "coordinated",
    "coordinated",
    "executable set-points whose axes arrive together, with limits that hold for the length of "
    "velocity, acceleration and jerk in place of each axis",
    False,
    kind="flag",
    when=_EXECUTABLE,
)
FILTER_KEYS = (
    Parameter(
        "noise_force",
        "filter.noise_N",
        "standard deviation of a measured force along the normal",
        0.5,
        unit="N",
        low=0.0,
        high=1e6,
        open_low=True,
        when=_FILTER,
    ),
    Parameter(
        "noise_position",
        "filter.noise_m",
        "standard deviation of a measured motor position",
        2e-6,
        unit="m",
        low=0.0,
        high=1.0,
        open_low=True,
        when=_FILTER,
    ),
    Parameter(
        "filter_stiffness",
        "filter.joint_stiffness_N_per_m",
        "of the chaser's and the target's robot, assumed; 0, 0: the scenario's joints",
        (0.0, 0.0),
        unit="N/m",
        low=0.0,
        high=1e12,
        size=2,
        when=_FILTER,
    ),
    Parameter(
        "filter_zeta",
        "filter.joint_damping_ratio",
        "of both, beside stiffnesses given here",
        (0.1, 0.1),
        low=0.0,
        high=10.0,
        size=2,
        when=_FILTER,
    ),
    Parameter(
        "filter_mass",
        "filter.moving_mass_kg",
        "behind both, beside stiffnesses given here",
        (1.0, 1.0),
        unit="kg",
        low=0.0,
        high=1e6,
        open_low=True,
        size=2,
        when=_FILTER,
    ),
)
ARM_KEYS = (
    Parameter(
        "robot_stiffness",
        "robot_stiffness",
        "how the robots give way: joints, as told here or as the scenario's Cartesian joints; arm, "
        "from the joint stiffness and the Jacobian of the [facility]'s arms at the contact",
        "joints",
        choices=("joints", "arm"),
    ),
    Parameter(
        "arm_compliance",
        "arm_compliance_m_per_N",
        "of both arms at the contact, world axes; written by softdock",
        (0.0,) * 6,
        unit="m/N",
        size=6,
        kind="arm",
    ),
    Parameter(
        "arm_modes",
        "arm_modes",
        "of both arms at the contact (loop/arms/modes.py); written by softdock",
        (0.0,) * (2 * MODES.size),
        size=2 * MODES.size,
        kind="arm",
    ),
    Parameter(
        "arm_factor",
        "filter.arm_stiffness_factor",
        "stiffness of the arms' joints as the filter has it, over that of the [facility]'s "
        "arms: what a wrong one costs",
        1.0,
        low=0.0,
        high=100.0,
        open_low=True,
        when=_FILTER,
    ),
)


EXACT, REPLACED_STIFFNESS, FILTER = 0, 1, 2
OF_JOINTS, OF_ARMS = 0, 1
TIP, SHAPE, WRENCH = 0, 1, 2
MEASURED_TORQUE, POINT_TORQUE = 0, 1
GIVEN, ON_LINE = 0, 1
SCENARIO, SPRING_DAMPER, HUNT_CROSSLEY, RESTITUTION = 0, 1, 2, 3
BY_HUNT_CROSSLEY, BY_DAMPER = 0, 1
FOLLOW, EXECUTABLE = 0, 1
_LAWS = ("scenario", "spring_damper", "hunt_crossley", "restitution")
_OWN = ("wanted.law", ("spring_damper", "hunt_crossley", "restitution"))
_SPRING, _HUNT, _RESTITUTION = (
    ("wanted.law", ("spring_damper",)),
    ("wanted.law", ("hunt_crossley",)),
    ("wanted.law", ("restitution",)),
)

_stiffness = partial(
    Parameter, default=0.0, unit="N/m", low=0.0, high=1e9, size=6, kind="stiffness"
)
REMAPPING = Group(
    "remapping",
    "The measured force gives the place of the environment; the wanted contact acts on "
    "the satellites there (Lange).",
    Parameter(
        "environment",
        "environment",
        "from measured to environment: exact, the force over the stiffness; "
        "replaced_stiffness, the robots' joints in series with it; filter, a Kalman filter",
        "exact",
        choices=("exact", "replaced_stiffness", "filter"),
    ),
    _stiffness(
        "stiffness",
        "stiffness_N_per_m",
        "K_e of the chaser's mock-up, chaser axes, or of the whole contact; 0: the "
        "scenario's real contact, damping included",
    ),
    _stiffness(
        "target_stiffness",
        "target_stiffness_N_per_m",
        "K_e of the target's mock-up, target axes, in series with it; 0: rigid",
    ),
    Parameter(
        "damping",
        "damping_Ns_per_m",
        "D_e of the whole contact, chaser axes, beside a stiffness given here",
        0.0,
        unit="Ns/m",
        low=0.0,
        high=1e8,
        size=6,
        kind="stiffness",
    ),
    Parameter(
        "estimate",
        "estimate",
        "stiffness as given, or estimated in each contact from force and measured motion",
        "given",
        choices=("given", "on_line"),
    ),
    _stiffness(
        "joint_stiffness",
        "joint_stiffness_N_per_m",
        "of both robots in series, world axes, for replaced_stiffness; 0: the scenario's robots'",
    ),
    *ARM_KEYS,
    Parameter(
        "law",
        "wanted.law",
        "contact that acts on the satellites; scenario: the scenario's wanted contact",
        "scenario",
        choices=_LAWS,
    ),
    _stiffness(
        "wanted_stiffness",
        "wanted.stiffness_N_per_m",
        "K_d of the chaser, chaser axes, or of the whole contact; for hunt_crossley in "
        "N/m^exponent; 0: the scenario's",
        when=_OWN,
    ),
    _stiffness(
        "wanted_target_stiffness",
        "wanted.target_stiffness_N_per_m",
        "K_d of the target, target axes, in series with it; 0: rigid",
        when=_OWN,
    ),
    Parameter(
        "wanted_damping",
        "wanted.damping_Ns_per_m",
        "D_d of the whole contact, chaser axes",
        0.0,
        unit="Ns/m",
        low=0.0,
        high=1e8,
        size=6,
        kind="stiffness",
        when=_SPRING,
    ),
    Parameter(
        "wanted_exponent",
        "wanted.exponent",
        "exponent of the depth",
        1.5,
        low=1.0,
        high=5.0,
        when=_HUNT,
    ),
    Parameter(
        "wanted_lambda",
        "wanted.lambda_s_per_m",
        "damping factor",
        0.0,
        unit="s/m",
        low=0.0,
        high=1e6,
        when=_HUNT,
    ),
    Parameter(
        "restitution",
        "wanted.restitution",
        "of a central impact; below 0.001 is taken as 0.001",
        1.0,
        low=0.0,
        high=1.0,
        when=_RESTITUTION,
    ),
    Parameter(
        "by",
        "wanted.by",
        "law that gives it",
        "hunt_crossley",
        choices=("hunt_crossley", "spring_damper"),
        when=_RESTITUTION,
    ),
    Parameter(
        "threshold",
        "threshold_N",
        "a smaller measured force is no contact",
        0.0,
        unit="N",
        low=0.0,
        high=1e6,
    ),
    Parameter(
        "point",
        "contact_point",
        "tip: the chaser's known tip; shape: the wrench's line of action on the target's "
        "shape; wrench: its point nearest to the chaser's centre of mass",
        "tip",
        choices=("tip", "shape", "wrench"),
    ),
    *SURFACE_KEYS,
    Parameter(
        "torque",
        "torque",
        "measured: what is left of the measured torque at the contact point acts too (21); "
        "point: the force at the point alone (13)",
        "measured",
        choices=("measured", "point"),
    ),
    Parameter(
        "substeps",
        "substeps",
        "steps of the satellites' contact in a cycle; 1: the force is held, as published",
        3,
        low=1,
        high=64,
        kind="integer",
    ),
    Parameter(
        "rewind",
        "rewind_ms",
        "how far back the satellites' past may be corrected when a real contact is first "
        "seen; 0: never",
        100.0,
        unit="ms",
        low=0.0,
        high=2000.0,
        scale=1e-3,
    ),
    Parameter(
        "lead",
        "lead_ms",
        "set-points are sent ahead by this, the expected delay",
        0.0,
        unit="ms",
        low=0.0,
        high=2000.0,
        scale=1e-3,
    ),
    Parameter(
        "lead_force",
        "lead_force",
        "whether set-points ahead take the predicted force into account",
        True,
        kind="flag",
    ),
    Parameter(
        "set_points",
        "set_points",
        "sent as they come, or as robots with limits can execute them",
        "as_computed",
        choices=("as_computed", "executable"),
    ),
    *LIMIT_KEYS,
    COORDINATED_KEY,
    *FILTER_KEYS,
    Parameter(
        "joints",
        "joints",
        "where the scenario's robots' joints stand in the vector; written by softdock",
        (0.0, 0.0),
        size=2,
        kind="joints",
    ),
    Parameter(
        "contacts",
        "contacts",
        "where the scenario's contact pairs stand in the vector, and how many; written by softdock",
        (0.0, 0.0),
        size=2,
        kind="contacts",
    ),
)


class Remapping(NamedTuple):
    """What every cycle needs; the rest is read from the vector when there is a contact."""

    memory: int
    vector: Any
    base: int  # of its parameters in the vector
    rows: int  # of the history; 0: no rewind
    threshold: float  # N
    substeps: int
    lead: float  # s
    loss: float  # wanted restitution: damping ratio, or lambda times approach speed


MARKER = Remapping(
    memory=0, vector=0, base=0, rows=0, threshold=0.0, substeps=0, lead=0.0, loss=0.0
)


@compiled
def read_keys(method: Remapping):
    """Its keys, by name."""
    return REMAPPING(method.vector, method.base)
