"""What of Numba's own works differently while softdock compiles: each is put in place under Numba's
compiler lock and taken out again, so other packages' functions are compiled by Numba as it is.

Two things are changed:

Types of operators are remembered. At every `+`, `<` or `mem[i]` of a function Numba asks one
template after the other, of all that any library has registered for the operator, whether it takes
these arguments. For numbers, and arrays of one axis of them, the answer does not change.

Code of compiled functions is written for LLVM without what only Python's objects need. Numba counts
references, so a variable is read before it is written and emptied when it is done with; it keeps
tables for debuggers; every call makes room for an exception of its own and asks four questions
about what came back; every argument gets a name. The core's functions need none of it: arrays are
handed to them, they are not debugged, and none raises. Here a variable is written and read; a call
passes on the caller's room for an exception and asks whether it failed. Functions with `try` or
`with` in them, which only a user's method could have, and those that may return nothing or a
number, are written as Numba does.

The numbers are the same. What each saves: docs/decisions/39-numba-untouched.md.
"""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Iterator
from typing import Any

from llvmlite.ir import Constant
from numba import types

from softdock.compile.cache_keys import DIGITS
from softdock.compile.numba_internals import (
    BaseContext,
    BaseFunction,
    CPUCallConv,
    Lower,
    NumbaError,
    Status,
    alloca_once,
    errors,
    global_compiler_lock,
    new_error_context,
)

# -- types of operators -------------------------------------------------------------------------

OPERATOR_NAMES = (
    "add sub mul truediv floordiv mod neg lt le gt ge eq ne iadd isub imul itruediv and_ or_ "
    "lshift rshift getitem setitem"
)
OPERATORS = frozenset(getattr(operator, name) for name in OPERATOR_NAMES.split())
NUMBERS = (types.Integer, types.Float, types.Boolean, types.IntegerLiteral, types.BooleanLiteral)

_KNOWN: dict[Any, Any] = {}  # with the operator's type beside its signature: its id stays its own
_find_type: Any = getattr(BaseFunction, "get_call_type", None)


def _is_plain(kind: Any) -> bool:
    return isinstance(kind, NUMBERS) or (isinstance(kind, types.Array) and kind.ndim == 1)


def _find_type_once(self: Any, context: Any, args: Any, kws: Any) -> Any:
    """In place of `BaseFunction.get_call_type`."""
    if kws or self.typing_key not in OPERATORS or not all(map(_is_plain, args)):
        return _find_type(self, context, args, kws)
    key = (id(self), context, tuple(args))
    found = _KNOWN.get(key)
    if found is None:
        found = _KNOWN[key] = (self, _find_type(self, context, args, kws))
    return found[1]


# -- code for LLVM ------------------------------------------------------------------------------

_WRITTEN_LEAN = "softdock_lean"  # of a builder whose calls are written so

_call: Any = getattr(CPUCallConv, "call_function", None)
_propagate: Any = getattr(CPUCallConv, "return_status_propagate", None)
_decorate: Any = getattr(CPUCallConv, "decorate_function", None)
_mangle: Any = getattr(BaseContext, "mangler", None)


class LeanLower(Lower):
    """Numba's writer of LLVM code, for functions that only compiled code calls."""

    def setup_function(self, fndesc: Any) -> None:
        super().setup_function(fndesc)
        lean = not _has_try(self.func_ir)
        setattr(self.builder, _WRITTEN_LEAN, lean)
        setattr(self.module, _WRITTEN_LEAN, lean)  # from now on: what is declared is only called

    def storevar(self, value: Any, name: str, argidx: int | None = None) -> None:
        self._alloca_var(name, self.typeof(name))
        if name in self._singly_assigned_vars:
            self._blk_local_varmap[name] = value
            return
        place = self.getvar(name)
        if value.type != place.type.pointee:
            raise AssertionError(f"storing {value.type} in '{name}', {place.type.pointee}")
        self.builder.store(value, place)

    def alloca_lltype(self, name: str, lltype: Any, datamodel: Any = None) -> Any:
        return alloca_once(self.builder, lltype, name=name, zfill=False)

    def lower_block(self, block: Any) -> None:
        self.pre_block(block)
        try:
            for statement in block.body:
                self.loc = statement.loc
                self.lower_inst(statement)
        except NumbaError:
            with new_error_context('lowering "{inst}" at {loc}', inst=statement, loc=self.loc):
                raise
        except NotImplementedError as error:  # of tuples that are no such tuple, without a line
            what = "a tuple of another length, or a NamedTuple of another class, than it takes"
            raise errors.NumbaNotImplementedError(f"{statement}: {what}", self.loc) from error
        self.post_block(block)


