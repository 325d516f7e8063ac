"""Where a command's results go: the folder that was asked for, or the next free one; made and tried
before the work starts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Protocol

from softdock.errors import BadInput, Unwritable

RUNS = "softdock-runs"  # where results go that were given no folder


class Saved(Protocol):
    """What can be kept in a folder."""

    def save(self, folder: str | Path, force: bool = False) -> Path: ...


def choose(out: Path | None, name: str) -> Path:
    """The folder asked for, or a new one of this name and the next number in RUNS; two commands at
    once get two."""
    from softdock.files.folders import ensure_folder

    if out is not None:
        return out
    stem = re.sub(r"[^\w.-]+", "_", name).strip("._")[:100] or "run"
    ensure_folder(RUNS)
    for i in count(1):
        path = Path(RUNS) / f"{stem}-{i}"
        try:
            path.mkdir()
        except FileExistsError:
            continue
        return path
    raise AssertionError


@contextmanager
def made(folder: Path | None, force: bool) -> Iterator[None]:
    """The folder is made and tried before the work starts; work that is refused leaves no empty one
    behind."""
    from softdock.files.folders import leave_folder, make_folder

    above = [] if folder is None else [folder, *folder.parents]
    new = [path for path in above if not path.exists() or RUNS in (path.name, path.parent.name)]
    ours = False  # another run may have it
    try:
        if folder is not None:
            make_folder(folder, force)
            ours = True
        yield
    except BaseException:
        if folder is not None and ours:
            leave_folder(folder)
        for path in new if ours else new[1:]:
            if path.is_dir() and not any(path.iterdir()):
                path.rmdir()
        raise


def save(result: Saved, folder: Path | None, force: bool) -> BadInput | None:
    """A disk that fails now costs the folder and not the numbers: they are shown before the
    error."""
    if folder is None:
        return None
    try:
        result.save(folder, force)
    except OSError as error:
        return (
            error if isinstance(error, BadInput) else Unwritable("out", folder, "a folder", error)
        )
    return None
