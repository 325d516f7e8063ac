"""Layout of the parameter vector: where every group of keys begins.

The vector is flat float64, the same for CPU and GPU; a sweep writes columns of it. `PARTS` lists
its groups in order. Behind them stand the methods' parameters, and behind those the rows of tables
and schedules.
"""

from __future__ import annotations

from softdock.loop.command import LABORATORY
from softdock.loop.contact.keys import MOST_PAIRS, PAIR
from softdock.loop.contact.latch_keys import LATCH, MOST_LATCHES
from softdock.loop.contact.seat import CAPTURE
from softdock.loop.keys import MEMORY, RANDOM, SCHEDULE, STOP, TIME
from softdock.loop.memory import HEAD, REPORTS
from softdock.loop.parameters import Group
from softdock.loop.robots.robot import ROBOT
from softdock.loop.satellites import SATELLITES
from softdock.loop.sensor.force_torque import SENSOR
from softdock.loop.sensor.mock_up import MOCK_UP
from softdock.loop.sensor.pose import POSE
from softdock.loop.spatial.rigid_body import BODY
from softdock.loop.tide import ORBIT

PARTS: tuple[tuple[str, Group], ...] = (
    ("time", TIME),
    ("random", RANDOM),
    ("satellites", SATELLITES),
    ("chaser", BODY),
    ("target", BODY),
    ("laboratory", LABORATORY),
    ("robots.chaser", ROBOT),
    ("robots.target", ROBOT),
    ("sensor", SENSOR),
    ("mock_up.chaser", MOCK_UP),
    ("mock_up.target", MOCK_UP),
    ("pose", POSE),
    ("hand.chaser", SCHEDULE),
    ("hand.target", SCHEDULE),
    ("external.chaser", SCHEDULE),
    ("external.target", SCHEDULE),
    ("stop", STOP),
    ("capture", CAPTURE),
    ("orbit", ORBIT),
)


def _bases() -> dict[str, int]:
    bases, at = {}, 0
    for name, group in PARTS:
        bases[name] = at
        at += group.size
    bases["pairs"] = at
    return bases


BASES = _bases()
# the same as compile-time constants
TIME_AT, RANDOM_AT, SATELLITES_AT = BASES["time"], BASES["random"], BASES["satellites"]
CHASER_AT, TARGET_AT, LABORATORY_AT = BASES["chaser"], BASES["target"], BASES["laboratory"]
CHASER_ROBOT_AT, TARGET_ROBOT_AT, SENSOR_AT = (
    BASES["robots.chaser"],
    BASES["robots.target"],
    BASES["sensor"],
)
CHASER_MOCK_UP_AT, TARGET_MOCK_UP_AT, POSE_AT = (
    BASES["mock_up.chaser"],
    BASES["mock_up.target"],
    BASES["pose"],
)
CHASER_HAND_AT, TARGET_HAND_AT = BASES["hand.chaser"], BASES["hand.target"]
CHASER_EXTERNAL_AT, TARGET_EXTERNAL_AT, STOP_AT = (
    BASES["external.chaser"],
    BASES["external.target"],
    BASES["stop"],
)
CAPTURE_AT, ORBIT_AT = BASES["capture"], BASES["orbit"]
PAIRS_AT, PAIR_SIZE = BASES["pairs"], PAIR.size
LATCHES_AT = PAIRS_AT + MOST_PAIRS * PAIR_SIZE
MEMORY_AT = LATCHES_AT + MOST_LATCHES * LATCH.size
METHODS_AT = MEMORY_AT + MEMORY.size
TIMES, RANDOMS, MAP, REACHES = TIME.at, RANDOM.at, MEMORY.at, ROBOT.at
PEAK_FORCE_MEM, PEAK_TORQUE_MEM = HEAD.at.peak_force, HEAD.at.peak_torque
PEAK_SATELLITE_MEM = HEAD.at.peak_satellite
PAIRS_MEM, REPORT_FLOATS, REPORTED = HEAD.size, REPORTS.size, REPORTS.at
