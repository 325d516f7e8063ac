"""Every inner name of Numba that softdock uses, in one place: what Numba does not promise to keep.

Three things rest on them. Parts are kept as LLVM code without wrappers and machine code of their
own (lowering.py), machine code is kept in files of our own (cache.py), and both together take a
first run from minutes to seconds. Nothing in the physics depends on any of it: where a name is
missing, where Numba is of a version that was not tested, or where `SOFTDOCK_PLAIN_NUMBA=1` is set,
`PATCHED` is False and the same functions go through Numba as it is, more slowly.

`tests/parity/test_numba_internals.py` looks at each of them, and says which one moved.
"""

from __future__ import annotations

import os
from typing import Any

import numba

TESTED = ("0.68",)  # versions of Numba, as pinned in pyproject.toml
SWITCH = "SOFTDOCK_PLAIN_NUMBA"

CompilerBase: Any = object
CompileResult: Any = None
CPUDispatcher: Any = ()
DefaultPassBuilder: Any = None
LowerResult: Any = None
NativeLowering: Any = object
register_pass: Any = None
parse_bitcode: Any = None
dumps: Any = None
normalize_signature: Any = None
impl_ret_untracked: Any = None  # of the operators in single precision, campaign/


def is_tested(version: str = numba.__version__) -> bool:
    """Whether softdock was tested with the internals of this version of Numba."""
    return ".".join(version.split(".")[:2]) in TESTED


def why_plain() -> str:
    """Why Numba is used as it is; empty: it is not."""
    if os.environ.get(SWITCH, "0") not in ("", "0"):
        return f"{SWITCH} is set"
    if not is_tested():
        return f"Numba {numba.__version__} was not tested, only {', '.join(TESTED)}"
    return MISSING


try:
    from llvmlite.binding import parse_bitcode
    from numba.core.compiler import CompilerBase, CompileResult, DefaultPassBuilder
    from numba.core.compiler import _LowerResult as LowerResult
    from numba.core.compiler_machinery import register_pass
    from numba.core.imputils import impl_ret_untracked
    from numba.core.registry import CPUDispatcher
    from numba.core.serialize import dumps
    from numba.core.sigutils import normalize_signature
    from numba.core.typed_passes import NativeLowering

    MISSING = ""
except ImportError as error:  # pragma: no cover (a Numba that is not pinned)
    MISSING = str(error)

PATCHED = not why_plain()

# What is reached through objects of Numba's, by owner: names that must be there.
ATTRIBUTES = {
    "numba.core.codegen.CPUCodeLibrary": (
        "_ensure_finalized",
        "_finalize_dynamic_globals",
        "_finalize_final_module",
        "_get_module_for_linking",
        "_optimize_final_module",
        "serialize_using_object_code",
    ),
    "numba.core.compiler.CompileResult": ("_reduce", "_rebuild"),
    "numba.core.compiler.DefaultPassBuilder": ("define_nopython_pipeline",),
    "numba.core.cpu.CPUContext": ("codegen", "insert_user_function", "refresh"),
    "numba.core.registry.CPUDispatcher": ("compile", "get_call_template", "_compile_for_args"),
    "numba.core.codegen.CPUCodegen": ("create_library", "magic_tuple"),
}
