"""What compiled functions may be written with, so that the CUDA compiler takes them too: all of the
core, at no more than reading it. Kernels of every method are compiled by `make prove` (kernels)."""

from __future__ import annotations

import ast
import builtins

import pytest
from sources import nodes_of, parsed

from softdock.compile.sources import list_compiled_sources

DECORATORS = {"compiled", "noinline", "entry_point"}
BUILT_IN = {"range", "max", "min", "abs", "int", "float", "len", "enumerate"}
MATH = {
    *(
        "sqrt",
        "exp",
        "log",
        "pow",
        "floor",
        "ceil",
        "copysign",
        "isfinite",
        "isnan",
        "erfc",
        "expm1",
    ),
    *("sin", "cos", "tan", "asin", "atan", "atan2", "sinh", "cosh", "tanh", "inf", "nan", "pi"),
}
NUMPY = {"int64", "uint64"}  # kinds of numbers; np.sqrt of a number is not compiled for CUDA
ALLOCATES_OR_RAISES = (
    *(ast.Dict, ast.List, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp, ast.JoinedStr),
    *(ast.Raise, ast.Assert, ast.Try, ast.With, ast.Lambda, ast.Yield, ast.YieldFrom, ast.Await),
    *(ast.GeneratorExp, ast.FunctionDef, ast.ClassDef, ast.Global, ast.Nonlocal, ast.Delete),
    *(ast.Import, ast.ImportFrom),
)


def is_compiled(node: ast.AST) -> bool:
    if not isinstance(node, ast.FunctionDef):
        return False
    given = [d.func if isinstance(d, ast.Call) else d for d in node.decorator_list]
    return bool({getattr(d, "attr", getattr(d, "id", "")) for d in given} & DECORATORS)


def foreign(function: ast.FunctionDef) -> list[str]:
    """What of a function is none of the allowed things."""
    found = []
    for node in (one for part in function.body for one in ast.walk(part)):
        if isinstance(node, ALLOCATES_OR_RAISES):
            found.append(type(node).__name__)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            allowed = {"math": MATH, "np": NUMPY, "numpy": NUMPY}.get(node.value.id)
            if allowed is not None and node.attr not in allowed:
                found.append(f"{node.value.id}.{node.attr}")
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            name = node.func.id
            if hasattr(builtins, name) and name not in BUILT_IN:
                found.append(name)
    return found


def test_compiled_functions_use_what_a_gpu_has():
    """A function that only the CPU's compiler takes would be found on a GPU, by whoever has one."""
    functions = [
        (path.name, node)
        for path in list_compiled_sources()
        for node in nodes_of(path)
        if is_compiled(node)
    ]
    assert len(functions) > 1000
    wrong = [f"{file}: {f.name}: {foreign(f)}" for file, f in functions if foreign(f)]
    assert wrong == []


def single_names(tree: ast.AST) -> list[str]:
    """What is imported from `math` or `numpy` by a name of its own: its calls could not be told
    from calls of ours."""
    return [
        f"{node.module}.{one.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module in ("math", "numpy")
        for one in node.names
    ]


def test_math_and_numpy_are_named_where_they_are_used():
    """The test above knows functions of `math` and `np` by these names."""
    found = {
        path.name: names
        for path in list_compiled_sources()
        if (names := single_names(parsed(path)))
    }
    assert found == {}
    assert single_names(ast.parse("from math import gamma")) == ["math.gamma"]


@pytest.mark.parametrize(
    "line",
    [
        *("np.sqrt(x)", "[x]", "sorted(x)", "math.gamma(x)", "f'{x}'", "lambda: x", "{x: x}"),
        *("assert x", "raise x", "del x", "yield x", "import os", "global x"),
        *("max(y for y in x)", "def g(): pass", "with x: pass"),
    ],
)
def test_what_a_gpu_has_not_is_found(line):
    """So that the tests above can fail."""
    (function,) = ast.parse(f"@compiled\ndef f(x):\n    {line}\n").body
    assert is_compiled(function)
    assert foreign(function)
