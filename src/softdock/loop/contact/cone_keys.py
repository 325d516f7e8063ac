"""What a user writes of a cone."""

from __future__ import annotations

import math

from softdock.loop.parameters import Group, Parameter

_CONE = ("geometry", ("cone",))
KEYS = Group(
    "cone",
    "A truncated hollow cone.",
    Parameter(
        "mouth_radius",
        "mouth_radius_m",
        "inner radius at the mouth",
        None,
        unit="m",
        low=0.0,
        open_low=True,
        high=1e3,
        when=_CONE,
    ),
    Parameter(
        "bottom_radius",
        "bottom_radius_m",
        "inner radius at the bottom",
        None,
        unit="m",
        low=0.0,
        high=1e3,
        when=_CONE,
    ),
    Parameter(
        "half_angle",
        "half_angle_deg",
        "angle between axis and wall",
        None,
        unit="deg",
        low=0.0,
        high=89.0,
        open_low=True,
        scale=math.pi / 180.0,
        when=_CONE,
    ),
    Parameter(
        "thickness",
        "wall_thickness_m",
        "thickness of the wall",
        0.005,
        unit="m",
        low=0.0,
        open_low=True,
        high=1e3,
        when=_CONE,
    ),
    Parameter(
        "closed", "closed_bottom", "true: a plate closes the bottom", False, kind="flag", when=_CONE
    ),
)
AT = KEYS.at
