"""`softdock rig listen`: who is there, how often, how old; does it fit the file. Nothing moves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from softdock.cli.progress import echo, output, working
from softdock.cli.rig_arguments import (
    JSON,
    RIG,
    RIG_CHANGES,
    SCENARIO_CHANGES,
    SCENARIO_OPTION,
    opened_on_rig,
    rig_methods,
)


@click.command(short_help="Hear robots and sensors: rates, ages, clocks, scale. Nothing moves.")
@RIG
@click.option("--seconds", type=click.FloatRange(0.5, 3600.0), default=5.0, show_default=True)
@SCENARIO_OPTION
@SCENARIO_CHANGES
@rig_methods
@RIG_CHANGES
@JSON
def listen(
    rig: str,
    seconds: float,
    scenario: str,
    scenario_changes: tuple[str, ...],
    method_files: tuple[Path, ...],
    changes: tuple[str, ...],
    as_json: bool,
) -> None:
    """Hear every robot and sensor of RIG for some seconds and compare with its file.

    Every telegram is answered with zero corrections: nothing moves. An emulated rig's peers are
    started if `softdock rig emulate` does not run already. Exit code 2: something does not fit.
    """
    with working(f"listening to {rig}") as update:
        from softdock.drivers.rig_conversation import Conversation
        from softdock.drivers.rig_emulation import peers_of
        from softdock.drivers.rig_listen import heard
        from softdock.drivers.rig_peers import open_peers

        on = opened_on_rig(rig, changes, scenario, scenario_changes, method_files, acts=False)
        with peers_of(on) as emulators, open_peers(on.rig) as peers:
            if emulators is not None:
                emulators.go()
            update(f"listening for {seconds:g} s, nothing moves")
            with Conversation(peers) as conversation:
                conversation.listen(seconds)
                found = heard(conversation, seconds)
    if as_json:
        echo(json.dumps(found.to_dict(), indent=1) + "\n")
    else:
        _show(on.rig, found)
    if found.problems:
        from softdock.errors import BadInput

        raise BadInput(found.problems)


def _number(value: float | None, digits: str = ".4g") -> str:
    return "-" if value is None else format(value, digits)


def _show(rig: Any, found: Any) -> None:
    from rich.table import Table

    table = Table(title=f"{rig.name}: robots", title_justify="left")
    for heading in ("robot", "telegrams/s", "IPOC step", "lost", "late", "drift", "jitter 99 %"):
        table.add_column(heading, justify="left" if heading == "robot" else "right")
    table.add_column("after the master", justify="right")
    table.add_column("RIst: mm, degrees", justify="left")
    for name, r in found.robots.items():
        stated = 1e3 / rig.clock.cycle_ms
        table.add_row(
            name,
            f"{_number(r.rate_Hz)} of {stated:.4g}",
            f"{r.step_ms} ms",
            str(r.lost),
            str(r.late_replies),
            f"{r.drift_ppm:.1f} ppm",
            f"{_number(r.jitter_us, '.0f')} us",
            f"{_number(r.phase_ms, '.2f')} ms",
            " ".join(f"{v:.3f}" for v in r.pose_mm_deg),
        )
    output().print(table)
    table = Table(title=f"{rig.name}: sensors", title_justify="left")
    for heading in ("sensor", "records/s", "lost", "faulty", "age", "worst", "mean N, Nm"):
        table.add_column(heading, justify="left" if heading == "sensor" else "right")
    table.add_column("says of itself", justify="left")
    for name, s in found.sensors.items():
        own = "not asked"
        if s.product is not None:
            own = f"{s.product}, {s.serial}, {s.calibration}"
            own += f", {s.counts_per_N:g} /N, {s.counts_per_Nm:g} /Nm"
        table.add_row(
            name,
            f"{_number(s.rate_Hz)} of {rig.sensors[name].rate_Hz}",
            str(s.lost),
            str(s.faulty),
            f"{_number(s.age_ms, '.3f')} ms",
            f"{_number(s.age_worst_ms, '.2f')} ms",
            " ".join(f"{v:.3g}" for v in s.mean or ()),
            own,
        )
    output().print(table)
    if not found.problems:
        said = f"{rig.name}: everything heard fits the file. Nothing has moved."
        output().print(said, markup=False, soft_wrap=True)
