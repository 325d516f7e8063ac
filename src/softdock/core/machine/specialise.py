"""The kind of a run: what decides which code it goes through, apart from how large its numbers are.

A CUDA kernel is compiled for one kind. What all runs of a batch have in common (integrator, robots,
shape and law of the contact, where everything stands in `mem`) is then a constant in it, and what
such runs never do is not in its code. Numbers that all runs share (`Numbers`) are arguments of the
kernel, which cost a thread neither a register nor memory, so a kernel serves every value of them.
What differs between the runs of a batch stays a variable of each. The CPU's doors are compiled
once, for every kind.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from softdock.core.contact.pairs import PAIR_FLOATS, KnownPair, Pairs, store_pair
from softdock.core.machine.compiled import compiled
from softdock.core.machine.vector import PAIRS_AT, Memory, Params
from softdock.core.robots.robot import Follower
from softdock.core.sensor.force_torque import Sampling
from softdock.core.spatial.rigid_body import BodyParams


class Kind(NamedTuple):
    """Whole numbers, flags as 0 and 1. Names as in `Params` and below it."""

    plant_steps: int
    single_rate: int
    on_stamps: int
    integrator: int
    chaser_fixed: int
    target_fixed: int
    chaser_even: int  # the same mass along every axis
    target_even: int
    shared: int
    chaser_interpolation: int
    chaser_steady: int
    chaser_cycles: int
    target_interpolation: int
    target_steady: int
    target_cycles: int
    on: int
    handover: int
    noisy: int
    plain: int
    prompt: int
    thresholded: int
    all_consumed: int
    direct: int
    chaser_light: int
    target_light: int
    chaser_heavy: int
    target_heavy: int
    elastic: int
    ideal_pose: int
    hands: int
    external: int
    bounded: int
    pairs: int
    pair_kinds: int
    slots: int
    sample_slots: int
    pose_slots: int
    chaser_history: int
    target_history: int
    chaser_robot: int
    target_robot: int
    filters: int
    second: int
    seen: int
    samples: int
    poses: int
    captures: int
    torques: int
    compares: int


class Numbers(NamedTuple):
    """What a run is prepared to, in groups of numbers that a batch has in common or not. Also
    whatever is said of each group."""

    clock: Any  # T, duration
    sensor: Any  # period, delay, noise of force and torque, threshold
    stop: Any  # force, torque
    window: Any  # merge window
    delays: Any  # of the robots
    chaser_mass: Any  # three masses, three inverses
    chaser_inertia: Any  # six moments, six of the inverse
    target_mass: Any
    target_inertia: Any
    pair: Any  # the first contact pair, as in `mem`


KIND_FIELDS = len(Kind._fields)
SIZES = Numbers(2, 5, 2, 1, 2, 6, 12, 6, 12, PAIR_FLOATS)  # floats in each group
NUMBER_FLOATS = sum(SIZES)


@compiled
def store_numbers(row, vector, p):
    """The numbers of one run, one after the other."""
    s, c, t = p.sensor, p.chaser, p.target
    singles = (
        p.T,
        p.duration,
        s.period,
        s.delay,
        s.noise_force,
        s.noise_torque,
        s.threshold,
        p.stop_force,
        p.stop_torque,
        p.merge_window,
    )
    at = 0
    for value in singles + (p.chaser_robot.delay, p.target_robot.delay):
        row[at] = value
        at += 1
    for value in (
        c.mass
        + c.inverse_mass
        + c.inertia
        + c.inverse_inertia
        + t.mass
        + t.inverse_mass
        + t.inertia
        + t.inverse_inertia
    ):
        row[at] = value
        at += 1
    if p.pairs.number > 0:
        store_pair(vector, PAIRS_AT, row, at, False)


@compiled
def _is_even(mass):
    return 1 if mass[0] == mass[1] == mass[2] else 0


@compiled
def kind_of(params):
    """The kind of one run."""
    p, c, t, s, m = params, params.chaser_robot, params.target_robot, params.sensor, params.memory
    return Kind(
        p.plant_steps,
        int(p.single_rate),
        int(p.on_stamps),
        p.integrator,
        int(p.chaser.fixed),
        int(p.target.fixed),
        _is_even(p.chaser.mass),
        _is_even(p.target.mass),
        int(p.shared),
        c.interpolation,
        int(c.steady),
        c.cycles,
        t.interpolation,
        int(t.steady),
        t.cycles,
        s.on,
        s.handover,
        int(s.noisy),
        int(s.plain),
        int(s.prompt),
        int(s.thresholded),
        int(s.all_consumed),
        int(s.direct),
        int(p.chaser_light),
        int(p.target_light),
        int(p.chaser_heavy),
        int(p.target_heavy),
        int(p.elastic),
        int(p.ideal_pose),
        int(p.hands),
        int(p.external),
        int(p.bounded),
        p.pairs.number,
        p.pairs.kinds,
        m.slots,
        m.sample_slots,
        m.pose_slots,
        m.chaser_history,
        m.target_history,
        m.chaser_robot,
        m.target_robot,
        m.filters,
        m.second,
        m.seen,
        m.samples,
        m.poses,
        int(p.captures),
        int(p.torques),
        int(p.compares),
    )


@compiled
def _either(common, constant, own):
    """The constant where all runs have it in common. `common` is a constant too: no branch
    remains."""
    return constant if common != 0 else own


@compiled
def of_kind(params, kind, common, numbers, shared):
    """The same parameters, with constants and the kernel's arguments for what the batch has in
    common; `common`: a `Kind` of ones and zeros, `shared`: a `Numbers` of them."""
    own = kind_of(params)
    k = Kind(
        _either(common.plant_steps, kind.plant_steps, own.plant_steps),
        _either(common.single_rate, kind.single_rate, own.single_rate),
        _either(common.on_stamps, kind.on_stamps, own.on_stamps),
        _either(common.integrator, kind.integrator, own.integrator),
        _either(common.chaser_fixed, kind.chaser_fixed, own.chaser_fixed),
        _either(common.target_fixed, kind.target_fixed, own.target_fixed),
        _either(common.chaser_even, kind.chaser_even, own.chaser_even),
        _either(common.target_even, kind.target_even, own.target_even),
        _either(common.shared, kind.shared, own.shared),
        _either(common.chaser_interpolation, kind.chaser_interpolation, own.chaser_interpolation),
        _either(common.chaser_steady, kind.chaser_steady, own.chaser_steady),
        _either(common.chaser_cycles, kind.chaser_cycles, own.chaser_cycles),
        _either(common.target_interpolation, kind.target_interpolation, own.target_interpolation),
        _either(common.target_steady, kind.target_steady, own.target_steady),
        _either(common.target_cycles, kind.target_cycles, own.target_cycles),
        _either(common.on, kind.on, own.on),
        _either(common.handover, kind.handover, own.handover),
        _either(common.noisy, kind.noisy, own.noisy),
        _either(common.plain, kind.plain, own.plain),
        _either(common.prompt, kind.prompt, own.prompt),
        _either(common.thresholded, kind.thresholded, own.thresholded),
        _either(common.all_consumed, kind.all_consumed, own.all_consumed),
        _either(common.direct, kind.direct, own.direct),
        _either(common.chaser_light, kind.chaser_light, own.chaser_light),
        _either(common.target_light, kind.target_light, own.target_light),
        _either(common.chaser_heavy, kind.chaser_heavy, own.chaser_heavy),
        _either(common.target_heavy, kind.target_heavy, own.target_heavy),
        _either(common.elastic, kind.elastic, own.elastic),
        _either(common.ideal_pose, kind.ideal_pose, own.ideal_pose),
        _either(common.hands, kind.hands, own.hands),
        _either(common.external, kind.external, own.external),
        _either(common.bounded, kind.bounded, own.bounded),
        _either(common.pairs, kind.pairs, own.pairs),
        _either(common.pair_kinds, kind.pair_kinds, own.pair_kinds),
        _either(common.slots, kind.slots, own.slots),
        _either(common.sample_slots, kind.sample_slots, own.sample_slots),
        _either(common.pose_slots, kind.pose_slots, own.pose_slots),
        _either(common.chaser_history, kind.chaser_history, own.chaser_history),
        _either(common.target_history, kind.target_history, own.target_history),
        _either(common.chaser_robot, kind.chaser_robot, own.chaser_robot),
        _either(common.target_robot, kind.target_robot, own.target_robot),
        _either(common.filters, kind.filters, own.filters),
        _either(common.second, kind.second, own.second),
        _either(common.seen, kind.seen, own.seen),
        _either(common.samples, kind.samples, own.samples),
        _either(common.poses, kind.poses, own.poses),
        _either(common.captures, kind.captures, own.captures),
        _either(common.torques, kind.torques, own.torques),
        _either(common.compares, kind.compares, own.compares),
    )
    p, c, t = params, params.chaser_robot, params.target_robot
    s = (
        numbers.sensor
        if shared.sensor != 0
        else (
            p.sensor.period,
            p.sensor.delay,
            p.sensor.noise_force,
            p.sensor.noise_torque,
            p.sensor.threshold,
        )
    )
    clock = numbers.clock if shared.clock != 0 else (p.T, p.duration)
    stop = numbers.stop if shared.stop != 0 else (p.stop_force, p.stop_torque)
    window = numbers.window[0] if shared.window != 0 else p.merge_window
    delays = numbers.delays if shared.delays != 0 else (c.delay, t.delay)
    memory = Memory(
        k.slots,
        k.sample_slots,
        k.pose_slots,
        k.chaser_history,
        k.target_history,
        k.chaser_robot,
        k.target_robot,
        k.filters,
        k.second,
        k.seen,
        k.samples,
        k.poses,
    )
    return Params(
        clock[0],
        clock[1],
        k.plant_steps,
        k.single_rate != 0,
        k.on_stamps != 0,
        p.chance,
        k.integrator,
        _body(
            p.chaser,
            k.chaser_fixed,
            k.chaser_even,
            numbers.chaser_mass,
            shared.chaser_mass,
            numbers.chaser_inertia,
            shared.chaser_inertia,
        ),
        _body(
            p.target,
            k.target_fixed,
            k.target_even,
            numbers.target_mass,
            shared.target_mass,
            numbers.target_inertia,
            shared.target_inertia,
        ),
        k.shared != 0,
        Follower(
            c.which,
            c.at,
            delays[0],
            k.chaser_interpolation,
            k.chaser_steady != 0,
            c.whole,
            k.chaser_cycles,
        ),
        Follower(
            t.which,
            t.at,
            delays[1],
            k.target_interpolation,
            k.target_steady != 0,
            t.whole,
            k.target_cycles,
        ),
        Sampling(
            k.on,
            s[0],
            s[1],
            k.handover,
            s[2],
            s[3],
            s[4],
            k.noisy != 0,
            k.plain != 0,
            k.all_consumed != 0,
            k.prompt != 0,
            k.thresholded != 0,
            k.direct != 0,
        ),
        k.chaser_light != 0,
        k.target_light != 0,
        k.chaser_heavy != 0,
        k.target_heavy != 0,
        k.elastic != 0,
        k.ideal_pose != 0,
        k.hands != 0,
        k.external != 0,
        stop[0],
        stop[1],
        k.bounded != 0,
        Pairs(k.pairs, k.pair_kinds, p.features),
        memory,
        window,
        p.methods,
        p.features,
        k.captures != 0,
        k.torques != 0,
        k.compares != 0,
    )


@compiled
def _body(body, fixed, even, mass, mass_shared, inertia, inertia_shared):
    m, i, J, K = body.mass, body.inverse_mass, body.inertia, body.inverse_inertia
    if mass_shared != 0:
        m, i = (mass[0], mass[1], mass[2]), (mass[3], mass[4], mass[5])
    if even != 0:  # one number in place of three
        m, i = (m[0], m[0], m[0]), (i[0], i[0], i[0])
    if inertia_shared != 0:
        n = inertia
        J, K = (n[0], n[1], n[2], n[3], n[4], n[5]), (n[6], n[7], n[8], n[9], n[10], n[11])
    return BodyParams(fixed != 0, m, i, J, K)


@compiled
def with_known_pair(params, numbers):
    """The same parameters, where all runs of a batch have one and the same contact pair."""
    p = params
    return Params(
        p.T,
        p.duration,
        p.plant_steps,
        p.single_rate,
        p.on_stamps,
        p.chance,
        p.integrator,
        p.chaser,
        p.target,
        p.shared,
        p.chaser_robot,
        p.target_robot,
        p.sensor,
        p.chaser_light,
        p.target_light,
        p.chaser_heavy,
        p.target_heavy,
        p.elastic,
        p.ideal_pose,
        p.hands,
        p.external,
        p.stop_force,
        p.stop_torque,
        p.bounded,
        KnownPair(p.pairs.number, p.pairs.kinds, p.features, numbers.pair),
        p.memory,
        p.merge_window,
        p.methods,
        p.features,
        p.captures,
        p.torques,
        p.compares,
    )
