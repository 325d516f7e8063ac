"""`softdock campaign`: many runs, on all cores, a GPU or a cluster; tables, a page, and any run
again by itself."""

from __future__ import annotations

import os
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem
from rich.text import Text

from softdock.cli.arguments import (
    FAIL_ON,
    METHOD_FILES,
    choose_folder,
    exit_if_failed,
    load_methods,
    out_option,
    prepare_folder,
    save_result,
)
from softdock.cli.campaign_tables import print_summary, show_progress
from softdock.cli.main import STOPPED_EARLY
from softdock.cli.progress import console, echo, output, show_status
from softdock.errors import BadInput, Problem

# Options of `softdock campaign` that --replay RUN does not take
NOT_FOR_REPLAY = (
    "resume",
    "backend",
    "threads",
    "shard",
    "scheduler",
    "workers",
    "wait",
)


def check_replay(ctx: click.Context, out: Path | None) -> None:
    """Refuse options that a replay (one run on this machine's CPU) would ignore, and a folder that
    is not empty."""
    given = [
        name
        for name in NOT_FOR_REPLAY
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
    ]
    if given:
        raise click.UsageError(
            f"--replay makes one run, on this machine's CPU; it has no --{given[0]}", ctx
        )
    if out is not None and out.is_dir() and any(out.iterdir()):
        raise BadInput(
            Problem("out", str(out), "a new or an empty folder; this one holds something")
        )


def replay_run(
    ctx: click.Context, plan: Any, run: int, out: Path | None, source: Path, as_json: bool
) -> dict[str, Any]:
    """Simulate one run by itself and compare it with its row of the campaign's table, if there is
    one. Returns its verdict."""
    from softdock.cli.tables import show_run
    from softdock.results.metrics import format_metrics_json
    from softdock.results.simulation import simulate
    from softdock.studies.campaign.digest import is_campaign
    from softdock.studies.campaign.replay import extract_outcomes, find_row, list_differences

    with show_status(f"run {run}"):
        scenario = plan.scenario_of(run)
        folder = choose_folder(out, f"{plan.spec.name}-run-{run}")
        with prepare_folder(folder, False):
            result = simulate(scenario)
        problem = save_result(result, folder, False)
    if as_json:
        echo(format_metrics_json(result.metrics))
    else:
        show_run(output(), result.metrics)
    paper = console if as_json else output()
    row = find_row(plan, source, run) if is_campaign(source) else None
    if row is not None:
        differ = list_differences(row, extract_outcomes(result.metrics))
        sentence = (
            f"Differs from the campaign's table: {', '.join(differ)}."
            if differ
            else "The outcomes are those of the campaign's table."
        )
        paper.print(Text(sentence), soft_wrap=True)
    if problem is not None:
        raise problem
    paper.print(Text(f"The page: {folder / 'report.html'}"), soft_wrap=True)
    if result.metrics["status"] != "completed":
        ctx.exit(STOPPED_EARLY)
    judged: dict[str, Any] = result.metrics["verdict"]
    return judged


ASK_ABOVE_RUNS = 50_000  # a larger campaign needs the user's confirmation


def confirm_size(spec: Any, agreed: bool) -> None:
    """Print the number of runs of a campaign with grids; above ASK_ABOVE_RUNS ask for confirmation,
    unless `agreed`."""
    from softdock.studies.campaign.variants import Design

    design = Design(spec)
    total = f"{design.runs:,} runs"
    if design.points > 1:
        draws = f" with {design.draws} draws each" if design.draws > 1 else ""
        total += f": {design.points:,} points of the grids{draws}"
        console.print(total, highlight=False)
    if design.runs <= ASK_ABOVE_RUNS or agreed:
        return
    if not sys.stdin.isatty():
        raise BadInput(
            Problem(
                "--yes",
                "left out",
                f"given, where a campaign makes over {ASK_ABOVE_RUNS:,} runs ({total})",
            )
        )
    click.confirm(f"{total}. Go on?", abort=True, err=True)


