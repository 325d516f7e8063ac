"""The view beside a rig, started by `softdock rig run --view`: a process of its own, read only."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

from softdock.cli.view import MISSING
from softdock.errors import SoftdockError


def start_viewer(open_browser: bool = True) -> str:
    """Start it and give its address. It finds the loop's rings by itself, outlives this process as
    long as its page is open, and hears nothing that is typed here."""
    from softdock.viewer.guard import HOST, chosen_port

    if importlib.util.find_spec("viser") is None:
        raise SoftdockError(MISSING)
    port = chosen_port(None)
    command = [sys.executable, "-m", "softdock", "view", "--rig", "--until-left"]
    command += ["--port", str(port), *([] if open_browser else ["--no-browser"])]
    subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    return f"http://{HOST}:{port}"
