"""A campaign run from begin to end: shard by shard, the next one prepared and the last one written
while the machine runs this one.

Memory is bounded whatever the number of runs: one shard is prepared, two are with the machine, one
is written.
"""

from __future__ import annotations

import errno
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from softdock.compile.interrupts import run_abandonable
from softdock.errors import CampaignStopped
from softdock.loop.settled_motion import SETTLED_ROWS
from softdock.studies.campaign.batch import SparseParameters
from softdock.studies.campaign.engines import Engine
from softdock.studies.campaign.outcome import ReferenceResults, ShardResult
from softdock.studies.campaign.outcomes import make_outcome_table
from softdock.studies.campaign.references import (
    ReferenceBatch,
    add_reference_times,
    collect_ends,
    compile_reference,
    compute_distances_at,
    compute_reachable_energies,
    find_instants,
    simulate_references,
    split_stored_motions,
)
from softdock.studies.campaign.shards import MANIFEST, Folder, Shard, format_resume_command
from softdock.studies.campaign.user_outcomes import OWN_CONTACTS, Own, apply_own, load_own
from softdock.studies.campaign.variants import Plan, Variant

# rows of the contact log kept: the table needs the first; outcomes of the user's own see more
FIRST_CONTACT = 1
Progress = Callable[[int, int], None]  # runs done, runs in all
Say = Callable[[str], None]  # what is waited for; "": nothing any more


@dataclass
class Effort:
    """What the work took. The reference is counted apart: the rate without it is that of the loop
    alone."""

    runs: int = 0
    cycles: float = 0.0
    loop_s: float = 0.0
    orbit_s: float = 0.0
    orbits: int = 0
    wall_s: float = 0.0
    compile_s: float = 0.0  # before the first run; not part of wall_s
    words: str = field(default="")

    def add(self, other: Effort) -> None:
        self.runs += other.runs
        self.cycles += other.cycles
        self.loop_s += other.loop_s
        self.orbit_s += other.orbit_s
        self.orbits += other.orbits


class RunningShard(NamedTuple):
    """A shard that the machine works at."""

    shard: Shard
    runs: SparseParameters
    launched: Any
    orbits: (
        ReferenceBatch | None
    )  # simulated before the runs, which are told when it has done with its contacts
    orbit_s: float  # what that took


def start_shard(
    plan: Plan,
    shard: Shard,
    engine: Engine,
    own: Own,
    runs: SparseParameters | None = None,
    prepared: Any = None,
) -> RunningShard:
    variant, orbits, began = plan.variants[shard.variant], None, time.perf_counter()
    contacts = OWN_CONTACTS if own or plan.spec.reference else FIRST_CONTACT  # growth is judged
    if runs is None:
        runs = plan.select_runs(shard.variant, shard.first, shard.last)
    if plan.spec.reference:
        orbits = simulate_references(
            runs,
            variant.scenario.markers.methods,
            getattr(engine, "threads", None),
            variant.scenario.markers.features,
        )
        settle = float(variant.scenario.tables["verdict"]["settle_s"])
        runs, contacts = add_reference_times(runs, orbits, settle), contacts + SETTLED_ROWS
    orbit_s = time.perf_counter() - began
    if prepared is None:
        prepared = engine.prepare(variant, runs)
    return RunningShard(
        shard=shard,
        runs=runs,
        launched=engine.launch(variant, runs, prepared, contacts),
        orbits=orbits,
        orbit_s=orbit_s if orbits else 0.0,
    )


def make_table(plan: Plan, started: RunningShard, engine: Engine, own: Own) -> tuple[Any, Effort]:
    """The shard's table of outcomes, and what it took."""
    shard, runs, launched, orbits, orbit_s = started
    batch, looped = engine.collect(launched)
    reference, began = None, time.perf_counter()
    if orbits is not None:
        batch, watched = split_stored_motions(batch)
        threads = getattr(engine, "threads", None)
        scale = compute_reachable_energies(runs, batch, orbits, threads)
        instants = (*find_instants(runs, batch, watched, orbits), collect_ends(runs, batch))
        after, later, at_end = (
            compute_distances_at(runs, batch, one, orbits, scale, threads) for one in instants
        )
        reference = ReferenceResults(
            orbits=orbits,
            distance=after,
            later=later,
            at_end=at_end,
            scale=scale,
            watched=watched,
        )
        orbit_s += time.perf_counter() - began
    spent = Effort(
        runs=shard.runs,
        cycles=float(batch.column("cycles").sum()),
        loop_s=looped,
        orbit_s=orbit_s,
        orbits=orbits.simulated if orbits else 0,
    )
    mine = apply_own(own, batch, plan.design.values(shard.first, shard.last)) if own else {}
    shard_result = ShardResult(
        plan=plan,
        variant=shard.variant,
        first=shard.first,
        runs=runs,
        batch=batch,
        reference_results=reference,
    )
    return make_outcome_table(shard_result, mine), spent


