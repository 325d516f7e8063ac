"""One commander at a time: a lock on this machine for every address that a rig is commanded from.

Two programs that answer one robot would make it jump between two set-points. The robot's port is
taken by the first one anyway; the lock says who has it, and holds from before the sockets are
opened until after they are closed. It ends with the process that has it, however that ends.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
from pathlib import Path
from types import TracebackType

from softdock.drivers.rig_model import Rig
from softdock.errors import BadInput, Problem


def lock_folder() -> Path:
    """Of this user, where files do not outlive the machine's start where there is such a place."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if runtime and os.access(runtime, os.W_OK):
        return Path(runtime)
    return Path(tempfile.gettempdir())


def lock_names(rig: Rig) -> list[str]:
    """A name for each robot's address."""
    ends = [rig.robots[name] for name in rig.moving]
    return sorted(f"softdock-rig-{end.bind}-{end.port}.lock" for end in ends)


class Commander:
    """`with Commander(rig):` holds the rig, or raises `BadInput` with who holds it."""

    def __init__(self, rig: Rig, folder: Path | None = None) -> None:
        self._rig, self._folder = rig, folder or lock_folder()
        self._held: list[int] = []  # descriptors of locked files

    def __enter__(self) -> Commander:
        for name in lock_names(self._rig):
            path = self._folder / name
            # not truncated: whoever holds it has written who it is
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                who = os.read(handle, 100).decode(errors="replace").strip() or "another program"
                os.close(handle)
                self.release()
                allowed = f"one commander at a time; {who} commands {self._rig.name} now ({path})"
                raise BadInput(Problem("rig", self._rig.name, allowed)) from None
            os.ftruncate(handle, 0)
            os.pwrite(handle, f"process {os.getpid()}\n".encode(), 0)
            self._held.append(handle)
        return self

    def release(self) -> None:
        while self._held:
            os.close(self._held.pop())

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()
