"""Where everything stands in the parameter vector, and `prepare`: from the vector to what the loop
needs, once per run.

The vector is flat float64, the same for CPU and GPU; a sweep writes columns of it. `PARTS` lists
its groups in order; behind them stand the methods' parameters, and behind those the rows of tables
and schedules. `prepare` is compiled and runs wherever the loop runs.
"""

from __future__ import annotations

from typing import NamedTuple

from softdock.core.adaptation.hooks import prepare_methods
from softdock.core.command.laboratory import LABORATORY, is_shared
from softdock.core.contact.pairs import (
    KIND_BITS,
    MOST_PAIRS,
    PAIR,
    PAIR_FLOATS,
    KnownPair,
    Pairs,
    kind_of_pair,
    store_pair,
)
from softdock.core.contact.seat import CAPTURE, CAPTURES
from softdock.core.machine.compiled import apart, compiled
from softdock.core.machine.features import Every, Plain
from softdock.core.machine.parameters import Group, Parameter
from softdock.core.robots.robot import (
    ROBOT,
    Chance,
    Follower,
    is_elastic,
    longest_delay,
    prepare_follower,
    prepare_robot,
)
from softdock.core.satellites import SATELLITES
from softdock.core.schedules import schedule_at
from softdock.core.sensor.force_torque import ON_BOTH, SENSOR, Sampling, prepare_sampling
from softdock.core.sensor.mock_up import MOCK_UP, is_heavy
from softdock.core.sensor.pose import POSE, prepare_pose
from softdock.core.spatial.motion import MOTION_FLOATS
from softdock.core.spatial.rigid_body import BODY, BodyParams, prepare_body

TIME = Group(
    "time",
    "The clock.",
    Parameter("cycle", "cycle_ms", "control cycle T", 4.0, "ms", 0.01, 1000.0, scale=1e-3),
    Parameter("duration", "duration_s", "simulated time", None, "s", 0.0, 1e5, open_low=True),
    Parameter(
        "plant_steps",
        "plant_steps",
        "steps of the plant in one cycle, for the contact's work and the robots",
        1,
        low=1,
        high=1000,
        kind="integer",
    ),
)
RANDOM = Group(
    "random",
    "Random numbers: Philox, the same on every machine.",
    Parameter(
        "seed", "seed", "key of all random numbers", 0, low=0, high=2**32 - 1, kind="integer"
    ),
    Parameter(
        "run",
        "run",
        "index of the run, the second half of the key",
        0,
        low=0,
        high=2**32 - 1,
        kind="integer",
    ),
)
STOP = Group(
    "stop",
    "Limits that end a run with a status.",
    Parameter("force", "force_N", "largest true contact force; 0: no limit", 0.0, "N", 0.0, 1e9),
    Parameter(
        "torque",
        "torque_Nm",
        "largest true contact torque about either centre of mass; 0: no limit",
        0.0,
        "Nm",
        0.0,
        1e9,
    ),
)
SCHEDULE = Group(
    "schedule",
    "A wrench over time, about the centre of mass; linear between rows, zero outside. Rows "
    "here, or in a CSV file named by `csv`.",
    Parameter(
        "rows",
        "rows",
        "rows of time_s, fx_N, fy_N, fz_N, tx_Nm, ty_Nm, tz_Nm",
        (),
        "s, N, Nm",
        size=2,
        kind="schedule",
    ),
    Parameter("frame", "frame", "axes of the wrench", "world", choices=("world", "body")),
)
MEMORY = Group(
    "memory",
    "Sizes of the parts of `mem`. Written by softdock.",
    Parameter("pair_count", "pair_count", "number of contact pairs", 0),
    Parameter("slots", "slots", "set-points kept per robot", 0),
    Parameter("sample_slots", "sample_slots", "force samples kept", 1),
    Parameter("pose_slots", "pose_slots", "poses kept per mock-up", 0),
    Parameter("robot_floats", "robot_floats", "per robot, for accelerations and planning", 0),
    Parameter("report_floats", "report_floats", "for filters, a second reading and late poses", 0),
    Parameter(
        "orbit_networks",
        "orbit_networks",
        "where the list of networks that orbit has stands: how it has each, and where its "
        "method's keys begin",
        0,
    ),
    Parameter("orbit_network_count", "orbit_network_count", "how many", 0),
    Parameter("size", "size", "floats in all", 0),
    Parameter(
        "orbit_done",
        "orbit_done",
        "of a batch compared with orbit: when orbit has done with its contacts [s]; 0: it is "
        "not compared",
        0,
    ),
)

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
CAPTURE_AT = BASES["capture"]
PAIRS_AT, PAIR_SIZE = BASES["pairs"], PAIR.size
MEMORY_AT = PAIRS_AT + MOST_PAIRS * PAIR_SIZE
METHODS_AT = MEMORY_AT + MEMORY.size
TIMES, RANDOMS, MAP, CHOSEN = TIME.at, RANDOM.at, MEMORY.at, SATELLITES.at
STOPS, REACHES = STOP.at, ROBOT.at

