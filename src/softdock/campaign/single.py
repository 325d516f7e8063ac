"""The core a second time, in single precision: the same source files, loaded again as the package
`softdock_single`.

There is one physics. This loader reads the very files of the core and changes, in compiled
functions only, what numbers are made of:

    a * b  ->  _mul(a, b)            single_arithmetic.py says which of two kinds wins
    0.5    ->  single(0.5)           a literal that stands alone is physical
    Wrench(force, torque)  ->  Wrench(single(force), single(torque))
                                     every field is single but those of `DOUBLE`: the clock, and a
                                     satellite's position

Nothing else differs. `mem` is an array of singles; of doubles where a method keeps a memory, in
which there may be times. Used by CUDA kernels (single_kernel.py): a GPU computes in single
precision faster than in double, and a run needs less room in registers and local memory.
"""

from __future__ import annotations

import ast
import functools
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numba

from softdock.core.machine.compiled import core_sources
from softdock.errors import BadInput, Problem

PACKAGE, OURS = "softdock_single", "softdock"
ROOT = Path(__file__).parents[1]
# Modules that are not loaded again: no arithmetic of a run.
SHARED = (
    "softdock.core.machine.compiled",
    "softdock.core.machine.parameters",
    "softdock.errors",
    "softdock._version",
)
DOUBLE = frozenset(  # fields of the core's tuples that stay double, whatever the tuple
    (
        "T",
        "duration",
        "merge_window",
        "delay",
        "period",
        "ramp",
        "wobble",
        "jitter",
        "reading_time",
        "seen_time",
        "first_touch",
        "last_touch",
        "start",
    )
    + (
        "force_age",
        "pose_age",
        "blend",
        "longest",
        "unstamped",
        "frozen",
        "window",
        "late",
        "lead",
        "freeze_at",
        "freeze_for",
        "jump_at",
        "jump_until",
    )
    + ("lasted",)
)
POSITIONS = {
    "Body": frozenset(("p",))
}  # of the satellites; a motion that is sent or touches something is single
NARROWED = (
    "uniform",
    "load3",
    "load4",
)  # functions whose results are physical, though made of whole numbers or of doubles
CONSTANTS = {  # what the core sets by the last bit of a double, by that of a single
    "CONVERGED_SQUARED": 1e-13,
    "EPS": 1.2e-7,
    "SLACK": 1e-5,
    "RESOLUTION": 1e-5,
    "FLOOR": 1e-6,
    "SETTLED": 1e-7,
    "ON_AXIS": 1e-7,
}
IN_DOUBLE_ONLY = {  # modules of methods, and why
    "softdock.core.adaptation.networks": (
        "networks, whose steps are solved to the last bits of doubles"
    ),
    "softdock.core.adaptation.remapping": (
        "the re-mapping, whose past and filter were never tried in single"
    ),
}
OPERATORS = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.Pow: "pow",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
}
COMPARISONS = {
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Eq: "eq",
    ast.NotEq: "ne",
}
DECORATORS = ("compiled", "apart", "door")


@functools.cache
def tuple_fields() -> dict[str, list[str]]:
    """Fields of every NamedTuple of the core, by the class's name."""
    found: dict[str, list[str]] = {}
    for path in core_sources():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and any(
                isinstance(base, ast.Name) and base.id == "NamedTuple" for base in node.bases
            ):
                fields = [
                    one.target.id
                    for one in node.body
                    if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
                ]
                found[node.name] = max(
                    found.get(node.name, fields), fields, key=len
                )  # two of one name: none of their fields stays double
    return found


