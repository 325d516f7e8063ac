"""The keys of an arm's joints (arm/), which `model = "arm"` has beside those of every robot."""

from __future__ import annotations

from softdock.loop.parameters import Parameter

FOLLOWING = ("stiff", "lag", "limited")  # how the joints follow (arms/motors.py)
JOINTS_STIFF, JOINTS_LAG, JOINTS_LIMITED = 0, 1, 2
_ARM, _JOINTS_LAG = ("model", ("arm",)), ("joints", ("lag",))
JOINTS_OF_AN_ARM = (
    Parameter(
        "joints",
        "joints",
        "how the joints of an arm follow: at once, with a lag, within the arm's limits",
        "stiff",
        choices=FOLLOWING,
        when=_ARM,
    ),
    Parameter(
        "joint_lag",
        "joint_lag_Hz",
        "natural frequency of each joint's lag",
        None,
        unit="Hz",
        low=0.0,
        high=1e4,
        open_low=True,
        size=6,
        kind="six",
        when=_JOINTS_LAG,
    ),
    Parameter(
        "joint_zeta_lag",
        "joint_lag_damping_ratio",
        "damping ratio of the joints' lag",
        1.0,
        low=0.0,
        high=100.0,
        open_low=True,
        when=_JOINTS_LAG,
    ),
    Parameter(
        "joint_jerk",
        "joint_max_jerk_rad_per_s3",
        "jerk limit of each joint; 0: none",
        0.0,
        unit="rad/s^3",
        low=0.0,
        high=1e7,
        when=("joints", ("limited",)),
    ),
    Parameter(
        "joints_together",
        "joints_together",
        "joints with limits share the slowest one's time, and arrive at the same instant",
        False,
        kind="flag",
        when=("joints", ("limited",)),
    ),
    Parameter(
        "elastic_joints",
        "elastic_joints",
        "whether the links of an arm give way between motors and contact; stiffness and "
        "damping are the arm's, damping by joint_damping_ratio where it states none",
        False,
        kind="flag",
        when=_ARM,
    ),
    Parameter(
        "weight_acts",
        "weight_acts",
        "whether elastic joints bend under the weight of links and mock-up; false: calibrated away",
        False,
        kind="flag",
        when=_ARM,
    ),
)
