"""One control cycle, k -> k+1: the whole of softdock in the order in which it happens. Start
reading here.

       1 satellites --pose, twist--> 2 command --set-point--> 3 robots
            ^                                                    |  carry the mock-ups
            | wrench on the satellites                           v
       6 adaptation <--wrench------- 5 sensor <--force------ 4 contact

The controller (`control`) knows only what was measured at t_k. The facility (`facility.advance`) is
stages 3 to 5. `cycle` joins them and keeps the books. The single run, the batch on CPU threads, the
CUDA kernel and the loop stepped by hand all call these functions.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.core.adaptation.hooks import (
    add_wrenches,
    any_books,
    any_correct,
    any_external,
    any_lead,
    any_replaced,
    any_rewound,
    any_wrench,
    apply_correct,
    apply_set_point,
    apply_wrench,
    sum_external,
    sum_replaced,
    sum_rewound,
)
from softdock.core.adaptation.interface import (
    BOOK_DESIGNED,
    BOOK_VIRTUAL,
    STOP_REQUEST,
    Measured,
    Output,
    Rig,
    Satellites,
    Wrenches,
)
from softdock.core.command.laboratory import share_out
from softdock.core.contact import gap_rate, touch_apart
from softdock.core.contact_log import (
    Tracker,
    close_contact,
    gather,
    no_contact_yet,
    opened,
    parted,
    with_new_past,
)
from softdock.core.energy.ledger import Ledger, Rows, book, close_cycle, open_ledger
from softdock.core.energy.observed import observed_energy
from softdock.core.facility.simulated import Facility, advance, out_of_reach, recall, start_facility
from softdock.core.machine.compiled import apart, by_type, compiled
from softdock.core.machine.features import Every
from softdock.core.machine.vector import (
    CHASER_AT,
    CHASER_EXTERNAL_AT,
    CHASER_HAND_AT,
    LABORATORY_AT,
    NO_LIMIT,
    PAIRS_MEM,
    PEAK_FORCE_MEM,
    PEAK_TORQUE_MEM,
    TARGET_AT,
    TARGET_EXTERNAL_AT,
    TARGET_HAND_AT,
    store_pairs,
    without_methods,
)
from softdock.core.robots.history import push
from softdock.core.satellites import LIE_RK4, integrate
from softdock.core.schedules import schedule_at, scheduled
from softdock.core.sensor.force_torque import MEAN, ON_CHASER, ON_TARGET
from softdock.core.spatial.motion import (
    MOTION_FLOATS,
    Wrench,
    load_motion,
    load_wrench,
    no_wrench,
    opposite,
)
from softdock.core.spatial.rigid_body import body_rate, initial_body, kinetic_energy, motion_of
from softdock.core.spatial.vectors import add, dot, negate, norm, scale, subtract

COMPLETED, DIVERGED, FORCE_LIMIT, TORQUE_LIMIT, REACH_LIMIT, DEEP_AT_START, METHOD_STOP = (
    0,
    1,
    2,
    3,
    4,
    5,
    6,
)  # status of a run
STATUSES = (
    "completed",
    "diverged",
    "force limit",
    "torque limit",
    "reach limit",
    "deep in contact at the start",
    "stopped by a method",
)
DEEPEST_START = (
    1e-6  # m; bodies deeper in contact than this at t = 0 would bring energy from nowhere
)
FASTEST = 1e4  # m/s; a satellite faster than this has diverged
FASTEST_TURN = 1e3  # rad/s; likewise


class Loop(NamedTuple):
    """Everything that changes from cycle to cycle, at t_k."""

    satellites: Satellites
    command: Output  # set-points stamped t_k
    facility: Facility
    ledger: Ledger
    tracker: Tracker
    depth: float  # m, of the real contact; negative: the gap
    wrenches: Wrenches  # on the satellites over the cycle that ended at t_k
    status: int


class Controlled(NamedTuple):
    """What the controller did in one cycle."""

    wrenches: Wrenches  # from the measured touch, by the methods
    external: Wrenches
    integrated: Satellites
    corrected: Satellites
    command: Output


@compiled
def measure(params, mem, facility, satellites, t):
    """What was handed over at t_k, as wrenches on both satellites: equal and opposite about one
    common point, whichever sensor there is."""
    arm = subtract(satellites.chaser.p, satellites.target.p)
    chaser, mismatch = facility.reading, 0.0
    if params.sensor.on != ON_CHASER:
        chaser, mismatch = _of_target_or_both(
            params.sensor.on, load_wrench(mem, params.memory.second), facility.reading, arm
        )
    seen = Output(facility.chaser, facility.target)
    if not params.ideal_pose:
        seen = Output(
            load_motion(mem, params.memory.seen),
            load_motion(mem, params.memory.seen + MOTION_FLOATS),
        )
    wrenches = Wrenches(chaser, opposite(chaser, arm))
    return Measured(wrenches, seen, t - facility.reading_time, t - facility.seen_time, mismatch)


@apart
def _of_target_or_both(on, second, reading, arm):
    """The chaser's wrench from the target's sensor, or from half the difference of both [and how
    far they are from opposite, N]."""
    if on == ON_TARGET:
        return opposite(reading, negate(arm)), 0.0
    seen_by_target = opposite(second, negate(arm))
    force = scale(0.5, add(reading.force, seen_by_target.force))
    torque = scale(0.5, add(reading.torque, seen_by_target.torque))
    return Wrench(force, torque), norm(subtract(reading.force, seen_by_target.force))


@compiled
def _nothing_scheduled(features, vector, t, satellites):
    return Wrenches(no_wrench(), no_wrench())


@apart
def _scheduled_wrenches(features, vector, t, satellites):
    chaser = scheduled(vector, schedule_at(vector, CHASER_EXTERNAL_AT), t, satellites.chaser.q)
    return Wrenches(
        chaser, scheduled(vector, schedule_at(vector, TARGET_EXTERNAL_AT), t, satellites.target.q)
    )


@by_type(lambda cls: _scheduled_wrenches if cls is Every else _nothing_scheduled)
def scheduled_wrenches(features, vector, t, satellites):
    """What schedules push the satellites with at time t."""


@compiled
def external_wrenches(params, vector, mem, rig, satellites):
    """Thrusters, environment: schedules and plug-ins that act on the satellites directly, at the
    middle of the cycle."""
    given = Wrenches(no_wrench(), no_wrench())
    if params.external:
        given = scheduled_wrenches(params.features, vector, (rig.cycle + 0.5) * rig.T, satellites)
    return sum_external(params.methods, mem, rig, satellites, given)


@compiled
def lay_out(params, vector, output):
    """Stage 2: each robot carries its satellite's motion, or its share of the relative motion."""
    if not params.shared:
        return output
    chaser, target = share_out(params.features, vector, LABORATORY_AT, output.chaser, output.target)
    return Output(chaser, target)


