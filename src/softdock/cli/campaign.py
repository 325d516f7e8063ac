"""`softdock campaign`: many runs, on all cores, a GPU or a cluster; tables, a page, and any run again by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from time import monotonic
from typing import Any

import click
from click.shell_completion import CompletionItem
from rich.text import Text

from softdock.cli.folders import RUNS, choose, made, save
from softdock.cli.main import STOPPED_EARLY
from softdock.cli.progress import console, echo, output, working

PLAIN_S = 10.0  # s between two lines of progress, off a terminal


class CampaignName(click.ParamType):
    """A campaign file, a preset, or the folder of a campaign; loaded by the command."""

    name = "campaign"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        presets = (p.name.removesuffix(".toml") for p in files("softdock").joinpath("campaign", "presets").iterdir() if p.name.endswith(".toml"))
        return [*(CompletionItem(name) for name in sorted(presets) if name.startswith(incomplete)), CompletionItem(incomplete, type="file")]


@click.command(short_help="Many runs: statistics, maps, worst cases; CPU, GPU or cluster.")
@click.argument("campaign", type=CampaignName(), metavar="FILE|PRESET|DIR")
@click.option(
    "--backend", type=click.Choice(["auto", "cpu", "gpu", "dask"]), default="auto", show_default=True, help="auto: a GPU if there is one and enough to do."
)
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help=f"Folder for the results: new, or empty. [default: a new one in {RUNS}/]")
@click.option("--resume", is_flag=True, help="Go on with the campaign in DIR; only what is missing is run.")
@click.option("--runs", type=click.IntRange(1), metavar="N", help="As many draws in place of the file's.")
@click.option("--precision", type=click.Choice(["double", "single"]), help="On a GPU, in place of the file's; the error of single is shown. [default: double]")
@click.option("--replay", type=click.IntRange(0), metavar="RUN", help="Make one run again by itself, with its page and its series.")
@click.option("--threads", type=click.IntRange(1), metavar="N", help="CPU threads. [default: all cores]")
@click.option("--shard", type=click.IntRange(1), metavar="N", help="Runs of a shard. [default: some seconds of work]")
@click.option("--scheduler", metavar="ADDRESS", help="Of a Dask scheduler, e.g. tcp://host:8786. [default: a cluster on this machine]")
@click.option("--workers", type=click.IntRange(1), metavar="N", help="Workers of a Dask cluster on this machine. [default: all cores]")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON, and nothing else, on standard output.")
@click.pass_context
def campaign(
    ctx: click.Context,
    campaign: str,
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
    as_json: bool,
) -> None:
    """Run a campaign: how often does the probe capture, how hard does it hit, over which delays is the rig honest?

    Results are written in shards as they come; after an interruption --resume goes on. Exit code 0: done (runs that diverge are outcomes); 2: bad
    input, or the campaign had to stop (what it has is kept); with --replay 3: that run stopped early.

    Presets: adaptive_damping, epos_monte_carlo, honesty_map, nozzle_capture.
    """
    if (scheduler or workers) and backend != "dask":
        raise click.UsageError("--scheduler and --workers need --backend dask", ctx)
    if resume and out is None:
        if not Path(campaign).is_dir():
            raise click.UsageError("--resume needs --out DIR, or the folder of a campaign in place of its file", ctx)
        out = Path(campaign)
    with working(f"checking {campaign}") as _:
        from softdock.campaign.plan import make_plan
        from softdock.campaign.spare_memory import spare_memory
        from softdock.campaign.spec import load_spec, read_spec

        spare_memory()
        spec = load_spec(campaign)
        instead = {key: value for key, value in (("runs", runs), ("precision", precision)) if value is not None}
        if instead:
            spec = read_spec(spec.tables | instead, spec.locate, spec.folder)
        plan = make_plan(spec)
    if replay is not None:
        _replay(ctx, plan, replay, out)
        return
    folder = choose(out, f"campaign-{plan.spec.name}")
    from softdock.campaign.whole import run_campaign

    try:
        with made(None if resume else folder, False), _bar(plan.runs) as progress:
            summary = run_campaign(plan, folder, backend, resume, progress, threads, shard, scheduler, workers)
    except KeyboardInterrupt:
        console.print(Text(f"every shard that was written is kept; softdock campaign {folder} --resume goes on"), soft_wrap=True)
        raise click.Abort from None
    if as_json:
        import json

        echo(json.dumps(summary, indent=1) + "\n")
    else:
        _show(summary)
    (console if as_json else output()).print(Text(f"The page: {folder / 'report.html'}"), soft_wrap=True)


def _replay(ctx: click.Context, plan: Any, run: int, out: Path | None) -> None:
    from softdock.cli.run_tables import show_run
    from softdock.simulation import simulate

    with working(f"run {run}"):
        scenario = plan.scenario_of(run)
        folder = choose(out, f"{plan.spec.name}-run-{run}")
        with made(folder, False):
            result = simulate(scenario)
        problem = save(result, folder, False)
    show_run(output(), result.metrics)
    if problem is not None:
        raise problem
    output().print(Text(f"The page: {folder / 'report.html'}"), soft_wrap=True)
    if result.metrics["status"] != "completed":
        ctx.exit(STOPPED_EARLY)


@contextmanager
def _bar(total: int) -> Iterator[Callable[[int, int], None]]:
    """Runs done, their rate and the time left: a bar on a terminal, else a line now and then."""
    said = monotonic()
    start: list[tuple[int, float]] = []  # runs that were there before, and when it began

    def rate(done: int) -> float:
        if not start:
            start.append((done, monotonic()))
        before, began = start[0]
        return (done - before) / max(monotonic() - began, 1e-9)

    if console.is_terminal:
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.completed} of {task.total} runs"), BarColumn(), TextColumn("{task.fields[rate]} runs/s"), TimeRemainingColumn())
        with Progress(*columns, console=console, transient=True) as shown:
            task = shown.add_task("", total=total, rate="-")

            def update(done: int, of: int) -> None:
                shown.update(task, completed=done, rate=f"{rate(done):.4g}")

            yield update
        return

    def line(done: int, of: int) -> None:
        nonlocal said
        speed = rate(done)
        if speed > 0.0 and (monotonic() - said >= PLAIN_S or done == of):
            said = monotonic()
            console.print(Text(f"{done} of {of} runs, {speed:.4g} runs/s, {(of - done) / speed:.0f} s left"), soft_wrap=True)

    yield line


def _show(summary: dict[str, Any]) -> None:
    from rich.markup import escape
    from rich.table import Table

    from softdock.report.campaign_page import answer

    paper = output()
    table = Table(title=f"{summary['name']}: {summary['runs']} runs")
    for heading in ("method", "integrator", "runs", "captured", "honest", "active", "stopped", "force 95 % [N]", "torque 95 % [Nm]", "invented 95 % [J]"):
        table.add_column(heading, justify="left" if heading in ("method", "integrator") else "right")
    for v in summary["variants"]:
        shares = [_percent(v[f"{name}_rate"]) for name in ("capture", "honest", "active", "stopped")]
        numbers = [_number(v[f"{name}_95"]) for name in ("peak_force_real_N", "peak_torque_real_Nm", "energy_invented_J")]
        table.add_row(v["method"], v["integrator"], str(v["runs"]), *shares, *numbers)
    paper.print(table)
    for one in summary["refused"]:
        paper.print(f"[bold]could not run[/bold] {escape(one)}")
    paper.print(escape(answer(summary)))
    if "precision" in summary:
        from softdock.campaign.precision import said

        paper.print(escape(said(summary["precision"])))
    spent = summary["spent"]
    if spent:
        without = f", {spent['runs_per_s_without_orbit']:.4g} without orbit's reference" if spent["runs_per_s_without_orbit"] else ""
        paper.print(f"{spent['runs_per_s']:.4g} runs/s{without}, {spent['cycles_per_s']:.3g} cycles/s on {escape(spent['machine'])}")


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100.0 * share:.3g} %"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"
