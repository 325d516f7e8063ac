"""A campaign on many machines, by Dask: one task per shard, in batches; each worker uses its cores,
or its GPU if it has one.

The tables come back to this machine, which writes them. A worker that is lost is replaced by Dask
and its shards are run again elsewhere, to the same bits. Only some shards are under way at a time,
so memory stays bounded here and on the scheduler.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import functools
import logging
import threading
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from softdock._version import __version__
from softdock.compile.sources import source_hash
from softdock.errors import BadInput, CampaignStopped, NoDevice, Problem
from softdock.files.reading import read_text
from softdock.studies.campaign.batch import count_cores
from softdock.studies.campaign.engines import (
    CPU_SHARD_CYCLES,
    FEWEST,
    MOST,
    MUCH,
    Engine,
    choose_engine,
    count_cycles_per_run,
)
from softdock.studies.campaign.execute import (
    Effort,
    Progress,
    Say,
    encode_table,
    load_own_outcomes,
    make_stop_error,
    make_table,
    start_shard,
)
from softdock.studies.campaign.shards import (
    OWN,
    Folder,
    PlanTexts,
    Shard,
    describe_core,
    format_resume_command,
    make_plan_from_texts,
    make_plan_texts,
)
from softdock.studies.campaign.user_outcomes import Own, load_own
from softdock.studies.campaign.variants import Plan

# Workers of a Dask cluster: found, waited for, counted.

ANSWER_S = 15.0  # a scheduler that does not answer within this is not there


LOOPBACK = "127.0.0.1"
WAIT_S = 60.0  # for a worker, where there is none


LOOK_S = 2.0  # between two looks at whether scheduler and workers are still there


CLOSE_S = 3.0  # to take leave of a scheduler


LOST_TOO_OFTEN = 5  # workers that one shard may take down with it before the campaign stops


def load_distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise BadInput(
            Problem(
                "--backend",
                "dask",
                "the package distributed is not installed (pip install 'softdock[cluster]')",
            )
        ) from None
    return distributed


@contextlib.contextmanager
def connect(scheduler: str | None, workers: int | None) -> Iterator[Any]:
    """A client of a scheduler that runs already, or of a cluster on this machine that ends with the
    command."""
    distributed = load_distributed()
    import dask

    dask.config.set({"distributed.scheduler.allowed-failures": LOST_TOO_OFTEN})
    for name in [
        name
        for name in logging.root.manager.loggerDict
        if name.partition(".")[0] in ("distributed", "tornado")
    ]:
        logging.getLogger(name).setLevel(
            logging.CRITICAL + 1
        )  # what goes wrong is said once, by us
    with contextlib.ExitStack() as stack:
        if scheduler is None:
            count = workers or count_cores()
            # Loopback only, and no dashboard: its server starts all the same, without a page.
            routes = ("distributed.scheduler.http.routes", "distributed.worker.http.routes")
            stack.enter_context(dask.config.set({route: [] for route in routes}))
            cluster = distributed.LocalCluster(
                n_workers=count,
                threads_per_worker=1,
                processes=True,
                host=LOOPBACK,
                dashboard_address=f"{LOOPBACK}:0",
                scheduler_kwargs={"dashboard": False},
                silence_logs=50,
            )
            where = stack.enter_context(cluster)
        else:
            where = scheduler
        try:
            client = distributed.Client(where, timeout=ANSWER_S)
        except Exception as error:  # whatever it is that answers there, if anything
            raise CampaignStopped(
                f"no scheduler answers at {scheduler or 'this machine'} within {ANSWER_S:g} "
                f"s ({error}); nothing was run"
            ) from None
        stack.callback(_disconnect, client)
        yield client


def _disconnect(client: Any) -> None:
    with contextlib.suppress(Exception):  # a scheduler that is gone cannot be told
        client.close(timeout=CLOSE_S)


def count_workers(client: Any) -> int:
    """-1: the scheduler is gone."""
    if client.status != "running":
        return -1
    try:
        return len(client.scheduler_info(n_workers=-1)["workers"])
    except (OSError, TimeoutError, RuntimeError, ValueError):
        return -1


class ClusterWatch:
    """Looks after scheduler and workers while shards are waited for: says what is missing, and
    stops the campaign when it does not come back."""

    def __init__(
        self, client: Any, path: Path | None = None, wait_s: float = WAIT_S, say: Say | None = None
    ):
        self.client, self.wait_s, self.say = client, wait_s, say
        self.note = (
            f"every shard written before is kept, and `{format_resume_command(path)} --backend "
            "dask` goes on"
            if path
            else "nothing was run"
        )
        self.alone_since: float | None = None

    def check(self) -> int:
        """Workers there are; raises `CampaignStopped` if the scheduler is gone, or there was no
        worker for too long."""
        count = count_workers(self.client)
        if count < 0:
            raise CampaignStopped(f"the Dask scheduler is gone; {self.note}")
        if count > 0:
            if self.alone_since is not None and self.say is not None:
                self.say("")
            self.alone_since = None
            return count
        now = time.monotonic()
        if self.alone_since is None:
            self.alone_since = now
            if self.say is not None:
                self.say(
                    f"the Dask scheduler has no workers; waiting up to {self.wait_s:g} s for "
                    "one (--wait)"
                )
        if now - self.alone_since >= self.wait_s:
            raise CampaignStopped(
                f"the Dask scheduler had no worker for {self.wait_s:g} s (--wait SECONDS "
                f"waits longer); {self.note}"
            )
        return 0

    def wait_for_worker(self) -> None:
        while self.check() == 0:
            time.sleep(min(LOOK_S, 0.2 * self.wait_s))


def count_worker_threads(client: Any) -> int:
    return max(
        1, sum(w["nthreads"] for w in client.scheduler_info(n_workers=-1)["workers"].values())
    )


def has_gpu() -> bool:
    """On a worker."""
    from softdock.studies.campaign.cuda import find_device

    try:
        find_device()
    except NoDevice:
        return False
    return True


FETCH_S = 10.0  # between two such looks while a table comes
UNDER_WAY = 3  # shards for each thread of the workers
GPU_RUNS = 65536  # of a shard that a GPU runs
SHARDS_PER_THREAD = 20  # at least, where there are runs enough
_ONE_DEVICE = threading.Lock()  # of a worker


@functools.lru_cache(maxsize=2)
def _make_plan_once(texts: PlanTexts, own: str) -> tuple[Plan, Engine, Own]:
    """On a worker: a campaign's plan, made once."""
    plan = make_plan_from_texts(texts)
    functions: Own = {}
    if own:
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / OWN).write_text(own, encoding="utf-8")
            functions = load_own(Path(folder) / OWN, len(plan.design.labels))
    return plan, choose_engine("auto", plan, threads=1), functions


