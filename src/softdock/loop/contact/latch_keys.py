"""Keys of a latch, `[[capture.latch]]`: what it holds with, how it pulls in, what it bears."""

from __future__ import annotations

import math

from softdock.loop.parameters import Group, Parameter

MOST_LATCHES = 4


def _law(which: str, end: str, when: tuple[str, tuple[str, ...]] | None) -> tuple[Parameter, ...]:
    """Stiffness and damping along and about the target's axes, once the latch is hard."""

    def three(name: str, key: str, meaning: str, unit: str, default: object) -> Parameter:
        return Parameter(
            f"{which}_{name}",
            f"{which}.{key}",
            f"{meaning}, target axes{end}",
            default,
            unit=unit,
            low=0.0,
            high=1e9,
            size=3,
            when=when,
        )

    none = (0.0, 0.0, 0.0)
    return (
        three("along", "stiffness_N_per_m", "stiffness along", "N/m", None),
        three("along_damping", "damping_Ns_per_m", "damping along", "Ns/m", none),
        three("about", "stiffness_Nm_per_rad", "stiffness about", "Nm/rad", none),
        three("about_damping", "damping_Nms_per_rad", "damping about", "Nms/rad", none),
    )


LATCH = Group(
    "latch",
    "A latch between the tip of a contact pair and its seat: engages there by the conditions of "
    "[capture], pulls in, goes hard, and may break.",
    Parameter("pair", "pair", "contact pair whose tip is held", 0, low=0, high=3, kind="integer"),
    Parameter(
        "place",
        "place_m",
        "where the tip's centre is when docked, from the target's centre of mass, target axes; at "
        "the pair's seat",
        unit="m",
        low=-1e3,
        high=1e3,
        size=3,
    ),
    Parameter(
        "attitude",
        "attitude_wxyz",
        "the chaser's attitude when docked, target from chaser",
        (1.0, 0.0, 0.0, 0.0),
        size=4,
        kind="quaternion",
    ),
    Parameter(
        "range",
        "range_m",
        "engages only with the tip this near to its docked place; 0: a cone's bottom radius and "
        "twice capture.within_m, at a wall or a sphere the tip's radius and ten times "
        "capture.within_m",
        0.0,
        unit="m",
        low=0.0,
        high=1e3,
    ),
    Parameter(
        "tilt",
        "range_deg",
        "and with the chaser turned from its docked attitude by at most this; 0: a cone's half "
        "angle, at a wall or a sphere 20 deg",
        0.0,
        unit="deg",
        low=0.0,
        high=180.0,
        scale=math.pi / 180.0,
    ),
    *_law("real", " (the mock-ups' latch)", None),
    Parameter(
        "wanted_law",
        "wanted.law",
        "the latch wanted in orbit: the real one's numbers, or its own",
        "same_as_real",
        choices=("same_as_real", "own"),
    ),
    *_law("wanted", " (in orbit)", ("wanted.law", ("own",))),
    Parameter(
        "soft_share",
        "soft_share",
        "of stiffness and damping while it pulls in (soft dock); 1: as hard as afterwards",
        1.0,
        low=0.0,
        high=1.0,
        open_low=True,
    ),
    Parameter(
        "pull_in",
        "pull_in_s",
        "time from the pose at which it engages to the docked one (hard dock); 0: holds the pose "
        "at which it engages, and is hard at once",
        0.0,
        unit="s",
        low=0.0,
        high=1e4,
    ),
    Parameter(
        "break_force",
        "break_force_N",
        "force that opens it for good; 0: none",
        0.0,
        unit="N",
        low=0.0,
        high=1e9,
    ),
    Parameter(
        "break_torque",
        "break_torque_Nm",
        "torque at its place that opens it for good; 0: none",
        0.0,
        unit="Nm",
        low=0.0,
        high=1e9,
    ),
)
LATCH_KEYS = LATCH.size  # floats of one in the vector
