"""Which source files decide compiled code, and a hash of them.

A module that uses a decorator of this package is compiled. Its code also depends on every softdock
module that it imports, and on what those import: a constant may stand in a module that has no
compiled function. Imports inside functions do not count: compiled functions have none.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
from pathlib import Path

import numba

ROOT = Path(__file__).parents[1]
HASH_LENGTH = 16
DECORATORS = re.compile(rb"^from softdock\.compile\.(?:jit|lazy|generated) import", re.M)
IMPORTED = re.compile(
    rb"^(?:from (softdock[\w.]*) import (\([^)]*\)|[^\n]*)|import (softdock[\w.]*))", re.M
)
HEADER_ENDS = b"\n\n\n"  # two empty lines: what a module imports stands above


def _read_modules() -> dict[str, tuple[str, bytes]]:
    """Path below the package, and content, of every module."""
    found = {}
    for folder, _, files in os.walk(ROOT):
        below = os.path.relpath(folder, ROOT.parent).split(os.sep)
        for file in files:
            if file.endswith(".py"):
                names = below if file == "__init__.py" else [*below, file[: -len(".py")]]
                with open(os.path.join(folder, file), "rb") as opened:
                    found[".".join(names)] = ("/".join([*below[1:], file]), opened.read())
    return found


def list_compiled_sources() -> list[Path]:
    """The source files that compiled code comes from."""
    return [ROOT / path for path, _ in _read_compiled()]


def _read_compiled() -> list[tuple[str, bytes]]:
    """Path below the package, and content, of each such file; sorted by path."""
    modules = _read_modules()
    headers = {name: text.partition(HEADER_ENDS)[0] for name, (_, text) in modules.items()}
    waiting = [name for name, header in headers.items() if DECORATORS.search(header)]
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [one for one in _list_imports(headers[name]) if one in modules]
    return sorted(modules[name] for name in found)


def _list_imports(header: bytes) -> list[str]:
    """Names that a file imports of softdock at its top, modules among them."""
    found = []
    for package, names, module in IMPORTED.findall(header):
        base = (package or module).decode()
        found += [base, *(f"{base}.{name}" for name in re.findall(r"\w+", names.decode()))]
    return found


def source_hash(numba_version: str = numba.__version__) -> str:
    """A hash of those files and of Numba's version."""
    digest = hashlib.sha256(numba_version.encode())
    for path, text in _read_compiled():
        digest.update(path.encode())
        digest.update(text)
    return digest.hexdigest()[:HASH_LENGTH]


@functools.cache
def compute_own_hash() -> str:
    """`source_hash` of what runs here."""
    return source_hash()
