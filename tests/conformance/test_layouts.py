"""No offset is written by hand: where things stand in a flat array is declared once, as `Cells`."""

from __future__ import annotations

import ast
from pathlib import Path

# folders that are not searched, and why; take a line away to switch the search on there
NOT_YET: dict[str, str] = {
    "adaptation": "its slices of `mem` are declared by the methods' own files",
}
# files whose numbers are mathematics, not places in an array
ALLOWED: dict[str, str] = {}
SMALL = 5  # the last index of a vector, a quaternion or a symmetric matrix


def _is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value > 0


def _shifted(node: ast.AST) -> bool:
    """An index such as `at + 13`."""
    return (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Add | ast.Sub)
        and (_is_number(node.right) or _is_number(node.left) or _shifted(node.left))
    )


def hand_written(path: Path) -> list[str]:
    """Lines of a file with an offset in an array: `mem[at + 13]`, `row[123]`, `load3(mem, at + 3)`,
    `range(17)`."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Subscript):
            index = node.slice
            large = isinstance(index, ast.Constant) and type(index.value) is int
            if _shifted(index) or (large and index.value > SMALL):  # type: ignore[attr-defined]
                found.append(f"{node.lineno}: {ast.unparse(node)}")
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            name = node.func.id
            if name.startswith(("load", "store")) and any(_shifted(one) for one in node.args):
                found.append(f"{node.lineno}: {ast.unparse(node)}")
            elif name == "range" and any(_is_number(a) and a.value > SMALL + 1 for a in node.args):  # type: ignore[attr-defined]
                found.append(f"{node.lineno}: {ast.unparse(node)}")
    return found
