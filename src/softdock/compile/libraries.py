"""LLVM code of compiled functions, and how it is linked and optimised in an entry point.

Numba puts all that a function calls into the function's own library, level by level: what stands at
the bottom is copied as often as there are levels above it. Here a function's library has its own
code and knows which functions it calls; `EntryPointLibrary` gathers them, links each one in once
and optimises the whole as `LinkSettings` say.

A function that has no name of its own (cache_keys.py), or that Numba compiled by itself, goes into
the code of whoever calls it.
"""

from __future__ import annotations

import contextlib
import pickle
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from softdock.compile.numba_internals import (
    JITCodeLibrary,
    Linkage,
    Target,
    create_new_function_pass_manager,
    get_process_triple,
    normalize_ir_text,
    parse_assembly,
    parse_bitcode,
)

STUB = "stub_"  # what the names of stubs begin with (lazy.py)


class FunctionLibrary(JITCodeLibrary):
    """Code of one function. `cache_name`: its file below the cache folder; None: it has no name.
    `cached_in`: the folder that it was put in. `description`: what callers must know, pickled."""

    def __init__(self, codegen: Any, name: str):
        super().__init__(codegen, name)
        self._shared_module: Any = None
        self.cache_name: str | None = None
        self.cached_in: Path | None = None
        self.description = b""
        self.calls: list[FunctionLibrary] = []
        self._bitcode: bytes | None = None

    def add_ir_module(self, ir_module: Any) -> None:
        """Numba's, without looking for errors in code that is verified as a whole in the entry
        point."""
        self._raise_if_finalized()
        module = parse_assembly(normalize_ir_text(str(ir_module)))
        module.name = ir_module.name
        _clean_up(self._codegen, module)
        self._final_module.link_in(module)

    def finalize(self) -> None:
        """No machine code of its own: that is made once, in the entry point."""
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            if isinstance(library, FunctionLibrary) and library.cache_name is not None:
                self.calls.append(library)
            else:
                self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalize_dynamic_globals()
        self._finalized = True

    def restore(self, bitcode: bytes, calls: list[FunctionLibrary]) -> None:
        """As it was when it was written to disk; parsed once an entry point asks for it."""
        self._bitcode, self.calls, self._finalized = bitcode, calls, True

    @property
    def is_stub(self) -> bool:
        """Whether it calls code that is compiled when it is first called."""
        return self.cache_name is not None and self.cache_name.startswith(STUB)

    @property
    def reload_init(self) -> list[Any]:
        """What must be done before its code is used."""
        return list(pickle.loads(self.description)[2])

    @property
    def own_module(self) -> Any:
        """The code of this function alone."""
        self._ensure_finalized()
        if self._bitcode is not None:
            self._final_module, self._bitcode = parse_bitcode(self._bitcode), None
        return self._final_module

    def _get_module_for_linking(self) -> Any:
        """With all that it calls: for functions that softdock does not compile."""
        if self._shared_module is None:
            called = _find_all_called([self], EntryPointLibrary.expand_stub)
            linked = _link([library.own_module for library in called])
            _allow_copies(linked)
            self._shared_module = linked
        return self._shared_module


def _clean_up(codegen: Any, module: Any) -> None:
    """What makes a function short, so that it is cheap to inline; the rest is done in the entry
    point, where everything is at hand."""
    module.data_layout = codegen._data_layout
    builder = codegen._pass_builder(opt=1)
    passes = create_new_function_pass_manager()
    passes.add_sroa_pass()
    passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    for function in module.functions:
        if not function.is_declaration:
            passes.run(function, builder)


def _find_all_called(
    libraries: Iterable[FunctionLibrary],
    expand_stub: Callable[[FunctionLibrary], FunctionLibrary] | None = None,
) -> list[FunctionLibrary]:
    """Functions and all that they call, each once. `expand_stub`: makes of a stub what calls the
    function itself; None: stubs stay."""
    found: dict[Any, FunctionLibrary] = {}  # by name
    level = list(libraries)
    while level:
        new = {
            (one.cache_name or one): one for one in level if (one.cache_name or one) not in found
        }
        if expand_stub is not None:
            new = {name: expand_stub(one) if one.is_stub else one for name, one in new.items()}
        found |= new
        level = [called for one in new.values() for called in one.calls]
    return list(found.values())


