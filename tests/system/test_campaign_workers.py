"""A campaign on workers: one lost costs nothing, one with another core is refused, and a
scheduler that does not answer is said."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from small_campaigns import assert_same, campaign_files, small_campaign

from softdock.cli.main import cli
from softdock.errors import CampaignStopped
from softdock.output.folders.campaign_folder import run_campaign
from softdock.studies.campaign import cluster, shards
from softdock.studies.campaign.plan import load_plan


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return campaign_files(tmp_path_factory.mktemp("campaigns"))


@pytest.fixture
def done() -> tuple[Path, Any]:
    return small_campaign()


def listening_addresses(pids: list[int]) -> set[str]:
    """Addresses on which these processes listen, as the kernel lists them (IPv4 and IPv6)."""
    held = set()
    for pid in pids:
        for link in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                held.add(os.readlink(link))
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == "0A" and f"socket:[{words[9]}]" in held:
                found.add(words[1].partition(":")[0])
    return found


def test_a_worker_lost_half_way_changes_nothing(folder, tmp_path):
    """A Dask cluster of two processes, one killed while it works: every run once, to the bit as on
    this machine's threads. Scheduler and workers listen on loopback alone."""
    plan, out, whole = load_plan(folder / "long.toml"), tmp_path / "out", tmp_path / "whole"
    with cluster.connect(None, 2) as client:
        pids = [os.getpid(), *client.run(os.getpid).values()]
        assert listening_addresses(pids) == {"0100007F"}  # 127.0.0.1
        begun = shards.begin_folder(plan, out, 20)
        victims = []

        def kill_one(done: int, total: int) -> None:
            if not victims and done >= total // 4:
                victims.append(next(iter(client.run(os.getpid).values())))
                os.kill(victims[0], signal.SIGKILL)

        spent = cluster.run_on_cluster(plan, begun, client, kill_one)
    assert spent.runs == 400
    assert victims
    run_campaign(plan, whole, "cpu", shard_runs=400)
    assert_same(out, whole)


def test_a_worker_with_another_core_is_refused(folder):
    """A worker of other sources would mix two cores' numbers in one table, and is refused."""
    plan = load_plan(folder / "long.toml")
    with pytest.raises(CampaignStopped, match="two cores must not be mixed"):
        cluster.run_on_worker(
            shards.make_plan_texts(plan), "", shards.Shard(0, 0, 0, 2), "of other sources"
        )


def test_a_scheduler_that_does_not_answer_is_said(tmp_path, monkeypatch):
    """An address without a scheduler is named, after a wait and not for ever."""
    monkeypatch.setattr(cluster, "ANSWER_S", 0.5)
    result = CliRunner().invoke(
        cli,
        [
            "campaign",
            "nozzle_capture",
            "--backend",
            "dask",
            "--scheduler",
            "tcp://127.0.0.1:9",
            "--out",
            str(tmp_path / "out"),
        ],
    )
    assert result.exit_code == 2
    assert "no scheduler answers at tcp://127.0.0.1:9" in result.output
    assert not (tmp_path / "out").exists()


class Client:
    """A stand-in for Dask's: a scheduler that is asked how many workers it has."""

    def __init__(self, *counts: int):
        self.counts, self.status = list(counts), "running"

    def scheduler_info(self, n_workers: int) -> dict[str, Any]:
        count = self.counts.pop(0) if len(self.counts) > 1 else self.counts[0]
        if count < 0:
            raise OSError("gone")
        return {"workers": dict.fromkeys(range(count))}


def test_a_scheduler_without_workers_is_waited_for_and_said(monkeypatch):
    """Workers that come late are waited for aloud; none at all ends with the option that waits
    longer."""
    said: list[str] = []
    monkeypatch.setattr(cluster, "LOOK_S", 0.05)
    cluster.ClusterWatch(Client(0, 0, 2), wait_s=120.0, say=said.append).wait_for_worker()
    assert "no workers; waiting up to 120 s" in said[0]
    assert said[1:] == [""]
    with pytest.raises(CampaignStopped, match=r"no worker for 0.1 s.*--wait.*nothing was run"):
        cluster.ClusterWatch(Client(0), wait_s=0.1).wait_for_worker()


def test_a_scheduler_that_goes_is_one_clear_line(tmp_path):
    """A scheduler that dies in the middle says what is kept and how to go on."""
    with pytest.raises(
        CampaignStopped, match=r"scheduler is gone; every shard.*--resume --backend dask"
    ):
        cluster.ClusterWatch(Client(-1), tmp_path).check()