@compiled
def control(params, vector, mem, k, satellites, measured):
    """The controller's part of a cycle: what was measured at t_k in; wrench, new satellites and
    set-points stamped t_{k+1} out."""
    rig = Rig(k, params.T, params.chaser, params.target)
    wrenches = apply_wrench(params.methods, mem, rig, measured, satellites, measured.wrenches)
    external = external_wrenches(params, vector, mem, rig, satellites)
    acting = (
        add_wrenches(wrenches, external)
        if params.external or any_external(params.methods)
        else wrenches
    )
    integrated = Satellites(
        integrate(params.integrator, params.chaser, params.T, satellites.chaser, acting.chaser),
        integrate(params.integrator, params.target, params.T, satellites.target, acting.target),
    )
    output = Output(
        motion_of(params.chaser, integrated.chaser), motion_of(params.target, integrated.target)
    )
    corrected, output = apply_correct(
        params.methods, mem, rig, measured, satellites, integrated, output
    )
    command = apply_set_point(
        params.methods, mem, rig, corrected, lay_out(without_methods(params), vector, output)
    )
    return Controlled(wrenches, external, integrated, corrected, command)


@compiled
def cycle(params, vector, loop, mem, log, k):
    """One cycle of the whole loop, with its books."""
    if any_books(params.methods):
        mem[BOOK_VIRTUAL] = 0.0
        mem[BOOK_DESIGNED] = 0.0
    rig = without_methods(params)
    here = recall(rig, mem, loop.facility, k)
    measured = measure(rig, mem, here, loop.satellites, k * params.T)
    done = control(params, vector, mem, k, loop.satellites, measured)  # stages 6, 1, 2
    facility, passage = advance(
        rig, vector, here, mem, k, done.command.chaser, done.command.target
    )  # stages 3, 4, 5

    ledger = keep_books(params, vector, loop, mem, k, measured, done, facility, passage)
    t = (k + 1) * params.T
    tracker = follow_contacts(params, loop, mem, log, passage, done, facility.reading_time, t)
    status = check_limits(rig, vector, done.corrected, facility, passage, ledger.kinetic)
    if status == COMPLETED and any_books(params.methods) and mem[STOP_REQUEST] != 0.0:
        status = METHOD_STOP
    return Loop(
        done.corrected,
        done.command,
        facility,
        ledger,
        tracker,
        passage.depth,
        done.wrenches,
        status,
    )