def check_methods_used(own_methods: list[str], files: tuple[Path, ...], plan: Any) -> None:
    """Refuse a method file of whose methods the campaign uses none."""
    used = {entry["name"] for v in plan.variants for entry in v.scenario.tables["methods"]}
    if own_methods and not used & set(own_methods):
        allowed = (
            f"a file whose methods the campaign lists (methods = {own_methods}), or its scenario; "
            f"this one runs {', '.join(sorted(used))}"
        )
        refused = "; ".join(plan.refused)
        raise BadInput(
            Problem(
                "--method-file",
                str(files[0]),
                f"{allowed}. Refused: {refused}" if refused else allowed,
            )
        )


THREADS_PER_CORE = 16  # at most; more is a typing error


class CampaignName(click.ParamType):
    """A campaign file, a preset, or the folder of a campaign; loaded by the command."""

    name = "campaign"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        presets = (
            p.name.removesuffix(".toml")
            for p in files("softdock").joinpath("campaign", "presets").iterdir()
            if p.name.endswith(".toml")
        )
        return [
            *(CompletionItem(name) for name in sorted(presets) if name.startswith(incomplete)),
            CompletionItem(incomplete, type="file"),
        ]


@click.command(short_help="Run many variations: rates, maps, worst cases.")
@click.argument("campaign", type=CampaignName(), metavar="FILE|PRESET|DIR")
@METHOD_FILES
@click.option(
    "--backend",
    type=click.Choice(["auto", "cpu", "gpu", "dask"]),
    default="auto",
    show_default=True,
    help="auto: a GPU, if there is one and the campaign is large.",
)
@out_option("the results", always=True)
@click.option("--resume", is_flag=True, help="Continue the campaign in DIR with the missing runs.")
@click.option(
    "--runs",
    type=click.IntRange(1),
    metavar="N",
    help="Number of draws in place of the file's; with grids, of draws at each point.",
)
@click.option(
    "--replay",
    type=click.IntRange(0),
    metavar="RUN",
    help="Repeat one run by itself, with its page and its series.",
)
@click.option(
    "--threads", type=click.IntRange(1), metavar="N", help="CPU threads. [default: all cores]"
)
@click.option(
    "--shard",
    type=click.IntRange(1),
    metavar="N",
    help="Runs of a shard. [default: some seconds of work; with --resume as before]",
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Of a Dask scheduler, e.g. tcp://host:8786. [default: a cluster on this machine]",
)
@click.option(
    "--workers",
    type=click.IntRange(1),
    metavar="N",
    help="Workers of a Dask cluster on this machine. [default: all cores]",
)
@click.option(
    "--wait",
    type=click.FloatRange(0.0),
    metavar="SECONDS",
    help="For a Dask worker, where the scheduler has none. [default: 60]",
)
@click.option("--yes", is_flag=True, help="Do not ask about a campaign of more than 50,000 runs.")
@FAIL_ON
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print the summary (of --replay the metrics) as JSON, and nothing else, on standard "
    "output.",
)
@click.pass_context
def campaign(
    ctx: click.Context,
    campaign: str,
    method_files: tuple[Path, ...],
    backend: str,
    out: Path | None,
    resume: bool,
    runs: int | None,
    replay: int | None,
    threads: int | None,
    shard: int | None,
    scheduler: str | None,
    workers: int | None,
    wait: float | None,
    yes: bool,
    fail_on: str | None,
    as_json: bool,
) -> None:
    """Run many variations of a scenario: capture rates, peak forces, and over which parameters the
    rig is faithful.

    FILE states what varies (docs/campaigns.md); DIR is the folder of a campaign, for --resume and
    --replay. DIR/report.html is the page, DIR/runs the table of all runs (Parquet),
    DIR/summary.json the numbers.

    Results are written in shards; after an interruption --resume continues. Exit code 0:
    done (runs that diverge are outcomes); 2: bad input, or the campaign had to stop (what it has is
    kept); with --replay 3: that run stopped early; 4: --fail-on, by the verdict at the top.

    Presets: adaptive_damping, epos_monte_carlo, fidelity_map, idss_ring_capture,
    launch_ring_capture, nozzle_capture, probe_drogue_capture, vbar_navigation.
    """
    _check_options(ctx)
    if resume and replay is None and out is None:
        out = _resumed_folder(ctx, campaign)
    if replay is not None:
        check_replay(ctx, out)
    plan = _load_plan(campaign, method_files, runs, yes or resume or replay is not None)
    if replay is not None:
        judged = replay_run(ctx, plan, replay, out, Path(campaign), as_json)
        exit_if_failed(fail_on, judged)
        return
    options = {
        "backend": backend,
        "resuming": resume,
        "threads": threads,
        "shard_runs": shard,
        "scheduler": scheduler,
        "workers": workers,
        "wait_s": wait,
    }
    folder = choose_folder(out, f"campaign-{plan.spec.name}")
    summary = _run_or_resume(plan, folder, options)
    for damage in summary.get("remade", ()):
        console.print(Text(damage), style="yellow", soft_wrap=True)
    if as_json:
        import json

        echo(json.dumps(summary, indent=1) + "\n")
    else:
        print_summary(summary)
    (console if as_json else output()).print(
        Text(f"The page: {folder / 'report.html'}"), soft_wrap=True
    )
    exit_if_failed(fail_on, summary.get("verdict"))


