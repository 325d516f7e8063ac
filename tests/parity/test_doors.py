"""Doors and parts: what Python may call, and when machine code on disk is stale."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import softdock
from softdock.core.cycle import control, cycle
from softdock.core.machine import doors, seam_doors
from softdock.core.machine.compiled import NotADoor, core_sources, door
from softdock.core.spatial.rotations import rotate

PACKAGE = Path(softdock.__file__).parent


@pytest.mark.parametrize("part", [rotate, control, cycle], ids=lambda p: p.py_func.__name__)
def test_a_part_called_from_python_says_so(part):
    """A part has no wrapper for Python: calling it is an error that names the part and the way out,
    not a crash."""
    with pytest.raises(
        NotADoor, match=rf"'{part.py_func.__name__}'.*door\({part.py_func.__name__}\)"
    ):
        part((1.0, 0.0, 0.0, 0.0), (1.0, 2.0, 3.0))


def test_a_door_of_a_part_can_be_called():
    """`door(part)` takes and returns plain tuples."""
    assert door(rotate)((1.0, 0.0, 0.0, 0.0), (1.0, 2.0, 3.0)) == (1.0, 2.0, 3.0)


@pytest.fixture
def copied(tmp_path):
    """A copy of the package, and its cache folder as a fresh process sees it."""
    away = shutil.ignore_patterns("assets")
    shutil.copytree(PACKAGE, tmp_path / "source" / "softdock", ignore=away)

    def folder() -> str:
        environment = {
            **os.environ,
            "PYTHONPATH": str(tmp_path / "source"),
            "SOFTDOCK_CACHE_DIR": str(tmp_path / "cache"),
        }
        code = (
            "import softdock.core.machine.compiled as c; print(c.__file__); print(c.cache_folder())"
        )
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            env=environment,
            check=True,
        )
        imported, found = done.stdout.split()
        assert imported.startswith(str(tmp_path)), "the copy must be what is imported"
        return found

    return tmp_path / "source" / "softdock", folder


def test_an_edit_of_the_core_starts_a_new_cache_and_one_outside_does_not(copied):
    """Numba does not notice edits in files a function calls; the folder's name does, so stale
    machine code is never run. A file that joins the core counts; editing the command line or the
    scenario checks does not cost a compilation."""
    root, folder = copied
    seen = [folder()]
    with (root / "scenario" / "checks.py").open("a") as file:
        file.write("# an edit\n")
    assert folder() == seen[0]
    for edited in ("core/spatial/vectors.py", "core/shapes/cone.py", "core/cycle.py"):
        with (root / edited).open("a") as file:
            file.write("# an edit\n")
        seen.append(folder())
    (root / "core" / "contact" / "another.py").write_text("# a new model\n")
    seen.append(folder())
    assert len(set(seen)) == len(seen)


def imported_by(path: Path) -> set[str]:
    """Every softdock module that a file imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return {name for name in found if name.split(".")[0] == "softdock"}


def test_nothing_outside_the_core_is_compiled():
    """What the cache's name leaves out must hold no compiled code, and no core file may take code
    from there."""
    core = set(core_sources())
    for path in sorted(PACKAGE.rglob("*.py")):
        imports = imported_by(path)
        if path in core:
            parts = {name.split(".")[1] for name in imports if "." in name}
            assert parts <= {"core", "errors", "_arguments"}, (
                f"{path} takes code from outside the core"
            )
        elif path.name != "methods.py":  # it hands the decorators on to users' files
            compiles = {
                "softdock.core.machine.compiled.compiled",
                "softdock.core.machine.compiled.door",
            } & imports
            assert not compiles, f"{path} compiles, and the cache would not notice its edits"
    assert len(core) > 30


def test_the_doors_are_few_and_documented():
    """Every door has a sentence saying what it does."""
    dispatchers = [
        f for f in vars(doors).values() if hasattr(f, "py_func") and not isinstance(f, type(rotate))
    ]
    found = [f for f in dispatchers if f.py_func.__module__ == doors.__name__]
    assert {f.py_func.__name__ for f in found} >= {
        "begin",
        "run_cycles",
        "finish",
        "run_batch",
    }
    found += [seam_doors.control_step, seam_doors.begin_facility, seam_doors.exchange]
    assert all(f.py_func.__doc__ for f in found)
