"""How a door is linked and optimised, by who asks: lightly, closed, or without what is deferred.

In: the parts that a door calls. Out: a library for its machine code (`door_library`). Without a
wish it is Numba's own optimisation, of all that the door calls.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from softdock.core.machine.numba_internals import Linkage, Target, get_process_triple
from softdock.core.machine.part_code import DoorLibrary

_LIGHTLY = [False]  # whether doors are optimised lightly, by who asked last


@contextlib.contextmanager
def lightly(wanted: bool) -> Iterator[None]:
    """Within it, doors are inlined and cleaned up, translated quickly, and no more: in half the
    time, for cycles that take two to four times as long
    (docs/decisions/34-light-loops-for-tests.md). No bit of a number depends on it: LLVM neither
    reorders nor contracts floating point unless it is allowed to."""
    _LIGHTLY.append(wanted)
    try:
        yield
    finally:
        _LIGHTLY.pop()


def _optimise_lightly(library: Any) -> None:
    """Few passes, and LLVM's quick translator, whose machine code is handed to Numba as if it had
    come from its cache."""
    codegen, finish = library._codegen, library._finalize_final_module

    def optimise() -> None:
        passes = codegen._pass_builder(opt=0).getModulePassManager()  # inlines what must be
        passes.add_sroa_pass()
        passes.add_instruction_combine_pass()
        passes.add_simplify_cfg_pass()
        passes.run(library._final_module, codegen._pass_builder(opt=0))

    def finalize() -> None:
        options = {"opt": 0}
        codegen._customize_tm_options(options)
        machine = Target.from_triple(get_process_triple()).create_target_machine(**options)
        made = machine.emit_object(library._final_module)
        library._set_compiled_object(made)
        finish()  # takes it from there
        library._compiled_object, library._compiled = made, True  # to be kept
        library._disable_inspection = False

    library._optimize_final_module = optimise
    library._finalize_final_module = finalize


_SELDOM: set[str] = set()  # names, as LLVM has them, of parts that hardly ever run


def seldom_runs(function: Any) -> None:
    """In closed doors this part is called and placed apart: what a check does when it fails must
    not lie between the checks, where it would push what runs in every cycle out of the caches."""
    names = (*function.__module__.split("."), function.__name__)
    _SELDOM.add("".join(f"{len(name)}{name}" for name in names))


_CLOSED = [False]  # whether parts belong to the door alone, by who asked last


@contextlib.contextmanager
def closed(wanted: bool) -> Iterator[None]:
    """Within it, the parts of a door are nobody's but its own, so that LLVM may drop arguments
    that a part does not read. The rig's structure of arrays is several hundred words, which would
    be copied at every call of an `apart` and take half of its time
    (docs/decisions/36-closed-doors-of-the-rig.md). No bit of a number depends on it."""
    _CLOSED.append(wanted)
    try:
        yield
    finally:
        _CLOSED.pop()


def _optimise_closed(library: Any) -> None:
    """What was linked in becomes internal, then Numba's own optimisation. Under other names: LLVM's
    loader takes a part of another door that it has seen by name before for the same, and here it
    may have lost arguments."""
    optimise = library._optimize_final_module

    def close_and_optimise() -> None:
        parts = [f for f in library._final_module.functions if not f.is_declaration]
        for part in parts:
            if part.linkage == Linkage.linkonce_odr:
                part.linkage = Linkage.internal
                part.name = f"{part.name}.closed"
            if any(name in part.name for name in _SELDOM):
                part.add_function_attribute("cold")
                part.add_function_attribute("noinline")
        optimise()

    library._optimize_final_module = close_and_optimise


_WAITING = [False]  # whether a door leaves out what is deferred, by who asked last


@contextlib.contextmanager
def waiting(wanted: bool) -> Iterator[None]:
    """Within it, doors leave out what is compiled when it is first called (deferred.py)."""
    _WAITING.append(wanted)
    try:
        yield
    finally:
        _WAITING.pop()


def door_library(state: Any) -> Any:
    """For the code of a door, optimised as was asked for."""
    library = DoorLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
    library.enable_object_caching()
    library.waits = _WAITING[-1]
    if _LIGHTLY[-1]:
        _optimise_lightly(library)
    elif _CLOSED[-1]:
        _optimise_closed(library)
    return library