def _check_options(ctx: click.Context) -> None:
    """Refuse options that exclude each other, and too many threads."""
    given = ctx.params
    of_dask = [given["scheduler"], given["workers"], given["wait"]]
    if any(value is not None for value in of_dask) and given["backend"] != "dask":
        raise click.UsageError("--scheduler, --workers and --wait need --backend dask", ctx)
    if given["scheduler"] and given["workers"]:
        raise click.UsageError(
            "--workers is for a cluster on this machine; a scheduler has workers of its own", ctx
        )
    threads, most = given["threads"], THREADS_PER_CORE * (os.cpu_count() or 1)
    if threads is not None and threads > most:
        raise click.UsageError(
            f"--threads {threads}: at most {most} on this machine, {THREADS_PER_CORE} a core", ctx
        )


def _resumed_folder(ctx: click.Context, campaign: str) -> Path:
    """The campaign folder to resume, given in place of a file."""
    if not Path(campaign).is_dir():
        raise click.UsageError(
            "--resume needs --out DIR, or the folder of a campaign in place of its file", ctx
        )
    return Path(campaign)


def _load_plan(
    campaign: str, method_files: tuple[Path, ...], runs: int | None, agreed: bool
) -> Any:
    """Load and check the campaign's plan. `runs`: number in place of the file's (None: the file's);
    `agreed`: do not ask for confirmation."""
    with show_status(f"checking {campaign}") as update:
        from softdock.studies.campaign.memory_settings import spare_memory
        from softdock.studies.campaign.plan import make_plan
        from softdock.studies.campaign.spec import load_spec, read_spec

        spare_memory()
        own_methods = load_methods(method_files)
        spec = load_spec(campaign)
        if runs is not None:
            spec = read_spec(spec.tables | {"runs": runs}, spec.locate, spec.folder)
        confirm_size(spec, agreed)
        plan = make_plan(
            spec, say=lambda done, of: update(f"checking {campaign}: {done} of {of} draws")
        )
    check_methods_used(own_methods, method_files, plan)
    return plan


def _run_or_resume(plan: Any, folder: Path, options: dict[str, Any]) -> dict[str, Any]:
    """Run or resume the campaign in a folder. Returns its summary."""
    from softdock.output.folders.campaign_folder import run_campaign
    from softdock.scenario.method_compile import refusing_what_does_not_compile
    from softdock.studies.campaign.shards import MANIFEST, check_free, format_resume_command

    resume = options["resuming"]
    if not resume:
        check_free(plan, folder)
    try:
        with (
            prepare_folder(None if resume else folder, False),
            show_progress(plan.runs) as shown,
            refusing_what_does_not_compile(),
        ):
            return run_campaign(plan, folder, progress=shown.progress, say=shown.say, **options)
    except KeyboardInterrupt:
        if (folder / MANIFEST).exists():
            console.print(
                Text(
                    f"every shard that was written is kept; {format_resume_command(folder)} goes on"
                ),
                soft_wrap=True,
            )
        raise click.Abort from None
