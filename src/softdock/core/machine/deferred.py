"""Parts that are compiled when they are first called, and not with the loop: for what most runs
never come to. In: a function and what its result is like. Out: a part that others call as any
other.

    @deferred("the ledger's takeover", returns=("after", "output"))     # types of arguments
    def settled_by_ledger(method, mem, rig, measured, before, after, output): ...

Compiled code calls a stand-in of a few instructions. It holds the address of the machine code, or
asks for it (`code_of`, through C), which compiles it or reads it from disk. It is code of its own:
the sums are the same in the same order, and no bit of a number depends on it.

Only the loops of simulations wait (compiling.py: `WAITING`): a rig's program must not compile
while its clock runs, so there and in all other doors the part is linked in as any other. A kernel
of a GPU has it too, and so has Numba without our changes.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

import numba
from llvmlite import ir
from llvmlite.binding import add_symbol
from numba import types

from softdock.core.machine import code_files
from softdock.core.machine.cache_folder import usable_folder
from softdock.core.machine.compile_news import BEGINS, ENDS, WAITS, tell
from softdock.core.machine.compiled import OPTIONS, apart
from softdock.core.machine.compiling import as_doors_are
from softdock.core.machine.features import is_sparing
from softdock.core.machine.kept_parts import described, keep_library, load
from softdock.core.machine.lowering import AloneCompiler, Part, PartCompiler
from softdock.core.machine.numba_internals import (
    PATCHED,
    CPUDispatcher,
    FunctionIdentity,
    PythonFunctionDescriptor,
    cpu_target,
    dumps,
    global_compiler_lock,
)
from softdock.core.machine.part_code import DEFERRED, DoorLibrary, PartLibrary
from softdock.core.machine.part_names import digest_of, file_name, is_foreign, tuple_classes

ASK = "softdock_deferred_code"  # in C: name of a part to the address of its code, or null
FAILED = -4  # what a part returns that could not be compiled; Numba raises an error of it

_BYTES = ir.IntType(8).as_pointer()
_FUNCTIONS: dict[tuple[str, str], Any] = {}  # that are deferred, by module and name
_KNOWN: dict[str, tuple[str, str, Any]] = {}  # by name: module, function, argument types
_CODE: dict[str, tuple[Any, int]] = {}  # by name: library, address
_PARTS: dict[Any, Any] = {}  # by function: the part itself, to be linked in


def deferred(
    called: str, returns: type[bool] | str | tuple[str, ...]
) -> Callable[[Callable[..., Any]], Any]:
    """A part that is compiled when it is first called. `called`: what users are told is compiled
    then; `returns`: `bool`, or the names of arguments whose types the results have."""

    def decorate(function: Callable[..., Any]) -> Any:
        if not PATCHED:
            return apart(function)
        function.called, function.returns = called, returns  # type: ignore[attr-defined]
        _FUNCTIONS[function.__module__, function.__qualname__] = function
        options = OPTIONS | {"forceinline": False}
        part = numba.njit(pipeline_class=DeferredCompiler, **options)(function)
        if isinstance(part, CPUDispatcher):  # plain Python under NUMBA_DISABLE_JIT
            part.__class__ = Part
        return part

    return decorate


def _result(function: Any, args: Any) -> Any:
    """The type of what a function returns, as it was declared."""
    if function.returns is bool:
        return types.boolean
    names = function.__code__.co_varnames
    if isinstance(function.returns, str):
        return args[names.index(function.returns)]
    return types.Tuple([args[names.index(name)] for name in function.returns])


class DeferredCompiler(PartCompiler):
    """Of a stand-in."""

    def compile_extra(self, function: Any) -> Any:
        state = self.state
        processor = state.targetctx.codegen().magic_tuple()
        name = file_name(function, state.args, processor, "deferred")
        if name is None or is_foreign(name):
            return super().compile_extra(function)
        name = DEFERRED + name
        made = load(state, name)
        if made is None:
            _stand_in(state, function, name)
            made = load(state, name)
        return made


def _stand_in(state: Any, function: Any, name: str) -> None:
    """Write it, and keep it by its name."""
    who, args = FunctionIdentity.from_function(function), tuple(state.args)
    fndesc = PythonFunctionDescriptor(
        native=True,
        modname=who.modname,
        qualname=who.func_qualname,
        unique_name=who.unique_name,
        doc="",
        typemap=None,
        restype=_result(function, args),
        calltypes=None,
        args=who.arg_names,
        kws=(),
        mangler=state.targetctx.mangler,
        argtypes=args,
        abi_tags=[state.flags.get_mangle_string()],
        uid=digest_of(name),
    )
    library = _library(state.targetctx, fndesc, name, _asks)
    known = functools.partial(know, name, function.__module__, function.__qualname__, args)
    keep_library(library, fndesc, [known], name)


def _library(context: Any, fndesc: Any, name: str, call: Any) -> PartLibrary:
    """Code of a function that hands its arguments on; `call` writes whom to."""
    library = PartLibrary(context.codegen(), name)
    module = library.create_ir_module(name)
    function = context.declare_function(module, fndesc)
    call(ir.IRBuilder(function.append_basic_block()), function, name)
    library.add_ir_module(module)
    library.finalize()
    return library


def _asks(builder: ir.IRBuilder, function: ir.Function, name: str) -> None:
    """To the code whose address it holds, or asks for."""
    module, text = function.module, f"{name}\0".encode()
    place = ir.GlobalVariable(module, _BYTES, "code")
    place.linkage, place.initializer = "internal", _BYTES(None)
    letters = ir.Constant(ir.ArrayType(ir.IntType(8), len(text)), bytearray(text))
    told = ir.GlobalVariable(module, letters.type, "name")
    told.linkage, told.initializer, told.global_constant = "internal", letters, True
    asked = ir.Function(module, ir.FunctionType(_BYTES, [_BYTES]), ASK)
    with builder.if_then(builder.icmp_unsigned("==", builder.load(place), _BYTES(None)), False):
        found = builder.call(asked, [builder.bitcast(told, _BYTES)])
        builder.store(found, place)
        with builder.if_then(builder.icmp_unsigned("==", found, _BYTES(None)), False):
            builder.ret(ir.Constant(function.function_type.return_type, FAILED))
    code = builder.bitcast(builder.load(place), function.function_type.as_pointer())
    builder.ret(builder.call(code, function.args))


def made_whole(library: PartLibrary) -> PartLibrary:
    """In place of a stand-in: one that calls the part itself, which is compiled with the door."""
    fndesc, context = described(library), cpu_target.target_context
    for known in library.reload_init:
        known()
    module, name, args = _KNOWN[str(library.kept_as)]
    function, fndesc.argtypes = _FUNCTIONS[module, name], args
    if function not in _PARTS:
        _PARTS[function] = apart(function)
    _PARTS[function].compile(args)
    made = _PARTS[function].overloads[args]
    _must_return(fndesc.restype, made)

    def calls(builder: ir.IRBuilder, standing_in: ir.Function, name: str) -> None:
        called = context.declare_function(standing_in.module, made.fndesc)
        builder.ret(builder.call(called, standing_in.args))

    whole = _library(context, fndesc, str(library.kept_as), calls)
    whole.calls.append(made.library)
    return whole


def know(name: str, module: str, function: str, args: Any) -> None:
    """Which function a stand-in stands for."""
    _KNOWN[name] = (module, function, args)


def _must_return(declared: Any, made: Any) -> None:
    found = made.signature.return_type
    if found != declared:
        raise TypeError(f"{made.fndesc.qualname} returns {found}, declared as {declared}")


def code_of(name: str) -> int:
    """The address of a part's machine code; compiled, or read from disk."""
    if name not in _CODE:
        module, qualname, args = _KNOWN[name]
        function, context = _FUNCTIONS[module, qualname], cpu_target.target_context
        context.refresh()
        kind = f"deferred code{', sparing' if is_sparing() else ''}"
        file = file_name(function, args, context.codegen().magic_tuple(), kind)
        folder = usable_folder()
        path = None if folder is None or file is None else folder / file
        with global_compiler_lock:
            _CODE[name] = _read(context, path) or _made(function, args, path)
    return _CODE[name][1]


