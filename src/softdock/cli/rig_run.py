"""`softdock rig run`: a scenario on a rig, from standstill to standstill; and `softdock rig
retreat`, the way out after a stop."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from softdock.cli.arguments import (
    FAIL_ON,
    OUT_FOLDER,
    ScenarioName,
    exit_if_failed,
)
from softdock.cli.progress import echo, show_status
from softdock.cli.rig_arguments import (
    JSON,
    RIG,
    RIG_CHANGES,
    RIG_OUT,
    SCENARIO_CHANGES,
    SCENARIO_OPTION,
    RigName,
    confirm_motion,
    open_on_rig,
    rig_methods,
)
from softdock.cli.rig_console import (
    NO_SAFETY,
    Live,
    convert_to_dict,
    describe_granted,
    judge_recordings,
    show_series,
)
from softdock.cli.view import MISSING
from softdock.errors import SoftdockError

if TYPE_CHECKING:
    from softdock.rig.model import Rig
    from softdock.rig.runs import RigRun, RigSeries
    from softdock.rig.scenario import OnRig

STOPPED = 3  # exit code: the supervisor ended a run


@click.command(
    short_help="Run a scenario on a rig: run-up, docking, return; recorded and supervised."
)
@click.argument("rig", type=RigName(), metavar="RIG|PRESET")
@click.argument("scenario", type=ScenarioName(), metavar="SCENARIO|PRESET")
@click.option("--dry", is_flag=True, help="Run without contact: the mock-ups stay apart.")
@click.option(
    "--clearance-mm",
    type=click.FloatRange(1.0, 10_000.0),
    help="How far the chaser stays back in a dry run. [default: 20 mm beyond its free flight]",
)
@click.option(
    "--repeat",
    type=click.IntRange(1, 1000),
    default=1,
    show_default=True,
    metavar="N",
    help="How many runs, one after the other.",
)
@RIG_OUT
@click.option("--no-record", is_flag=True, help="Record nothing.")
@click.option("--note", default="", help="A text to keep in the recording.")
@click.option(
    "--foxglove",
    type=click.IntRange(0, 65535),
    is_flag=False,
    flag_value=8765,
    metavar="[PORT]",
    help="Stream the run to Foxglove on this computer, at ws://127.0.0.1:PORT. [default: 8765]",
)
@click.option(
    "--ros2",
    type=click.IntRange(1, 1000),
    is_flag=False,
    flag_value=100,
    metavar="[HZ]",
    help="Publish the run to ROS 2, at most HZ messages a second of each topic. [default: 100]",
)
@click.option("--view", is_flag=True, help="Also show the run in a browser (read only).")
@SCENARIO_CHANGES
@rig_methods
@RIG_CHANGES
@FAIL_ON
@JSON
def run(
    rig: str,
    scenario: str,
    dry: bool,
    clearance_mm: float | None,
    repeat: int,
    out: Path | None,
    no_record: bool,
    note: str,
    foxglove: int | None,
    ros2: int | None,
    view: bool,
    scenario_changes: tuple[str, ...],
    method_files: tuple[Path, ...],
    changes: tuple[str, ...],
    fail_on: str | None,
    as_json: bool,
) -> None:
    """Run SCENARIO on RIG: connect, go to the start, run up, dock, brake and return.

    Robots and sensor of a rig with [emulate] are started as processes of their own. Beyond
    loopback a person types speed, box and energy bound first. Ctrl-C stops the robots within the
    stated deceleration; a second one ends the answers, and the robots' Timeout stops them.

    Each recording gets its verdict against the on-orbit reference, and a page beside it.

    Exit code 0: completed, and recorded; 3: the supervisor stopped a run, or a recording is not
    whole; 4: --fail-on, by the worst verdict.

    softdock is no safety function: the robots' own limits and safety controller are the guard.
    """
    with show_status("loading"):
        from softdock.rig.preflight import NO_SHIFT, compute_dry_shift, refuse_impossible
        from softdock.rig.runs import choose_folder

        on = open_on_rig(rig, changes, scenario, scenario_changes, method_files)
        shift = NO_SHIFT
        if dry:
            shift = compute_dry_shift(on, None if clearance_mm is None else 1e-3 * clearance_mm)
        refuse_impossible(on, shift)
        _refuse_streams(foxglove, ros2, no_record)
    what = f"{'a dry run of ' if dry else ''}{on.scenario.tables['name']}, {repeat} times"
    folder, live = None if no_record else choose_folder(on, out), Live(as_json)
    shown: list[Any] = []
    if fail_on is not None and no_record:
        raise click.UsageError("--fail-on needs a verdict, and a verdict a recording")
    if view:
        if no_record:
            raise click.UsageError("--view shows what is recorded: not with --no-record")
        shown = [Viewer(taken=(foxglove,) if foxglove else ())]
        live.say(f"softdock view: {shown[0].address}  (read only; stays while its page is open)")
    streams = (foxglove, ros2)
    series = run_commanded(
        on, what, live, repeat, shift, folder, note, streams=streams, shown=shown
    )
    with show_status("judging the recordings"):
        judged = judge_recordings(series)
    if as_json:
        echo(json.dumps(convert_to_dict(on, series, judged), indent=1, allow_nan=False) + "\n")
    else:
        show_series(on, series, judged)
    exit_if_stopped(series)
    for one in judged:
        exit_if_failed(fail_on, one)


def exit_if_stopped(series: RigSeries) -> None:
    """The exit code of a series: a run that was stopped, or a recording that is not whole."""
    if not series.completed or not series.recorded:
        raise SystemExit(STOPPED)


def run_commanded(
    on: OnRig,
    what: str,
    live: Live,
    repeat: int,
    shift: tuple[float, float, float],
    folder: Path | None,
    note: str,
    task: int | None = None,
    streams: tuple[int | None, int | None] = (None, None),
    shown: list[Any] | None = None,
) -> RigSeries:
    """The series: confirmed, locked, on its sockets. `streams`: a port for Foxglove, a rate for
    ROS 2; `shown`: what looks on beside the run, and may die (`problem`)."""
    from softdock.rig.bridge import Bridges
    from softdock.rig.emulated_rig import start_peers
    from softdock.rig.peers import Commander, open_peers
    from softdock.rig.preflight import compute_energy_bound
    from softdock.rig.runs import run_series
    from softdock.rig.supervisor.layout import DOCK

    with show_status("preparing the rig"):  # what is compiled for the first time is named
        from softdock.rig.machine import OF_A_RUN, warm_part

        for part in OF_A_RUN:
            warm_part(on, part)
    live.say(NO_SAFETY)
    _say_left_rings(live)
    confirm_motion(on.rig, what, on.rig.limits.speed_m_per_s, compute_energy_bound(on))
    try:
        with (
            Commander(on.rig),
            start_peers(on) as emulators,
            open_peers(on.rig) as peers,
            _open_streams(*streams, live) as opened,
        ):
            drivers = emulators if isinstance(emulators, Bridges) else None
            beside = [*(shown or []), *opened, *([] if drivers is None else [drivers])]

            def switch_on() -> None:
                if emulators is not None:
                    emulators.go()
                if waits_for_rsi(on.rig):
                    live.say("waiting for the robots: switch RSI on")

            def begun(granted: Any) -> None:
                live.say(describe_granted(granted))
                refuse_slow(on, granted)

            def ended(number: int, done: RigRun) -> None:
                live.say(f"run {number + 1} of {repeat}: {done.outcome.reason}")
                for line in done.problems:
                    live.say(line)

            def recorded(rings: Path) -> None:
                for one in opened:
                    one.show(rings)

            series = run_series(
                on,
                peers,
                switch_on,
                repeat=repeat,
                shift_m=shift,
                folder=folder,
                note=note,
                task=DOCK if task is None else task,
                look=_make_look(live, beside),
                recorded=recorded,
                begun=begun,
                ended=ended,
                troubled=live.say,
            )
            if drivers is not None:
                series = replace(series, drivers=drivers.latencies())
            return series
    finally:
        live.close()


def waits_for_rsi(rig: Rig) -> bool:
    """Whether a person at a robot's controller begins: nobody here does."""
    if rig.emulate is not None:
        return False
    return any(rig.robot_driver(which).compiled for which in rig.moving)