class _InSingle(ast.NodeTransformer):
    """The body of one compiled function."""

    def __init__(self, function: ast.FunctionDef):
        named = {
            node.id
            for node in ast.walk(function)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        self.local = named | {one.arg for one in function.args.args}
        self.narrowed = function.name in NARROWED

    def is_constant(self, node: ast.expr) -> bool:
        """A literal, a module's constant, or made of such."""
        if isinstance(node, ast.Constant):
            return isinstance(node.value, float)
        if isinstance(node, ast.Name):
            return node.id.isupper() and node.id not in self.local
        if isinstance(node, ast.Attribute):
            return isinstance(node.value, ast.Name) and node.value.id == "math"
        if isinstance(node, ast.UnaryOp):
            return self.is_constant(node.operand)
        if isinstance(node, ast.BinOp):
            sides = (node.left, node.right)
            whole = [
                isinstance(side, ast.Constant) and isinstance(side.value, int) for side in sides
            ]
            return all(
                self.is_constant(side) or is_whole
                for side, is_whole in zip(sides, whole, strict=True)
            ) and not all(whole)
        return False

    def weak(self, node: ast.expr) -> ast.expr:
        """A literal beside an operator: left as it is, to take the other's kind."""
        if isinstance(node, ast.Name) and node.id in CONSTANTS:
            return ast.copy_location(ast.Constant(CONSTANTS[node.id]), node)
        return node

    def operate(self, node: ast.AST, name: str, left: ast.expr, right: ast.expr) -> ast.expr:
        if self.is_constant(left):
            side, left, right = "_left", self.weak(left), self.visit(right)
        elif self.is_constant(right):
            side, left, right = "_right", self.visit(left), self.weak(right)
        else:
            side, left, right = "", self.visit(left), self.visit(right)
        return _call(f"_{name}{side}", [left, right], node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        if self.is_constant(node):
            return (
                _call("single", [node], node)
                if isinstance(node.left, ast.Constant | ast.UnaryOp | ast.BinOp)
                else node
            )
        name = OPERATORS.get(type(node.op))
        if name is None:
            self.generic_visit(node)
            return node
        return self.operate(node, name, node.left, node.right)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        if len(node.ops) == 1 and type(node.ops[0]) in COMPARISONS:
            left, right = node.left, node.comparators[0]
            if self.is_constant(left) or self.is_constant(right):
                return self.operate(node, COMPARISONS[type(node.ops[0])], left, right)
        self.generic_visit(node)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        name = OPERATORS.get(type(node.op))
        if name is None:
            self.generic_visit(node)
            return node
        read = ast.parse(ast.unparse(node.target), mode="eval").body
        value = self.operate(node, name, ast.copy_location(read, node.target), node.value)
        return ast.fix_missing_locations(ast.copy_location(ast.Assign([node.target], value), node))

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return (
            _call("single", [self.weak(node)], node)
            if node.id in CONSTANTS and self.is_constant(node)
            else node
        )

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return _call("single", [node], node) if isinstance(node.value, float) else node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        if self.is_constant(node) and not isinstance(node.operand, ast.Name):
            return _call("single", [node], node)
        self.generic_visit(node)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if self.is_constant(node) and node.attr in ("nan", "inf", "pi"):
            return _call("single", [node], node)
        self.generic_visit(node)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        node.value = self.visit(node.value)  # indices are whole numbers: left alone
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        called = node.func.id if isinstance(node.func, ast.Name) else ""
        fields = tuple_fields().get(called)
        if (
            isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "math"
        ):
            node.args = [self.visit(one) for one in node.args]
            return node
        self.generic_visit(node)
        node.args = [
            _call("single", [one], one)
            if isinstance(one, ast.Name) and self.is_constant(one)
            else one
            for one in node.args
        ]
        if fields is not None and not any(isinstance(one, ast.Starred) for one in node.args):
            kept = DOUBLE | POSITIONS.get(called, frozenset())
            for i, (field, value) in enumerate(zip(fields, node.args, strict=False)):
                node.args[i] = _call("double" if field in kept else "single", [value], value)
        return node

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        self.generic_visit(node)
        if self.narrowed and node.value is not None:
            node.value = _call("single", [node.value], node.value)
        return node


def _call(name: str, arguments: list[ast.expr], where: Any) -> ast.expr:
    return ast.fix_missing_locations(
        ast.copy_location(
            ast.Call(ast.copy_location(ast.Name(name, ast.Load()), where), arguments, []), where
        )
    )


def _is_compiled(node: ast.FunctionDef) -> bool:
    return any(isinstance(one, ast.Name) and one.id in DECORATORS for one in node.decorator_list)


class _Module(ast.NodeTransformer):
    """A module of the core: imports from the second package, compiled functions in single
    precision."""

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.stmt:
        parts = (node.module or "").split(".")
        if parts[0] == OURS and node.module not in SHARED:
            node.module = ".".join([PACKAGE, *parts[1:]])
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        if not _is_compiled(node):
            return node
        inside = _InSingle(node)
        node.body = [inside.visit(one) for one in node.body]
        return node


class _Loader(importlib.machinery.SourceFileLoader):
    def get_code(self, fullname: str) -> Any:
        """Always from the source: no file of bytecode, which would be the double-precision one."""
        path = self.get_filename(fullname)
        tree = _Module().visit(ast.parse(self.get_data(path), path))
        return compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__.update(_operations())
        super().exec_module(module)


@functools.cache
def _operations() -> dict[str, Any]:
    from softdock.campaign.single_arithmetic import operations

    return operations(bool(numba.config.DISABLE_JIT))


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> Any:
        parts = name.split(".")
        if parts[0] != PACKAGE:
            return None
        if len(parts) == 1:  # an empty package: the core's own __init__ is the user's door
            spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
            spec.submodule_search_locations = [str(ROOT)]
            return spec
        place = ROOT.joinpath(*parts[1:])
        file = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
        if not file.is_file():
            return None
        search = [str(place)] if place.is_dir() else None
        return importlib.util.spec_from_file_location(
            name, file, loader=_Loader(name, str(file)), submodule_search_locations=search
        )


def load(module: str) -> Any:
    """A module of the core in single precision, by its name below `softdock`."""
    if not any(isinstance(one, _Finder) for one in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
    return importlib.import_module(f"{PACKAGE}.{module}")


def twin(value: Any) -> Any:
    """Markers of the core as those of the second package: the same names, the same numbers."""
    if isinstance(value, tuple):
        parts = [twin(one) for one in value]
        if not hasattr(value, "_fields"):
            return tuple(parts)
        home = type(value).__module__
        if home.partition(".")[0] != OURS:
            raise BadInput(
                Problem(
                    "precision",
                    "single",
                    f"double for a method of your own ({type(value).__name__}); single is "
                    "for softdock's own methods",
                )
            )
        for module, why in IN_DOUBLE_ONLY.items():
            if home.startswith(module):
                raise BadInput(Problem("precision", "single", f"double for {why}"))
        return getattr(load(home.partition(".")[2]), type(value).__name__)(*parts)
    return value


def is_forgetful(markers: Any) -> bool:
    """Whether no method keeps a memory: `mem` may then be of singles."""
    return all(type(method).__name__ == "Direct" for method in markers.methods)
