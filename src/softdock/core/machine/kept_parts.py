"""Parts on disk, each in a file of its own: LLVM code, the names of the parts that it calls, and
what compiled code must know to call it. In: a function, argument types, and what was compiled of
them; out: the same, in this process or in another.

A part is used only if all that it calls is there too. Where a file is missing or damaged, the part
is compiled anew and kept again.
"""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

from softdock.core.machine import code_files
from softdock.core.machine.cache_folder import usable_folder
from softdock.core.machine.numba_internals import (
    CompileResult,
    PythonFunctionDescriptor,
    dumps,
    signature,
)
from softdock.core.machine.part_code import PartLibrary
from softdock.core.machine.part_names import file_name, is_foreign

# what compiled code must know of a part beside its types
DESCRIBED = (
    *("native", "modname", "qualname", "unique_name", "doc", "args", "kws", "mangled_name"),
    *("env_name", "inline", "noalias", "abi_tags", "uid"),
)

_LIBRARIES: dict[str, PartLibrary] = {}  # of this process, by name


def handle() -> Any:
    """Never called: Numba wants a unique built-in to know a specialisation of a part by."""
    return [].append


def part_name(state: Any, function: Any) -> str | None:
    """The file's name of a part that is about to be compiled; None: it is not kept."""
    kind = f"part, {state.flags.get_mangle_string()}"  # inlined or not, bounds checked or not
    return file_name(function, state.args, state.targetctx.codegen().magic_tuple(), kind)


def load(state: Any, name: str) -> Any:
    """What was compiled of a part before; None: it is not there."""
    library = _library(state.targetctx.codegen(), usable_folder(), name)
    return None if library is None else _rebuilt(state, library)


def _library(codegen: Any, folder: Path | None, name: str) -> PartLibrary | None:
    if name in _LIBRARIES or folder is None:
        return _LIBRARIES.get(name)
    kept = code_files.read(folder / name)
    if kept is None:
        return None
    bitcode, names, called_by = kept
    calls = [_library(codegen, folder, below) for below in names]
    if None in calls:
        return None
    library = _LIBRARIES[name] = PartLibrary(codegen, name)
    library.restore(bitcode, [one for one in calls if one is not None])
    library.kept_as, library.kept_in, library.called_by = name, folder, called_by
    return library


def described(library: PartLibrary) -> Any:
    """What compiled code must know to call a part; its argument types apart."""
    fields, restype, _ = pickle.loads(library.called_by)
    fndesc = PythonFunctionDescriptor.__new__(PythonFunctionDescriptor)
    for field, value in zip(DESCRIBED, fields, strict=True):
        setattr(fndesc, field, value)
    fndesc.restype = restype
    fndesc.typemap = fndesc.calltypes = fndesc.global_dict = None
    return fndesc


def _rebuilt(state: Any, library: PartLibrary) -> Any:
    fndesc, reload_init = described(library), library.reload_init
    restype, fndesc.argtypes = fndesc.restype, tuple(state.args)
    for again in reload_init:
        again()
    known_by = handle()
    state.targetctx.insert_user_function(known_by, fndesc, [library])
    return CompileResult(
        typing_context=state.typingctx,
        target_context=state.targetctx,
        entry_point=known_by,
        typing_error=None,
        type_annotation="",
        signature=signature(restype, *state.args),
        objectmode=False,
        lifted=(),
        fndesc=fndesc,
        library=library,
        call_helper=None,
        environment=None,
        metadata=None,
        reload_init=reload_init,
        referenced_envs=(),
    )


def keep(state: Any, made: Any, name: str) -> None:
    """Let others have a compiled part by its name: in this process, and on disk with those that it
    calls."""
    library, fndesc = made.library, made.fndesc
    ordinary = tuple(fndesc.argtypes) == tuple(state.args) and fndesc.global_dict is None
    if library.has_dynamic_globals or not ordinary:
        return
    keep_library(library, fndesc, made.reload_init, name)


def keep_library(library: PartLibrary, fndesc: Any, reload_init: Any, name: str) -> None:
    """The same of code that was not compiled by Numba. `reload_init`: what must be done before the
    code is used."""
    folder = usable_folder()
    fields = [getattr(fndesc, field) for field in DESCRIBED]
    library.kept_as = name
    library.called_by = dumps((fields, fndesc.restype, reload_init))
    _LIBRARIES[name] = library
    if folder is not None:
        _write(library, folder)


def _write(library: PartLibrary, folder: Path) -> None:
    if library.kept_in == folder:
        return
    for below in library.calls:
        _write(below, folder)
    path = folder / str(library.kept_as)
    if is_foreign(str(library.kept_as)):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    names = [below.kept_as for below in library.calls]
    code_files.write(path, pickle.dumps((library.own.as_bitcode(), names, library.called_by)))
    library.kept_in = folder
