"""Folders that results go to: there, writable, empty and nobody else's, or refused before anything
is computed."""

from __future__ import annotations

import contextlib
import importlib
import os
import tempfile
import threading
from pathlib import Path
from typing import Any

from softdock.errors import BadInput, Problem, Unwritable
from softdock.files.atomic import PREFIX, refuse_unwritable

fcntl: Any = None
with contextlib.suppress(ImportError):  # Windows: two at once are not told apart
    fcntl = importlib.import_module("fcntl")

# folders that this process writes results to: handle of the lock, and the thread that took it
_held: dict[tuple[int, int], tuple[int, int]] = {}
_alone = threading.Lock()


def ensure_folder(folder: str | Path) -> Path:
    """The folder, there and writable, whatever is in it. Raises `Unwritable`."""
    path = Path(folder)
    refuse_unwritable(path, "out", folder=True)
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        raise Unwritable("out", folder, "a folder", error) from None
    return path


def make_folder(folder: str | Path, force: bool = False) -> Path:
    """The folder, there and writable; `BadInput` if not, or if it holds something and `force` does
    not allow to write over it, or if another process is writing results to it. It is this
    process's until `leave_folder`, or until the process ends, however it ends."""
    path = ensure_folder(folder)
    try:
        taken = _is_taken(path)
        # another process may just be trying whether it can write here
        holds = any(not one.name.startswith(PREFIX) for one in path.iterdir())
    except OSError as error:
        raise Unwritable("out", folder, "a folder", error) from None
    if not taken:
        allowed = "a folder that nobody else is writing results to; another run has this one"
        raise BadInput(Problem("out", str(folder), allowed))
    if holds and not force:
        leave_folder(path)
        allowed = (
            "a new or an empty folder; this one holds something (--force, or force=True, writes "
            "over the run in it)"
        )
        raise BadInput(Problem("out", str(folder), allowed))
    return path


def _is_taken(path: Path) -> bool:
    """Whether the folder is this thread's now: by a lock that the system drops with the process."""
    if fcntl is None:
        return True
    me = threading.get_ident()
    with _alone:
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        found = os.fstat(handle)
        key = (found.st_dev, found.st_ino)
        if key in _held:
            os.close(handle)
            others = {thread.ident for thread in threading.enumerate()} - {me}
            return _held[key][1] not in others
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            return False
        except OSError:  # a file system without locks
            os.close(handle)
            return True
        _held[key] = (handle, me)
    return True


def leave_folder(path: Path) -> None:
    """Results are in the folder: others may have it."""
    with contextlib.suppress(OSError), _alone:
        found = path.stat()
        held = _held.pop((found.st_dev, found.st_ino), None)
        if held is not None:
            os.close(held[0])
