"""What the compiled program is told, from a rig file and a scenario: LIMITS, PLAN, FRAME and SENSE
of core/rig/layout.py, in SI."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from softdock.arms.facility import Frame
from softdock.core.machine.cells import Cells
from softdock.core.rig import layout
from softdock.core.seam import COMMAND
from softdock.core.spatial.motion import MOTION_FLOATS
from softdock.core.wire import doors
from softdock.drivers import rig_model
from softdock.drivers.rig_scenario import OnRig

NO_POSE = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
MM, MS, DEGREE = 1e-3, 1e-3, math.pi / 180.0
STILL_M = 2e-4  # a robot that is told nothing: its encoders' noise, and no more
POSCORR_SHARE = 0.9  # of what PosCorr allows
PATIENCE_S = 20.0  # for robots and sensor to be heard
GENTLE = 0.25  # of the largest acceleration, on planned ways
TURN_S = 4.0  # a planned way turns a quarter of the largest rate


def _filled(cells: Cells, values: dict[str, Any]) -> np.ndarray:
    made = np.zeros(cells.size)
    for cell in cells:
        made[cells.slice_of(cell.name)] = values.pop(cell.name)
    assert not values, values
    return made


def limits_of(on: OnRig) -> np.ndarray:
    """LIMITS."""
    rig, cycle = on.rig, on.rig.cycle_s
    lim, stop = rig.limits, rig.stop
    stated = on.scenario.tables["sensor"]["noise_N"]
    noise = stated if rig.emulate is None else rig.emulate.noise_N
    timeouts = [rig.robots[n].timeout_packets for n in rig.moving]
    delays = [on.scenario.tables["robots"][n]["delay_ms"] for n in rig.moving]
    axis = np.array(stop.axis) / np.linalg.norm(stop.axis)
    half_force = 0.5 * lim.force_N
    return _filled(
        layout.LIMITS,
        {
            "speed": lim.speed_m_per_s,
            "rate": lim.rate_rad_per_s,
            "acceleration": lim.acceleration_m_per_s2,
            "turn_acceleration": lim.angular_acceleration_rad_per_s2,
            "restitution": lim.restitution,
            "energy_floor": lim.energy_floor_J,
            "energy_contact": lim.energy_contact,
            "energy_run": lim.energy_run,
            "noise": noise,
            "power": lim.power_W,
            "force": lim.force_N,
            "torque": lim.torque_Nm,
            "force_step": half_force if lim.force_step_N is None else lim.force_step_N,
            "touch": lim.touch_N,
            "free_s": 2.0 * MS * max(delays),
            "tracking": lim.tracking_m,
            "tracking_angle": DEGREE * lim.tracking_deg,
            "stale": MS * lim.stale_ms,
            "lost_in_a_row": lim.lost_in_a_row,
            "lost_share": lim.lost_share,
            "late_in_a_row": lim.late_in_a_row,
            "late_in_all": max(1.0, lim.late_share_of_timeout * min(timeouts)),
            "silence": lim.silence_cycles * cycle,
            "drift_ppm": lim.drift_ppm,
            "compute": lim.compute_share * cycle,
            "bad_in_a_row": lim.bad_in_a_row,
            "still": STILL_M,
            "deceleration": stop.deceleration_m_per_s2,
            "turn_deceleration": stop.angular_deceleration_rad_per_s2,
            "retreat": stop.retreat_m,
            "retreat_speed": stop.retreat_m_per_s,
            "axis": axis,
            "retreat_force": half_force if stop.retreat_force_N is None else stop.retreat_force_N,
            "relief": stop.relief_m_per_s_per_N,
        },
    )


def sensor_axes(on: OnRig, which: str) -> tuple[float, ...]:
    """The sensor's axes in the satellite's, wxyz."""
    sensor, mount = on.rig.sensors[which], on.facility.robots().get(which)
    body = Frame() if mount is None else mount.satellite
    in_flange = Frame(sensor.in_flange_m, sensor.in_flange_wxyz)
    return tuple(body.back().then(in_flange).q)


def carries_tool(on: OnRig, which: str) -> bool:
    """Whether readings hold a weight that the controller takes out."""
    believed = on.scenario.tables["mock_up"][which].get("believed", {})
    return which in on.rig.tools or float(believed.get("mass_kg", 0.0)) > 0.0


def plan_of(
    on: OnRig,
    command: np.ndarray,
    total: int,
    task: int,
    shift_m: tuple[float, float, float],
    ends: bool,
) -> np.ndarray:
    """PLAN. The settling time is lengthened to a whole number of cycles, and to four delays."""
    rig, up, cycle = on.rig, on.rig.run_up, on.rig.cycle_s
    chaser, target = COMMAND.at.chaser, COMMAND.at.chaser + MOTION_FLOATS
    delays = [MS * on.scenario.tables["robots"][n]["delay_ms"] for n in rig.moving]
    settle = max(up.settle_s, 4.0 * max(delays))
    cycles = math.ceil((up.ramp_s + settle) / cycle - 1e-9)
    return _filled(
        layout.PLAN,
        {
            "cycle": cycle,
            "step_ms": rig.clock.cycle_ms,
            "total": total,
            "task": task,
            "master": rig_model.ROBOTS.index(rig.clock.master),
            "start_chaser": command[chaser : chaser + MOTION_FLOATS],
            "start_target": command[target : target + MOTION_FLOATS],
            "shift": shift_m,
            "listen": up.listen_s,
            "patience": PATIENCE_S + up.listen_s,
            "ramp": up.ramp_s,
            "settle": cycles * cycle - up.ramp_s,
            "transfer_speed": min(up.transfer_m_per_s, rig.limits.speed_m_per_s),
            "transfer_rate": rig.limits.rate_rad_per_s / TURN_S,
            "transfer_acceleration": GENTLE * rig.limits.acceleration_m_per_s2,
            "end_when_stopped": ends,
        },
    )


def sense_of(on: OnRig, which: str, task: int) -> np.ndarray:
    """SENSE of one mock-up; zeros where there is no sensor behind it."""
    if which not in on.rig.sensors:
        return np.zeros(layout.SENSE.size)
    sensor, share = on.rig.sensors[which], on.rig.limits.range_share
    weighs = carries_tool(on, which)
    return _filled(
        layout.SENSE,
        {
            "there": 1.0,
            "axes": sensor_axes(on, which),
            "range_force": share * sensor.range_N,
            "range_torque": share * sensor.range_Nm,
            "weighs": weighs,
            "take_bias": sensor.bias and not weighs and task == layout.DOCK,
        },
    )


def _pose(frame: tuple[float, ...]) -> np.ndarray:
    """Six numbers, mm and degrees, as the seven of a pose."""
    pose = doors.load_frame(np.array(frame), 0)
    return np.array([*pose.p, *pose.q])


def robot_frame(on: OnRig, which: str) -> np.ndarray:
    """FRAME of one mock-up; zeros, and poses that change nothing, where no robot carries it."""
    if which not in on.rig.moving:
        nothing = dict.fromkeys((cell.name for cell in layout.FRAME), 0.0)
        return _filled(layout.FRAME, nothing | {"base": NO_POSE, "tool": NO_POSE})
    robot = on.rig.robots[which]
    return _filled(
        layout.FRAME,
        {
            "there": 1.0,
            "base": _pose(on.base_in_orbit(which)),
            "tool": _pose(on.centre_from_flange(which)),
            "box_min": robot.box_min_m,
            "box_max": robot.box_max_m,
            "lower": POSCORR_SHARE * MM * np.array(robot.lower_mm),
            "upper": POSCORR_SHARE * MM * np.array(robot.upper_mm),
            "max_angle": DEGREE * min(robot.max_angle_deg, POSCORR_SHARE * robot.max_turn_deg),
            "delay": MS * on.scenario.tables["robots"][which]["delay_ms"],
            "stays": on.scenario.tables[which].get("fixed", False),
        },
    )
