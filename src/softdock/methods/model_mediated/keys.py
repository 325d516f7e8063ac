"""Keys of the method, and the NamedTuple that its hooks get: the keys, and what the method may know
of the sensor (period, averaging, tool, gravity), from the parameter vector. No key must be given:
the keys switch parts off, for their worth to be seen."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from softdock.compile.jit import compiled
from softdock.loop.bodies import CHASER, TARGET
from softdock.loop.elastic_joint import ELASTIC_JOINT
from softdock.loop.method.interface import CYCLE
from softdock.loop.mounting import ON_CHASER
from softdock.loop.parameters import Group, Parameter
from softdock.loop.spatial.rotations import normalise, rotate_back
from softdock.loop.spatial.vectors import Vector, load3, load4
from softdock.methods.measured.doubts import PLACES
from softdock.methods.model_mediated.elastic_joint import BelievedJoint


def _make_switch(name: str, meaning: str) -> Parameter:
    return Parameter(name, name, meaning, True, kind="flag")


MODEL_MEDIATED = Group(
    "model_mediated",
    "Identifies the contact's law from reports; it then acts on the satellites where they are.",
    _make_switch(
        "tare", "take the mean wrench of free flight off, and learn the noise from its scatter"
    ),
    _make_switch(
        "poses", "take a constant offset of reported poses from the set-points for their error"
    ),
    _make_switch("lead", "send set-points ahead by the delay that free flight shows"),
    _make_switch("damping", "identify a damper beside the spring"),
    _make_switch(
        "powers", "identify a power of the deflection, Hunt and Crossley's damping, a pre-load"
    ),
    _make_switch(
        "elements", "identify passive elements where none of the named laws explains the samples"
    ),
    _make_switch("lag", "identify the lag of a force sensor's low-pass, which no stamp tells of"),
    _make_switch("surface", "identify tilt and place of a wall or a ball that touches alone"),
    _make_switch("friction", "identify friction, and let it act at the satellites' own sliding"),
    _make_switch("rewind", "recompute the satellites' past when more is known of the law"),
    _make_switch(
        "ledger", "fall back to the energy ledger where nothing can be learnt, and bound by it"
    ),
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
        "joints",
        "joint_stiffness_N_per_m",
        "of the chaser's and the target's robot, assumed; 0, 0: the scenario's joints",
        (0.0, 0.0),
        unit="N/m",
        size=2,
        low=0.0,
        high=1e12,
    ),
    Parameter(
        "moving",
        "moving_mass_kg",
        "behind both, beside stiffnesses given here",
        (0.0, 0.0),
        unit="kg",
        size=2,
        low=0.0,
        high=1e6,
    ),
    Parameter(
        "zetas",
        "joint_damping_ratio",
        "of both, beside stiffnesses given here",
        (0.1, 0.1),
        size=2,
        low=0.0,
        high=10.0,
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
        "of_robots",
        "of_robots",
        "where the scenario's robots' joints stand in the vector; written by softdock",
        (0.0, 0.0),
        size=2,
        kind="joints",
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
SENSOR_ON = PLACES.at.on
CHASER_HAND, TARGET_HAND = PLACES.at.chaser_hand, PLACES.at.target_hand


class ModelMediated(NamedTuple):
    memory: int
    vector: Any
    pairs_at: int  # first pair in the vector; its shape is known, its law is not read
    number: int  # of pairs
    sensor_at: int  # of what is known of the sensor, in the vector
    on_chaser: bool  # its torque is about the chaser's mock-up
    hands: bool  # a person may push a mock-up
    gravity: Vector  # m/s^2, world axes; zero where the sensor is not on the chaser
    window: float  # s, from the first to the last of the samples whose mean a reading is; 0: of one
    scatter: float  # s, root mean square of their instants about the middle
    joints: tuple  # of the chaser's and the target's robot, assumed
    rows: int  # of the past, a row for each cycle that may be recomputed
    tare: bool
    poses: bool
    lead: bool
    damping: bool
    powers: bool
    elements: bool
    lag: bool
    surface: bool
    friction: bool
    rewind: bool
    ledger: bool


RIGID = BelievedJoint(0.0, 0.0, 0.0)
MARKER = ModelMediated(
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
    joints=(RIGID, RIGID),
    rows=0,
    tare=True,
    poses=True,
    lead=True,
    damping=True,
    powers=True,
    elements=True,
    lag=True,
    surface=True,
    friction=True,
    rewind=True,
    ledger=True,
)


def count_past_rows(values: Any, T: float) -> int:
    return math.ceil(values["rewind_s"] / T - 1e-9) + 2


@compiled
def find_window(v, period_at, handover_at):
    """Window of readings that are the mean of a cycle's samples: from the first to the last, and
    the root mean square of their instants about the middle [s]; zeros where a reading is one."""
    period = v[period_at]
    if v[handover_at] == 0.0 or period <= 0.0:
        return 0.0, 0.0
    samples = max(math.floor(v[CYCLE] / period + 0.5), 1.0)
    return (samples - 1.0) * period, period * math.sqrt((samples * samples - 1.0) / 12.0)


@compiled
def _count_rows(v, place):
    """Number of rows of a schedule; it stands where `place` says."""
    return v[int(place)]


@compiled
def _find_gravity(v, attitude_at, gravity_at, on_chaser):
    """Gravity in orbit's axes; zero where the tool is not the chaser's."""
    if not on_chaser:
        return (0.0, 0.0, 0.0)
    return rotate_back(normalise(load4(v, attitude_at)), load3(v, gravity_at))


@compiled
def _prepare_joint(v, keys, which):
    """One robot's joint: as given, or the scenario's."""
    if keys.joints[CHASER] > 0.0 or keys.joints[TARGET] > 0.0:
        return BelievedJoint(keys.joints[which], keys.moving[which], keys.zetas[which])
    joint = ELASTIC_JOINT(v, int(keys.of_robots[which]))
    return BelievedJoint(joint.joint_stiffness, joint.moving_mass, joint.joint_zeta)


@compiled
def prepare(marker, vector, base, memory):
    v, keys = vector, MODEL_MEDIATED(vector, base)
    period_at, handover_at = keys.averages
    pairs_at, pairs = keys.contacts
    attitude_at, gravity_at = keys.laboratory
    window, scatter = find_window(v, int(period_at), int(handover_at))
    on_chaser = int(v[int(keys.sensor[SENSOR_ON])]) == ON_CHASER
    hands = _count_rows(v, keys.sensor[CHASER_HAND]) + _count_rows(v, keys.sensor[TARGET_HAND])
    return ModelMediated(
        memory=memory,
        vector=vector,
        pairs_at=int(pairs_at),
        number=int(pairs),
        sensor_at=base + MODEL_MEDIATED.at.sensor,
        on_chaser=on_chaser,
        hands=hands > 0.0,
        gravity=_find_gravity(v, int(attitude_at), int(gravity_at), on_chaser),
        window=window,
        scatter=scatter,
        joints=(_prepare_joint(v, keys, CHASER), _prepare_joint(v, keys, TARGET)),
        rows=int(math.ceil(keys.past / vector[CYCLE] - 1e-9)) + 2,
        tare=keys.tare != 0.0,
        poses=keys.poses != 0.0,
        lead=keys.lead != 0.0,
        damping=keys.damping != 0.0,
        powers=keys.powers != 0.0,
        elements=keys.elements != 0.0,
        lag=keys.lag != 0.0,
        surface=keys.surface != 0.0,
        friction=keys.friction != 0.0,
        rewind=keys.rewind != 0.0,
        ledger=keys.ledger != 0.0,
    )
