"""Views of flat arrays in compiled code: what `CELLS(mem, at)` is there (compile/cells.py).

A view is one pointer, to its first number. An attribute is a load or a store at a constant offset,
an element of `many` stands at a multiple of its size; neither is checked against the array's end.
The same functions write the code for the CPU and for CUDA. The array must be contiguous; its
numbers are the view's: doubles as a rule, int64 in a rig's program.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite.ir import Constant, IntType
from numba import TypingError, typeof, types
from numba.extending import (
    infer_getattr,
    lower_builtin,
    lower_getattr_generic,
    lower_setattr_generic,
    models,
    register_model,
    typeof_impl,
)

from softdock.compile.cells import Cells, Many, count_floats, hash_kind, list_members
from softdock.compile.numba_internals import (
    AbstractTemplate,
    AttributeTemplate,
    infer_global,
    memcpy,
    signature,
)


class View(types.Type):
    """Of cells, or of elements: `kind`. `dtype`: of the array."""

    def __init__(self, kind: Any, dtype: Any):
        self.kind, self.dtype = kind, dtype
        name = kind.name if isinstance(kind, Cells) else f"{kind.count} elements"
        super().__init__(name=f"view({name} {hash_kind(kind)}, {dtype})")

    def __reduce__(self) -> Any:
        return View, (self.kind, self.dtype)

    def inner_types(self) -> list[Any]:
        """Numba types of its attributes or its elements."""
        kinds = (
            [self.kind.of]
            if isinstance(self.kind, Many)
            else [kind for _, kind in self.kind.places.values()]
        )
        return [_find_type(kind, self.dtype) for kind in kinds]


class Layout(types.Callable, types.Opaque):
    """Of a `Cells` that compiled code finds among its names."""

    def __init__(self, cells: Cells):
        self.cells = cells
        super().__init__(f"cells({cells.name} {hash_kind(cells)})")

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        array, at = args[0] if args else None, args[1:]
        if not isinstance(array, types.Array) or array.layout != "C" or array.ndim > 2 or kws:
            raise TypingError(f"a view of '{self.cells.name}' takes a contiguous array, not {args}")
        least = array.ndim - 1  # a row must be given
        if not least <= len(at) <= 1 or any(not isinstance(one, types.Integer) for one in at):
            raise TypingError(f"a view of '{self.cells.name}' takes one offset, not {at}")
        return signature(View(self.cells, array.dtype), array, *(types.intp for _ in at))

    def get_call_signatures(self) -> Any:
        return (), True

    def get_impl_key(self, sig: Any) -> Any:
        return Cells


register_model(View)(models.PointerModel)
register_model(Layout)(models.OpaqueModel)


@typeof_impl.register(Cells)
def _make_layout_type(cells: Cells, c: Any) -> Any:
    return Layout(cells)


@infer_getattr
class _Constants(AttributeTemplate):
    """`STATE.size` and the offsets, `STATE.at.back`."""

    key = Layout

    def generic_resolve(self, layout: Any, name: str) -> Any:
        return typeof(getattr(layout.cells, name)) if name in ("size", "at") else None


@lower_getattr_generic(Layout)
def _read_constant(context: Any, builder: Any, layout: Any, pointer: Any, name: str) -> Any:
    value = getattr(layout.cells, name)
    return context.get_constant_generic(builder, typeof(value), value)


@infer_getattr
class _Attributes(AttributeTemplate):
    key = View

    def generic_resolve(self, view: Any, name: str) -> Any:
        if isinstance(view.kind, Many) or name not in view.kind.places:
            return None
        return _find_type(view.kind.places[name][1], view.dtype)


@infer_global(operator.getitem)
class _Getitem(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        element = _find_element_type(*args)
        return None if element is None else signature(element, args[0], types.intp)


@infer_global(operator.setitem)
class _Setitem(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        element = _find_element_type(*args[:2])
        return None if element is None else signature(types.none, args[0], types.intp, element)


def _find_element_type(view: Any, index: Any) -> Any:
    if not (isinstance(view, View) and isinstance(view.kind, Many)):
        return None
    return _find_type(view.kind.of, view.dtype) if isinstance(index, types.Integer) else None


@lower_builtin(Cells, types.Array)
@lower_builtin(Cells, types.Array, types.Integer)
def _make_view(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    kind = sig.args[0]
    position = context.data_model_manager[kind].get_field_position
    data = builder.extract_value(args[0], position("data"))
    if len(args) == 1:
        return data
    if kind.ndim == 1:
        return builder.gep(data, [args[1]])
    columns = builder.extract_value(args[0], [position("shape"), 1])
    return builder.gep(data, [builder.mul(args[1], columns)])


@lower_getattr_generic(View)
def _read_attribute(context: Any, builder: Any, view: Any, pointer: Any, name: str) -> Any:
    first, kind = view.kind.places[name]
    return _load(context, builder, kind, view.dtype, _move_pointer(builder, pointer, first))


@lower_setattr_generic(View)
def _write_attribute(context: Any, builder: Any, sig: Any, args: Any, name: str) -> None:
    view, (pointer, value) = sig.args[0], args
    first, kind = view.kind.places[name]
    _store(context, builder, kind, view.dtype, _move_pointer(builder, pointer, first), value)


@lower_builtin(operator.getitem, View, types.Integer)
def _read_element(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    view, (pointer, index) = sig.args[0], args
    return _load(
        context, builder, view.kind.of, view.dtype, _point_to_element(builder, view, pointer, index)
    )


@lower_builtin(operator.setitem, View, types.Integer, types.Any)
def _write_element(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    view, (pointer, index, value) = sig.args[0], args
    place = _point_to_element(builder, view, pointer, index)
    _store(context, builder, view.kind.of, view.dtype, place, value)
    return context.get_dummy_value()


def _move_pointer(builder: Any, pointer: Any, first: int) -> Any:
    return builder.gep(pointer, [Constant(IntType(64), first)]) if first else pointer


def _point_to_element(builder: Any, view: Any, pointer: Any, index: Any) -> Any:
    return builder.gep(
        pointer, [builder.mul(index, Constant(index.type, count_floats(view.kind.of)))]
    )


def _find_type(kind: Any, dtype: Any) -> Any:
    """What an attribute of this kind is in compiled code."""
    if isinstance(kind, Cells | Many):
        return View(kind, dtype)
    if kind is float:
        return dtype
    if kind is int or kind is bool:
        return types.int64 if kind is int else types.boolean
    inner = tuple(_find_type(one, dtype) for _, one in list_members(kind))
    return types.BaseTuple.from_types(inner, None if isinstance(kind, tuple) else kind)


def _load(context: Any, builder: Any, kind: Any, dtype: Any, pointer: Any) -> Any:
    found = _find_type(kind, dtype)
    if isinstance(found, View):
        return pointer
    if not isinstance(found, types.BaseTuple):
        return context.cast(builder, builder.load(pointer), dtype, found)
    parts = [
        _load(context, builder, one, dtype, _move_pointer(builder, pointer, first))
        for first, one in list_members(kind)
    ]
    return context.make_tuple(builder, found, parts)


def _store(context: Any, builder: Any, kind: Any, dtype: Any, pointer: Any, value: Any) -> None:
    found = _find_type(kind, dtype)
    if isinstance(found, View):
        _copy(builder, pointer, value, count_floats(kind))
    elif isinstance(found, types.BaseTuple):
        for i, (first, one) in enumerate(list_members(kind)):
            part = builder.extract_value(value, i)
            _store(context, builder, one, dtype, _move_pointer(builder, pointer, first), part)
    else:
        builder.store(context.cast(builder, value, found, dtype), pointer)


def _copy(builder: Any, to: Any, given: Any, size: int) -> None:
    """Of another view of the same kind: number by number."""
    memcpy(builder, to, given, Constant(IntType(64), size))
