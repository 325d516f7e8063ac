"""The key of coordinated axes (coordinated.py), one of a limited robot's."""

from __future__ import annotations

from softdock.loop.parameters import Parameter

COORDINATED = Parameter(
    "coordinated",
    "coordinated",
    "axes arrive together, and limits hold for the length of velocity, acceleration and jerk in "
    "place of each axis",
    False,
    kind="flag",
    when=("model", ("limited",)),
)
