"""Columns of a signal in SI, as motions and wrenches of a body. Holes, units that make no sense and
attitudes that are none are refused, each with its line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.loop.spatial.arrays import continuous, product, rotate, rotate_back, turns
from softdock.recording.logs.clocks import StampedRows, find_newest
from softdock.recording.logs.map_parts import Map, Part, Place, Signal
from softdock.recording.logs.units import (
    FACTORS,
    PLAUSIBLE,
    QUANTITY,
    UNIT_WITHIN,
    convert_to_quaternions,
    find_smaller_unit,
    interpolate_attitudes,
)

MOST_TURN = 2.0 * np.pi * 1.01  # rad, of an angle that is written once round


def list_names(part: Part) -> list[str]:
    """The columns that a part takes."""
    return [one for one in part.components if isinstance(one, str)]


def list_columns(signal: Signal) -> list[str]:
    """All columns that a signal takes."""
    parts = [*signal.parts.values(), *([signal.age] if signal.age else [])]
    return [name for part in parts for name in list_names(part)]


def read_values(part: Part, own: StampedRows, name: str) -> np.ndarray:
    """A part's rows in SI, one column a component; checked."""
    columns = []
    for one in part.components:
        if isinstance(one, str):
            column = own.table.column(one, part.key, part.where)[own.rows].astype(float)
            _check_whole(column, one, part, own)
            columns.append(part.factor * column)
        else:
            columns.append(np.full(len(own.rows), part.factor * one))
    values = np.stack(columns, axis=1)
    quantity = QUANTITY.get(name, name)
    if quantity in PLAUSIBLE:
        _check_plausible(values, quantity, part, own)
    return values


def _check_whole(column: np.ndarray, name: str, part: Part, own: StampedRows) -> None:
    holes = np.flatnonzero(~np.isfinite(column))
    if len(holes):
        given = f"{name}: no number ({len(holes)} such rows)"
        allowed = "a number in every row that has one of this clock's columns"
        raise BadInput(Problem(part.key, given, allowed, own.where(int(holes[0]))))


def _check_plausible(values: np.ndarray, quantity: str, part: Part, own: StampedRows) -> None:
    most, unit = PLAUSIBLE[quantity]
    size = np.abs(values).max(axis=1)
    i = int(size.argmax())
    if size[i] > most:
        units = "time" if quantity == "age" else quantity
        near = (
            find_smaller_unit(units, part.unit, size[i] / most)
            if part.unit in FACTORS[units]
            else ""
        )
        raise BadInput(
            Problem(
                f"{part.key}_unit",
                f"{part.unit}: {size[i]:.4g} {unit}",
                f"at most {most:g} {unit}: is it another unit, or another column?",
                f"{part.where} ({own.where(i)})",
                suggestion=near,
            )
        )


def read_attitudes(signal: Signal, own: StampedRows) -> np.ndarray:
    """Quaternions, frame from logged axes."""
    part = signal.parts["attitude"]
    values = read_values(part, own, "attitude")
    if signal.form in ("wxyz", "xyzw"):
        length = np.linalg.norm(values, axis=1)
        off = np.flatnonzero(np.abs(length - 1.0) > UNIT_WITHIN)
        if len(off):
            i = int(off[0])
            raise BadInput(
                Problem(
                    part.key,
                    f"a quaternion of length {length[i]:.4g}",
                    "unit quaternions; angles have attitude_form = kuka_abc, rpy or "
                    "rotation_vector",
                    f"{part.where} ({own.where(i)})",
                )
            )
    elif np.abs(values).max() > MOST_TURN:
        i = int(np.abs(values).max(axis=1).argmax())
        raise BadInput(
            Problem(
                f"{part.key}_unit",
                f"{part.unit}: {np.abs(values[i]).max():.4g} rad",
                "angles within one turn",
                f"{part.where} ({own.where(i)})",
                suggestion="deg" if part.unit == "rad" else "",
            )
        )
    return convert_to_quaternions(values, signal.form)


def read_ages(signal: Signal, own: StampedRows) -> np.ndarray:
    """Age of every row when it arrived [s]; zero where nothing is said."""
    if signal.age is None:
        return np.zeros(len(own.rows))
    ages = read_values(signal.age, own, "age")[:, 0]
    if ages.min() < -1e-9:
        i = int(ages.argmin())
        where = f"{signal.age.where} ({own.where(i)})"
        raise BadInput(Problem(signal.age.key, f"{ages[i]:g} s", "ages of at least 0 s", where))
    return np.asarray(ages)


# Logged motions as a recording has them: position of the centre of mass and velocity in world
# axes, attitude world from body, rate in body axes.
#
#     p_WB = p_WF + R_WF (p_FL + R_FL p_LB)      q_WB = q_WF q_FL q_LB
#     v_WB = R_WF (v_FL + w_FL x R_FL p_LB)      w_WB_B = R_LB^T R_FL^T w_FL
#
# W world, F the frame of the log, L the axes whose pose is logged (a flange), B the body.
# Velocities that a log does not hold are those of its own positions (central differences).

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


