"""Calls that a reader can follow: who gives eight values names them, or hands over a structure."""

from __future__ import annotations

import ast
from pathlib import Path

from house import ROOT, nodes_of

MANY = 8
# functions that take as many values as there are: rows of tables, cells, keys, names of fields
AS_MANY_AS_THERE_ARE = {"Cells", "Group", "add_row", "declare", "max", "min", "pack", "replacing"}
# doors that Python calls in every cycle: a third of a microsecond for names
EVERY_CYCLE = {
    "runs/controller.py": ["control_step"],
    "runs/facility.py": ["exchange"],
    "runs/stepper.py": ["run_cycles"],
}


def counted_calls(path: Path) -> list[str]:
    """Functions that a file gives eight or more values by their places."""
    found = []
    for node in nodes_of(path):
        if isinstance(node, ast.Call) and len(node.args) >= MANY:
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name not in AS_MANY_AS_THERE_ARE:
                found.append(name)
    return found


def test_no_call_must_be_counted():
    """Protects a reader from counting to the seventh value, and two floats from changing places
    unseen: a structure is handed over, or values are named."""
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        if calls := counted_calls(path):
            found[str(path.relative_to(ROOT))] = calls
    assert found == EVERY_CYCLE


def test_a_call_that_must_be_counted_is_found(tmp_path):
    """So that the test above can fail."""
    file = tmp_path / "one.py"
    file.write_text("f(1, 2, 3, 4, 5, 6, 7, h=8)\ng(1, 2, 3, 4, 5, 6, 7, 8)\nx.max(*many, 8)\n")
    assert counted_calls(file) == ["g"]
