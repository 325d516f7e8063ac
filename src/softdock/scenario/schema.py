"""The shape of a scenario: which tables there are, and which group of definitions each one holds.

Everything a user may write derives from here: loading, checks, the reference page, the sweeps of a campaign.
"""

from __future__ import annotations

from typing import NamedTuple

from softdock.contact.pairs import MOST_PAIRS, PAIR
from softdock.layout import (
    CHASER_AT,
    CHASER_ROBOT_AT,
    PAIRS_AT,
    RANDOM,
    RANDOM_AT,
    SATELLITES_AT,
    SENSOR_AT,
    TARGET_AT,
    TARGET_ROBOT_AT,
    TIME,
    TIME_AT,
)
from softdock.parameters import Group
from softdock.robots.delay import ROBOT
from softdock.satellites import SATELLITES
from softdock.sensor.force_torque import SENSOR
from softdock.spatial.rigid_body import BODY

SCHEMA_VERSION = 1


class Table(NamedTuple):
    """A table of a scenario file and where its numbers stand in the vector."""

    path: str  # dotted
    group: Group
    base: int


TABLES = (
    Table("time", TIME, TIME_AT),
    Table("random", RANDOM, RANDOM_AT),
    Table("satellites", SATELLITES, SATELLITES_AT),
    Table("chaser", BODY, CHASER_AT),
    Table("target", BODY, TARGET_AT),
    Table("robots.chaser", ROBOT, CHASER_ROBOT_AT),
    Table("robots.target", ROBOT, TARGET_ROBOT_AT),
    Table("sensor", SENSOR, SENSOR_AT),
)
PAIR_TABLE = "contact"  # an array of tables, one per pair
METHOD_TABLE = "methods"  # an array of tables, in the order in which they apply

TOP_LEVEL = {
    "schema": "version of the scenario format",
    "name": "short name",
    "description": "what this scenario shows",
    "allow_unresolved": "true: run although a contact is shorter than 1.6 cycles",
}


def pair_base(index: int) -> int:
    """First number of a contact pair in the vector."""
    if not 0 <= index < MOST_PAIRS:
        raise IndexError(index)
    return PAIRS_AT + index * PAIR.size
