"""Which source files decide compiled code, and a hash of them.

A module that uses a decorator of this package is compiled. Its code also depends on every softdock
module that it imports, and on what those import: a constant may stand in a module that has no
compiled function. Imports inside functions do not count: compiled functions have none.
"""

from __future__ import annotations

import functools
import hashlib
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


def _modules() -> dict[str, Path]:
    found = {}
    for path in ROOT.rglob("*.py"):
        parts = (ROOT.name, *path.relative_to(ROOT).with_suffix("").parts)
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def compiled_sources() -> list[Path]:
    """The source files that compiled code comes from."""
    return [path for path, _ in _read_compiled()]


def _read_compiled() -> list[tuple[Path, bytes]]:
    """Each such file with its content, sorted by path."""
    modules = _modules()
    texts = {module: path.read_bytes() for module, path in modules.items()}
    waiting = [module for module, text in texts.items() if DECORATORS.search(_header(text))]
    found: set[str] = set()
    while waiting:
        module = waiting.pop()
        if module not in found:
            found.add(module)
            waiting += _imports(texts[module], texts)
    return sorted((modules[module], texts[module]) for module in found)


def _header(text: bytes) -> bytes:
    return text.partition(HEADER_ENDS)[0]


def _imports(text: bytes, modules: dict[str, bytes]) -> list[str]:
    """Softdock modules that a file imports at its top."""
    found = []
    for package, names, module in IMPORTED.findall(_header(text)):
        base = (package or module).decode()
        inner = [f"{base}.{name.decode()}" for name in re.findall(rb"\w+", names)]
        found += [name for name in (base, *inner) if name in modules]
    return found


def source_hash(numba_version: str = numba.__version__) -> str:
    """A hash of those files and of Numba's version."""
    digest = hashlib.sha256(numba_version.encode())
    for path, text in _read_compiled():
        digest.update(str(path.relative_to(ROOT)).encode())
        digest.update(text)
    return digest.hexdigest()[:HASH_LENGTH]


@functools.cache
def own_hash() -> str:
    """`source_hash` of what runs here."""
    return source_hash()
