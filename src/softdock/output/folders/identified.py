"""Files that identification reads and writes: logs of loads and deflections, calibration poses, and
a scenario or a rig file with the identified values.

The values replace those of a base, which supplies what a log cannot give (masses, shapes, start). A
comment for each states value, uncertainty and the former value; what the log cannot give stays as
in the base, and a comment says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.files.atomic import refuse_unwritable, write_whole
from softdock.loop.arms.arm import Arm
from softdock.loop.arms.facility import Frame
from softdock.loop.spatial.arrays import abc_angles
from softdock.output.folders.run_folder import open_run
from softdock.output.folders.sources import is_recording, open_recording
from softdock.recording.logs.table_files import read_csv
from softdock.recording.logs.tables import CsvForm, Table
from softdock.recording.logs.units import convert_to_quaternions
from softdock.rig.file import load_rig
from softdock.scenario.build import Scenario
from softdock.scenario.files import to_toml
from softdock.studies.identify.calibration import (
    LARGEST,
    Calibration,
    calibrate,
    calibrate_from_rests,
)
from softdock.studies.identify.estimate import Estimate
from softdock.studies.identify.joint_stiffness import JointStiffness, StiffnessLog
from softdock.studies.identify.pose_plan import PosePlan
from softdock.studies.identify.result import Identification, list_clear_offsets

JOINTS = tuple(f"q{i}_deg" for i in range(1, 7))
LOADS = ("fx_N", "fy_N", "fz_N", "tx_Nm", "ty_Nm", "tz_Nm")
TRANSLATIONS = ("dx_mm", "dy_mm", "dz_mm")
ROTATIONS = ("rx_mrad", "ry_mrad", "rz_mrad")
LARGEST_NUMBER = 1e9  # of a load, an angle or a deflection: no machine bears more
BASE = {"rail": "q0_m", "turntable": "q0_deg"}


def read_stiffness_log(path: Path, arm: Arm, point: tuple[float, float, float]) -> StiffnessLog:
    """Read a log of loads and deflections from a CSV file (studies/identify/joint_stiffness.py).
    Raises `BadInput` with column and line."""
    table = read_csv(path, CsvForm(delimiter=","))
    q = np.zeros((len(table), 7))
    if arm.base_axis in BASE:
        name = BASE[arm.base_axis]
        value = _columns(path, table, (name,))[:, 0]
        q[:, 0] = value if name.endswith("_m") else np.radians(value)
    q[:, 1:] = np.radians(_columns(path, table, JOINTS))
    turned = None
    if any(name in table.columns for name in ROTATIONS):
        turned = 1e-3 * _columns(path, table, ROTATIONS)
    return StiffnessLog(
        joints=q,
        wrench=_columns(path, table, LOADS),
        moved=1e-3 * _columns(path, table, TRANSLATIONS),
        turned=turned,
        point=point,
    )


def read_motion_log(path: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times [s], forces [N] and deflections [m] of a Cartesian robot from a CSV file
    (studies/identify/joint_motion.py)."""
    table = read_csv(path, CsvForm(delimiter=","))
    force, moved = _columns(path, table, LOADS[:3]), _columns(path, table, TRANSLATIONS)
    return read_times(path), force, 1e-3 * moved


def read_times(path: Path) -> np.ndarray:
    """The column of times of a CSV file [s]."""
    table = read_csv(path, CsvForm(delimiter=","))
    return np.asarray(_columns(path, table, ("time_s",))[:, 0])


def _columns(path: Path, table: Table, names: tuple[str, ...]) -> np.ndarray:
    found = []
    for name in names:
        column = table.column(name, name, f"{path}:{table.head or 1}").astype(float)
        holes = np.flatnonzero(~np.isfinite(column))
        if len(holes):
            raise BadInput(
                Problem(name, None, "a finite number in every row", table.where(int(holes[0])))
            )
        large = np.flatnonzero(np.abs(column) > LARGEST_NUMBER)
        if len(large):
            row = int(large[0])
            allowed = f"a number of at most {LARGEST_NUMBER:g} in size"
            raise BadInput(Problem(name, float(column[row]), allowed, table.where(row)))
        found.append(column)
    return np.stack(found, axis=1)


def arm_lines(found: JointStiffness) -> str:
    """Lines to paste into the joints of an arm's table."""
    lines = [f"# joints of {found.arm}, from {found.rows} loads"]
    for name, one in found.stiffness.items():
        key = "stiffness_N_per_m" if found.units[name] == "N/m" else "stiffness_Nm_per_rad"
        if one is None:
            lines.append(f"# {name}: cannot tell")
        else:
            lines.append(f"{key} = {one.value:.4g}  # {name}, +- {one.uncertainty:.2g}")
    return "\n".join(lines)


