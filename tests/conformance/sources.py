"""The source files of softdock for tests that read them: by module name, and parsed once."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import softdock

ROOT = Path(softdock.__file__).parent


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


SOURCES = {module_name(path): path for path in sorted(ROOT.rglob("*.py"))}


@cache
def parsed(path: Path) -> ast.Module:
    """The syntax tree of a file, read once for all tests of one process; nobody changes it."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """All nodes of a file, walked once."""
    return tuple(ast.walk(parsed(path)))
