"""What comes back from one impact: predicted restitution at an operating point.

dominant root   exp(pi sigma / w): a half swing of the loop's own motion, as if the contact could
                pull for ever
one-sided       the impact itself, step by step: force only while the mock-ups touch, clamped at
                zero unless the law may pull; sampled loops
                as a mean over the sampling phase

Independent of speed for a linear law. Only the one-sided prediction can be compared with a run;
both agree for light damping.
"""

from __future__ import annotations

import math

import numpy as np

from softdock._arguments import check_arguments, finite_number, one_of, optional, whole_number
from softdock.errors import BadInput, Problem
from softdock.studies.stability.array_loop import ArrayLoop, Law
from softdock.studies.stability.loop import (
    INTERPOLATIONS,
    LAWS,
    POSITION_SHARE,
    Loop,
    Robot,
    check_loop,
    is_plain,
)
from softdock.studies.stability.time_limit import check_time_limit

PHASES = 32
FINE_STEPS = 2000  # of the continuous impact, in half a swing
FINE_CYCLES = 1000  # of a sampled loop that stands for a continuous one, in half a swing
LONGEST = 40.0  # half swings until a contact that has not ended counts as stuck
SHORT_DELAY = 2e-3  # of w h: below, three terms of the delay's series are exact to 1e-9
MOST_CYCLES = 100_000  # of a delay; without a cycle: of the steps that stand for it


@check_arguments(
    mass=finite_number(0.0, above=True),
    stiffness=finite_number(0.0, above=True),
    damping=finite_number(0.0),
    delay=finite_number(0.0),
    cycle=optional(finite_number(0.0, above=True)),
    integrator=one_of(*POSITION_SHARE),
    interpolation=one_of(*INTERPOLATIONS),
    law=one_of(*LAWS),
    phase=optional(finite_number()),
    phases=whole_number(1, 10_000),
)
def predicted_restitution(
    mass: float,
    stiffness: float,
    damping: float,
    delay: float,
    cycle: float | None = None,
    integrator: str = "exact_hold",
    *,
    interpolation: str = "hermite",
    law: str = "spring_damper",
    phase: float | None = None,
    phases: int = PHASES,
) -> float:
    """Restitution of one impact of a mass [kg] on a contact [N/m, Ns/m], robots `delay` [s] late.

    `cycle` [s]: sampled, force held over a cycle; None: the continuous loop. `law`: spring_damper
    (clamped at zero) or spring_damper_pull. `phase`: fraction of a cycle at which the touch falls;
    None: the mean over `phases` of them.
    """
    loop = Loop(
        mass=mass,
        stiffness=stiffness,
        damping=damping,
        robots=(Robot(delay=delay, interpolation=interpolation),),
        cycle=cycle,
        integrator=integrator,
        law=law,
    )
    step = cycle or math.pi * math.sqrt(mass / stiffness) / FINE_CYCLES
    if delay > MOST_CYCLES * step:
        raise BadInput(Problem("delay", delay, f"at most {MOST_CYCLES:,} steps of {step:.3g} s"))
    try:
        return restitution_of_loop(loop, phase, phases)
    except ArithmeticError:
        given = f"{mass:g} kg, {stiffness:g} N/m, {damping:g} Ns/m, {delay:g} s, {cycle} s"
        allowed = "numbers whose impact a float can hold"
        raise BadInput(Problem("mass, stiffness, damping, delay, cycle", given, allowed)) from None


def restitution_of_loop(loop: Loop, phase: float | None = None, phases: int = PHASES) -> float:
    """The same for any loop. 0: the contact sticks."""
    check_loop(loop)
    if loop.cycle is None:
        if is_plain(loop):
            return _simulate_continuous_impact(loop)
        loop, phases = sample_finely(loop), 1
    # where the sensor's samples repeat only after several cycles, the touch may fall in any of them
    found = simulate_impacts(
        loop,
        loop.pattern * np.arange(phases) / phases
        if phase is None
        else np.array([phase % loop.pattern]),
    )
    return float(np.mean(found))


def sample_finely(loop: Loop) -> Loop:
    """A sampled loop so fine that its cycle does not show, in place of a continuous one;
    symplectic: the integrator with no delay of its own."""
    half_swing = math.pi * math.sqrt(loop.mass / (loop.stiffness + loop.virtual_stiffness))
    return loop.changed(cycle=half_swing / FINE_CYCLES, integrator="symplectic_euler")


def compute_restitutions(loop: Loop, added: np.ndarray, phases: int = PHASES) -> np.ndarray:
    """Restitution for each of several virtual dampings added to the loop's own [Ns/m], all in one
    go."""
    if loop.cycle is None:
        loop, phases = sample_finely(loop), 1
    touches = np.tile(loop.pattern * np.arange(phases) / phases, len(added))
    found = simulate_impacts(loop, touches, loop.virtual_damping + np.repeat(added, phases))
    return np.asarray(found.reshape(len(added), phases).mean(axis=1))


def make_contact_law(stiffness: float, damping: float, law: str) -> Law:
    """Depth and rate to a force that acts in contact only."""
    pulls = law == "spring_damper_pull"

    def force(depth: np.ndarray, rate: np.ndarray) -> np.ndarray:
        linear = stiffness * depth + damping * rate
        return np.where(depth > 0.0, linear if pulls else np.maximum(linear, 0.0), 0.0)

    return force