def run_on_worker(texts: PlanTexts, own: str, shard: Shard, core: str) -> tuple[bytes, Effort]:
    """On a worker: one shard as a Parquet file. `core`: hash of the sources that are to run it."""
    if source_hash() != core:
        raise CampaignStopped(
            f"its {describe_core(__version__, source_hash())} is not the core that the campaign "
            "began "
            f"with ({core}): runs of two cores must not be mixed"
        )
    plan, engine, functions = _make_plan_once(PlanTexts(*texts), own)
    with (
        _ONE_DEVICE if engine.name == "gpu" else contextlib.nullcontext()
    ):  # a worker's threads share its GPU
        table, spent = make_table(
            plan, start_shard(plan, Shard(*shard), engine, functions), engine, functions
        )
    return encode_table(table), spent


def choose_cluster_shard_runs(plan: Plan, client: Any) -> int:
    """Some seconds of one core, less where that would leave a worker idle; what fills a GPU, where
    a worker will use one."""
    threads = count_worker_threads(client)
    if plan.runs * count_cycles_per_run(plan) >= MUCH and any(client.run(has_gpu).values()):
        return GPU_RUNS
    return int(
        min(
            max(CPU_SHARD_CYCLES / count_cycles_per_run(plan), FEWEST),
            MOST,
            max(FEWEST, plan.runs / (SHARDS_PER_THREAD * threads)),
        )
    )


