"""Folders that results go to: there, writable and empty, or refused before anything is computed."""

from __future__ import annotations

import tempfile
from pathlib import Path

from softdock.errors import BadInput, Problem, Unwritable
from softdock.files.atomic import refuse_unwritable


def make_folder(folder: str | Path, force: bool = False) -> Path:
    """The folder, there and writable; `BadInput` if not, or if it holds something and `force` does
    not allow to write over it."""
    path = Path(folder)
    refuse_unwritable(path, "out", folder=True)

    def refuse(allowed: str) -> BadInput:
        return BadInput(Problem("out", str(folder), allowed))

    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
        if not force and any(path.iterdir()):
            raise refuse(
                "a new or an empty folder; this one holds something (--force, or force=True, "
                "writes over the run in it)"
            )
    except (OSError, ValueError) as error:  # ValueError: a name with a zero byte
        raise Unwritable("out", folder, "a folder", error) from None
    return path
