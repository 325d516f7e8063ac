"""From the parameter vector to the prepared parameters of the loop: `prepare`, once per run.

In: the vector (vector_layout.py) and the classes of the methods. Out: `Params` (params.py), and the
contact pairs in `mem`. It is compiled and runs wherever the loop runs.
"""

from __future__ import annotations

from softdock.compile.generated import make_replacer
from softdock.compile.jit import compiled, noinline
from softdock.loop.contact.bristle import POSE_FLOATS, TIP_FLOATS
from softdock.loop.contact.latch import LATCH_FLOATS
from softdock.loop.contact.pair import KIND_BITS, PAIR_CELLS, PAIR_FLOATS, Pairs
from softdock.loop.contact.prepare import kind_of_pair, store_pair
from softdock.loop.contact.tips import tips_at
from softdock.loop.flags import Known, find_flags
from softdock.loop.keys import MEMORY, RANDOM, SCHEDULE, STOP, TIME
from softdock.loop.method.hooks import prepare_methods
from softdock.loop.params import NO_LIMIT, Memory, Params
from softdock.loop.robots.robot import (
    Chance,
    longest_delay,
    prepare_follower,
    prepare_robot,
)
from softdock.loop.satellites import SATELLITES
from softdock.loop.sensor.force_torque import ON_BOTH, prepare_sampling
from softdock.loop.sensor.mock_up import is_heavy
from softdock.loop.spatial.motion import MOTION_FLOATS, WRENCH_FLOATS
from softdock.loop.spatial.rigid_body import prepare_body
from softdock.loop.vector_layout import (
    BASES,
    CAPTURE_AT,
    CHASER_AT,
    CHASER_EXTERNAL_AT,
    CHASER_HAND_AT,
    CHASER_MOCK_UP_AT,
    CHASER_ROBOT_AT,
    LABORATORY_AT,
    LATCHES_AT,
    MAP,
    MEMORY_AT,
    METHODS_AT,
    ORBIT_AT,
    PAIR_SIZE,
    PAIRS_AT,
    PAIRS_MEM,
    PARTS,
    PEAK_FORCE_MEM,
    PEAK_SATELLITE_MEM,
    PEAK_TORQUE_MEM,
    POSE_AT,
    RANDOM_AT,
    RANDOMS,
    REACHES,
    REPORT_FLOATS,
    SATELLITES_AT,
    SENSOR_AT,
    STOP_AT,
    TARGET_AT,
    TARGET_EXTERNAL_AT,
    TARGET_HAND_AT,
    TARGET_MOCK_UP_AT,
    TARGET_ROBOT_AT,
    TIME_AT,
    TIMES,
)

__all__ = [
    "BASES",
    "CAPTURE_AT",
    "CHASER_AT",
    "CHASER_EXTERNAL_AT",
    "CHASER_HAND_AT",
    "CHASER_MOCK_UP_AT",
    "CHASER_ROBOT_AT",
    "LABORATORY_AT",
    "LATCHES_AT",
    "MAP",
    "MEMORY",
    "MEMORY_AT",
    "METHODS_AT",
    "NO_LIMIT",
    "ORBIT_AT",
    "PAIRS_AT",
    "PAIRS_MEM",
    "PAIR_SIZE",
    "PARTS",
    "PEAK_FORCE_MEM",
    "PEAK_SATELLITE_MEM",
    "PEAK_TORQUE_MEM",
    "POSE_AT",
    "RANDOM",
    "RANDOMS",
    "RANDOM_AT",
    "REACHES",
    "REPORT_FLOATS",
    "SATELLITES_AT",
    "SCHEDULE",
    "SENSOR_AT",
    "STOP_AT",
    "TARGET_AT",
    "TARGET_EXTERNAL_AT",
    "TARGET_HAND_AT",
    "TARGET_MOCK_UP_AT",
    "TARGET_ROBOT_AT",
    "TIME",
    "TIMES",
    "TIME_AT",
    "WRENCH_FLOATS",
    "Params",
]


