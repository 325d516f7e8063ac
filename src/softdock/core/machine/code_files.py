"""Files of machine code: written whole or not at all, believed only if every byte is there, and one
process at a time at each.

A file is a line that says what it is, the SHA-256 of its name and the rest, and the rest: a pickle
of what Numba makes of a function (pickle runs what it reads: only folders that are ours are read,
see cache_folder.py). A file that is empty, cut, garbage or that of another name is thrown away and
made again. A disc that is
full or a folder that vanished costs the keeping and not the run.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import os
import pickle
import secrets
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from softdock.core.machine.cache_folder import say_once

fcntl: Any = None
with contextlib.suppress(ImportError):  # without file locks some things are compiled twice
    fcntl = importlib.import_module("fcntl")

FIRST = b"softdock machine code 2\n"
DIGEST_BYTES = 32
LONGEST_WAIT_S = 900.0  # s; for another process that compiles the same
LOOK_S = 0.05  # s, between two looks at the lock


def read(path: Path) -> Any:
    """What `write` was given; None: there is nothing, or nothing that can be believed."""
    data = _whole(path)
    if data is None:
        return None
    try:
        return pickle.loads(data)
    except Exception:  # of another world: a class that is gone
        discard(path)
        return None


def is_there(path: Path) -> bool:
    """Whether there is a file with every byte; a damaged one is thrown away."""
    return _whole(path) is not None


def _whole(path: Path) -> bytes | None:
    try:
        found = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        say_once("read", f"machine code in {path.parent} cannot be read ({error.strerror})")
        return None
    digest, data = found[len(FIRST) :][:DIGEST_BYTES], found[len(FIRST) + DIGEST_BYTES :]
    if found.startswith(FIRST) and _digest(path, data) == digest:
        return data
    discard(path)
    return None


def _digest(path: Path, data: bytes) -> bytes:
    """Of the bytes under their name, which says what function they are the code of."""
    return hashlib.sha256(path.name.encode() + b"\0" + data).digest()


def discard(path: Path) -> None:
    """Throw a file away that cannot be used, and say so once."""
    say_once("damaged", f"damaged machine code was thrown away and is compiled anew ({path})")
    with contextlib.suppress(OSError):
        path.unlink()


def write(path: Path, data: bytes) -> bool:
    """Keep bytes of a pickle; False: they could not be kept."""
    beside = path.with_name(f"{path.name}.{os.getpid()}-{secrets.token_hex(4)}.part")
    try:
        with beside.open("xb") as file:
            file.write(FIRST + _digest(path, data) + data)
        beside.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            beside.unlink()
        say_once("write", f"machine code cannot be kept in {path.parent} ({error.strerror})")
        return False
    return True


@contextlib.contextmanager
def alone_at(path: Path, waiting: Callable[[], None] | None = None) -> Iterator[None]:
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
        time.sleep(LOOK_S)
