"""`softdock view`: the facility in a browser, run again at every change."""

from __future__ import annotations

import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from softdock.cli.arguments import CHANGES, METHOD_FILES, load_methods
from softdock.cli.compile_ahead import start_numba
from softdock.cli.progress import console, show_status
from softdock.errors import SoftdockError

MISSING = "the live viewer needs the extra 'viewer': pip install 'softdock[viewer]'"


@click.command(short_help="Change a rig live in the browser and watch it.")
@click.argument("source", metavar="[SCENARIO|PRESET|FOLDER|MCAP]", required=False)
@CHANGES
@METHOD_FILES
@click.option("--rig", is_flag=True, help="Show the rig that runs on this machine (read only).")
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    help="Port on this machine. [default: the first free one from 8765]",
)
@click.option("--no-browser", is_flag=True, help="Open no browser; print the address only.")
@click.option("--light", is_flag=True, help="Light colours. [default: dark]")
@click.option("--until-left", is_flag=True, hidden=True)  # as `softdock rig run --view` starts it
@click.pass_context
def view(
    ctx: click.Context,
    source: str | None,
    changes: tuple[str, ...],
    method_files: tuple[Path, ...],
    rig: bool,
    port: int | None,
    no_browser: bool,
    light: bool,
    until_left: bool,
) -> None:
    """Open a scenario, the folder of a run, or a recording (MCAP) in a browser.

    Sliders for delay, damping, stiffness, friction, speed, offset and method run it again at once.
    Listens on 127.0.0.1 only. Ends with Ctrl-C.

    --rig shows what a rig on this machine does while `softdock rig run` runs, from the recorder's
    memory: read only, in a process of its own, run after run.
    """
    ring = Path(source) if source is not None and source.endswith(".ring") else None
    if rig and (source is not None or changes or method_files):
        raise click.UsageError("--rig takes no scenario: it shows the rig's own run", ctx)
    if source is None and not rig:
        raise click.UsageError("needs a scenario, a folder, a recording, or --rig", ctx)
    if rig or ring is not None:
        _view_rig(port, no_browser, not light, until_left, ring)
    else:
        assert source is not None
        load_methods(method_files)
        _view_scenario(source, changes, port, no_browser, not light)


def _view_scenario(
    source: str, changes: tuple[str, ...], port: int | None, no_browser: bool, dark: bool
) -> None:
    with show_status(f"opening {source} (a first run compiles for about half a minute)"):
        start_numba()
        from softdock.output.viewer.session import open_session

        session = open_session(source, changes)
        with _require_viser():
            from softdock.output.viewer.server import choose_port
            from softdock.output.viewer.show import Window
        chosen = choose_port(port)
        window = Window(session, chosen, dark=dark)
    _serve(window, no_browser, window.run)


def _view_rig(
    port: int | None, no_browser: bool, dark: bool, until_left: bool, ring: Path | None
) -> None:
    with show_status("opening the view beside a rig"):
        start_numba()
        if ring is not None:
            from softdock.recording.ring_file import open_ring

            open_ring(ring, read_only=True)  # refused before a page is opened
        with _require_viser():
            from softdock.output.viewer.rig_window import RigWindow
            from softdock.output.viewer.server import choose_port
        chosen = choose_port(port)
        window = RigWindow(chosen, dark=dark, ring=ring)
    _serve(window, no_browser, lambda: window.run(until_left=until_left))


@contextmanager
def _require_viser() -> Iterator[None]:
    """Turn an import error into a message if the extra `viewer` is not installed."""
    try:
        yield
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in ("viser", "websockets"):
            raise
        raise SoftdockError(MISSING) from None


def _serve(window: Any, no_browser: bool, run: Callable[[], None]) -> None:
    console.print(f"softdock view: {window.address}  (Ctrl-C ends it)", highlight=False)
    if not no_browser and not webbrowser.open(window.address):
        console.print("No browser could be opened here: open the address in one.")
    try:
        run()
    except KeyboardInterrupt:
        console.print("ended")