with_methods = make_replacer(Params, "methods")  # (params, methods)


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
def memory_map(vector, pairs, latches, on):
    """Parts of `mem` one after the other; the methods' memory stands behind the last. `on`: which
    mock-ups have a force sensor."""
    keys = MEMORY(vector, MEMORY_AT)
    slots = int(keys.slots)
    sample_slots = int(keys.sample_slots)
    pose_slots = int(keys.pose_slots)
    robot_floats = int(keys.robot_floats)
    latch = PAIRS_MEM + pairs * PAIR_FLOATS
    history = latch + latches * LATCH_FLOATS + int(keys.tip_floats)
    robot = history + 2 * slots * MOTION_FLOATS
    reports = robot + 2 * robot_floats
    samples = reports + int(keys.report_floats)
    poses = samples + sample_slots * sample_floats(on)
    return Memory(
        slots=slots,
        sample_slots=sample_slots,
        pose_slots=pose_slots,
        chaser_history=history,
        target_history=history + slots * MOTION_FLOATS,
        chaser_robot=robot,
        target_robot=robot + robot_floats,
        reports=reports,
        samples=samples,
        poses=poses,
        command_slots=int(keys.command_slots),
        commands=poses + 2 * pose_slots * MOTION_FLOATS,
        latches=latch,
    )


@compiled
def prepare_pairs(vector, features):
    number = int(MEMORY(vector, MEMORY_AT).pair_count)
    kinds = 0
    for i in range(number):
        kinds += kind_of_pair(vector, PAIRS_AT + i * PAIR_SIZE, False) << (KIND_BITS * i)
    return Pairs(number, kinds, features)


@compiled
def prepare(vector, markers):
    """Parameter vector to `Params`. `markers`: features.Markers."""
    rig = prepare_rig(vector, markers.features)
    return with_methods(rig, prepare_methods(markers.methods, vector, METHODS_AT))


@noinline
def prepare_rig(vector, features):
    """`Params` without methods."""
    time, stop, random = TIME(vector, TIME_AT), STOP(vector, STOP_AT), RANDOM(vector, RANDOM_AT)
    T, duration, plant_steps = time.cycle, time.duration, int(time.plant_steps)
    sensor = prepare_sampling(vector, SENSOR_AT, T)
    chaser_heavy = is_heavy(vector, CHASER_MOCK_UP_AT)
    target_heavy = is_heavy(vector, TARGET_MOCK_UP_AT)
    longest = max(
        longest_delay(prepare_robot(vector, CHASER_ROBOT_AT, 0), duration),
        longest_delay(prepare_robot(vector, TARGET_ROBOT_AT, 1), duration),
    )
    pairs = prepare_pairs(vector, features)
    chaser_robot = prepare_follower(vector, CHASER_ROBOT_AT, 0, T, chaser_heavy)
    target_robot = prepare_follower(vector, TARGET_ROBOT_AT, 1, T, target_heavy)
    latches = int(MEMORY(vector, MEMORY_AT).latch_count)
    known = Known(
        T=T,
        plant_steps=plant_steps,
        sensor=sensor,
        chaser_robot=chaser_robot,
        target_robot=target_robot,
        features=features,
    )
    return Params(
        T=T,
        duration=duration,
        plant_steps=plant_steps,
        chance=Chance(int(random.seed), int(random.run)),
        integrator=int(SATELLITES(vector, SATELLITES_AT).integrator),
        chaser=prepare_body(vector, CHASER_AT),
        target=prepare_body(vector, TARGET_AT),
        chaser_robot=chaser_robot,
        target_robot=target_robot,
        sensor=sensor,
        stop_force=_limit(stop.force),
        stop_torque=_limit(stop.torque),
        pairs=pairs,
        memory=memory_map(vector, pairs.number, latches, sensor.on),
        merge_window=2.0 * (longest + sensor.delay),
        methods=(),
        features=features,
        flags=find_flags(vector, known),
        latches=latches,
    )


@noinline
def store_pairs(vector, mem, pairs, wanted, states):
    """Prepare all contact pairs into `mem`, with the real law or the one wanted in orbit; `states`:
    where the tips' bristles stand in it, if there are any."""
    keys = MEMORY(vector, MEMORY_AT)
    for i in range(pairs):
        at = PAIRS_MEM + i * PAIR_FLOATS
        store_pair(vector, PAIRS_AT + i * PAIR_SIZE, mem, at, wanted)
        if keys.tip_floats > 0.0:
            pair = PAIR_CELLS(mem, at)
            pair.states = states
            states += POSE_FLOATS + TIP_FLOATS * tips_at(pair.tips)


@compiled
def locate_bristles(vector, pairs):
    """Where those of the loop stand in `mem`."""
    latches = int(MEMORY(vector, MEMORY_AT).latch_count)
    return PAIRS_MEM + pairs * PAIR_FLOATS + latches * LATCH_FLOATS


@compiled
def forget_bristles(vector, mem, states):
    """Before the first instant of a run no bristle is stretched."""
    for i in range(int(MEMORY(vector, MEMORY_AT).tip_floats)):
        mem[states + i] = 0.0
