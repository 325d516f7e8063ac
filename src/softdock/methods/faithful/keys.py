"""Keys of the method, and the NamedTuple that its hooks get. Nothing must be told: the keys switch
parts off, for their worth to be seen."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from softdock.loop.parameters import Group, Parameter


def _part(name: str, meaning: str) -> Parameter:
    return Parameter(name, name, meaning, True, kind="flag")


FAITHFUL = Group(
    "faithful",
    "The contact's law is identified from reports, and the satellites feel it where they are.",
    _part("tare", "take the mean wrench of free flight off, and learn the noise from its scatter"),
    _part("lead", "send set-points ahead by the delay that free flight shows"),
    _part("damping", "identify a damper beside the spring"),
    _part("powers", "identify a power of the deflection, Hunt and Crossley's damping, a pre-load"),
    _part("lag", "identify the lag of a force sensor's low-pass, which no stamp tells of"),
    _part("friction", "identify friction, and let it act at the satellites' own sliding"),
    _part("rewind", "recompute the satellites' past when more is known of the law"),
    _part("ledger", "fall back to the energy ledger where nothing can be learnt, and bound by it"),
    Parameter(
        "past",
        "rewind_s",
        "longest contact that is recomputed",
        3.0,
        unit="s",
        low=0.0,
        high=60.0,
    ),
    Parameter(
        "sensor",
        "sensor",
        "where the sensor's range, place and hands stand in the vector; written by softdock",
        (0.0,) * 6,
        size=6,
        kind="sensor",
    ),
    Parameter(
        "contacts",
        "contacts",
        "where the scenario's contact pairs stand in the vector, and how many; written by softdock",
        (0.0, 0.0),
        size=2,
        kind="contacts",
    ),
    Parameter(
        "averages",
        "averages",
        "where the sensor's period and hand-over stand in the vector; written by softdock",
        (0.0, 0.0),
        size=2,
        kind="averages",
    ),
    Parameter(
        "laboratory",
        "laboratory",
        "where the laboratory's axes and gravity stand in the vector; written by softdock",
        (0.0, 0.0),
        size=2,
        kind="laboratory",
    ),
)
AT = FAITHFUL.at


class Faithful(NamedTuple):
    memory: int
    vector: Any
    pairs_at: int  # first pair in the vector; its shape is known, its law is not read
    number: int  # of pairs
    sensor_at: int  # of what is known of the sensor, in the vector
    on_chaser: bool  # its torque is about the chaser's mock-up
    hands: bool  # a person may push a mock-up
    gravity: tuple  # m/s^2, world axes; zero where the sensor is not on the chaser
    window: float  # s, from the first to the last of the samples whose mean a reading is; 0: of one
    scatter: float  # s, root mean square of their instants about the middle
    rows: int  # of the past, a row for each cycle that may be recomputed
    tare: bool
    lead: bool
    damping: bool
    powers: bool
    lag: bool
    friction: bool
    rewind: bool
    ledger: bool


MARKER = Faithful(
    memory=0,
    vector=0,
    pairs_at=0,
    number=0,
    sensor_at=0,
    on_chaser=True,
    hands=False,
    gravity=(0.0, 0.0, 0.0),
    window=0.0,
    scatter=0.0,
    rows=0,
    tare=True,
    lead=True,
    damping=True,
    powers=True,
    lag=True,
    friction=True,
    rewind=True,
    ledger=True,
)


def past_rows(values: Any, T: float) -> int:
    return math.ceil(values["rewind_s"] / T - 1e-9) + 2
