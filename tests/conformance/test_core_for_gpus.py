"""What compiled functions may be written with, so that the CUDA compiler takes them too: all of the
core, at no more than reading it. Kernels of every method are compiled by `make prove` (kernels)."""

from __future__ import annotations

import ast
import builtins

import pytest

from softdock.core.machine.cache_folder import core_sources

DECORATORS = {"compiled", "apart", "door"}
BUILT_IN = {"range", "max", "min", "abs", "int", "float", "len", "enumerate"}
MATH = {
    *("sqrt", "exp", "log", "pow", "floor", "ceil", "copysign", "isfinite", "isnan", "erfc"),
    *("sin", "cos", "tan", "asin", "atan", "atan2", "sinh", "cosh", "tanh", "inf", "nan", "pi"),
}
NUMPY = {"int64", "uint64"}  # kinds of numbers; np.sqrt of a number is not compiled for CUDA
ALLOCATES_OR_RAISES = (
    *(ast.Dict, ast.List, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp, ast.JoinedStr),
    *(ast.Raise, ast.Try, ast.With, ast.Lambda, ast.Yield, ast.Await),
)


def is_compiled(node: ast.AST) -> bool:
    if not isinstance(node, ast.FunctionDef):
        return False
    given = [d.func if isinstance(d, ast.Call) else d for d in node.decorator_list]
    return bool({getattr(d, "attr", getattr(d, "id", "")) for d in given} & DECORATORS)


def foreign(function: ast.FunctionDef) -> list[str]:
    """What of a function is none of the allowed things."""
    found = []
    for node in ast.walk(function):
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
        for path in core_sources()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if is_compiled(node)
    ]
    assert len(functions) > 1000
    wrong = [f"{file}: {f.name}: {foreign(f)}" for file, f in functions if foreign(f)]
    assert wrong == []


@pytest.mark.parametrize("body", ["np.sqrt(x)", "[x]", "sorted(x)", "math.gamma(x)", "f'{x}'"])
def test_what_a_gpu_has_not_is_found(body):
    """So that the test above can fail."""
    (function,) = ast.parse(f"@compiled\ndef f(x):\n    return {body}\n").body
    assert is_compiled(function)
    assert foreign(function)
