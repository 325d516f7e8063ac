"""State of the simulated facility at t_k (`Facility`) and over one cycle (`Stretch`), and where
both stand in the loop's flat state. World axes, SI.
"""

from __future__ import annotations

from typing import NamedTuple

from softdock.compile.cells import Cell, Cells
from softdock.loop.spatial.motion import MOTION_FLOATS, WRENCH_FLOATS, Motion, Wrench


class Facility(NamedTuple):
    """State of the simulated facility at t_k. What few rigs need (filters, a second reading, late
    poses) is in `mem` (loop/params.py: Memory)."""

    chaser: Motion  # the mock-ups, truly
    target: Motion
    true_chaser: Wrench  # of the contact on each mock-up now
    true_target: Wrench
    dissipating: float  # W, in the contact now
    samples: int  # force samples taken since the start
    handed: int  # number of the newest sample delivered
    # handed to the controller, about the centre of mass, world axes: the chaser's, or the only
    # sensor's
    reading: Wrench
    reading_time: float  # s
    seen_time: float  # s, of the measured poses


FACILITY = Cells(
    "facility",
    Cell("chaser", MOTION_FLOATS, "", "the chaser's mock-up, truly: a `motion`"),
    Cell("target", MOTION_FLOATS, "", "the target's mock-up, truly: a `motion`"),
    Cell("true_chaser", WRENCH_FLOATS, "N, Nm", "of the contact on the chaser's mock-up"),
    Cell("true_target", WRENCH_FLOATS, "N, Nm", "of the contact on the target's mock-up"),
    Cell("dissipating", 1, "W", "power lost in the contact now"),
    Cell("samples", 1, "-", "force samples taken since the start"),
    Cell("handed", 1, "-", "number of the newest sample handed over"),
    Cell("reading_time", 1, "s", "of the reading"),
    Cell("seen_time", 1, "s", "of the measured poses"),
    Cell("reading", WRENCH_FLOATS, "N, Nm", "handed over: the chaser's, or the only sensor's"),
)


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