# The fixed head of `mem`: two cells in which methods book virtual and designed work, one in which
# they ask to stop, two for the largest true force and
# torque so far (squared), then the contact pairs, and so on.
PEAK_FORCE_MEM, PEAK_TORQUE_MEM = (
    3,
    4,
)  # behind adaptation.interface.BOOK_VIRTUAL, BOOK_DESIGNED and STOP_REQUEST
PAIRS_MEM = 5
WRENCH_FLOATS = 6
REPORT_FLOATS = 12 + 6 + 2 * MOTION_FLOATS  # filters, the second reading, measured poses


NO_LIMIT = 1e300


class Memory(NamedTuple):
    """First float of each part of `mem`."""

    slots: int
    sample_slots: int
    pose_slots: int
    chaser_history: int
    target_history: int
    chaser_robot: int  # accelerations, room to plan, an elastic joint
    target_robot: int
    filters: int  # states of the two sensors' low-pass
    second: int  # the target's reading
    seen: int  # measured poses
    samples: int
    poses: int


class Params(NamedTuple):
    """What every cycle needs, derived from the vector. What few scenarios need stays in the vector
    and is prepared where it is wanted: this keeps the loop's registers, and the time to compile it,
    for what is always there."""

    T: float  # s
    duration: float  # s
    plant_steps: int
    single_rate: bool  # one plant step and one force sample a cycle
    on_stamps: bool  # and both mock-ups on a set-point at the end of each: delays of whole cycles
    chance: Chance
    integrator: int
    chaser: BodyParams
    target: BodyParams
    shared: bool  # the robots share the relative motion
    chaser_robot: Follower
    target_robot: Follower
    sensor: Sampling
    chaser_light: (
        bool  # nothing to weigh and no hand on the mock-up: the sensor feels the contact alone
    )
    target_light: bool
    chaser_heavy: bool  # the mock-up's inertia matters
    target_heavy: bool
    elastic: bool  # a robot has an elastic joint
    ideal_pose: bool  # poses are measured at once and exactly, and are the mock-ups'
    hands: bool  # a hand pushes a mock-up
    external: bool  # a schedule pushes a satellite
    stop_force: float  # N; NO_LIMIT: none
    stop_torque: float  # Nm
    bounded: bool  # a robot has a reach
    pairs: Pairs | KnownPair
    memory: Memory
    merge_window: float  # s; real contacts closer than this are one
    methods: tuple
    features: Plain | Every  # its type says what is compiled
    captures: bool  # the scenario asks for captures
    torques: bool  # the largest torque is kept
    # a batch is compared with orbit: the motion after the last contact is kept (settling.py)
    compares: bool


_METHODS = Params._fields.index("methods")
_BEHIND_METHODS = _METHODS + 1


@compiled
def with_methods(params, methods):
    """The same rig with these methods."""
    return Params(*params[:_METHODS], methods, *params[_BEHIND_METHODS:])  # type: ignore[call-arg]


@compiled
def without_methods(params):
    """The rig alone. Of one type whatever the methods are: what asks for no method takes this, and
    is compiled once for all lists of methods."""
    return with_methods(params, ())


@compiled
def _limit(value):
    return value if value > 0.0 else NO_LIMIT


@compiled
def sample_floats(on):
    """One sample of the force sensors: a wrench, or with both sensors the chaser's and the
    target's."""
    return 2 * WRENCH_FLOATS if on == ON_BOTH else WRENCH_FLOATS


@compiled
def memory_map(pairs, slots, sample_slots, on, robot_floats, report_floats, pose_slots):
    """Parts of `mem` one after the other; the methods' memory stands behind the last."""
    history = PAIRS_MEM + pairs * PAIR_FLOATS
    robot = history + 2 * slots * MOTION_FLOATS
    filters = robot + 2 * robot_floats
    samples = filters + report_floats
    return Memory(
        slots,
        sample_slots,
        pose_slots,
        history,
        history + slots * MOTION_FLOATS,
        robot,
        robot + robot_floats,
        filters,
        filters + 12,
        filters + 18,
        samples,
        samples + sample_slots * sample_floats(on),
    )


