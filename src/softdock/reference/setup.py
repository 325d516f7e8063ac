"""What stays the same in a run of orbit, prepared once from the parameter vector: the bodies,
schedules and lengths of steps in `Setup`; in `mem` the pairs with the wanted law, and behind them
the steepest slope of each.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.compile.jit import by_type, compiled, noinline
from softdock.loop.contact.latch import LATCH_FLOATS
from softdock.loop.contact.laws import steepest_slope
from softdock.loop.contact.pair import PAIR_FLOATS, kind_in, load_pair
from softdock.loop.keys import MEMORY, TIME
from softdock.loop.method.hooks import any_external
from softdock.loop.method.in_orbit import prepare_pushing
from softdock.loop.schedules import Schedule, schedule_at
from softdock.loop.spatial.rigid_body import (
    Body,
    BodyParams,
    initial_body,
    kinetic_energy,
    prepare_body,
)
from softdock.loop.spatial.vectors import symmetric_inverse
from softdock.loop.tide import has_tide
from softdock.loop.vector import (
    CHASER_AT,
    CHASER_EXTERNAL_AT,
    CHASER_HAND_AT,
    MEMORY_AT,
    ORBIT_AT,
    PAIRS_MEM,
    TARGET_AT,
    TARGET_EXTERNAL_AT,
    TARGET_HAND_AT,
    TIME_AT,
    forget_bristles,
    store_pairs,
)
from softdock.reference.attached import Latches, Networks, NoLatches, NoNetworks
from softdock.reference.networks import find_networks
from softdock.reference.servicer import (
    InOrbitServicer,
    NoServicer,
    find_servicer_in_orbit,
    memory_of_servicer,
)

# Step lengths. With 0.01 a contact takes 314 steps and a lossless spring gives back its energy to
# some 1e-12.
FINE = 0.01  # of 1/w, w the fastest frequency of the touches under way (damping rates added)
FINE_WITH_AN_ARM = 0.004  # its effective mass changes during a touch: free joints to 1e-11
# rad that a body of unequal moments, or pushed, turns in a step: attitude to 1e-12 over some turns
FINE_TURN = 0.004
WHOLE_TURN = 1.0  # rad; equal moments turn steadily, and the step is exact
EQUAL = 1e-13  # of the mean moment: spread below which moments are equal


class Both(NamedTuple):
    """Both bodies."""

    chaser: Body
    target: Body


class Schedules(NamedTuple):
    """What acts on the satellites from outside."""

    chaser_external: Schedule
    chaser_hand: Schedule
    target_external: Schedule
    target_hand: Schedule


class Setup(NamedTuple):
    chaser: BodyParams
    target: BodyParams
    schedules: Schedules
    pairs: int
    nimble_chaser: float  # 1/(kg m^2), upper bound of the largest inverse moment; 0 if fixed
    nimble_target: float
    turn: float  # rad that a body may turn in a step
    fine: float  # FINE, or a multiple of it
    networks: (
        NoNetworks | Networks
    )  # that are part of satellites; the type says whether there may be any
    servicer: NoServicer | InOrbitServicer  # the same of a servicer with an arm
    T: float  # s, the control cycle
    tide: bool
    methods: tuple  # that push from outside (sampled.py)
    latches: NoLatches | Latches  # the type says whether there are any


@compiled
def pair_at(i):
    return PAIRS_MEM + i * PAIR_FLOATS


@compiled
def steepest_at(pairs, i):
    """Behind the pairs stands the steepest slope of each law [N/m]."""
    return pair_at(pairs) + i


@compiled
def _soft_steepest(pair):
    """Upper bound for a tip held by springs [N/m]: the trace of their stiffness in series with the
    surface."""
    K = symmetric_inverse(pair.compliance)
    return 1.0 / (1.0 / pair.law.stiffness + 1.0 / (K[0] + K[1] + K[2]))


@compiled
def _nimble(params):
    """Upper bound of the largest eigenvalue of the inverse inertia, exact for equal moments; and
    how unequal they are."""
    if params.fixed:
        return 0.0, 0.0
    m = params.inverse_inertia
    mean = (m[0] + m[1] + m[2]) / 3.0
    x, y, z = m[0] - mean, m[1] - mean, m[2] - mean
    spread = x * x + y * y + z * z + 2.0 * (m[3] * m[3] + m[4] * m[4] + m[5] * m[5])
    return mean + math.sqrt(spread * 2.0 / 3.0), math.sqrt(spread) / mean


@compiled
def _found_latches(marker, number, memory):
    return Latches(number, memory)


@compiled
def _no_latches(marker, number, memory):
    return marker


@by_type(lambda cls: _found_latches if cls is Latches else _no_latches)
def find_latches(marker, number, memory):
    """Latches of a scenario, their states behind `memory`."""


@noinline
def prepare_reference(marker, vector, mem, coarser):
    """`marker`: an InOrbit; `mem`: zeros, PAIR_FLOATS + 1 for each pair behind
    PAIRS_MEM, then the networks'; `coarser`: factor on all steps."""
    chaser, target = prepare_body(vector, CHASER_AT), prepare_body(vector, TARGET_AT)
    schedules = Schedules(
        schedule_at(vector, CHASER_EXTERNAL_AT),
        schedule_at(vector, CHASER_HAND_AT),
        schedule_at(vector, TARGET_EXTERNAL_AT),
        schedule_at(vector, TARGET_HAND_AT),
    )
    pairs = int(MEMORY(vector, MEMORY_AT).pair_count)
    behind = steepest_at(pairs, pairs)
    number = int(MEMORY(vector, MEMORY_AT).latch_count)
    bristles = behind + number * LATCH_FLOATS
    store_pairs(vector, mem, pairs, True, bristles)
    forget_bristles(vector, mem, bristles)
    for i in range(pairs):
        pair = load_pair(mem, pair_at(i), kind_in(mem, pair_at(i)))
        mem[steepest_at(pairs, i)] = (
            _soft_steepest(pair) if pair.soft else steepest_slope(vector, pair.law)
        )
    nimble_chaser, uneven_chaser = _nimble(chaser)
    nimble_target, uneven_target = _nimble(target)
    s = schedules
    tide = has_tide(vector, ORBIT_AT)
    pushed = (
        s.chaser_external.rows + s.chaser_hand.rows + s.target_external.rows + s.target_hand.rows
        > 0
        or tide
        or any_external(marker.methods)
    )
    turn = FINE_TURN if pushed or max(uneven_chaser, uneven_target) > EQUAL else WHOLE_TURN
    arm = bristles + int(MEMORY(vector, MEMORY_AT).tip_floats)
    servicer = find_servicer_in_orbit(marker.servicer, vector, arm)
    networks = find_networks(marker.networks, vector, arm + memory_of_servicer(servicer))
    return Setup(
        chaser=chaser,
        target=target,
        schedules=schedules,
        pairs=pairs,
        nimble_chaser=nimble_chaser,
        nimble_target=nimble_target,
        turn=coarser * turn,
        fine=coarser * (FINE_WITH_AN_ARM if memory_of_servicer(servicer) > 0 else FINE),
        networks=networks,
        servicer=servicer,
        T=TIME(vector, TIME_AT).cycle,
        tide=tide,
        methods=prepare_pushing(marker.methods, marker.slots, vector),
        latches=find_latches(marker.latches, number, behind),
    )


@compiled
def start_orbit(vector, setup):
    """Both bodies at t = 0."""
    return Both(
        initial_body(setup.chaser, vector, CHASER_AT), initial_body(setup.target, vector, TARGET_AT)
    )


@compiled
def kinetic(setup, both):
    """Kinetic energy of both bodies, world frame [J]."""
    return kinetic_energy(setup.chaser, both.chaser) + kinetic_energy(setup.target, both.target)
