"""The house: what may import what, what stands at the top, and how long a file may be."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import softdock
from softdock import _moved
from softdock.runs.run import Run

ROOT = Path(softdock.__file__).parent
AT_THE_TOP = {
    "__init__.py",
    "__main__.py",
    "_given.py",
    "_moved.py",
    "_version.py",
    "errors.py",
    "methods.py",
    "ports.py",
}


MOST_LINES, MOST_COLUMNS, MANY_FIELDS = 300, 100, 8
CHECKOUT = Path(__file__).parents[2]
LONG = {"softdock.campaign.single"}  # one transformer of syntax trees: its cases belong together


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


SOURCES = {module_name(path): path for path in ROOT.rglob("*.py")}


def imported(path: Path) -> Iterator[str]:
    """Modules of softdock that a file imports, at its top or inside a function."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            for name in node.names:
                inner = f"{node.module}.{name.name}"
                yield inner if inner in SOURCES else node.module
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


def circles(edges: dict[str, set[str]]) -> list[list[str]]:
    """Sets of modules that reach each other (Tarjan's strongly connected components)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(module: str) -> None:
        index[module] = low[module] = len(index)
        stack.append(module)
        for other in sorted(edges[module]):
            if other not in index:
                visit(other)
                low[module] = min(low[module], low[other])
            elif other in stack:
                low[module] = min(low[module], index[other])
        if low[module] == index[module]:
            at = stack.index(module)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for module in sorted(edges):
        if module not in index:
            visit(module)
    return found


def test_no_module_imports_another_in_a_circle():
    """Protects the way from a scenario to its page as a line: neither packages nor modules wait for
    each other, also not by imports hidden inside functions."""
    edges = {
        module: {other for other in imported(path) if other in SOURCES and other != module}
        for module, path in SOURCES.items()
        if module != "softdock" and not module.startswith("softdock.core")
    }
    for module, others in edges.items():
        others.intersection_update(edges)
        if SOURCES[module].name == "__init__.py":  # a package offers what its modules hold
            others.difference_update({o for o in others if o.startswith(f"{module}.")})
    assert circles(edges) == []


def test_no_file_of_the_host_side_is_long():
    """Protects reading: what a person changes fits on a few screens."""
    lengths = {
        module: len(path.read_text(encoding="utf-8").splitlines())
        for module, path in SOURCES.items()
        if not module.startswith("softdock.core") and module not in LONG
    }
    assert {module: n for module, n in lengths.items() if n > MOST_LINES} == {}


def test_no_line_is_wider_than_a_hundred_columns():
    """Protects two files side by side on one screen. Ruff lets lines pass that end in a remark to a
    tool; here none does."""
    wide = [
        f"{path.relative_to(CHECKOUT)}:{i}"
        for folder in (ROOT, CHECKOUT / "tests", CHECKOUT / "benchmarks", CHECKOUT / "examples")
        for path in folder.rglob("*.py")
        for i, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > MOST_COLUMNS
    ]
    assert wide == []


def test_structures_of_many_fields_are_built_by_keyword():
    """Protects a reader from counting to the seventh value, and a new field from landing in the
    place of another. `Cells` and `Group` are lists of one kind."""
    counted = [
        f"{module}:{node.lineno} {ast.unparse(node.func)}"
        for module, path in SOURCES.items()
        if not module.startswith("softdock.core")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and len(node.args) >= MANY_FIELDS
        and ast.unparse(node.func).rpartition(".")[2][:1].isupper()
        and ast.unparse(node.func) not in ("Cells", "Group")
    ]
    assert counted == []


def test_every_test_says_what_it_protects():
    """Protects whoever makes a test fail: its first words say what it is there for."""
    silent = [
        f"{path.name}::{node.name}"
        for path in sorted((CHECKOUT / "tests").rglob("test_*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
        and node.name.startswith("test_")
        and not ast.get_docstring(node)
    ]
    assert silent == []


def test_only_public_names_stand_at_the_top():
    """Protects the first look into the package: folders by what they hold, and public names."""
    assert {path.name for path in ROOT.glob("*.py")} <= AT_THE_TOP


@pytest.mark.parametrize("old", sorted(_moved.MOVED))
def test_a_module_that_moved_is_found_by_its_old_name_and_says_where_it_is(old):
    """Protects programs that import what version 0.1 had: the same module, with a warning."""
    if old == "ports":  # public as before
        return
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        spec = _moved._Moved().find_spec(f"softdock.{old}")
        assert spec is not None
        assert spec.loader is not None
        found = spec.loader.create_module(spec)
    assert found is import_module(f"softdock.{_moved.MOVED[old]}")
    assert f"softdock.{old} is now softdock.{_moved.MOVED[old]}" in str(said[0].message)


def test_what_the_top_gives_is_there():
    """Protects `run.save` and its like: every function that a class below asks for exists where the
    top says, and every one that is given is asked for."""
    asked = set()
    for path in SOURCES.values():
        text = path.read_text(encoding="utf-8")
        if "from softdock._given import given" in text:
            asked |= set(re.findall(r'\bgiven\("(\w+)"\)', text))
    assert asked == set(softdock._GIVEN)
    for name, module in softdock._GIVEN.items():
        assert callable(getattr(import_module(module), name))


def test_reading_a_number_flies_nothing(monkeypatch):
    """Protects a reader from a second simulation behind a property: a run that was flown alone says
    so, and names the call that flies orbit."""
    scenario = softdock.load_scenario("epos_1d", ["time.duration_s=0.02"])
    run = softdock.fly(scenario)
    monkeypatch.setattr("softdock.runs.run.orbit", lambda scenario: pytest.fail("orbit was flown"))
    with pytest.raises(softdock.SoftdockError, match=r"softdock\.judge\(run\)"):
        _ = run.metrics
    with pytest.raises(softdock.SoftdockError, match=r"run\.fly_orbit\(\)"):
        _ = run.orbit
    monkeypatch.undo()
    assert softdock.judge(run) is run
    assert run.orbit is run.fly_orbit()
    assert run.metrics["status"] == "completed"
    assert isinstance(run, Run)


def test_no_two_test_files_share_a_name():
    """pytest imports test files by their names alone: of two that share one the second is not run
    at all."""
    names = [path.name for path in Path(__file__).parents[1].rglob("test_*.py")]
    assert sorted(names) == sorted(set(names))