def _read(context: Any, path: Any) -> tuple[Any, int] | None:
    kept = None if path is None else code_files.read(path)
    if kept is None:
        return None
    code, symbol, reload_init = kept
    for again in reload_init:
        again()
    library = context.codegen().unserialize_library(code)
    return library, library.get_pointer_to_function(symbol)


def _made(function: Any, args: Any, path: Any) -> tuple[Any, int]:
    classes = frozenset().union(*(tuple_classes(kind) for kind in args))
    began, told = time.perf_counter(), functools.partial(tell, function.called, classes)
    alone = (
        contextlib.nullcontext()
        if path is None
        else code_files.alone_at(path, lambda: told(WAITS, began))
    )
    with alone:
        found = _read(cpu_target.target_context, path)  # by another process, meanwhile
        if found is not None:
            return found
        told(BEGINS, began)
        with as_doors_are("run_cycles", classes):
            part = numba.njit(pipeline_class=AloneCompiler, **OPTIONS)(function)
            part.__class__ = Part
            part.compile(args)
            made = part.overloads[args]
            _must_return(_result(function, args), made)
            symbol, library = made.fndesc.llvm_func_name, made.library
            address = library.get_pointer_to_function(symbol)
        if path is not None:
            kept = (library.serialize_using_object_code(), symbol, list(library._reload_init))
            code_files.write(path, dumps(kept))
        told(ENDS, began)
    return library, address


@ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_char_p)
def _answer(name: bytes) -> int:
    """To compiled code, from whatever thread it runs in."""
    try:
        return code_of(name.decode())
    except BaseException:  # nothing may be raised through compiled code
        traceback.print_exc(file=sys.stderr)
        return 0


if PATCHED:
    add_symbol(ASK, ctypes.cast(_answer, ctypes.c_void_p).value)
    DoorLibrary.whole = staticmethod(made_whole)  # type: ignore[method-assign]
