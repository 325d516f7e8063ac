"""The LLVM code of a part, apart from that of the parts it calls: every piece is kept once, and a
door links each once.

Numba puts all that a function calls into the function's own library, level by level: what stands at
the bottom is copied as often as there are levels above it. Here a part's library has its own code
and knows which parts it calls; `DoorLibrary` gathers them and links every one in.

A part that has no name of its own (part_names.py), or that Numba compiled by itself, goes into the
code of whoever calls it.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from softdock.core.machine.numba_internals import (
    JITCodeLibrary,
    Linkage,
    create_new_function_pass_manager,
    normalize_ir_text,
    parse_assembly,
    parse_bitcode,
)


def _clean_up(codegen: Any, module: Any) -> None:
    """What makes a function short, so that it is cheap to inline; the rest is done in the door,
    where everything is at hand."""
    module.data_layout = codegen._data_layout
    builder = codegen._pass_builder(opt=1)
    passes = create_new_function_pass_manager()
    passes.add_sroa_pass()
    passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    for function in module.functions:
        if not function.is_declaration:
            passes.run(function, builder)


DEFERRED = "deferred_"  # what the names of stand-ins begin with (deferred.py)


class PartLibrary(JITCodeLibrary):
    """Code of one part. `kept_as`: its file below the cache folder; None: it has no name.
    `kept_in`: the folder that it was put in. `called_by`: what callers must know, pickled."""

    def __init__(self, codegen: Any, name: str):
        super().__init__(codegen, name)
        self._shared_module: Any = None
        self.kept_as: str | None = None
        self.kept_in: Path | None = None
        self.called_by = b""
        self.calls: list[PartLibrary] = []
        self._bitcode: bytes | None = None

    def add_ir_module(self, ir_module: Any) -> None:
        """Numba's, without looking for errors in code that is looked at as a whole in the door."""
        self._raise_if_finalized()
        module = parse_assembly(normalize_ir_text(str(ir_module)))
        module.name = ir_module.name
        _clean_up(self._codegen, module)
        self._final_module.link_in(module)

    def finalize(self) -> None:
        """No machine code of its own: that is made once, in the door."""
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            if isinstance(library, PartLibrary) and library.kept_as is not None:
                self.calls.append(library)
            else:
                self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalize_dynamic_globals()
        self._finalized = True

    def restore(self, bitcode: bytes, calls: list[PartLibrary]) -> None:
        """As it was when it was kept; read once a door asks for it."""
        self._bitcode, self.calls, self._finalized = bitcode, calls, True

    @property
    def is_stand_in(self) -> bool:
        """Whether it calls code that is compiled when it is first called."""
        return self.kept_as is not None and self.kept_as.startswith(DEFERRED)

    @property
    def reload_init(self) -> list[Any]:
        """What must be done before its code is used."""
        return list(pickle.loads(self.called_by)[2])

    @property
    def own(self) -> Any:
        """The code of this part alone."""
        self._ensure_finalized()
        if self._bitcode is not None:
            self._final_module, self._bitcode = parse_bitcode(self._bitcode), None
        return self._final_module

    def _get_module_for_linking(self) -> Any:
        """With all that it calls: for whoever is not a part or a door."""
        if self._shared_module is None:
            whole = _linked([library.own for library in _below([self], DoorLibrary.whole)])
            _may_be_elsewhere(whole)
            self._shared_module = whole
        return self._shared_module


def _below(
    libraries: Iterable[PartLibrary], whole: Callable[[PartLibrary], PartLibrary] | None = None
) -> list[PartLibrary]:
    """Parts and all that they call, each once. `whole`: makes of a stand-in what calls the part
    itself; None: stand-ins stay."""
    found: dict[Any, PartLibrary] = {}  # by name
    level = list(libraries)
    while level:
        new = {(one.kept_as or one): one for one in level if (one.kept_as or one) not in found}
        if whole is not None:
            new = {name: whole(one) if one.is_stand_in else one for name, one in new.items()}
        found |= new
        level = [called for one in new.values() for called in one.calls]
    return list(found.values())


def _linked(modules: list[Any]) -> Any:
    """A copy of all modules in one. By halves: to link anything in, LLVM looks through all that is
    there already."""
    if len(modules) == 1:
        return modules[0].clone()
    middle = len(modules) // 2
    linked = _linked(modules[:middle])
    linked.link_in(_linked(modules[middle:]))
    return linked


def _may_be_elsewhere(module: Any) -> None:
    """Functions of parts: other libraries may have the same, and what nobody calls may go."""
    for function in module.functions:
        if not function.is_declaration and function.linkage == Linkage.external:
            function.linkage = Linkage.linkonce_odr


class DoorLibrary(JITCodeLibrary):
    """Machine code, with every part that is called within. `waits`: but for those that are
    compiled when they are first called."""

    _linking_libraries: list[Any]
    waits = False

    @staticmethod
    def whole(library: PartLibrary) -> PartLibrary:
        """In place of a stand-in (deferred.py sets it)."""
        raise NotImplementedError

    def finalize(self) -> None:
        linking = list(dict.fromkeys(self._linking_libraries))
        called = (library for library in linking if isinstance(library, PartLibrary))
        parts = _below(called, None if self.waits else self.whole)
        for stand_in in (part for part in parts if part.is_stand_in):
            self._reload_init.update(stand_in.reload_init)
            for known in stand_in.reload_init:
                known()
        if parts:
            code = _linked([part.own for part in parts])
            _may_be_elsewhere(code)
            self._final_module.link_in(code)
        for part in parts:
            self._reload_init.update(part._reload_init)
        self._linking_libraries = [one for one in linking if not isinstance(one, PartLibrary)]
        super().finalize()