@compiled
def prepare_pairs(vector, features):
    number = int(vector[MEMORY_AT + MAP.pair_count])
    kinds = 0
    for i in range(number):
        kinds += kind_of_pair(vector, PAIRS_AT + i * PAIR_SIZE, False) << (KIND_BITS * i)
    return Pairs(number, kinds, features)


@compiled
def prepare(vector, markers):
    """Parameter vector to `Params`. `markers`: features.Markers."""
    rig = prepare_rig(vector, markers.features)
    return with_methods(rig, prepare_methods(markers.methods, vector, METHODS_AT))


@apart
def prepare_rig(vector, features):
    """`Params` without methods."""
    T = vector[TIME_AT + TIMES.cycle]
    duration = vector[TIME_AT + TIMES.duration]
    plant_steps = int(vector[TIME_AT + TIMES.plant_steps])
    sensor = prepare_sampling(vector, SENSOR_AT, T)
    chaser_heavy, target_heavy = (
        is_heavy(vector, CHASER_MOCK_UP_AT),
        is_heavy(vector, TARGET_MOCK_UP_AT),
    )
    chaser_hand, target_hand = (
        schedule_at(vector, CHASER_HAND_AT).rows > 0,
        schedule_at(vector, TARGET_HAND_AT).rows > 0,
    )
    external = (
        schedule_at(vector, CHASER_EXTERNAL_AT).rows > 0
        or schedule_at(vector, TARGET_EXTERNAL_AT).rows > 0
    )
    longest = max(
        longest_delay(prepare_robot(vector, CHASER_ROBOT_AT, 0), duration),
        longest_delay(prepare_robot(vector, TARGET_ROBOT_AT, 1), duration),
    )
    pairs = prepare_pairs(vector, features)
    chaser_robot = prepare_follower(vector, CHASER_ROBOT_AT, 0, T, chaser_heavy)
    target_robot = prepare_follower(vector, TARGET_ROBOT_AT, 1, T, target_heavy)
    elastic = is_elastic(vector, CHASER_ROBOT_AT) or is_elastic(vector, TARGET_ROBOT_AT)
    ideal_pose = prepare_pose(vector, POSE_AT).ideal and not elastic
    bounded = (
        vector[CHASER_ROBOT_AT + REACHES.reach] > 0.0
        or vector[TARGET_ROBOT_AT + REACHES.reach] > 0.0
    )
    chaser_light, target_light = (
        not chaser_heavy and not chaser_hand,
        not target_heavy and not target_hand,
    )
    hands = chaser_hand or target_hand
    single_rate = plant_steps == 1 and sensor.period == T
    on_stamps = single_rate and chaser_robot.whole and target_robot.whole
    slots, sample_slots = (
        int(vector[MEMORY_AT + MAP.slots]),
        int(vector[MEMORY_AT + MAP.sample_slots]),
    )
    robot_floats, report_floats = (
        int(vector[MEMORY_AT + MAP.robot_floats]),
        int(vector[MEMORY_AT + MAP.report_floats]),
    )
    return Params(
        T,
        duration,
        plant_steps,
        single_rate,
        on_stamps,
        Chance(int(vector[RANDOM_AT + RANDOMS.seed]), int(vector[RANDOM_AT + RANDOMS.run])),
        int(vector[SATELLITES_AT + CHOSEN.integrator]),
        prepare_body(vector, CHASER_AT),
        prepare_body(vector, TARGET_AT),
        is_shared(vector, LABORATORY_AT),
        chaser_robot,
        target_robot,
        sensor,
        chaser_light,
        target_light,
        chaser_heavy,
        target_heavy,
        elastic,
        ideal_pose,
        hands,
        external,
        _limit(vector[STOP_AT + STOPS.force]),
        _limit(vector[STOP_AT + STOPS.torque]),
        bounded,
        pairs,
        memory_map(
            pairs.number,
            slots,
            sample_slots,
            sensor.on,
            robot_floats,
            report_floats,
            int(vector[MEMORY_AT + MAP.pose_slots]),
        ),
        2.0 * (longest + sensor.delay),
        (),
        features,
        vector[CAPTURE_AT + CAPTURES.hold] > 0.0,
        vector[CAPTURE_AT + CAPTURES.torque] != 0.0,
        vector[MEMORY_AT + MAP.orbit_done] > 0.0,
    )


@apart
def store_pairs(vector, mem, pairs, wanted):
    """Prepare all contact pairs into `mem`, with the real law or the one wanted in orbit."""
    for i in range(pairs):
        store_pair(vector, PAIRS_AT + i * PAIR_SIZE, mem, PAIRS_MEM + i * PAIR_FLOATS, wanted)
