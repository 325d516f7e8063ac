"""The series of a body that is bolted to the floor and that a log therefore does not mention: it
stands where it is said to stand, and no wrench moves it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from softdock.core.recorder.layout import CYCLE_GROUPS
from softdock.runs.series import Series

GROUPS = dict(CYCLE_GROUPS)
AXES, TURN = ("x", "y", "z"), ("w", "x", "y", "z")


def with_fixed_body(
    series: Series,
    body: str,
    position: Sequence[float] = (0.0, 0.0, 0.0),
    attitude: Sequence[float] = (1.0, 0.0, 0.0, 0.0),
) -> Series:
    """The series with the motion of a fixed body [m, wxyz]; as it is where any of it was logged."""
    cells = (body, f"command_{body}", f"seen_{body}_p", f"seen_{body}_q", f"satellite_{body}")
    channels = [channel for cell in cells for channel in GROUPS[cell]]
    if "time" not in series or any(channel.name in series for channel in channels):
        return series
    place = {f"position.{axis}": value for axis, value in zip(AXES, position, strict=True)}
    place |= {f"attitude.{axis}": value for axis, value in zip(TURN, attitude, strict=True)}
    at_rest = [place.get(".".join(c.name.split(".")[-2:]), 0.0) for c in channels]
    rows = np.hstack([series.rows, np.tile(at_rest, (len(series.rows), 1))])
    return Series(rows, [*series.channels, *channels])
