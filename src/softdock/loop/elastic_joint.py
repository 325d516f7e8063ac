"""A robot's elastic joint between motors and mock-up: its keys, in a row in the vector.

Below the stages: the robots move on it (robots/), and the re-mapping believes in it
(adaptation/remapping/).
"""

from __future__ import annotations

from softdock.loop.parameters import Group, Parameter

ELASTIC_JOINT = Group(
    "elastic_joint",
    "An elastic joint.",
    Parameter(
        "joint_stiffness",
        "joint_stiffness_N_per_m",
        "of the elastic joint between motors and mock-up; 0: rigid",
        0.0,
        unit="N/m",
        low=0.0,
        high=1e12,
    ),
    Parameter(
        "joint_zeta",
        "joint_damping_ratio",
        "damping ratio of the moving mass on the joint",
        0.1,
        low=0.0,
        high=10.0,
    ),
    Parameter(
        "moving_mass",
        "moving_mass_kg",
        "all that moves behind the joint, the mock-up included; needed with an elastic joint",
        0.0,
        unit="kg",
        low=0.0,
        high=1e6,
    ),
)