def simulate_impacts(
    loop: Loop,
    phases: np.ndarray,
    virtual_damping: np.ndarray | None = None,
    dead_band: float | np.ndarray = 0.0,
) -> np.ndarray:
    """Restitution of one impact for each sampling phase: the mock-ups reach the surface `phase`
    cycles after t_0.

    `virtual_damping`: one for each, in place of the loop's [Ns/m]. `dead_band`: forces below are
    felt as zero, over the approach speed [Ns/m].
    """
    is_hybrid = loop.is_hybrid or virtual_damping is not None
    damping = (
        np.full(len(phases), loop.virtual_damping) if virtual_damping is None else virtual_damping
    )
    arrays = ArrayLoop(loop, len(phases))
    arrays.dead_band = dead_band
    T, n = arrays.T, arrays.history
    late = sum(
        r.share * (r.delay + (2.0 * r.lag_damping / r.lag if r.lag > 0.0 else 0.0))
        for r in loop.robots
    )
    touch = (
        phases * T - late
    )  # when the satellites themselves are at the surface, approaching at 1 m/s
    arrays.place(-touch - loop.position_lead, np.ones(len(phases)))
    for row, i in enumerate(arrays.lags):
        robot = loop.robots[i]
        arrays.get_rows("lag")[2 * row] = -touch - robot.delay - 2.0 * robot.lag_damping / robot.lag
        arrays.get_rows("lag")[2 * row + 1] = 1.0
    if arrays.poses:
        arrays.get_rows("pose")[:] = -np.arange(arrays.poses)[:, None] * T - phases * T
        arrays.get_rows("pose_rate")[:] = 1.0
    real = make_contact_law(loop.stiffness, loop.damping, loop.law)
    half_swing = math.pi * math.sqrt(loop.mass / (loop.stiffness + loop.virtual_stiffness))
    quiet_for = (
        n + arrays.samples + arrays.poses + (arrays.led if loop.leads_force else 0) + 2
    )  # cycles after which nothing of a contact is left in the loop
    quiet = 0
    for k in range(math.ceil(LONGEST * half_swing / T) + 8 * quiet_for):
        force = (
            _add_virtual_force(loop, arrays, k, damping) if is_hybrid else arrays.get_felt().copy()
        )
        arrays.advance(k, force, real)
        check_time_limit()
        x, v = arrays.get_satellite()
        leaving = (v < 0.0) & (x < 0.0)
        spent = np.abs(force) <= 1e-9 * loop.stiffness * half_swing  # a low-pass forgets slowly
        quiet = quiet + 1 if np.all(leaving & spent) else 0
        if quiet >= quiet_for:
            return -v.copy()
    x, v = arrays.get_satellite()
    return np.where(np.abs(v) < 1e-3, 0.0, np.where(x < 0.0, -v, np.nan))


def _add_virtual_force(loop: Loop, arrays: ArrayLoop, k: int, damping: np.ndarray) -> np.ndarray:
    """Measured plus virtual force: while a force is measured, and without pulling unless it may
    (the method hybrid)."""
    depth, rate = arrays.get_seen_motion(k)
    felt = arrays.get_reading()
    total = arrays.get_felt() + loop.virtual_stiffness * depth + damping * rate
    return np.where(felt != 0.0, total if loop.virtual_pulls else np.maximum(total, 0.0), 0.0)


def _simulate_continuous_impact(loop: Loop) -> float:
    """One impact of the continuous loop with pure delay, touching at t = 0; the force of depth and
    rate a delay ago is known when it acts."""
    w, delay = math.sqrt(loop.stiffness / loop.mass), loop.delay
    if w * delay < SHORT_DELAY:  # d(t - h) = d - h d' + h^2/2 d''
        return _simulate_undelayed_impact(
            loop.mass - loop.damping * delay + 0.5 * loop.stiffness * delay**2,
            loop.stiffness,
            loop.damping - loop.stiffness * delay,
            loop.law,
        )
    force = make_contact_law(loop.stiffness, loop.damping, loop.law)
    steps = math.ceil(delay * w * FINE_STEPS / math.pi)  # of one delay
    dt = delay / steps
    half_swing = math.pi / w
    x, v = 0.0, 1.0
    X, V = dt * np.arange(-steps, 1), np.ones(steps + 1)  # over the last delay
    for _ in range(math.ceil(LONGEST * half_swing / delay)):
        middle = 0.5 * (X[:-1] + X[1:]) + 0.125 * dt * (V[:-1] - V[1:])
        middle_v = 1.5 * (X[1:] - X[:-1]) / dt - 0.25 * (V[:-1] + V[1:])
        F_end = force(X[1:] - 1e-12 * dt * V[1:], V[1:])
        F_start = force(X[:-1] + 1e-12 * dt * V[:-1], V[:-1])
        Fm = force(middle, middle_v)
        dv = -dt / 6.0 * (F_start + 4.0 * Fm + F_end) / loop.mass  # Simpson
        dx = -dt * dt / 6.0 * (F_start + 2.0 * Fm) / loop.mass
        V_new = v + np.concatenate([[0.0], np.cumsum(dv)])
        X_new = x + np.concatenate([[0.0], np.cumsum(dt * V_new[:-1] + dx)])
        x, v, X, V = X_new[-1], V_new[-1], X_new, V_new
        if x < 0.0 and v < 0.0 and not np.any(force(X, V)):
            return -float(v)
    return 0.0 if abs(v) < 1e-3 else math.nan


def _simulate_undelayed_impact(mass: float, stiffness: float, damping: float, law: str) -> float:
    from softdock.scenario.restitution import restitution_of_damping

    zeta = 0.5 * damping / math.sqrt(stiffness * mass)
    if zeta < 0.0:  # the force is positive until the depth is zero, clamped or not
        return math.exp(-math.pi * zeta / math.sqrt(1.0 - zeta * zeta)) if zeta > -1.0 else math.inf
    return restitution_of_damping(stiffness, damping, mass, pull=law == "spring_damper_pull")
