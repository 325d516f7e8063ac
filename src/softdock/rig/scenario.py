"""A scenario on a rig: the rig file's values win, and every difference is reported; and its limits,
plan and frames as the numbers that the compiled program reads.

In: a `Rig` and a `Scenario`. Out: the scenario with the rig's delays, tools, sensors and
`[facility]`, the frames that the wire needs (robot base in orbit, mock-up's centre of mass in what
RIst tells; mm and degrees), and a sentence for each value that both state and that differs. A cycle
that the robots do not have is refused.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from softdock.compile.cells import Cells
from softdock.errors import BadInput, Problem
from softdock.loop.arms.facility import Facility, Frame
from softdock.loop.arms.scenario_facility import facility_of
from softdock.loop.seam import COMMAND, PRESENT_BITS, REPORT, new_report
from softdock.loop.spatial.motion import MOTION, MOTION_FLOATS, Motion, Pose
from softdock.results.controller import Controller
from softdock.rig.model import ROBOTS, Rig
from softdock.rig.supervisor import layout
from softdock.rig.wire import entry_points
from softdock.scenario.build import Scenario
from softdock.scenario.own_models import refuse_own_models

Six = tuple[float, ...]


@dataclass(frozen=True)
class OnRig:
    """A scenario as a rig would run it."""

    rig: Rig
    scenario: Scenario
    facility: Facility
    differences: tuple[str, ...]  # sentences

    def base_in_orbit(self, which: str) -> Six:
        """The robot's base in the loop's world frame: X, Y, Z [mm], A, B, C [degrees]."""
        mount = self.facility.robots().get(which)
        if mount is None:  # not said: the base has the axes of orbit
            return (0.0,) * 6
        return _convert_frame(self.facility.orbit.back().then(mount.base))

    def centre_from_flange(self, which: str) -> Six:
        """The satellite's frame at its centre of mass, in the frame that RIst tells."""
        mount = self.facility.robots().get(which)
        return (0.0,) * 6 if mount is None else _convert_frame(mount.satellite)


def _convert_frame(frame: Frame) -> Six:
    (x, y, z), (q0, q1, q2, q3) = frame.p, frame.q
    pose = Pose((x, y, z), (q0, q1, q2, q3))
    return tuple(float(v) for v in entry_points.to_kuka_frame(pose))


def put_on_rig(rig: Rig, scenario: Scenario) -> OnRig:
    """The scenario with the rig's values. Raises `BadInput` where they cannot be had together."""
    refuse_own_models(scenario, "a rig")
    tables = scenario.tables
    cycle = float(tables["time"]["cycle_ms"])
    if cycle != rig.clock.cycle_ms:
        allowed = (
            f"{rig.clock.cycle_ms:g}, the cycle of {rig.file} "
            f"(--scenario-set time.cycle_ms={rig.clock.cycle_ms:g}, or another clock.cycle_ms)"
        )
        raise BadInput(Problem("time.cycle_ms", cycle, allowed))
    facility, differences = _merge_facility(rig, tables)
    changes = dict(_list_changes(rig))
    for key, value in changes.items():
        stated = _get_stated(tables, key)
        if stated is not None and not _is_same(stated, value):
            differences.append(_describe_difference(key, value, stated))
    made = scenario.replace(changes) if changes else scenario
    differences += _list_short_delays(rig, made)
    differences += _list_hand_pushes(rig, made)
    return OnRig(rig, made, facility, tuple(differences))


def _list_short_delays(rig: Rig, scenario: Scenario) -> Iterator[str]:
    """Delays that no rig of this cycle has: a set-point that leaves with an answer is there at the
    robot's next cycle at the earliest."""
    for which in rig.moving:
        delay, cycle = scenario.tables["robots"][which]["delay_ms"], rig.clock.cycle_ms
        if delay < cycle:
            yield (
                f"robots.{which}.delay_ms: {delay:g} ms is less than the cycle of {cycle:g} ms; on "
                "the rig, and where it is emulated, the delay is at least the cycle"
            )


