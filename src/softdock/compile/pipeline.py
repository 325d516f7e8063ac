"""How functions are compiled: inlined and called ones to LLVM code that entry points link in, entry
points to machine code.

Numba by default makes, for each function and argument types, machine code of its own with wrappers
for Python and C. A function that only compiled code calls needs neither. In: a plain function. Out:
a dispatcher that other compiled code may call. See numba_internals.py for what this rests on, and
libraries.py for how an entry point is linked and optimised.
"""

from __future__ import annotations

import functools
from typing import Any

from numba import types

from softdock.compile.cache_keys import read_digest
from softdock.compile.function_cache import load, make_function_name, make_handle, save
from softdock.compile.libraries import FunctionLibrary, make_entry_point_library
from softdock.compile.numba_internals import (
    PATCHED,
    CompilerBase,
    CPUDispatcher,
    DefaultPassBuilder,
    InlineClosureLikes,
    InlineOverloads,
    IRLegalization,
    LowerResult,
    NativeLowering,
    NopythonRewrites,
    register_pass,
)
from softdock.compile.numba_patches import LeanLower, patch_numba
from softdock.compile.plain_python import REPLACED


class NotAnEntryPoint(TypeError):
    """A compiled function was called from Python; only entry points can be."""


class _LowerFunction(NativeLowering):
    """Numba's lowering to LLVM code, without the wrappers for Python and C: they cost half the
    compile time, and nobody calls such a function from outside."""

    _name = "softdock_lower_function"
    lowering_class = LeanLower

    def run_pass(self, state: Any) -> bool:
        state.library = self.library(state)
        state.flags.no_cpython_wrapper = state.flags.no_cfunc_wrapper = True
        state.flags.no_compile = True
        super().run_pass(state)
        lowered, known_by = state["cr"], make_handle()
        self.register(state, lowered, known_by)
        state["cr"] = LowerResult(
            lowered.fndesc, lowered.call_helper, cfunc=known_by, env=lowered.env
        )
        return True

    def library(self, state: Any) -> Any:
        name = state.metadata["softdock_name"]
        if name is not None:
            state.func_id.unique_id = read_digest(name)
        return FunctionLibrary(state.targetctx.codegen(), state.func_id.func_qualname)

    def register(self, state: Any, lowered: Any, known_by: Any) -> None:
        state.targetctx.insert_user_function(known_by, lowered.fndesc, [state.library])


class _LowerStandalone(_LowerFunction):
    """Of a function that is compiled by itself: machine code as an entry point has, without
    wrappers."""

    _name = "softdock_lower_standalone"

    def library(self, state: Any) -> Any:
        return make_entry_point_library(state)

    def register(self, state: Any, lowered: Any, known_by: Any) -> None:
        """It is called by its address."""


class _LowerEntryPoint(NativeLowering):
    """Numba's lowering, with the settings of `use_link_settings`."""

    _name = "softdock_lower_entry_point"

    def run_pass(self, state: Any) -> bool:
        state.library = make_entry_point_library(state)
        return bool(super().run_pass(state))


if PATCHED:
    for _lowering in (_LowerFunction, _LowerStandalone, _LowerEntryPoint):
        register_pass(mutates_CFG=True, analysis_only=False)(_lowering)

# Of closures (there are none, but a user's method may have one), of overloads that ask to be
# inlined, and of expressions of whole arrays, which would be allocated
NEEDLESS = (InlineClosureLikes, InlineOverloads, NopythonRewrites)
NOT_FOR_FUNCTIONS = (IRLegalization,)  # writes down when variables end: nothing is freed


class _Compiler(CompilerBase):
    """Numba's pipeline with another lowering, and without passes that the core needs not."""

    lowering: Any
    left_out: tuple[Any, ...] = NEEDLESS

    def compile_extra(self, function: Any) -> Any:
        with patch_numba():
            return self.compile_patched(function)

    def compile_patched(self, function: Any) -> Any:
        return super().compile_extra(function)

    def define_pipelines(self) -> list[Any]:
        manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
        code = self.state.func_id.code
        has_closures = any(hasattr(constant, "co_code") for constant in code.co_consts)
        manager.passes = [
            (self.lowering if p is NativeLowering else p, why)
            for p, why in manager.passes
            if p not in self.left_out or (has_closures and p is InlineClosureLikes)
        ]
        manager._finalized = False
        manager.finalize()
        return [manager]


class FunctionCompiler(_Compiler):
    """To LLVM code, or from disk."""

    lowering, left_out = _LowerFunction, (*NEEDLESS, *NOT_FOR_FUNCTIONS)

    def compile_patched(self, function: Any) -> Any:
        name = make_function_name(self.state, function)
        result = None if name is None else load(self.state, name)
        if result is None:
            self.state.metadata["softdock_name"] = name
            result = super().compile_patched(function)
            if name is not None:
                save(self.state, result, name)
        return result


class StandaloneCompiler(_Compiler):
    """Of functions that are compiled when they are first called: to machine code."""

    lowering, left_out = _LowerStandalone, (*NEEDLESS, *NOT_FOR_FUNCTIONS)


class EntryPointCompiler(_Compiler):
    """To machine code with wrappers."""

    lowering = _LowerEntryPoint


# -- dispatchers --------------------------------------------------------------------------------


class Guard:
    """A dispatcher that compiled code may call and Python may not: the function has no wrapper for
    Python, and calling it would end the process. Within `plain_python.running` it is the Python
    function that it was compiled from."""

    __slots__ = ()
    py_func: Any

    def __call__(self, *args: object, **keywords: object) -> Any:
        replaced = REPLACED.get()
        if replaced is not None:
            return replaced.get(self.py_func, self.py_func)(*args, **keywords)
        name = self.py_func.__name__
        raise NotAnEntryPoint(
            f"'{name}' can only be called from compiled code; for Python, make an entry point of "
            f"it: softdock.compile.jit.entry_point({name})"
        )


@functools.cache
def add_guard(dispatcher: type) -> type:
    """The class of Numba's dispatchers with the guard."""
    return type(dispatcher.__name__, (Guard, dispatcher), {})


class CompiledFunction(Guard, CPUDispatcher if PATCHED else object):  # type: ignore[misc]
    """Of a function that is compiled by `FunctionCompiler`."""

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """One specialisation whatever the values of literal arguments: `load3(array, 3)` and
        `load3(array, 6)` are the same code."""
        return super().get_call_template(
            [types.unliteral(a) for a in args], {k: types.unliteral(a) for k, a in kws.items()}
        )