def _wait_for_next(distributed: Any, waiting: set[Any], watch: ClusterWatch) -> Any:
    """The first that is done; scheduler and workers are looked after meanwhile."""
    while True:
        for future in waiting:
            if future.status != "pending":
                return future
        with contextlib.suppress(
            OSError, asyncio.CancelledError, concurrent.futures.CancelledError
        ):
            distributed.wait(list(waiting), timeout=LOOK_S, return_when="FIRST_COMPLETED")
        watch.check()


def _fetch_result(future: Any, watch: ClusterWatch) -> Any:
    """Of a shard that is done. Its table may have gone with the worker that held it; it is then
    made again."""
    while True:
        try:
            return future.result(timeout=FETCH_S)
        except TimeoutError:
            watch.check()


def run_on_cluster(
    plan: Plan,
    folder: Folder,
    client: Any,
    progress: Progress | None = None,
    say: Say | None = None,
    wait_s: float = WAIT_S,
) -> Effort:
    """Every shard that is missing, on the client's workers."""
    distributed = load_distributed()
    load_own_outcomes(plan)  # refused here, before anything is sent
    own = (
        read_text(plan.spec.folder / plan.spec.outcome_file, what="Python file")
        if plan.spec.outcome_file
        else ""
    )
    texts, missing, core = make_plan_texts(plan), folder.list_missing(plan), source_hash()
    began, spent = time.perf_counter(), Effort()
    done, left = plan.runs - sum(shard.runs for shard in missing), iter(missing)
    threads = count_worker_threads(client)
    spent.words = f"Dask, {threads} thread{'' if threads == 1 else 's'} of workers"

    if progress is not None:
        progress(done, plan.runs)  # what was there before

    def submit(shard: Shard) -> Any:
        future = client.submit(run_on_worker, texts, own, shard, core, pure=False)
        of[future.key] = shard
        return future

    of: dict[str, Shard] = {}
    watch = ClusterWatch(client, folder.path, wait_s, say)
    waiting = {submit(shard) for shard in islice(left, UNDER_WAY * threads)}
    while waiting:
        future = _wait_for_next(distributed, waiting, watch)
        waiting.discard(future)
        shard = of.pop(future.key)
        try:
            data, took = _fetch_result(future, watch)
        except distributed.scheduler.KilledWorker as error:
            raise CampaignStopped(
                f"a shard was lost with its worker {LOST_TOO_OFTEN} times ({error}); {watch.note}"
            ) from None
        except (OSError, concurrent.futures.CancelledError):  # the connection, not a worker's work
            raise CampaignStopped(f"the Dask scheduler is gone; {watch.note}") from None
        except Exception as error:  # whatever a worker met with
            raise CampaignStopped(
                f"a worker failed: {type(error).__name__}: {error}; {watch.note}"
            ) from None
        except asyncio.CancelledError:  # no `Exception`: futures of a scheduler that is gone
            raise CampaignStopped(f"the Dask scheduler is gone; {watch.note}") from None
        try:
            folder.write(shard, data)
        except OSError as error:
            raise make_stop_error(error, folder.path) from None
        future.release()
        for more in islice(left, 1):
            waiting.add(submit(more))
        spent.add(took)
        done += shard.runs
        if progress is not None:
            progress(done, plan.runs)
    spent.wall_s = time.perf_counter() - began
    spent.loop_s, spent.orbit_s = (
        spent.loop_s / threads,
        spent.orbit_s / threads,
    )  # they ran at once
    return spent
