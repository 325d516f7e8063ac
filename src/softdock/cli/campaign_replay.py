"""`softdock campaign --replay RUN`: one run of a campaign by itself, beside what its table has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource
from rich.text import Text

from softdock.cli.folders import choose, made, save
from softdock.cli.main import STOPPED_EARLY
from softdock.cli.progress import console, echo, output, working
from softdock.errors import BadInput, Problem

NOT_OF_A_REPLAY = (
    "resume",
    "backend",
    "precision",
    "threads",
    "shard",
    "scheduler",
    "workers",
    "wait",
)


def check_replay(ctx: click.Context, out: Path | None) -> None:
    """A replay is one run on this machine's CPU: options that it would not heed are refused, and a
    folder in which there is something."""
    given = [
        name
        for name in NOT_OF_A_REPLAY
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
    ]
    if given:
        raise click.UsageError(
            "--replay makes one run, in double precision on this machine's CPU; it has no "
            f"--{given[0]}",
            ctx,
        )
    if out is not None and out.is_dir() and any(out.iterdir()):
        raise BadInput(
            Problem("out", str(out), "a new or an empty folder; this one holds something")
        )


def replay_run(
    ctx: click.Context, plan: Any, run: int, out: Path | None, source: Path, as_json: bool
) -> dict[str, Any]:
    """One run by itself; beside what the table has of it, where there is one. Its judgement."""
    from softdock.analysis.metrics import metrics_json
    from softdock.analysis.simulation import simulate
    from softdock.campaign.digest import is_campaign
    from softdock.campaign.replay import differences, outcomes_of, row_of
    from softdock.cli.run_tables import show_run

    with working(f"run {run}"):
        scenario = plan.scenario_of(run)
        folder = choose(out, f"{plan.spec.name}-run-{run}")
        with made(folder, False):
            result = simulate(scenario)
        problem = save(result, folder, False)
    if as_json:
        echo(metrics_json(result.metrics))
    else:
        show_run(output(), result.metrics)
    paper = console if as_json else output()
    row = row_of(plan, source, run) if is_campaign(source) else None
    if row is not None:
        differ = differences(row, outcomes_of(result.metrics))
        said = (
            f"Differs from the campaign's table: {', '.join(differ)}."
            if differ
            else "The outcomes are those of the campaign's table."
        )
        paper.print(Text(said), soft_wrap=True)
    if problem is not None:
        raise problem
    paper.print(Text(f"The page: {folder / 'report.html'}"), soft_wrap=True)
    if result.metrics["status"] != "completed":
        ctx.exit(STOPPED_EARLY)
    judged: dict[str, Any] = result.metrics["judgement"]
    return judged
