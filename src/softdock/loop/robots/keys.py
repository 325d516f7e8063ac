"""One robot's keys: from the stamp of a set-point to the mock-up being there. The names of the
models stand here, what they do in models.py."""

from __future__ import annotations

from typing import Any

from softdock.loop.elastic_joint import ELASTIC_JOINT
from softdock.loop.parameters import Group, Parameter
from softdock.loop.robots.arm_keys import JOINTS_OF_AN_ARM
from softdock.loop.robots.coordinated_keys import COORDINATED
from softdock.loop.robots.history import INTERPOLATIONS

MS = 1e-3  # s
LONGEST_DELAY_MS = 2000.0
MODELS = ("delay", "lag", "limited", "arm")
EXTRAPOLATE, HOLD_LAST = 0, 1
# indices in MODELS: the robot that is late and nothing else, which must stand first (a model of
# number 0 asks for no memory), the one within limits, and the arm of six joints (arm/)
DELAY, LIMITED, ARM_MODEL = (MODELS.index(name) for name in ("delay", "limited", "arm"))
_LAG, _LIMITED = ("model", ("lag",)), ("model", ("limited",))


def list_limits(when: Any) -> tuple[Parameter, ...]:
    """Limits along each axis, wherever set-points are kept to them."""
    return (
        Parameter(
            "speed",
            "max_speed_m_per_s",
            "speed limit per axis; 0: none",
            0.0,
            unit="m/s",
            low=0.0,
            high=1e3,
            when=when,
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
            when=when,
        ),
        Parameter(
            "jerk",
            "max_jerk_m_per_s3",
            "jerk limit per axis; 0: none",
            0.0,
            unit="m/s^3",
            low=0.0,
            high=1e6,
            when=when,
        ),
    )


ROBOT = Group(
    "robot",
    "One robot: from the stamp of a set-point to the mock-up being there.",
    Parameter("model", "model", "what the delayed set-points become", "delay", choices=MODELS),
    Parameter(
        "delay",
        "delay_ms",
        "delay, the robot controller's interpolation included",
        0.0,
        unit="ms",
        low=0.0,
        high=LONGEST_DELAY_MS,
        scale=MS,
    ),
    Parameter(
        "ramp",
        "delay_ramp_ms_per_s",
        "growth of the delay",
        0.0,
        unit="ms/s",
        low=-100.0,
        high=100.0,
        scale=MS,
    ),
    Parameter(
        "wobble",
        "delay_wobble_ms",
        "amplitude of a sinusoidal change of the delay",
        0.0,
        unit="ms",
        low=0.0,
        high=LONGEST_DELAY_MS,
        scale=MS,
    ),
    Parameter(
        "wobble_frequency", "delay_wobble_Hz", "its frequency", 0.0, unit="Hz", low=0.0, high=1e3
    ),
    Parameter(
        "jitter",
        "delay_jitter_ms",
        "extra delay, uniform between 0 and this, new each cycle",
        0.0,
        unit="ms",
        low=0.0,
        high=LONGEST_DELAY_MS,
        scale=MS,
    ),
    Parameter(
        "dropout",
        "dropout_probability",
        "share of set-points that never arrive",
        0.0,
        low=0.0,
        high=1.0,
    ),
    Parameter(
        "on_dropout",
        "on_dropout",
        "what a lost set-point is replaced by",
        "extrapolate",
        choices=("extrapolate", "hold"),
    ),
    Parameter(
        "interpolation",
        "interpolation",
        "how the robot moves between set-points",
        "hermite",
        choices=INTERPOLATIONS,
    ),
    Parameter(
        "frequency",
        "lag_Hz",
        "natural frequency of the lag",
        None,
        unit="Hz",
        low=0.0,
        high=1e4,
        open_low=True,
        when=_LAG,
    ),
    Parameter(
        "zeta",
        "lag_damping_ratio",
        "damping ratio of the lag",
        1.0,
        low=0.0,
        high=100.0,
        open_low=True,
        when=_LAG,
    ),
    *list_limits(_LIMITED),
    Parameter(
        "turn_speed",
        "max_rate_rad_per_s",
        "rate limit per axis; 0: none",
        0.0,
        unit="rad/s",
        low=0.0,
        high=1e3,
        when=_LIMITED,
    ),
    Parameter(
        "turn_acceleration",
        "max_angular_acceleration_rad_per_s2",
        "angular acceleration limit per axis",
        100.0,
        unit="rad/s^2",
        low=0.0,
        high=1e5,
        open_low=True,
        when=_LIMITED,
    ),
    Parameter(
        "reach_centre",
        "reach_centre_m",
        "middle of the robot's reach, laboratory axes",
        (0.0, 0.0, 0.0),
        unit="m",
        size=3,
        low=-1e4,
        high=1e4,
    ),
    Parameter(
        "reach",
        "reach_m",
        "largest distance of the mock-up from there; 0: no limit",
        0.0,
        unit="m",
        low=0.0,
        high=1e6,
    ),
    Parameter(
        "allowed_speed",
        "allowed_speed_m_per_s",
        "speed that orbit's motion may ask for, checked before a run; 0: no limit",
        0.0,
        unit="m/s",
        low=0.0,
        high=1e3,
    ),
    Parameter(
        "allowed_acceleration",
        "allowed_acceleration_m_per_s2",
        "acceleration that orbit's motion may ask for, checked before a run; 0: no limit",
        0.0,
        unit="m/s^2",
        low=0.0,
        high=1e5,
    ),
    Parameter(
        "computation",
        "computation_ms",
        "time until the controller has computed a set-point: adds to the delay",
        0.0,
        unit="ms",
        low=0.0,
        high=1e3,
        scale=MS,
    ),
    Parameter(
        "transport",
        "transport_ms",
        "time a set-point takes to the robot: adds to the delay",
        0.0,
        unit="ms",
        low=0.0,
        high=1e3,
        scale=MS,
    ),
    Parameter(
        "turn_jerk",
        "max_angular_jerk_rad_per_s3",
        "angular jerk limit per axis; 0: none",
        0.0,
        unit="rad/s^3",
        low=0.0,
        high=1e6,
        when=_LIMITED,
    ),
    *ELASTIC_JOINT.parameters,
    *JOINTS_OF_AN_ARM,
    Parameter("arm", "arm", "the arm's numbers behind the vector", (0, 0), size=2, kind="arm"),
    COORDINATED,
)
