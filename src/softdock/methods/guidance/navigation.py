"""Navigation: the simulated state as the chaser would see it, late, seldom and wrong by noise and
bias.

In: both satellites at t_k. Out: a `Seen`, taken every `period` and delivered `delay` later: the tip
from the port with its velocity, the chaser's turn from its docked attitude and its rate, all
relative to the target and in its axes; the chaser's own attitude and rate (star tracker, gyros).
Noise is Philox's (chance.py): a function of seed, run and sample, the same in loop and orbit.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from softdock.compile.jit import compiled, noinline
from softdock.loop.chance import gaussians
from softdock.loop.method.interface import Rig, Satellites
from softdock.loop.spatial.rigid_body import body_rate
from softdock.loop.spatial.rotations import (
    exponential,
    inverse,
    logarithm,
    product,
    renormalise,
    rotate,
    rotate_back,
)
from softdock.loop.spatial.vectors import add, cross, dot, norm, scale, subtract
from softdock.loop.tables import IN_KEY
from softdock.loop.tide import has_tide, prepare_tide
from softdock.methods.guidance.keys import GUIDED, MOST_SAMPLES, PLACES, STATE

SOURCE = 100  # of the random numbers; sensors have the ones below
ROUNDING = 1e-9  # of a period


class Guided(NamedTuple):
    """What a guided approach is made of, prepared: field `guided` of a controller's NamedTuple."""

    memory: int
    numbers: Any  # the parameter vector
    thrusters: int  # where their rows begin in it
    thruster_count: int
    tip: tuple  # chaser axes
    port: tuple  # target axes
    axis: tuple  # unit vector, target axes
    docked: tuple  # q_TC when docked
    period: float
    delay: float
    noise: tuple
    bias_p: tuple
    bias_a: tuple
    thrust: float
    least: float
    keep: float  # share of the old thrust that is left after a cycle
    plume_off: float
    seed: int
    run: int
    turning: tuple  # rate of the orbit's axes, world axes [rad/s]


class Seen(NamedTuple):
    """One sample, as a controller gets it."""

    position: tuple  # m, tip from port, target axes
    velocity: tuple  # m/s, as seen from the target
    turn: tuple  # rad, of the chaser from its docked attitude, target axes
    rate: tuple  # rad/s, of the chaser against the target, target axes
    attitude: tuple  # q_WC
    own_rate: tuple  # rad/s, of the chaser, chaser axes
    to_target: tuple  # q_TC, from turn
    distance: float  # m, along the axis of the port
    time: float  # s, when it was taken


@compiled
def compute_turning(vector, base):
    """Rate of the orbit's axes, world axes [rad/s]; zero without an orbit."""
    if not has_tide(vector, base):
        return (0.0, 0.0, 0.0)
    tide = prepare_tide(vector, base)
    return scale(tide.n, cross(tide.radial, tide.along))


@compiled
def _compute_relative(g: Guided, rig: Rig, satellites: Satellites):
    """Position and velocity of the tip from the port, target axes; rates in world axes."""
    c, t = satellites.chaser, satellites.target
    arm, w_c = rotate(c.q, g.tip), rotate(c.q, body_rate(rig.chaser, c.q, c.L))
    w_t = rotate(t.q, body_rate(rig.target, t.q, t.L))
    apart_W = subtract(add(c.p, arm), t.p)
    v = subtract(add(c.v, cross(w_c, arm)), add(t.v, cross(w_t, apart_W)))
    p = subtract(rotate_back(t.q, apart_W), g.port)
    return p, rotate_back(t.q, v), w_c, w_t


@compiled
def _draw_noise(g: Guided, sample, source, sigma):
    n = gaussians(g.seed, g.run, sample, 0, SOURCE + source, 0)
    return scale(sigma, (n[0], n[1], n[2]))


@noinline
def take_sample(g: Guided, mem, rig: Rig, satellites: Satellites, number):
    """A sample into its place of the ring."""
    c, t = satellites.chaser, satellites.target
    p, v, w_c, w_t = _compute_relative(g, rig, satellites)
    turn = logarithm(product(product(inverse(t.q), c.q), inverse(g.docked)))
    sample = STATE(mem, g.memory).samples[number % MOST_SAMPLES]
    sample.position = add(add(p, g.bias_p), _draw_noise(g, number, 0, g.noise[0]))
    sample.velocity = add(v, _draw_noise(g, number, 1, g.noise[1]))
    sample.turn = add(add(turn, g.bias_a), _draw_noise(g, number, 2, g.noise[2]))
    rate = rotate_back(t.q, subtract(w_c, w_t))
    sample.rate = add(rate, _draw_noise(g, number, 3, g.noise[3]))
    tilt = exponential(_draw_noise(g, number, 4, g.noise[2]))
    sample.attitude = renormalise(product(c.q, tilt))
    own = rotate_back(c.q, w_c)
    sample.own_rate = add(own, _draw_noise(g, number, 5, g.noise[3]))


@compiled
def find_due_sample(g: Guided, t):
    """Number of the newest sample that was taken by time t; negative: none."""
    return int(math.floor(t / g.period + ROUNDING))  # a float on a GPU


@noinline
def recall_sample(g: Guided, mem, number):
    sample = STATE(mem, g.memory).samples[number % MOST_SAMPLES]
    p, turn = sample.position, sample.turn
    return Seen(
        position=p,
        velocity=sample.velocity,
        turn=turn,
        rate=sample.rate,
        attitude=sample.attitude,
        own_rate=sample.own_rate,
        to_target=product(exponential(turn), g.docked),
        distance=dot(p, g.axis),
        time=number * g.period,
    )


@noinline
def compute_error(g: Guided, rig: Rig, satellites: Satellites, seen: Seen):
    """Position that was seen less the true one now, target axes [m]: noise, bias and age."""
    return subtract(seen.position, _compute_relative(g, rig, satellites)[0])


@noinline
def prepare_guided(vector, base, memory, T):
    keys, places = GUIDED(vector, base), PLACES(vector, base + GUIDED.at.places)
    docked, rise = keys.docked, keys.rise
    size = math.sqrt(
        docked[0] * docked[0]
        + docked[1] * docked[1]
        + docked[2] * docked[2]
        + docked[3] * docked[3]
    )
    keep = math.exp(-T / rise) if rise > 0.0 else 0.0
    return Guided(
        memory=memory,
        numbers=vector,
        thrusters=int(keys.rows[IN_KEY.at]),
        thruster_count=int(keys.rows[IN_KEY.rows]),
        tip=keys.tip,
        port=keys.port,
        axis=scale(1.0 / norm(keys.axis), keys.axis),
        docked=(docked[0] / size, docked[1] / size, docked[2] / size, docked[3] / size),
        period=keys.period,
        delay=keys.delay,
        noise=(keys.noise_p, keys.noise_v, keys.noise_a, keys.noise_w),
        bias_p=keys.bias_p,
        bias_a=keys.bias_a,
        thrust=keys.thrust,
        least=keys.least,
        keep=keep,
        plume_off=keys.plume_off,
        seed=int(vector[places.seed]),
        run=int(vector[places.run]),
        turning=compute_turning(vector, places.orbit),
    )
