"""Where the sources of softdock stand, for tests of the house: modules by name, and what each
imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import softdock

ROOT = Path(softdock.__file__).parent
CHECKOUT = Path(__file__).parents[2]
TYPES = "TYPE_CHECKING"


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


SOURCES = {module_name(path): path for path in sorted(ROOT.rglob("*.py"))}


@cache
def parsed(path: Path) -> ast.Module:
    """A source as it is, read once for all tests of one process; nobody changes it."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """All that stands in a source, walked once."""
    return tuple(ast.walk(parsed(path)))


@cache
def tree_of(path: Path) -> ast.Module:
    """A file without what is there for types alone: that is not imported."""
    body = parsed(path).body
    typed = [one for one in body if isinstance(one, ast.If) and TYPES in ast.unparse(one.test)]
    return ast.Module(body=[one for one in body if one not in typed], type_ignores=[])


def imported(path: Path) -> Iterator[str]:
    """Modules of softdock that a file imports, at its top or inside a function."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            for name in node.names:
                inner = f"{node.module}.{name.name}"
                yield inner if inner in SOURCES else node.module
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


def module_edges() -> dict[str, set[str]]:
    """Which module imports which; the top of the package, which offers everything, is left out."""
    edges = {
        module: {other for other in imported(path) if other in SOURCES and other != module}
        for module, path in SOURCES.items()
        if module != "softdock"
    }
    for module, others in edges.items():
        others.intersection_update(edges)
        if SOURCES[module].name == "__init__.py":  # a package offers what its modules hold
            others.difference_update({o for o in others if o.startswith(f"{module}.")})
    return edges