def _link(modules: list[Any]) -> Any:
    """A copy of all modules in one. By halves: to link anything in, LLVM goes through all that is
    there already."""
    if len(modules) == 1:
        return modules[0].clone()
    middle = len(modules) // 2
    linked = _link(modules[:middle])
    linked.link_in(_link(modules[middle:]))
    return linked


def _allow_copies(module: Any) -> None:
    """Other libraries may have the same functions, and what nobody calls may go."""
    for function in module.functions:
        if not function.is_declaration and function.linkage == Linkage.external:
            function.linkage = Linkage.linkonce_odr


# -- entry points -------------------------------------------------------------------------------


class LinkSettings(NamedTuple):
    """How an entry point is linked and optimised. No bit of a number depends on it: LLVM neither
    reorders nor contracts floating point unless it is allowed to."""

    # Inlined, cleaned up and translated quickly, and no more: in half the time, for cycles that
    # take two to four times as long.
    lightly: bool = False
    # Its functions belong to it alone, so LLVM may drop arguments that a function does not read.
    # The rig's structure of arrays is several hundred words, which would be copied at every call of
    # a function under `noinline`, in half of its time.
    internal: bool = False
    keeps_stubs: bool = False  # lazy functions stay out (lazy.py)


_settings = [LinkSettings()]  # by who asked last


@contextlib.contextmanager
def use_link_settings(settings: LinkSettings) -> Iterator[None]:
    """Within it, entry points are linked with these settings."""
    _settings.append(settings)
    try:
        yield
    finally:
        _settings.pop()


class EntryPointLibrary(JITCodeLibrary):
    """Machine code, with every function that is called within. `keeps_stubs`: but for those that
    are compiled when they are first called."""

    _linking_libraries: list[Any]
    keeps_stubs = False

    @staticmethod
    def expand_stub(library: FunctionLibrary) -> FunctionLibrary:
        """In place of a stub (lazy.py sets it)."""
        raise NotImplementedError

    def finalize(self) -> None:
        linking = list(dict.fromkeys(self._linking_libraries))
        called = (library for library in linking if isinstance(library, FunctionLibrary))
        functions = _find_all_called(called, None if self.keeps_stubs else self.expand_stub)
        for stub in (library for library in functions if library.is_stub):
            self._reload_init.update(stub.reload_init)
            for initialise in stub.reload_init:
                initialise()
        if functions:
            code = _link([library.own_module for library in functions])
            _allow_copies(code)
            self._final_module.link_in(code)
        for library in functions:
            self._reload_init.update(library._reload_init)
        self._linking_libraries = [one for one in linking if not isinstance(one, FunctionLibrary)]
        super().finalize()


def make_entry_point_library(state: Any) -> Any:
    """For the code of an entry point, with the settings of `use_link_settings`."""
    library = EntryPointLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
    library.enable_object_caching()
    settings = _settings[-1]
    library.keeps_stubs = settings.keeps_stubs
    if settings.lightly:
        _optimise_lightly(library)
    elif settings.internal:
        _make_internal(library)
    return library


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
        code = machine.emit_object(library._final_module)
        library._set_compiled_object(code)
        finish()  # takes it from there
        library._compiled_object, library._compiled = code, True  # to be cached
        library._disable_inspection = False

    library._optimize_final_module = optimise
    library._finalize_final_module = finalize


_COLD: set[str] = set()  # names, as LLVM has them, of functions that hardly ever run


def mark_cold(function: Any) -> None:
    """In entry points with internal functions this one is called and placed away from the others:
    what a check does when it fails must not lie between the checks, where it would push what runs
    in every cycle out of the caches."""
    names = (*function.__module__.split("."), function.__name__)
    _COLD.add("".join(f"{len(name)}{name}" for name in names))


def _make_internal(library: Any) -> None:
    """What was linked in becomes internal, then Numba's own optimisation. Under other names: LLVM's
    loader takes a function of another entry point that it has seen by name before for the same, and
    here it may have lost arguments."""
    optimise = library._optimize_final_module

    def make_internal_and_optimise() -> None:
        for function in [f for f in library._final_module.functions if not f.is_declaration]:
            if function.linkage == Linkage.linkonce_odr:
                function.linkage = Linkage.internal
                function.name = f"{function.name}.internal"
            if any(name in function.name for name in _COLD):
                function.add_function_attribute("cold")
                function.add_function_attribute("noinline")
        optimise()

    library._optimize_final_module = make_internal_and_optimise
