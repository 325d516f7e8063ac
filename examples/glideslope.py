"""A guided approach as a method of your own: navigation that is noisy, slow and late, a glideslope
controller, and thrusters. It pushes the chaser from outside (hook `external`), so it flies in the
loop and in orbit alike.

In: both satellites. Out: a wrench on the chaser, world axes, held over a cycle; booked as external.

Navigation sees the tip from the port, its velocity, the chaser's turn and rate, in the target's
axes, once a `period`, `late` periods ago, with noise and a bias. The controller closes at v_end +
slope x distance, at most v_max, and steers the tip to the port's axis and the chaser to its docked
attitude. Twelve thrusters stand in six places, two each, one for each direction of a body axis:

    along x at (0, +-a, 0)    along y at (0, 0, +-a)    along z at (+-a, 0, 0)

A force F and a torque tau of such a group ask (F -+ tau / a) / 2 of its two places: an exact
allocation; where it is more than a thruster has, the torque is served first. What is asked is
summed up and fired as a pulse once it is worth the least impulse; thrust rises and falls with a
time constant. Nearer than `plume_off` nothing fires, so that no plume hits the target.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.methods import (
    CYCLE,
    RUN_NUMBER,
    SEED,
    Cell,
    Cells,
    Group,
    Method,
    Parameter,
    Wrench,
    Wrenches,
    add,
    add_scaled,
    apart,
    body_rate,
    compiled,
    cross,
    dot,
    gaussians,
    inverse,
    load3,
    logarithm,
    no_wrench,
    norm,
    product,
    recorded,
    register,
    rotate,
    rotate_back,
    scale,
    store3,
    subtract,
    symmetric_times,
)

MOST_LATE, SEEN, PLACES = 8, 12, 6  # samples kept; numbers of a sample; thruster places


def _number(name, key, meaning, default, unit, low, high, size=1, scale=1.0, open_low=False):
    return Parameter(
        name, key, meaning, default, unit, low, high, open_low=open_low, scale=scale, size=size
    )


GROUP = Group(
    "glideslope",
    "Guided approach of the chaser's tip to a port of the target.",
    _number("tip", "tip_m", "chaser axes", None, "m", -1e3, 1e3, 3),
    _number("port", "port_m", "target axes", None, "m", -1e3, 1e3, 3),
    _number("axis", "axis", "out of the port, target axes", (-1.0, 0.0, 0.0), "-", -1.0, 1.0, 3),
    _number("slope", "slope_per_s", "closing speed per distance", 0.01, "1/s", 0.0, 1.0),
    _number("v_end", "end_m_per_s", "closing speed at the port", 0.01, "m/s", 0.0, 1.0),
    _number("v_max", "most_m_per_s", "largest closing speed", 0.05, "m/s", 0.0, 10.0),
    _number("along", "along_per_s", "gain on the closing speed", 0.1, "1/s", 0.0, 10.0),
    _number("across", "across_rad_per_s", "of the tip across the axis", 0.05, "rad/s", 0.0, 10.0),
    _number("turn", "turn_rad_per_s", "of the attitude", 0.1, "rad/s", 0.0, 10.0),
    _number("period", "period_ms", "of navigation", 200.0, "ms", 1.0, 1e4, scale=1e-3),
    Parameter("late", "late_samples", "age of a sample", 1, low=0, high=7, kind="integer"),
    _number("noise_p", "noise_m", "one sigma", 0.0, "m", 0.0, 10.0),
    _number("noise_v", "noise_m_per_s", "one sigma", 0.0, "m/s", 0.0, 10.0),
    _number("noise_a", "noise_rad", "one sigma", 0.0, "rad", 0.0, 1.0),
    _number("noise_w", "noise_rad_per_s", "one sigma", 0.0, "rad/s", 0.0, 1.0),
    _number("bias", "bias_m", "of the position", (0.0, 0.0, 0.0), "m", -10.0, 10.0, 3),
    _number("force", "thrust_N", "of one thruster", 10.0, "N", 0.0, 1e5, open_low=True),
    _number("arm", "arm_m", "of the places", 1.0, "m", 0.0, 100.0, open_low=True),
    _number("least", "least_impulse_Ns", "worth a pulse", 0.1, "Ns", 0.0, 1e4),
    _number("rise", "rise_ms", "time constant of thrust", 20.0, "ms", 0.0, 1e4, scale=1e-3),
    _number("plume_off", "plume_off_m", "nearer nothing fires", 0.1, "m", 0.0, 1e3),
)
AT = GROUP.at
CELLS = Cells(
    "glideslope",
    recorded("distance", "m", "of the tip from the port along its axis, as seen"),
    recorded("fired", "Ns", "impulse of all thrusters so far"),
    Cell("next_sample", 1, "-", "number of the next navigation sample"),
    Cell("samples", MOST_LATE * SEEN, "", "position, velocity, turn and rate, newest in turn"),
    Cell("asked", PLACES, "Ns", "impulse asked of each place and not fired yet"),
    Cell("pulse", PLACES, "Ns", "of the pulse under way, signed"),
    Cell("level", PLACES, "N", "thrust now, signed"),
)
IN = CELLS.at


class Glideslope(NamedTuple):
    memory: int = 0
    tip: tuple = (0.0, 0.0, 0.0)
    port: tuple = (0.0, 0.0, 0.0)
    axis: tuple = (0.0, 0.0, 0.0)
    slope: float = 0.0
    v_end: float = 0.0
    v_max: float = 0.0
    along: float = 0.0
    across: float = 0.0
    turn: float = 0.0
    period: float = 0.0
    late: int = 0
    noise: tuple = (0.0, 0.0, 0.0, 0.0)
    bias: tuple = (0.0, 0.0, 0.0)
    force: float = 0.0
    arm: float = 0.0
    least: float = 0.0
    keep: float = 0.0  # share of the old thrust that is left after a cycle
    plume_off: float = 0.0
    seed: int = 0
    run: int = 0


@compiled
def prepare(marker, vector, base, memory):
    axis, rise = load3(vector, base + AT.axis), vector[base + AT.rise]
    keep = math.exp(-vector[CYCLE] / rise) if rise > 0.0 else 0.0
    return Glideslope(
        memory=memory,
        tip=load3(vector, base + AT.tip),
        port=load3(vector, base + AT.port),
        axis=scale(1.0 / norm(axis), axis),
        slope=vector[base + AT.slope],
        v_end=vector[base + AT.v_end],
        v_max=vector[base + AT.v_max],
        along=vector[base + AT.along],
        across=vector[base + AT.across],
        turn=vector[base + AT.turn],
        period=vector[base + AT.period],
        late=int(vector[base + AT.late]),
        noise=(
            vector[base + AT.noise_p],
            vector[base + AT.noise_v],
            vector[base + AT.noise_a],
            vector[base + AT.noise_w],
        ),
        bias=load3(vector, base + AT.bias),
        force=vector[base + AT.force],
        arm=vector[base + AT.arm],
        least=vector[base + AT.least],
        keep=keep,
        plume_off=vector[base + AT.plume_off],
        seed=int(vector[SEED]),
        run=int(vector[RUN_NUMBER]),
    )


@compiled
def _noise(m, sample, what):
    g = gaussians(m.seed, m.run, sample, 0, 100 + what, 0)
    return scale(m.noise[what], (g[0], g[1], g[2]))


@apart
def navigate(m, mem, rig, satellites, sample):
    """One sample of the chaser seen from the target, target axes, into its place of the ring."""
    c, t = satellites.chaser, satellites.target
    arm, w_c = rotate(c.q, m.tip), rotate(c.q, body_rate(rig.chaser, c.q, c.L))
    w_t = rotate(t.q, body_rate(rig.target, t.q, t.L))
    apart_W = subtract(add(c.p, arm), t.p)
    v = subtract(add(c.v, cross(w_c, arm)), add(t.v, cross(w_t, apart_W)))
    at = m.memory + IN.samples + SEEN * (sample % MOST_LATE)
    p = subtract(rotate_back(t.q, apart_W), m.port)
    turn = logarithm(product(inverse(t.q), c.q))
    store3(mem, at, add(add(p, m.bias), _noise(m, sample, 0)))
    store3(mem, at + 3, add(rotate_back(t.q, v), _noise(m, sample, 1)))
    store3(mem, at + 6, add(turn, _noise(m, sample, 2)))
    store3(mem, at + 9, add(rotate_back(t.q, subtract(w_c, w_t)), _noise(m, sample, 3)))


@apart
def steer(m, mem, rig, satellites, sample):
    """Force and torque that the controller wants, body axes of the chaser [N, Nm], from the sample
    of `late` periods ago; and the distance that it sees [m]."""
    at = m.memory + IN.samples + SEEN * ((sample - m.late) % MOST_LATE)
    p, v, turn, w = load3(mem, at), load3(mem, at + 3), load3(mem, at + 6), load3(mem, at + 9)
    distance = dot(p, m.axis)
    closing = -min(m.v_max, m.v_end + m.slope * max(distance, 0.0))
    gain = m.along * (closing - dot(v, m.axis))
    p_across, v_across = (
        add_scaled(p, -distance, m.axis),
        add_scaled(v, -dot(v, m.axis), m.axis),
    )
    a = scale(gain, m.axis)
    a = add_scaled(add_scaled(a, -m.across * m.across, p_across), -1.6 * m.across, v_across)
    alpha = add_scaled(scale(-m.turn * m.turn, turn), -1.6 * m.turn, w)
    a_B = rotate_back(satellites.chaser.q, rotate(satellites.target.q, a))
    alpha_B = rotate_back(satellites.chaser.q, rotate(satellites.target.q, alpha))
    force = scale(rig.chaser.mass[0], a_B)
    return force, symmetric_times(rig.chaser.inertia, alpha_B), distance


@apart
def ask(m, mem, force, torque):
    """Impulse asked of every place over the next period: group by group, torque first."""
    turning = (torque[2], torque[0], torque[1])  # of the groups along x, y, z
    for i in range(3):
        twist = min(max(-turning[i] / (2.0 * m.arm), -m.force), m.force)
        push = min(max(0.5 * force[i], abs(twist) - m.force), m.force - abs(twist))
        mem[m.memory + IN.asked + 2 * i] += m.period * (push + twist)
        mem[m.memory + IN.asked + 2 * i + 1] += m.period * (push - twist)
    for j in range(PLACES):
        asked = mem[m.memory + IN.asked + j]
        if abs(asked) < m.least:
            continue
        most = m.force * m.period
        pulse = min(max(asked, -most), most)
        mem[m.memory + IN.pulse + j] = pulse
        mem[m.memory + IN.asked + j] = 0.0  # what a thruster cannot give is not owed


@apart
def fire(m, mem, T):
    """Thrust of every place over this cycle; force and torque on the chaser, body axes."""
    force, torque = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for j in range(PLACES):
        left = mem[m.memory + IN.pulse + j]
        wanted = min(max(left / T, -m.force), m.force)
        mem[m.memory + IN.pulse + j] = left - wanted * T
        level = wanted + (mem[m.memory + IN.level + j] - wanted) * m.keep
        mem[m.memory + IN.level + j] = level
        mem[m.memory + IN.fired] += abs(level) * T
        i, side = j // 2, 1.0 - 2.0 * (j % 2)
        f = (level if i == 0 else 0.0, level if i == 1 else 0.0, level if i == 2 else 0.0)
        a = side * m.arm
        place = (a if i == 2 else 0.0, a if i == 0 else 0.0, a if i == 1 else 0.0)
        force, torque = add(force, f), add(torque, cross(place, f))
    return force, torque


@compiled
def push(m, mem, rig, satellites):
    sample = int(mem[m.memory + IN.next_sample])
    if rig.cycle * rig.T >= sample * m.period - 1e-9:
        navigate(m, mem, rig, satellites, sample)
        if sample >= m.late:
            force, torque, distance = steer(m, mem, rig, satellites, sample)
            mem[m.memory + IN.distance] = distance
            if distance > m.plume_off:
                ask(m, mem, force, torque)
        mem[m.memory + IN.next_sample] += 1.0
    if 0.0 < mem[m.memory + IN.distance] <= m.plume_off:
        for j in range(PLACES):
            mem[m.memory + IN.pulse + j] = 0.0
            mem[m.memory + IN.level + j] = 0.0
    force, torque = fire(m, mem, rig.T)
    q = satellites.chaser.q
    return Wrenches(Wrench(rotate(q, force), rotate(q, torque)), no_wrench())


def check(values, tables):
    """Thrusters that cannot make what the controller asks at ten degrees off are refused."""
    inertia = tables["chaser"]["inertia_kg_m2"]
    most = max(abs(x) for row in inertia for x in (row if isinstance(row, list) else [row]))
    wanted = most * values["turn_rad_per_s"] ** 2 * math.radians(10.0)
    can = 2.0 * values["thrust_N"] * values["arm_m"]
    if wanted <= can:
        return [], []
    said = f"thrusters that can make the commanded torque: {wanted:.3g} Nm, these make {can:.3g}"
    return [("thrust_N", values["thrust_N"], said)], []


register(
    Method(
        name="glideslope",
        summary="a guided approach: navigation, glideslope controller, thrusters",
        knows="where tip and port are",
        group=GROUP,
        marker=Glideslope(),
        prepare=prepare,
        external=push,
        cells=CELLS,
        check=check,
        while_latched="nearer than its plume bound it fires nothing",
    )
)
