"""`softdock check --bounds`: a method of one's own in plain Python, with every index checked."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

METHOD = """
from typing import NamedTuple
from softdock.methods import Cell, Cells, Group, Method, compiled

GROUP = Group("counts", "Counts cycles.")
CELLS = Cells("counts", Cell("count", 2, "-", "cycles"))
CELL = CELLS.at


class Counts(NamedTuple):
    memory: int


@compiled
def prepare(marker, vector, base, memory):
    return Counts(memory)


@compiled
def wrench(method, mem, rig, measured, satellites, wrenches):
    mem[method.memory + CELL.count + {offset}] += 1.0
    print("counted")
    return wrenches


METHOD = Method(
    name="counts", summary="counts", knows="nothing", group=GROUP, marker=Counts(0),
    prepare=prepare, wrench=wrench, cells=CELLS,
)
"""


@pytest.mark.parametrize(("offset", "code"), [(1, 0), (2, 2), (-1, 2)])
def test_check_bounds_names_the_line_that_reaches_out(offset, code, tmp_path):
    """Compiled code checks no index: a write beside the slice changed the rig without a word."""
    file = tmp_path / "counts.py"
    file.write_text(METHOD.format(offset=offset))
    arguments = ["check", "epos_1d", "--bounds", "--seconds", "0.2", "--method-file", str(file)]
    done = subprocess.run(
        [sys.executable, "-c", "from softdock.cli.main import main; main()", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
    )
    assert done.returncode == code, done.stderr
    if code:
        line = 1 + METHOD[: METHOD.index("    mem[method.memory")].count("\n")
        assert f"counts.py:{line}: --bounds" in done.stderr
        assert f"method.memory + {offset}] is not this method's: it has 2 floats" in done.stderr
    else:
        assert "every index in its place" in done.stdout