def _refuse_streams(port: int | None, rate_Hz: int | None, no_record: bool) -> None:
    from softdock.errors import BadInput, Problem
    from softdock.recording.live import import_foxglove
    from softdock.recording.ros2 import refuse_ros2

    for option, value, package in (
        ("--foxglove", port, import_foxglove),
        ("--ros2", rate_Hz, refuse_ros2),
    ):
        if value is None:
            continue
        package()
        if no_record:
            allowed = "a recording: the stream is taken from its rings (without --no-record)"
            raise BadInput(Problem(option, value, allowed))


@contextlib.contextmanager
def _open_streams(port: int | None, rate_Hz: int | None, live: Live) -> Iterator[list[Any]]:
    """The live streams, to be told the rings of each run."""
    from softdock.recording.live import stream_to_foxglove, stream_to_ros2

    opened: list[Any] = []
    with contextlib.ExitStack() as stack:
        if port is not None:
            opened.append(stack.enter_context(stream_to_foxglove(port)))
            live.say(f"live for Foxglove on this computer: {opened[-1].address}")
        if rate_Hz is not None:
            opened.append(stack.enter_context(stream_to_ros2(rate_Hz)))
            live.say(f"live for ROS 2: {opened[-1].address}")
        yield opened
    for one in opened:
        if one.summary:
            live.say(one.summary)


