"""A campaign from its file to its page: `run_campaign`, which the command calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from softdock.errors import BadInput, CampaignStopped, Problem, closest
from softdock.files.atomic import write_whole
from softdock.files.reading import Unreadable, read_text
from softdock.output.pages.campaign import campaign_page
from softdock.studies.campaign.engines import choose_engine
from softdock.studies.campaign.execute import (
    Effort,
    Progress,
    Say,
    load_own_outcomes,
    make_stop_error,
    run_shards,
)
from softdock.studies.campaign.outcomes import OUTCOMES, list_column_names
from softdock.studies.campaign.replay import (
    choose_runs,
    is_silent,
    rerun_worst,
    write_trajectories,
)
from softdock.studies.campaign.result import CampaignSummary
from softdock.studies.campaign.shards import (
    REPORT,
    SUMMARY,
    Folder,
    begin_folder,
    check_resumable,
    format_resume_command,
    resume,
)
from softdock.studies.campaign.summary import summarise
from softdock.studies.campaign.variants import Plan

# what a summary has of what its runs took: numbers, or none
SPENT_KEYS = (
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
) -> CampaignSummary:
    """Run the missing shards, then write summary, page and trajectories. Returns the summary.
    `say`: called with what the campaign waits for; `wait_s`: time limit for a Dask worker. `remade`
    in the summary: damage found in a resumed folder."""
    path, damages_found = Path(out), list[str]()
    if resuming:
        check_resumable(plan, path)  # before an outcome file is executed
    own = load_own_outcomes(plan)  # refused before a folder is made
    check_worst_by(plan, list(own))
    try:
        if backend == "dask":
            folder, spent = _run_on_cluster(
                plan,
                path,
                resuming=resuming,
                progress=progress,
                shard_runs=shard_runs,
                scheduler=scheduler,
                workers=workers,
                say=say,
                wait_s=wait_s,
                damages_found=damages_found,
            )
        else:
            engine = choose_engine(backend, plan, threads)
            folder = (
                _resume_folder(plan, path, damages_found)
                if resuming
                else begin_folder(plan, path, shard_runs or engine.shard_runs(plan))
            )
            spent = run_shards(plan, folder, engine, progress, say, own)
        left = folder.list_missing(plan)
        if left:
            raise CampaignStopped(
                f"{len(left)} shards are missing in {path}; `{format_resume_command(path)}` runs "
                "them"
            )
        summary = write_results(plan, folder.path, spent, say)
        if damages_found:
            summary["remade"] = damages_found
        return CampaignSummary(summary)
    except OSError as error:
        raise make_stop_error(error, path) from None


def _resume_folder(plan: Plan, path: Path, damages_found: list[str]) -> Folder:
    """Open the folder to resume; append the damage found in it."""
    folder, damages = resume(plan, path)
    damages_found.extend(damages)
    return folder


def check_worst_by(plan: Plan, own: list[str]) -> None:
    clash = [name for name in own if name in list_column_names(plan)]
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
        [
            name
            for name in list_column_names(plan)
            if name not in OUTCOMES or OUTCOMES[name].is_number
        ]
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


def _run_on_cluster(
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
    damages_found: list[str],
) -> tuple[Folder, Effort]:
    from softdock.studies.campaign.cluster import (
        WAIT_S,
        ClusterWatch,
        choose_cluster_shard_runs,
        connect,
        run_on_cluster,
    )

    wait_s = WAIT_S if wait_s is None else wait_s
    with connect(scheduler, workers) as client:
        ClusterWatch(client, path if resuming else None, wait_s, say).wait_for_worker()
        folder = (
            _resume_folder(plan, path, damages_found)
            if resuming
            else begin_folder(plan, path, shard_runs or choose_cluster_shard_runs(plan, client))
        )
        return folder, run_on_cluster(plan, folder, client, progress, say, wait_s)


def write_results(
    plan: Plan, path: Path, spent: Effort | None = None, say: Say | None = None
) -> dict[str, Any]:
    """Write summary, page and trajectories from the tables. `flown_again` in the summary: runs that
    were simulated once more for the page's replay."""
    summary, _ = summarise(plan, path, spent)
    if summary["spent"] is None:  # nothing was missing: what the runs took is known from before
        summary["spent"] = _read_spent(path)
    scenes = write_trajectories(
        plan, path, choose_runs(plan, [row["run"] for row in summary["worst"]])
    )
    if is_silent(plan):
        scenes = rerun_worst(plan, summary["worst"], say)
        summary["flown_again"] = list(scenes)
    write_whole(path / SUMMARY, (json.dumps(summary, indent=1, allow_nan=False) + "\n").encode())
    write_whole(path / REPORT, campaign_page(plan, summary, str(path), scenes).encode())
    return summary


def _read_spent(path: Path) -> Any:
    """Cost of the runs from a stored summary; None if there is none that can be read."""
    try:
        before = json.loads(read_text(path / SUMMARY))
    except (Unreadable, ValueError, RecursionError):
        return None
    spent = before.get("spent") if isinstance(before, dict) else None
    return spent if isinstance(spent, dict) and _is_valid_spent(spent) else None


def _is_valid_spent(spent: dict[str, Any]) -> bool:
    numbers = [spent.get(key, "") for key in SPENT_KEYS]
    return isinstance(spent.get("machine"), str) and all(
        number is None or (isinstance(number, int | float) and not isinstance(number, bool))
        for number in numbers
    )
