"""`softdock rig run`: a scenario on a rig, from standstill to standstill."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from softdock.cli.arguments import FAIL_ON, OUT_FOLDER, ScenarioName, end_if_failed
from softdock.cli.progress import echo, working
from softdock.cli.rig_arguments import (
    JSON,
    RIG_CHANGES,
    SCENARIO_CHANGES,
    RigName,
    opened_on_rig,
    rig_methods,
)
from softdock.cli.rig_confirm import confirm_motion
from softdock.cli.rig_console import NO_SAFETY, Live
from softdock.cli.rig_run_output import as_dict, granted_text, judge_recordings, show

if TYPE_CHECKING:
    from softdock.drivers.rig_scenario import OnRig
    from softdock.rig.series import RigRun, RigSeries

STOPPED = 3  # exit code: the supervisor ended a run


@click.command(short_help="A scenario on a rig: run-up, docking, return; recorded and supervised.")
@click.argument("rig", type=RigName(), metavar="RIG|PRESET")
@click.argument("scenario", type=ScenarioName(), metavar="SCENARIO|PRESET")
@click.option("--dry", is_flag=True, help="Keep the mock-ups apart: the whole run, no contact.")
@click.option(
    "--clearance-mm",
    type=click.FloatRange(1.0, 10_000.0),
    help="How far the chaser stays back in a dry run. [default: 20 mm beyond its free flight]",
)
@click.option("--repeat", type=click.IntRange(1, 1000), default=1, show_default=True, metavar="N")
@click.option("--out", type=OUT_FOLDER, metavar="DIR", help="For the recordings.")
@click.option("--no-record", is_flag=True, help="Record nothing.")
@click.option("--note", default="", help="Goes into the recording.")
@click.option(
    "--foxglove",
    type=click.IntRange(0, 65535),
    is_flag=False,
    flag_value=8765,
    metavar="[PORT]",
    help="Stream the run to Foxglove on this computer, at ws://127.0.0.1:PORT. [default: 8765]",
)
@click.option("--view", is_flag=True, help="See it in a browser meanwhile: read only, beside it.")
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
    view: bool,
    scenario_changes: tuple[str, ...],
    method_files: tuple[Path, ...],
    changes: tuple[str, ...],
    fail_on: str | None,
    as_json: bool,
) -> None:
    """Run SCENARIO on RIG: hear everybody, go to the start, run up, dock, brake and return.

    Robots and sensor of a rig with [emulate] are started as processes of their own. Beyond
    loopback a person types speed, box and energy bound first. Ctrl-C stops the robots within the
    stated deceleration; a second one ends the answers, and the robots' Timeout stops them.

    Each recording is judged against orbit, and its page lies beside it.

    Exit code 0: completed, and recorded; 3: the supervisor stopped a run, or a recording is not
    whole, and says why; 4: --fail-on, by the worst verdict.

    softdock is no safety function: the robots' own limits and safety controller are the guard.
    """
    with working("loading"):
        from softdock.drivers.rig_preflight import NO_SHIFT, dry_shift, refuse_impossible
        from softdock.rig.series import folder_for

        on = opened_on_rig(rig, changes, scenario, scenario_changes, method_files)
        shift = NO_SHIFT
        if dry:
            shift = dry_shift(on, None if clearance_mm is None else 1e-3 * clearance_mm)
        refuse_impossible(on, shift)
        _refuse_stream(foxglove, no_record)
    what = f"{'a dry run of ' if dry else ''}{on.scenario.tables['name']}, {repeat} times"
    folder, live = None if no_record else folder_for(on, out), Live(as_json)
    shown: list[Any] = []
    if fail_on is not None and no_record:
        raise click.UsageError("--fail-on needs a verdict, and a verdict a recording")
    if view:
        from softdock.cli.rig_view import Viewer

        if no_record:
            raise click.UsageError("--view shows what is recorded: not with --no-record")
        shown = [Viewer(taken=(foxglove,) if foxglove else ())]
        live.say(f"softdock view: {shown[0].address}  (read only; stays while its page is open)")
    series = commanded(on, what, live, repeat, shift, folder, note, stream=foxglove, shown=shown)
    with working("judging the recordings"):
        judged = judge_recordings(series)
    if as_json:
        echo(json.dumps(as_dict(on, series, judged), indent=1, allow_nan=False) + "\n")
    else:
        show(on, series, judged)
    end(series)
    for one in judged:
        end_if_failed(fail_on, one)


def end(series: RigSeries) -> None:
    """The exit code of a series: a run that was stopped, or a recording that is not whole."""
    if not series.completed or not series.recorded:
        raise SystemExit(STOPPED)


def commanded(
    on: OnRig,
    what: str,
    live: Live,
    repeat: int,
    shift: tuple[float, float, float],
    folder: Path | None,
    note: str,
    task: int | None = None,
    stream: int | None = None,
    shown: list[Any] | None = None,
) -> RigSeries:
    """The series: confirmed, locked, on its sockets. `stream`: a port for Foxglove; `shown`: what
    looks on beside the run, and may die (`said`)."""
    from softdock.core.rig.layout import DOCK
    from softdock.drivers.rig_emulation import peers_of
    from softdock.drivers.rig_peers import open_peers
    from softdock.drivers.rig_preflight import energy_bound
    from softdock.rig.lock import Commander
    from softdock.rig.series import run_series

    with working("preparing the rig"):  # what is compiled for the first time is named
        from softdock.drivers.rig_warm import OF_A_RUN, warm_part

        for part in OF_A_RUN:
            warm_part(on, part)
    live.say(NO_SAFETY)
    _say_left_rings(live)
    confirm_motion(on.rig, what, on.rig.limits.speed_m_per_s, energy_bound(on))
    try:
        with (
            Commander(on.rig),
            peers_of(on) as emulators,
            open_peers(on.rig) as peers,
            _streaming(stream, live) as streams,
        ):
            beside = [*(shown or []), *streams]

            def switch_on() -> None:
                if emulators is not None:
                    emulators.go()
                else:
                    live.say("waiting for the robots: switch RSI on")

            def begun(granted: Any) -> None:
                live.say(granted_text(granted))
                refuse_slow(on, granted)

            def ended(number: int, done: RigRun) -> None:
                live.say(f"run {number + 1} of {repeat}: {done.outcome.reason}")
                for line in done.said:
                    live.say(line)

            def recorded(rings: Path) -> None:
                for one in streams:
                    one.show(rings)

            return run_series(
                on,
                peers,
                switch_on,
                repeat=repeat,
                shift_m=shift,
                folder=folder,
                note=note,
                task=DOCK if task is None else task,
                look=_watching(live, beside),
                recorded=recorded,
                begun=begun,
                ended=ended,
                troubled=live.say,
            )
    finally:
        live.close()


def _refuse_stream(port: int | None, no_record: bool) -> None:
    from softdock.errors import BadInput, Problem
    from softdock.recorder.live import foxglove_sdk

    if port is None:
        return
    foxglove_sdk()
    if no_record:
        allowed = "a recording: the stream is taken from its rings (without --no-record)"
        raise BadInput(Problem("--foxglove", port, allowed))


@contextlib.contextmanager
def _streaming(port: int | None, live: Live) -> Iterator[list[Any]]:
    """The live stream, to be told the rings of each run; nothing without a port."""
    if port is None:
        yield []
        return
    from softdock.recorder.stream_process import StreamProcess

    with StreamProcess(port) as stream:
        live.say(f"live for Foxglove on this computer: {stream.address}")
        yield [stream]


def _watching(live: Live, beside: list[Any]) -> Callable[[Any, float], None]:
    """The console, and once what has happened to a process beside the run."""
    told = set[str]()

    def look(program: Any, elapsed_s: float) -> None:
        live(program, elapsed_s)
        for said in {one.said for one in beside} - told - {""}:
            told.add(said)
            live.say(said)

    return look


def _say_left_rings(live: Live) -> None:
    """What runs that were killed have left in memory."""
    from softdock.recorder.left_rings import left_behind

    left = left_behind()
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
    required = wanted == "always" or (wanted == "beyond_loopback" and on.rig.beyond_loopback)
    if required and granted.fifo == 0:
        allowed = f"SCHED_FIFO for this user (ulimit -r, or CAP_SYS_NICE); {granted_text(granted)}"
        raise BadInput(Problem("machine.require_realtime", wanted, allowed, on.rig.file))
