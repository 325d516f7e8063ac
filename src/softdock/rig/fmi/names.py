"""Names of the seam's cells as variables of an FMU: `command.chaser.p.x`, `report.chaser.q.w`,
`report.chaser_wrench.force.x`; each is one number."""

from __future__ import annotations

from typing import NamedTuple

from softdock.compile.cells import Cells
from softdock.loop.seam import COMMAND, REPORT

VECTOR, QUATERNION = ("x", "y", "z"), ("w", "x", "y", "z")
PARTS = {  # of a cell with so many floats: name, components, unit
    13: (("p", VECTOR, "m"), ("q", QUATERNION, "-"), ("v", VECTOR, "m/s"), ("w", VECTOR, "rad/s")),
    6: (("force", VECTOR, "N"), ("torque", VECTOR, "Nm")),
}


class Variable(NamedTuple):
    name: str
    at: int  # place in the array
    unit: str
    meaning: str


def _list_variables(prefix: str, cells: Cells) -> list[Variable]:
    found, at = [], 0
    for cell in cells.cells:
        own = f"{prefix}.{cell.name}"
        if cell.size == 1:
            found.append(Variable(own, at, cell.unit, cell.meaning))
        else:
            named = [
                (f"{own}.{part}.{axis}", unit)
                for part, axes, unit in PARTS[cell.size]
                for axis in axes
            ]
            found += [Variable(n, at + i, u, cell.meaning) for i, (n, u) in enumerate(named)]
        at += cell.size
    return found


COMMANDS = _list_variables("command", COMMAND)
REPORTS = _list_variables("report", REPORT)
