"""A campaign from file to page: `run_campaign`, what the command calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from softdock.campaign.engines import engine_for
from softdock.campaign.execute import Progress, Say, Spent, own_outcomes, run_shards, stopped
from softdock.campaign.outcome_table import column_names
from softdock.campaign.outcomes import OUTCOMES
from softdock.campaign.precision import compare_with_double
from softdock.campaign.resuming import check_resumable, resume
from softdock.campaign.shards import REPORT, SUMMARY, Folder, again, begin
from softdock.campaign.summary import summarise
from softdock.campaign.trajectories import chosen, flown_again, is_silent, write_trajectories
from softdock.campaign.variants import Plan
from softdock.errors import BadInput, CampaignStopped, Problem, closest
from softdock.files.atomic import write_whole
from softdock.files.reading import Unreadable, read_text
from softdock.report.campaign.page import campaign_page

# what a summary has of what its runs took: numbers, or none
SPENT = (
    "runs",
    "cycles",
    "orbits_flown",
    "wall_s",
    "compile_s",
    "runs_per_s",
    "cycles_per_s",
    "runs_per_s_without_orbit",
)


def run_campaign(
    plan: Plan,
    out: str | Path,
    backend: str = "auto",
    resuming: bool = False,
    progress: Progress | None = None,
    threads: int | None = None,
    shard_runs: int | None = None,
    scheduler: str | None = None,
    workers: int | None = None,
    say: Say | None = None,
    wait_s: float | None = None,
) -> dict[str, Any]:
    """Run what is missing, then summary, page and trajectories. Returns the summary. `say`: told
    what is waited for; `wait_s`: for a Dask worker. `remade` in the summary: what was damaged in
    the folder of a campaign that was resumed."""
    path, told = Path(out), list[str]()
    if resuming:
        check_resumable(plan, path)  # before an outcome file is executed
    own = own_outcomes(plan)  # refused before a folder is made
    check_worst_by(plan, list(own))
    try:
        if backend == "dask":
            folder, spent = _on_cluster(
                plan,
                path,
                resuming=resuming,
                progress=progress,
                shard_runs=shard_runs,
                scheduler=scheduler,
                workers=workers,
                say=say,
                wait_s=wait_s,
                told=told,
            )
        else:
            engine = engine_for(backend, plan, threads)
            folder = (
                _resumed(plan, path, told)
                if resuming
                else begin(plan, path, shard_runs or engine.shard_runs(plan))
            )
            spent = run_shards(plan, folder, engine, progress, say, own)
        left = folder.missing(plan)
        if left:
            raise CampaignStopped(
                f"{len(left)} shards are missing in {path}; `{again(path)}` runs them"
            )
        summary = finish(plan, folder.path, spent, say)
        return summary | {"remade": told} if told else summary
    except OSError as error:
        raise stopped(error, path) from None


def _resumed(plan: Plan, path: Path, told: list[str]) -> Folder:
    """The folder; what was damaged in it is told."""
    folder, damages = resume(plan, path)
    told.extend(damages)
    return folder


def check_worst_by(plan: Plan, own: list[str]) -> None:
    clash = [name for name in own if name in column_names(plan)]
    if clash:
        raise BadInput(
            Problem(
                f"outcome_file {clash[0]}",
                plan.spec.outcome_file,
                "a function whose name no other column has",
            )
        )
    by, known = (
        plan.spec.report["worst_by"],
        [name for name in column_names(plan) if name not in OUTCOMES or OUTCOMES[name].is_number]
        + own,
    )
    if by and by not in known:
        raise BadInput(
            Problem(
                "report.worst_by",
                by,
                "one of " + ", ".join(known),
                plan.spec.locate("report.worst_by"),
                suggestion=closest(by, known),
            )
        )


def _on_cluster(
    plan: Plan,
    path: Path,
    *,
    resuming: bool,
    progress: Progress | None,
    shard_runs: int | None,
    scheduler: str | None,
    workers: int | None,
    say: Say | None,
    wait_s: float | None,
    told: list[str],
) -> tuple[Folder, Spent]:
    from softdock.campaign.cluster import cluster_shard_runs, run_on_cluster
    from softdock.campaign.cluster_workers import WAIT_S, Watch, connected

    wait_s = WAIT_S if wait_s is None else wait_s
    with connected(scheduler, workers) as client:
        Watch(client, path if resuming else None, wait_s, say).until_there_is_one()
        folder = (
            _resumed(plan, path, told)
            if resuming
            else begin(plan, path, shard_runs or cluster_shard_runs(plan, client))
        )
        return folder, run_on_cluster(plan, folder, client, progress, say, wait_s)


def finish(
    plan: Plan, path: Path, spent: Spent | None = None, say: Say | None = None
) -> dict[str, Any]:
    """Summary, page and trajectories from the tables. `flown_again` in the summary: runs that were
    flown once more for the page's replay."""
    summary, _ = summarise(plan, path, spent)
    if summary["spent"] is None:  # nothing was missing: what the runs took is known from before
        summary["spent"] = _spent_before(path)
    if plan.spec.precision == "single":
        summary["precision"] = compare_with_double(plan, path)
    scenes = write_trajectories(plan, path, chosen(plan, [row["run"] for row in summary["worst"]]))
    if is_silent(plan):
        scenes = flown_again(plan, summary["worst"], say)
        summary["flown_again"] = list(scenes)
    write_whole(path / SUMMARY, (json.dumps(summary, indent=1, allow_nan=False) + "\n").encode())
    write_whole(path / REPORT, campaign_page(plan, summary, str(path), scenes).encode())
    return summary


def _spent_before(path: Path) -> Any:
    """What the runs took, from a summary that is there; None: there is none that can be read."""
    try:
        before = json.loads(read_text(path / SUMMARY))
    except (Unreadable, ValueError, RecursionError):
        return None
    spent = before.get("spent") if isinstance(before, dict) else None
    return spent if isinstance(spent, dict) and _is_spent(spent) else None


def _is_spent(spent: dict[str, Any]) -> bool:
    numbers = [spent.get(key, "") for key in SPENT]
    return isinstance(spent.get("machine"), str) and all(
        number is None or (isinstance(number, int | float) and not isinstance(number, bool))
        for number in numbers
    )
