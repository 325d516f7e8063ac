"""State of the simulated facility at t_k (`Facility`) and over one cycle (`Stretch`), and where
both stand in the loop's flat state. World axes, SI.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from softdock.compile.cells import layout_of
from softdock.loop.spatial.motion import Motion, Wrench


class Facility(NamedTuple):
    """State of the simulated facility at t_k. What few rigs need (filters, a second reading, late
    poses) is in `mem` (loop/memory.py: REPORTS)."""

    chaser: Annotated[Motion, "", "the chaser's mock-up, truly"]
    target: Annotated[Motion, "", "the target's mock-up, truly"]
    true_chaser: Annotated[Wrench, "N, Nm", "of the contact on the chaser's mock-up now"]
    true_target: Annotated[Wrench, "N, Nm", "of the contact on the target's mock-up now"]
    dissipating: Annotated[float, "W", "power lost in the contact now"]
    samples: Annotated[int, "-", "force samples taken since the start"]
    handed: Annotated[int, "-", "number of the newest sample handed over"]
    reading_time: Annotated[float, "s", "of the reading"]
    seen_time: Annotated[float, "s", "of the measured poses"]
    reading: Annotated[
        Wrench,
        "N, Nm",
        "handed to the controller, about the centre of mass, world axes: the chaser's, or the only "
        "sensor's",
    ]


FACILITY = layout_of(Facility)


class Stretch(NamedTuple):
    """The facility within a cycle: where it is, and what has happened since t_k."""

    chaser: Motion
    target: Motion
    true_chaser: Wrench
    true_target: Wrench
    dissipating: float  # W
    samples: int
    mean_chaser: Wrench
    mean_target: Wrench
    absorbed: float  # J
    stored: float  # J
    dissipated: float  # J
    touched: bool
    first_touch: float  # s
    last_touch: float  # s
    pair: int
    depth: float  # m
    peak_squared: float  # N^2
    peak_torque_squared: float  # (Nm)^2
    sampled: Wrench  # by the chaser's sensor, last


class Felt(NamedTuple):
    """One mock-up over the plant's step that ends with a sample."""

    contact: Wrench  # on it, at the end
    was: Motion  # at the begin
    motion: Motion  # at the end


class Tick(NamedTuple):
    """An instant at which the sensors sample."""

    k: int  # cycle
    sample: int  # number of the sample from the start
    t: float  # s
    dt: float  # s, the plant's step that ends here
