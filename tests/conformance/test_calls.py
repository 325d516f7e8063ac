"""Calls that a reader can follow: who gives eight values names them, or hands over a structure."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import softdock

ROOT = Path(softdock.__file__).parent
MANY = 8
# functions that take as many values as there are: rows of tables, cells, keys
AS_MANY_AS_THERE_ARE = {"Cells", "Group", "add_row", "declare", "max", "min", "pack"}
# doors that Python calls in every cycle: a third of a microsecond for names
EVERY_CYCLE = {
    "runs/controller.py": ["control_step"],
    "runs/facility.py": ["exchange"],
    "runs/stepper.py": ["run_cycles"],
}
# parts of the core, where a structure is handed over wherever one serves: how many calls are left.
# Fewer: lower the number here
IN_THE_CORE = {
    "adaptation": 31,
    "arms": 4,
    "books.py": 4,
    "contact": 4,
    "contact_log.py": 1,
    "cycle.py": 2,
    "energy": 2,
    "facility": 25,
    "machine": 4,
    "orbit": 14,
    "ports": 16,
    "readings.py": 2,
    "reported.py": 5,
    "rig": 2,
    "robots": 24,
    "wire": 7,
}


def counted_calls(path: Path) -> list[str]:
    """Functions that a file gives eight or more values by their places."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and len(node.args) >= MANY:
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name not in AS_MANY_AS_THERE_ARE:
                found.append(name)
    return found


def test_no_call_must_be_counted_outside_the_core():
    """Protects a reader from counting to the seventh value, and two floats from changing places
    unseen; in the core there are no more such calls than there were."""
    core: Counter[str] = Counter()
    outside = {}
    for path in sorted(ROOT.rglob("*.py")):
        name, calls = path.relative_to(ROOT), counted_calls(path)
        if name.parts[0] == "core":
            core[name.parts[1]] += len(calls)
        elif calls:
            outside[str(name)] = calls
    assert outside == EVERY_CYCLE
    assert {part: n for part, n in core.items() if n > IN_THE_CORE.get(part, 0)} == {}


def test_a_call_that_must_be_counted_is_found(tmp_path):
    """So that the test above can fail."""
    file = tmp_path / "one.py"
    file.write_text("f(1, 2, 3, 4, 5, 6, 7, h=8)\ng(1, 2, 3, 4, 5, 6, 7, 8)\nx.max(*many, 8)\n")
    assert counted_calls(file) == ["g"]
