"""How a part of the compiled core is compiled: to LLVM code that doors link in, and no further.

Numba by default makes, for each function and argument types, machine code of its own with wrappers
for Python and C. A part needs neither. In: a plain function. Out: a dispatcher that other compiled
code may call. See numba_internals.py for what this rests on.
"""

from __future__ import annotations

from typing import Any

from numba import types

from softdock.core.machine.numba_internals import (
    PATCHED,
    CompilerBase,
    CPUDispatcher,
    DefaultPassBuilder,
    LowerResult,
    NativeLowering,
    register_pass,
)


class NotADoor(TypeError):
    """A part of the core was called from Python; only doors can be."""


def _keep_as_ir(library: Any) -> None:
    """A part is only ever linked into others: no optimisation and no machine code of its own, both
    are made once, in the door."""

    def finalize() -> None:
        library._finalize_dynamic_globals()
        library._finalized = True

    library._optimize_final_module = lambda: None
    library._finalize_final_module = finalize


def handle() -> Any:
    """Never called: Numba wants a unique built-in to know a specialisation of a part by."""
    return [].append


class _Lowering(NativeLowering):
    """Numba's lowering without the wrappers for Python and C: they cost half the compile time, and
    nobody calls a part from outside."""

    _name = "softdock_lower_for_inlining"

    def run_pass(self, state: Any) -> bool:
        state.flags.no_cpython_wrapper = state.flags.no_cfunc_wrapper = state.flags.no_compile = (
            True
        )
        super().run_pass(state)
        _keep_as_ir(state.library)
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


class PartCompiler(CompilerBase):
    """Numba's pipeline with that lowering."""

    def define_pipelines(self) -> list[Any]:
        manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
        manager.passes = [
            (_LowerForInlining if p is NativeLowering else p, why) for p, why in manager.passes
        ]
        manager._finalized = False
        manager.finalize()
        return [manager]


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
