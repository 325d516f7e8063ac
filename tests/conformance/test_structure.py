"""The house: what stands at the top, how long a file may be, and how structures are built."""

from __future__ import annotations

import ast
import re
import warnings
from importlib import import_module
from pathlib import Path

import pytest
from house import CHECKOUT, ROOT, SOURCES, module_name

from softdock import _moved

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


MOST_LINES, MOST_COLUMNS, MOST_OF_A_FUNCTION = 300, 100, 80
ROOM = 20  # lines: what a recipe adds
FEW = 4  # values that a reader tells apart by their places
PROGRAMS = [
    path
    for folder in (ROOT, CHECKOUT / "tests", CHECKOUT / "benchmarks", CHECKOUT / "examples")
    for path in sorted(folder.rglob("*.py"))
]


def test_no_file_and_no_function_is_long():
    """Protects reading: what a person changes fits on a few screens, a function on one or two."""
    long = {}
    for module, path in SOURCES.items():
        text = path.read_text(encoding="utf-8")
        if (lines := len(text.splitlines())) > MOST_LINES:
            long[module] = lines
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                lines = (node.end_lineno or 0) - node.lineno + 1
                if lines > MOST_OF_A_FUNCTION:
                    long[f"{module}.{node.name}"] = lines
    assert long == {}


def test_a_file_that_a_recipe_adds_to_has_room():
    """Protects whoever follows CONTRIBUTING: one more metric, outcome or key does not make a file
    too long, and every file that a recipe names is there."""
    text = (CHECKOUT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    recipes = text[text.index("## Recipes") : text.index("## Rules of the core")]
    full = {}
    for name in sorted(set(re.findall(r"`((?:[a-z_]+/)+[a-z_]+\.py)", recipes))):
        path = CHECKOUT / name if name.startswith("tests/") else ROOT / name
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if not name.startswith("tests/") and lines > MOST_LINES - ROOM:
            full[name] = lines
    assert full == {}


def test_no_line_is_wider_than_a_hundred_columns():
    """Protects two files side by side on one screen. Ruff lets lines pass that end in a remark to a
    tool; here none does."""
    wide = [
        f"{path.relative_to(CHECKOUT)}:{i}"
        for path in PROGRAMS
        for i, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > MOST_COLUMNS
    ]
    assert wide == []


def fields_of(node: ast.ClassDef) -> int:
    """How many values a NamedTuple or dataclass is built of; 0: it is neither."""
    told = {ast.unparse(one).partition("(")[0] for one in (*node.bases, *node.decorator_list)}
    if told.isdisjoint({"NamedTuple", "dataclass", "dataclasses.dataclass"}):
        return 0
    return sum(
        isinstance(one, ast.AnnAssign) and "ClassVar" not in ast.unparse(one.annotation)
        for one in node.body
    )


def counted(trees: dict[str, ast.Module]) -> list[str]:
    """Where more than four values of a structure of more than four fields are given by place, also
    to the copies that `replacing` makes. Structures are told apart by name and import."""
    many: dict[tuple[str, str], bool] = {}
    given: dict[tuple[str, str], tuple[str, str]] = {}
    for module, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                many[module, node.name] = fields_of(node) > FEW
            elif isinstance(node, ast.Assign) and ast.unparse(node.value).startswith("replacing("):
                many[module, ast.unparse(node.targets[0])] = True
            elif isinstance(node, ast.ImportFrom) and node.module:
                for one in node.names:
                    given[module, one.asname or one.name] = (node.module, one.name)

    def is_many(place: tuple[str, str]) -> bool:
        while place not in many and place in given:
            place = given[place]
        return many.get(place, False)

    return [
        f"{module}:{node.lineno} {ast.unparse(node.func)}"
        for module, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and len(node.args) > FEW + (not node.func.id[:1].isupper())  # of a copy also the original
        and is_many((module, node.func.id))
    ]


def test_structures_of_many_fields_are_built_by_keyword():
    """Protects a reader from counting to the seventh value, and a new field from landing in the
    place of another: in the core, on the host side, in tests, benchmarks and examples."""
    trees = {}
    for path in PROGRAMS:
        name = module_name(path) if path.is_relative_to(ROOT) else path.stem
        trees[name] = ast.parse(path.read_text(encoding="utf-8"))
    assert counted(trees) == []


def test_values_that_are_given_by_place_are_found():
    """The test above can fail: a structure that is imported, and a copy of one."""
    fields = "\n".join(f"    {name}: float" for name in "abcde")
    trees = {
        "one": ast.parse(f"class Five(NamedTuple):\n{fields}\nwith_all = replacing(Five, 'a')"),
        "two": ast.parse(
            "from one import Five, with_all\nFive(1, 2, 3, 4, 5)\nFive(1, 2, 3, 4, e=5)\n"
            "with_all(it, 1, 2, 3, 4)\nwith_all(it, 1, 2, 3, 4, 5)\n"
        ),
    }
    assert counted(trees) == ["two:2 Five", "two:5 with_all"]


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


def test_no_two_test_files_share_a_name():
    """pytest imports test files by their names alone: of two that share one the second is not run
    at all."""
    names = [path.name for path in Path(__file__).parents[1].rglob("test_*.py")]
    assert sorted(names) == sorted(set(names))


def test_files_that_go_to_one_worker_are_there():
    """A renamed file would go to another worker, unnoticed, and compile everything once more
    (conftest.py); a file in two groups would be in one of them."""
    import conftest

    listed = [file for files in conftest.TOGETHER.values() for file in files]
    assert [file for file in listed if not (CHECKOUT / file).is_file()] == []
    assert len(listed) == len(set(listed))
