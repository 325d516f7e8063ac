"""`softdock rig delay`: the delay of each robot and the age of the forces, measured."""

from __future__ import annotations

import json
import math
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
from softdock.cli.rig_confirm import confirm_motion


@click.command(short_help="Sway in free space: each robot's delay, the age of forces, their sum.")
@RIG
@click.option("--amplitude-mm", type=click.FloatRange(0.01, 50.0), default=2.0, show_default=True)
@click.option("--frequency-hz", type=click.FloatRange(0.1, 5.0), default=1.0, show_default=True)
@click.option("--periods", type=click.IntRange(3, 100), default=5, show_default=True)
@click.option("--write", is_flag=True, help="State what was found in RIG's file.")
@SCENARIO_OPTION
@SCENARIO_CHANGES
@rig_methods
@RIG_CHANGES
@JSON
def delay(
    rig: str,
    amplitude_mm: float,
    frequency_hz: float,
    periods: int,
    write: bool,
    scenario: str,
    scenario_changes: tuple[str, ...],
    method_files: tuple[Path, ...],
    changes: tuple[str, ...],
    as_json: bool,
) -> None:
    """Let both robots of RIG sway apart by a few millimetres and find from set-points and measured
    poses how late each one is; add the age of the forces.

    It moves, away from the other mock-up (stop.axis). Beyond loopback it asks a person to type
    what will move. The way is checked against box, limits and speeds first. --write puts the found
    delays into the file, and says what stood there; everything else in it stays as it is.
    """
    _refuse_write(rig, write)
    with working("measuring delays") as update:
        from softdock.drivers.rig_conversation import Conversation
        from softdock.drivers.rig_emulation import peers_of
        from softdock.drivers.rig_measure import delays_found, sway
        from softdock.drivers.rig_peers import open_peers

        on = opened_on_rig(rig, changes, scenario, scenario_changes, method_files, acts=False)
        speed = 1e-3 * amplitude_mm * math.pi * frequency_hz
        confirm_motion(on.rig, f"swaying by {amplitude_mm:g} mm", speed)
        with peers_of(on) as emulators, open_peers(on.rig) as peers:
            if emulators is not None:
                emulators.go()
            with Conversation(peers) as talk:
                sway(on, talk, amplitude_mm, frequency_hz, periods, update)
        found = delays_found(on, talk)
    before = _write(rig, found) if write else {}
    if as_json:
        told = found.to_dict() | ({"written": before} if write else {})
        echo(json.dumps(told, indent=1, allow_nan=False) + "\n")
        return
    _show(on.rig, found)
    for key, was in before.items():
        text = f"{rig}: {key} written" + ("" if was is None else f", it was {was:g}")
        output().print(text, markup=False, soft_wrap=True)


def _refuse_write(rig: str, write: bool) -> None:
    """Before anything moves: a preset cannot be written to."""
    from softdock.drivers.rig_write import written_back

    if write:
        written_back(rig, {})


def measured_keys(found: Any) -> dict[str, float]:
    """Keys of the rig file that the measurement states [ms]."""
    robots = {
        f"robots.{which}.delay_ms": round(1e3 * estimate.value, 3)
        for which, estimate in found.robots.items()
        if estimate is not None
    }
    ages = found.force_age_s.items()
    return robots | {f"sensors.{name}.delay_ms": round(1e3 * age, 3) for name, age in ages}


def _write(rig: str, found: Any) -> dict[str, Any]:
    from softdock.drivers.rig_write import written_back

    return written_back(rig, measured_keys(found))


def _show(rig: Any, found: Any) -> None:
    lines = []
    for which, estimate in found.robots.items():
        stated = rig.robots[which].delay_ms
        known = f" (the file says {stated:g})" if stated is not None else ""
        if estimate is None:
            lines.append(f"{which}: its motion shows no delay")
            continue
        ms = type(estimate)(1e3 * estimate.value, 1e3 * estimate.uncertainty)
        lines.append(f"{which}: {spelt(ms)} ms from a set-point's instant to RIst{known}")
        if which in found.structured:
            lines.append(f"{which}: no pure delay; this one fits best")
    for name, age in found.force_age_s.items():
        half = 0.5e3 * found.force_period_s[name]
        lines.append(f"forces of the {name}: {1e3 * age:.3f} ms old (half a period: {half:.3f})")
    if found.whole_s is not None:
        hold = 0.5e3 * found.cycle_s
        lines.append(
            f"whole delay: {1e3 * found.whole_s:.3f} ms, and {hold:g} ms that a set-point is held"
        )
    lines.append("for the rig file (--write puts it there):")
    for key, value in measured_keys(found).items():
        table, _, name = key.rpartition(".")
        lines += [f"  [{table}]", f"  {name} = {value:.3f}"]
    output().print("\n".join(lines), markup=False, soft_wrap=True)


def spelt(estimate: Any) -> str:
    """A value and its standard uncertainty."""
    return f"{estimate.value:.5g} +- {estimate.uncertainty:.2g}"