@compiled
def start(vector, params, mem):
    """The loop at t = 0: both bodies at their initial state, the robots having followed them in
    free flight.

    Also how deep the satellites are in contact [m], and which pair: more than `DEEPEST_START` is no
    start.
    """
    params = without_methods(params)
    satellites, facility, depth, pair = _settle(vector, params, mem)
    command = lay_out(
        params,
        vector,
        Output(
            motion_of(params.chaser, satellites.chaser), motion_of(params.target, satellites.target)
        ),
    )
    kinetic = kinetic_energy(params.chaser, satellites.chaser) + kinetic_energy(
        params.target, satellites.target
    )
    still = Wrenches(no_wrench(), no_wrench())
    return (
        Loop(
            satellites,
            command,
            facility,
            open_ledger(kinetic),
            no_contact_yet(),
            0.0,
            still,
            COMPLETED,
        ),
        depth,
        pair,
    )


@apart
def _settle(vector, params, mem):
    """Pairs and history into `mem`; satellites and facility at t = 0, and the satellites' deepest
    touch."""
    store_pairs(vector, mem, params.pairs.number, False)
    satellites = Satellites(
        initial_body(params.chaser, vector, CHASER_AT),
        initial_body(params.target, vector, TARGET_AT),
    )
    fill_history(params, vector, mem, satellites)
    both = Output(
        motion_of(params.chaser, satellites.chaser), motion_of(params.target, satellites.target)
    )
    touch = touch_apart(vector, mem, PAIRS_MEM, params.pairs, both.chaser, both.target)
    return satellites, start_facility(params, vector, mem), touch.depth, touch.pair


@apart
def fill_history(params, vector, mem, satellites):
    """Set-points before t = 0: the free flight that leads to the initial state."""
    m, nothing = params.memory, no_wrench()
    chaser, target = satellites.chaser, satellites.target
    for j in range(m.slots):
        command = lay_out(
            params,
            vector,
            Output(motion_of(params.chaser, chaser), motion_of(params.target, target)),
        )
        push(mem, m.chaser_history, m.slots, -j, command.chaser)
        push(mem, m.target_history, m.slots, -j, command.target)
        chaser = integrate(LIE_RK4, params.chaser, -params.T, chaser, nothing)
        target = integrate(LIE_RK4, params.target, -params.T, target, nothing)


@compiled
def keep_books(params, vector, loop, mem, k, measured, done, facility, passage):
    """The ledger's entry of one cycle. A hand that pushes a mock-up is felt by the sensor, and its
    work on the satellite counts as external."""
    before, after, meant = loop.satellites, done.corrected, measured.wrenches
    methods, pushed = params.methods, params.external or params.hands
    lead = params.shared or any_lead(methods)
    rows = Rows(
        any_wrench(methods),
        any_correct(methods),
        any_rewound(methods),
        any_books(methods),
        lead,
        pushed or any_external(methods),
    )
    hand = Wrenches(no_wrench(), no_wrench())
    if params.hands:
        hand = hand_wrenches(
            params.features, params.sensor.on, vector, (k + 0.5) * params.T, facility, before
        )
    chaser = book(
        rows,
        done.wrenches.chaser,
        done.external.chaser,
        hand.chaser,
        meant.chaser,
        passage.mean_chaser,
        before.chaser,
        after.chaser,
        loop.command.chaser,
        done.command.chaser,
    )
    target = book(
        rows,
        done.wrenches.target,
        done.external.target,
        hand.target,
        meant.target,
        passage.mean_target,
        before.target,
        after.target,
        loop.command.target,
        done.command.target,
    )
    integrated = done.integrated
    kinetic_integrated = kinetic_energy(params.chaser, integrated.chaser) + kinetic_energy(
        params.target, integrated.target
    )
    kinetic = kinetic_energy(params.chaser, after.chaser) + kinetic_energy(
        params.target, after.target
    )
    now = measure(without_methods(params), mem, facility, after, (k + 1) * params.T)
    designed = mem[BOOK_DESIGNED] if rows.books else 0.0
    if any_replaced(methods):  # the method booked the real work as measured; here it is known
        designed = passage.absorbed - sum_replaced(methods, mem).taken
    observed = observed_energy(params.T, done.wrenches, loop.command, done.command, measured, now)
    return close_cycle(
        rows,
        loop.ledger,
        chaser,
        target,
        kinetic_integrated,
        kinetic,
        passage.absorbed,
        passage.stored,
        passage.dissipated,
        observed,
        mem[BOOK_VIRTUAL] if rows.books else 0.0,
        designed,
        sum_rewound(methods, mem) if rows.rewound else 0.0,
    )


@compiled
def _no_hands(features, on, vector, t, facility, satellites):
    return Wrenches(no_wrench(), no_wrench())