def _list_hand_pushes(rig: Rig, scenario: Scenario) -> Iterator[str]:
    """A hand that pushes a mock-up is a person's, but where the rig is emulated."""
    for which in ROBOTS:
        rows = len(scenario.tables["hand"][which]["rows"])
        if rows > 0 and (rig.emulate is None or rig.in_python):
            yield (
                f"hand.{which}: softdock pushes nothing on a rig, a person does; its {rows} rows "
                "are in what is predicted alone"
            )
        elif rows > 0:
            yield (
                f"hand.{which}: to the supervisor pushes are contacts; the energy that they bring "
                f"in must stay below limits.energy_floor_J ({rig.limits.energy_floor_J:g} J)"
            )


def _list_changes(rig: Rig) -> Iterator[tuple[str, Any]]:
    """Keys of the scenario that the rig file states."""
    for which, robot in rig.robots.items():
        if robot.delay_ms is not None:
            yield f"robots.{which}.delay_ms", robot.delay_ms
    yield "sensor.on", "both" if len(rig.sensors) == 2 else next(iter(rig.sensors))
    for which, tool in rig.tools.items():
        at = f"mock_up.{which}"
        yield f"{at}.sensor_m", list(tool.sensor_m)
        yield f"{at}.believed.mass_kg", tool.mass_kg
        yield f"{at}.believed.centre_m", list(tool.centre_m)
        yield f"{at}.believed.inertia_kg_m2", list(tool.inertia_kg_m2)


def _get_stated(tables: Mapping[str, Any], key: str) -> Any:
    here: Any = tables
    for part in key.split("."):
        if not isinstance(here, Mapping) or part not in here:
            return None
        here = here[part]
    return here


def _is_same(a: Any, b: Any) -> bool:
    if isinstance(a, str) or isinstance(b, str):
        return bool(a == b)
    a, b = np.asarray(a, float), np.asarray(b, float)
    if a.ndim == 2 and b.ndim == 1:  # an inertia: a matrix, and its diagonal
        b = np.diag(b)
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=1e-12, atol=0.0))


def _describe_difference(key: str, rig: Any, scenario: Any) -> str:
    return f"{key}: the rig's {rig} counts, the scenario says {scenario}"


def _merge_facility(rig: Rig, tables: Mapping[str, Any]) -> tuple[Facility, list[str]]:
    """The scenario's `[facility]` overlaid by the rig's."""
    own = copy.deepcopy(dict(tables.get("facility", {})))
    differences = list(_overlay(own, rig.facility or {}, "facility"))
    whole = {**tables, "facility": own} if own else dict(tables)
    return facility_of(whole, arm_needed=False), differences


def _overlay(own: dict[str, Any], over: Mapping[str, Any], path: str) -> Iterator[str]:
    for key, value in over.items():
        at = f"{path}.{key}"
        if isinstance(value, Mapping) and isinstance(own.get(key), dict):
            yield from _overlay(own[key], value, at)
            continue
        if key in own and own[key] != value:
            yield _describe_difference(at, value, own[key])
        own[key] = copy.deepcopy(value)


# What the compiled program is told, from a rig file and a scenario: LIMITS, PLAN, FRAME and SENSE
# of rig/supervisor/layout.py, in SI.

NO_POSE = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
MM, MS, DEGREE = 1e-3, 1e-3, math.pi / 180.0
STILL_M = 2e-4  # a robot that is told nothing: its encoders' noise, and no more
POSCORR_SHARE = 0.9  # of what PosCorr allows
PATIENCE_S = 20.0  # for robots and sensor to be heard
GENTLE = 0.25  # of the largest acceleration, on planned ways
TURN_S = 4.0  # a planned way turns a quarter of the largest rate


def _fill_cells(cells: Cells, values: dict[str, Any]) -> np.ndarray:
    made = np.zeros(cells.size)
    for cell in cells:
        made[cells.slice_of(cell.name)] = values.pop(cell.name)
    assert not values, values
    return made


