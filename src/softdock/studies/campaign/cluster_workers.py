"""Workers of a Dask cluster: found, waited for, counted."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from softdock.errors import BadInput, CampaignStopped, NoDevice, Problem
from softdock.studies.campaign.cpu import count_cores
from softdock.studies.campaign.execute import (
    Say,
)
from softdock.studies.campaign.shards import format_resume_command

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
        self.kept = (
            f"every shard written before is kept, and `{format_resume_command(path)} --backend dask` goes on"
            if path
            else "nothing was run"
        )
        self.alone_since: float | None = None

    def look(self) -> int:
        """Workers there are; raises `CampaignStopped` if the scheduler is gone, or there was no
        worker for too long."""
        count = count_workers(self.client)
        if count < 0:
            raise CampaignStopped(f"the Dask scheduler is gone; {self.kept}")
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
                f"waits longer); {self.kept}"
            )
        return 0

    def until_there_is_one(self) -> None:
        while self.look() == 0:
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
