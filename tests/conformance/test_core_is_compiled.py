"""The core is a folder: what is compiled lives there, with what declares it, makes it and lays out
its arrays. Whatever only uses it stands above."""

from __future__ import annotations

import ast
from pathlib import Path

from house import SOURCES, module_edges, tree_of

CORE = "softdock.core."
COMPILES = {"apart", "by_type", "compiled", "door", "flag", "seldom"}  # decorators and functions
GENERATES = {"choosing", "generate", "replacing", "storing"}
# functions of Python that lay out what compiled code reads, asked for by whoever flies
LAYS_OUT = {
    "softdock.core.orbit": "markers, memory and outcome of a flight in orbit",
    "softdock.core.recorder.layout": "columns of a recording",
    "softdock.core.seam": "arrays of a command and of a report",
}


def _called(node: ast.AST) -> str:
    node = node.func if isinstance(node, ast.Call) else node
    return getattr(node, "attr", getattr(node, "id", ""))


def is_compiled(path: Path) -> bool:
    """Whether a file has a function that is compiled, or makes one."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.FunctionDef):
            if COMPILES & {_called(one) for one in node.decorator_list}:
                return True
        elif isinstance(node, ast.Call) and _called(node) in COMPILES | GENERATES:
            return True
    return False


def has_functions(path: Path) -> bool:
    return any(isinstance(node, ast.FunctionDef) for node in ast.walk(tree_of(path)))


def strangers(edges: dict[str, set[str]]) -> set[str]:
    """Modules of the core with functions of plain Python alone that nothing in the core uses."""
    used = {
        other for module, others in edges.items() if module.startswith(CORE) for other in others
    }
    return {
        module
        for module in edges
        if module.startswith(CORE)
        and not module.startswith(f"{CORE}machine.")  # what compiles, keeps and calls doors
        and module not in used | set(LAYS_OUT)
        and has_functions(SOURCES[module])
        and not is_compiled(SOURCES[module])
    }


def test_what_is_plain_in_the_core_serves_what_is_compiled():
    """A check, a word or a page that stands in the core changes the hash of its sources: everybody
    compiles anew for what no compiled function knows."""
    assert strangers(module_edges()) == set(), "move it above the core"


def test_a_stranger_is_found():
    """So that the test above can fail: the checks of a method that no method declares."""
    edges = module_edges()
    declared = "softdock.core.adaptation.remapping.host.truth"
    for others in edges.values():
        others.discard(declared)
    assert strangers(edges) == {declared}
