"""The source of the core in single precision: which numbers stay double, and how the tree of a
compiled function is changed (single.py has the idea)."""

from __future__ import annotations

import ast
import functools
from typing import Any

from softdock.core.machine.compiled import core_sources

DOUBLE = frozenset(  # fields of the core's tuples that stay double, whatever the tuple
    (
        "T",
        "chaser_force_age",
        "cycle",
        "whole_delay",
        "duration",
        "merge_window",
        "settled_at",
        "later_at",
        "cleared_at",
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
    + ("lasted", "scatter", "t", "dt", "hold", "lag")
    + ("chaser_stamp", "target_stamp", "age", "chaser_age", "target_age")  # of reports
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


class InSingle(ast.NodeTransformer):
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

    def visit_Tuple(self, node: ast.Tuple) -> ast.expr:
        """A constant beside a literal becomes single as the literal does: a tuple of both kinds
        cannot be indexed."""
        is_real = [isinstance(one, ast.Constant) and self.is_constant(one) for one in node.elts]
        self.generic_visit(node)
        if any(is_real):
            node.elts = [
                _call("single", [one], one)
                if isinstance(one, ast.Name) and self.is_constant(one)
                else one
                for one in node.elts
            ]
        return node

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
        for keyword in node.keywords:
            if isinstance(keyword.value, ast.Name) and self.is_constant(keyword.value):
                keyword.value = _call("single", [keyword.value], keyword.value)
        if fields is not None and not any(isinstance(one, ast.Starred) for one in node.args):
            kept = DOUBLE | POSITIONS.get(called, frozenset())
            for i, (field, value) in enumerate(zip(fields, node.args, strict=False)):
                node.args[i] = _call("double" if field in kept else "single", [value], value)
            for keyword in node.keywords:
                kind = "double" if keyword.arg in kept else "single"
                keyword.value = _call(kind, [keyword.value], keyword.value)
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


def rewritten(text: str) -> str:
    """The source of compiled functions, in single precision: what the core generates
    (generated.py) passes through here too."""
    tree = ast.parse(text)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            inside = InSingle(node)
            node.body = [inside.visit(one) for one in node.body]
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"