def _has_try(func_ir: Any) -> bool:
    """Whether a function has `try` or `with` in it."""
    return bool(func_ir.func_id.code.co_exceptiontable)


def _is_lean(builder: Any) -> bool:
    return getattr(builder, _WRITTEN_LEAN, False)


def _write_lean_call(
    self: Any, builder: Any, callee: Any, resty: Any, argtys: Any, args: Any, attrs: Any = None
) -> Any:
    """In place of `CPUCallConv.call_function`."""
    if not _is_lean(builder) or isinstance(resty, types.Optional):
        return _call(self, builder, callee, resty, argtys, args, attrs)
    kind = self.get_return_type(resty).pointee
    with builder.goto_entry_block():
        place = builder.alloca(kind)
    given = self._get_arg_packer(argtys).as_arguments(builder, args)
    raised = self._get_excinfo_argument(builder.function)
    code = builder.call(callee, [place, raised, *given], attrs=tuple(attrs or ()))
    failed = builder.icmp_signed("!=", code, Constant(code.type, 0))
    status = Status(
        code=code,
        is_ok=None,
        is_none=None,
        is_error=failed,
        is_stop_iteration=None,
        is_python_exc=None,
        is_user_exc=None,
        excinfoptr=None,
    )
    return status, self.context.get_returned_value(builder, resty, builder.load(place))


def _write_lean_propagation(self: Any, builder: Any, status: Any) -> None:
    """In place of `CPUCallConv.return_status_propagate`: what was raised is where the caller looks
    for it already."""
    if _is_lean(builder) and status.excinfoptr is None:
        builder.ret(status.code)
    else:
        _propagate(self, builder, status)


def _decorate_lean(self: Any, fn: Any, args: Any, fe_argtypes: Any, noalias: bool = False) -> None:
    """In place of `CPUCallConv.decorate_function`: of a function that is only called, neither
    names nor attributes are of use."""
    if noalias or not getattr(fn.module, _WRITTEN_LEAN, False):
        _decorate(self, fn, args, fe_argtypes, noalias)


def _short_mangle(self: Any, name: str, types: Any, *, abi_tags: Any = (), uid: Any = None) -> Any:
    """In place of `BaseContext.mangler`: a function's own name (cache_keys.py) says which types it
    takes, in 32 letters where spelling them out takes up to five thousand."""
    named = isinstance(uid, str) and len(uid) == DIGITS
    return _mangle(self, name, () if named else types, abi_tags=abi_tags, uid=uid)


# class, name of its method, what stands in its place
PATCHES: list[tuple[Any, str, Any]] = [
    (BaseFunction, "get_call_type", _find_type_once),
    (BaseContext, "mangler", _short_mangle),
    (CPUCallConv, "call_function", _write_lean_call),
    (CPUCallConv, "return_status_propagate", _write_lean_propagation),
    (CPUCallConv, "decorate_function", _decorate_lean),
]


@contextlib.contextmanager
def patch_numba() -> Iterator[None]:
    """Within it, Numba has the changes above; no other thread compiles meanwhile."""
    with global_compiler_lock, contextlib.ExitStack() as undo:
        for owner, name, new in PATCHES:
            if name in vars(owner):
                undo.callback(setattr, owner, name, vars(owner)[name])
            else:
                undo.callback(delattr, owner, name)
            setattr(owner, name, new)
        yield
