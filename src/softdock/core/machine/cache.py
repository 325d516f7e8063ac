"""Machine code kept on disk: doors ready to run, and parts as LLVM code for doors to link in.

Numba asks a cache for the code of a function and argument types, and hands it what it compiled.
Ours has one file for each, named by a hash of all that decides: sources, Numba, processor, function
and types. So there is no index to go stale or to be written by two at once.

Every part is kept by itself, with the names of the parts that it calls (part_code.py): the next
list of methods then compiles its own code, and links in all else as it is.

Code made from a user's own methods is kept apart, in a folder named by a hash of the user's
sources (`SOURCES_NAME` of their module); code of a module without that name (a notebook, a test) is
not kept at all.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from softdock.core.machine import code_files
from softdock.core.machine.cache_folder import usable_folder
from softdock.core.machine.features import is_sparing
from softdock.core.machine.numba_internals import CompileResult, dumps
from softdock.core.machine.part_names import file_name, is_foreign


class KeptDoor:
    """Numba's interface of a cache for one door. What was compiled sparingly is nobody's but the
    tests'."""

    def __init__(self, function: Any):
        self.function = function

    # -- what Numba calls ------------------------------------------------------------------------

    def load_overload(self, signature: Any, context: Any) -> Any:
        path = self.path(signature, context)
        if path is None:
            return None
        context.refresh()
        kept = code_files.read(path)
        if kept is None:
            return None
        try:
            return CompileResult._rebuild(context, *kept)
        except Exception:  # whole, and yet not what Numba takes
            code_files.discard(path)
            return None

    def save_overload(self, signature: Any, made: Any) -> None:
        path = self.path(signature, made.target_context)
        if path is not None and not made.library.has_dynamic_globals:
            code_files.write(path, dumps(made._reduce()))

    @property
    def cache_path(self) -> str | None:
        folder = usable_folder()
        return None if folder is None else str(folder)

    def enable(self) -> None: ...

    def disable(self) -> None: ...

    def flush(self) -> None: ...

    # -- where, and what -------------------------------------------------------------------------

    def path(self, signature: Any, context: Any) -> Path | None:
        """The file for these argument types; None: they are not kept."""
        folder, name = usable_folder(), self.name(getattr(signature, "args", signature), context)
        if folder is None or name is None:
            return None
        path = folder / name
        if is_foreign(name):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return path

    def name(self, args: Any, context: Any) -> str | None:
        """The file's name; None: there is none that another process would give."""
        kind = f"door{', sparing' if is_sparing() else ''}"
        return file_name(self.function, args, context.codegen().magic_tuple(), kind)
