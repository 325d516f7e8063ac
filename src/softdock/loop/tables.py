"""Rows of numbers at the end of the parameter vector (tables of force over depth, schedules of
wrenches over time), in rising order of their first."""

from __future__ import annotations

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled

TABLE_KEY = Cells(  # what a key holds in whose place a user gave a table
    "table_key",
    Cell("at", 1, "-", "first float of its rows in the vector"),
    Cell("rows", 1, "-", "how many rows there are"),
)
IN_KEY = TABLE_KEY.at


@compiled
def row_below(vector, at, rows, width, x):
    """First float of the row at or below x, never the last one: it begins the interval that x lies
    in, or the nearest one."""
    low, high = 0, rows - 1
    while high - low > 1:
        middle = (low + high) // 2
        if vector[at + width * middle] <= x:
            low = middle
        else:
            high = middle
    return at + width * low
