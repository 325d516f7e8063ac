"""f = F(d) + b d', clamped at zero; F linear between the rows of a table, and beyond its last
row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled
from softdock.loop.contact.law import ContactLaw, Tangent
from softdock.loop.contact.spring_damper import linear_damped, linear_pace
from softdock.loop.tables import row_below

if TYPE_CHECKING:
    from softdock.loop.contact.law import Law

TABLE_CELLS = Cells(
    "table_row",
    Cell("depth", float, "m"),
    Cell("force", float, "N"),
    Cell("energy", float, "J", "stored up to there"),
)
TABLE_ROW, IN_TABLE = TABLE_CELLS.size, TABLE_CELLS.at


@compiled
def table_interval(vector, law: Law, depth):
    """First float of the row at or below a depth; the last interval also serves beyond the
    table."""
    return row_below(vector, law.at, law.rows, TABLE_ROW, depth)


@compiled
def table_slope(vector, at):
    """Of the interval that begins with the row at `at`."""
    a, b = TABLE_CELLS(vector, at), TABLE_CELLS(vector, at + TABLE_ROW)
    return (b.force - a.force) / (b.depth - a.depth)


@compiled
def _force_in(vector, at, depth):
    row = TABLE_CELLS(vector, at)
    return row.force + table_slope(vector, at) * (depth - row.depth)


@compiled
def table_elastic(vector, law: Law, depth):
    return _force_in(vector, table_interval(vector, law, depth), depth)


@compiled
def table_continued(vector, law: Law, row, depth):
    return _force_in(vector, law.at + TABLE_ROW * row, depth)


@compiled
def table_stored(vector, law: Law, depth):
    at = table_interval(vector, law, depth)
    row = TABLE_CELLS(vector, at)
    x = depth - row.depth
    mean = row.force + 0.5 * table_slope(vector, at) * x
    return row.energy + x * mean


@compiled
def table_row(vector, law: Law, depth):
    """The row at or below a depth."""
    return (table_interval(vector, law, depth) - law.at) // TABLE_ROW


@compiled
def table_steepest(vector, law: Law):
    """Largest slope, up or down."""
    steepest = 0.0
    for i in range(law.rows - 1):
        steepest = max(steepest, abs(table_slope(vector, law.at + TABLE_ROW * i)))
    return steepest


def _tangent(law: Mapping[str, Any], mass: float, speed: float, depth: float | None) -> Tangent:
    """The steepest slope down to the depth."""
    depths, forces = np.asarray(law["table_m_N"], float).T
    if depth is None:
        d = depths[-1] * np.linspace(0.0, 1.0, 2001)
        force = np.interp(d, depths, forces)
        energy = np.concatenate([[0.0], np.cumsum(0.5 * (force[1:] + force[:-1]) * np.diff(d))])
        reached = float(np.interp(0.5 * mass * speed * speed, energy, d))
    else:
        reached = depth
    slopes = np.diff(forces) / np.diff(depths)
    steepest = float(slopes[depths[:-1] < max(reached, 1e-12)].max())
    return Tangent(steepest, float(law["damping_Ns_per_m"]), reached)


def _lasting(vector: np.ndarray, stiffness: float, table: int) -> float:
    """The largest slope."""
    first, rows = (int(x) for x in vector[table : table + 2])
    row = vector[first : first + TABLE_ROW * rows].reshape(rows, TABLE_ROW)
    depth, force = row[:, IN_TABLE.depth], row[:, IN_TABLE.force]
    return float((np.diff(force) / np.diff(depth)).max())


TABLE_LAW = ContactLaw(
    "table",
    keys=("table", "damping"),
    numbers=("stiffness", "damping", ""),
    elastic=table_elastic,
    damped=linear_damped,
    stored=table_stored,
    continued=table_continued,
    row=table_row,
    steepest=table_steepest,
    pace=linear_pace,
    tangent=_tangent,
    linearised="linearised as its steepest slope down to a depth of",
    lasting=_lasting,
)
