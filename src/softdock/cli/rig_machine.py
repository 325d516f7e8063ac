"""`softdock rig machine`: what this computer can do for a rig."""

from __future__ import annotations

import json
from typing import Any

import click

from softdock.cli.progress import echo, output, working
from softdock.cli.rig_arguments import JSON, RIG, RIG_CHANGES, opened_rig


@click.command(short_help="What this computer can do: priority, jitter, the loop beside an echo.")
@RIG
@click.option("--seconds", type=click.FloatRange(1.0, 3600.0), default=20.0, show_default=True)
@RIG_CHANGES
@JSON
def machine(rig: str, seconds: float, changes: tuple[str, ...], as_json: bool) -> None:
    """Priority and locked memory as granted, how late a thread wakes up at RIG's cycle, and the
    compiled loop between emulated robots on loopback, docking and only echoing, alternately.

    Where the echo has the same tail, the tail is the machine's. Run it on an idle computer.
    """
    with working("measuring this computer") as update:
        from softdock.drivers.rig_machine import measure_machine

        found = measure_machine(opened_rig(rig, changes), seconds, update)
    if as_json:
        echo(json.dumps(found.to_dict(), indent=1) + "\n")
        return
    _show(found)


def _show(found: Any) -> None:
    from rich.table import Table

    title = f"{found.system}, {found.cores} cores; cycle {found.cycle_ms:g} ms"
    table = Table(title=title, title_justify="left")
    for heading in ("microseconds", "number", "50 %", "99 %", "99.9 %", "99.99 %", "worst"):
        table.add_column(heading, justify="left" if heading == "microseconds" else "right")
    rows = (
        ("wakes up late by", found.wake_up),
        ("loop with a docking: receive to send", found.program),
        ("loop that only echoes", found.echo),
    )
    for name, times in rows:
        if times is not None:
            values = (times.p50, times.p99, times.p999, times.p9999, times.worst)
            table.add_row(name, str(times.number), *(f"{v:.0f}" for v in values))
    output().print(table)
    for sentence in found.sentences():
        output().print(sentence, markup=False, soft_wrap=True)
