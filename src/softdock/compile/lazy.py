"""Functions that are compiled when they are first called, and not with the loop: for what most runs
never come to. In: a function and what its result is like. Out: a compiled function that others
call as any other.

    @lazy("the ledger's takeover", returns=("after", "output"))     # types of arguments
    def settled_by_ledger(method, mem, rig, measured, before, after, output): ...

Compiled code calls a stub of a few instructions. It holds the address of the machine code, or
requests it (`find_code`, through C), which compiles it or reads it from disk. It is code of its
own: the sums are the same in the same order, and no bit of a number depends on it.

Only the loops of simulations keep stubs (jit.py: `KEEPS_STUBS`): a rig's program must not compile
while its clock runs, so there and in all other entry points the function is linked in as any other.
A kernel of a GPU has it too, and so has Numba without our changes.
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

from softdock.compile import disk_cache
from softdock.compile.cache_keys import find_classes, is_foreign, make_file_name, read_digest
from softdock.compile.compile_events import BEGINS, ENDS, WAITS, notify
from softdock.compile.disk_cache import find_usable_folder
from softdock.compile.features import is_sparing
from softdock.compile.function_cache import describe, load, save_library
from softdock.compile.jit import OPTIONS, compile_as, noinline
from softdock.compile.libraries import STUB, EntryPointLibrary, FunctionLibrary
from softdock.compile.numba_internals import (
    PATCHED,
    FunctionIdentity,
    PythonFunctionDescriptor,
    cpu_target,
    dumps,
    global_compiler_lock,
)
from softdock.compile.pipeline import CompiledFunction, FunctionCompiler, StandaloneCompiler

SYMBOL = "softdock_lazy_code"  # in C: name of a function to the address of its code, or null
FAILED = -4  # what a function returns that could not be compiled; Numba raises an error of it

_BYTES = ir.IntType(8).as_pointer()
_FUNCTIONS: dict[tuple[str, str], Any] = {}  # under `lazy`, by module and name
_STUBS: dict[str, tuple[str, str, Any]] = {}  # by name: module, function, argument types
_CODE: dict[str, tuple[Any, int]] = {}  # by name: library, address
_NOINLINE: dict[Any, Any] = {}  # by function: what is linked in where no stub is kept


def lazy(
    described: str, returns: type[bool] | str | tuple[str, ...]
) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function when it is first called. `described`: what messages call it while it is
    compiled; `returns`: `bool`, or the names of arguments whose types the results have."""

    def decorate(function: Callable[..., Any]) -> Any:
        if not PATCHED:
            return noinline(function)
        function.described, function.returns = described, returns  # type: ignore[attr-defined]
        _FUNCTIONS[function.__module__, function.__qualname__] = function
        options = OPTIONS | {"forceinline": False}
        dispatcher = numba.njit(pipeline_class=StubCompiler, **options)(function)
        if dispatcher is not function:  # it is under NUMBA_DISABLE_JIT
            dispatcher.__class__ = CompiledFunction
        return dispatcher

    return decorate


def _find_declared_type(function: Any, args: Any) -> Any:
    """The type of what a function returns, as it was declared."""
    if function.returns is bool:
        return types.boolean
    names = function.__code__.co_varnames
    if isinstance(function.returns, str):
        return args[names.index(function.returns)]
    return types.Tuple([args[names.index(name)] for name in function.returns])


class StubCompiler(FunctionCompiler):
    """To a stub."""

    def compile_patched(self, function: Any) -> Any:
        state = self.state
        processor = state.targetctx.codegen().magic_tuple()
        name = make_file_name(function, state.args, processor, "stub")
        if name is None or is_foreign(name):
            return super().compile_patched(function)
        name = STUB + name
        result = load(state, name)
        if result is None:
            _write_stub(state, function, name)
            result = load(state, name)
        return result


def _write_stub(state: Any, function: Any, name: str) -> None:
    """Make a stub, and cache it by its name."""
    who, args = FunctionIdentity.from_function(function), tuple(state.args)
    fndesc = PythonFunctionDescriptor(
        native=True,
        modname=who.modname,
        qualname=who.func_qualname,
        unique_name=who.unique_name,
        doc="",
        typemap=None,
        restype=_find_declared_type(function, args),
        calltypes=None,
        args=who.arg_names,
        kws=(),
        mangler=state.targetctx.mangler,
        argtypes=args,
        abi_tags=[state.flags.get_mangle_string()],
        uid=read_digest(name),
    )
    library = _make_forwarding_library(state.targetctx, fndesc, name, _write_request_and_call)
    initialise = functools.partial(
        remember_stub, name, function.__module__, function.__qualname__, args
    )
    save_library(library, fndesc, [initialise], name)


def _make_forwarding_library(
    context: Any, fndesc: Any, name: str, write_call: Any
) -> FunctionLibrary:
    """Code of a function that hands its arguments on; `write_call` writes to whom."""
    library = FunctionLibrary(context.codegen(), name)
    module = library.create_ir_module(name)
    function = context.declare_function(module, fndesc)
    write_call(ir.IRBuilder(function.append_basic_block()), function, name)
    library.add_ir_module(module)
    library.finalize()
    return library


