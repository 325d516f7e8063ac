"""`softdock check --bounds`: a method of one's own in plain Python, with every index checked."""

from __future__ import annotations

import json

import pytest
from plain import run_plain

METHOD = """
from typing import NamedTuple
from softdock.methods import Cell, Cells, Group, Method, compiled, many

GROUP = Group("{name}", "Counts cycles.")
CELLS = Cells("{name}", Cell("count", many(2), "-", "cycles"))


class Counts(NamedTuple):
    memory: int


@compiled
def prepare(marker, vector, base, memory):
    return Counts(memory)


@compiled
def wrench(method, mem, rig, measured, satellites, wrenches):
    {write} += 1.0
    print("counted")
    return wrenches


METHOD = Method(
    name="{name}", summary="counts", knows="nothing", group=GROUP, marker=Counts(0),
    prepare=prepare, wrench=wrench, cells=CELLS,
)
"""


VIEW, ARRAY = "CELLS(mem, method.memory).count[{}]", "mem[method.memory + CELLS.at.count + {}]"
WRITES = {  # offset in the slice
    "inside": (VIEW, 1),
    "behind": (VIEW, 2),
    "before": (VIEW, -1),
    "behind_by_index": (ARRAY, 2),
}
# One process in plain Python for all files: to start it takes longer than to check a method.
RUN = """
import json, sys
from click.testing import CliRunner
from softdock.cli.main import cli
found = []
for file in sys.argv[1:]:
    command = ["check", "epos_1d", "--bounds", "--seconds", "0.2", "--method-file", file]
    done = CliRunner().invoke(cli, command)
    found.append([done.exit_code, done.stdout, done.stderr])
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def checked(tmp_path_factory):
    """Per method: the exit code of `check --bounds`, what it printed and what it complained of."""
    folder = tmp_path_factory.mktemp("methods")
    files = [folder / f"{name}.py" for name in WRITES]
    for file, (name, (write, offset)) in zip(files, WRITES.items(), strict=True):
        file.write_text(METHOD.format(name=name, write=write.format(offset)))
    done = run_plain(RUN, *map(str, files))
    assert done.returncode == 0, done.stderr
    return dict(zip(WRITES, json.loads(done.stdout), strict=True))


@pytest.mark.parametrize("name", WRITES)
def test_check_bounds_names_the_line_that_reaches_out(checked, name):
    """Compiled code checks no index: a write beside the slice changed the rig without a word."""
    ended, said, complained = checked[name]
    assert ended == (0 if name == "inside" else 2), complained
    if ended:
        line = 1 + METHOD[: METHOD.index("    {write}")].count("\n")
        offset = WRITES[name][1]
        assert f"{name}.py:{line}: --bounds" in complained
        assert f"method.memory + {offset}] is not this method's: it has 2 floats" in complained
    else:
        assert "every index in its place" in said