def read_motion(signal: Signal, mounting: Place, own: StampedRows) -> Motion:
    """A motion at the stamps of its own clock."""
    ages = read_ages(signal, own)
    stamps = own.time
    time, arrival = (
        (stamps, stamps + ages) if signal.stamped == "measured" else (stamps - ages, stamps)
    )
    p = read_values(signal.parts["position"], own, "position")
    q = read_attitudes(signal, own)
    v = (
        read_values(signal.parts["velocity"], own, "velocity")
        if "velocity" in signal.parts
        else None
    )
    if v is None:
        v = _differentiate(time, p)
    else:
        _refuse_mixed_units(signal, time, p, v)
    if "rate" in signal.parts:
        w = read_values(signal.parts["rate"], own, "rate")
        w = rotate(q, w) if signal.axes == "body" else w  # in the frame's axes
    else:
        w = _compute_rate(time, q)
    return Motion(
        time, np.maximum.accumulate(arrival), *_convert_to_world(signal.frame, mounting, p, q, v, w)
    )


def _convert_to_world(
    frame: Place, mounting: Place, p: np.ndarray, q: np.ndarray, v: np.ndarray, w: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    F, lever = np.array(frame.attitude), np.array(mounting.position)
    arm = rotate(q, lever)
    position = np.array(frame.position) + rotate(F, p + arm)
    velocity = rotate(F, v + np.cross(w, arm))
    q_FB = product(q, np.broadcast_to(np.array(mounting.attitude), q.shape))
    attitude = product(np.broadcast_to(F, q.shape), q_FB)
    return position, continuous(attitude), velocity, rotate_back(q_FB, w)


def _differentiate(time: np.ndarray, values: np.ndarray) -> np.ndarray:
    fresh = np.concatenate([[True], np.diff(time) > 0.0])
    if fresh.sum() < 3:
        return np.zeros_like(values)
    slopes = np.gradient(values[fresh], time[fresh], axis=0)
    return np.asarray(slopes[np.cumsum(fresh) - 1])


def _compute_rate(time: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Angular velocity in the frame's axes, from attitudes."""
    turned = np.concatenate([np.zeros((1, 3)), np.cumsum(turns(q), axis=0)])
    return _differentiate(time, turned)


def _refuse_mixed_units(signal: Signal, time: np.ndarray, p: np.ndarray, v: np.ndarray) -> None:
    """Refuse positions that move at another speed than the logged one: a unit is wrong."""
    seen = np.sqrt(np.mean((_differentiate(time, p)) ** 2))
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


def interpolate_motion(
    motion: Motion, times: np.ndarray, rows: slice | None
) -> dict[str, np.ndarray]:
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
    found["attitude"] = interpolate_attitudes(times, motion.time, motion.attitude)
    return found


def sample_motion(
    motion: Motion, times: np.ndarray, rows: slice | None, kept: slice
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The newest measured pose at every cycle, and its age [s]."""
    if rows is not None:
        at = np.arange(len(motion.time))[rows][kept]
        ages = (motion.arrival - motion.time)[at]
        return motion.position[at], motion.attitude[at], ages
    at = find_newest(times, motion.arrival)
    return motion.position[at], motion.attitude[at], times - motion.time[at]


# Logged forces as a recording has them: on the body, world axes, torque about its centre of mass.
#
#     f_B = R_BS f_S      tau_B = R_BS tau_S + r_BS x f_B      less tool and bias, where given
#
# S the sensor's axes, B the body's. The attitude that turns them into world axes is the measured
# one at the instant of the force, or the commanded one where none was measured. A tool's weight and
# the bias are taken out; what it takes to accelerate the tool is not.


@dataclass
class Wrenches:
    """Rows of a wrench, when each was measured and when it was known."""

    time: np.ndarray
    arrival: np.ndarray
    force: np.ndarray  # N, world axes
    torque: np.ndarray | None  # Nm, world axes, about the centre of mass; None: not logged


def read_wrenches(signal: Signal, own: StampedRows, turning: Motion | None, found: Map) -> Wrenches:
    """A wrench at the stamps of its own clock. `turning`: the body's motion, where axes turn."""
    ages = read_ages(signal, own)
    stamps = own.time
    time, arrival = (
        (stamps, stamps + ages) if signal.stamped == "measured" else (stamps - ages, stamps)
    )
    force = signal.sign * read_values(signal.parts["force"], own, "force")
    torque = None
    if "torque" in signal.parts:
        torque = signal.sign * read_values(signal.parts["torque"], own, "torque")
    F = np.array(signal.frame.attitude)
    q = None
    if turning is not None:
        fresh = np.concatenate([[True], np.diff(turning.time) > 0.0])
        q = interpolate_attitudes(time, turning.time[fresh], turning.attitude[fresh])
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
        force, torque = _rotate_wrench(force, torque, lambda v: rotate(q, v))
    return Wrenches(time, np.maximum.accumulate(arrival), force, torque)


def _rotate_wrench(
    force: np.ndarray, torque: np.ndarray | None, turn: Callable[[np.ndarray], np.ndarray]
) -> tuple[np.ndarray, np.ndarray | None]:
    return turn(force), None if torque is None else turn(torque)


def needs_attitude(signal: Signal) -> bool:
    """Whether a wrench can be given in world axes only with the body's attitude."""
    lever = any(signal.sensor.position)
    return signal.axes != "world" or signal.tool is not None or lever


def sample_wrench(
    wrench: Wrenches, times: np.ndarray, rows: slice | None, kept: slice, mean: bool
) -> tuple[np.ndarray, np.ndarray | None, np.ndarray]:
    """Force, torque and age at every cycle: of the newest reading, or the mean of those that came
    since the cycle before."""
    if rows is not None:
        at = np.arange(len(wrench.time))[rows][kept]
        torque = None if wrench.torque is None else wrench.torque[at]
        return wrench.force[at], torque, (wrench.arrival - wrench.time)[at]
    at = find_newest(times, wrench.arrival)
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
