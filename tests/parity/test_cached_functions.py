"""Compiled functions on disk: each by itself, found by every process, and compiled again where it
is missing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import numba
import pytest

from softdock.compile.numba_internals import PATCHED

pytestmark = pytest.mark.skipif(
    numba.config.DISABLE_JIT or not PATCHED, reason="no machine code of our own to keep"
)
PROGRAM = """
import numba
from softdock.compile import pipeline
from softdock.compile.jit import compiled, entry_point
from softdock.loop.spatial.rotations import rotate, rotate_back
compiles, whole = [], pipeline.NativeLowering.run_pass
def counted(self, state):
    compiles.append(state.func_id.func_name)
    return whole(self, state)
pipeline.NativeLowering.run_pass = counted
@entry_point
def there(q, v):
    return rotate(q, v)
@numba.njit
def plainly(q, v):
    return rotate_back(q, rotate(q, v))
print(there((0.9, 0.1, -0.3, 0.2), (1.0, 2.0, 3.0)))
print(plainly((0.9, 0.1, -0.3, 0.2), (1.0, 2.0, 3.0)))
print(sorted(compiles))
"""


def printed(folder):
    """Two vectors and the functions that were compiled, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "SOFTDOCK_CACHE_DIR": str(folder)},
    )
    there, back, compiles = done.stdout.splitlines()
    return there, back, compiles


def kept(folder, name):
    return sorted(path for path in folder.rglob("*.code") if path.name.startswith(f"{name}-"))


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """What the first process printed, and its folder; nobody writes there."""
    folder = tmp_path_factory.mktemp("first")
    return printed(folder), folder


@pytest.fixture
def first(begun, tmp_path):
    """What the first process printed, with a copy of its folder in `tmp_path`."""
    shutil.copytree(begun[1], tmp_path, dirs_exist_ok=True)
    return begun[0]


def test_a_function_is_compiled_once_for_all_processes(tmp_path, first):
    """The second process compiles what has no name on disk and links all else, to the same bits;
    a function that Numba's own functions call brings along what it calls. So it is in a copy of the
    folder, which the tests below begin with."""
    second = printed(tmp_path)
    assert first[:2] == second[:2]
    for name in ("'rotate'", "'cross'"):
        assert name in first[2]
        assert name not in second[2]
    assert "there" in second[2], "of a module without a name: not kept"


@pytest.mark.parametrize("name", ["rotate", "cross"])
@pytest.mark.parametrize("how", ["gone", "cut"])
def test_a_missing_function_is_compiled_again(tmp_path, first, name, how):
    """A function is linked only with all that it calls; files that a cleaner took away come
    back."""
    for path in (files := kept(tmp_path, name)):
        path.unlink() if how == "gone" else path.write_bytes(path.read_bytes()[:50])
    assert files
    again = printed(tmp_path)
    assert again[:2] == first[:2]
    assert f"'{name}'" in again[2]
    assert kept(tmp_path, name) == files
