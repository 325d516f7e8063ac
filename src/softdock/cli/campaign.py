"""`softdock campaign`: many runs, on all cores, a GPU or a cluster; tables, a page, and any run
again by itself."""

from __future__ import annotations

import os
from importlib.resources import files
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem
from rich.text import Text

from softdock.cli.arguments import FAIL_ON, METHOD_FILES, OUT_FOLDER, end_if_failed, load_methods
from softdock.cli.campaign_methods import check_used
from softdock.cli.campaign_output import show, shown_progress
from softdock.cli.campaign_replay import check_replay, replay_run
from softdock.cli.campaign_size import say_size
from softdock.cli.folders import RUNS, choose, made
from softdock.cli.progress import console, echo, output, working

THREADS_PER_CORE = 16  # more is a slip of the finger


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


@click.command(short_help="Many runs: statistics, maps, worst cases; CPU, GPU or cluster.")
@click.argument("campaign", type=CampaignName(), metavar="FILE|PRESET|DIR")
@METHOD_FILES
@click.option(
    "--backend",
    type=click.Choice(["auto", "cpu", "gpu", "dask"]),
    default="auto",
    show_default=True,
    help="auto: a GPU if there is one and enough to do.",
)
@click.option(
    "--out",
    type=OUT_FOLDER,
    metavar="DIR",
    help=f"Folder for the results: new, or empty. [default: a new one in {RUNS}/]",
)
@click.option(
    "--resume", is_flag=True, help="Go on with the campaign in DIR; only what is missing is run."
)
@click.option(
    "--runs",
    type=click.IntRange(1),
    metavar="N",
    help="As many draws in place of the file's; with grids so many at each of their points.",
)
@click.option(
    "--precision",
    type=click.Choice(["double", "single"]),
    help="On a GPU, in place of the file's; the error of single is shown. [default: double]",
)
@click.option(
    "--replay",
    type=click.IntRange(0),
    metavar="RUN",
    help="Make one run again by itself, with its page and its series.",
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
    precision: str | None,
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
    """Run a campaign: how often does the probe capture, how hard does it hit, over which delays is
    the rig honest?

    FILE says what varies (docs/campaigns.md); DIR is the folder of a campaign, for --resume and
    --replay. DIR/report.html is the page, DIR/runs the table of all runs (Parquet),
    DIR/summary.json the numbers.

    Results are written in shards as they come; after an interruption --resume goes on. Exit code 0:
    done (runs that diverge are outcomes); 2: bad input, or the campaign had to stop (what it has is
    kept); with --replay 3: that run stopped early; 4: --fail-on, by the verdict at the top.

    Presets: adaptive_damping, epos_monte_carlo, honesty_map, nozzle_capture,
    vbar_navigation.
    """
    _check_options(ctx)
    if resume and replay is None and out is None:
        out = _folder_of(ctx, campaign)
    if replay is not None:
        check_replay(ctx, out)
    instead = {"runs": runs, "precision": precision}
    plan = _planned(campaign, method_files, instead, yes or resume or replay is not None)
    if replay is not None:
        judged = replay_run(ctx, plan, replay, out, Path(campaign), as_json)
        end_if_failed(fail_on, judged)
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
    folder = choose(out, f"campaign-{plan.spec.name}")
    summary = _run(plan, folder, options)
    for damage in summary.get("remade", ()):
        console.print(Text(damage), style="yellow", soft_wrap=True)
    if as_json:
        import json

        echo(json.dumps(summary, indent=1) + "\n")
    else:
        show(summary)
    (console if as_json else output()).print(
        Text(f"The page: {folder / 'report.html'}"), soft_wrap=True
    )
    end_if_failed(fail_on, summary.get("judgement"))


def _check_options(ctx: click.Context) -> None:
    """Options that do not go together, and more threads than anybody means."""
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


def _folder_of(ctx: click.Context, campaign: str) -> Path:
    """The folder to go on in, where it was named in place of a file."""
    if not Path(campaign).is_dir():
        raise click.UsageError(
            "--resume needs --out DIR, or the folder of a campaign in place of its file", ctx
        )
    return Path(campaign)


def _planned(
    campaign: str, method_files: tuple[Path, ...], instead: dict[str, Any], agreed: bool
) -> Any:
    """The campaign's plan; `instead`: keys in place of the file's, None: as the file has it;
    `agreed`: many runs need no question."""
    with working(f"checking {campaign}") as update:
        from softdock.campaign.memory_settings import spare_memory
        from softdock.campaign.plan import make_plan
        from softdock.campaign.spec import load_spec, read_spec

        spare_memory()
        mine = load_methods(method_files)
        spec = load_spec(campaign)
        changed = {key: value for key, value in instead.items() if value is not None}
        if changed:
            spec = read_spec(spec.tables | changed, spec.locate, spec.folder)
        say_size(spec, agreed)
        plan = make_plan(
            spec, say=lambda done, of: update(f"checking {campaign}: {done} of {of} draws")
        )
    check_used(mine, method_files, plan)
    return plan


def _run(plan: Any, folder: Path, options: dict[str, Any]) -> dict[str, Any]:
    """The summary of a campaign that was run, or gone on with, in a folder."""
    from softdock.archive.campaign_folder import run_campaign
    from softdock.campaign.shards import MANIFEST, again, check_free
    from softdock.scenario.method_compile import refusing_what_does_not_compile

    resume = options["resuming"]
    if not resume:
        check_free(plan, folder)
    try:
        with (
            made(None if resume else folder, False),
            shown_progress(plan.runs) as shown,
            refusing_what_does_not_compile(),
        ):
            return run_campaign(plan, folder, progress=shown.progress, say=shown.say, **options)
    except KeyboardInterrupt:
        if (folder / MANIFEST).exists():
            console.print(
                Text(f"every shard that was written is kept; {again(folder)} goes on"),
                soft_wrap=True,
            )
        raise click.Abort from None