def encode_table(table: Any) -> bytes:
    """As a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    words = [
        name for name in table.column_names if pa.types.is_dictionary(table.schema.field(name).type)
    ]
    pq.write_table(table, sink, compression="zstd", use_dictionary=words)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def load_own_outcomes(plan: Plan) -> Own:
    return (
        load_own(plan.spec.folder / plan.spec.outcome_file, len(plan.design.labels))
        if plan.spec.outcome_file
        else {}
    )


def run_shards(
    plan: Plan,
    folder: Folder,
    engine: Engine,
    progress: Progress | None = None,
    say: Say | None = None,
    own: Own | None = None,
) -> Effort:
    """Every shard that is missing. What it took, of these alone; compiling is counted apart.
    `own`: functions of the outcome file where they are compiled already."""
    own, missing = load_own_outcomes(plan) if own is None else own, folder.list_missing(plan)
    spent, began = Effort(words=engine.words), time.perf_counter()
    compile_loops(plan, missing, engine, say)
    spent.compile_s = time.perf_counter() - began
    began = time.perf_counter()
    done = plan.runs - sum(shard.runs for shard in missing)
    if progress is not None:
        progress(done, plan.runs)  # what was there before
    with ThreadPoolExecutor(1) as ahead, ThreadPoolExecutor(1) as behind:
        writing: Future[None] | None = None
        for started in _start_shards(plan, missing, engine, own, ahead):
            table, took = make_table(plan, started, engine, own)
            if writing is not None:
                _wait(writing, folder)
            writing = behind.submit(_write, folder, started.shard, table)
            spent.add(took)
            done += started.shard.runs
            if progress is not None:
                progress(done, plan.runs)
        if writing is not None:
            _wait(writing, folder)
    spent.wall_s = time.perf_counter() - began
    return spent


def compile_loops(
    plan: Plan, missing: Iterable[Shard], engine: Engine, say: Say | None = None
) -> None:
    """Before the first run, so that rates and time left are those of the runs."""
    variants = sorted({shard.variant for shard in missing})
    for i, v in enumerate(variants):
        if say is not None:
            say(f"compiling loop {i + 1} of {len(variants)}: {plan.variants[v].label}")
        run_abandonable(partial(_compile, plan, plan.variants[v], engine))
    if say is not None:
        say("")


def _compile(plan: Plan, variant: Variant, engine: Engine) -> None:
    engine.compile(variant)
    if plan.spec.reference:
        compile_reference(variant.scenario.vector, variant.scenario.markers.methods)


def _start_shards(
    plan: Plan, missing: Iterable[Shard], engine: Engine, own: Own, pool: ThreadPoolExecutor
) -> Iterator[RunningShard]:
    """Each shard under way; the next one is handed to the machine before the results of this one
    are asked for."""
    before: RunningShard | None = None
    for shard, runs, prepared in _prepare_shards(plan, missing, engine, pool):
        started = start_shard(plan, shard, engine, own, runs, prepared)
        if before is not None:
            yield before
        before = started
    if before is not None:
        yield before


def _prepare_shards(
    plan: Plan, missing: Iterable[Shard], engine: Engine, pool: ThreadPoolExecutor
) -> Iterator[tuple[Shard, Any, Any]]:
    """Each shard with its runs; the next one is made ready meanwhile."""

    def prepare(shard: Shard) -> tuple[Shard, Any, Any]:
        runs = plan.select_runs(shard.variant, shard.first, shard.last)
        return (
            shard,
            runs,
            None if plan.spec.reference else engine.prepare(plan.variants[shard.variant], runs),
        )  # else the reference comes first

    waiting: Future[tuple[Shard, Any, Any]] | None = None
    for shard in missing:
        coming = pool.submit(prepare, shard)
        if waiting is not None:
            yield waiting.result()
        waiting = coming
    if waiting is not None:
        yield waiting.result()


def _write(folder: Folder, shard: Shard, table: Any) -> None:
    folder.write(shard, encode_table(table))


def _wait(writing: Future[None], folder: Folder) -> None:
    try:
        writing.result()
    except OSError as error:
        raise make_stop_error(error, folder.path) from None


def make_stop_error(error: OSError, path: Path) -> CampaignStopped:
    """A disc that fails costs the shards in flight and no more."""
    why = (
        "the disc is full"
        if error.errno in (errno.ENOSPC, errno.EDQUOT)
        else f"the disc failed ({error.strerror or error})"
    )
    advice = (
        f"every shard written before is kept, and `{format_resume_command(path)}` goes on"
        if (path / MANIFEST).exists()
        else "nothing was run"
    )
    return CampaignStopped(f"{why}: {path}; {advice}")
