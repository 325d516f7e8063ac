"""Writing files: whole or not at all, whenever the machine stops; and one refusal for what cannot
be written."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import tempfile
from collections.abc import Iterator
from pathlib import Path

from softdock.errors import Unwritable

PREFIX = ".softdock-"  # of a file that is being written; short, so that a long name is no longer


def write_whole(path: str | Path, data: bytes, key: str = "out") -> None:
    """Write to a temporary name in the same folder, force it to disk, then rename: a reader sees
    the old file or the new one, never half of one. Raises `Unwritable`, which names `key`."""
    with replacement_file(path, key) as part, part.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


@contextlib.contextmanager
def replacement_file(path: str | Path, key: str = "out") -> Iterator[Path]:
    """Context with a temporary name in the same folder, for a file that replaces `path` once it is
    complete; removed if anything fails. Raises `Unwritable`, which names `key`."""
    path = Path(path)
    part = path.with_name(f"{PREFIX}{os.getpid()}-{secrets.token_hex(4)}.part")
    try:
        _refuse_others(path)
        yield part
        os.replace(part, path)
        sync_folder(path.parent)
    except OSError as error:
        raise Unwritable(key, path, "a file", error) from None
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)


def _refuse_others(path: Path) -> None:
    """Refuse to replace a folder, a device or a pipe by a file."""
    if "\0" in str(path):
        raise OSError(errno.EINVAL, "a name with a zero byte")
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "this is a folder")
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "this is a device or a pipe")


def refuse_unwritable(path: Path, key: str, folder: bool = False, parents: bool = False) -> None:
    """Refuse a file or a folder that cannot be written before anything is computed for it, and
    leave nothing behind. Folders above a folder may be missing, above a file with `parents`.
    Raises `Unwritable`."""
    try:
        if folder and path.exists() and not path.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, "this is a file")
        if not folder:
            _refuse_others(path)
            if not parents and not path.parent.is_dir():
                raise FileNotFoundError(errno.ENOENT, "there is no such folder")
        with contextlib.suppress(FileNotFoundError):
            os.lstat(path)
        above = path if folder and path.is_dir() else path.parent
        while not above.exists() and above != above.parent:
            above = above.parent
        with tempfile.NamedTemporaryFile(prefix=PREFIX, dir=above):
            pass
    except (OSError, ValueError) as error:
        raise Unwritable(key, path, "a folder" if folder else "a file", error) from None


def sync_folder(folder: Path) -> None:
    """Force the names in a folder to disk, if the system can."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
