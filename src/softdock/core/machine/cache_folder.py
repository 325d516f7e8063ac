"""Where machine code is kept, and whether what lies there may be believed.

The folder is named by a hash of the core's sources and of Numba's version: any edit of them starts
a new one, so that code of other sources is never run. It is `SOFTDOCK_CACHE_DIR`, or `softdock` in
the user's cache folder. Whoever can write there can make us run code, so a folder is used only if
it is ours: owned by this user and writable by nobody else. Where there is none, machine code stays
in memory, and that is said once.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import os
import shutil
import stat
import time
from pathlib import Path

import numba

CORE = Path(__file__).parents[1]
KEEP_CACHES_S = 30 * 24 * 3600.0  # s; folders of older sources are removed when a new one is made
MARK = "softdock-machine-code"  # a file in each folder that softdock made, and may remove
HASH_LENGTH = 16
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH

_told: set[str] = set()


def core_sources() -> list[Path]:
    """The source files that compiled code comes from: the folder `core`."""
    return sorted(CORE.rglob("*.py"))


def source_hash(numba_version: str = numba.__version__) -> str:
    """A hash of the core's source files and of Numba's version."""
    digest = hashlib.sha256(numba_version.encode())
    for path in core_sources():
        digest.update(str(path.relative_to(CORE)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:HASH_LENGTH]


@functools.cache
def own_hash() -> str:
    """`source_hash` of what runs here."""
    return source_hash()


def say_once(kind: str, text: str) -> None:
    """One line on standard error for each kind of trouble with the cache."""
    if kind not in _told:
        _told.add(kind)
        logging.getLogger("softdock").warning("softdock: %s", text)


def _base() -> Path:
    given = os.environ.get("SOFTDOCK_CACHE_DIR")
    if given:
        return Path(given)
    return Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "softdock"


@functools.cache
def cache_folder() -> Path:
    """The folder of these sources' machine code, made if it can be; `is_ours` says whether to use
    it."""
    base = _base()
    folder = base / own_hash()
    try:
        if not folder.exists():
            base.mkdir(parents=True, exist_ok=True)
            _remove_old(base)
            folder.mkdir(mode=0o700, exist_ok=True)
            (folder / MARK).touch()
    except OSError:
        pass  # `usable_folder` says so
    return folder


def usable_folder() -> Path | None:
    """`cache_folder` if machine code may be read from and written to it. None: keep it in
    memory."""
    folder = cache_folder()
    why_not = _not_ours(folder.parent, is_base=True) or _not_ours(folder)
    if why_not:
        say_once("folder", f"machine code is not kept, it stays in memory: {why_not}")
        return None
    return folder


def _not_ours(folder: Path, is_base: bool = False) -> str:
    """Why a folder must not be used; empty: it may.

    The base may be a place like /tmp, where nobody can move what belongs to others (sticky), or
    belong to a group that is the user's own.
    """
    try:
        found = folder.stat()
    except OSError as error:
        return f"{folder} cannot be used ({error.strerror})"
    if not stat.S_ISDIR(found.st_mode):
        return f"{folder} is not a folder"
    if not hasattr(os, "geteuid"):  # no owners to ask for
        return ""
    others = found.st_mode & OTHERS_WRITE
    if is_base:
        if found.st_mode & stat.S_ISVTX:
            return ""
        if found.st_gid == os.getegid():
            others &= ~stat.S_IWGRP
    if found.st_uid != os.geteuid() and not (is_base and found.st_uid == 0):
        return f"{folder} belongs to another user"
    if others:
        return f"{folder} can be written by others (chmod go-w {folder})"
    if not is_base and not os.access(folder, os.W_OK | os.X_OK):
        return f"{folder} cannot be written"
    return ""


def _remove_old(base: Path) -> None:
    """Machine code of sources that were not used for long: of folders that softdock marked."""
    for old in base.iterdir():
        is_cache = len(old.name) == HASH_LENGTH and (old / MARK).is_file()
        if is_cache and old.is_dir() and time.time() - old.stat().st_mtime > KEEP_CACHES_S:
            shutil.rmtree(old, ignore_errors=True)
