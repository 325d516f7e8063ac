"""What Numba writes at length, written shortly: the same values from a fifth of the LLVM code.

Two things are most of what a loop's functions do. A cell of a layout, `CELL.phase`, is a field of
a constant NamedTuple of whole numbers: Numba builds the whole tuple, one instruction per field, and
takes one out. Here it is the number. An element of `mem`, a flat array of doubles, Numba reaches
by a copy of the array's description, in some thirty instructions. Here they are seven; a negative
index counts from the end, as everywhere. LLVM comes to the same machine code from either; writing,
reading and cleaning up the long one was a tenth of the time to compile `faithful`'s loop
(docs/decisions/35-short-llvm-code.md). Numba's own answer is taken for everything else. Cells are
written so while a door is compiled; elements of flat arrays of doubles in all of the process, to
the same effect.
"""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Iterator
from typing import Any

from llvmlite.ir import Constant
from numba import types
from numba.extending import lower_builtin

from softdock.core.machine.numba_internals import (
    PATCHED,
    BaseContext,
    do_boundscheck,
    impl_ret_borrowed,
    lower_getattr_generic,
)

MEMORY = types.Array(types.float64, 1, "C")

_DEPTH = [0]  # doors that are being compiled
_CELLS: dict[Any, Any] = {}  # constants by type and value: they belong to no module
_constant: Any = getattr(BaseContext, "get_constant_generic", None)


def _constant_or_cells(self: Any, builder: Any, kind: Any, value: Any) -> Any:
    """In place of `BaseContext.get_constant_generic`."""
    cells = isinstance(kind, types.NamedUniTuple) and isinstance(kind.dtype, types.Integer)
    if not (cells and _DEPTH[0]):
        return _constant(self, builder, kind, value)
    key = (kind, tuple(value))
    if key not in _CELLS:
        array = self.get_value_type(kind)
        _CELLS[key] = Constant(array, [Constant(array.element, int(one)) for one in value])
    return _CELLS[key]


def _field(context: Any, builder: Any, kind: Any, value: Any, name: str) -> Any:
    """Of a NamedTuple whose fields are of one type: the number itself where it is a constant."""
    index = kind.fields.index(name)
    if isinstance(value, Constant) and isinstance(value.constant, list):
        return value.constant[index]
    taken = builder.extract_value(value, index)
    return impl_ret_borrowed(context, builder, kind[index], taken)


def _address(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    """Of an element of a flat array."""
    position = context.data_model_manager[kind].get_field_position
    count = builder.extract_value(array, [position("shape"), 0])
    negative = builder.icmp_signed("<", index, Constant(index.type, 0))
    index = builder.select(negative, builder.add(index, count), index)
    if context.enable_boundscheck:  # a build that checks, NUMBA_BOUNDSCHECK=1
        do_boundscheck(context, builder, index, count, 0)
    return builder.gep(builder.extract_value(array, position("data")), [index])


def _read(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return builder.load(_address(context, builder, signature.args[0], *args))


def _write(context: Any, builder: Any, signature: Any, args: Any) -> None:
    array, index, value = args
    builder.store(value, _address(context, builder, signature.args[0], array, index))


if PATCHED:
    lower_getattr_generic(types.NamedUniTuple)(_field)
    lower_builtin(operator.getitem, MEMORY, types.int64)(_read)
    lower_builtin(operator.setitem, MEMORY, types.int64, types.float64)(_write)


@contextlib.contextmanager
def writing_shortly() -> Iterator[None]:
    """Within it, cells of layouts are constants."""
    if PATCHED:
        BaseContext.get_constant_generic = _constant_or_cells
    _DEPTH[0] += 1
    try:
        yield
    finally:
        _DEPTH[0] -= 1
