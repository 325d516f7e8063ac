"""The core a second time, in single precision: the same source files, loaded again as the package
`softdock_single`.

There is one physics. This loader reads the very files of the core and changes, in compiled
functions only, what numbers are made of:

    a * b  ->  _mul(a, b)            single_arithmetic.py says which of two kinds wins
    0.5    ->  single(0.5)           a literal that stands alone is physical
    Wrench(force, torque)  ->  Wrench(single(force), single(torque))
                                     every field is single but those of `DOUBLE`: the clock, and a
                                     satellite's position

Nothing else differs. `mem` is an array of singles; of doubles where a method keeps a memory, in
which there may be times. Used by CUDA kernels (single_kernel.py): a GPU computes in single
precision faster than in double, and a run needs less room in registers and local memory.
"""

from __future__ import annotations

import ast
import functools
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numba

from softdock.campaign.single_rewriting import InSingle, rewritten
from softdock.core.adaptation.method import BY_TYPE
from softdock.core.machine.features import Arms
from softdock.core.machine.generated import REWRITES
from softdock.errors import BadInput, Problem

PACKAGE, OURS = "softdock_single", "softdock"
ROOT = Path(__file__).parents[1]
# Modules that are not loaded again: no arithmetic of a run. A second `deferred` would answer in
# place of the first, and knows nothing of its parts.
SHARED = (
    "softdock.core.machine.compiled",
    "softdock.core.machine.deferred",
    "softdock.core.machine.parameters",
    "softdock.errors",
    "softdock._version",
)
DECORATORS = ("compiled", "apart", "deferred", "door")


def _is_compiled(node: ast.FunctionDef) -> bool:
    names = [one.func if isinstance(one, ast.Call) else one for one in node.decorator_list]
    return any(isinstance(one, ast.Name) and one.id in DECORATORS for one in names)


class _Module(ast.NodeTransformer):
    """A module of the core: imports from the second package, compiled functions in single
    precision."""

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.stmt:
        parts = (node.module or "").split(".")
        if parts[0] == OURS and node.module not in SHARED:
            node.module = ".".join([PACKAGE, *parts[1:]])
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        if not _is_compiled(node):
            return node
        inside = InSingle(node)
        node.body = [inside.visit(one) for one in node.body]
        return node


class _Loader(importlib.machinery.SourceFileLoader):
    def get_code(self, fullname: str) -> Any:
        """Always from the source: no file of bytecode, which would be the double-precision one."""
        path = self.get_filename(fullname)
        tree = _Module().visit(ast.parse(self.get_data(path), path))
        return compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__.update(_operations() | {REWRITES: rewritten})
        super().exec_module(module)


@functools.cache
def _operations() -> dict[str, Any]:
    from softdock.campaign.single_arithmetic import operations

    return operations(bool(numba.config.DISABLE_JIT))


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> Any:
        parts = name.split(".")
        if parts[0] != PACKAGE:
            return None
        if len(parts) == 1:  # an empty package: the core's own __init__ is the user's door
            spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
            spec.submodule_search_locations = [str(ROOT)]
            return spec
        place = ROOT.joinpath(*parts[1:])
        file = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
        if not file.is_file():
            return None
        search = [str(place)] if place.is_dir() else None
        return importlib.util.spec_from_file_location(
            name, file, loader=_Loader(name, str(file)), submodule_search_locations=search
        )


def load(module: str) -> Any:
    """A module of the core in single precision, by its name below `softdock`."""
    if not any(isinstance(one, _Finder) for one in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
    return importlib.import_module(f"{PACKAGE}.{module}")


def twin(value: Any) -> Any:
    """Markers of the core as those of the second package: the same names, the same numbers."""
    if isinstance(value, tuple):
        if isinstance(value, Arms):
            allowed = "double for robots that are arms: their inverse needs the digits"
            raise BadInput(Problem("precision", "single", allowed))
        method = BY_TYPE.get(type(value))
        if method is not None and method.double_only:
            raise BadInput(Problem("precision", "single", f"double for {method.double_only}"))
        parts = [twin(one) for one in value]
        if not hasattr(value, "_fields"):
            return tuple(parts)
        home = type(value).__module__
        if home.partition(".")[0] != OURS:
            raise BadInput(
                Problem(
                    "precision",
                    "single",
                    f"double for a method of your own ({type(value).__name__}); single is "
                    "for softdock's own methods",
                )
            )
        load("core.adaptation.registry")  # the second package has a list of methods of its own
        return getattr(load(home.partition(".")[2]), type(value).__name__)(*parts)
    return value


def is_forgetful(markers: Any) -> bool:
    """Whether no method keeps a memory: `mem` may then be of singles."""
    return all(BY_TYPE[type(method)].is_forgetful for method in markers.methods)