ANGLES = ("a_deg", "b_deg", "c_deg")
READINGS = ("fx_N", "fy_N", "fz_N", "tx_Nm", "ty_Nm", "tz_Nm")
HEAD = (
    "# Hold each attitude at rest and write the mean readings of the sensor behind it, in the axes "
    "that turn.\n# A; B; C as KUKA has them: about z; y; x. Then: softdock calibrate estimate\n"
)


def plan_text(plan: PosePlan) -> str:
    """Poses as CSV, with empty columns for the readings."""
    lines = [",".join(("pose", *ANGLES, *READINGS))]
    for i, q in enumerate(plan.attitudes):
        angles = ",".join(f"{value:.4f}" for value in np.degrees(abc_angles(q)))
        lines.append(f"{i + 1},{angles}," + "," * (len(READINGS) - 1))
    return HEAD + "\n".join(lines) + "\n"


def load_calibration(source: str | Path, body: str, gravity: tuple[float, ...]) -> Calibration:
    """Calibrate from a CSV file of poses, or from a recorded run."""
    path = Path(source)
    if path.suffix.lower() == ".csv":
        return _from_poses(path, gravity)
    run: Any = open_recording(path) if is_recording(str(path)) else open_run(path)
    return calibrate_from_rests(run.series, body, gravity)


def _from_poses(path: Path, gravity: tuple[float, ...]) -> Calibration:
    table = read_csv(path, CsvForm(delimiter=","))
    columns = []
    for name in (*ANGLES, *READINGS):
        column = table.column(name, name, f"{path}:{table.head or 1}").astype(float)
        holes = np.flatnonzero(~np.isfinite(column))
        if len(holes):
            allowed = "a mean reading in every attitude"
            raise BadInput(Problem(name, None, allowed, table.where(int(holes[0]))))
        large = np.flatnonzero(np.abs(column) > LARGEST)
        if len(large):
            row = int(large[0])
            allowed = f"a number of at most {LARGEST:g} in size"
            raise BadInput(Problem(name, float(column[row]), allowed, table.where(row)))
        columns.append(column)
    values = np.stack(columns, axis=1)
    attitudes = convert_to_quaternions(np.radians(values[:, :3]), "kuka_abc")
    return calibrate(attitudes, values[:, 3:6], values[:, 6:9], gravity)


def calibration_lines(found: Calibration, body: str, sensor: Frame | None = None) -> str:
    """Lines to paste into a scenario, a rig file or a map. `sensor`: its pose from the satellite's
    centre of mass, body axes; None: readings and bias are in the rotating axes, about the point
    from which the centre is measured."""
    centre = "[0.0, 0.0, 0.0]" if found.centre is None else _format_list(found.centre.value)
    force, torque = (np.array(e.value) for e in (found.bias_force, found.bias_torque))
    moved = ""
    if sensor is not None:
        back = sensor.back()
        torque = np.array(Frame(q=back.q).turned(torque - np.cross(sensor.p, force)))
        force = np.array(Frame(q=back.q).turned(force))
        moved = f"sensor_m = {_format_list(sensor.p)}\n"
    own = f"mass_kg = {max(found.mass.value, 0.0):.6g}\ncentre_m = {centre}\n"
    bias = f"bias_N = {_format_list(force)}\nbias_Nm = {_format_list(torque)}"
    plain = (
        f"bias_N = {_format_list(found.bias_force.value)}\nbias_Nm = "
        f"{_format_list(found.bias_torque.value)}"
    )
    return (
        f"# into a scenario\n[mock_up.{body}]\nbelieved.mass_kg = {found.mass.value:.6g}\n"
        f"believed.centre_m = {centre}\n\n"
        f"# into a rig file: what is behind the sensor, and its zero\n[tools.{body}]\n{own}{moved}"
        f"[sensors.{body}]\n{bias}\n\n"
        f"# into the map of an import\n[{body}.wrench.tool]\n{own}{plain}"
    )


def _format_list(values: Any) -> str:
    return "[" + ", ".join(f"{float(v):.6g}" for v in values) + "]"


Changes = dict[str, tuple[float | list[float], str]]  # key: value, uncertainty in words


