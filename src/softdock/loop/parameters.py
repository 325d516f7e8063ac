"""A parameter is defined once: here is what a definition holds, and how definitions become offsets
in one flat vector.

Each stage lists its parameters in a `Group`. The scenario schema, the reference page of the docs,
the checks of ranges and the places in the float64 parameter vector all derive from these lists.
Compiled code reads `keys.delay` of a view, `keys = GROUP(vector, base)` (compile/cells.py); a sweep
writes columns.
"""

from __future__ import annotations

from softdock.compile.cells import Cell, Cells
from softdock.files.schema import ANY, REQUIRED, WRITTEN_HERE, OwnRows, Parameter

__all__ = ["ANY", "REQUIRED", "WRITTEN_HERE", "Group", "OwnRows", "Parameter"]


class Group(Cells):
    """The parameters of one model or stage: the cells of its part of the vector."""

    def __init__(self, name: str, meaning: str, *parameters: Parameter):
        super().__init__(name, *(Cell(p.name, p.size, p.unit, p.meaning) for p in parameters))
        self.meaning, self.parameters = meaning, parameters

    def __iter__(self):
        return iter(self.parameters)