def _make_look(live: Live, beside: list[Any]) -> Callable[[Any, float], None]:
    """The console, and once what has happened to a process beside the run."""
    reported = set[str]()

    def look(program: Any, elapsed_s: float) -> None:
        live(program, elapsed_s)
        for text in {one.problem for one in beside} - reported - {""}:
            reported.add(text)
            live.say(text)

    return look


def _say_left_rings(live: Live) -> None:
    """What runs that were killed have left in memory."""
    from softdock.recording.rings import list_left_rings

    left = list_left_rings()
    if left:
        MB = sum(ring.MB for ring in left)
        live.say(
            f"{len(left)} ring{'s' if len(left) > 1 else ''} in memory of runs that did not end in "
            f"order, {MB:.0f} MB: "
            "softdock rig recover --list, --clear"
        )


def refuse_slow(on: OnRig, granted: Any) -> None:
    """Real-time priority is required beyond loopback, unless the rig file says otherwise."""
    from softdock.errors import BadInput, Problem

    wanted = on.rig.machine.require_realtime
    required = wanted == "always" or (wanted == "beyond_loopback" and on.rig.real)
    if required and granted.fifo == 0:
        allowed = (
            f"SCHED_FIFO for this user (ulimit -r, or CAP_SYS_NICE); {describe_granted(granted)}"
        )
        raise BadInput(Problem("machine.require_realtime", wanted, allowed, on.rig.file))


# The view beside a rig, started by `softdock rig run --view`: a process of its own, read only.


class Viewer:
    """Starts it. It finds the loop's rings by itself, outlives this process as long as its page is
    open, and hears nothing that is typed here. `taken`: ports that others of this run will want."""

    def __init__(self, open_browser: bool = True, taken: tuple[int, ...] = ()) -> None:
        from softdock.output.viewer.server import HOST, choose_port

        if importlib.util.find_spec("viser") is None:
            raise SoftdockError(MISSING)
        port = choose_port(None, taken)
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
    def problem(self) -> str:
        """What is wrong with it, now. It ends by itself, with 0, when its page is closed."""
        code = self.process.poll()
        if code in (None, 0):
            return ""
        return f"the view has ended (exit code {code}); the run goes on"


# `softdock rig retreat`: the way out after a stop, also out of a jammed cone.


@click.command(
    short_help="Back out after a stop, along stop.axis, and give way to sideways forces."
)
@RIG
@click.option("--way-mm", type=click.FloatRange(0.1, 1000.0), help="[default: stop.retreat_m]")
@click.option(
    "--out",
    type=OUT_FOLDER,
    metavar="DIR",
    help="Folder for the recording: new, or empty. [default: nothing is recorded]",
)
@SCENARIO_OPTION
@SCENARIO_CHANGES
@rig_methods
@RIG_CHANGES
@JSON
def retreat(
    rig: str,
    way_mm: float | None,
    out: Path | None,
    scenario: str,
    scenario_changes: tuple[str, ...],
    method_files: tuple[Path, ...],
    changes: tuple[str, ...],
    as_json: bool,
) -> None:
    """Move the chaser of RIG slowly along stop.axis, away from the target, from where it stood when
    RSI was switched on again. Sideways it gives way to the measured force
    (stop.relief_m_per_s_per_N), so that a probe leaves a cone that it jams in. It stops when the
    force grows: above stop.retreat_force_N and above 1.2 times what it was.

    Beyond loopback a person types speed, box and energy bound first. softdock is no safety
    function.
    """
    with show_status("loading"):
        from softdock.rig.preflight import NO_SHIFT
        from softdock.rig.supervisor.layout import LEAVE

        if way_mm is not None:
            changes = (*changes, f"stop.retreat_m={1e-3 * way_mm}")
        on = open_on_rig(rig, changes, scenario, scenario_changes, method_files, acts=False)
    way = 1e3 * on.rig.stop.retreat_m
    what = f"the way out, {way:g} mm along {list(on.rig.stop.axis)}"
    series = run_commanded(
        on, what, Live(as_json), repeat=1, shift=NO_SHIFT, folder=out, note="", task=LEAVE
    )
    if as_json:
        echo(json.dumps(convert_to_dict(on, series), indent=1, allow_nan=False) + "\n")
    else:
        show_series(on, series)
    exit_if_stopped(series)
