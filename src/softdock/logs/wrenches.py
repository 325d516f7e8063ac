"""Logged forces as a recording has them: on the body, world axes, torque about its centre of mass.

    f_B = R_BS f_S      tau_B = R_BS tau_S + r_BS x f_B      less tool and bias, where given

S the sensor's axes, B the body's. The attitude that turns them into world axes is the measured one
at the instant of the force, or the commanded one where none was measured. A tool's weight and the
bias are taken out; what it takes to accelerate the tool is not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from softdock.core.spatial.arrays import rotate, rotate_back
from softdock.logs.attitudes import between
from softdock.logs.clocks import Stamped, newest
from softdock.logs.map_parts import Map, Signal
from softdock.logs.motions import Motion
from softdock.logs.readings import ages_of, values_of


@dataclass
class Wrenches:
    """Rows of a wrench, when each was measured and when it was known."""

    time: np.ndarray
    arrival: np.ndarray
    force: np.ndarray  # N, world axes
    torque: np.ndarray | None  # Nm, world axes, about the centre of mass; None: not logged


def wrenches_of(signal: Signal, own: Stamped, turning: Motion | None, found: Map) -> Wrenches:
    """A wrench at the stamps of its own clock. `turning`: the body's motion, where axes turn."""
    ages = ages_of(signal, own)
    stamps = own.time
    time, arrival = (
        (stamps, stamps + ages) if signal.stamped == "measured" else (stamps - ages, stamps)
    )
    force = signal.sign * values_of(signal.parts["force"], own, "force")
    torque = None
    if "torque" in signal.parts:
        torque = signal.sign * values_of(signal.parts["torque"], own, "torque")
    F = np.array(signal.frame.attitude)
    q = None
    if turning is not None:
        fresh = np.concatenate([[True], np.diff(turning.time) > 0.0])
        q = between(time, turning.time[fresh], turning.attitude[fresh])
    if signal.axes == "world":
        force, torque = rotate(F, force), None if torque is None else rotate(F, torque)
        if q is not None:
            force, torque = (
                rotate_back(q, force),
                None if torque is None else rotate_back(q, torque),
            )
    elif signal.axes == "sensor":
        S = np.array(signal.sensor.attitude)
        force, torque = rotate(S, force), None if torque is None else rotate(S, torque)
    if torque is not None:
        lever = np.array(signal.sensor.position)
        if np.any(lever != 0.0):
            torque = torque + np.cross(lever, force)  # body axes: a lever needs an attitude
    if signal.tool is not None and q is not None:
        down = rotate_back(q, np.broadcast_to(np.array(found.gravity), force.shape))
        weight = signal.tool.mass_kg * down
        force = force - weight - np.array(signal.tool.bias_N)
        if torque is not None:
            centre = np.array(signal.tool.centre_m)
            torque = torque - np.cross(centre, weight) - np.array(signal.tool.bias_Nm)
    if q is not None:
        force, torque = _turned(force, torque, lambda v: rotate(q, v))
    return Wrenches(time, np.maximum.accumulate(arrival), force, torque)


def _turned(
    force: np.ndarray, torque: np.ndarray | None, turn: Callable[[np.ndarray], np.ndarray]
) -> tuple[np.ndarray, np.ndarray | None]:
    return turn(force), None if torque is None else turn(torque)


def needs_turning(signal: Signal) -> bool:
    """Whether a wrench can be given in world axes only with the body's attitude."""
    lever = any(signal.sensor.position)
    return signal.axes != "world" or signal.tool is not None or lever


def handed(
    wrench: Wrenches, times: np.ndarray, rows: slice | None, kept: slice, mean: bool
) -> tuple[np.ndarray, np.ndarray | None, np.ndarray]:
    """Force, torque and age at every cycle: of the newest reading, or the mean of those that came
    since the cycle before."""
    if rows is not None:
        at = np.arange(len(wrench.time))[rows][kept]
        torque = None if wrench.torque is None else wrench.torque[at]
        return wrench.force[at], torque, (wrench.arrival - wrench.time)[at]
    at = newest(times, wrench.arrival)
    if not mean:
        torque = None if wrench.torque is None else wrench.torque[at]
        return wrench.force[at], torque, times - wrench.time[at]
    before = np.concatenate([[at[0] - 1], at[:-1]])
    before = np.where(before < at, before, at - 1)  # none came: the last one is held
    count = (at - before)[:, None].astype(float)

    def means(values: np.ndarray) -> np.ndarray:
        sums = np.concatenate([np.zeros((1, values.shape[1])), np.cumsum(values, axis=0)])
        return np.asarray((sums[at + 1] - sums[before + 1]) / count)

    torque = None if wrench.torque is None else means(wrench.torque)
    return means(wrench.force), torque, times - means(wrench.time[:, None])[:, 0]
