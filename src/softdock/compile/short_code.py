"""What Numba writes at length, written shortly: the same values from a fifth of the LLVM code.

Two things are most of what a loop's functions do. A cell of a layout, `CELL.phase`, is a field of
a constant NamedTuple of whole numbers: Numba builds the whole tuple, one instruction per field, and
takes one out. Here it is the number. An element of `mem`, a flat array of doubles, Numba reaches
by a copy of the array's description, in some thirty instructions. Here they are seven; a negative
index counts from the end, as everywhere. LLVM comes to the same machine code from either; writing,
reading and cleaning up the long one was a tenth of the time to compile `faithful`'s loop
(docs/decisions/35-short-llvm-code.md). Numba's own answer is taken for everything else.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite.ir import Constant
from numba import types

from softdock.compile.numba_internals import (
    BaseContext,
    do_boundscheck,
    impl_ret_borrowed,
    wrap_impl,
)

MEMORY = types.Array(types.float64, 1, "C")

_CELLS: dict[Any, Any] = {}  # constants by type and value: they belong to no module
_constant: Any = getattr(BaseContext, "get_constant_generic", None)
_function: Any = getattr(BaseContext, "get_function", None)
_attribute: Any = getattr(BaseContext, "get_getattr", None)


def _constant_or_cells(self: Any, builder: Any, kind: Any, value: Any) -> Any:
    """In place of `BaseContext.get_constant_generic`."""
    cells = isinstance(kind, types.NamedUniTuple) and isinstance(kind.dtype, types.Integer)
    if not cells:
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


ELEMENTS = {
    (operator.getitem, (MEMORY, types.int64)): _read,
    (operator.setitem, (MEMORY, types.int64, types.float64)): _write,
}


def _element_or_function(self: Any, fn: Any, sig: Any, *first: Any, **call: Any) -> Any:
    """In place of `BaseContext.get_function`."""
    short = ELEMENTS.get((getattr(fn, "typing_key", None), sig.args))
    if short is None:
        return _function(self, fn, sig, *first, **call)
    return wrap_impl(short, self, sig)


def _field_or_attribute(self: Any, kind: Any, name: str) -> Any:
    """In place of `BaseContext.get_getattr`."""
    return _field if isinstance(kind, types.NamedUniTuple) else _attribute(self, kind, name)


PATCHES = [  # numba_patches.py puts them in place
    (BaseContext, "get_constant_generic", _constant_or_cells),
    (BaseContext, "get_function", _element_or_function),
    (BaseContext, "get_getattr", _field_or_attribute),
]
