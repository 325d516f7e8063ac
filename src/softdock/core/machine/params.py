"""What every cycle needs, derived from the parameter vector, and where the parts of `mem` begin."""

from __future__ import annotations

from typing import NamedTuple

from softdock.core.machine.features import Every, Plain
from softdock.core.robots.robot import Chance, Follower
from softdock.core.sensor.force_torque import Sampling
from softdock.core.shapes.pair import KnownPair, Pairs
from softdock.core.spatial.rigid_body import BodyParams

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
    command_slots: int
    commands: int  # set-points that were sent, of both robots: what a tool's inertia is taken from
    twists: int  # last reported, and what they gained
    latches: int  # a `latch_state` each


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
    external: bool  # a schedule or the tide pushes a satellite
    tide: bool  # both are on an orbit
    stop_force: float  # N; NO_LIMIT: none
    stop_torque: float  # Nm
    bounded: bool  # a robot has a reach
    pairs: Pairs | KnownPair
    memory: Memory
    merge_window: float  # s; real contacts closer than this are one
    methods: tuple
    features: Plain | Every  # its type says what is compiled
    captures: bool  # the scenario asks for captures
    latches: int  # how many may hold the mock-ups together
    torques: bool  # the largest torque is kept
    # a batch is compared with orbit: the motion after the last contact is kept (settling.py)
    compares: bool
