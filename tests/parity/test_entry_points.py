"""What Python may call of compiled code, and when machine code on disk is stale."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import softdock
from softdock.cli.progress import ENTRY_POINT_NAMES
from softdock.compile.jit import (
    INTERNAL,
    KEEPS_STUBS,
    LOOPS,
    RIG,
    NotAnEntryPoint,
    entry_point,
)
from softdock.compile.sources import list_compiled_sources
from softdock.loop import entry_points, seam_entry_points
from softdock.loop.cycle import control, cycle
from softdock.loop.spatial.rotations import rotate

PACKAGE = Path(softdock.__file__).parent


@pytest.mark.parametrize("function", [rotate, control, cycle], ids=lambda f: f.py_func.__name__)
def test_a_function_that_is_no_entry_point_says_so(function):
    """It has no wrapper for Python: calling it is an error that names it and the way out, not a
    crash."""
    name = function.py_func.__name__
    with pytest.raises(NotAnEntryPoint, match=rf"'{name}'.*entry_point\({name}\)"):
        function((1.0, 0.0, 0.0, 0.0), (1.0, 2.0, 3.0))


def test_an_entry_point_of_a_compiled_function_can_be_called():
    """`entry_point(function)` takes and returns plain tuples."""
    assert entry_point(rotate)((1.0, 0.0, 0.0, 0.0), (1.0, 2.0, 3.0)) == (1.0, 2.0, 3.0)


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
            "import softdock.compile.disk_cache as cache; "
            "print(cache.__file__); print(cache.find_cache_folder())"
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


def test_an_edit_of_what_is_compiled_starts_a_new_cache_and_one_outside_does_not(copied):
    """Numba does not notice edits in files a function calls; the folder's name does, so stale
    machine code is never run. A constant counts in a module that has no compiled function, and a
    module that joins; editing the command line or the scenario checks costs no compilation."""
    root, folder = copied
    seen = [folder()]
    for outside in ("cli/run.py", "scenario/checks.py"):
        with (root / outside).open("a") as file:
            file.write("# an edit\n")
        assert folder() == seen[0], outside
    constant = root / "loop" / "contact" / "touch.py"
    assert "compile.jit" not in constant.read_text()
    before, after = "\nNO_TOUCH = -1e300", "\nNO_TOUCH = -2e300"
    assert constant.read_text().count(before) == 1
    constant.write_text(constant.read_text().replace(before, after))
    seen.append(folder())
    for edited in ("loop/spatial/vectors.py", "methods/monitor/method.py", "loop/cycle.py"):
        with (root / edited).open("a") as file:
            file.write("# an edit\n")
        seen.append(folder())
    another = root / "loop" / "contact" / "another.py"
    another.write_text("from softdock.compile.jit import compiled\n")
    seen.append(folder())
    assert len(set(seen)) == len(seen)


MAKES_CODE = ("softdock.compile.jit", "softdock.compile.lazy", "softdock.compile.generated")


def imported_by(tree: ast.AST) -> set[str]:
    """Every softdock module, or name in one, that is imported anywhere in it."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return {name for name in found if name.split(".")[0] == "softdock"}


def test_the_hash_knows_every_file_that_decides_compiled_code():
    """The hash finds imports by their text (sources.py): in whatever form a file imports a
    decorator, and wherever a compiled file imports another at its top, that file counts."""
    counted = set(list_compiled_sources())
    modules = {
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(
            ".__init__"
        ): path
        for path in PACKAGE.rglob("*.py")
    }
    for path in modules.values():
        tree = ast.parse(path.read_text())
        if imported_by(tree) & {*MAKES_CODE}:
            assert path in counted, f"{path} compiles, and the cache would not notice its edits"
        if path in counted:
            tops = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
            for name in imported_by(ast.Module(tops, [])) & {*modules}:
                assert modules[name] in counted, f"{path} imports {name}, which does not count"
    assert len(counted) > 30


def test_entry_points_with_settings_of_their_own_are_where_they_were():
    """How an entry point is optimised goes by its name (jit.py): one that is renamed in its module
    and not there would quietly be compiled like any other."""
    named = LOOPS | RIG | INTERNAL | KEEPS_STUBS | {"begin"}
    found, functions = set(), set()
    for path in list_compiled_sources():
        for node in ast.walk(ast.parse(path.read_text())):
            decorators = getattr(node, "decorator_list", ())
            if any(isinstance(d, ast.Name) and d.id == "entry_point" for d in decorators):
                found.add(node.name)
            if isinstance(node, ast.FunctionDef):
                functions.add(node.name)
    assert named <= found, sorted(named - found)
    assert functions >= {*ENTRY_POINT_NAMES}, "what users are told is compiled goes by names too"


def test_the_entry_points_are_few_and_documented():
    """Every entry point has a sentence saying what it does."""
    dispatchers = [
        f
        for f in vars(entry_points).values()
        if hasattr(f, "py_func") and not isinstance(f, type(rotate))
    ]
    found = [f for f in dispatchers if f.py_func.__module__ == entry_points.__name__]
    assert {f.py_func.__name__ for f in found} >= {
        "begin",
        "run_cycles",
        "finish",
        "run_batch",
    }
    found += [
        seam_entry_points.control_step,
        seam_entry_points.begin_facility,
        seam_entry_points.exchange,
    ]
    assert all(f.py_func.__doc__ for f in found)
