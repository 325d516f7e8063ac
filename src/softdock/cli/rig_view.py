"""The view beside a rig, started by `softdock rig run --view`: a process of its own, read only."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

from softdock.cli.view import MISSING
from softdock.errors import SoftdockError


class Viewer:
    """Starts it. It finds the loop's rings by itself, outlives this process as long as its page is
    open, and hears nothing that is typed here. `taken`: ports that others of this run will want."""

    def __init__(self, open_browser: bool = True, taken: tuple[int, ...] = ()) -> None:
        from softdock.viewer.guard import HOST, chosen_port

        if importlib.util.find_spec("viser") is None:
            raise SoftdockError(MISSING)
        port = chosen_port(None, taken)
        command = [sys.executable, "-m", "softdock", "view", "--rig", "--until-left"]
        command += ["--port", str(port), *([] if open_browser else ["--no-browser"])]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self.address = f"http://{HOST}:{port}"

    @property
    def said(self) -> str:
        """What is wrong with it, now. It ends by itself, with 0, when its page is closed."""
        code = self.process.poll()
        if code in (None, 0):
            return ""
        return f"the view has ended (exit code {code}); the run goes on"