def scenario_changes(found: Identification, base: Scenario) -> Changes:
    """Scenario keys that the log identifies."""
    tables = base.tables
    changes: Changes = {}
    for i, pair in enumerate(tables["contact"]):
        for key, estimate in (
            ("stiffness_N_per_m", found.stiffness),
            ("damping_Ns_per_m", found.damping),
            ("friction", found.friction),
        ):
            if estimate is not None and key in pair.get("real", {}):
                changes[f"contact.{i}.real.{key}"] = _positive(estimate)
    for body, delay in found.robot_delay.items():
        if delay is not None:
            changes[f"robots.{body}.delay_ms"] = _milliseconds(delay)
    sensor = tables["sensor"]
    if found.force_delay_s is not None:
        cycle = float(tables["time"]["cycle_ms"])
        period = float(sensor["period_ms"]) or cycle
        waited = 0.5 * (cycle - period) if sensor["handover"] == "mean" else 0.0
        changes["sensor.delay_ms"] = (max(1e3 * found.force_delay_s - waited, 0.0), "mean age")
    if found.pose_delay_s is not None:
        changes["pose.delay_ms"] = (1e3 * found.pose_delay_s, "mean age")
    for body, offset in list_clear_offsets(found.pose_offset).items():
        changes[f"pose.{body}_offset_m"] = _vector(offset)
    return changes


def rig_changes(found: Identification, has: Mapping[str, Any]) -> Changes:
    """Rig-file keys that the log identifies. `has`: the rig's tables."""
    changes: Changes = {}
    for body, delay in found.robot_delay.items():
        if delay is not None and body in has["robots"]:
            changes[f"robots.{body}.delay_ms"] = _milliseconds(delay)
            if found.pose_delay_s is not None:
                changes[f"robots.{body}.pose_age_ms"] = (1e3 * found.pose_delay_s, "mean age")
    for body, tool in found.tools.items():
        if body not in has["sensors"]:
            continue
        if found.force_delay_s is not None:
            changes[f"sensors.{body}.delay_ms"] = (1e3 * found.force_delay_s, "mean age")
        if tool.mass is not None and tool.centre is not None:
            changes[f"tools.{body}.mass_kg"] = _positive(tool.mass)
            changes[f"tools.{body}.centre_m"] = _vector(tool.centre)
    return changes


def _positive(estimate: Estimate) -> tuple[float, str]:
    return max(float(estimate.value), 0.0), f"+- {estimate.uncertainty:.2g}"


def _milliseconds(estimate: Estimate) -> tuple[float, str]:
    return max(1e3 * float(estimate.value), 0.0), f"+- {1e3 * estimate.uncertainty:.2g}"


def _vector(estimate: Estimate) -> tuple[list[float], str]:
    spread = ", ".join(f"{float(s):.2g}" for s in estimate.uncertainty)
    return [float(v) for v in estimate.value], f"+- {spread}"


def update_scenario_text(found: Identification, base: Scenario) -> str:
    """Text of the scenario with the identified values."""
    changes = scenario_changes(found, base)
    updated = base.replace({key: value for key, (value, _) in changes.items()})
    return _comment_head(found, changes, base.tables, base.name) + to_toml(updated.tables)


def update_rig_text(found: Identification, base: str | Path) -> str:
    """Text of the rig file with the identified values."""
    rig = load_rig(base)
    changes = rig_changes(found, rig.tables())
    updated = load_rig(base, {key: value for key, (value, _) in changes.items()})
    return _comment_head(found, changes, rig.tables(), rig.name) + updated.toml()


def _comment_head(
    found: Identification, changes: Changes, before: Mapping[str, Any], name: str
) -> str:
    """Comments at the top of the file: every new value, and what stayed."""
    lines = [f"# {name} with what was identified from a log:"]
    for key, (value, spread) in changes.items():
        old = _look_up_key(before, key)
        was = "" if old is None else f", was {_format_value(old)}"
        lines.append(f"#   {key} = {_format_value(value)} ({spread}{was})")
    for what, why in found.cannot_tell.items():
        lines.append(f"#   {what}: cannot tell, as before: {' '.join(why.split())}")
    return "\n".join(lines) + "\n\n"


def _look_up_key(tables: Any, key: str) -> Any:
    for part in key.split("."):
        if isinstance(tables, list):
            tables = tables[int(part)]
        elif isinstance(tables, Mapping) and part in tables:
            tables = tables[part]
        else:
            return None
    return tables


def _format_value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return "[" + ", ".join(f"{float(v):.6g}" for v in value) + "]"
    return f"{float(value):.6g}"


def write_new(path: Path, text: str, force: bool) -> None:
    """Write a file; refuse one that exists, unless `force`."""
    refuse_unwritable(path, "out")
    if path.exists() and not force:
        raise BadInput(Problem("out", str(path), "a new file; --force writes over this one"))
    write_whole(path, text.encode())
