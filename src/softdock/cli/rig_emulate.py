"""`softdock rig emulate`: the peers of an emulated rig as processes, until Ctrl-C."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import click

from softdock.cli.progress import console, echo, output, show_status
from softdock.cli.rig_arguments import (
    JSON,
    RIG,
    RIG_CHANGES,
    SCENARIO_CHANGES,
    SCENARIO_OPTION,
    open_on_rig,
    rig_methods,
    say,
)

LOOK_S = 0.2


@click.command(short_help="Start emulated robots and a sensor, with faults from a seed.")
@RIG
@SCENARIO_OPTION
@SCENARIO_CHANGES
@rig_methods
@click.option(
    "--faults",
    default="",
    metavar="TEXT",
    help="What goes wrong: loss=0.01,duplicates=0.01,reordering=0.01,malformed=0.01,"
    "latency_us=100,jitter_us=50,stall=20ms@3s,freeze=1s@5s,saturate=0.1s@4s,drift=50ppm@1s.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**31 - 1),
    help="Seed of the faults. [default: as in the file]",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0.1, 1e6),
    help="End after this time. [default: Ctrl-C ends it]",
)
@RIG_CHANGES
@JSON
def emulate(
    rig: str,
    scenario: str,
    scenario_changes: tuple[str, ...],
    method_files: tuple[Path, ...],
    faults: str,
    seed: int | None,
    seconds: float | None,
    changes: tuple[str, ...],
    as_json: bool,
) -> None:
    """Start the robot controllers (RSI) and sensors (Net F/T) of RIG as emulators on loopback, each
    a process of its own.

    Other commands, in another terminal, find them there. A controller starts RSI again a second
    after it has ended, as an operator would.
    """
    with show_status("starting the emulators"):
        from softdock.errors import BadInput, Problem
        from softdock.rig.drivers.emulated_robot import ROBOTS
        from softdock.rig.drivers.emulators import Emulators
        from softdock.rig.emulated_rig import are_emulators_running, make_emulation, read_faults

        on = open_on_rig(rig, changes, scenario, scenario_changes, method_files, acts=False)
        emulation = make_emulation(on, read_faults(on.rig, faults, seed), patient=True)
        if are_emulators_running(on.rig):
            sensor = next(iter(on.rig.sensors.values()))
            given, allowed = f"{sensor.address}:{sensor.port}", "a free port: do they run already?"
            raise BadInput(Problem("sensors.port", given, allowed, on.rig.file))
        emulators = Emulators(emulation)
        emulators.__enter__()
    try:
        emulators.go()
        for name, port in emulators.ports.items():
            told = ", ".join(f"{k.replace('_', ' ')} {v}" for k, v in port.items())
            say(f"{name}: {told}")
        say(f"{on.rig.name}, {on.scenario.name}: RSI is on. Ctrl-C ends.")
        _watch(emulators, seconds)
    except KeyboardInterrupt:
        say("ending")
    finally:
        shown = {name: emulators.seen(ROBOTS.index(name)) for name in on.rig.moving}
        emulators.__exit__()
    _tell(shown, as_json)


def _watch(emulators: Any, seconds: float | None) -> None:
    """What the controllers' screens show, when it changes."""
    from softdock.rig.drivers.emulated_robot import ROBOTS

    names = emulators.emulation.moving
    last: dict[str, str] = {}
    begun = time.monotonic()
    with console.status("") as status:
        while seconds is None or time.monotonic() - begun < seconds:
            time.sleep(LOOK_S)
            now = {name: emulators.seen(ROBOTS.index(name)) for name in names}
            for name, shown in now.items():
                if last.get(name) not in (None, shown["state"]):
                    say(f"{time.monotonic() - begun:.1f} s: {name}: {shown['state']}")
                last[name] = shown["state"]
            line = "; ".join(f"{n}: {s['state']}, Delay {s['late']}" for n, s in now.items())
            status.update(line)


def _tell(shown: dict[str, dict[str, Any]], as_json: bool) -> None:
    if as_json:
        echo(json.dumps(shown, indent=1) + "\n")
        return
    for name, row in shown.items():
        text = f"{name}: {row['state']}, {row['ticks']} cycles, {row['late']} replies late"
        output().print(text, markup=False, soft_wrap=True)
