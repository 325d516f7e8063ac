"""`softdock view`: the facility in a browser, run again at every change."""

from __future__ import annotations

import webbrowser

import click

from softdock.cli.arguments import CHANGES
from softdock.cli.numba_start import start_numba
from softdock.cli.progress import console, working
from softdock.errors import SoftdockError

MISSING = "the live viewer needs the extra 'viewer': pip install 'softdock[viewer]'"


@click.command(short_help="The facility live in a browser: turn delay, damping, method; watch.")
@click.argument("source", metavar="SCENARIO|PRESET|FOLDER|MCAP")
@CHANGES
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    help="Port on this machine. [default: the first free one from 8765]",
)
@click.option("--no-browser", is_flag=True, help="Open no browser; print the address only.")
@click.option("--light", is_flag=True, help="Light colours. [default: dark]")
def view(
    source: str, changes: tuple[str, ...], port: int | None, no_browser: bool, light: bool
) -> None:
    """Open a scenario, the folder of a run, or a recording (MCAP) in a browser.

    Sliders for delay, damping, stiffness, friction, speed, offset and method run it again at once.
    Listens on 127.0.0.1 only. Ends with Ctrl-C.
    """
    from softdock.viewer.guard import chosen_port

    with working(f"opening {source} (a first run compiles for about half a minute)"):
        start_numba()
        from softdock.viewer.session import opened

        session = opened(source, changes)
        chosen = chosen_port(port)
        try:
            from softdock.viewer.show import Window
        except ImportError as error:
            if (error.name or "").partition(".")[0] not in ("viser", "websockets"):
                raise
            raise SoftdockError(MISSING) from None
        window = Window(session, chosen, dark=not light)
    console.print(f"softdock view: {window.address}  (Ctrl-C ends it)", highlight=False)
    if not no_browser and not webbrowser.open(window.address):
        console.print("No browser could be opened here: open the address in one.")
    try:
        window.run()
    except KeyboardInterrupt:
        console.print("ended")
