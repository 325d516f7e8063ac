"""Logged motions as a recording has them: position of the centre of mass and velocity in world
axes, attitude world from body, rate in body axes.

    p_WB = p_WF + R_WF (p_FL + R_FL p_LB)      q_WB = q_WF q_FL q_LB
    v_WB = R_WF (v_FL + w_FL x R_FL p_LB)      w_WB_B = R_LB^T R_FL^T w_FL

W world, F the frame of the log, L the axes whose pose is logged (a flange), B the body. Velocities
that a log does not hold are those of its own positions (central differences).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softdock.core.spatial.arrays import continuous, product, rotate, rotate_back, turns
from softdock.errors import BadInput, Problem
from softdock.logs.attitudes import between
from softdock.logs.clocks import Stamped, newest
from softdock.logs.map_parts import Place, Signal
from softdock.logs.readings import ages_of, attitudes, values_of
from softdock.logs.units import FACTORS

FAST = 3.0  # times: position and velocity that differ by more are of different units
MOVES = 1e-4  # m/s; less says nothing about units


@dataclass
class Motion:
    """Rows of a motion, and when each was so."""

    time: np.ndarray  # s, when it was measured, or the stamp of a set-point
    arrival: np.ndarray  # s, when it was known
    position: np.ndarray
    attitude: np.ndarray
    velocity: np.ndarray
    rate: np.ndarray


def motion_of(signal: Signal, mounting: Place, own: Stamped) -> Motion:
    """A motion at the stamps of its own clock."""
    ages = ages_of(signal, own)
    stamps = own.time
    time, arrival = (
        (stamps, stamps + ages) if signal.stamped == "measured" else (stamps - ages, stamps)
    )
    p = values_of(signal.parts["position"], own, "position")
    q = attitudes(signal, own)
    v = values_of(signal.parts["velocity"], own, "velocity") if "velocity" in signal.parts else None
    if v is None:
        v = _slopes(time, p)
    else:
        _one_unit(signal, own, time, p, v)
    if "rate" in signal.parts:
        w = values_of(signal.parts["rate"], own, "rate")
        w = rotate(q, w) if signal.axes == "body" else w  # in the frame's axes
    else:
        w = _turning(time, q)
    return Motion(
        time, np.maximum.accumulate(arrival), *_in_world(signal.frame, mounting, p, q, v, w)
    )


def _in_world(
    frame: Place, mounting: Place, p: np.ndarray, q: np.ndarray, v: np.ndarray, w: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    F, lever = np.array(frame.attitude), np.array(mounting.position)
    arm = rotate(q, lever)
    position = np.array(frame.position) + rotate(F, p + arm)
    velocity = rotate(F, v + np.cross(w, arm))
    q_FB = product(q, np.broadcast_to(np.array(mounting.attitude), q.shape))
    attitude = product(np.broadcast_to(F, q.shape), q_FB)
    return position, continuous(attitude), velocity, rotate_back(q_FB, w)


def _slopes(time: np.ndarray, values: np.ndarray) -> np.ndarray:
    fresh = np.concatenate([[True], np.diff(time) > 0.0])
    if fresh.sum() < 3:
        return np.zeros_like(values)
    slopes = np.gradient(values[fresh], time[fresh], axis=0)
    return np.asarray(slopes[np.cumsum(fresh) - 1])


def _turning(time: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Angular velocity in the frame's axes, from attitudes."""
    turned = np.concatenate([np.zeros((1, 3)), np.cumsum(turns(q), axis=0)])
    return _slopes(time, turned)


def _one_unit(signal: Signal, own: Stamped, time: np.ndarray, p: np.ndarray, v: np.ndarray) -> None:
    """Refuse positions that move at another speed than the logged one: a unit is wrong."""
    seen = np.sqrt(np.mean((_slopes(time, p)) ** 2))
    said = np.sqrt(np.mean(v**2))
    if max(seen, said) < MOVES or (said > 0.0 and 1.0 / FAST < seen / said < FAST):
        return
    part = signal.parts["position"]
    ratio = seen / said if said > 0.0 else np.inf
    factors = FACTORS["length"]
    near = [u for u, f in factors.items() if 1.0 / FAST < ratio * f / factors[part.unit] < FAST]
    raise BadInput(
        Problem(
            f"{part.key}_unit",
            f"{part.unit}: positions move with {seen:.3g} m/s, the velocity says {said:.3g} m/s",
            "units of position and velocity that fit each other",
            part.where,
            suggestion=near[0] if near else "",
        )
    )


def at_cycles(motion: Motion, times: np.ndarray, rows: slice | None) -> dict[str, np.ndarray]:
    """A motion that is known at all times (set-points, satellites). `rows`: those of the cycles,
    where the clock is theirs."""
    if rows is not None:
        return {
            "position": motion.position[rows],
            "attitude": motion.attitude[rows],
            "velocity": motion.velocity[rows],
            "rate": motion.rate[rows],
        }
    found = {
        name: np.stack(
            [np.interp(times, motion.time, column) for column in getattr(motion, name).T], axis=1
        )
        for name in ("position", "velocity", "rate")
    }
    found["attitude"] = between(times, motion.time, motion.attitude)
    return found


def handed(
    motion: Motion, times: np.ndarray, rows: slice | None, kept: slice
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The newest measured pose at every cycle, and its age [s]."""
    if rows is not None:
        at = np.arange(len(motion.time))[rows][kept]
        ages = (motion.arrival - motion.time)[at]
        return motion.position[at], motion.attitude[at], ages
    at = newest(times, motion.arrival)
    return motion.position[at], motion.attitude[at], times - motion.time[at]
