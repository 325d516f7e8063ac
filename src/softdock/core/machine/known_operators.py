"""Types of operators, remembered while doors compile: in an operator and the types of its
arguments, out the signature that Numba found the first time.

At every `+`, `<` or `mem[i]` of a function Numba asks one template after the other, of all that any
library has registered for the operator, whether it takes these arguments: a fifth of a loop's
compile time. For numbers, and arrays of one axis of them, the answer does not change. Only asked of
Numba's own operators, and only within `remembering_operators`; the code that comes out is the same.
"""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Iterator
from typing import Any

from numba import types

from softdock.core.machine.numba_internals import PATCHED, BaseFunction

NAMES = (
    "add sub mul truediv floordiv mod neg lt le gt ge eq ne iadd isub imul itruediv and_ or_ "
    "lshift rshift getitem setitem"
)
OPERATORS = frozenset(getattr(operator, name) for name in NAMES.split())
NUMBERS = (types.Integer, types.Float, types.Boolean, types.IntegerLiteral, types.BooleanLiteral)

_DEPTH = [0]  # doors that are being compiled
_KNOWN: dict[Any, Any] = {}  # with the operator's type beside its signature: its id stays its own
_ask: Any = getattr(BaseFunction, "get_call_type", None)


def _is_plain(kind: Any) -> bool:
    return isinstance(kind, NUMBERS) or (isinstance(kind, types.Array) and kind.ndim == 1)


def _answer(self: Any, context: Any, args: Any, kws: Any) -> Any:
    """In place of `BaseFunction.get_call_type`."""
    if not _DEPTH[0] or kws or self.typing_key not in OPERATORS or not all(map(_is_plain, args)):
        return _ask(self, context, args, kws)
    key = (id(self), context, tuple(args))
    found = _KNOWN.get(key)
    if found is None:
        found = _KNOWN[key] = (self, _ask(self, context, args, kws))
    return found[1]


@contextlib.contextmanager
def remembering_operators() -> Iterator[None]:
    """Within it, Numba asks once for each operator and types."""
    if PATCHED:
        BaseFunction.get_call_type = _answer
    _DEPTH[0] += 1
    try:
        yield
    finally:
        _DEPTH[0] -= 1
