"""softdock as a library leaves other libraries as they are: what it changes in Numba is changed
only while it compiles."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import numba
import pytest

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
FOREIGN = """
import numba
@numba.njit("float64(float64[::1], int64)")
def item(a, i):
    return a[i]
print(item.inspect_llvm(item.signatures[0]))
"""
PROGRAM = """
import gc, importlib, pkgutil, sys
import llvmlite.binding, numba, numba.extending, numba.np.arraymath
from numba.core import registry
registry.cpu_target.target_context.refresh()  # all that Numba loads when it first compiles
numba.njit("float64(float64)")(lambda x: x)

def names_of():
    found = {}
    for module in [m for n, m in sys.modules.items() if n.split(".")[0] in ("numba", "llvmlite")]:
        for name, value in vars(module).items():
            found[module.__name__, name] = value
            if isinstance(value, type) and value.__module__ == module.__name__:
                for attribute, inner in vars(value).items():
                    found[module.__name__, f"{name}.{attribute}"] = inner
    return found

def settings():
    return gc.isenabled(), gc.get_threshold(), gc.get_freeze_count(), list(sys.meta_path)

before, set_before = names_of(), settings()
import softdock
for module in pkgutil.walk_packages(softdock.__path__, "softdock."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
from softdock.compile.jit import entry_point
from softdock.compile.numba_internals import PATCHED
from softdock.compile.numba_patches import PATCHES, patch_numba
from softdock.loop.spatial.rotations import rotate

def changed():
    now = names_of()
    return sorted(".".join(name) for name in before if now.get(name) is not before[name])

assert PATCHED
imported = changed()
assert entry_point(rotate)((1.0, 0.0, 0.0, 0.0), (1.0, 2.0, 3.0)) == (1.0, 2.0, 3.0)
compiled = changed()
with patch_numba():
    within = changed()
print(imported, compiled, settings() == set_before, len(within) - len(PATCHES), sep=chr(10))
"""


def printed(program, folder):
    file = folder / "program.py"
    file.write_text(program)
    done = subprocess.run(
        [sys.executable, str(file)],
        capture_output=True,
        text=True,
        env={**os.environ, "SOFTDOCK_CACHE_DIR": str(folder / "cache")},
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def without_numbers(llvm):
    """Functions of a process are numbered as they are compiled."""
    return re.sub(r"(?<=B2v)\d+|(?<=4item)\w*?(?=B2v)", "", llvm)


def test_numba_is_as_it_was(tmp_path):
    """After every module is imported and an entry point compiled, each name of Numba and llvmlite
    is their own, nothing imports differently, garbage is collected as before, and another package's
    function becomes the code that it becomes without softdock."""
    alone = printed(FOREIGN, tmp_path)
    lines = printed(PROGRAM + FOREIGN, tmp_path).split("\n", 4)
    assert lines[:4] == ["[]", "[]", "True", "0"]
    assert "define" in alone
    assert without_numbers(lines[4]) == without_numbers(alone)
