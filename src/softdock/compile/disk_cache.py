"""The folder of machine code, and its files.

The folder is named by a hash of the compiled code's sources and of Numba's version (sources.py):
any edit of them starts a new one, so that code of other sources is never run. It lies below
`SOFTDOCK_CACHE_DIR`, or `softdock` in the user's cache folder. Whoever can write there can make us
run code, so a folder is used only if it is ours: owned by this user and writable by nobody else.
Where there is none, machine code stays in memory, with one warning.

Files are written whole or not at all, used only if every byte is there, and written by one process
at a time. A file is a line that says what it is, the SHA-256 of its name and the rest, and the
rest: a pickle of what Numba makes of a function (pickle runs what it reads). A file that is empty,
cut, garbage or that of another name is deleted and written again. A disc that is full or a folder
that vanished costs the cache and not the run.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import logging
import os
import pickle
import secrets
import shutil
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from softdock.compile.sources import HASH_LENGTH, compute_own_hash

fcntl: Any = None
with contextlib.suppress(ImportError):  # without file locks some things are compiled twice
    fcntl = importlib.import_module("fcntl")

KEEP_CACHES_S = 30 * 24 * 3600.0  # s; folders of older sources are removed when a new one is made
MARK = "softdock-machine-code"  # a file in each folder that softdock made, and may remove
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
FIRST = b"softdock machine code 2\n"
DIGEST_BYTES = 32
LONGEST_WAIT_S = 900.0  # s; for another process that compiles the same
POLL_S = 0.05  # s, between two tries to lock

_warned: set[str] = set()


def warn_once(kind: str, text: str) -> None:
    """One line on standard error for each kind of trouble with the cache."""
    if kind not in _warned:
        _warned.add(kind)
        logging.getLogger("softdock").warning("softdock: %s", text)


def _find_base() -> Path:
    given = os.environ.get("SOFTDOCK_CACHE_DIR")
    if given:
        return Path(given)
    return Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "softdock"


@functools.cache
def find_cache_folder() -> Path:
    """The folder of these sources' machine code, created if it can be; `find_usable_folder`
    decides whether to use it."""
    base = _find_base()
    folder = base / compute_own_hash()
    try:
        if not folder.exists():
            base.mkdir(parents=True, exist_ok=True)
            _remove_old(base)
            folder.mkdir(mode=0o700, exist_ok=True)
            (folder / MARK).touch()
    except OSError:
        pass  # `find_usable_folder` warns
    return folder


def find_usable_folder() -> Path | None:
    """`find_cache_folder` if machine code may be read from and written to it. None: keep it in
    memory."""
    folder = find_cache_folder()
    why_not = _find_objection(folder.parent, is_base=True) or _find_objection(folder)
    if why_not:
        warn_once("folder", f"machine code is not kept, it stays in memory: {why_not}")
        return None
    return folder


def _find_objection(folder: Path, is_base: bool = False) -> str:
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


# -- files --------------------------------------------------------------------------------------


def read(path: Path) -> Any:
    """What `write` was given; None: there is no such file, or it is damaged."""
    data = _read_checked(path)
    if data is None:
        return None
    try:
        return pickle.loads(data)
    except Exception:  # a class in it does not exist any more
        discard(path)
        return None


def exists(path: Path) -> bool:
    """Whether there is a file with every byte; a damaged one is deleted."""
    return _read_checked(path) is not None


def _read_checked(path: Path) -> bytes | None:
    try:
        found = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        warn_once("read", f"machine code in {path.parent} cannot be read ({error.strerror})")
        return None
    digest, data = found[len(FIRST) :][:DIGEST_BYTES], found[len(FIRST) + DIGEST_BYTES :]
    if found.startswith(FIRST) and _compute_digest(path, data) == digest:
        return data
    discard(path)
    return None


def _compute_digest(path: Path, data: bytes) -> bytes:
    """Of the bytes under their name, which says what function they are the code of."""
    return hashlib.sha256(path.name.encode() + b"\0" + data).digest()


def discard(path: Path) -> None:
    """Delete a file that cannot be used; the first time with a warning."""
    warn_once("damaged", f"damaged machine code was thrown away and is compiled anew ({path})")
    with contextlib.suppress(OSError):
        path.unlink()


def write(path: Path, data: bytes) -> bool:
    """Write the bytes of a pickle; False: they could not be written."""
    partial = path.with_name(f"{path.name}.{os.getpid()}-{secrets.token_hex(4)}.part")
    try:
        with partial.open("xb") as file:
            file.write(FIRST + _compute_digest(path, data) + data)
        partial.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            partial.unlink()
        warn_once("write", f"machine code cannot be kept in {path.parent} ({error.strerror})")
        return False
    return True


@contextlib.contextmanager
def lock_file(path: Path, waiting: Callable[[], None] | None = None) -> Iterator[None]:
    """One process at a time at this file; the others wait until it is done, or has died, or for
    `LONGEST_WAIT_S`. `waiting` is called once if there is a wait."""
    lock = path.with_name(f"{path.name}.lock")
    try:
        held = os.open(lock, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    except OSError:  # nowhere to write: nothing to share either
        yield
        return
    try:
        _wait(held, waiting)
        yield
    finally:
        with contextlib.suppress(OSError):
            os.unlink(lock)
        os.close(held)


def _wait(held: int, waiting: Callable[[], None] | None) -> None:
    if fcntl is None:
        return
    until = time.monotonic() + LONGEST_WAIT_S
    while time.monotonic() < until:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            pass
        except OSError:  # a file system without locks
            return
        if waiting is not None:
            waiting()
            waiting = None
        time.sleep(POLL_S)
