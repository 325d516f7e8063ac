"""Where everything stands in the parameter vector, and `prepare`: from the vector to what the loop needs, once per run.

The vector is flat float64, the same for CPU and GPU; a sweep writes columns of it. In order: time, random, satellites, chaser, target, robot of
each, sensor, contact pairs, memory map (written by softdock, not by users), methods. `prepare` is compiled and runs wherever the loop runs.
"""

from __future__ import annotations

from typing import NamedTuple

from softdock.adaptation.registry import prepare_methods
from softdock.compiled import compiled
from softdock.contact.pairs import MOST_PAIRS, PAIR, PAIR_FLOATS, store_pair
from softdock.parameters import Group, Parameter
from softdock.robots.delay import ROBOT, RobotParams, prepare_robot
from softdock.satellites import SATELLITES
from softdock.sensor.force_torque import SENSOR, SensorParams, prepare_sensor
from softdock.spatial.motion import MOTION_FLOATS
from softdock.spatial.rigid_body import BODY, BodyParams, prepare_body

TIME = Group(
    "time",
    "The clock.",
    Parameter("cycle", "cycle_ms", "control cycle T", 4.0, "ms", 0.01, 1000.0, scale=1e-3),
    Parameter("duration", "duration_s", "simulated time", None, "s", 0.0, 1e5, open_low=True),
    Parameter("plant_steps", "plant_steps", "steps of the plant in one cycle, for the contact's work", 1, low=1, high=1000, kind="integer"),
)
RANDOM = Group(
    "random",
    "Random numbers: Philox, the same on every machine.",
    Parameter("seed", "seed", "key of all random numbers", 0, low=0, high=2**32 - 1, kind="integer"),
    Parameter("run", "run", "index of the run, the second half of the key", 0, low=0, high=2**32 - 1, kind="integer"),
)
MEMORY = Group(
    "memory",
    "Where each part's slice of `mem` begins, in floats. Written by softdock.",
    Parameter("pair_count", "pair_count", "number of contact pairs", 0),
    Parameter("slots", "slots", "set-points kept per robot", 0),
    Parameter("size", "size", "floats in all", 0),
)

TIME_AT = 0
RANDOM_AT = TIME_AT + TIME.size
SATELLITES_AT = RANDOM_AT + RANDOM.size
CHASER_AT = SATELLITES_AT + SATELLITES.size
TARGET_AT = CHASER_AT + BODY.size
CHASER_ROBOT_AT = TARGET_AT + BODY.size
TARGET_ROBOT_AT = CHASER_ROBOT_AT + ROBOT.size
SENSOR_AT = TARGET_ROBOT_AT + ROBOT.size
PAIRS_AT = SENSOR_AT + SENSOR.size
PAIR_SIZE = PAIR.size
MEMORY_AT = PAIRS_AT + MOST_PAIRS * PAIR_SIZE
METHODS_AT = MEMORY_AT + MEMORY.size

# offsets as compile-time constants
TIMES, RANDOMS, MAP, CHOSEN = TIME.at, RANDOM.at, MEMORY.at, SATELLITES.at

# The fixed head of `mem`: two cells in which methods book virtual and designed work, then the contact pairs, then the set-points.
BOOKS = 0
PAIRS_MEM = 2


class Params(NamedTuple):
    """Everything a run needs, derived from the vector."""

    T: float  # s
    duration: float  # s
    plant_steps: int
    seed: int
    run: int
    integrator: int
    chaser: BodyParams
    target: BodyParams
    chaser_robot: RobotParams
    target_robot: RobotParams
    sensor: SensorParams
    pairs: int
    slots: int
    chaser_history: int  # first float in mem
    target_history: int
    merge_window: float  # s; real contacts closer than this are one
    methods: tuple


@compiled
def _longest_delay(robot, duration):
    """Upper bound of a robot's delay over the run [s]."""
    return robot.delay + max(robot.ramp, 0.0) * duration + robot.wobble


@compiled
def prepare(vector, markers):
    """Parameter vector to `Params`. `markers`: one per method, see adaptation/registry.py."""
    chaser_robot = prepare_robot(vector, CHASER_ROBOT_AT)
    target_robot = prepare_robot(vector, TARGET_ROBOT_AT)
    pairs = int(vector[MEMORY_AT + MAP.pair_count])
    slots = int(vector[MEMORY_AT + MAP.slots])
    chaser_history = PAIRS_MEM + pairs * PAIR_FLOATS
    duration = vector[TIME_AT + TIMES.duration]
    return Params(
        vector[TIME_AT + TIMES.cycle],
        duration,
        int(vector[TIME_AT + TIMES.plant_steps]),
        int(vector[RANDOM_AT + RANDOMS.seed]),
        int(vector[RANDOM_AT + RANDOMS.run]),
        int(vector[SATELLITES_AT + CHOSEN.integrator]),
        prepare_body(vector, CHASER_AT),
        prepare_body(vector, TARGET_AT),
        chaser_robot,
        target_robot,
        prepare_sensor(vector, SENSOR_AT),
        pairs,
        slots,
        chaser_history,
        chaser_history + slots * MOTION_FLOATS,
        2.0 * max(_longest_delay(chaser_robot, duration), _longest_delay(target_robot, duration)),
        prepare_methods(markers, vector, METHODS_AT),
    )


@compiled
def store_pairs(vector, mem, pairs, wanted):
    """Prepare all contact pairs into `mem`, with the real law or the one wanted in orbit."""
    for i in range(pairs):
        store_pair(vector, PAIRS_AT + i * PAIR_SIZE, mem, PAIRS_MEM + i * PAIR_FLOATS, wanted)
