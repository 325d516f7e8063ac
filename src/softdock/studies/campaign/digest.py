"""The tables of a campaign read once, shard by shard and several at a time: rows picked for the
charts, counts of all runs, the worst cases.

Memory stays bounded: at most `MOST_ROWS` runs are kept, evenly picked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from softdock.errors import CampaignStopped
from softdock.files.reading import Unreadable, read_bytes
from softdock.loop.cycle import STATUSES
from softdock.results.verdict import ALL_WORDS
from softdock.studies.campaign.arrow_arrays import to_numbers
from softdock.studies.campaign.batch import count_cores
from softdock.studies.campaign.outcome import ACTIVITIES
from softdock.studies.campaign.outcomes import OUTCOMES, list_page_outcomes
from softdock.studies.campaign.shards import (
    RUNS,
    Folder,
    Shard,
    format_resume_command,
    list_shards,
    open_folder,
)
from softdock.studies.campaign.variants import Plan

MOST_ROWS = 100_000
WORST = 10
LARGEST_SHARD = 10_000_000_000  # bytes: what a regular file holds; devices have no end
READERS = 2  # threads that read, each with a shard in memory

Counts = dict[str, Any]


class Digest(NamedTuple):
    columns: dict[
        str, np.ndarray
    ]  # of the picked runs; words as numbers: captured 0 or 1, verdict and status by index
    counts: list[Counts]  # of all runs, for each variant
    worst: list[
        dict[str, Any]
        # of all runs, some of each variant: those that stopped first, then by the outcome, largest
        # first
    ]


class _Part(NamedTuple):
    variant: int
    picked: dict[str, np.ndarray]
    counts: Counts
    worst: list[tuple[float, dict[str, Any]]]


def read_tables(folder: Path) -> Iterator[Any]:
    """The tables of a campaign, shard by shard, whoever made its plan."""
    return (_parse_table(path) for path in _list_paths(folder))


def read_plan_tables(plan: Plan, folder: Path) -> Iterator[Any]:
    """The tables of a plan's campaign as far as they are there, each found whole."""
    held = open_folder(folder)
    for shard in list_shards(plan, held.shard_runs):
        if held.locate(shard).exists():
            yield _read_whole(held, shard)


def _read_whole(folder: Folder, shard: Shard) -> Any:
    return _parse_table(folder.locate(shard), lambda data: folder.describe_damage(shard, data))


def is_campaign(folder: Path) -> bool:
    """Whether a folder holds tables of a campaign."""
    return folder.is_dir() and bool(_list_paths(folder))


def _list_paths(folder: Path) -> list[Path]:
    return sorted((folder / RUNS).glob("part-*.parquet"))


