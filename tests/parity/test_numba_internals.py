"""What softdock uses of Numba's insides: where it moved, a sentence; without it, the same
numbers."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numba
import pytest

from softdock.compile import numba_internals as internals

ROOT = Path(__file__).parents[2]
ADVICE = "see src/softdock/compile/numba_internals.py; without it softdock runs, more slowly"


def test_this_numba_was_tested():
    """A new Numba is tried on purpose, and not by an update of packages."""
    assert internals.is_tested(), (
        f"Numba {numba.__version__} was not tested with softdock: {ADVICE}"
    )
    assert internals.MISSING == "", (
        f"Numba moved what softdock imports: {internals.MISSING}; {ADVICE}"
    )


def test_the_oldest_version_is_one_that_was_tested():
    """pyproject.toml and the file that says what was tested agree. A newer Numba is used as it
    is."""
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    (pin,) = (line for line in wanted if re.match(r"numba\b", line))
    assert pin == f"numba>={internals.TESTED[0]}"


@pytest.mark.parametrize("owner", internals.ATTRIBUTES)
def test_every_internal_is_where_it_was(owner):
    """Named one by one, so that the message says which."""
    module, _, name = owner.rpartition(".")
    found = getattr(importlib.import_module(module), name, None)
    assert found is not None, f"Numba {numba.__version__} has no {owner} any more: {ADVICE}"
    for attribute in internals.ATTRIBUTES[owner]:
        assert hasattr(found, attribute), (
            f"Numba {numba.__version__} has no {owner}.{attribute} any more: {ADVICE}"
        )


def test_only_one_file_imports_numbas_insides():
    """Of `numba.core`, others import nothing but the name of its exceptions."""
    for path in (ROOT / "src" / "softdock").rglob("*.py"):
        if path.name == "numba_internals.py":
            continue
        for line in re.findall(r"(?:from|import) numba\.core.*", path.read_text()):
            assert line == "from numba.core.errors import NumbaError", f"{path}: {line}"


PLAIN = """
import gc
import numba
import numpy as np
from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import NotAnEntryPoint, entry_point
from softdock.compile.jit import compiled, entry_point
from softdock.compile.numba_internals import PATCHED, explain_plain
from softdock.loop.spatial.rotations import rotate
print(PATCHED, explain_plain())
print(entry_point(rotate)((0.9, 0.1, -0.3, 0.2), (1.0, 2.0, 3.0)))
AT = Cells("few", Cell("first", 2, "-", ""), Cell("last", 1, "-", "")).at
@entry_point
def few(mem, start):
    mem[start + AT.last] = mem[-1] + 0.1
    mem[start - 2] += mem[AT.first]
    return AT, mem[start + AT.last], AT.last
mem = np.array([0.3, 0.7, 0.2, 0.1, 0.6])
print(few(mem, 1), mem.tolist())
try:
    rotate((0.9, 0.1, -0.3, 0.2), (1.0, 2.0, 3.0))
except NotAnEntryPoint as error:
    print(error, gc.isenabled())
if numba.config.BOUNDSCHECK:
    try:
        few(mem, 7)
    except IndexError as error:
        print(error)
"""


def printed(folder, **environment):
    """The lines of the program above, with a cache of its own."""
    program = folder / "program.py"
    program.write_text(PLAIN)
    cache = {"SOFTDOCK_CACHE_DIR": str(folder / "_".join(environment))}
    done = subprocess.run(
        [sys.executable, str(program)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **cache, **environment},
    )
    return done.stdout.splitlines()


def test_without_the_patch_softdock_runs_the_same(tmp_path):
    """Numba as it is: slower to compile, the same bits, and a function without a wrapper for Python
    refuses to be called from there. A build that checks bounds checks them with the patch too."""
    plain, checked = (
        printed(tmp_path, **{internals.SWITCH: "1"}),
        printed(tmp_path, **{internals.SWITCH: "0", "NUMBA_BOUNDSCHECK": "1"}),
    )
    assert checked[0].split()[0] == "True"
    assert plain[0] == f"False {internals.SWITCH} is set"
    assert plain[3].startswith("'rotate' can only be called from compiled code")
    assert plain[3].endswith("True")
    assert checked[1:4] == plain[1:4]
    assert checked[4:] == ["index is out of bounds"]
    assert printed(tmp_path, **{internals.SWITCH: "0"})[1:4] == plain[1:4]
