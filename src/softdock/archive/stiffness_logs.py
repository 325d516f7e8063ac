"""Logs of known loads and measured deflections (CSV) as identification/joint_stiffness.py takes
them, and the lines to paste into an arm's table."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from softdock.arms.arm import Arm
from softdock.errors import BadInput, Problem
from softdock.identification.joint_stiffness import JointStiffness, StiffnessLog
from softdock.logs.csv_form import CsvForm
from softdock.logs.table_files import read_csv
from softdock.logs.tables import Table

JOINTS = tuple(f"q{i}_deg" for i in range(1, 7))
LOADS = ("fx_N", "fy_N", "fz_N", "tx_Nm", "ty_Nm", "tz_Nm")
MOVED = ("dx_mm", "dy_mm", "dz_mm")
TURNED = ("rx_mrad", "ry_mrad", "rz_mrad")
LARGEST = 1e9  # of a load, an angle or a deflection: no machine bears more
BASE = {"rail": "q0_m", "turntable": "q0_deg"}


def stiffness_log(path: Path, arm: Arm, point: tuple[float, float, float]) -> StiffnessLog:
    """A log from a CSV file. Raises `BadInput` with column and line."""
    table = read_csv(path, CsvForm(delimiter=","))
    q = np.zeros((len(table), 7))
    if arm.base_axis in BASE:
        name = BASE[arm.base_axis]
        value = _columns(path, table, (name,))[:, 0]
        q[:, 0] = value if name.endswith("_m") else np.radians(value)
    q[:, 1:] = np.radians(_columns(path, table, JOINTS))
    turned = None
    if any(name in table.columns for name in TURNED):
        turned = 1e-3 * _columns(path, table, TURNED)
    return StiffnessLog(
        joints=q,
        wrench=_columns(path, table, LOADS),
        moved=1e-3 * _columns(path, table, MOVED),
        turned=turned,
        point=point,
    )


def _columns(path: Path, table: Table, names: tuple[str, ...]) -> np.ndarray:
    found = []
    for name in names:
        column = table.column(name, name, f"{path}:{table.head or 1}").astype(float)
        holes = np.flatnonzero(~np.isfinite(column))
        if len(holes):
            raise BadInput(
                Problem(name, None, "a finite number in every row", table.where(int(holes[0])))
            )
        large = np.flatnonzero(np.abs(column) > LARGEST)
        if len(large):
            row = int(large[0])
            allowed = f"a number of at most {LARGEST:g} in size"
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