def _write_request_and_call(builder: ir.IRBuilder, function: ir.Function, name: str) -> None:
    """To the code whose address the stub holds, or requests."""
    module, text = function.module, f"{name}\0".encode()
    address = ir.GlobalVariable(module, _BYTES, "code")
    address.linkage, address.initializer = "internal", _BYTES(None)
    letters = ir.Constant(ir.ArrayType(ir.IntType(8), len(text)), bytearray(text))
    stub_name = ir.GlobalVariable(module, letters.type, "name")
    stub_name.linkage, stub_name.initializer, stub_name.global_constant = "internal", letters, True
    request = ir.Function(module, ir.FunctionType(_BYTES, [_BYTES]), SYMBOL)
    with builder.if_then(builder.icmp_unsigned("==", builder.load(address), _BYTES(None)), False):
        found = builder.call(request, [builder.bitcast(stub_name, _BYTES)])
        builder.store(found, address)
        with builder.if_then(builder.icmp_unsigned("==", found, _BYTES(None)), False):
            builder.ret(ir.Constant(function.function_type.return_type, FAILED))
    code = builder.bitcast(builder.load(address), function.function_type.as_pointer())
    builder.ret(builder.call(code, function.args))


def expand_stub(library: FunctionLibrary) -> FunctionLibrary:
    """In place of a stub: what calls the function itself, which is compiled with the entry
    point."""
    fndesc, context = describe(library), cpu_target.target_context
    for initialise in library.reload_init:
        initialise()
    module, name, args = _STUBS[str(library.cache_name)]
    function, fndesc.argtypes = _FUNCTIONS[module, name], args
    if function not in _NOINLINE:
        _NOINLINE[function] = noinline(function)
    _NOINLINE[function].compile(args)
    result = _NOINLINE[function].overloads[args]
    _check_result(fndesc.restype, result)

    def call(builder: ir.IRBuilder, caller: ir.Function, name: str) -> None:
        called = context.declare_function(caller.module, result.fndesc)
        builder.ret(builder.call(called, caller.args))

    expanded = _make_forwarding_library(context, fndesc, str(library.cache_name), call)
    expanded.calls.append(result.library)
    return expanded


def remember_stub(name: str, module: str, function: str, args: Any) -> None:
    """Which function a stub stands for."""
    _STUBS[name] = (module, function, args)


def _check_result(declared: Any, result: Any) -> None:
    found = result.signature.return_type
    if found != declared:
        raise TypeError(f"{result.fndesc.qualname} returns {found}, declared as {declared}")


def find_code(name: str) -> int:
    """The address of a function's machine code; compiled, or read from disk."""
    if name not in _CODE:
        module, qualname, args = _STUBS[name]
        function, context = _FUNCTIONS[module, qualname], cpu_target.target_context
        kind = f"lazy code{', sparing' if is_sparing() else ''}"
        file = make_file_name(function, args, context.codegen().magic_tuple(), kind)
        folder = find_usable_folder()
        path = None if folder is None or file is None else folder / file
        with global_compiler_lock:
            _CODE[name] = _read(context, path) or _compile(function, args, path)
    return _CODE[name][1]


def _read(context: Any, path: Any) -> tuple[Any, int] | None:
    content = None if path is None else disk_cache.read(path)
    if content is None:
        return None
    code, symbol, reload_init = content
    for initialise in reload_init:
        initialise()
    library = context.codegen().unserialize_library(code)
    return library, library.get_pointer_to_function(symbol)


def _compile(function: Any, args: Any, path: Any) -> tuple[Any, int]:
    classes = find_classes(args)
    began, report = time.perf_counter(), functools.partial(notify, function.described, classes)
    lock = (
        contextlib.nullcontext()
        if path is None
        else disk_cache.lock_file(path, lambda: report(WAITS, began))
    )
    with lock:
        found = _read(cpu_target.target_context, path)  # by another process, meanwhile
        if found is not None:
            return found
        report(BEGINS, began)
        with compile_as("run_cycles", classes):
            dispatcher = numba.njit(pipeline_class=StandaloneCompiler, **OPTIONS)(function)
            dispatcher.__class__ = CompiledFunction
            dispatcher.compile(args)
            result = dispatcher.overloads[args]
            _check_result(_find_declared_type(function, args), result)
            symbol, library = result.fndesc.llvm_func_name, result.library
            address = library.get_pointer_to_function(symbol)
        if path is not None:
            content = (library.serialize_using_object_code(), symbol, list(library._reload_init))
            disk_cache.write(path, dumps(content))
        report(ENDS, began)
    return library, address


@ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_char_p)
def _send_address(name: bytes) -> int:
    """To compiled code, from whatever thread it runs in."""
    try:
        return find_code(name.decode())
    except BaseException:  # nothing may be raised through compiled code
        traceback.print_exc(file=sys.stderr)
        return 0


if PATCHED:
    add_symbol(SYMBOL, ctypes.cast(_send_address, ctypes.c_void_p).value)
    EntryPointLibrary.expand_stub = staticmethod(expand_stub)  # type: ignore[method-assign]
