"""What stands at the top of the package, and how structures are built."""

from __future__ import annotations

import ast
import re
import warnings
from importlib import import_module
from pathlib import Path

import pytest
from house import CHECKOUT, ROOT, SOURCES, module_name, parsed

from softdock import _moved

AT_THE_TOP = {
    "__init__.py",
    "__main__.py",
    "_arguments.py",
    "_given.py",
    "_moved.py",
    "_version.py",
    "errors.py",
    "methods.py",
    "ports.py",
}


MOST_COLUMNS = 100
FEW = 4  # values that a reader tells apart by their places
PROGRAMS = [
    path
    for folder in (ROOT, *(CHECKOUT / name for name in ("tests", "benchmarks", "examples", "docs")))
    for path in sorted(folder.rglob("*.py"))
]


@pytest.fixture(scope="module")
def trees() -> dict[Path, ast.Module]:
    """All programs, parsed once for this file; those of the package for other files too."""
    texts = {path: path.read_text(encoding="utf-8") for path in PROGRAMS}
    ours = SOURCES.values()
    return {p: parsed(p) if p in ours else ast.parse(text) for p, text in texts.items()}


def test_every_file_that_a_recipe_names_is_there():
    """Protects whoever follows CONTRIBUTING."""
    text = (CHECKOUT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    recipes = text[text.index("## Recipes") : text.index("## Rules of the core")]
    missing = []
    for name in sorted(set(re.findall(r"`((?:[a-z_]+/)+[a-z_]+\.py)", recipes))):
        path = CHECKOUT / name if name.startswith("tests/") else ROOT / name
        if not path.is_file():
            missing.append(name)
    assert missing == []


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


def called_by(node: ast.AST) -> str:
    """The name of the function that an expression calls; of anything else none."""
    return getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""


def counted(trees: dict[str, ast.Module]) -> list[str]:
    """Where more than four values of a structure of more than four fields are given by place, also
    to the copies that `replacing` makes. Structures are told apart by name and import."""
    many: dict[tuple[str, str], bool] = {}
    given: dict[tuple[str, str], tuple[str, str]] = {}
    for module, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                many[module, node.name] = fields_of(node) > FEW
            elif isinstance(node, ast.Assign) and called_by(node.value) == "replacing":
                many[module, ast.unparse(node.targets[0])] = True
            elif isinstance(node, ast.ImportFrom) and node.module:
                for one in node.names:
                    given[module, one.asname or one.name] = (node.module, one.name)

    def is_many(module: str, called: str) -> bool:
        holder, _, name = called.rpartition(".")
        place = (".".join(given.get((module, holder), (holder,))) or module, name)
        while place not in many and place in given:
            place = given[place]
        return many.get(place, False)

    return [
        f"{module}:{node.lineno} {called}"
        for module, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and len(node.args) > FEW
        and isinstance(node.func, ast.Name | ast.Attribute)
        and (called := ast.unparse(node.func))
        # of a copy also the original
        and len(node.args) > FEW + (not called.rpartition(".")[2][:1].isupper())
        and is_many(module, called)
    ]


def test_structures_of_many_fields_are_built_by_keyword(trees):
    """Protects a reader from counting to the seventh value, and a new field from landing in the
    place of another: in the core, on the host side, in tests, benchmarks and examples."""
    named = {
        module_name(path) if path.is_relative_to(ROOT) else path.stem: tree
        for path, tree in trees.items()
    }
    assert counted(named) == []


def test_values_that_are_given_by_place_are_found():
    """The test above can fail: a structure that is imported, and a copy of one."""
    fields = "\n".join(f"    {name}: float" for name in "abcde")
    trees = {
        "one": ast.parse(f"class Five(NamedTuple):\n{fields}\nwith_all = replacing(Five, 'a')"),
        "two": ast.parse(
            "from one import Five, with_all\nFive(1, 2, 3, 4, 5)\nFive(1, 2, 3, 4, e=5)\n"
            "with_all(it, 1, 2, 3, 4)\nwith_all(it, 1, 2, 3, 4, 5)\n"
        ),
        "three": ast.parse("import one\none.Five(1, 2, 3, 4, 5)\nother.Five(1, 2, 3, 4, 5)"),
        "of.four": ast.parse(f"class Five(NamedTuple):\n{fields}"),
        "five": ast.parse("from of import four as f\nf.Five(1, 2, 3, 4, 5)\nf.g(1, 2, 3, 4, 5, 6)"),
    }
    found = ["two:2 Five", "two:5 with_all", "three:2 one.Five", "five:2 f.Five"]
    assert counted(trees) == found


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
