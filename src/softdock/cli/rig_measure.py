"""Commands that measure a rig and dock nothing: `softdock rig delay` (the delay of each robot, the
age of the forces), `tare`, `listen` and `machine`."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import click

from softdock.cli.progress import echo, output, show_status
from softdock.cli.rig_arguments import (
    JSON,
    RIG,
    RIG_CHANGES,
    SCENARIO_CHANGES,
    SCENARIO_OPTION,
    confirm_motion,
    open_on_rig,
    open_rig,
    rig_methods,
)


@click.command(short_help="Sway in free space to measure each robot's delay and the age of forces.")
@RIG
@click.option(
    "--amplitude-mm",
    type=click.FloatRange(0.01, 50.0),
    default=2.0,
    show_default=True,
    help="Amplitude of the motion.",
)
@click.option(
    "--frequency-hz",
    type=click.FloatRange(0.1, 5.0),
    default=1.0,
    show_default=True,
    help="Its frequency.",
)
@click.option(
    "--periods",
    type=click.IntRange(3, 100),
    default=5,
    show_default=True,
    help="Periods that are measured.",
)
@click.option("--write", is_flag=True, help="Write what was found into RIG's file.")
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
    """Let both robots of RIG sway apart by a few millimetres and find each one's delay
    from set-points and measured poses; add the age of the forces.

    It moves, away from the other mock-up (stop.axis). Beyond loopback it asks a person to type
    what will move. The way is checked against box, limits and speeds first. --write puts the found
    delays into the file, and says what stood there; everything else in it stays as it is.
    """
    _refuse_write(rig, write)
    with show_status("measuring delays") as update:
        from softdock.rig.conversation import Conversation
        from softdock.rig.emulated_rig import start_peers
        from softdock.rig.measure import fit_delays, sway_robots
        from softdock.rig.peers import open_peers

        on = open_on_rig(rig, changes, scenario, scenario_changes, method_files, acts=False)
        speed = 1e-3 * amplitude_mm * math.pi * frequency_hz
        confirm_motion(on.rig, f"swaying by {amplitude_mm:g} mm", speed)
        with start_peers(on) as emulators, open_peers(on.rig) as peers:
            if emulators is not None:
                emulators.go()
            with Conversation(peers) as talk:
                sway_robots(on, talk, amplitude_mm, frequency_hz, periods, update)
        delays = fit_delays(on, talk)
    before = _write(rig, delays) if write else {}
    if as_json:
        told = delays.to_dict() | ({"written": before} if write else {})
        echo(json.dumps(told, indent=1, allow_nan=False) + "\n")
        return
    _show_delays(on.rig, delays)
    for key, was in before.items():
        text = f"{rig}: {key} written" + ("" if was is None else f", it was {was:g}")
        output().print(text, markup=False, soft_wrap=True)


def _refuse_write(rig: str, write: bool) -> None:
    """Before anything moves: a preset cannot be written to."""
    from softdock.rig.writing import write_back

    if write:
        write_back(rig, {})


def list_measured_keys(delays: Any) -> dict[str, float]:
    """Keys of the rig file that the measurement states [ms]."""
    robots = {
        f"robots.{which}.delay_ms": round(1e3 * estimate.value, 3)
        for which, estimate in delays.robots.items()
        if estimate is not None
    }
    ages = delays.force_age_s.items()
    return robots | {f"sensors.{name}.delay_ms": round(1e3 * age, 3) for name, age in ages}


def _write(rig: str, found: Any) -> dict[str, Any]:
    from softdock.rig.writing import write_back

    return write_back(rig, list_measured_keys(found))


def _show_delays(rig: Any, delays: Any) -> None:
    lines = []
    for which, estimate in delays.robots.items():
        stated = rig.robots[which].delay_ms
        known = f" (the file says {stated:g})" if stated is not None else ""
        if estimate is None:
            lines.append(f"{which}: its motion shows no delay")
            continue
        ms = type(estimate)(1e3 * estimate.value, 1e3 * estimate.uncertainty)
        lines.append(f"{which}: {format_estimate(ms)} ms from a set-point's instant to RIst{known}")
        if which in delays.structured:
            lines.append(f"{which}: no pure delay; this one fits best")
    for name, age in delays.force_age_s.items():
        half = 0.5e3 * delays.force_period_s[name]
        lines.append(f"forces of the {name}: {1e3 * age:.3f} ms old (half a period: {half:.3f})")
    if delays.whole_s is not None:
        hold = 0.5e3 * delays.cycle_s
        lines.append(
            f"whole delay: {1e3 * delays.whole_s:.3f} ms, and {hold:g} ms that a set-point is held"
        )
    lines.append("for the rig file (--write puts it there):")
    for key, value in list_measured_keys(delays).items():
        table, _, name = key.rpartition(".")
        lines += [f"  [{table}]", f"  {name} = {value:.3f}"]
    output().print("\n".join(lines), markup=False, soft_wrap=True)


def format_estimate(estimate: Any) -> str:
    """A value and its standard uncertainty."""
    return f"{estimate.value:.5g} +- {estimate.uncertainty:.2g}"


# `softdock rig tare`: tool and bias of the force sensor, from poses in free space or a log.


@click.command(
    short_help="Turn the flange in free space to measure tool mass, centre and sensor bias."
)
@RIG
@click.option(
    "--angle-deg",
    type=click.FloatRange(1.2, 180.0),
    default=10.0,
    show_default=True,
    help="Turn about each axis, to either side.",
)
@click.option(
    "--hold-s",
    type=click.FloatRange(0.1, 60.0),
    default=0.5,
    show_default=True,
    help="How long it stands at each angle.",
)
@click.option(
    "--log",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="From a recording (MCAP) or a run folder that rests in several attitudes; nothing moves.",
)
@SCENARIO_OPTION
@SCENARIO_CHANGES
@rig_methods
@RIG_CHANGES
@JSON
def tare(
    rig: str,
    angle_deg: float,
    hold_s: float,
    log: Path | None,
    scenario: str,
    scenario_changes: tuple[str, ...],
    method_files: tuple[Path, ...],
    changes: tuple[str, ...],
    as_json: bool,
) -> None:
    """Turn the flange that carries a sensor of RIG to and fro about each axis, in free space, and
    find the tool's mass and centre of mass and the sensor's bias, each with its uncertainty, by the
    code of `softdock calibrate`; and whether the scenario needs better.

    It moves. Beyond loopback it asks a person to type what will move. The way is checked against
    box, limits and speeds first; a force, the operator's stop or a silent robot lets it stand.
    """
    from softdock.cli.tables import calibration_to_dict, print_calibration
    from softdock.output.folders.identified import calibration_lines
    from softdock.rig.measure import locate_sensor
    from softdock.studies.identify.calibration import warn_if_uncertain

    with show_status("taring") as update:
        on = open_on_rig(rig, changes, scenario, scenario_changes, method_files, acts=False)
        tools = _read_tools(on, log) if log else _measure_tools(on, angle_deg, hold_s, update)
        lacking = {
            which: warn_if_uncertain(tool, on.scenario, which) for which, tool in tools.items()
        }
    name = on.scenario.name
    if as_json:
        found = {
            which: calibration_to_dict(tool, name, lacking[which]) for which, tool in tools.items()
        }
        echo(json.dumps(found, indent=1, allow_nan=False) + "\n")
        return
    for which, tool in tools.items():
        lines = calibration_lines(tool, which, locate_sensor(on, which))
        print_calibration(tool, lines, name, lacking[which], f"the {which}'s tool, ")


def _read_tools(on: Any, log: Path) -> dict[str, Any]:
    from softdock.output.folders.identified import load_calibration
    from softdock.rig.measure import compute_gravity

    return {which: load_calibration(log, which, compute_gravity(on)) for which in on.rig.sensors}


def _measure_tools(on: Any, angle_deg: float, hold_s: float, update: Any) -> dict[str, Any]:
    from softdock.rig.conversation import Conversation
    from softdock.rig.emulated_rig import start_peers
    from softdock.rig.measure import fit_tools, turn_sensors
    from softdock.rig.peers import open_peers

    confirm_motion(on.rig, f"turning by {angle_deg:g} degrees", 0.0)
    with start_peers(on) as emulators, open_peers(on.rig) as peers:
        if emulators is not None:
            emulators.go()
        with Conversation(peers) as talk:
            turn_sensors(on, talk, angle_deg, hold_s, update)
    return dict(fit_tools(on, talk))


# `softdock rig listen`: who is there, how often, how old; does it fit the file. Nothing moves.


@click.command(
    short_help="Listen to robots and sensors and compare with the rig file. Nothing moves."
)
@RIG
@click.option(
    "--seconds",
    type=click.FloatRange(0.5, 3600.0),
    default=5.0,
    show_default=True,
    help="How long to listen.",
)
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
    with show_status(f"listening to {rig}") as update:
        from softdock.rig.conversation import Conversation, summarise
        from softdock.rig.emulated_rig import start_peers
        from softdock.rig.peers import open_peers

        on = open_on_rig(rig, changes, scenario, scenario_changes, method_files, acts=False)
        with start_peers(on) as emulators, open_peers(on.rig) as peers:
            if emulators is not None:
                emulators.go()
            update(f"listening for {seconds:g} s, nothing moves")
            with Conversation(peers) as conversation:
                conversation.listen(seconds)
                summary = summarise(conversation, seconds)
    if as_json:
        echo(json.dumps(summary.to_dict(), indent=1) + "\n")
    else:
        _show_heard(on.rig, summary)
    if summary.problems:
        from softdock.errors import BadInput

        raise BadInput(summary.problems)


def _format_number(value: float | None, digits: str = ".4g") -> str:
    return "-" if value is None else format(value, digits)


def _show_heard(rig: Any, summary: Any) -> None:
    from rich.table import Table

    table = Table(title=f"{rig.name}: robots", title_justify="left")
    for heading in ("robot", "telegrams/s", "IPOC step", "lost", "late", "drift", "jitter 99 %"):
        table.add_column(heading, justify="left" if heading == "robot" else "right")
    table.add_column("after the master", justify="right")
    table.add_column("RIst: mm, degrees", justify="left")
    for name, r in summary.robots.items():
        stated = 1e3 / rig.clock.cycle_ms
        table.add_row(
            name,
            f"{_format_number(r.rate_Hz)} of {stated:.4g}",
            f"{r.step_ms} ms",
            str(r.lost),
            str(r.late_replies),
            f"{r.drift_ppm:.1f} ppm",
            f"{_format_number(r.jitter_us, '.0f')} us",
            f"{_format_number(r.phase_ms, '.2f')} ms",
            " ".join(f"{v:.3f}" for v in r.pose_mm_deg),
        )
    output().print(table)
    table = Table(title=f"{rig.name}: sensors", title_justify="left")
    for heading in ("sensor", "records/s", "lost", "faulty", "age", "worst", "mean N, Nm"):
        table.add_column(heading, justify="left" if heading == "sensor" else "right")
    table.add_column("says of itself", justify="left")
    for name, s in summary.sensors.items():
        own = "not asked"
        if s.product is not None:
            own = f"{s.product}, {s.serial}, {s.calibration}"
            own += f", {s.counts_per_N:g} /N, {s.counts_per_Nm:g} /Nm"
        table.add_row(
            name,
            f"{_format_number(s.rate_Hz)} of {rig.sensors[name].rate_Hz}",
            str(s.lost),
            str(s.faulty),
            f"{_format_number(s.age_ms, '.3f')} ms",
            f"{_format_number(s.age_worst_ms, '.2f')} ms",
            " ".join(f"{v:.3g}" for v in s.mean or ()),
            own,
        )
    output().print(table)
    if not summary.problems:
        text = f"{rig.name}: everything heard fits the file. Nothing has moved."
        output().print(text, markup=False, soft_wrap=True)


# `softdock rig machine`: what this computer can do for a rig.


@click.command(short_help="Measure this computer: priority, jitter, the loop beside a plain echo.")
@RIG
@click.option(
    "--seconds",
    type=click.FloatRange(1.0, 3600.0),
    default=20.0,
    show_default=True,
    help="How long to measure.",
)
@RIG_CHANGES
@JSON
def machine(rig: str, seconds: float, changes: tuple[str, ...], as_json: bool) -> None:
    """Measure whether this computer keeps RIG's cycle: granted priority and locked memory, delay of
    a thread's wake-up, and answer times of the compiled loop between emulated robots, docking and
    only echoing in turn.

    Answers that are as late in the echo are the computer's fault. Run it on an idle computer.
    """
    with show_status("measuring this computer") as update:
        from softdock.rig.machine import measure_machine

        report = measure_machine(open_rig(rig, changes), seconds, update)
    if as_json:
        echo(json.dumps(report.to_dict(), indent=1) + "\n")
        return
    _show_machine(report)


def _show_machine(report: Any) -> None:
    from rich.table import Table

    title = f"{report.system}, {report.cores} cores; cycle {report.cycle_ms:g} ms"
    table = Table(title=title, title_justify="left")
    for heading in ("microseconds", "number", "50 %", "99 %", "99.9 %", "99.99 %", "worst"):
        table.add_column(heading, justify="left" if heading == "microseconds" else "right")
    rows = (
        ("wake-up latency", report.wake_up),
        ("loop with a docking: receive to send", report.program),
        ("loop that only echoes", report.echo),
    )
    for name, times in rows:
        if times is not None:
            values = (times.p50, times.p99, times.p999, times.p9999, times.worst)
            table.add_row(name, str(times.number), *(f"{v:.0f}" for v in values))
    output().print(table)
    for sentence in report.sentences():
        output().print(sentence, markup=False, soft_wrap=True)
