"""The paper's experiments as softdock scenarios, and the loop's own linearisation.

`two_sided_plane` is the paper's linear law without an end: two walls, back to back in one plane,
both with the law that may pull, so that the force is -k d - b d' at every depth of either sign.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from softdock.papers.zebenay.models import Chaser, PlanarChaser
from softdock.results.simulation import run_loop
from softdock.results.stepper import Stepper
from softdock.scenario.build import build
from softdock.studies.stability import FreeBody, effective_mass
from softdock.studies.stability.closed_forms import crossing_frequency

PLANAR = PlanarChaser(
    mass=60.0,
    inertia=1.42297,
    length=0.3,
    half_angle=math.radians(30.0),
    stiffness=3000.0,
    damping=0.0,
)  # section 4.3; J_x from m_a = 15.6 kg by eq. 84
DELAY = 0.016  # s, used throughout the paper
CYCLE = 0.004  # s
FIXED_TARGET = {
    "fixed": True,
    "mass_kg": 1000.0,
    "inertia_kg_m2": [100.0, 100.0, 100.0],
}  # its numbers play no part


def virtual_damping(
    damping: float, contact: str = "one_sided", threshold_N: float = 0.0
) -> dict[str, Any]:
    """The method of section 5.1 with a damper along the normal, from the measured poses: b_v of
    (121)."""
    return {
        "name": "hybrid",
        "frame": "normal",
        "pose": "measured",
        "contact": contact,
        "contact_N": threshold_N,
        "damping_Ns_per_m": [damping, 0.0, 0.0],
    }


def two_sided_plane(
    chaser: Chaser,
    cycle: float,
    duration: float,
    delay: float = 0.0,
    integrator: str = "exact_hold",
) -> dict[str, Any]:
    """A chaser whose tip lies on the plane through the origin, with normal `chaser.normal`, at rest
    and not turned."""
    wall = {
        "geometry": "wall",
        "tip_m": chaser.lever.tolist(),
        "real": {
            "law": "spring_damper_pull",
            "stiffness_N_per_m": chaser.stiffness,
            "damping_Ns_per_m": chaser.damping,
        },
    }
    return {
        "time": {"cycle_ms": 1e3 * cycle, "duration_s": duration},
        "satellites": {"integrator": integrator},
        "chaser": {
            "mass_kg": chaser.mass,
            "inertia_kg_m2": chaser.inertia.tolist(),
            "position_m": (-chaser.lever).tolist(),
        },
        "target": dict(FIXED_TARGET),
        "robots": {"chaser": {"delay_ms": 1e3 * delay}, "target": {"delay_ms": 1e3 * delay}},
        "contact": [
            wall | {"axis": (-chaser.normal).tolist()},
            wall | {"axis": chaser.normal.tolist()},
        ],
    }


def planar_rates_of_the_loop(chaser: PlanarChaser, state: np.ndarray) -> np.ndarray:
    """Rates of z, v_z, theta, omega in softdock's loop: one cycle of forward Euler without delay,
    divided by the cycle."""
    z, v_z, theta, omega = state
    cycle = 1e-3  # s; forward Euler: the difference over it is the rate, whatever its length
    tables = two_sided_plane(chaser.in_space(), cycle, 2.0 * cycle, integrator="forward_euler")
    tables["chaser"] |= {
        "position_m": [0.0, 0.0, float(z)],
        "velocity_m_per_s": [0.0, 0.0, float(v_z)],
        "attitude_wxyz": [math.cos(0.5 * theta), math.sin(0.5 * theta), 0.0, 0.0],
        "rate_rad_per_s": [float(omega), 0.0, 0.0],
    }
    loop = Stepper(build(tables), rows=2)
    loop.step()
    before, after = _planar_state(loop.record[0]), _planar_state(loop.record[1])
    return (after - before) / cycle


def _planar_state(row: np.ndarray) -> np.ndarray:
    """z, v_z, theta, omega of a recorded row (record.py: time, then the chaser's position,
    attitude, velocity, rate)."""
    return np.array([row[3], row[10], 2.0 * math.atan2(row[5], row[4]), row[11]])


def jacobian_of_the_loop(
    chaser: PlanarChaser, reach: float = 5e-7, speed: float = 1e-3, offset: float = 1e-9
) -> np.ndarray:
    """F_x by central differences of the loop itself at first touch.

    `reach` [m, rad] is within what a run may start in contact with. A damper acts only in touch:
    velocities are varied `offset` [m] inside.
    """
    columns = []
    for i, step in enumerate((reach, speed, reach, speed)):
        base = chaser.nominal + (np.array([offset, 0.0, 0.0, 0.0]) if i % 2 else 0.0)
        change = np.zeros(4)
        change[i] = step
        columns.append(
            (
                planar_rates_of_the_loop(chaser, base + change)
                - planar_rates_of_the_loop(chaser, base - change)
            )
            / (2.0 * step)
        )
    return np.array(columns).T


def growth_rate(
    chaser: Chaser, delay: float, cycle: float, periods: int = 24, speed: float = 1e-5
) -> float:
    """Exponential growth [1/s] of the depth in the nonlinear 3-D loop after a push of `speed` [m/s]
    along the normal; the first half is let pass.

    `delay` is the loop's: the robots have half a cycle less, which the hold adds (error of second
    order in the cycle).
    """
    tables = two_sided_plane(chaser, cycle, periods * _period(chaser), delay - 0.5 * cycle)
    tables["chaser"]["velocity_m_per_s"] = (speed * chaser.normal).tolist()
    run = run_loop(tables)
    depth, time = run.series["contact.depth"], run.series["time"]
    late = slice(len(depth) // 2, None)
    peaks = _peaks(depth[late])
    return float(np.polyfit(time[late][peaks], np.log(depth[late][peaks]), 1)[0])


def _period(chaser: Chaser) -> float:
    """Of the oscillation at the limit of stability [s]."""
    mass = effective_mass(chaser.normal, FreeBody(chaser.mass, chaser.inertia, chaser.lever))
    return 2.0 * math.pi / float(crossing_frequency(mass, chaser.damping, chaser.stiffness))


def _peaks(depth: np.ndarray) -> np.ndarray:
    inner = depth[1:-1]
    return 1 + np.flatnonzero((inner > depth[:-2]) & (inner >= depth[2:]))


def critical_delay_of_the_loop(chaser: Chaser, guess: float, tolerance: float = 2e-5) -> float:
    """The delay [s] at which the nonlinear 3-D loop neither grows nor decays, by bisection on the
    growth rate around a guess.

    The cycle is short against the delay and the oscillation; halving it moves the answer by less
    than 0.01 %.
    """
    cycle = min(guess / 5.0, _period(chaser) / 300.0)
    low, high = 0.9 * guess, 1.1 * guess
    if growth_rate(chaser, low, cycle) > 0.0 or growth_rate(chaser, high, cycle) < 0.0:
        raise ValueError(f"the critical delay is not within 10 % of {guess:g} s")
    while high - low > tolerance * guess:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if growth_rate(chaser, middle, cycle) > 0.0 else (middle, high)
    return 0.5 * (low + high)
