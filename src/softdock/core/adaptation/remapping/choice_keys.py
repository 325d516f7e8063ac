"""Keys of the re-mapping that belong to one choice: limits of executable set-points, the filter,
and robots that give way as their arms do."""

from __future__ import annotations

from softdock.core.machine.parameters import Parameter

_EXECUTABLE = ("set_points", ("executable",))
_FILTER = ("environment", ("filter",))

LIMIT_KEYS = (
    Parameter(
        "speed",
        "max_speed_m_per_s",
        "speed limit per axis; 0: none",
        0.0,
        unit="m/s",
        low=0.0,
        high=1e3,
        when=_EXECUTABLE,
    ),
    Parameter(
        "acceleration",
        "max_acceleration_m_per_s2",
        "acceleration limit per axis",
        None,
        unit="m/s^2",
        low=0.0,
        high=1e4,
        open_low=True,
        when=_EXECUTABLE,
    ),
    Parameter(
        "jerk",
        "max_jerk_m_per_s3",
        "jerk limit per axis; 0: none",
        0.0,
        unit="m/s^3",
        low=0.0,
        high=1e6,
        when=_EXECUTABLE,
    ),
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
        "of the chaser's and the target's robot, as believed; 0, 0: the scenario's joints",
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
)
