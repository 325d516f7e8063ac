"""The server of the live viewer: the only file that imports viser (extra `viewer`).

It listens on this machine only, and accepts only its own page (guard.py).
"""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from typing import Any

import numpy as np
import viser
from viser import uplot

from softdock.output.viewer.guard import HOST, allow_own_origins

BRAND = (59, 130, 214)


def serve(port: int) -> Any:
    """Start a server on this port; `OSError` if another program took it."""
    with allow_own_origins(port), redirect_stdout(io.StringIO()):  # viser prints a banner
        server = viser.ViserServer(host=HOST, port=port, label="softdock", verbose=False)
    if server.get_port() != port:
        server.stop()
        raise OSError(f"port {port} was taken meanwhile")
    return server


def set_theme(server: Any, dark: bool) -> None:
    server.gui.configure_theme(
        dark_mode=dark, show_logo=False, show_share_button=False, brand_color=BRAND
    )


def add_force_chart(gui: Any, rig: str = "rig [N]", orbit: str = "orbit [N]") -> Any:
    """Chart of two curves over time; its `data` are time, rig, reference."""
    return gui.add_uplot(
        data=(np.array([0.0, 1.0]),) * 3,
        series=(
            uplot.Series(label="t [s]"),
            uplot.Series(label=rig, stroke="#d64545", width=2),
            uplot.Series(label=orbit, stroke="#30a46c", width=1.5),
        ),
        scales={"x": uplot.Scale(time=False, auto=True), "y": uplot.Scale(auto=True)},
        aspect=1.6,
    )
