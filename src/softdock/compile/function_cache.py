"""Compiled functions on disk: functions as LLVM code for entry points to link in, entry points as
machine code ready to run. In: a function, argument types, and what was compiled of them; out: the
same, in this process or in another.

There is one file for each, named by a hash of all that decides (cache_keys.py), so there is no
index to go stale or to be written by two at once. A function's file has its LLVM code, the names of
the functions that it calls, and what compiled code must know to call it. It is used only if all
that it calls is there too; where a file is missing or damaged, the function is compiled again.

Code made from a user's own methods is in a folder named by a hash of the user's sources
(`SOURCES_NAME` of their module); code of a module without that name (a notebook, a test) is not
cached at all.
"""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

from softdock.compile import disk_cache
from softdock.compile.cache_keys import is_foreign, make_file_name
from softdock.compile.disk_cache import find_usable_folder
from softdock.compile.features import is_sparing
from softdock.compile.libraries import FunctionLibrary
from softdock.compile.numba_internals import (
    CompileResult,
    PythonFunctionDescriptor,
    dumps,
    signature,
)

# -- functions ----------------------------------------------------------------------------------

# what compiled code must know of a function beside its types
DESCRIBED = (
    *("native", "modname", "qualname", "unique_name", "doc", "args", "kws", "mangled_name"),
    *("env_name", "inline", "noalias", "abi_tags", "uid"),
)

_LIBRARIES: dict[str, FunctionLibrary] = {}  # of this process, by name


def make_handle() -> Any:
    """Never called: Numba wants a unique built-in to know a specialisation of a function by."""
    return [].append


def make_function_name(state: Any, function: Any) -> str | None:
    """The file's name of a function that is about to be compiled; None: it is not cached."""
    kind = f"function, {state.flags.get_mangle_string()}"  # inlined or not, bounds checked or not
    return make_file_name(function, state.args, state.targetctx.codegen().magic_tuple(), kind)


def load(state: Any, name: str) -> Any:
    """What was compiled of a function before; None: it is not there."""
    library = _find_library(state.targetctx.codegen(), find_usable_folder(), name)
    return None if library is None else _rebuild(state, library)


def _find_library(codegen: Any, folder: Path | None, name: str) -> FunctionLibrary | None:
    if name in _LIBRARIES or folder is None:
        return _LIBRARIES.get(name)
    content = disk_cache.read(folder / name)
    if content is None:
        return None
    bitcode, names, description = content
    calls = [_find_library(codegen, folder, called) for called in names]
    if None in calls:
        return None
    library = _LIBRARIES[name] = FunctionLibrary(codegen, name)
    library.restore(bitcode, [one for one in calls if one is not None])
    library.cache_name, library.cached_in, library.description = name, folder, description
    return library


def describe(library: FunctionLibrary) -> Any:
    """What compiled code must know to call a function, without its argument types."""
    fields, restype, _ = pickle.loads(library.description)
    fndesc = PythonFunctionDescriptor.__new__(PythonFunctionDescriptor)
    for field, value in zip(DESCRIBED, fields, strict=True):
        setattr(fndesc, field, value)
    fndesc.restype = restype
    fndesc.typemap = fndesc.calltypes = fndesc.global_dict = None
    return fndesc


def _rebuild(state: Any, library: FunctionLibrary) -> Any:
    fndesc, reload_init = describe(library), library.reload_init
    restype, fndesc.argtypes = fndesc.restype, tuple(state.args)
    for initialise in reload_init:
        initialise()
    known_by = make_handle()
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


def save(state: Any, result: Any, name: str) -> None:
    """Cache a compiled function: in this process, and on disk with those that it calls."""
    library, fndesc = result.library, result.fndesc
    is_ordinary = tuple(fndesc.argtypes) == tuple(state.args) and fndesc.global_dict is None
    if library.has_dynamic_globals or not is_ordinary:
        return
    save_library(library, fndesc, result.reload_init, name)


def save_library(library: FunctionLibrary, fndesc: Any, reload_init: Any, name: str) -> None:
    """The same of code that was not compiled by Numba. `reload_init`: what must be done before the
    code is used."""
    folder = find_usable_folder()
    fields = [getattr(fndesc, field) for field in DESCRIBED]
    library.cache_name = name
    library.description = dumps((fields, fndesc.restype, reload_init))
    _LIBRARIES[name] = library
    if folder is not None:
        _write(library, folder)


def _write(library: FunctionLibrary, folder: Path) -> None:
    if library.cached_in == folder:
        return
    for called in library.calls:
        _write(called, folder)
    path = _path_below(folder, str(library.cache_name))
    names = [called.cache_name for called in library.calls]
    disk_cache.write(
        path, pickle.dumps((library.own_module.as_bitcode(), names, library.description))
    )
    library.cached_in = folder


def _path_below(folder: Path, name: str) -> Path:
    path = folder / name
    if is_foreign(name):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


# -- entry points -------------------------------------------------------------------------------


class EntryPointCache:
    """Numba's interface of a cache for one entry point. What was compiled sparingly is nobody's but
    the tests'."""

    def __init__(self, function: Any):
        self.function = function

    # -- what Numba calls ------------------------------------------------------------------------

    def load_overload(self, signature: Any, context: Any) -> Any:
        path = self.path(signature, context)
        if path is None:
            return None
        content = disk_cache.read(path)
        if content is None:
            return None
        try:
            return CompileResult._rebuild(context, *content)
        except Exception:  # whole, and yet not what Numba takes
            disk_cache.discard(path)
            return None

    def save_overload(self, signature: Any, result: Any) -> None:
        path = self.path(signature, result.target_context)
        if path is not None and not result.library.has_dynamic_globals:
            disk_cache.write(path, dumps(result._reduce()))

    @property
    def cache_path(self) -> str | None:
        folder = find_usable_folder()
        return None if folder is None else str(folder)

    def enable(self) -> None: ...

    def disable(self) -> None: ...

    def flush(self) -> None: ...

    # -- where, and what -------------------------------------------------------------------------

    def path(self, signature: Any, context: Any) -> Path | None:
        """The file for these argument types; None: they are not cached."""
        folder, name = (
            find_usable_folder(),
            self.name(getattr(signature, "args", signature), context),
        )
        return None if folder is None or name is None else _path_below(folder, name)

    def name(self, args: Any, context: Any) -> str | None:
        """The file's name; None: there is none that another process would give."""
        kind = f"entry point{', sparing' if is_sparing() else ''}"
        return make_file_name(self.function, args, context.codegen().magic_tuple(), kind)
