"""Every inner name of Numba that softdock uses, in one place: what Numba does not promise to keep.

Three things rest on them. Functions are compiled to LLVM code without wrappers and machine code of
their own (pipeline.py), are linked by us (libraries.py) and cached in files of our own
(function_cache.py), which together take a first run from minutes to seconds; and Numba writes less
LLVM code while it compiles them (numba_patches.py). Nothing in the physics depends on these:
where a name is missing, where Numba is of a version that was not tested, or where
`SOFTDOCK_PLAIN_NUMBA=1` is set, `PATCHED` is False and the same functions go through Numba as it
is, in twice the time. A few more are needed in any case, for the types of views.

`tests/parity/test_numba_internals.py` checks each of them, and names the one that moved.
"""

from __future__ import annotations

import importlib
import os
from typing import Any

import numba

TESTED = ("0.68",)  # versions of Numba; the first is the oldest in pyproject.toml
SWITCH = "SOFTDOCK_PLAIN_NUMBA"

_missing: list[str] = []


def _find(path: str, stand_in: Any = None) -> Any:
    """What stands at a dotted path, or else something that no patch is built on."""
    try:
        return _import(path)
    except (ImportError, AttributeError):
        _missing.append(path)
        return stand_in


def _require(path: str) -> Any:
    """What stands at a dotted path, without which softdock cannot run."""
    try:
        return _import(path)
    except (ImportError, AttributeError) as error:
        raise ImportError(
            f"softdock needs {path}, which Numba {numba.__version__} does not have; "
            f"Numba {TESTED[-1]} has it"
        ) from error


def _import(path: str) -> Any:
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


# Of our own types (views.py): documented for extensions, without another way
AbstractTemplate = _require("numba.core.typing.templates.AbstractTemplate")
AttributeTemplate = _require("numba.core.typing.templates.AttributeTemplate")
infer_global = _require("numba.core.typing.templates.infer_global")
memcpy = _require("numba.core.cgutils.memcpy")
signature = _require("numba.core.typing.signature")


BaseContext = _find("numba.core.base.BaseContext", object)
BaseFunction = _find("numba.core.types.functions.BaseFunction", object)
CompilerBase = _find("numba.core.compiler.CompilerBase", object)
CompileResult = _find("numba.core.compiler.CompileResult")
CPUCallConv = _find("numba.core.callconv.CPUCallConv", object)
CPUDispatcher = _find("numba.core.registry.CPUDispatcher", object)
DefaultPassBuilder = _find("numba.core.compiler.DefaultPassBuilder")
errors = _find("numba.core.errors")
LowerResult = _find("numba.core.compiler._LowerResult")
NativeLowering = _find("numba.core.typed_passes.NativeLowering", object)
register_pass = _find("numba.core.compiler_machinery.register_pass")
InlineClosureLikes = _find("numba.core.untyped_passes.InlineClosureLikes")
InlineOverloads = _find("numba.core.typed_passes.InlineOverloads")
NopythonRewrites = _find("numba.core.typed_passes.NopythonRewrites")
FunctionIdentity = _find("numba.core.bytecode.FunctionIdentity")
cpu_target = _find("numba.core.registry.cpu_target")
JITCodeLibrary = _find("numba.core.codegen.JITCodeLibrary", object)
PythonFunctionDescriptor = _find("numba.core.funcdesc.PythonFunctionDescriptor")
normalize_ir_text = _find("numba.core.cgutils.normalize_ir_text")
create_new_function_pass_manager = _find("llvmlite.binding.create_new_function_pass_manager")
parse_assembly = _find("llvmlite.binding.parse_assembly")
parse_bitcode = _find("llvmlite.binding.parse_bitcode")
Linkage = _find("llvmlite.binding.Linkage")
Target = _find("llvmlite.binding.Target")
get_process_triple = _find("llvmlite.binding.get_process_triple")
dumps = _find("numba.core.serialize.dumps")
alloca_once = _find("numba.core.cgutils.alloca_once")
IRLegalization = _find("numba.core.typed_passes.IRLegalization")
Lower = _find("numba.core.lowering.Lower", object)
new_error_context = _find("numba.core.errors.new_error_context")
NumbaError = _find("numba.core.errors.NumbaError", Exception)
Status = _find("numba.core.callconv.Status")
normalize_signature = _find("numba.core.sigutils.normalize_signature")
global_compiler_lock = _find("numba.core.compiler_lock.global_compiler_lock")

MISSING = ", ".join(_missing)


def is_tested(version: str = numba.__version__) -> bool:
    """Whether softdock was tested with the internals of this version of Numba."""
    return ".".join(version.split(".")[:2]) in TESTED


def explain_plain() -> str:
    """Why Numba is used as it is; empty: it is not."""
    if os.environ.get(SWITCH, "0") not in ("", "0"):
        return f"{SWITCH} is set"
    if not is_tested():
        return f"Numba {numba.__version__} was not tested, only {', '.join(TESTED)}"
    return f"Numba has no {MISSING}" if MISSING else ""


PATCHED = not explain_plain()

# What is reached through objects of Numba's, by owner: names that must be there.
ATTRIBUTES = {
    "numba.core.codegen.CPUCodeLibrary": (
        "_ensure_finalized",
        "_finalize_dynamic_globals",
        "_finalize_final_module",
        "_get_module_for_linking",
        "_optimize_final_module",
        "_set_compiled_object",
        "enable_object_caching",
        "serialize_using_object_code",
    ),
    "numba.core.types.functions.BaseFunction": ("get_call_type",),
    "numba.core.callconv.CPUCallConv": (
        "_get_arg_packer",
        "_get_excinfo_argument",
        "call_function",
        "decorate_function",
        "get_return_type",
        "return_status_propagate",
    ),
    "numba.core.compiler_machinery.PassManager": ("finalize",),
    "numba.core.lowering.Lower": (
        "_alloca_var",
        "alloca_lltype",
        "getvar",
        "lower_block",
        "lower_inst",
        "post_block",
        "pre_block",
        "setup_function",
        "storevar",
    ),
    "numba.core.base.BaseContext": ("mangler",),
    "numba.core.compiler.CompileResult": ("_reduce", "_rebuild"),
    "numba.core.compiler.DefaultPassBuilder": ("define_nopython_pipeline",),
    "numba.core.cpu.CPUContext": ("codegen", "insert_user_function", "refresh"),
    "numba.core.registry.CPUDispatcher": ("compile", "get_call_template", "_compile_for_args"),
    "llvmlite.binding.ValueRef": ("add_function_attribute",),
    "numba.core.codegen.JITCPUCodegen": (
        "_customize_tm_options",
        "_pass_builder",
        "create_library",
        "magic_tuple",
    ),
}
