"""How a part of the compiled core is compiled: to LLVM code that doors link in, and no further.

Numba by default makes, for each function and argument types, machine code of its own with wrappers
for Python and C. A part needs neither. In: a plain function. Out: a dispatcher that other compiled
code may call. See numba_internals.py for what this rests on.

A door is optimised once all its parts are in it (door_optimising.py).
"""

from __future__ import annotations

from typing import Any

from numba import types

from softdock.core.machine.door_optimising import door_library
from softdock.core.machine.kept_parts import handle, keep, load, part_name
from softdock.core.machine.lean_lowering import LeanLower
from softdock.core.machine.lean_numba import LeanPasses
from softdock.core.machine.numba_internals import (
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
from softdock.core.machine.part_code import PartLibrary
from softdock.core.machine.part_names import digest_of


class NotADoor(TypeError):
    """A part of the core was called from Python; only doors can be."""


class _Lowering(NativeLowering):
    """Numba's lowering without the wrappers for Python and C: they cost half the compile time, and
    nobody calls a part from outside."""

    _name = "softdock_lower_for_inlining"
    lowering_class = LeanLower

    def run_pass(self, state: Any) -> bool:
        flags, name = state.flags, state.metadata["softdock_name"]
        flags.no_cpython_wrapper = flags.no_cfunc_wrapper = flags.no_compile = True
        state.library = PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        if name is not None:
            state.func_id.unique_id = digest_of(name)
        super().run_pass(state)
        lowered = state["cr"]
        known_by = handle()
        state.targetctx.insert_user_function(known_by, lowered.fndesc, [state.library])
        state["cr"] = LowerResult(
            lowered.fndesc, lowered.call_helper, cfunc=known_by, env=lowered.env
        )
        return True


_LowerForInlining: Any = (
    register_pass(mutates_CFG=True, analysis_only=False)(_Lowering) if PATCHED else _Lowering
)


class _AloneLowering(NativeLowering):
    """Of a part that is compiled by itself: machine code as a door has, without wrappers."""

    _name = "softdock_lower_alone"
    lowering_class = LeanLower

    def run_pass(self, state: Any) -> bool:
        flags = state.flags
        flags.no_cpython_wrapper = flags.no_cfunc_wrapper = flags.no_compile = True
        state.library = door_library(state)
        super().run_pass(state)
        lowered = state["cr"]
        state["cr"] = LowerResult(
            lowered.fndesc, lowered.call_helper, cfunc=handle(), env=lowered.env
        )
        return True


_LowerAlone: Any = (
    register_pass(mutates_CFG=True, analysis_only=False)(_AloneLowering)
    if PATCHED
    else _AloneLowering
)


class _DoorLowering(NativeLowering):
    """Numba's lowering, optimised by Numba, lightly, or with parts that are the door's own."""

    _name = "softdock_lower_door"

    def run_pass(self, state: Any) -> bool:
        state.library = door_library(state)
        return bool(super().run_pass(state))


_LowerDoor: Any = (
    register_pass(mutates_CFG=True, analysis_only=False)(_DoorLowering)
    if PATCHED
    else _DoorLowering
)


# Of closures (there are none, but a user's method may have one), of overloads that ask to be
# inlined, and of expressions of whole arrays, which would be allocated
NEEDLESS = (InlineClosureLikes, InlineOverloads, NopythonRewrites)
NOT_FOR_PARTS = (IRLegalization,)  # writes down when variables end: nothing is freed


class _Compiler(CompilerBase):
    """Numba's pipeline with another lowering, and without passes that the core needs not."""

    lowering: Any
    left_out: tuple[Any, ...] = NEEDLESS

    def define_pipelines(self) -> list[Any]:
        manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
        code = self.state.func_id.code
        has_closures = any(hasattr(constant, "co_code") for constant in code.co_consts)
        manager.passes = [
            (self.lowering if p is NativeLowering else p, why)
            for p, why in manager.passes
            if p not in self.left_out or (has_closures and p is InlineClosureLikes)
        ]
        manager.__class__ = LeanPasses
        manager._finalized = False
        manager.finalize()
        return [manager]


class PartCompiler(_Compiler):
    """Of parts: to LLVM code, or from disk."""

    lowering, left_out = _LowerForInlining, (*NEEDLESS, *NOT_FOR_PARTS)

    def compile_extra(self, function: Any) -> Any:
        name = part_name(self.state, function)
        made = None if name is None else load(self.state, name)
        if made is None:
            self.state.metadata["softdock_name"] = name
            made = super().compile_extra(function)
            if name is not None:
                keep(self.state, made, name)
        return made


class AloneCompiler(_Compiler):
    """Of parts that are compiled when they are first called: to machine code."""

    lowering, left_out = _LowerAlone, (*NEEDLESS, *NOT_FOR_PARTS)


class DoorCompiler(_Compiler):
    """Of doors: to machine code."""

    lowering = _LowerDoor


class Part(CPUDispatcher if PATCHED else object):  # type: ignore[misc]
    """A dispatcher that compiled code may call and Python may not."""

    py_func: Any

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """One specialisation whatever the values of literal arguments: `load3(array, 3)` and
        `load3(array, 6)` are the same code."""
        return super().get_call_template(
            [types.unliteral(a) for a in args], {k: types.unliteral(a) for k, a in kws.items()}
        )

    def __call__(self, *args: object, **keywords: object) -> None:
        name = self.py_func.__name__
        raise NotADoor(
            f"'{name}' is a part of the compiled core; call it from compiled code, or make a "
            f"door of it: softdock.core.machine.compiled.door({name})"
        )
