"""Calibrations from files: poses with their mean readings, or the rests of a log; and the lines to
paste into a scenario, a rig file or a map."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from softdock.archive.recordings import open_recording
from softdock.archive.run_folder import open_run
from softdock.archive.sources import is_recording
from softdock.arms.facility import Frame
from softdock.core.spatial.arrays import abc_angles
from softdock.errors import BadInput, Problem
from softdock.identification.calibration import LARGEST, Calibration, calibrate
from softdock.identification.pose_plan import Plan
from softdock.identification.rest_attitudes import calibrated
from softdock.logs.attitudes import quaternions
from softdock.logs.csv_form import CsvForm
from softdock.logs.table_files import read_csv

ANGLES = ("a_deg", "b_deg", "c_deg")
READINGS = ("fx_N", "fy_N", "fz_N", "tx_Nm", "ty_Nm", "tz_Nm")
HEAD = (
    "# Hold each attitude at rest and write the mean readings of the sensor behind it, in the axes "
    "that turn.\n# A; B; C as KUKA has them: about z; y; x. Then: softdock calibrate estimate\n"
)


def plan_text(plan: Plan) -> str:
    """A plan as CSV, with room for the readings."""
    lines = [",".join(("pose", *ANGLES, *READINGS))]
    for i, q in enumerate(plan.attitudes):
        angles = ",".join(f"{value:.4f}" for value in np.degrees(abc_angles(q)))
        lines.append(f"{i + 1},{angles}," + "," * (len(READINGS) - 1))
    return HEAD + "\n".join(lines) + "\n"


def calibration_of(source: str | Path, body: str, gravity: tuple[float, ...]) -> Calibration:
    """From a CSV file of poses, or a recorded run."""
    path = Path(source)
    if path.suffix.lower() == ".csv":
        return _from_poses(path, gravity)
    run: Any = open_recording(path) if is_recording(str(path)) else open_run(path)
    return calibrated(run.series, body, gravity)


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
    attitudes = quaternions(np.radians(values[:, :3]), "kuka_abc")
    return calibrate(attitudes, values[:, 3:6], values[:, 6:9], gravity)


def blocks(found: Calibration, body: str, sensor: Frame | None = None) -> str:
    """Lines to paste. `sensor`: where it sits, from the satellite's centre of mass, body axes;
    None: readings and bias are in the axes that turn, about the point that the centre is from."""
    centre = "[0.0, 0.0, 0.0]" if found.centre is None else _list(found.centre.value)
    force, torque = (np.array(e.value) for e in (found.bias_force, found.bias_torque))
    moved = ""
    if sensor is not None:
        back = sensor.back()
        torque = np.array(Frame(q=back.q).turned(torque - np.cross(sensor.p, force)))
        force = np.array(Frame(q=back.q).turned(force))
        moved = f"sensor_m = {_list(sensor.p)}\n"
    own = f"mass_kg = {max(found.mass.value, 0.0):.6g}\ncentre_m = {centre}\n"
    bias = f"bias_N = {_list(force)}\nbias_Nm = {_list(torque)}"
    plain = f"bias_N = {_list(found.bias_force.value)}\nbias_Nm = {_list(found.bias_torque.value)}"
    return (
        f"# into a scenario\n[mock_up.{body}]\nbelieved.mass_kg = {found.mass.value:.6g}\n"
        f"believed.centre_m = {centre}\n\n"
        f"# into a rig file: what is behind the sensor, and its zero\n[tools.{body}]\n{own}{moved}"
        f"[sensors.{body}]\n{bias}\n\n"
        f"# into the map of an import\n[{body}.wrench.tool]\n{own}{plain}"
    )


def _list(values: Any) -> str:
    return "[" + ", ".join(f"{float(v):.6g}" for v in values) + "]"
