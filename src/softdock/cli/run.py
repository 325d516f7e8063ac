"""`softdock run`: a scenario in; verdict, metrics, page and run folder out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.text import Text

from softdock.cli.arguments import (
    CHANGES,
    FAIL_ON,
    METHOD_FILES,
    OUT_FILE,
    SCENARIO,
    choose_kept_folder,
    exit_if_failed,
    format_arguments,
    load_methods,
    out_option,
    prepare_folder,
    save_result,
    use_methods,
)
from softdock.cli.compile_ahead import start_numba
from softdock.cli.main import INTERRUPTED, STOPPED_EARLY
from softdock.cli.progress import console, echo, output, show_status
from softdock.errors import RunInterrupted, SoftdockError

KEPT_MESSAGE = "interrupted: what there was is kept (Ctrl-C again: it is not)"
ADVICE_RUNS = 60  # at most, where --why was not given
LARGE_RECORD_BYTES = 5e8  # of a record; a larger one is announced before the run


@click.command(short_help="Simulate a scenario and get its verdict and page.")
@SCENARIO
@CHANGES
@METHOD_FILES
@click.option(
    "--phases",
    type=click.IntRange(1, 10_000),
    metavar="N",
    help="Run at N sampling phases and give mean and spread of every number.",
)
@click.option(
    "--keep-phases",
    is_flag=True,
    help="Also keep the series of every judged sampling phase and its reference, in DIR/phases.",
)
@click.option(
    "--why",
    "causes",
    is_flag=True,
    help="Also add the causes (softdock why) to the page, however long that takes. "
    "[default: only if the verdict is not faithful and it takes less than a second]",
)
@out_option("the run")
@click.option("--force", is_flag=True, help="Write over the run that is in DIR, and over FILE.")
@click.option(
    "--mcap",
    type=OUT_FILE,
    metavar="FILE",
    help="Also write the run as MCAP with ROS 2 messages, for Foxglove and PlotJuggler.",
)
@click.option(
    "--ros2",
    type=click.IntRange(1, 1000),
    is_flag=False,
    flag_value=100,
    metavar="[HZ]",
    help="Afterwards play the run to ROS 2 in its own time, at most HZ messages a second of each "
    "topic. [default: 100]",
)
@FAIL_ON
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print the metrics as JSON, and nothing else, on standard output.",
)
@click.pass_context
def run(
    ctx: click.Context,
    scenario: str,
    changes: tuple[str, ...],
    method_files: tuple[Path, ...],
    phases: int | None,
    keep_phases: bool,
    causes: bool,
    out: Path | None,
    force: bool,
    mcap: Path | None,
    ros2: int | None,
    fail_on: str | None,
    as_json: bool,
) -> None:
    """Simulate a scenario, beside the same docking on orbit, and get its verdict and page.

    Exit code 0: done; 2: bad input, nothing was run; 3: the run stopped early (what it had is shown
    and kept); 4: --fail-on, by the verdict; 130: Ctrl-C (likewise).
    """
    if keep_phases and as_json and out is None:
        raise click.UsageError("--keep-phases needs a folder: with --json give --out DIR", ctx)
    if force and out is None and mcap is None:
        raise click.UsageError("--force needs --out DIR or --mcap FILE", ctx)
    if mcap is not None:
        _check_mcap(ctx, mcap, force, phases)
    if ros2 is not None:
        from softdock.recording.ros2 import refuse_ros2

        refuse_ros2()
    with show_status(f"running {scenario} (a first run compiles for about half a minute)") as say:
        start_numba()
        from softdock.results.metrics import format_metrics_json
        from softdock.results.phases import judge_in_phases
        from softdock.scenario.files import load_scenario
        from softdock.scenario.method_compile import refusing_what_does_not_compile

        own_methods = load_methods(method_files)
        loaded = use_methods(load_scenario(scenario, changes), own_methods)
        name = loaded.name if loaded.tables["name"] != "unnamed" else Path(scenario).stem
        folder = choose_kept_folder(out, name, as_json)
        _warn_about_memory(loaded)
        with prepare_folder(folder, force), refusing_what_does_not_compile():
            result, interrupted = _simulate(loaded, phases, say)
            if not interrupted:
                say("judging it at other sampling phases")
                try:
                    arguments = format_arguments(scenario, changes, method_files)
                    judge_in_phases(result, called=arguments, keep=keep_phases)
                    _explain(result, causes, arguments)
                except KeyboardInterrupt:
                    console.print(KEPT_MESSAGE)
                    interrupted = True
        say("saving")
        metrics = result.metrics
        problem: SoftdockError | None = save_result(result, folder, force)
        if mcap is not None:
            problem = _write_mcap(result, mcap, force) or problem
    if as_json:
        for warning in metrics["warnings"]:
            console.print(
                f"warning: {warning}", style="yellow", highlight=False, markup=False, soft_wrap=True
            )
        echo(format_metrics_json(metrics))
    else:
        from softdock.cli.tables import show_run

        show_run(output(), metrics)
    if mcap is not None and problem is None:
        (console if as_json else output()).print(Text(f"The recording: {mcap}"), soft_wrap=True)
    if folder is not None and problem is None:
        page = Text(f"The page: {folder / 'report.html'}")
        (console if as_json else output()).print(page, soft_wrap=True)
    if ros2 is not None and not interrupted:
        _play(result, ros2)
    if problem is not None:
        raise problem
    if interrupted:
        ctx.exit(INTERRUPTED)
    if any(
        one["status"] != "completed"
        for one in (metrics, *metrics.get("phases", {}).get("runs", ()))
    ):
        ctx.exit(STOPPED_EARLY)
    exit_if_failed(fail_on, metrics["verdict"])


def _check_mcap(ctx: click.Context, file: Path, force: bool, phases: int | None) -> None:
    """Refuse options of --mcap that cannot work, before the run."""
    from softdock.errors import BadInput, Problem

    if phases is not None:
        raise click.UsageError("--mcap writes one run; it does not go with --phases", ctx)
    if file.exists() and (not force or not file.is_file()):
        raise BadInput(Problem("mcap", str(file), "a new file; this one exists (--force)"))
    if not file.parent.is_dir():
        raise BadInput(Problem("mcap", str(file), "a file in a folder that exists"))


def _write_mcap(run: Any, file: Path, force: bool) -> SoftdockError | None:
    """Write the MCAP file. An error is returned, not raised, so that the numbers are printed
    first."""
    try:
        run.save_mcap(file, force=force)
    except SoftdockError as error:
        return error
    return None


def _play(run: Any, rate_Hz: int) -> None:
    """The run to ROS 2; Ctrl-C ends it."""
    from softdock.recording.ros2 import play

    lasts = run.scenario.tables["time"]["duration_s"]
    with show_status("playing the run to ROS 2") as say:
        done = play(run, rate_Hz, lambda t: say(f"{t:.1f} of {lasts:g} s"))
    console.print(done, highlight=False, soft_wrap=True)


def _explain(run: Any, asked: bool, called: str) -> None:
    """Add causes and advice to the metrics of a run that is not faithful, if --why was given or it
    is quick (no new machine code, few runs)."""
    from softdock.results.advice import explain
    from softdock.results.why import is_quick

    verdict = run.metrics["verdict"]
    if verdict["word"] == "no verdict":
        return
    if asked or (verdict["word"] != "faithful" and is_quick(run.scenario)):
        from softdock.results.metrics import convert_to_plain

        found = convert_to_plain(
            explain(run.scenario, verdict, called, most=None if asked else ADVICE_RUNS)
        )
        run.metrics = {**run.metrics, "why": found, "verdict": found["verdict"]}


def _warn_about_memory(scenario: Any) -> None:
    """Announce the size of the record, if it is large."""
    from softdock.results.stepper import compute_record_bytes, count_cycles

    needed = compute_record_bytes(scenario, count_cycles(scenario))
    if needed > LARGE_RECORD_BYTES:
        console.print(
            f"the record of {count_cycles(scenario)} cycles takes {needed / 1e9:.1f} GB of memory",
            highlight=False,
            soft_wrap=True,
        )


def _simulate(scenario: Any, phases: int | None, say: Any) -> tuple[Any, bool]:
    """Returns the run, and whether Ctrl-C ended it early."""
    from softdock.results.phases import simulate_phases
    from softdock.results.simulation import judge, simulate

    try:
        if phases is not None:
            return simulate_phases(scenario, phases, lambda i, n: say(f"run {i} of {n}")), False
        run = simulate(scenario, lambda done, total: say(f"cycle {done} of {total}"))
    except RunInterrupted as stopped:
        console.print(KEPT_MESSAGE)
        return judge(stopped.run), True
    return run, False