@apart
def _hand_wrenches(features, on, vector, t, facility, satellites):
    """What the sensor there sees of it, and on the other body the opposite."""
    arm, none = subtract(satellites.chaser.p, satellites.target.p), no_wrench()
    chaser = (
        scheduled(vector, schedule_at(vector, CHASER_HAND_AT), t, facility.chaser.q)
        if on != ON_TARGET
        else none
    )
    target = (
        scheduled(vector, schedule_at(vector, TARGET_HAND_AT), t, facility.target.q)
        if on != ON_CHASER
        else none
    )
    if on == ON_TARGET:
        chaser = opposite(target, negate(arm))
    elif on != ON_CHASER:
        chaser = _of_target_or_both(on, target, chaser, arm)[0]
    return Wrenches(chaser, opposite(chaser, arm))


@by_type(lambda cls: _hand_wrenches if cls is Every else _no_hands)
def hand_wrenches(features, on, vector, t, facility, satellites):
    """What a hand on a mock-up does to the satellites."""


@compiled
def follow_contacts(params, loop, mem, log, passage, done, reading_time, t):
    """Open, continue or close the contact under way. The gap's rate after it is taken once no
    reading of the contact can act any more, nor a wanted contact that a method has put in its
    place."""
    tracker, wrenches, before, after = loop.tracker, done.wrenches, loop.satellites, done.corrected
    if not tracker.open and not passage.touched:
        return tracker
    if params.torques and passage.peak_torque_squared > mem[PEAK_TORQUE_MEM]:
        mem[PEAK_TORQUE_MEM] = passage.peak_torque_squared
    was, now = loop.command, done.command
    if params.shared or any_lead(params.methods):  # else the set-points are the satellites' motions
        was = Output(
            motion_of(params.chaser, before.chaser), motion_of(params.target, before.target)
        )
        now = Output(motion_of(params.chaser, after.chaser), motion_of(params.target, after.target))
    stale = (
        0.5 * params.T if params.sensor.handover == MEAN else 0.0
    )  # a mean's oldest sample: its stamp is that of its middle
    opens = not tracker.open
    parts = (
        not opens
        and not passage.touched
        and not tracker.apart
        and reading_time - stale > tracker.last_touch
    )
    if any_replaced(params.methods):
        parts = parts and not sum_replaced(params.methods, mem).acts
    rate = 0.0
    if opens or parts:
        rate = gap_rate(
            params.pairs,
            mem,
            PAIRS_MEM,
            passage.pair if opens else tracker.pair,
            now.chaser,
            now.target,
        )
    if opens:
        tracker = opened(tracker.closed, passage.first_touch, rate)
    tracker = gather(tracker, passage, params.T, wrenches, was, now)
    if any_replaced(params.methods):
        replaced = sum_replaced(params.methods, mem)
        if replaced.past_changed:
            tracker = with_new_past(tracker, replaced.impulse, replaced.peak_squared)
    if parts:
        tracker = parted(tracker, rate)
    if tracker.apart and t - tracker.last_touch >= params.merge_window:
        mem[PEAK_FORCE_MEM] = max(mem[PEAK_FORCE_MEM], tracker.peak_real_squared)
        tracker = close_contact(tracker, log)
    return tracker


@compiled
def is_sane(params, satellites, kinetic):
    """False for NaN, infinity, and speeds and rates no satellite has; `params`: both bodies'. The
    kinetic energy is NaN or infinite as soon as a velocity, a momentum or an attitude is; a
    position cannot be before its velocity is."""
    c, t = satellites.chaser, satellites.target
    turn_c, turn_t = body_rate(params.chaser, c.q, c.L), body_rate(params.target, t.q, t.L)
    return (
        kinetic < math.inf
        and max(dot(c.v, c.v), dot(t.v, t.v)) <= FASTEST * FASTEST
        and max(dot(turn_c, turn_c), dot(turn_t, turn_t)) <= FASTEST_TURN * FASTEST_TURN
    )


@compiled
def check_limits(params, vector, satellites, facility, passage, kinetic):
    """Whether the run may go on."""
    if not is_sane(params, satellites, kinetic):
        return DIVERGED
    if (
        params.stop_force < NO_LIMIT
        and passage.peak_squared > params.stop_force * params.stop_force
    ):
        return FORCE_LIMIT
    if (
        params.stop_torque < NO_LIMIT
        and passage.peak_torque_squared > params.stop_torque * params.stop_torque
    ):
        return TORQUE_LIMIT
    if params.bounded and out_of_reach(
        params.features, vector, facility.chaser.p, facility.target.p
    ):
        return REACH_LIMIT
    return COMPLETED
