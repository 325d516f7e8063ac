"""Arithmetic of the core in single precision: what `campaign/single.py` puts in the place of + - *
/ ** and of float literals.

Two kinds of numbers meet. What is physical is single. What counts from the start of a run stays
double: the clock (times, delays, cycles) and the satellites' positions, which would drift by a part
in a thousand if every cycle's small step were rounded to the last bit of metres. So

    product, quotient, power of single and double      single
    sum, difference of single and double               double: a position plus a step is a position
    anything with a whole number                       the other's kind
    anything with a literal                            the other's kind; with a whole number double:
                                                       (k + 0.5) T is a time

Each works on plain numbers too (`NUMBA_DISABLE_JIT=1`), with NumPy's single.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from softdock.core.machine.numba_internals import impl_ret_untracked

SINGLE_WINS = ("mul", "truediv", "pow")
DOUBLE_WINS = ("add", "sub", "floordiv", "mod")
COMPARED = ("lt", "le", "gt", "ge", "eq", "ne")
NEITHER, LEFT, RIGHT = "", "_left", "_right"  # which operand is a literal


def result_type(name: str, weak: str, a: Any, b: Any) -> Any:
    """The kind both operands are brought to; None where neither is a real number: as Numba has
    it."""
    if weak == LEFT and isinstance(b, types.Float):
        return b
    if weak == RIGHT and isinstance(a, types.Float):
        return a
    floats = {t for t in (a, b) if isinstance(t, types.Float)}
    if len(floats) == 1:
        return floats.pop()
    if len(floats) == 2:
        return types.float32 if name in SINGLE_WINS else types.float64
    return None


def _make(name: str, weak: str) -> Any:
    do = getattr(operator, name)

    def typed(typingctx: Any, a: Any, b: Any) -> Any:
        a, b = types.unliteral(a), types.unliteral(b)
        kind = result_type(name, weak, a, b)
        same = isinstance(b, types.Integer) and name == "pow"  # x ** 2 is a product
        inner = typingctx.resolve_function_type(
            do, (a, b) if kind is None else (kind, b if same else kind), {}
        )
        result = inner.return_type if kind is None or name in COMPARED else kind

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            given = [
                context.cast(builder, value, was, to)
                for value, was, to in zip(args, (a, b), inner.args, strict=True)
            ]
            value = context.get_function(do, inner)(builder, given)
            return impl_ret_untracked(
                context, builder, result, context.cast(builder, value, inner.return_type, result)
            )

        return result(a, b), codegen

    typed.__name__ = f"{name}{weak}"
    return intrinsic(typed)


def _plain(name: str, weak: str) -> Any:
    """The same on plain numbers."""
    do = getattr(operator, name)

    def kind(x: Any) -> Any:
        return (
            types.float32
            if isinstance(x, np.float32)
            else types.float64
            if isinstance(x, float)
            else types.int64
        )

    def calculate(a: Any, b: Any) -> Any:
        to = result_type(name, weak, kind(a), kind(b))
        if to is None or name in COMPARED:
            return do(a, b)
        cast = np.float32 if to is types.float32 else float
        return cast(do(cast(a), b if name == "pow" and isinstance(b, int) else cast(b)))

    return calculate


def _cast_type(x: Any, to: Any) -> Any:
    """The type of a number or a tuple of numbers after the cast; a tuple with names is left alone:
    its own fields were cast when it was made."""
    if isinstance(x, types.Float):
        return to
    if isinstance(x, types.BaseAnonymousTuple):
        return types.BaseTuple.from_types([_cast_type(one, to) for one in x.types]) if len(x) else x
    return x


def _make_cast(to: Any, name: str) -> Any:
    def typed(typingctx: Any, x: Any) -> Any:
        x = types.unliteral(x)
        after = _cast_type(x, to)
        return after(x), lambda context, builder, signature, args: context.cast(
            builder, args[0], x, after
        )

    typed.__name__ = name
    return intrinsic(typed)


def _plain_cast(to: Any) -> Any:
    def cast(x: Any) -> Any:
        if isinstance(x, tuple) and not hasattr(x, "_fields"):
            return tuple(cast(one) for one in x)
        return to(x) if isinstance(x, (float, np.floating)) else x

    return cast


def operations(plain: bool) -> dict[str, Any]:
    """Every operation by its name: `_add`, `_add_left` ... (the side of a literal), and the casts
    `single` and `double` of numbers and tuples of them."""
    make = _plain if plain else _make
    found = {
        f"_{name}{weak}": make(name, weak)
        for name in (*SINGLE_WINS, *DOUBLE_WINS, *COMPARED)
        for weak in (NEITHER, LEFT, RIGHT)
    }
    if plain:
        return found | {"single": _plain_cast(np.float32), "double": _plain_cast(float)}
    return found | {
        "single": _make_cast(types.float32, "single"),
        "double": _make_cast(types.float64, "double"),
    }