def _parse_table(path: Path, damage: Callable[[bytes], str] | None = None) -> Any:
    """The table of a shard; `damage`: what is wrong with its bytes, in words."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        data = read_bytes(path, LARGEST_SHARD, "shard")
    except Unreadable as error:
        raise CampaignStopped(f"{path}: not {error.allowed}") from None
    wrong = damage(data) if damage is not None else ""
    try:
        if not wrong:
            return pq.ParquetFile(pa.BufferReader(data)).read(use_threads=False)
    except (pa.ArrowException, OSError) as error:
        wrong = str(error)
    raise CampaignStopped(
        f"{path} is damaged ({wrong}); `{format_resume_command(path.parent.parent)}` makes its "
        "runs again"
    )


def read_digest(plan: Plan, folder: Path, worst_by: str) -> Digest:
    """Of all shards."""
    counts = [_make_zero_counts() for _ in plan.variants]
    worst: list[list[tuple[float, dict[str, Any]]]] = [[] for _ in plan.variants]
    picked: dict[str, list[np.ndarray]] = {}
    held = open_folder(folder)
    for stray in held.list_strays(plan):
        raise CampaignStopped(
            f"{stray} belongs to no part of this campaign; `{format_resume_command(folder)}` "
            "removes it"
        )
    whole = [one for one in list_shards(plan, held.shard_runs) if held.locate(one).exists()]
    with ThreadPoolExecutor(min(READERS, count_cores())) as pool:
        for part in pool.map(lambda shard: _read(plan, held, shard, worst_by), whole):
            for name, found in part.picked.items():
                picked.setdefault(name, []).append(found)
            _add(counts[part.variant], part.counts)
            worst[part.variant] = _rank_cases(worst[part.variant] + part.worst)[
                : _count_kept_cases(plan)
            ]
    columns = {name: np.concatenate(found) for name, found in picked.items()}
    for name, outcome in OUTCOMES.items():
        made = outcome.derived(plan, columns) if outcome.derived else None
        if made is not None:
            columns[name] = made
    columns["variant"] = (columns["run"] // plan.design.runs).astype(int)
    return Digest(
        columns, counts, [row for _, row in _rank_cases([pair for mine in worst for pair in mine])]
    )


def _rank_cases(worst: list[tuple[float, dict[str, Any]]]) -> list[tuple[float, dict[str, Any]]]:
    return sorted(worst, key=lambda pair: (-pair[0], pair[1]["run"]))


def _count_kept_cases(plan: Plan) -> int:
    """Worst cases of each variant: those shown, and those whose motion is to be kept."""
    return max(WORST, int(plan.spec.trajectories["worst"]))


def _read(plan: Plan, folder: Folder, shard: Shard, worst_by: str) -> _Part:
    table = _read_whole(folder, shard)
    columns = {name: to_numbers(table[name]) for name in table.column_names}
    run = columns["run"]
    keep = pick_runs(plan, run)
    variant = int(run[0]) // plan.design.runs if len(run) else 0
    return _Part(
        variant,
        {name: x[keep] for name, x in columns.items()},
        _count(plan, columns),
        _find_worst(plan, columns, worst_by),
    )


def pick_runs(plan: Plan, run: np.ndarray) -> np.ndarray:
    """Which runs are kept, in no step with any grid; of a `saltelli` design whole blocks, whose
    runs say something only together."""
    share = int(min(1.0, MOST_ROWS / plan.runs) * 2**32)
    block = plan.design.dimensions + 2 if plan.spec.sampling == "saltelli" else 1
    return np.asarray(
        (run.astype(np.uint64) // np.uint64(block) * np.uint64(2654435761)) % np.uint64(2**32)
        < share
    )


def _make_zero_counts() -> Counts:
    none = dict.fromkeys(
        (
            "runs",
            "captured",
            "asked",
            "untouched",
            "within_limit",
            "compared",
            "silent",
            "silent_untouched",
            "orbit_asked",
            "orbit_captured",
            "captured_differently",
        ),
        0,
    )
    return {**none, "activities": dict.fromkeys(ACTIVITIES, 0), "status": {}, "verdicts": {}}


def _count(plan: Plan, columns: dict[str, np.ndarray]) -> Counts:
    one, captured = _make_zero_counts(), columns["captured"]
    one |= {
        "runs": len(captured),
        "asked": int(np.isfinite(captured).sum()),
        "captured": int(np.nansum(captured)),
    }
    one["untouched"] = int((columns["contacts"] == 0).sum())
    for name, words, into in (
        ("activity", ACTIVITIES, one["activities"]),
        ("status", STATUSES, one["status"]),
    ):
        counts = np.bincount(columns[name].astype(int), minlength=len(words)).tolist()
        into |= {word: count for word, count in zip(words, counts, strict=True) if count}
    if plan.spec.reference:
        distance = columns["error_against_orbit"]
        each = np.bincount(columns["verdict"].astype(int), minlength=len(ALL_WORDS)).tolist()
        one["verdicts"] = dict(zip(ALL_WORDS, each, strict=True))
        one |= {
            "compared": int(np.isfinite(distance).sum()),
            "within_limit": int(
                (
                    np.maximum(distance, columns["error_against_orbit_later"])
                    <= plan.spec.error_limit
                ).sum()
            ),
        }
        silent = np.isnan(distance) & (columns["status"] == 0)  # no error is defined
        alone = (columns["contacts"] == 0) & (
            columns["orbit_contacts"] == 0
        )  # nothing touched: there was no approach. Else a contact was on at the end
        one |= {"silent": int(silent.sum()), "silent_untouched": int((silent & alone).sum())}
        on_orbit = columns["orbit_captured"]
        one["orbit_captured"] = int(np.nansum(on_orbit))
        one["captured_differently"] = int(np.nansum(np.abs(captured - on_orbit)))
        one["orbit_asked"] = int(np.isfinite(on_orbit).sum())
    return one


def _add(total: Counts, more: Counts) -> None:
    for name, value in more.items():
        if isinstance(value, dict):
            for word, count in value.items():
                total[name][word] = total[name].get(word, 0) + count
        else:
            total[name] += value


def _find_worst(
    plan: Plan, columns: dict[str, np.ndarray], by: str
) -> list[tuple[float, dict[str, Any]]]:
    shown = [outcome.name for outcome in list_page_outcomes(lambda one: one.is_among_worst)]
    keys = [by, *plan.design.labels, *(name for name in shown if name in columns)]
    keys += ["captured_at_s"] if np.isfinite(columns["captured"]).any() else []
    keys = list(dict.fromkeys(keys))
    size = np.where(
        columns["status"] != 0, np.inf, np.nan_to_num(columns[by].astype(float), nan=-np.inf)
    )
    found = []
    for i in np.argsort(-size, kind="stable")[: _count_kept_cases(plan)]:
        run = int(columns["run"][i])
        row = {
            "run": run,
            "variant": plan.label(run // plan.design.runs),
            "status": STATUSES[int(columns["status"][i])],
        }
        found.append((float(size[i]), row | {key: float(columns[key][i]) for key in keys}))
    return found