def make_limits(on: OnRig) -> np.ndarray:
    """LIMITS."""
    rig, cycle = on.rig, on.rig.cycle_s
    lim, stop = rig.limits, rig.stop
    stated = on.scenario.tables["sensor"]["noise_N"]
    noise = stated if rig.emulate is None else rig.emulate.noise_N
    timeouts = [rig.robots[n].timeout_packets for n in rig.moving]
    delays = [on.scenario.tables["robots"][n]["delay_ms"] for n in rig.moving]
    axis = np.array(stop.axis) / np.linalg.norm(stop.axis)
    half_force = 0.5 * lim.force_N
    return _fill_cells(
        layout.LIMIT_CELLS,
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


SAME_M = 1e-9  # a start nearer than this is the same: the rounding of a cycle forth and back


def compute_first_command(scenario: Scenario) -> np.ndarray:
    """The set-points of t = 0 that the run-up leads to. A method that sends set-points ahead of the
    satellites does so from its first cycle on: its first set-point, carried back by that cycle, is
    where the robots pass at t = 0, or they would have to jump by speed times lead."""
    probe, at = Controller(scenario), COMMAND.at
    command, report = probe.first_command(), new_report()
    for body in ROBOTS:
        report[REPORT.slice_of(body)] = command[COMMAND.slice_of(body)]
        for one in ("pose", "twist", "wrench", "reduced"):
            report[REPORT.at.present] += PRESENT_BITS[f"{body}_{one}"]
    stepped = command.copy()
    if probe.step(0, report, stepped) != 0:  # the run itself says why
        return command
    for start in (at.chaser, at.target):
        after: Motion = MOTION([float(v) for v in stepped[start : start + MOTION_FLOATS]]).whole
        back = np.concatenate([*entry_points.coast(after, -probe.T)])
        if np.abs(back[:3] - command[start : start + 3]).max() > SAME_M:
            command[start : start + MOTION_FLOATS] = back
    return command


def compute_sensor_axes(on: OnRig, which: str) -> tuple[float, ...]:
    """The sensor's axes in the satellite's, wxyz."""
    sensor, mount = on.rig.sensors[which], on.facility.robots().get(which)
    body = Frame() if mount is None else mount.satellite
    in_flange = Frame(sensor.in_flange_m, sensor.in_flange_wxyz)
    return tuple(body.back().then(in_flange).q)


def carries_tool(on: OnRig, which: str) -> bool:
    """Whether readings hold a weight that the controller takes out."""
    believed = on.scenario.tables["mock_up"][which].get("believed", {})
    return which in on.rig.tools or float(believed.get("mass_kg", 0.0)) > 0.0


def make_plan(
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
    return _fill_cells(
        layout.PLAN_CELLS,
        {
            "cycle": cycle,
            "step_ms": rig.clock.cycle_ms,
            "total": total,
            "task": task,
            "master": ROBOTS.index(rig.clock.master),
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


def make_sense(on: OnRig, which: str, task: int) -> np.ndarray:
    """SENSE of one mock-up; zeros where there is no sensor behind it."""
    if which not in on.rig.sensors:
        return np.zeros(layout.SENSE_CELLS.size)
    sensor, share = on.rig.sensors[which], on.rig.limits.range_share
    weighs = carries_tool(on, which)
    return _fill_cells(
        layout.SENSE_CELLS,
        {
            "there": 1.0,
            "axes": compute_sensor_axes(on, which),
            "range_force": share * sensor.range_N,
            "range_torque": share * sensor.range_Nm,
            "weighs": weighs,
            "take_bias": sensor.bias and not weighs and task == layout.DOCK,
        },
    )


def _convert_pose(frame: tuple[float, ...]) -> np.ndarray:
    """Six numbers, mm and degrees, as the seven of a pose."""
    pose = entry_points.load_frame(np.array(frame), 0)
    return np.array([*pose.p, *pose.q])


def make_frame(on: OnRig, which: str) -> np.ndarray:
    """FRAME of one mock-up; zeros, and poses that change nothing, where no robot carries it."""
    if which not in on.rig.moving:
        nothing = dict.fromkeys((cell.name for cell in layout.FRAME_CELLS), 0.0)
        return _fill_cells(layout.FRAME_CELLS, nothing | {"base": NO_POSE, "tool": NO_POSE})
    robot = on.rig.robots[which]
    return _fill_cells(
        layout.FRAME_CELLS,
        {
            "there": 1.0,
            "base": _convert_pose(on.base_in_orbit(which)),
            "tool": _convert_pose(on.centre_from_flange(which)),
            "box_min": robot.box_min_m,
            "box_max": robot.box_max_m,
            "lower": POSCORR_SHARE * MM * np.array(robot.lower_mm),
            "upper": POSCORR_SHARE * MM * np.array(robot.upper_mm),
            "max_angle": DEGREE * min(robot.max_angle_deg, POSCORR_SHARE * robot.max_turn_deg),
            "delay": MS * on.scenario.tables["robots"][which]["delay_ms"],
            "stays": on.scenario.tables[which].get("fixed", False),
        },
    )
