"""`Params`, the prepared parameters that every cycle needs, and `Memory`, the map of `mem`.

vector.prepare derives both from the parameter vector once per run. What few scenarios need stays in
the vector and is read where it is wanted (docs/decisions/13-what-a-loop-holds.md).
"""

from __future__ import annotations

from typing import NamedTuple

from softdock.compile.features import Every, Plain
from softdock.loop.contact.pair import KnownPair, Pairs
from softdock.loop.flags import Flags
from softdock.loop.robots.robot import Chance, Follower
from softdock.loop.sensor.force_torque import Sampling
from softdock.loop.spatial.rigid_body import BodyParams

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
    reports: int  # filters, the target's reading, measured poses and twists (memory.py: REPORTS)
    samples: int
    poses: int
    command_slots: int
    commands: int  # set-points that were sent, of both robots: what a tool's inertia is taken from
    latches: int  # a `latch_state` each


class Params(NamedTuple):
    """What every cycle needs, derived from the vector. What few scenarios need stays in the vector
    and is prepared where it is wanted: this keeps the loop's registers, and the time to compile it,
    for what is always there."""

    T: float  # s
    duration: float  # s
    plant_steps: int
    chance: Chance
    integrator: int
    chaser: BodyParams
    target: BodyParams
    chaser_robot: Follower
    target_robot: Follower
    sensor: Sampling
    stop_force: float  # N; NO_LIMIT: none
    stop_torque: float  # Nm
    pairs: Pairs | KnownPair
    memory: Memory
    merge_window: float  # s; real contacts closer than this are one
    methods: tuple
    features: Plain | Every  # its type says what is compiled
    flags: Flags  # what the run has or has not
    latches: int  # how many may hold the mock-ups together
